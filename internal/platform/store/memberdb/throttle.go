package memberdb

import (
	"context"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// CountFailure adds one to a key's failures in its current window and answers the count and when the
// window began (µs). A window begins with its first failure and lasts windowMicros. The row is locked
// until the transaction ends, so the count is exact on every node. A window that begins later than now, because the
// clock was set back, counts as over: it would shut the key out until the clock is there again.
func (tx *Tx) CountFailure(key string, windowMicros int64) (failures, windowStart int64, err error) {
	now := clock.Micros(tx.Now)
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO login_throttle (throttle_key, window_start, failures, ends_at) VALUES ($1, $2, 1, $4)
		ON CONFLICT (throttle_key) DO UPDATE SET
		  failures = CASE WHEN login_throttle.window_start <= $3 OR login_throttle.window_start > $2 THEN 1 ELSE login_throttle.failures + 1 END,
		  window_start = CASE WHEN login_throttle.window_start <= $3 OR login_throttle.window_start > $2 THEN $2 ELSE login_throttle.window_start END,
		  ends_at = CASE WHEN login_throttle.window_start <= $3 OR login_throttle.window_start > $2 THEN $4 ELSE login_throttle.ends_at END
		RETURNING failures, window_start`,
		[]any{key, now, now - windowMicros, now + windowMicros}, &failures, &windowStart)
	return failures, windowStart, err
}

// ForgetFailures clears a key.
func (tx *Tx) ForgetFailures(key string) error {
	return tx.Exec(`DELETE FROM login_throttle WHERE throttle_key = $1`, key)
}

// UncountFailure takes one failure back.
func (tx *Tx) UncountFailure(key string) error {
	return tx.Exec(`UPDATE login_throttle SET failures = failures - 1 WHERE throttle_key = $1 AND failures > 0`, key)
}

// KnownSource reports whether a member has signed in from a source before.
func (q Queries) KnownSource(ctx context.Context, userID, source string) (bool, error) {
	var n int
	err := sqldb.ScanOne(ctx, q.Q, `SELECT 1 FROM sign_in_source WHERE user_id = $1 AND source = $2`, []any{userID, source}, &n)
	if errors.Is(err, sqldb.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// SourceKnown reports whether any member has signed in from a source before.
func (q Queries) SourceKnown(ctx context.Context, source string) (bool, error) {
	var n int
	err := sqldb.ScanOne(ctx, q.Q, `SELECT 1 FROM sign_in_source WHERE source = $1 LIMIT 1`, []any{source}, &n)
	if errors.Is(err, sqldb.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// RememberSource notes that a member has signed in from a source, and forgets the oldest beyond keep.
func (tx *Tx) RememberSource(userID, source string, keep int) error {
	err := tx.Exec(`INSERT INTO sign_in_source (user_id, source, seen_at) VALUES ($1, $2, $3)
		ON CONFLICT (user_id, source) DO UPDATE SET seen_at = $3`, userID, source, clock.Micros(tx.Now))
	if err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM sign_in_source WHERE user_id = $1 AND source NOT IN (
		SELECT source FROM sign_in_source WHERE user_id = $1 ORDER BY seen_at DESC, source LIMIT $2)`, userID, keep)
}

// ForgetSources forgets where a member has signed in from.
func (tx *Tx) ForgetSources(userID string) error {
	return tx.Exec(`DELETE FROM sign_in_source WHERE user_id = $1`, userID)
}
