package memberdb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// OAuthCode is what an assistant turns into tokens once.
type OAuthCode struct {
	CodeHash, UserID, ClientID, ClientName, RedirectURI, Scope, Resource, Challenge string
	Refreshes                                                                       bool
	ExpiresAt                                                                       int64
}

// OAuthGrant is what a member has allowed an assistant. Times in µs.
type OAuthGrant struct {
	GrantHash, UserID, ClientID, ClientName, Scope, Resource string
	RefreshHash                                              string // "" when it cannot be refreshed
	CreatedAt, SeenAt, ExpiresAt                             int64
}

// PublicID names a grant to its member.
func (g OAuthGrant) PublicID() string { return g.GrantHash[:min(publicIDLength, len(g.GrantHash))] }

// AddOAuthCode keeps a code.
func (tx *Tx) AddOAuthCode(c OAuthCode) error {
	return tx.Exec(`INSERT INTO oauth_code (code_hash, user_id, client_id, client_name, redirect_uri, scope, resource, challenge, refreshes, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		c.CodeHash, c.UserID, c.ClientID, c.ClientName, c.RedirectURI, c.Scope, c.Resource, c.Challenge, c.Refreshes, c.ExpiresAt)
}

// TakeOAuthCode uses a code up; ErrNotFound when it is unknown, used or too old, or its member is shut out.
func (tx *Tx) TakeOAuthCode(codeHash string) (c OAuthCode, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `DELETE FROM oauth_code WHERE code_hash = $1 AND expires_at > $2
		AND user_id IN (SELECT user_id FROM account WHERE NOT disabled)
		RETURNING code_hash, user_id, client_id, client_name, redirect_uri, scope, resource, challenge, refreshes, expires_at`, []any{codeHash, clock.Micros(tx.Now)},
		&c.CodeHash, &c.UserID, &c.ClientID, &c.ClientName, &c.RedirectURI, &c.Scope, &c.Resource, &c.Challenge, &c.Refreshes, &c.ExpiresAt)
	return c, err
}

const grantColumns = `grant_hash, user_id, client_id, client_name, scope, resource, refresh_hash, created_at, seen_at, expires_at`

func (g *OAuthGrant) columns() []any {
	return []any{&g.GrantHash, &g.UserID, &g.ClientID, &g.ClientName, &g.Scope, &g.Resource, &g.RefreshHash, &g.CreatedAt, &g.SeenAt, &g.ExpiresAt}
}

// keptGrants is how many assistants a member may have signed in, the last seen ones.
const keptGrants = 50

// AddOAuthGrant keeps a grant, and of those of its member the last seen ones alone.
func (tx *Tx) AddOAuthGrant(g OAuthGrant) error {
	if err := tx.Exec(`INSERT INTO oauth_grant (`+grantColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		g.GrantHash, g.UserID, g.ClientID, g.ClientName, g.Scope, g.Resource, g.RefreshHash, g.CreatedAt, g.SeenAt, g.ExpiresAt); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM oauth_grant WHERE user_id = $1 AND grant_hash IN
		(SELECT grant_hash FROM oauth_grant WHERE user_id = $1 ORDER BY seen_at DESC, grant_hash LIMIT $3 OFFSET $2)`, g.UserID, keptGrants, 1<<20)
}

// OAuthGrant gives a grant that has not expired and whose member is not shut out, or ErrNotFound.
func (tx *Tx) OAuthGrant(grantHash string) (g OAuthGrant, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `SELECT `+grantColumns+` FROM oauth_grant WHERE grant_hash = $1 AND expires_at > $2
		AND user_id IN (SELECT user_id FROM account WHERE NOT disabled)`, []any{grantHash, clock.Micros(tx.Now)}, g.columns()...)
	return g, err
}

// RotateRefresh replaces a grant's refresh token, if it is still the one given, and tells whether it was.
func (tx *Tx) RotateRefresh(grantHash, from, to string, expiresAt int64) (bool, error) {
	n, err := tx.Changed(`UPDATE oauth_grant SET refresh_hash = $3, seen_at = $4, expires_at = $5 WHERE grant_hash = $1 AND refresh_hash = $2`,
		grantHash, from, to, clock.Micros(tx.Now), expiresAt)
	return n > 0, err
}

// OAuthGrantsOf lists what a member has allowed, the newest first.
func (q Queries) OAuthGrantsOf(ctx context.Context, userID string, now int64) (all []OAuthGrant, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT `+grantColumns+` FROM oauth_grant WHERE user_id = $1 AND expires_at > $2 ORDER BY created_at DESC, grant_hash`,
		[]any{userID, now}, func(rows *sql.Rows) error {
			var g OAuthGrant
			err := rows.Scan(g.columns()...)
			all = append(all, g)
			return err
		})
	return all, err
}

// EndOAuthGrant removes a grant and its access tokens, and tells whether there was one.
func (tx *Tx) EndOAuthGrant(grantHash string) (bool, error) {
	if err := tx.Exec(`DELETE FROM api_token WHERE grant_id = $1`, grantHash); err != nil {
		return false, err
	}
	n, err := tx.Changed(`DELETE FROM oauth_grant WHERE grant_hash = $1`, grantHash)
	return n > 0, err
}

// EndOAuthGrantsOf removes all that a member has allowed.
func (tx *Tx) EndOAuthGrantsOf(userID string) error {
	if err := tx.Exec(`DELETE FROM oauth_code WHERE user_id = $1`, userID); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM oauth_grant WHERE user_id = $1`, userID)
}
