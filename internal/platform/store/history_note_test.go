package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
)

// A loss that a node finds while an operator accepts it is not written down as one that nobody has accepted: every node would refuse the
// database again, for good. Seen once in TestALossIsNamed on a busy machine.
func TestALossIsNotNotedAfterItsAcceptance(t *testing.T) {
	admin := dbtest.Postgres(t)
	if admin == "" {
		t.Skip("STOA_TEST_POSTGRES is not set")
	}
	dsn := dbtest.Fresh(t, admin, dbtest.Empty)
	s, err := store.Open(t.Context(), dsn, dbtest.NewClock().Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		return conn
	}
	conn, beside := connect(), connect()
	node := store.NewLooker("a")
	note := func() { node.Note(t.Context(), conn) }
	follow := func() {
		t.Helper()
		if err := node.Follow(t.Context(), conn); err != nil {
			t.Fatal(err)
		}
	}
	open := func() (n int) {
		t.Helper()
		all, err := s.Losses(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			if l.Accepted == "" {
				n++
			}
		}
		return n
	}
	accept := func(meanwhile func()) {
		t.Helper()
		err := s.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AcceptLoss("a test")
			meanwhile()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	follow() // there is nothing yet
	if note(); open() != 1 {
		t.Fatalf("%d losses are open", open())
	}
	if note(); open() != 1 {
		t.Fatal("one loss is noted twice")
	}
	accept(func() {})
	if note(); open() != 0 {
		t.Fatal("what is accepted is noted again by a node that has not followed")
	}
	follow()
	if note(); open() != 1 {
		t.Fatal("another loss, after the acceptance was followed, is not noted")
	}
	// While the operator's word is being written, the node waits for it.
	done := make(chan struct{})
	accept(func() {
		go func() { defer close(done); note() }()
		for waiting := 0; waiting == 0; time.Sleep(5 * time.Millisecond) {
			if err := beside.QueryRow(t.Context(), `SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = 'history_acceptance'::regclass`).Scan(&waiting); err != nil {
				t.Error(err)
				return
			}
		}
	})
	if <-done; open() != 0 {
		t.Fatal("a loss is open that was noted while it was accepted")
	}
}
