package store

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/platform/store/sqldb"
)

// detailMark names the row of audit_head that has the number of the last event whose detail was dropped.
const detailMark = "detail_dropped"

// detailsDropped returns the number of the last event whose detail may be gone; 0 when none may.
func (q Queries) detailsDropped(ctx context.Context) (seq int64, err error) {
	err = sqldb.ScanOne(ctx, q.base.Q, `SELECT seq FROM audit_head WHERE chain = $1`, []any{detailMark}, &seq)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	return seq, err
}

// DropDetails empties the details of chained events older than a time in µs, looking at up to limit events after those that
// were looked at before, and returns at how many it looked. Their digests stay, so that the chain can still be checked;
// events that were chained without a digest keep their details.
func (tx *Tx) DropDetails(before int64, limit int) (looked int, err error) {
	done, err := tx.detailsDropped(tx.base.Ctx)
	if err != nil {
		return 0, err
	}
	last := done
	err = sqldb.ScanAll(tx.base.Ctx, tx.base.Q, `SELECT chain_seq, at FROM audit_event WHERE chain_seq > $1 ORDER BY chain_seq LIMIT $2`, []any{done, limit}, func(rows *sql.Rows) error {
		var seq, at int64
		if err := rows.Scan(&seq, &at); err != nil {
			return err
		}
		if at < before && seq == last+1 {
			last, looked = seq, looked+1
		}
		return nil
	})
	if err != nil || last == done {
		return 0, err
	}
	if err := tx.base.Exec(`UPDATE audit_event SET detail = '' WHERE chain_seq > $1 AND chain_seq <= $2 AND detail_digest IS NOT NULL`, done, last); err != nil {
		return 0, err
	}
	return looked, tx.base.Exec(`INSERT INTO audit_head (chain, seq, hash) VALUES ($1, $2, '') ON CONFLICT (chain) DO UPDATE SET seq = $2`, detailMark, last)
}
