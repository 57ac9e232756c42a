package apitest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/dbtest"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/account"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/store"
)

// Password is every member's password.
const Password = "correct horse battery"

// Members are in every seeded database. Dan is disabled.
var Members = []string{"ada", "bob", "cyn", "dan"}

// Notes are shared with everybody in every seeded database, and ada has them as her own too.
var Notes = []notebook.IngestDocument{
	{DocumentID: "sequences", SourcePath: "maths/sequences.md", Content: "# Sequences\n\nA sequence assigns a term to every natural number. Bounded monotone sequences converge.\n"},
	{DocumentID: "limits", SourcePath: "maths/limits.md", Content: "# Limits\n\nRequires [[sequences]].\n\nA limit is the value that the terms approach: for every epsilon there is an index from which the distance stays smaller.\n"},
	{DocumentID: "series", SourcePath: "maths/series.md", Content: "# Series\n\nRequires [[limits]].\n\nA series is the limit of partial sums. The geometric series converges for ratios below one.\n"},
}

// Atom is the id of the concept of one of the Notes, of everybody ("") or of a member who has them.
func Atom(owner, document string) string { return graph.AtomID(owner, document+"::") }

// seedling is a database that others are copied from, made once per test binary.
type seedling struct {
	once sync.Once
	home home
	err  error
	tidy func()
}

var seedlings = map[string]*seedling{"sqlite": {}, "postgres": {}}

// Main runs a package's tests and removes what they shared. Use it in TestMain.
func Main(m *testing.M) int {
	defer func() {
		for _, s := range seedlings {
			if s.tidy != nil {
				s.tidy()
			}
		}
	}()
	return m.Run()
}

func (e Engine) seeded(t testing.TB) home {
	t.Helper()
	s := seedlings[e.Name]
	s.once.Do(func() { s.home, s.tidy, s.err = e.seed() })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.home
}

func (e Engine) seed() (home, func(), error) {
	dir, err := os.MkdirTemp(memory(), "stoa-seed-")
	if err != nil {
		return home{}, nil, err
	}
	h := home{dir: dir, database: filepath.Join(dir, "stoa.db")}
	tidy := func() { os.RemoveAll(dir) }
	if e.admin != "" {
		name, err := dbtest.Create(e.admin, dbtest.Empty)
		if err != nil {
			return h, tidy, err
		}
		h.database = dbtest.Address(e.admin, name)
		tidy = func() {
			os.RemoveAll(dir)
			_ = dbtest.Drop(e.admin, name) // nobody is left to be told
		}
	}
	return h, tidy, h.plant()
}

// plant fills an empty home with the official content and the members.
func (h home) plant() error {
	ctx := context.Background()
	c := dbtest.NewClock()
	db, err := store.Open(ctx, h.database, c.Now)
	if err != nil {
		return err
	}
	defer db.Close()
	blobs, err := blob.OpenFolder(filepath.Join(h.dir, "blobs"))
	if err != nil {
		return err
	}
	a := app.New(db, blobs, c.Now, slog.New(slog.DiscardHandler), core.Config{AuthRequired: true})
	defer a.Close()
	if err := a.Seed(ctx); err != nil {
		return err
	}
	if _, err := a.IngestShared(ctx, core.Caller{UserID: "operator"}, notebook.IngestInput{Documents: Notes}); err != nil {
		return err
	}
	if _, err := a.IngestKnowledge(ctx, core.Caller{Role: core.Member, UserID: "ada"}, notebook.IngestInput{Documents: Notes}); err != nil {
		return err
	}
	hash, err := account.NewHasher(1).Hash(ctx, "", Password)
	if err != nil {
		return err
	}
	c.Advance(-30 * 24 * time.Hour) // they have been members for a while
	return db.Write(ctx, func(tx *store.Tx) error {
		for _, user := range Members {
			if err := tx.AddAccount(user, hash); err != nil {
				return err
			}
		}
		return tx.SetDisabled("dan", true)
	})
}
