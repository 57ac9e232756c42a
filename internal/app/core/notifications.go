package core

import (
	"context"
	"fmt"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// The kinds of notification.
const (
	ToldApproved = "submission_approved"
	ToldRejected = "submission_rejected"
	ToldUpdate   = "update_available"
	ToldExpired  = "trial_expired"
	// ToldWithdrawn: what the member has installed is no longer in the catalog.
	ToldWithdrawn = "item_withdrawn"
	ToldVerdict   = "verdict_changed"
)

// Notification is a word to a member.
type Notification struct {
	ID      string `json:"id"`
	At      string `json:"at"`
	Kind    string `json:"kind"`
	Target  string `json:"target"`
	Message string `json:"message"`
}

// NotificationList is a page of notifications.
type NotificationList struct {
	Events     []Notification `json:"events"`
	Count      int            `json:"count"`
	NextCursor string         `json:"next_cursor"`
}

// ListNotifications answers the caller's own notifications, newest first.
func (a *Core) ListNotifications(ctx context.Context, c Caller, in PageInput) (NotificationList, error) {
	userID, err := c.Allowlisted(in.UserID)
	if err != nil {
		return NotificationList{}, err
	}
	before, err := ParseIDCursor(in.Cursor)
	if err != nil {
		return NotificationList{}, err
	}
	rows, err := a.Store.Notifications(ctx, userID, before, in.Size()+1)
	if err != nil {
		return NotificationList{}, err
	}
	out := NotificationList{Events: []Notification{}}
	if len(rows) > in.Size() {
		rows = rows[:in.Size()]
		out.NextCursor = rows[len(rows)-1].ID
	}
	for _, n := range rows {
		out.Events = append(out.Events, Notification{n.ID, clock.Text(clock.FromMicros(n.At)), n.Kind, n.Target, n.Message})
	}
	out.Count = len(out.Events)
	return out, nil
}

// Notify leaves a member a notification.
func Notify(tx *store.Tx, userID, kind, target, message string, args ...any) error {
	return tx.AddNotification(store.Notification{
		ID: NewID(), UserID: userID, At: clock.Micros(tx.Now), Kind: kind, Target: target, Message: fmt.Sprintf(message, args...),
	})
}
