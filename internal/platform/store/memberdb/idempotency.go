package memberdb

import (
	"context"
	"encoding/json"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Answered is what was answered to a request that carried an idempotency key.
type Answered struct {
	UserID    string
	Key       string
	Route     string
	Digest    string // of what was asked, normalized
	TargetID  string // what it made
	Answer    json.RawMessage
	ExpiresAt int64 // µs; from then on the row may be removed
}

// Answered gives what a member's key was answered with, or ErrNotFound.
func (q Queries) Answered(ctx context.Context, userID, key string) (Answered, error) {
	a := Answered{UserID: userID, Key: key}
	var packed []byte
	err := sqldb.ScanOne(ctx, q.Q, `SELECT route, digest, target_id, answer, packed, expires_at FROM idempotency WHERE user_id = $1 AND idem_key = $2`,
		[]any{userID, key}, &a.Route, &a.Digest, &a.TargetID, (*[]byte)(&a.Answer), &packed, &a.ExpiresAt)
	if err == nil && len(packed) > 0 {
		a.Answer, err = sqldb.Unpack(packed)
	}
	return a, err
}

// Claim takes a key inside the transaction that does the work, or gives ErrConflict when it is taken.
// Of several at once exactly one gets it; the others wait until that one has committed or failed.
func (tx *Tx) Claim(a Answered) error {
	n, err := tx.Changed(`INSERT INTO idempotency (user_id, idem_key, route, digest, target_id, answer, packed, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, '', $6, $7, $8) ON CONFLICT (user_id, idem_key) DO NOTHING`,
		a.UserID, a.Key, a.Route, a.Digest, a.TargetID, []byte{}, clock.Micros(tx.Now), a.ExpiresAt)
	if err == nil && n == 0 {
		return sqldb.ErrConflict
	}
	return err
}

// packFrom is from how many bytes on an answer is compressed.
const packFrom = 512

// Answer keeps the answer of a claimed key.
func (tx *Tx) Answer(userID, key string, answer json.RawMessage) error {
	if len(answer) < packFrom {
		return tx.One(`UPDATE idempotency SET answer = $3 WHERE user_id = $1 AND idem_key = $2`, userID, key, string(answer))
	}
	packed, err := sqldb.Pack(answer)
	if err != nil {
		return err
	}
	return tx.One(`UPDATE idempotency SET packed = $3 WHERE user_id = $1 AND idem_key = $2`, userID, key, packed)
}

// SweepAnswers removes up to limit answers whose time has passed and returns how many.
func (tx *Tx) SweepAnswers(limit int) (int64, error) {
	return tx.Changed(`DELETE FROM idempotency WHERE (user_id, idem_key) IN
		(SELECT user_id, idem_key FROM idempotency WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, clock.Micros(tx.Now), limit)
}
