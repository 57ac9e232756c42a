package marketdb

import (
	"context"
	"database/sql"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// SubmissionMessage is a word about a submission, of its member or of a reviewer. At in µs.
type SubmissionMessage struct {
	ID           string
	SubmissionID string
	UserID       string // whose submission it is
	Author       string
	Reviewer     bool
	At           int64
	Text         string
}

// AddSubmissionMessage keeps a message.
func (tx *Tx) AddSubmissionMessage(m SubmissionMessage) error {
	return tx.Exec(`INSERT INTO submission_message (message_id, submission_id, user_id, author, reviewer, at, body) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		m.ID, m.SubmissionID, m.UserID, m.Author, m.Reviewer, m.At, m.Text)
}

// SubmissionMessages lists up to limit messages about a submission, oldest first.
func (q Queries) SubmissionMessages(ctx context.Context, submissionID string, limit int) (all []SubmissionMessage, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT message_id, submission_id, user_id, author, reviewer, at, body FROM submission_message WHERE submission_id = $1 ORDER BY message_id LIMIT $2`,
		[]any{submissionID, limit}, func(rows *sql.Rows) error {
			var m SubmissionMessage
			err := rows.Scan(&m.ID, &m.SubmissionID, &m.UserID, &m.Author, &m.Reviewer, &m.At, &m.Text)
			all = append(all, m)
			return err
		})
	return all, err
}

// unanswered are the submissions whose latest message is their member's.
const unanswered = `SELECT m.submission_id FROM submission_message m WHERE NOT m.reviewer
	AND NOT EXISTS (SELECT 1 FROM submission_message n WHERE n.submission_id = m.submission_id AND n.message_id > m.message_id)`

// Unanswered lists up to limit submissions whose latest message is their member's, the longest waiting first.
func (q Queries) Unanswered(ctx context.Context, limit int) (ids []string, err error) {
	err = sqldb.ScanAll(ctx, q.Q, unanswered+`
		ORDER BY m.message_id LIMIT $1`, []any{limit}, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// Removal is what a reviewer asked a member to take out of an item. AskedAt in µs.
type Removal struct {
	UserID       string
	Kind         catalog.Kind
	ItemID       string
	What         string
	SubmissionID string
	AskedAt      int64
}

// AskRemoval keeps that something is to be taken out; asked again, the latest submission counts.
func (tx *Tx) AskRemoval(r Removal) error {
	return tx.Exec(`INSERT INTO submission_removal (user_id, kind, item_id, what, submission_id, asked_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (user_id, kind, item_id, what) DO UPDATE SET submission_id = excluded.submission_id, asked_at = excluded.asked_at`,
		r.UserID, string(r.Kind), r.ItemID, r.What, r.SubmissionID, clock.Micros(tx.Now))
}

// LiftRemoval forgets that something was to be taken out.
func (tx *Tx) LiftRemoval(r Removal) error {
	return tx.Exec(`DELETE FROM submission_removal WHERE user_id = $1 AND kind = $2 AND item_id = $3 AND what = $4`, r.UserID, string(r.Kind), r.ItemID, r.What)
}

// Removals lists up to limit of what a member was asked to take out of an item, the latest first.
func (q Queries) Removals(ctx context.Context, userID string, kind catalog.Kind, itemID string, limit int) (all []Removal, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT user_id, kind, item_id, what, submission_id, asked_at FROM submission_removal
		WHERE user_id = $1 AND kind = $2 AND item_id = $3 ORDER BY asked_at DESC, what LIMIT $4`,
		[]any{userID, string(kind), itemID, limit}, func(rows *sql.Rows) error {
			var r Removal
			err := rows.Scan(&r.UserID, &r.Kind, &r.ItemID, &r.What, &r.SubmissionID, &r.AskedAt)
			all = append(all, r)
			return err
		})
	return all, err
}
