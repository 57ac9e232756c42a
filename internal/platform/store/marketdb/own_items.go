package marketdb

import (
	"context"
	"database/sql"

	"stoa/internal/market/catalog"
	"stoa/internal/market/submission"
	"stoa/internal/platform/store/sqldb"
)

// PrivateItems gives the items that nobody but their owner sees.
func (q Queries) PrivateItems(ctx context.Context, userID string) (seqs []int64, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT seq FROM item WHERE owner = $1 AND visibility = $2`, []any{userID, string(catalog.Private)}, func(r *sql.Rows) error {
		var seq int64
		err := r.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	})
	return seqs, err
}

// EraseItem removes an item of a member's, and how it came to be, but not from the search index.
func (tx *Tx) EraseItem(userID string, seq int64) (rows int64, err error) {
	if err := tx.Exec(`DELETE FROM submission WHERE submission_id IN (SELECT submission_id FROM item_version WHERE seq = $1) AND user_id = $2`, seq, userID); err != nil {
		return 0, err
	}
	for _, table := range []string{"feed_row", "item_text", "item_version", "artifact", "engagement", "ranking", "verdict_change", "item"} {
		n, err := tx.Changed(`DELETE FROM `+table+` WHERE seq = $1`, seq)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	return rows, nil
}

// EraseUnpublished removes the submissions of a member's that were not approved.
func (tx *Tx) EraseUnpublished(userID string) (rows int64, err error) {
	const unpublished = `(SELECT submission_id FROM submission WHERE user_id = $1 AND status <> $2)`
	for _, table := range []string{"scan_job", "review_claim", "review_seen", "submission"} {
		n, err := tx.Changed(`DELETE FROM `+table+` WHERE submission_id IN `+unpublished, userID, submission.Approved)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	return rows, nil
}

// OwnPackage is a package of a member's, as a file.
type OwnPackage struct {
	ItemID, Version, Source, SHA256 string
	SizeBytes                       int64
}

// OwnPackages lists the packages of what a member has published.
func (q Queries) OwnPackages(ctx context.Context, userID string) (all []OwnPackage, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT i.item_id, a.version, a.source, a.sha256, a.size_bytes FROM artifact a JOIN item i ON i.seq = a.seq
		WHERE i.owner = $1 ORDER BY i.item_id, a.version, a.source`, []any{userID}, func(rows *sql.Rows) error {
		var p OwnPackage
		err := rows.Scan(&p.ItemID, &p.Version, &p.Source, &p.SHA256, &p.SizeBytes)
		all = append(all, p)
		return err
	})
	return all, err
}

// SubmittedPackages gives the digests of the packages that a member has submitted, by submission.
func (q Queries) SubmittedPackages(ctx context.Context, userID string) (map[string]string, error) {
	all := map[string]string{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT submission_id, sha256 FROM submission WHERE user_id = $1 AND sha256 <> ''`, []any{userID}, func(rows *sql.Rows) error {
		var id, digest string
		err := rows.Scan(&id, &digest)
		all[id] = digest
		return err
	})
	return all, err
}
