package store

import (
	"context"

	"stoa/internal/platform/clock"
)

// Session is a signed-in member, kept by the hash of the token. Times in µs: it ends at ExpiresAt
// unless it is used before, and at EndsAt in any case.
type Session struct {
	TokenHash string
	UserID    string
	CreatedAt int64
	SeenAt    int64
	ExpiresAt int64
	EndsAt    int64
}

// Session gives a session whose account is not disabled, or ErrNotFound. Whether it has expired is
// for the caller to see.
func (q Queries) Session(ctx context.Context, tokenHash string) (Session, error) {
	s := Session{TokenHash: tokenHash}
	err := scanOne(ctx, q.q, `SELECT s.user_id, s.created_at, s.seen_at, s.expires_at, s.ends_at
		FROM session s JOIN account a ON a.user_id = s.user_id
		WHERE s.token_hash = $1 AND NOT a.disabled`, []any{tokenHash},
		&s.UserID, &s.CreatedAt, &s.SeenAt, &s.ExpiresAt, &s.EndsAt)
	return s, err
}

// AddSession keeps a new session.
func (tx *Tx) AddSession(s Session) error {
	return tx.exec(`INSERT INTO session (token_hash, user_id, created_at, seen_at, expires_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		s.TokenHash, s.UserID, s.CreatedAt, s.SeenAt, s.ExpiresAt, s.EndsAt)
}

// TouchSession moves a session's idle end.
func (tx *Tx) TouchSession(tokenHash string, seenAt, expiresAt int64) error {
	return tx.exec(`UPDATE session SET seen_at = $2, expires_at = $3 WHERE token_hash = $1`, tokenHash, seenAt, expiresAt)
}

// EndSession removes a session and tells whether there was one.
func (tx *Tx) EndSession(tokenHash string) (bool, error) {
	n, err := tx.changed(`DELETE FROM session WHERE token_hash = $1`, tokenHash)
	return n > 0, err
}

// EndSessionsOf removes every session of a member, and every link that could still begin one.
func (tx *Tx) EndSessionsOf(userID string) error {
	if err := tx.exec(`DELETE FROM sign_in_link WHERE user_id = $1`, userID); err != nil {
		return err
	}
	return tx.exec(`DELETE FROM session WHERE user_id = $1`, userID)
}

// SweepExpired removes what has had its time: sessions, sign-in links and throttle windows that
// began before throttleBefore (µs).
func (tx *Tx) SweepExpired(throttleBefore int64) error {
	now := clock.Micros(tx.Now)
	if err := tx.exec(`DELETE FROM session WHERE expires_at <= $1`, now); err != nil {
		return err
	}
	if err := tx.exec(`DELETE FROM sign_in_link WHERE expires_at <= $1`, now); err != nil {
		return err
	}
	if err := tx.exec(`DELETE FROM identity_attempt WHERE expires_at <= $1`, now); err != nil {
		return err
	}
	return tx.exec(`DELETE FROM login_throttle WHERE window_start < $1`, throttleBefore)
}

// AddSignInLink keeps a one-time link by the hash of its token.
func (tx *Tx) AddSignInLink(tokenHash, userID string, expiresAt int64) error {
	return tx.exec(`INSERT INTO sign_in_link (token_hash, user_id, expires_at) VALUES ($1, $2, $3)`, tokenHash, userID, expiresAt)
}

// TakeSignInLink uses a link up and answers whose it is; ErrNotFound when it is unknown, used or
// too old. Of several at once exactly one gets it.
func (tx *Tx) TakeSignInLink(tokenHash string) (userID string, err error) {
	err = scanOne(tx.ctx, tx.q, `DELETE FROM sign_in_link WHERE token_hash = $1 AND expires_at > $2 RETURNING user_id`,
		[]any{tokenHash, clock.Micros(tx.Now)}, &userID)
	return userID, err
}
