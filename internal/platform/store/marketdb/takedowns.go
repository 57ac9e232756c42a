package marketdb

import (
	"context"
	"database/sql"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Takedown is an item that somebody in charge wants taken down. AskedAt in µs.
type Takedown struct {
	Kind    catalog.Kind
	ItemID  string
	AskedBy string
	Note    string
	AskedAt int64
}

// Takedowns lists up to limit takedowns that wait for another person's word, oldest first.
func (q Queries) Takedowns(ctx context.Context, limit int) (all []Takedown, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT kind, item_id, asked_by, note, asked_at FROM takedown ORDER BY asked_at, kind, item_id LIMIT $1`, []any{limit}, func(rows *sql.Rows) error {
		var t Takedown
		err := rows.Scan(&t.Kind, &t.ItemID, &t.AskedBy, &t.Note, &t.AskedAt)
		all = append(all, t)
		return err
	})
	return all, err
}

// AskTakedown keeps the wish to take an item down; ErrConflict when there is one already.
func (tx *Tx) AskTakedown(kind catalog.Kind, itemID, askedBy, note string) error {
	return sqldb.OrConflict(tx.Exec(`INSERT INTO takedown (kind, item_id, asked_by, note, asked_at) VALUES ($1, $2, $3, $4, $5)`, string(kind), itemID, askedBy, note, clock.Micros(tx.Now)))
}

// TakeTakedown ends a wish and answers it; ErrNotFound without one. Of several at once exactly one gets it.
func (tx *Tx) TakeTakedown(kind catalog.Kind, itemID string) (Takedown, error) {
	t := Takedown{Kind: kind, ItemID: itemID}
	err := sqldb.ScanOne(tx.Ctx, tx.Q, `DELETE FROM takedown WHERE kind = $1 AND item_id = $2 RETURNING asked_by, note, asked_at`, []any{string(kind), itemID}, &t.AskedBy, &t.Note, &t.AskedAt)
	return t, err
}
