//go:build linux

package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// guarded is a node: a store that remembers, and the watch over it.
type guarded struct {
	*store.Store
	told chan store.Refusal
}

func guardedAt(t *testing.T, where, mark, node string, options ...store.Option) *guarded {
	t.Helper()
	s, err := store.Open(t.Context(), where, dbtest.NewClock().Now, append(options, store.Guarded(mark, node))...)
	if err != nil {
		t.Fatal(err)
	}
	g := &guarded{s, make(chan store.Refusal, 64)}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Watch(ctx, func(r store.Refusal) { g.told <- r })
	}()
	t.Cleanup(func() {
		stop()
		<-done
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func (g *guarded) add(t *testing.T) error {
	t.Helper()
	return g.Write(sqldb.Soon(t.Context()), func(tx *store.Tx) error {
		return tx.AddEvent(store.Event{EventID: uuid.Must(uuid.NewV7()).String(), Action: "test"})
	})
}

func (g *guarded) must(t *testing.T) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := g.add(t)
		if err == nil {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal(err)
		}
	}
}

// refuses waits until the node says so.
func (g *guarded) refuses(t *testing.T, kind, words string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if r := g.Refused(); r != nil {
			if r.Kind != kind || !strings.Contains(r.Text, words) {
				t.Fatalf("refused: %+v", r)
			}
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("never refused")
		}
		_ = g.add(t)
	}
	var r *store.Refusal
	if err := g.add(t); !errors.As(err, &r) {
		t.Errorf("a write is answered %v", err)
	}
	if _, err := g.Accounts(sqldb.Soon(t.Context()), "", 1); !errors.As(err, &r) {
		t.Errorf("a read is answered %v", err)
	}
}

func hosts(all ...*dbtest.Server) string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = fmt.Sprintf("127.0.0.1:%d", s.Port)
	}
	return "postgres://stoa@" + strings.Join(names, ",") + "/stoa?sslmode=disable&connect_timeout=2&target_session_attrs=read-write"
}

// A standby that was behind takes over: what it lacks is found and named by the node that acknowledged it, the other node hears of it, nobody
// writes before an operator says so, and the old primary is never written to again.
func TestALostRangeIsNamedAndAccepted(t *testing.T) {
	t.Parallel()
	first := dbtest.NewServer(t, "wal_level=replica", "hot_standby=on")
	first.Exec(t, "postgres", "CREATE DATABASE stoa")
	second := first.Standby(t, "second")
	marks := t.TempDir()
	one := guardedAt(t, hosts(first, second), filepath.Join(marks, "one"), "one")
	two := guardedAt(t, hosts(first, second), filepath.Join(marks, "two"), "two")
	one.must(t)
	two.must(t)
	(&oneServer{Server: first}).waitFor(t, `SELECT COUNT(*) FROM pg_stat_replication WHERE flush_lsn = pg_current_wal_lsn()`)
	second.Kill() // a paused one would still find them in its socket
	for range 5 {
		one.must(t)
	}
	first.Kill()
	second.Start(t)
	second.Promote(t)
	one.refuses(t, "lost", "5 acknowledged changes are missing")
	two.refuses(t, "lost", "5 acknowledged changes are missing")

	operator := openAt(t, second.Address("stoa"), dbtest.NewClock())
	losses, err := operator.Losses(t.Context())
	if err != nil || len(losses) != 1 || losses[0].Missing != 5 || losses[0].Node != "one" {
		t.Errorf("%+v, %v", losses, err)
	}
	write(t, operator, func(tx *store.Tx) error { _, err := tx.AcceptLoss("a test"); return err })
	one.must(t)
	two.must(t)
	for _, g := range []*guarded{one, two} {
		if r := g.Refused(); r != nil {
			t.Errorf("still refused: %+v", r)
		}
	}

	first.Start(t) // as a primary, which nobody told of the other
	one.must(t)
	var r *store.Refusal
	old, err := store.Open(t.Context(), hosts(first), dbtest.NewClock().Now, store.Guarded(filepath.Join(marks, "two"), "two"))
	if !errors.As(err, &r) || r.Kind != "timeline" {
		t.Errorf("a new process on the old primary: %v", err)
	}
	if err == nil {
		_ = old.Close()
	}
}

// A server of another cluster in the place of the database is refused, also by the next process.
func TestAnotherClusterIsRefused(t *testing.T) {
	t.Parallel()
	s := dbtest.NewServer(t)
	s.Exec(t, "postgres", "CREATE DATABASE stoa")
	mark := filepath.Join(t.TempDir(), "mark")
	guardedAt(t, s.Address("stoa"), mark, "one").must(t)
	text, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), `"identity": "`) + len(`"identity": "`)
	other := string(text[:at]) + "1" + string(text[at+1:])
	if err := os.WriteFile(mark, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if other == string(text) {
		t.Skip("one in ten: the identity begins with this digit")
	}
	if s, err := store.Open(t.Context(), s.Address("stoa"), dbtest.NewClock().Now, store.Guarded(mark, "one")); err == nil {
		t.Error("opened")
		_ = s.Close()
	}
}

// Another file in the place of a SQLite database, and an older copy of it, are refused behind a running server.
func TestARestoredFileIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, mark := filepath.Join(dir, "stoa.db"), filepath.Join(dir, "mark")
	g := guardedAt(t, path, mark, "one")
	for range 2 {
		g.must(t)
		write(t, g.Store, func(tx *store.Tx) error { _, err := tx.ChainAudit(500); return err })
	}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) { // until the watch has seen both
		if text, err := os.ReadFile(mark); err == nil && strings.Contains(string(text), `"seq": 2`) {
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("the mark does not move on")
		}
	}
	write(t, g.Store, func(tx *store.Tx) error { // as an older copy of it would be
		for _, statement := range []string{
			`DELETE FROM audit_event WHERE chain_seq = 2`,
			`UPDATE audit_head SET seq = 1, hash = (SELECT chain_hash FROM audit_event WHERE chain_seq = 1)`,
		} {
			if _, err := tx.Querier().ExecContext(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	})
	g.refuses(t, "lost", "the audit log ends at event 1 and was seen up to 2")
	operator := openAt(t, path, dbtest.NewClock())
	write(t, operator, func(tx *store.Tx) error { _, err := tx.AcceptLoss("a test"); return err })
	g.must(t)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g.refuses(t, "replaced", "is not the file any more")
}
