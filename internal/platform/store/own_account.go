package store

import (
	"context"
	"database/sql"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// SetEraseAt notes when an account is deleted, 0 for never; ErrNotFound when it is not there any more.
func (tx *Tx) SetEraseAt(userID string, at int64) error {
	return tx.base.One(`UPDATE account SET erase_at = $2, updated_at = $3 WHERE user_id = $1 AND erased_at = 0`, userID, at, clock.Micros(tx.Now))
}

// AccountsToErase lists up to limit accounts whose time has come.
func (q Queries) AccountsToErase(ctx context.Context, now int64, limit int) (ids []string, err error) {
	err = sqldb.ScanAll(ctx, q.base.Q, `SELECT user_id FROM account WHERE erase_at > 0 AND erase_at <= $1 ORDER BY erase_at, user_id LIMIT $2`, []any{now, limit}, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// CloseAccountToErase shuts an account out whose time has come; ErrNotFound when its member has taken the wish back.
func (tx *Tx) CloseAccountToErase(userID string) error {
	return tx.base.One(`UPDATE account SET disabled = $3, updated_at = $2 WHERE user_id = $1 AND erase_at > 0 AND erase_at <= $2`, userID, clock.Micros(tx.Now), true)
}

// EraseAccount removes what is a member's in every table that Registry does not mark as outliving them, their private items
// and whatever of theirs was not published, and leaves of the account the id alone. What a learner has is EraseLearner's.
// ErrNotFound when the member has taken the wish back.
func (tx *Tx) EraseAccount(userID string) (rows int64, err error) {
	now := clock.Micros(tx.Now)
	if err := tx.base.One(`UPDATE account SET password_hash = '', disabled = $3, erase_at = 0, erased_at = $2, updated_at = $2
		WHERE user_id = $1 AND erase_at > 0 AND erase_at <= $2`, userID, now, true); err != nil {
		return 0, err
	}
	if err := tx.EraseRatings(userID); err != nil {
		return 0, err
	}
	for _, table := range Registry {
		if table.Owner == "" || table.Outlives {
			continue
		}
		n, err := tx.base.Changed(`DELETE FROM `+table.Name+` WHERE `+table.Owner+` = $1`, userID)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	n, err := tx.erasePrivateItems(userID)
	if err != nil {
		return 0, err
	}
	rows += n
	n, err = tx.EraseUnpublished(userID)
	return rows + n, err
}

// erasePrivateItems removes the items that nobody but their owner sees, and how they came to be.
func (tx *Tx) erasePrivateItems(userID string) (rows int64, err error) {
	seqs, err := tx.PrivateItems(tx.base.Ctx, userID)
	for _, seq := range seqs {
		n, err := tx.EraseItem(userID, seq)
		if err != nil {
			return 0, err
		}
		rows += n
		if err := tx.store.search.Delete(tx.base.Ctx, tx.base.Q, seq); err != nil {
			return 0, err
		}
	}
	return rows, err
}

// ItemRowsOf calls each with every row of item_version or item_text that belongs to an item of a member's.
func (q Queries) ItemRowsOf(ctx context.Context, table, userID string, each func(row map[string]any) error) error {
	rows, err := q.base.Q.QueryContext(ctx, `SELECT i.item_id, t.* FROM `+table+` t JOIN item i ON i.seq = t.seq WHERE i.owner = $1`, userID)
	if err != nil {
		return err
	}
	return eachRow(rows, each)
}
