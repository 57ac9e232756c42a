package store

import (
	"context"
	"encoding/json"

	"stoa/internal/platform/clock"
)

// Answered is what was answered to a request that carried an idempotency key.
type Answered struct {
	UserID   string
	Key      string
	Route    string
	Digest   string // of what was asked, normalized
	TargetID string // what it made
	Answer   json.RawMessage
}

// Answered gives what a member's key was answered with, or ErrNotFound.
func (q Queries) Answered(ctx context.Context, userID, key string) (Answered, error) {
	a := Answered{UserID: userID, Key: key}
	err := scanOne(ctx, q.q, `SELECT route, digest, target_id, answer FROM idempotency WHERE user_id = $1 AND idem_key = $2`, []any{userID, key},
		&a.Route, &a.Digest, &a.TargetID, (*[]byte)(&a.Answer))
	return a, err
}

// Claim takes a key inside the transaction that does the work, or gives ErrConflict when it is taken.
// Of several at once exactly one gets it; the others wait until that one has committed or failed.
func (tx *Tx) Claim(a Answered) error {
	n, err := tx.changed(`INSERT INTO idempotency (user_id, idem_key, route, digest, target_id, answer, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (user_id, idem_key) DO NOTHING`,
		a.UserID, a.Key, a.Route, a.Digest, a.TargetID, "", clock.Micros(tx.Now))
	if err == nil && n == 0 {
		return ErrConflict
	}
	return err
}

// Answer keeps the answer of a claimed key.
func (tx *Tx) Answer(userID, key string, answer json.RawMessage) error {
	return tx.one(`UPDATE idempotency SET answer = $3 WHERE user_id = $1 AND idem_key = $2`, userID, key, string(answer))
}
