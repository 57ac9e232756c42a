package memberdb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/store/sqldb"
)

// Notification is a word to one member. At in µs.
type Notification struct {
	ID      string
	UserID  string
	At      int64
	Kind    string
	Target  string
	Message string
	// ItemKind and SubmissionID say what it leads to, "" for none.
	ItemKind     string
	SubmissionID string
	// InPage and InFeed say where the member wants to read it.
	InPage, InFeed bool
}

// KeptNotifications is how many notifications of a member are kept, those of pages and of feeds together. What others do adds to them,
// so that no quota of the member's own would bound them.
const KeptNotifications = 1000

// AddNotification keeps a notification, and of its member the newest.
func (tx *Tx) AddNotification(n Notification) error {
	err := tx.Exec(`INSERT INTO notification (notification_id, user_id, at, kind, target, message, item_kind, submission_id, in_page, in_feed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		n.ID, n.UserID, n.At, n.Kind, n.Target, n.Message, n.ItemKind, n.SubmissionID, n.InPage, n.InFeed)
	if err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM notification WHERE user_id = $1 AND notification_id <=
		(SELECT notification_id FROM notification WHERE user_id = $1 ORDER BY notification_id DESC LIMIT 1 OFFSET $2)`, n.UserID, KeptNotifications)
}

// ToldSince says whether a member was told something of an item since a time, in µs.
func (tx *Tx) ToldSince(userID, kind, target string, since int64) (told bool, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `SELECT EXISTS (SELECT 1 FROM notification WHERE user_id = $1 AND kind = $2 AND target = $3 AND at > $4)`, []any{userID, kind, target, since}, &told)
	return told, err
}

// ToldSinceInstalled says whether a member was told this of an item since they installed the version that they have.
func (tx *Tx) ToldSinceInstalled(userID, kind, target, message string) (told bool, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `SELECT EXISTS (SELECT 1 FROM notification n JOIN installation i ON i.user_id = n.user_id AND i.item_id = n.target
		WHERE n.user_id = $1 AND n.kind = $2 AND n.target = $3 AND n.message = $4 AND n.at >= i.updated_at)`, []any{userID, kind, target, message}, &told)
	return told, err
}

// Notifications lists what a member is told on pages, newest first, older than before ("" for the newest).
func (q Queries) Notifications(ctx context.Context, userID, before string, limit int) ([]Notification, error) {
	return q.notifications(ctx, "in_page", userID, before, limit)
}

// FeedNotifications lists what a member is told by their feed, newest first.
func (q Queries) FeedNotifications(ctx context.Context, userID string, limit int) ([]Notification, error) {
	return q.notifications(ctx, "in_feed", userID, "", limit)
}

func (q Queries) notifications(ctx context.Context, where, userID, before string, limit int) ([]Notification, error) {
	if before == "" {
		before = sqldb.NewestID
	}
	var all []Notification
	err := sqldb.ScanAll(ctx, q.Q, `SELECT notification_id, at, kind, target, message, item_kind, submission_id FROM notification
		WHERE user_id = $1 AND notification_id < $2 AND `+where+` ORDER BY notification_id DESC LIMIT $3`,
		[]any{userID, before, limit}, func(rows *sql.Rows) error {
			n := Notification{UserID: userID}
			if err := rows.Scan(&n.ID, &n.At, &n.Kind, &n.Target, &n.Message, &n.ItemKind, &n.SubmissionID); err != nil {
				return err
			}
			all = append(all, n)
			return nil
		})
	return all, err
}
