package marketdb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/store/sqldb"
)

// FeedRow is what the feeds say of an item's version, as Form has it.
type FeedRow struct {
	Seq     int64
	Version string
	Body    []byte
}

// FeedRows hands what is kept in a form to yield, in any order.
func (q Queries) FeedRows(ctx context.Context, form string, yield func(FeedRow)) error {
	return sqldb.ScanAll(ctx, q.Q, `SELECT seq, version, body FROM feed_row WHERE form = $1`, []any{form}, func(rows *sql.Rows) error {
		var r FeedRow
		err := rows.Scan(&r.Seq, &r.Version, &r.Body)
		if err == nil {
			yield(r)
		}
		return err
	})
}

// PutFeedRow keeps what the feeds say of an item, unless the item is gone.
func (tx *Tx) PutFeedRow(form string, r FeedRow) error {
	return tx.Exec(`INSERT INTO feed_row (seq, version, form, body) SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT)
		WHERE EXISTS (SELECT 1 FROM item WHERE seq = $1)
		ON CONFLICT (seq) DO UPDATE SET version = excluded.version, form = excluded.form, body = excluded.body`, r.Seq, r.Version, form, string(r.Body))
}
