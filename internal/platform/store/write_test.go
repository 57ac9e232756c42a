package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

func TestWritersAtOnceEachCountOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		const writers, each = 64, 10
		var group sync.WaitGroup
		for range writers {
			group.Go(func() {
				for range each {
					if err := s.Write(context.Background(), func(tx *store.Tx) error { _, err := tx.NextSeq(); return err }); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		write(t, s, func(tx *store.Tx) error {
			seq, err := tx.NextSeq()
			if seq != writers*each+1 {
				t.Errorf("the next number is %d", seq)
			}
			return err
		})
	})
}

func TestFailureUndoesItselfAlone(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		var group sync.WaitGroup
		boom := errors.New("boom")
		var hooks atomic.Int64
		for i := range 200 {
			group.Go(func() {
				err := s.Write(context.Background(), func(tx *store.Tx) error {
					tx.OnCommit(func() { hooks.Add(1) })
					if err := tx.AddAccount(fmt.Sprintf("m%03d", i), "x"); err != nil {
						return err
					}
					if i%2 == 1 {
						return boom
					}
					return nil
				})
				if failed := i%2 == 1; failed != errors.Is(err, boom) {
					t.Errorf("%d: %v", i, err)
				}
			})
		}
		group.Wait()
		all, err := s.Accounts(context.Background(), "", 1000)
		if err != nil || len(all) != 100 {
			t.Errorf("%d accounts, %v", len(all), err)
		}
		if hooks.Load() != 100 {
			t.Errorf("%d hooks ran", hooks.Load())
		}
	})
}

func TestConflictInsideATransactionLeavesTheOthers(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		var group sync.WaitGroup
		var won atomic.Int64
		for range 32 {
			group.Go(func() {
				err := s.Write(context.Background(), func(tx *store.Tx) error { return tx.AddAccount("one", "x") })
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, sqldb.ErrConflict):
					t.Error(err)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			t.Errorf("%d won", won.Load())
		}
	})
}

func TestPanicOfOneWriterIsItsOwnError(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "stoa.db"), dbtest.NewClock())
	err := s.Write(context.Background(), func(tx *store.Tx) error {
		if err := tx.AddAccount("half", "x"); err != nil {
			return err
		}
		panic("oh no")
	})
	if err == nil || !strings.Contains(err.Error(), "oh no") {
		t.Errorf("error %v", err)
	}
	if _, err := s.Account(context.Background(), "half"); !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("the half account: %v", err)
	}
	write(t, s, func(tx *store.Tx) error { return tx.AddAccount("whole", "x") })
}

func TestCancelledCallerDoesNotDisturbTheGroup(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := s.Write(ctx, func(tx *store.Tx) error { return tx.AddAccount("late", "x") }); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		write(t, s, func(tx *store.Tx) error { return tx.AddAccount("in-time", "x") })
		if all, err := s.Accounts(context.Background(), "", 10); err != nil || len(all) != 1 {
			t.Errorf("%v, %v", all, err)
		}
	})
}

func TestClosedStoreRefusesWrites(t *testing.T) {
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "stoa.db"), dbtest.NewClock().Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(context.Background(), func(*store.Tx) error { return nil }); !errors.Is(err, store.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

func TestReopenedStoreHasWhatWasAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stoa.db")
	first, err := store.Open(context.Background(), path, dbtest.NewClock().Now)
	if err != nil {
		t.Fatal(err)
	}
	write(t, first, func(tx *store.Tx) error { return tx.AddAccount("ada", "x") })
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again := openAt(t, path, dbtest.NewClock())
	if _, err := again.Account(context.Background(), "ada"); err != nil {
		t.Error(err)
	}
}

func TestTwoProcessesWriteInTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stoa.db")
	a, b := openAt(t, path, dbtest.NewClock()), openAt(t, path, dbtest.NewClock())
	var group sync.WaitGroup
	for _, s := range []*store.Store{a, b} {
		for range 8 {
			group.Go(func() {
				for range 10 {
					if err := s.Write(context.Background(), func(tx *store.Tx) error { _, err := tx.NextSeq(); return err }); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	write(t, a, func(tx *store.Tx) error {
		seq, err := tx.NextSeq()
		if seq != 161 {
			t.Errorf("the next number is %d", seq)
		}
		return err
	})
}

// A hook that panics ends neither the process nor the writer, and hides nothing: what was written is on disk.
func TestPanicAfterACommitIsSurvived(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		ran := false
		write(t, s, func(tx *store.Tx) error {
			tx.OnCommit(func() { panic("oh no") })
			tx.OnCommit(func() { ran = true })
			return tx.AddAccount("ada", "x")
		})
		if _, err := s.Account(context.Background(), "ada"); err != nil || !ran {
			t.Errorf("the account: %v; the next hook ran: %v", err, ran)
		}
		write(t, s, func(tx *store.Tx) error { return tx.AddAccount("bob", "x") })
	})
}
