package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/dbtest"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// twoNodes runs a test with two applications, each with its own store on one database, on every engine. Both clocks are one.
func twoNodes(t *testing.T, test func(t *testing.T, now *dbtest.Clock, a, b *App)) {
	databases := map[string]func(t *testing.T) string{"sqlite": func(t *testing.T) string { return filepath.Join(t.TempDir(), "stoa.db") }}
	if admin := dbtest.Postgres(t); admin != "" {
		databases["postgres"] = func(t *testing.T) string { return dbtest.Fresh(t, admin, dbtest.Empty) }
	}
	for name, database := range databases {
		t.Run(name, func(t *testing.T) {
			now, where := dbtest.NewClock(), database(t)
			blobs, err := blob.OpenFolder(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			open := func() *App {
				db, err := store.Open(t.Context(), where, now.Now)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { db.Close() })
				return New(db, blobs, now.Now, slog.New(slog.DiscardHandler), core.Config{})
			}
			test(t, now, open(), open())
		})
	}
}

// job runs a job that does nothing and tells whether the node did it.
func job(t *testing.T, a *App) bool {
	t.Helper()
	did, err := a.RunExclusive(t.Context(), "test", func(*core.Job) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return did
}

func TestALeaseMovesWhenItsHolderDies(t *testing.T) {
	twoNodes(t, func(t *testing.T, now *dbtest.Clock, a, b *App) {
		if !job(t, a) || job(t, b) {
			t.Fatal("not the first alone has it")
		}
		now.Advance(core.LeaseTerm - time.Second)
		if job(t, b) || !job(t, a) {
			t.Error("it moves while its holder lives")
		}
		now.Advance(core.LeaseTerm - time.Second)
		if job(t, b) {
			t.Error("it was not prolonged")
		}
		now.Advance(time.Second) // the first one has died
		if !job(t, b) || job(t, a) {
			t.Error("it does not move when its holder has died")
		}
		b.Close() // gives it back
		if !job(t, a) {
			t.Error("one that is given back cannot be taken at once")
		}
	})
}

// A holder that slept through its term, and wakes in the middle of its work, changes nothing any more.
func TestALateWriteIsRefused(t *testing.T) {
	twoNodes(t, func(t *testing.T, now *dbtest.Clock, a, b *App) {
		writes := func(key string) func(*store.Tx) error {
			return func(tx *store.Tx) error {
				_, _, err := tx.CountFailure(key, time.Hour.Microseconds())
				return err
			}
		}
		var late error
		did, err := a.RunExclusive(t.Context(), "test", func(d *core.Job) error {
			if err := d.Write(t.Context(), writes("in time")); err != nil {
				t.Error(err)
			}
			now.Advance(core.LeaseTerm)
			if err := d.Write(t.Context(), writes("late, and nobody minds")); err != nil {
				t.Errorf("nobody else has taken it, and the holder may not go on: %v", err)
			}
			now.Advance(core.LeaseTerm)
			if !job(t, b) {
				t.Error("the other node does not take over")
			}
			late = d.Write(t.Context(), writes("late"))
			if err := d.Renew(t.Context()); !errors.Is(err, store.ErrLeaseLost) {
				t.Errorf("goOn: %v", err)
			}
			return late
		})
		if !did || err != nil || !errors.Is(late, store.ErrLeaseLost) {
			t.Errorf("%v %v, the late write: %v", did, err, late)
		}
		// The next failure of a key that was written is its second.
		for key, want := range map[string]int64{"in time": 2, "late, and nobody minds": 2, "late": 1} {
			var n int64
			if err := b.Store.Write(t.Context(), func(tx *store.Tx) (err error) {
				n, _, err = tx.CountFailure(key, time.Hour.Microseconds())
				return err
			}); err != nil || n != want {
				t.Errorf("%s: %d, want %d (%v)", key, n, want, err)
			}
		}
		if job(t, a) {
			t.Error("who came late has it again")
		}
	})
}

// A node whose clock is far ahead does not keep the work from the others for as long when it dies.
func TestALeaseOfAWrongClock(t *testing.T) {
	twoNodes(t, func(t *testing.T, now *dbtest.Clock, a, b *App) {
		now.Advance(24 * time.Hour)
		if !job(t, a) {
			t.Fatal("it is free")
		}
		now.Advance(-24 * time.Hour)
		if !job(t, b) {
			t.Error("the others wait for a day")
		}
	})
}

// However many nodes sweep at once, what one sweep does happens once.
func TestTwoNodesSweepOnce(t *testing.T) {
	twoNodes(t, func(t *testing.T, now *dbtest.Clock, a, b *App) {
		seeded := make(chan error, 2)
		for _, n := range []*App{a, b} {
			go func() { seeded <- n.Seed(t.Context()) }()
		}
		for range 2 {
			if err := <-seeded; err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range []*App{a, b} {
			n.Start(t.Context())
			defer n.Close()
			if err := n.WaitCatalog(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		lines := strings.Count(seedText(t, "seed/templates.jsonl"), "\n") + strings.Count(seedText(t, "seed/packs.jsonl"), "\n")
		if totals, err := a.Store.ItemTotals(t.Context()); err != nil || totals.Items != int64(lines) || totals.Revisions != int64(lines) {
			t.Errorf("%+v of %d lines: %v", totals, lines, err)
		}
		ada := core.Caller{Role: core.Member, UserID: "ada"}
		if _, err := a.RequestTrial(t.Context(), ada, browse.TrialInput{TemplateID: "official/careful-translator"}); err != nil {
			t.Fatal(err)
		}
		now.Advance(400 * 24 * time.Hour)
		swept := make(chan error, 8)
		for i := range cap(swept) {
			go func() { swept <- []*App{a, b}[i%2].SweepOnce(context.Background()) }()
		}
		for range cap(swept) {
			if err := <-swept; err != nil {
				t.Error(err)
			}
		}
		told, err := b.Store.Notifications(t.Context(), "ada", "", 100)
		if err != nil || len(told) != 1 {
			t.Errorf("told %d times: %v", len(told), err)
		}
		if holder, until, err := a.Store.LeaseHolder(t.Context(), core.JobSweep); err != nil || until != clock.Micros(now.Now().Add(core.LeaseTerm)) || holder != a.Node && holder != b.Node {
			t.Errorf("held by %q until %d: %v", holder, until, err)
		}
	})
}

func seedText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("market/review/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
