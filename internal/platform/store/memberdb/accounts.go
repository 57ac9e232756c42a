package memberdb

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Account is a member. Times in µs.
type Account struct {
	UserID       string
	PasswordHash string
	Disabled     bool
	CreatedAt    int64
	UpdatedAt    int64
	EraseAt      int64 // when it is deleted, as its member wishes; 0 for never
	ErasedAt     int64 // when it was; 0 for one that is there
	Vouched      bool  // whoever runs the server vouches for the member
}

const accountColumns = `user_id, password_hash, disabled, created_at, updated_at, erase_at, erased_at, vouched`

func (a *Account) fields() []any {
	return []any{&a.UserID, &a.PasswordHash, &a.Disabled, &a.CreatedAt, &a.UpdatedAt, &a.EraseAt, &a.ErasedAt, &a.Vouched}
}

// Account gives one account, or ErrNotFound.
func (q Queries) Account(ctx context.Context, userID string) (Account, error) {
	var a Account
	err := sqldb.ScanOne(ctx, q.Q, `SELECT `+accountColumns+` FROM account WHERE user_id = $1`, []any{userID}, a.fields()...)
	return a, err
}

// Accounts lists accounts by id, after a given one.
func (q Queries) Accounts(ctx context.Context, after string, limit int) ([]Account, error) {
	var all []Account
	err := sqldb.ScanAll(ctx, q.Q, `SELECT `+accountColumns+` FROM account WHERE user_id > $1 ORDER BY user_id LIMIT $2`,
		[]any{after, limit}, func(rows *sql.Rows) error {
			var a Account
			all = append(all, a)
			return rows.Scan(all[len(all)-1].fields()...)
		})
	return all, err
}

// AnyAccount tells whether there is an account at all.
func (q Queries) AnyAccount(ctx context.Context) (bool, error) {
	all, err := q.Accounts(ctx, "", 1)
	return len(all) > 0, err
}

// AddAccount adds an account, or gives ErrConflict.
func (tx *Tx) AddAccount(userID, passwordHash string) error {
	now := clock.Micros(tx.Now)
	_, err := tx.Q.ExecContext(tx.Ctx, `INSERT INTO account (user_id, password_hash, disabled, created_at, updated_at, likeness) VALUES ($1, $2, $3, $4, $5, $6)`,
		userID, passwordHash, false, now, now, account.Likeness(userID))
	return sqldb.OrConflict(err)
}

// Lookalike returns the id of an account that could be taken for userID, or ErrNotFound.
func (q Queries) Lookalike(ctx context.Context, userID string) (other string, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT user_id FROM account WHERE likeness = $1 ORDER BY user_id LIMIT 1`, []any{account.Likeness(userID)}, &other)
	return other, err
}

// NamespaceUsed tells whether a name stands before the names of somebody else's published items, those from a source not counted, or is
// a mirror's.
func (q Queries) NamespaceUsed(ctx context.Context, name, uncounted string) (bool, error) {
	var n int
	err := sqldb.ScanOne(ctx, q.Q, `SELECT 1 FROM mirror WHERE name = $1`, []any{name}, &n)
	for _, kind := range []catalog.Kind{catalog.KindTemplate, catalog.KindProfilePack} {
		if errors.Is(err, sqldb.ErrNotFound) { // "0" comes after "/"
			err = sqldb.ScanOne(ctx, q.Q, `SELECT 1 FROM item WHERE kind = $1 AND item_id > $2 AND item_id < $3 AND owner <> $4 AND visibility <> $5 AND source_channel <> $6 LIMIT 1`,
				[]any{string(kind), name + "/", name + "0", name, string(catalog.Private), uncounted}, &n)
		}
	}
	if errors.Is(err, sqldb.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// uses are the tables in which an id means somebody who signs in or owns things, each with what is found there.
var uses = []struct {
	table, column, what string
	since               int64 // the schema that has the table
}{
	{"account", "user_id", "an account", 1},
	{"session", "user_id", "sessions", 1},
	{"sign_in_link", "user_id", "a sign-in link", 1},
	{"api_token", "user_id", "API tokens", 28},
	{"item", "owner", "published items", 1},
	{"submission", "user_id", "submissions", 1},
	{"import_draft", "user_id", "drafts", 3},
	{"template_draft", "user_id", "template drafts", 156},
	{"note", "owner", "notes", 5},
}

// UsesOf lists what an id stands for beside what anonymous visitors leave behind; nothing for an id that is free. The store is at
// a schema, which may be an older one.
func (q Queries) UsesOf(ctx context.Context, userID string, schema int64) (found []string, err error) {
	for _, use := range uses {
		if use.since > schema {
			continue
		}
		var n int
		err := sqldb.ScanOne(ctx, q.Q, `SELECT 1 FROM `+use.table+` WHERE `+use.column+` = $1 LIMIT 1`, []any{userID}, &n)
		switch {
		case err == nil:
			found = append(found, use.what)
		case !errors.Is(err, sqldb.ErrNotFound):
			return nil, err
		}
	}
	return found, nil
}

// SetPassword replaces a password hash, or gives ErrNotFound.
func (tx *Tx) SetPassword(userID, passwordHash string) error {
	return tx.One(`UPDATE account SET password_hash = $2, updated_at = $3 WHERE user_id = $1 AND erased_at = 0`, userID, passwordHash, clock.Micros(tx.Now))
}

// SetDisabled shuts an account out or lets it in again, or gives ErrNotFound.
func (tx *Tx) SetDisabled(userID string, disabled bool) error {
	if err := tx.One(`UPDATE account SET disabled = $2, updated_at = $3 WHERE user_id = $1 AND erased_at = 0`, userID, disabled, clock.Micros(tx.Now)); err != nil {
		return err
	}
	return tx.market.Recount(userID)
}

// SetVouched says whether whoever runs the server vouches for a member, or gives ErrNotFound.
func (tx *Tx) SetVouched(userID string, vouched bool) error {
	if err := tx.One(`UPDATE account SET vouched = $2, updated_at = $3 WHERE user_id = $1 AND erased_at = 0`, userID, vouched, clock.Micros(tx.Now)); err != nil {
		return err
	}
	return tx.market.Recount(userID)
}
