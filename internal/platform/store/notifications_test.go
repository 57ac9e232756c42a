package store_test

import (
	"fmt"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
)

// What a member is told is bounded whoever tells them: the newest stay, and nobody else loses any.
func TestTheNewestNotificationsAreKept(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		err := s.Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.AddNotification(memberdb.Notification{ID: "a", UserID: "ada", InPage: true}); err != nil {
				return err
			}
			for i := range memberdb.KeptNotifications + 7 {
				if err := tx.AddNotification(memberdb.Notification{ID: fmt.Sprintf("0%05d", i), UserID: "bob", InPage: i%2 == 0, InFeed: true}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.FeedNotifications(t.Context(), "bob", 2*memberdb.KeptNotifications)
		if err != nil || len(all) != memberdb.KeptNotifications || all[len(all)-1].ID != "000007" {
			t.Errorf("%d are kept, or not the newest: %v", len(all), err)
		}
		if other, err := s.Notifications(t.Context(), "ada", "", 10); err != nil || len(other) != 1 {
			t.Errorf("ada has %d: %v", len(other), err)
		}
	})
}
