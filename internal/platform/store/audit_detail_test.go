package store_test

import (
	"testing"
	"time"

	"stoa/internal/dbtest"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// Details may be dropped in batches; the chain holds afterwards, and a detail that is emptied by hand, or changed, still
// breaks it.
func TestDroppedDetailsLeaveTheChainWhole(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, now *dbtest.Clock) {
		addEvents(t, s, 70)
		chainAll(t, s)
		now.Advance(time.Hour)
		newer := addEvents(t, s, 5)
		chainAll(t, s)
		head, err := s.AuditHead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		looked, batches := 0, 0
		for n := -1; n != 0; batches++ {
			write(t, s, func(tx *store.Tx) (err error) {
				n, err = tx.DropDetails(clock.Micros(tx.Now.Add(-time.Minute)), 30)
				looked += n
				return err
			})
		}
		if looked != 70 || batches != 4 {
			t.Errorf("%d events in %d batches", looked, batches)
		}
		if kept := detailsKept(t, s); kept != 5 {
			t.Errorf("%d details are kept, want the newest 5", kept)
		}
		if at := brokenAt(t, s, head); at != 0 {
			t.Errorf("the chain is broken at %d", at)
		}
		change(t, s, `UPDATE audit_event SET detail = '' WHERE event_id = $1`, newer[2])
		if at := brokenAt(t, s); at != 73 {
			t.Errorf("an emptied detail: broken at %d, want 73", at)
		}
		change(t, s, `UPDATE audit_event SET detail = '{"n":2}' WHERE event_id = $1`, newer[2])
		if at := brokenAt(t, s); at != 0 {
			t.Errorf("put back: broken at %d", at)
		}
		change(t, s, `UPDATE audit_event SET detail = '{"forged":1}' WHERE chain_seq = 10`)
		if at := brokenAt(t, s); at != 10 {
			t.Errorf("a forged detail: broken at %d, want 10", at)
		}
	})
}

func detailsKept(t *testing.T, s *store.Store) (n int) {
	t.Helper()
	rows, err := s.Querier().QueryContext(t.Context(), `SELECT COUNT(*) FROM audit_event WHERE detail <> ''`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		err = rows.Scan(&n)
	}
	if err != nil || rows.Err() != nil {
		t.Fatal(err, rows.Err())
	}
	return n
}
