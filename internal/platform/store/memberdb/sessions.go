package memberdb

import (
	"context"
	"database/sql"
	"time"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
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
	Address   string // it was begun from
	Agent     string // the program it was begun with, in a few words
	// ConfirmedUntil is until when it counts as that of somebody who has just proved who they are.
	ConfirmedUntil int64
	// EraseAt is when its member's account is deleted, as they wish; 0 for never.
	EraseAt int64
}

// PublicID names a session to its member. Nobody can find the token by it.
func (s Session) PublicID() string { return s.TokenHash[:min(publicIDLength, len(s.TokenHash))] }

const publicIDLength = 16

// Session gives a session whose account is not disabled, or ErrNotFound. Whether it has expired is
// for the caller to see.
func (q Queries) Session(ctx context.Context, tokenHash string) (Session, error) {
	s := Session{TokenHash: tokenHash}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT s.user_id, s.created_at, s.seen_at, s.expires_at, s.ends_at, s.confirmed_until, a.erase_at
		FROM session s JOIN account a ON a.user_id = s.user_id
		WHERE s.token_hash = $1 AND NOT a.disabled`, []any{tokenHash},
		&s.UserID, &s.CreatedAt, &s.SeenAt, &s.ExpiresAt, &s.EndsAt, &s.ConfirmedUntil, &s.EraseAt)
	return s, err
}

// AddSession keeps a new session.
func (tx *Tx) AddSession(s Session) error {
	return tx.Exec(`INSERT INTO session (token_hash, user_id, created_at, seen_at, expires_at, ends_at, address, agent, confirmed_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		s.TokenHash, s.UserID, s.CreatedAt, s.SeenAt, s.ExpiresAt, s.EndsAt, s.Address, s.Agent, s.ConfirmedUntil)
}

// ConfirmSession notes until when a session counts as that of somebody who has just proved who they are.
func (tx *Tx) ConfirmSession(tokenHash string, until int64) error {
	return tx.Exec(`UPDATE session SET confirmed_until = $2 WHERE token_hash = $1`, tokenHash, until)
}

// SessionsOf lists a member's sessions that have not ended, the one used last first.
func (q Queries) SessionsOf(ctx context.Context, userID string, now int64) ([]Session, error) {
	var all []Session
	err := sqldb.ScanAll(ctx, q.Q, `SELECT token_hash, user_id, created_at, seen_at, expires_at, ends_at, address, agent FROM session
		WHERE user_id = $1 AND expires_at > $2 ORDER BY seen_at DESC, token_hash`, []any{userID, now}, func(rows *sql.Rows) error {
		var s Session
		err := rows.Scan(&s.TokenHash, &s.UserID, &s.CreatedAt, &s.SeenAt, &s.ExpiresAt, &s.EndsAt, &s.Address, &s.Agent)
		all = append(all, s)
		return err
	})
	return all, err
}

// TouchSession moves a session's idle end.
func (tx *Tx) TouchSession(tokenHash string, seenAt, expiresAt int64) error {
	return tx.Exec(`UPDATE session SET seen_at = $2, expires_at = $3 WHERE token_hash = $1`, tokenHash, seenAt, expiresAt)
}

// EndSession removes a session and tells whether there was one.
func (tx *Tx) EndSession(tokenHash string) (bool, error) {
	n, err := tx.Changed(`DELETE FROM session WHERE token_hash = $1`, tokenHash)
	return n > 0, err
}

// BoundSessions removes a member's sessions but those used last.
func (tx *Tx) BoundSessions(userID string, keep int) error {
	return tx.Exec(`DELETE FROM session WHERE user_id = $1 AND token_hash NOT IN (
		SELECT token_hash FROM session WHERE user_id = $1 ORDER BY seen_at DESC, created_at DESC, token_hash LIMIT $2)`, userID, keep)
}

