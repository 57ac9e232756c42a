package memberdb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Passkey is a member's passkey. Times in µs.
type Passkey struct {
	CredentialID string
	UserID       string
	UserHandle   string
	Party        string // the host name that it is for
	Label        string // the member's own words for it
	Record       string
	Synced       bool
	CreatedAt    int64
	SeenAt       int64 // 0 when it was not used yet
}

// PublicID names a passkey to its member.
func (p Passkey) PublicID() string { return account.TokenHash(p.CredentialID)[:publicIDLength] }

const passkeyColumns = `p.credential_id, p.user_id, p.user_handle, p.party, p.label, p.record, p.synced, p.created_at, p.seen_at`

func (p *Passkey) columns() []any {
	return []any{&p.CredentialID, &p.UserID, &p.UserHandle, &p.Party, &p.Label, &p.Record, &p.Synced, &p.CreatedAt, &p.SeenAt}
}

// Passkey gives a passkey whose account is not disabled, or ErrNotFound.
func (q Queries) Passkey(ctx context.Context, credentialID string) (p Passkey, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT `+passkeyColumns+` FROM passkey p JOIN account a ON a.user_id = p.user_id
		WHERE p.credential_id = $1 AND NOT a.disabled`, []any{credentialID}, p.columns()...)
	return p, err
}

// PasskeysOf lists a member's passkeys, the newest first.
func (q Queries) PasskeysOf(ctx context.Context, userID string) (all []Passkey, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT `+passkeyColumns+` FROM passkey p WHERE p.user_id = $1 ORDER BY p.created_at DESC, p.credential_id`, []any{userID}, func(rows *sql.Rows) error {
		var p Passkey
		err := rows.Scan(p.columns()...)
		all = append(all, p)
		return err
	})
	return all, err
}

// AddPasskey keeps a new passkey, or gives ErrConflict.
func (tx *Tx) AddPasskey(p Passkey) error {
	return sqldb.OrConflict(tx.Exec(`INSERT INTO passkey (credential_id, user_id, user_handle, party, label, record, synced, created_at, seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)`, p.CredentialID, p.UserID, p.UserHandle, p.Party, p.Label, p.Record, p.Synced, p.CreatedAt))
}

// UsedPasskey notes what the last use said of a passkey.
func (tx *Tx) UsedPasskey(credentialID, record string, synced bool) error {
	return tx.One(`UPDATE passkey SET record = $2, synced = $3, seen_at = $4 WHERE credential_id = $1`, credentialID, record, synced, clock.Micros(tx.Now))
}

// LabelPasskey gives a passkey another name.
func (tx *Tx) LabelPasskey(credentialID, label string) error {
	return tx.One(`UPDATE passkey SET label = $2 WHERE credential_id = $1`, credentialID, label)
}

// RemovePasskey removes one.
func (tx *Tx) RemovePasskey(credentialID string) error {
	return tx.One(`DELETE FROM passkey WHERE credential_id = $1`, credentialID)
}

// RemovePasskeysOf removes every passkey of a member.
func (tx *Tx) RemovePasskeysOf(userID string) error {
	return tx.Exec(`DELETE FROM passkey WHERE user_id = $1`, userID)
}

// AddPasskeyAttempt keeps a challenge until a time in µs.
func (tx *Tx) AddPasskeyAttempt(hash, userID, state string, expiresAt int64) error {
	return tx.Exec(`INSERT INTO passkey_attempt (attempt_hash, user_id, state, expires_at) VALUES ($1, $2, $3, $4)`, hash, userID, state, expiresAt)
}

// TakePasskeyAttempt uses a challenge up; ErrNotFound when it is unknown, used, too old, or another member's. Of several at
// once exactly one gets it.
func (tx *Tx) TakePasskeyAttempt(hash, userID string) (state string, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `DELETE FROM passkey_attempt WHERE attempt_hash = $1 AND user_id = $2 AND expires_at > $3 RETURNING state`,
		[]any{hash, userID, clock.Micros(tx.Now)}, &state)
	return state, err
}
