package memberdb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/store/sqldb"
)

// APIToken is what a program calls the API with, kept by the hash of the token. Times in µs.
type APIToken struct {
	TokenHash string
	UserID    string
	Label     string // the member's own words for it
	Scope     string // "read", "publish" or "write"
	Audience  string // the resource it is good for; "" for the whole API
	GrantID   string // the consent it was issued under; "" for a member's own
	Item      string // the one item that it may submit; "" for any
	// PublisherID is the trusted publisher that it was given to; "" for all others.
	PublisherID string
	CreatedAt   int64
	SeenAt      int64 // 0 when it was not used yet
	ExpiresAt   int64
}

// PublicID names a token to its member. Nobody can find the token by it.
func (t APIToken) PublicID() string { return t.TokenHash[:min(publicIDLength, len(t.TokenHash))] }

const apiTokenColumns = `t.token_hash, t.user_id, t.label, t.scope, t.audience, t.grant_id, t.item, t.publisher_id, t.created_at, t.seen_at, t.expires_at`

func (t *APIToken) columns() []any {
	return []any{&t.TokenHash, &t.UserID, &t.Label, &t.Scope, &t.Audience, &t.GrantID, &t.Item, &t.PublisherID, &t.CreatedAt, &t.SeenAt, &t.ExpiresAt}
}

// APIToken gives a token whose account is not disabled, or ErrNotFound. Whether it has expired is for the caller to see.
func (q Queries) APIToken(ctx context.Context, tokenHash string) (t APIToken, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT `+apiTokenColumns+` FROM api_token t JOIN account a ON a.user_id = t.user_id
		WHERE t.token_hash = $1 AND NOT a.disabled`, []any{tokenHash}, t.columns()...)
	return t, err
}

// APITokensOf lists a member's own tokens that have not expired, the newest first; those issued by a consent or to a pipeline are not among them.
func (q Queries) APITokensOf(ctx context.Context, userID string, now int64) (all []APIToken, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT `+apiTokenColumns+` FROM api_token t
		WHERE t.user_id = $1 AND t.grant_id = '' AND t.publisher_id = '' AND t.expires_at > $2 ORDER BY t.created_at DESC, t.token_hash`, []any{userID, now}, func(rows *sql.Rows) error {
		var t APIToken
		err := rows.Scan(t.columns()...)
		all = append(all, t)
		return err
	})
	return all, err
}

// AddAPIToken keeps a new token.
func (tx *Tx) AddAPIToken(t APIToken) error {
	return tx.Exec(`INSERT INTO api_token (token_hash, user_id, label, scope, audience, grant_id, item, publisher_id, created_at, seen_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		t.TokenHash, t.UserID, t.Label, t.Scope, t.Audience, t.GrantID, t.Item, t.PublisherID, t.CreatedAt, t.SeenAt, t.ExpiresAt)
}

// TouchAPIToken notes when a token was used last.
func (tx *Tx) TouchAPIToken(tokenHash string, seenAt int64) error {
	return tx.Exec(`UPDATE api_token SET seen_at = $2 WHERE token_hash = $1`, tokenHash, seenAt)
}

// RevokeAPIToken removes a token and tells whether there was one.
func (tx *Tx) RevokeAPIToken(tokenHash string) (bool, error) {
	n, err := tx.Changed(`DELETE FROM api_token WHERE token_hash = $1`, tokenHash)
	return n > 0, err
}

// RevokeAPITokensOf removes every token of a member.
func (tx *Tx) RevokeAPITokensOf(userID string) error {
	return tx.Exec(`DELETE FROM api_token WHERE user_id = $1`, userID)
}
