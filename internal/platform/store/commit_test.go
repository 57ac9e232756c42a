//go:build linux

package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// oneServer is a database with a proxy before it.
type oneServer struct {
	*dbtest.Server
	proxy *commitProxy
	store *store.Store
}

func onServer(t *testing.T) *oneServer {
	t.Helper()
	s := &oneServer{Server: dbtest.NewServer(t)}
	s.Exec(t, "postgres", "CREATE DATABASE stoa")
	s.proxy = newCommitProxy(t, s.Port)
	s.store = openAt(t, s.proxy.address("stoa"), dbtest.NewClock())
	return s
}

// add writes one event in a transaction, and tells whether its hook ran.
func (s *oneServer) add(ctx context.Context) (id string, hooked bool, err error) {
	id = uuid.Must(uuid.NewV7()).String()
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		tx.OnCommit(func() { hooked = true })
		return tx.AddEvent(store.Event{EventID: id, Action: "test"})
	})
	return id, hooked, err
}

func (s *oneServer) query(t *testing.T, query string, into any) {
	t.Helper()
	db, err := sql.Open("pgx", s.Address("stoa"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), query).Scan(into); err != nil {
		t.Fatal(err)
	}
}

func (s *oneServer) has(t *testing.T, id string) bool {
	t.Helper()
	var n int
	s.query(t, fmt.Sprintf(`SELECT COUNT(*) FROM audit_event WHERE event_id = '%s'`, id), &n)
	return n > 0
}

func unknown(err error) bool {
	var away *sqldb.Unreachable
	return errors.As(err, &away) && away.Unknown
}

// A connection that breaks during COMMIT says nothing of it; the row does.
func TestACommitWithoutAnAnswerIsLookedUp(t *testing.T) {
	t.Parallel() // they wait
	s := onServer(t)
	ctx := sqldb.Soon(t.Context())
	s.proxy.set(cutAfter)
	if id, hooked, err := s.add(ctx); err != nil || !hooked || !s.has(t, id) {
		t.Errorf("committed, and its answer lost: %v, hook %v, there %v", err, hooked, s.has(t, id))
	}
	s.proxy.set(cutBefore)
	id, hooked, err := s.add(ctx)
	var away *sqldb.Unreachable
	if !errors.As(err, &away) || away.Unknown || hooked || s.has(t, id) {
		t.Errorf("never committed: %v, hook %v, there %v", err, hooked, s.has(t, id))
	}
	if n := s.proxy.cancelled(); n != 0 {
		t.Errorf("the server was asked %d times to cancel", n)
	}
}

// Without a row of its own nobody can find out, and the transaction is not run again.
func TestAnUnknownCommitWithoutAProofStaysUnknown(t *testing.T) {
	t.Parallel() // they wait
	s := onServer(t)
	for _, how := range []atCommit{cutBefore, cutAfter} {
		var runs atomic.Int64
		s.proxy.set(how)
		err := s.store.Write(sqldb.Soon(t.Context()), func(tx *store.Tx) error {
			runs.Add(1)
			_, err := tx.NextSeq()
			return err
		})
		if !unknown(err) || runs.Load() != 1 {
			t.Errorf("%v: %v after %d runs", how, err, runs.Load())
		}
	}
}

// nobodyConfirms lets commits wait for a standby that never comes. That they wait is what the checkpointer tells the others once it has
// read the setting, which it does before its next checkpoint.
func (s *oneServer) nobodyConfirms(t *testing.T) {
	t.Helper()
	s.Set(t, "synchronous_standby_names", "nobody")
	s.waitFor(t, `SELECT COUNT(*) FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = 'nobody'`)
	s.Exec(t, "postgres", "CHECKPOINT")
}

// A caller who leaves does not cut the wait short: what is written is seen by nobody until a standby has it.
func TestACommitThatWaitsIsNeverCancelled(t *testing.T) {
	t.Parallel() // they wait
	s := onServer(t)
	s.nobodyConfirms(t)
	ctx, leave := context.WithTimeout(sqldb.Soon(t.Context()), 500*time.Millisecond)
	defer leave()
	began := time.Now()
	id, hooked, err := s.add(ctx)
	if !unknown(err) || hooked {
		t.Errorf("answered %v, hook %v", err, hooked)
	}
	if took := time.Since(began); took < 1500*time.Millisecond || took > 15*time.Second {
		t.Errorf("answered after %s", took)
	}
	if s.has(t, id) {
		t.Error("it is seen, and only the primary has it")
	}
	if n := s.proxy.cancelled(); n > 1 { // the look-up's own statement may be
		t.Errorf("the server was asked %d times to cancel", n)
	}
	s.Set(t, "synchronous_standby_names", "")
	s.waitFor(t, fmt.Sprintf(`SELECT COUNT(*) FROM audit_event WHERE event_id = '%s'`, id))
	if _, _, err := s.add(sqldb.Soon(t.Context())); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Somebody else cancels the wait: the server warns and says COMMIT. The row is seen and may be lost, so that is no success.
func TestACancelledWaitIsNoSuccess(t *testing.T) {
	t.Parallel() // they wait
	s := onServer(t)
	s.nobodyConfirms(t)
	type result struct {
		id  string
		err error
	}
	done := make(chan result, 1)
	go func() {
		id, _, err := s.add(sqldb.Soon(t.Context()))
		done <- result{id, err}
	}()
	s.waitFor(t, `SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
	s.Exec(t, "stoa", `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
	r := <-done
	if !unknown(r.err) {
		t.Errorf("answered %v", r.err)
	}
	if !s.has(t, r.id) {
		t.Error("the server did not commit: this test shows nothing")
	}
	// Whoever asks again is told that it happened only when a standby can have it.
	asked := make(chan error, 1)
	go func() { asked <- s.store.Confirm(t.Context()) }()
	s.waitFor(t, `SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
	s.Set(t, "synchronous_standby_names", "")
	if err := <-asked; err != nil {
		t.Errorf("confirming: %v", err)
	}
}

// waitFor asks until the count is not 0.
func (s *oneServer) waitFor(t *testing.T, query string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		var n int
		if s.query(t, query, &n); n > 0 {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("never: %s", query)
		}
	}
}
