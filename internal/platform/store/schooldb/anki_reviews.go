package schooldb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// AnkiReview is an answer given here, under the id that it has in Anki's review log. Times in µs; SentAt is 0 until Anki was seen
// to have it.
type AnkiReview struct {
	ReviewID, CardID   int64
	AtomID             string
	AnsweredAt, SentAt int64
	Nth                int64 // of the answers to this atom at this time, from 0
}

// AnkiReviews gives a learner's answers that have ids in Anki, by id.
func (q Queries) AnkiReviews(ctx context.Context, owner string) ([]AnkiReview, error) {
	var list []AnkiReview
	err := sqldb.ScanAll(ctx, q.Q, `SELECT review_id, card_id, atom_id, answered_at, sent_at, nth FROM anki_review WHERE owner = $1 ORDER BY review_id`, []any{owner}, func(rows *sql.Rows) error {
		var r AnkiReview
		err := rows.Scan(&r.ReviewID, &r.CardID, &r.AtomID, &r.AnsweredAt, &r.SentAt, &r.Nth)
		list = append(list, r)
		return err
	})
	return list, err
}

// AddAnkiReview gives an answer an id. An answer has no second one, and an id no second answer: what is there stays.
func (tx *Tx) AddAnkiReview(owner string, r AnkiReview) error {
	return tx.Exec(`INSERT INTO anki_review (owner, review_id, card_id, atom_id, answered_at, nth, sent_at) VALUES ($1, $2, $3, $4, $5, $6, 0) ON CONFLICT DO NOTHING`,
		owner, r.ReviewID, r.CardID, r.AtomID, r.AnsweredAt, r.Nth)
}

// MoveAnkiReview gives an answer that Anki does not have yet another id.
func (tx *Tx) MoveAnkiReview(owner string, from, to int64) error {
	return tx.Exec(`UPDATE anki_review SET review_id = $3 WHERE owner = $1 AND review_id = $2 AND sent_at = 0`, owner, from, to)
}

// AnkiReviewSent says that Anki has an answer.
func (tx *Tx) AnkiReviewSent(owner string, id int64) error {
	return tx.Exec(`UPDATE anki_review SET sent_at = $3 WHERE owner = $1 AND review_id = $2 AND sent_at = 0`, owner, id, clock.Micros(tx.Now))
}
