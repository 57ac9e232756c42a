package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// A member who signs assistants in again and again keeps the last fifty, and nobody else loses one.
func TestGrantsOfAMember(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		far := time.Now().AddDate(50, 0, 0).UnixMicro()
		there := func(hash string) (found bool) {
			write(t, s, func(tx *store.Tx) error {
				_, err := tx.OAuthGrant(hash)
				if found = err == nil; errors.Is(err, sqldb.ErrNotFound) {
					return nil
				}
				return err
			})
			return found
		}
		write(t, s, func(tx *store.Tx) error {
			for _, name := range []string{"ada", "bob"} {
				if err := tx.AddAccount(name, ""); err != nil {
					return err
				}
			}
			if err := tx.AddOAuthGrant(memberdb.OAuthGrant{GrantHash: "bob's", UserID: "bob", ClientID: "c", SeenAt: 1, ExpiresAt: far}); err != nil {
				return err
			}
			for n := range 60 {
				if err := tx.AddOAuthGrant(memberdb.OAuthGrant{GrantHash: fmt.Sprint("ada's ", n), UserID: "ada", ClientID: "c", SeenAt: int64(n + 1), ExpiresAt: far}); err != nil {
					return err
				}
			}
			return nil
		})
		for hash, want := range map[string]bool{"bob's": true, "ada's 0": false, "ada's 9": false, "ada's 10": true, "ada's 59": true} {
			if got := there(hash); got != want {
				t.Errorf("%s is there: %v", hash, got)
			}
		}
	})
}
