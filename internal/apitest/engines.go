package apitest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"
)

// Engine makes databases of one kind.
type Engine struct {
	Name string
	// admin is the address under which PostgreSQL databases are made and dropped; "" means SQLite.
	admin string
}

// Engines lists the engines to test on. Where PostgreSQL must be there and is not, the test fails.
func Engines(t testing.TB) []Engine {
	t.Helper()
	list := []Engine{{Name: "sqlite"}}
	dsn := os.Getenv("STOA_TEST_POSTGRES")
	switch {
	case dsn != "":
		list = append(list, Engine{Name: "postgres", admin: dsn})
	case required():
		t.Fatal("STOA_TEST_POSTGRES is not set, and CI or STOA_TEST_REQUIRE asks for the tests on PostgreSQL")
	}
	return list
}

func required() bool { return os.Getenv("CI") == "true" || os.Getenv("STOA_TEST_REQUIRE") == "1" }

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
			h.database = e.createDatabase(t, "template0")
		}
		return h
	}
	from := e.seeded(t)
	if err := os.CopyFS(dir, os.DirFS(from.dir)); err != nil {
		t.Fatal(err)
	}
	if e.admin != "" {
		h.database = e.createDatabase(t, databaseName(from.database))
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
	return e.createDatabase(t, "template0")
}

// createDatabase makes a PostgreSQL database that is dropped when the test ends.
func (e Engine) createDatabase(t testing.TB, template string) (address string) {
	t.Helper()
	name := "stoa_test_" + rand.Text()[:12]
	if err := e.create(name, template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.drop(name); err != nil {
			t.Error(err)
		}
	})
	return e.address(name)
}

func (e Engine) create(name, template string) error {
	return e.run(
		fmt.Sprintf(`CREATE DATABASE "%s" TEMPLATE "%s"`, name, template),
		// What is tested here is not whether the disk keeps its word.
		fmt.Sprintf(`ALTER DATABASE "%s" SET synchronous_commit = off`, name),
	)
}

func (e Engine) drop(name string) error {
	return e.run(fmt.Sprintf(`DROP DATABASE "%s" WITH (FORCE)`, name))
}

func (e Engine) run(statements ...string) error {
	db, err := sql.Open("pgx", e.admin)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(context.Background(), s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// address is the admin address with another database.
func (e Engine) address(name string) string {
	u, err := url.Parse(e.admin)
	if err != nil {
		panic("STOA_TEST_POSTGRES is not an address: " + err.Error())
	}
	u.Path = "/" + name
	return u.String()
}

func databaseName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err) // we made it ourselves
	}
	return u.Path[1:]
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
