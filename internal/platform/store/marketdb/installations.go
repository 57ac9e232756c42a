package marketdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"stoa/internal/platform/store/sqldb"
)

// Installation is one item that a member has installed, with the version pinned. Times in µs.
type Installation struct {
	UserID        string
	ItemID        string
	Kind          string
	Seq           int64
	Version       string
	SHA256        string
	SizeBytes     int64
	Source        string
	SessionID     string
	ExecutionMode string
	Observe       bool
	Options       string
	InstalledAt   int64
	UpdatedAt     int64
}

const installationColumns = `user_id, item_id, kind, seq, version, sha256, size_bytes, source, session_id, execution_mode, observe, options, installed_at, updated_at`

func (i *Installation) fields() []any {
	return []any{&i.UserID, &i.ItemID, &i.Kind, &i.Seq, &i.Version, &i.SHA256, &i.SizeBytes, &i.Source, &i.SessionID, &i.ExecutionMode, &i.Observe, &i.Options, &i.InstalledAt, &i.UpdatedAt}
}

// Installation gives one installation, or ErrNotFound.
func (q Queries) Installation(ctx context.Context, userID, itemID string) (Installation, error) {
	var i Installation
	err := sqldb.ScanOne(ctx, q.Q, `SELECT `+installationColumns+` FROM installation WHERE user_id = $1 AND item_id = $2`, []any{userID, itemID}, i.fields()...)
	return i, err
}

// Installations lists a member's installations, latest change first, after the row (updatedAt, itemID);
// updatedAt 0 starts at the newest.
func (q Queries) Installations(ctx context.Context, userID string, updatedAt int64, itemID string, limit int) ([]Installation, error) {
	if updatedAt == 0 {
		updatedAt = 1<<63 - 1
	}
	var all []Installation
	err := sqldb.ScanAll(ctx, q.Q, `SELECT `+installationColumns+` FROM installation
		WHERE user_id = $1 AND (updated_at, item_id) < ($2, $3) ORDER BY updated_at DESC, item_id DESC LIMIT $4`,
		[]any{userID, updatedAt, itemID, limit}, func(rows *sql.Rows) error {
			all = append(all, Installation{})
			return rows.Scan(all[len(all)-1].fields()...)
		})
	return all, err
}

// CountInstallations counts a member's installations.
func (q Queries) CountInstallations(ctx context.Context, userID string) (n int, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*) FROM installation WHERE user_id = $1`, []any{userID}, &n)
	return n, err
}

// InstallationsStamp differs when a member's installations do: it is made of their number and the times of their changes.
func (q Queries) InstallationsStamp(ctx context.Context, userID string) (string, error) {
	var n, newest, sum int64
	err := sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*), COALESCE(MAX(updated_at), 0), CAST(COALESCE(SUM(updated_at % 1000000007), 0) AS BIGINT) FROM installation WHERE user_id = $1`,
		[]any{userID}, &n, &newest, &sum)
	return fmt.Sprintf("%d %d %d", n, newest, sum), err
}

// AddInstallation adds i unless the member has the item, in which case the row that is there is
// answered with added false. Of several at once exactly one adds.
func (tx *Tx) AddInstallation(i Installation) (current Installation, added bool, err error) {
	for range installAttempts {
		err = sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO installation (`+installationColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
			ON CONFLICT (user_id, item_id) DO NOTHING RETURNING installed_at`,
			installationArgs(i), &i.InstalledAt)
		if !errors.Is(err, sqldb.ErrNotFound) {
			return i, true, err
		}
		// On PostgreSQL the row that was in the way may have been removed since.
		if current, err = tx.Installation(tx.Ctx, i.UserID, i.ItemID); !errors.Is(err, sqldb.ErrNotFound) {
			return current, false, err
		}
	}
	return current, false, err
}

// installAttempts bounds how often an install tries again because an uninstall came in between.
const installAttempts = 20

// ReplaceInstallation writes i over whatever is there, keeping when it was first installed, and tells
// whether something was there.
func (tx *Tx) ReplaceInstallation(i Installation) (current Installation, replaced bool, err error) {
	switch _, err := tx.Installation(tx.Ctx, i.UserID, i.ItemID); {
	case err == nil:
		replaced = true
	case !errors.Is(err, sqldb.ErrNotFound):
		return i, false, err
	}
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO installation (`+installationColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
		ON CONFLICT (user_id, item_id) DO UPDATE SET kind = excluded.kind, seq = excluded.seq, version = excluded.version,
		  sha256 = excluded.sha256, size_bytes = excluded.size_bytes, source = excluded.source, session_id = excluded.session_id,
		  execution_mode = excluded.execution_mode, observe = excluded.observe, options = excluded.options, updated_at = excluded.updated_at
		RETURNING installed_at`,
		installationArgs(i), &i.InstalledAt)
	return i, replaced, err
}

// RemoveInstallation removes an installation and answers what it was, or ErrNotFound.
func (tx *Tx) RemoveInstallation(userID, itemID string) (Installation, error) {
	var i Installation
	err := sqldb.ScanOne(tx.Ctx, tx.Q, `DELETE FROM installation WHERE user_id = $1 AND item_id = $2 RETURNING `+installationColumns,
		[]any{userID, itemID}, i.fields()...)
	return i, err
}

// Installers lists the members who have an item installed at another version than the given one.
func (q Queries) Installers(ctx context.Context, seq int64, notVersion, after string, limit int) ([]string, error) {
	var all []string
	err := sqldb.ScanAll(ctx, q.Q, `SELECT user_id FROM installation WHERE seq = $1 AND version <> $2 AND user_id > $3 ORDER BY user_id LIMIT $4`,
		[]any{seq, notVersion, after, limit}, func(rows *sql.Rows) error {
			var u string
			if err := rows.Scan(&u); err != nil {
				return err
			}
			all = append(all, u)
			return nil
		})
	return all, err
}

// InstallersOf lists up to limit members who have a version of an item installed, by name, after one.
func (q Queries) InstallersOf(ctx context.Context, seq int64, version, after string, limit int) ([]string, error) {
	var all []string
	err := sqldb.ScanAll(ctx, q.Q, `SELECT user_id FROM installation WHERE seq = $1 AND version = $2 AND user_id > $3 ORDER BY user_id LIMIT $4`,
		[]any{seq, version, after, limit}, func(rows *sql.Rows) error {
			var u string
			err := rows.Scan(&u)
			all = append(all, u)
			return err
		})
	return all, err
}

func installationArgs(i Installation) []any {
	return []any{i.UserID, i.ItemID, i.Kind, i.Seq, i.Version, i.SHA256, i.SizeBytes, i.Source, i.SessionID, i.ExecutionMode, i.Observe, i.Options, i.InstalledAt, i.UpdatedAt}
}
