package memberdb

import (
	"context"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// IdentityAttempt is a sign-in on its way to an issuer and back. The state and the browser's secret are kept as hashes.
type IdentityAttempt struct {
	StateHash   string
	BrowserHash string
	Nonce       string
	Verifier    string
	ReturnTo    string
	ExpiresAt   int64 // µs
}

// IdentityOwner gives the member whom an issuer knows by a subject, or ErrNotFound.
func (q Queries) IdentityOwner(ctx context.Context, issuer, subject string) (userID string, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT user_id FROM account_identity WHERE issuer = $1 AND subject = $2`, []any{issuer, subject}, &userID)
	return userID, err
}

// AddIdentity says which member an issuer's subject is; ErrConflict when it is somebody already.
func (tx *Tx) AddIdentity(issuer, subject, userID string) error {
	return sqldb.OrConflict(tx.Exec(`INSERT INTO account_identity (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4)`,
		issuer, subject, userID, clock.Micros(tx.Now)))
}

// RemoveIdentities forgets a member's subjects with an issuer, and tells how many there were.
func (tx *Tx) RemoveIdentities(issuer, userID string) (int64, error) {
	return tx.Changed(`DELETE FROM account_identity WHERE issuer = $1 AND user_id = $2`, issuer, userID)
}

// AddIdentityAttempt keeps an attempt.
func (tx *Tx) AddIdentityAttempt(a IdentityAttempt) error {
	return tx.Exec(`INSERT INTO identity_attempt (state_hash, browser_hash, nonce, verifier, return_to, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		a.StateHash, a.BrowserHash, a.Nonce, a.Verifier, a.ReturnTo, a.ExpiresAt)
}

// TakeIdentityAttempt uses an attempt up; ErrNotFound when it is unknown, used, too old, or another browser's.
func (tx *Tx) TakeIdentityAttempt(stateHash, browserHash string) (IdentityAttempt, error) {
	a := IdentityAttempt{StateHash: stateHash, BrowserHash: browserHash}
	err := sqldb.ScanOne(tx.Ctx, tx.Q, `DELETE FROM identity_attempt WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > $3
		RETURNING nonce, verifier, return_to, expires_at`, []any{stateHash, browserHash, clock.Micros(tx.Now)},
		&a.Nonce, &a.Verifier, &a.ReturnTo, &a.ExpiresAt)
	return a, err
}
