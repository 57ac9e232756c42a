package store_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/dbtest"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

func TestThrottleCountsExactlyAndForgets(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, hands *dbtest.Clock) {
		const window = int64(time.Minute / time.Microsecond)
		var group sync.WaitGroup
		var highest atomic.Int64
		for range 50 {
			group.Go(func() {
				err := s.Write(context.Background(), func(tx *store.Tx) error {
					n, _, err := tx.CountFailure("k", window)
					if err == nil && n > highest.Load() {
						highest.Store(n)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		count := func() (n int64) {
			write(t, s, func(tx *store.Tx) (err error) { n, _, err = tx.CountFailure("k", window); return err })
			return n
		}
		if n := count(); n != 51 {
			t.Errorf("the 51st failure counts %d", n)
		}
		hands.Advance(time.Minute)
		if n := count(); n != 1 {
			t.Errorf("after the window it counts %d", n)
		}
		write(t, s, func(tx *store.Tx) error { return tx.UncountFailure("k") })
		if n := count(); n != 1 {
			t.Errorf("after one was taken back it counts %d", n)
		}
		write(t, s, func(tx *store.Tx) error { return tx.ForgetFailures("k") })
		if n := count(); n != 1 {
			t.Errorf("after all were forgotten it counts %d", n)
		}
	})
}

func TestSignInLinkIsTakenOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, hands *dbtest.Clock) {
		write(t, s, func(tx *store.Tx) error {
			if err := tx.AddSignInLink("fresh", "ada", clock.Micros(tx.Now.Add(time.Minute))); err != nil {
				return err
			}
			return tx.AddSignInLink("stale", "ada", clock.Micros(tx.Now))
		})
		var group sync.WaitGroup
		var taken atomic.Int64
		for range 20 {
			group.Go(func() {
				err := s.Write(context.Background(), func(tx *store.Tx) error { _, err := tx.TakeSignInLink("fresh"); return err })
				if err == nil {
					taken.Add(1)
				} else if !errors.Is(err, sqldb.ErrNotFound) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if taken.Load() != 1 {
			t.Errorf("taken %d times", taken.Load())
		}
		if err := s.Write(context.Background(), func(tx *store.Tx) error { _, err := tx.TakeSignInLink("stale"); return err }); !errors.Is(err, sqldb.ErrNotFound) {
			t.Errorf("the stale link: %v", err)
		}
	})
}

func TestSessionsEndWithTheirMember(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, hands *dbtest.Clock) {
		now := clock.Micros(hands.Now())
		hour := time.Hour.Microseconds()
		write(t, s, func(tx *store.Tx) error {
			if err := tx.AddAccount("ada", "x"); err != nil {
				return err
			}
			for _, hash := range []string{"a", "b"} {
				if err := tx.AddSession(memberdb.Session{TokenHash: hash, UserID: "ada", CreatedAt: now, SeenAt: now, ExpiresAt: now + hour, EndsAt: now + 9*hour}); err != nil {
					return err
				}
			}
			return nil
		})
		if got, err := s.Session(context.Background(), "a"); err != nil || got.UserID != "ada" || got.EndsAt != now+9*hour {
			t.Errorf("%+v, %v", got, err)
		}
		write(t, s, func(tx *store.Tx) error { return tx.SetDisabled("ada", true) })
		if _, err := s.Session(context.Background(), "a"); !errors.Is(err, sqldb.ErrNotFound) {
			t.Errorf("a disabled member's session: %v", err)
		}
		write(t, s, func(tx *store.Tx) error { return tx.SetDisabled("ada", false) })
		hands.Advance(time.Hour)
		write(t, s, func(tx *store.Tx) error {
			if err := tx.TouchSession("b", now, now+2*hour); err != nil {
				return err
			}
			_, err := tx.SweepExpired(10)
			return err
		})
		if _, err := s.Session(context.Background(), "a"); !errors.Is(err, sqldb.ErrNotFound) {
			t.Errorf("a swept session: %v", err)
		}
		if _, err := s.Session(context.Background(), "b"); err != nil {
			t.Errorf("a touched session: %v", err)
		}
		write(t, s, func(tx *store.Tx) error { return tx.EndSessionsOf("ada") })
		if _, err := s.Session(context.Background(), "b"); !errors.Is(err, sqldb.ErrNotFound) {
			t.Errorf("an ended session: %v", err)
		}
	})
}

func TestMissingRowsAreNotFound(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		ctx := context.Background()
		_, account := s.Account(ctx, "x")
		_, item := s.Item(ctx, "template", "x")
		_, document := s.Document(ctx, 1, "1")
		_, installation := s.Installation(ctx, "x", "y")
		_, trial := s.Trial(ctx, "x", "y")
		_, preference := s.Preference(ctx, "x")
		_, submission := s.Submission(ctx, "x")
		_, _, detail := s.Detail(ctx, 1, "en-US")
		password := s.Write(ctx, func(tx *store.Tx) error { return tx.SetPassword("x", "y") })
		for name, err := range map[string]error{
			"account": account, "item": item, "document": document, "installation": installation, "trial": trial, "preference": preference,
			"submission": submission, "detail": detail, "password": password,
		} {
			if !errors.Is(err, sqldb.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
