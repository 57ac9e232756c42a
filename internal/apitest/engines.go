package apitest

import (
	"os"
	"path/filepath"
	"testing"

	"stoa/internal/dbtest"
)

// Engine makes databases of one kind.
type Engine struct {
	Name string
	// admin is the address under which PostgreSQL databases are made and dropped; "" means SQLite.
	admin string
	// objects puts the packages into an object store instead of a folder.
	objects bool
}

// Engines lists the engines to test on. Where PostgreSQL must be there and is not, the test fails. STOA_TEST_ENGINE=postgres
// leaves SQLite out.
func Engines(t testing.TB) []Engine {
	t.Helper()
	sqlite, dsn := Engine{Name: "sqlite"}, dbtest.Postgres(t)
	if dsn == "" {
		return []Engine{sqlite}
	}
	postgres := Engine{Name: "postgres", admin: dsn}
	if os.Getenv("STOA_TEST_ENGINE") == postgres.Name {
		return []Engine{postgres}
	}
	return []Engine{sqlite, postgres}
}

// Each runs test on every engine, each time with a fresh server, the engines side by side.
func Each(t *testing.T, o Options, test func(t *testing.T, s *Server)) {
	t.Helper()
	for _, e := range Engines(t) {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			test(t, Start(t, e, o))
		})
	}
}

// EachStore is Each, and once more on the last of the engines with the packages in an object store.
func EachStore(t *testing.T, o Options, test func(t *testing.T, s *Server)) {
	t.Helper()
	Each(t, o, test)
	OnObjects(t, o, test)
}

// OnObjects runs test on a server whose packages are in an object store.
func OnObjects(t *testing.T, o Options, test func(t *testing.T, s *Server)) {
	t.Helper()
	engines := Engines(t)
	e := engines[len(engines)-1]
	e.objects = true
	t.Run(e.Name+" and s3", func(t *testing.T) {
		t.Parallel()
		test(t, Start(t, e, o))
	})
}

// home is a database and a blob folder: what a server stands on.
type home struct {
	database string
	dir      string
}

// fresh copies the seeded home, or makes an empty one.
func (e Engine) fresh(t testing.TB, empty bool) home {
	t.Helper()
	dir := tempDir(t)
	h := home{dir: dir, database: filepath.Join(dir, "stoa.db")}
	if empty {
		if e.admin != "" {
			h.database = dbtest.Fresh(t, e.admin, dbtest.Empty)
		}
		return h
	}
	from := e.seeded(t)
	if err := os.CopyFS(dir, os.DirFS(from.dir)); err != nil {
		t.Fatal(err)
	}
	if e.admin != "" {
		h.database = dbtest.Fresh(t, e.admin, dbtest.Name(from.database))
	}
	return h
}

// NewDatabase makes an empty database for a stoa command and answers its address, or "" on SQLite,
// where the data folder is enough.
func (e Engine) NewDatabase(t testing.TB) string {
	t.Helper()
	if e.admin == "" {
		return ""
	}
	return dbtest.Fresh(t, e.admin, dbtest.Empty)
}

// tempDir is t.TempDir in memory where the machine has such a place, since every commit is synced.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(memory(), "stoa-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func memory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}
