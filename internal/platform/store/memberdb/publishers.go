package memberdb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/store/sqldb"
)

// TrustedPublisher is a pipeline that may publish for a member. Times in µs.
type TrustedPublisher struct {
	PublisherID string
	UserID      string
	Item        string // an item's id, or NAMESPACE/* for all in it
	Issuer      string
	Repository  string
	Workflow    string // "" for any, as the two below
	Environment string
	Ref         string
	// RepositoryID is the issuer's number for the repository; "" before the first use.
	RepositoryID string
	CreatedAt    int64
	UsedAt       int64 // 0 when it was not used yet
}

// TrustedPublishersOf lists a member's trusted publishers, the oldest first.
func (q Queries) TrustedPublishersOf(ctx context.Context, userID string) (all []TrustedPublisher, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT publisher_id, user_id, item, issuer, repository, workflow, environment, ref, repository_id, created_at, used_at
		FROM trusted_publisher WHERE user_id = $1 ORDER BY created_at, publisher_id`, []any{userID}, func(rows *sql.Rows) error {
		var p TrustedPublisher
		err := rows.Scan(&p.PublisherID, &p.UserID, &p.Item, &p.Issuer, &p.Repository, &p.Workflow, &p.Environment, &p.Ref, &p.RepositoryID, &p.CreatedAt, &p.UsedAt)
		all = append(all, p)
		return err
	})
	return all, err
}

// AddTrustedPublisher keeps a new one.
func (tx *Tx) AddTrustedPublisher(p TrustedPublisher) error {
	return tx.Exec(`INSERT INTO trusted_publisher (publisher_id, user_id, item, issuer, repository, workflow, environment, ref, repository_id, created_at, used_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		p.PublisherID, p.UserID, p.Item, p.Issuer, p.Repository, p.Workflow, p.Environment, p.Ref, p.RepositoryID, p.CreatedAt, p.UsedAt)
}

// UseTrustedPublisher notes a use, and whose repository it was; ErrNotFound when it was removed meanwhile or another repository was
// noted. Whoever removes it waits for this transaction.
func (tx *Tx) UseTrustedPublisher(publisherID, repositoryID string, at int64) error {
	return tx.One(`UPDATE trusted_publisher SET repository_id = $2, used_at = $3 WHERE publisher_id = $1 AND repository_id IN ('', $2)`, publisherID, repositoryID, at)
}

// RemoveTrustedPublisher removes one of a member's with the tokens that it was given, and tells whether there was one.
func (tx *Tx) RemoveTrustedPublisher(userID, publisherID string) (bool, error) {
	n, err := tx.Changed(`DELETE FROM trusted_publisher WHERE user_id = $1 AND publisher_id = $2`, userID, publisherID)
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.Exec(`DELETE FROM api_token WHERE publisher_id = $1`, publisherID)
}

// RemoveTrustedPublishersOf removes all of a member; their tokens are for the caller to end.
func (tx *Tx) RemoveTrustedPublishersOf(userID string) error {
	return tx.Exec(`DELETE FROM trusted_publisher WHERE user_id = $1`, userID)
}

// PublisherTokens counts the tokens of a trusted publisher that have not expired.
func (tx *Tx) PublisherTokens(ctx context.Context, publisherID string, now int64) (n int, err error) {
	err = sqldb.ScanOne(ctx, tx.Q, `SELECT COUNT(*) FROM api_token WHERE publisher_id = $1 AND expires_at > $2`, []any{publisherID, now}, &n)
	return n, err
}

// AddExchangedToken remembers an identity token until nobody would take it anyway; ErrConflict when it was exchanged before.
func (tx *Tx) AddExchangedToken(tokenHash string, expiresAt int64) error {
	_, err := tx.Q.ExecContext(tx.Ctx, `INSERT INTO exchanged_token (token_hash, expires_at) VALUES ($1, $2)`, tokenHash, expiresAt)
	return sqldb.OrConflict(err)
}
