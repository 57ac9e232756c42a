package memberdb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/store/sqldb"
)

// NotificationChoice is where a member wants to be told of what.
type NotificationChoice struct {
	UserID        string
	Ways          string // by kind, JSON
	Locale        string
	MailTo        string
	MailConfirmed bool
	MailCodeHash  string
	WebhookURL    string
	WebhookSecret string
	FeedHash      string
}

const choiceColumns = `c.user_id, c.ways, c.locale, c.mail_to, c.mail_confirmed, c.mail_code_hash, c.webhook_url, c.webhook_secret, c.feed_hash`

func (c *NotificationChoice) columns() []any {
	return []any{&c.UserID, &c.Ways, &c.Locale, &c.MailTo, &c.MailConfirmed, &c.MailCodeHash, &c.WebhookURL, &c.WebhookSecret, &c.FeedHash}
}

// NotificationChoice gives what a member has chosen, or ErrNotFound.
func (q Queries) NotificationChoice(ctx context.Context, userID string) (c NotificationChoice, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT `+choiceColumns+` FROM notification_choice c WHERE c.user_id = $1`, []any{userID}, c.columns()...)
	return c, err
}

// OwnNotificationChoice is NotificationChoice in the transaction's own context.
func (tx *Tx) OwnNotificationChoice(userID string) (NotificationChoice, error) {
	return tx.NotificationChoice(tx.Ctx, userID)
}

// FeedOwner gives the member whose feed has a token, by its hash; ErrNotFound for nobody's and where the account is disabled or is to be deleted.
func (q Queries) FeedOwner(ctx context.Context, hash string) (c NotificationChoice, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT `+choiceColumns+` FROM notification_choice c JOIN account a ON a.user_id = c.user_id
		WHERE c.feed_hash = $1 AND c.feed_hash <> '' AND NOT a.disabled AND a.erase_at = 0`, []any{hash}, c.columns()...)
	return c, err
}

// SetNotificationChoice keeps what a member has chosen.
func (tx *Tx) SetNotificationChoice(c NotificationChoice) error {
	return tx.Exec(`INSERT INTO notification_choice (user_id, ways, locale, mail_to, mail_confirmed, mail_code_hash, webhook_url, webhook_secret, feed_hash)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (user_id) DO UPDATE SET ways = excluded.ways, locale = excluded.locale, mail_to = excluded.mail_to,
		mail_confirmed = excluded.mail_confirmed, mail_code_hash = excluded.mail_code_hash, webhook_url = excluded.webhook_url, webhook_secret = excluded.webhook_secret, feed_hash = excluded.feed_hash`,
		c.UserID, c.Ways, c.Locale, c.MailTo, c.MailConfirmed, c.MailCodeHash, c.WebhookURL, c.WebhookSecret, c.FeedHash)
}

// Delivery is something that is to be sent. Times in µs.
type Delivery struct {
	ID, UserID, Way, Recipient string
	Kind, Target, Message      string
	Page                       string // what it leads to, as an address of the pages
	At                         int64
	Attempts                   int
	NextAt                     int64 // 0 when it was given up
	Problem                    string
}

// AddDelivery has something sent.
func (tx *Tx) AddDelivery(d Delivery) error {
	return tx.Exec(`INSERT INTO notification_delivery (delivery_id, user_id, way, recipient, kind, target, message, page, at, next_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
		d.ID, d.UserID, d.Way, d.Recipient, d.Kind, d.Target, d.Message, d.Page, d.At)
}

// DueDeliveries lists up to limit of what is to be sent by now: the oldest of each member first, then the second of each, so that
// nobody waits for all that is to be sent to somebody else, whose server may be slow.
func (q Queries) DueDeliveries(ctx context.Context, now int64, limit int) (all []Delivery, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT delivery_id, user_id, way, recipient, kind, target, message, page, at, attempts FROM (
		SELECT d.*, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY next_at, delivery_id) AS turn FROM notification_delivery d WHERE next_at > 0 AND next_at <= $1
		) due ORDER BY turn, next_at, delivery_id LIMIT $2`, []any{now, limit}, func(rows *sql.Rows) error {
		var d Delivery
		err := rows.Scan(&d.ID, &d.UserID, &d.Way, &d.Recipient, &d.Kind, &d.Target, &d.Message, &d.Page, &d.At, &d.Attempts)
		all = append(all, d)
		return err
	})
	return all, err
}

// PutOffDelivery notes that something could not be sent; nextAt 0 gives it up, and forgets what it said.
func (tx *Tx) PutOffDelivery(id string, attempts int, nextAt int64, problem string) error {
	return tx.Exec(`UPDATE notification_delivery SET attempts = $2, next_at = $3, problem = $4, message = CASE WHEN $3 = CAST(0 AS BIGINT) THEN '' ELSE message END WHERE delivery_id = $1`, id, attempts, nextAt, problem)
}

// DropDelivery removes what was sent.
func (tx *Tx) DropDelivery(id string) error {
	return tx.Exec(`DELETE FROM notification_delivery WHERE delivery_id = $1`, id)
}

// WaitingDeliveries counts what waits for a member, up to limit.
func (q Queries) WaitingDeliveries(ctx context.Context, userID string, limit int) (n int, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*) FROM (SELECT 1 FROM notification_delivery WHERE user_id = $1 AND next_at > 0 LIMIT $2) waiting`, []any{userID, limit}, &n)
	return n, err
}

// DeliveryProblem gives why the latest of a member's deliveries of a way has failed; "" when it has not.
func (q Queries) DeliveryProblem(ctx context.Context, userID, way string) (problem string, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT problem FROM notification_delivery WHERE user_id = $1 AND way = $2 ORDER BY at DESC, delivery_id DESC LIMIT 1`, []any{userID, way}, func(rows *sql.Rows) error {
		return rows.Scan(&problem)
	})
	return problem, err
}

// EndAddressesOf ends the private addresses at which a member's feed and calendar are.
func (tx *Tx) EndAddressesOf(userID string) error {
	if err := tx.Exec(`UPDATE notification_choice SET feed_hash = '' WHERE user_id = $1`, userID); err != nil {
		return err
	}
	return tx.Exec(`UPDATE reminder_calendar SET token_hash = '' WHERE user_id = $1`, userID)
}