// EndSessionsOf removes every session of a member, and every link that could still begin one.
func (tx *Tx) EndSessionsOf(userID string) error {
	if err := tx.EndLinksOf(userID); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM session WHERE user_id = $1`, userID)
}

// EndLinksOf removes every one-time link that could still sign a member in.
func (tx *Tx) EndLinksOf(userID string) error {
	return tx.Exec(`DELETE FROM sign_in_link WHERE user_id = $1`, userID)
}

// SourceKeep is how long a member's address or browser is remembered after its last sign-in.
const SourceKeep = 90 * 24 * time.Hour

// GivenUpKeep is how long a mail or call that could not be sent is remembered, to say so.
const GivenUpKeep = 7 * 24 * time.Hour

// SweepExpired removes up to limit rows each of what has had its time: sessions, sign-in links, API tokens, exchanged identity tokens, attempts at an issuer, challenges to passkeys, entries of memory,
// windows of the throttle, sources of sign-ins and mails and calls that were given up. It returns the largest of their numbers.
func (tx *Tx) SweepExpired(limit int) (most int64, err error) {
	now := clock.Micros(tx.Now)
	for _, old := range []struct {
		query  string
		before int64
	}{
		{`DELETE FROM session WHERE token_hash IN (SELECT token_hash FROM session WHERE expires_at <= $1 LIMIT $2)`, now},
		{`DELETE FROM sign_in_link WHERE token_hash IN (SELECT token_hash FROM sign_in_link WHERE expires_at <= $1 LIMIT $2)`, now},
		{`DELETE FROM api_token WHERE token_hash IN (SELECT token_hash FROM api_token WHERE expires_at <= $1 LIMIT $2)`, now},
		{`DELETE FROM exchanged_token WHERE token_hash IN (SELECT token_hash FROM exchanged_token WHERE expires_at <= $1 LIMIT $2)`, now},
		{`DELETE FROM oauth_code WHERE code_hash IN (SELECT code_hash FROM oauth_code WHERE expires_at <= $1 LIMIT $2)`, now},
		{`DELETE FROM oauth_grant WHERE grant_hash IN (SELECT grant_hash FROM oauth_grant WHERE expires_at <= $1 LIMIT $2)`, now},
		{`DELETE FROM identity_attempt WHERE state_hash IN (SELECT state_hash FROM identity_attempt WHERE expires_at <= $1 LIMIT $2)`, now},
		{`DELETE FROM passkey_attempt WHERE attempt_hash IN (SELECT attempt_hash FROM passkey_attempt WHERE expires_at <= $1 LIMIT $2)`, now},
		{`DELETE FROM memory_entry WHERE (user_id, layer, entry_key) IN (SELECT user_id, layer, entry_key FROM memory_entry WHERE expires_at > 0 AND expires_at <= $1 LIMIT $2)`, now},
		{`DELETE FROM login_throttle WHERE throttle_key IN (SELECT throttle_key FROM login_throttle WHERE ends_at <= $1 LIMIT $2)`, now},
		{`DELETE FROM sign_in_source WHERE (user_id, source) IN (SELECT user_id, source FROM sign_in_source WHERE seen_at <= $1 LIMIT $2)`, clock.Micros(tx.Now.Add(-SourceKeep))},
		{`DELETE FROM notification_delivery WHERE delivery_id IN (SELECT delivery_id FROM notification_delivery WHERE next_at = 0 AND at <= $1 LIMIT $2)`, clock.Micros(tx.Now.Add(-GivenUpKeep))},
	} {
		n, err := tx.Changed(old.query, old.before, limit)
		if err != nil {
			return 0, err
		}
		most = max(most, n)
	}
	return most, nil
}

// AddSignInLink keeps a one-time link by the hash of its token.
func (tx *Tx) AddSignInLink(tokenHash, userID string, expiresAt int64) error {
	return tx.Exec(`INSERT INTO sign_in_link (token_hash, user_id, expires_at) VALUES ($1, $2, $3)`, tokenHash, userID, expiresAt)
}

// TakeSignInLink uses a link up and answers whose it is; ErrNotFound when it is unknown, used or
// too old. Of several at once exactly one gets it.
func (tx *Tx) TakeSignInLink(tokenHash string) (userID string, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `DELETE FROM sign_in_link WHERE token_hash = $1 AND expires_at > $2 RETURNING user_id`,
		[]any{tokenHash, clock.Micros(tx.Now)}, &userID)
	return userID, err
}
