package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"stoa/internal/dbtest"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

func addEvents(t *testing.T, s *store.Store, n int) (ids []string) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		ids = ids[:0]
		for i := range n {
			id := uuid.Must(uuid.NewV7()).String()
			ids = append(ids, id)
			err := tx.AddEvent(store.Event{EventID: id, At: clock.Micros(tx.Now) + int64(i), Actor: "ada", Owner: "ada", Action: "test", OK: i%2 == 0, Detail: fmt.Sprintf(`{"n":%d}`, i)})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

func chainAll(t *testing.T, s *store.Store) {
	t.Helper()
	for n := -1; n != 0; {
		write(t, s, func(tx *store.Tx) (err error) {
			n, err = tx.ChainAudit(200)
			return err
		})
	}
}

func change(t *testing.T, s *store.Store, query string, args ...any) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		_, err := tx.Querier().ExecContext(context.Background(), query, args...)
		return err
	})
}

func brokenAt(t *testing.T, s *store.Store, known ...store.AuditHead) int64 {
	t.Helper()
	_, broken, err := s.CheckAudit(context.Background(), known, nil)
	if err != nil {
		t.Fatal(err)
	}
	if broken == nil {
		return 0
	}
	return broken.Seq
}

func TestAuditChainNamesTheFirstBrokenPlace(t *testing.T) {
	ctx := context.Background()
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		if head, broken, err := s.CheckAudit(ctx, nil, nil); err != nil || broken != nil || head.Seq != 0 {
			t.Fatalf("an empty log: %v %v %v", head, broken, err)
		}
		ids := addEvents(t, s, 1234)
		if n, oldest, err := s.AuditWaiting(ctx); err != nil || n != 1234 || oldest != clock.Micros(dbtest.Epoch) {
			t.Errorf("%d events wait since %d, %v", n, oldest, err)
		}
		chainAll(t, s)
		if n, _, err := s.AuditWaiting(ctx); err != nil || n != 0 {
			t.Errorf("%d events still wait, %v", n, err)
		}
		earlier, broken, err := s.CheckAudit(ctx, nil, nil)
		if err != nil || broken != nil || earlier.Seq != 1234 || len(earlier.Hash) != 64 {
			t.Fatalf("untouched: %v %v %v", earlier, broken, err)
		}
		addEvents(t, s, 66)
		chainAll(t, s)
		if at := brokenAt(t, s, earlier); at != 0 {
			t.Errorf("with a head of earlier it breaks at %d", at)
		}
		if at := brokenAt(t, s, store.AuditHead{Seq: 1234, Hash: strings.Repeat("0", 64)}); at != 1234 {
			t.Errorf("a head that never was is found at %d", at)
		}
		// Every field counts, and so does where one ends and the next begins.
		for column, value := range map[string]any{
			"at": int64(1), "actor": "eve", "owner": "eve", "task": true, "action": "tes", "kind": "k", "item_id": "i", "target_id": "t", "ok": true, "status": "s", "detail": "{}", "request_id": "r",
		} {
			id := ids[777] // it is odd: not ok
			var was any
			one(t, s, `SELECT `+column+` FROM audit_event WHERE event_id = $1`, &was, id)
			change(t, s, `UPDATE audit_event SET `+column+` = $2 WHERE event_id = $1`, id, value)
			if at := brokenAt(t, s); at != 778 {
				t.Errorf("a changed %s is found at %d", column, at)
			}
			change(t, s, `UPDATE audit_event SET `+column+` = $2 WHERE event_id = $1`, id, was)
		}
		change(t, s, `UPDATE audit_event SET item_id = 'x', target_id = '' WHERE event_id = $1`, ids[5])
		if at := brokenAt(t, s); at != 6 {
			t.Errorf("found at %d", at)
		}
		change(t, s, `UPDATE audit_event SET item_id = '' WHERE event_id = $1`, ids[5])
		if at := brokenAt(t, s); at != 0 {
			t.Fatalf("put back, it is broken at %d", at)
		}
		change(t, s, `DELETE FROM audit_event WHERE event_id = $1`, ids[1000])
		if at := brokenAt(t, s); at != 1001 {
			t.Errorf("a removed event is found at %d", at)
		}
		change(t, s, `DELETE FROM audit_event WHERE chain_seq > 900`)
		if at := brokenAt(t, s); at != 901 {
			t.Errorf("a cut log is found at %d", at)
		}
		change(t, s, `UPDATE audit_head SET seq = 900, hash = (SELECT chain_hash FROM audit_event WHERE chain_seq = 900)`)
		if at := brokenAt(t, s); at != 0 {
			t.Errorf("a log cut with its head looks whole by itself, not broken at %d", at)
		}
		if at := brokenAt(t, s, earlier); at != 901 {
			t.Errorf("a known head finds it at %d", at)
		}
	})
}

// Events written while two processes give places: each gets one, late ones later ones.
func TestAuditChainWithManyWriters(t *testing.T) {
	ctx := context.Background()
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		var writers, chainers sync.WaitGroup
		done := make(chan struct{})
		for range 4 {
			writers.Go(func() {
				for range 40 {
					addEvents(t, s, 3)
				}
			})
		}
		for range 3 {
			chainers.Go(func() {
				for {
					if err := s.Write(ctx, func(tx *store.Tx) error { _, err := tx.ChainAudit(20); return err }); err != nil {
						t.Error(err)
						return
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		writers.Wait()
		close(done)
		chainers.Wait()
		chainAll(t, s)
		head, broken, err := s.CheckAudit(ctx, nil, nil)
		if err != nil || broken != nil || head.Seq != 480 {
			t.Errorf("%v %v %v", head, broken, err)
		}
	})
}

func one(t *testing.T, s *store.Store, query string, into *any, args ...any) {
	t.Helper()
	rows, err := s.Querier().QueryContext(context.Background(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatal("no row", rows.Err())
	}
	if err := rows.Scan(into); err != nil {
		t.Fatal(err)
	}
}
