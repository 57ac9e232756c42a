package app

import (
	"context"
	"fmt"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// The kinds of notification.
const (
	toldApproved = "submission_approved"
	toldRejected = "submission_rejected"
	toldUpdate   = "update_available"
	toldExpired  = "trial_expired"
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
func (a *App) ListNotifications(ctx context.Context, c Caller, in PageInput) (NotificationList, error) {
	userID, err := c.allowlisted(in.UserID)
	if err != nil {
		return NotificationList{}, err
	}
	before, err := idCursor(in.Cursor)
	if err != nil {
		return NotificationList{}, err
	}
	rows, err := a.store.Notifications(ctx, userID, before, in.limit()+1)
	if err != nil {
		return NotificationList{}, err
	}
	out := NotificationList{Events: []Notification{}}
	if len(rows) > in.limit() {
		rows = rows[:in.limit()]
		out.NextCursor = rows[len(rows)-1].ID
	}
	for _, n := range rows {
		out.Events = append(out.Events, Notification{n.ID, clock.Text(clock.FromMicros(n.At)), n.Kind, n.Target, n.Message})
	}
	out.Count = len(out.Events)
	return out, nil
}

// tell leaves a member a notification.
func tell(tx *store.Tx, userID, kind, target, message string, args ...any) error {
	return tx.AddNotification(store.Notification{
		ID: newID(), UserID: userID, At: clock.Micros(tx.Now), Kind: kind, Target: target, Message: fmt.Sprintf(message, args...),
	})
}
