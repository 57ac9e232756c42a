package memberdb

import (
	"context"
	"database/sql"
	"time"

	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Day returns the number of the UTC day of a time, counted from 1970.
func Day(t time.Time) int64 { return t.Unix() / 86400 }

// Use adds n to what a member has used of a kind on the UTC day of the transaction, and returns the sum.
func (tx *Tx) Use(userID, kind string, n int64) (used int64, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO quota_use (user_id, kind, day, used) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, kind) DO UPDATE SET used = CASE WHEN quota_use.day = $3 THEN quota_use.used + $4 ELSE $4 END, day = $3 RETURNING used`,
		[]any{userID, kind, Day(tx.Now), n}, &used)
	return used, err
}

// Used returns what a member has used on a day, by kind.
func (q Queries) Used(ctx context.Context, userID string, day int64) (map[string]int64, error) {
	used := map[string]int64{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT kind, used FROM quota_use WHERE user_id = $1 AND day = $2`, []any{userID, day}, func(rows *sql.Rows) error {
		var kind string
		var n int64
		err := rows.Scan(&kind, &n)
		used[kind] = n
		return err
	})
	return used, err
}

// SweepUsed removes up to limit counts of days before one.
func (tx *Tx) SweepUsed(before int64, limit int) (int64, error) {
	return tx.Changed(`DELETE FROM quota_use WHERE (user_id, kind) IN (SELECT user_id, kind FROM quota_use WHERE day < $1 LIMIT $2)`, before, limit)
}

// MemberQuotas returns the limits that were set for one member, by kind; -1 is no bound.
func (q Queries) MemberQuotas(ctx context.Context, userID string) (map[string]int64, error) {
	own := map[string]int64{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT kind, most FROM member_quota WHERE user_id = $1`, []any{userID}, func(rows *sql.Rows) error {
		var kind string
		var most int64
		err := rows.Scan(&kind, &most)
		own[kind] = most
		return err
	})
	return own, err
}

// SetMemberQuota sets a limit for one member.
func (tx *Tx) SetMemberQuota(userID, kind string, most int64) error {
	return tx.Exec(`INSERT INTO member_quota (user_id, kind, most, set_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, kind) DO UPDATE SET most = $3, set_at = $4`, userID, kind, most, clock.Micros(tx.Now))
}

// DropMemberQuota gives a member the limit of the server again.
func (tx *Tx) DropMemberQuota(userID, kind string) error {
	return tx.Exec(`DELETE FROM member_quota WHERE user_id = $1 AND kind = $2`, userID, kind)
}

// Context is that of the operation.
func (tx *Tx) Context() context.Context { return tx.Ctx }

// Holdings is how much of a member's the store keeps. Bytes that two drafts or submissions share count once.
type Holdings struct {
	Drafts, DraftBytes    int64
	Pending, PackageBytes int64
	Sessions              int64
}

// Holdings counts what a member has.
func (q Queries) Holdings(ctx context.Context, userID string) (h Holdings, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT
		(SELECT COUNT(*) FROM import_draft WHERE user_id = $1) + (SELECT COUNT(*) FROM template_draft WHERE user_id = $1),
		(SELECT COALESCE(SUM(b.size_bytes), 0) FROM (SELECT MAX(size_bytes) AS size_bytes FROM import_draft WHERE user_id = $1 GROUP BY blob
			UNION ALL SELECT size_bytes FROM template_draft WHERE user_id = $1) b),
		(SELECT COUNT(*) FROM submission WHERE user_id = $1 AND status = $2),
		(SELECT COALESCE(SUM(p.size_bytes), 0) FROM (SELECT MAX(size_bytes) AS size_bytes FROM submission WHERE user_id = $1 AND sha256 <> '' GROUP BY sha256) p),
		(SELECT COUNT(*) FROM session WHERE user_id = $1)`, []any{userID, submission.Pending},
		&h.Drafts, &h.DraftBytes, &h.Pending, &h.PackageBytes, &h.Sessions)
	return h, err
}

// DraftWithBytes returns a member's newest draft of the same uploaded bytes, or ErrNotFound.
func (q Queries) DraftWithBytes(ctx context.Context, userID, fingerprint string) (blob, key string, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT blob, draft_key FROM import_draft WHERE user_id = $1 AND fingerprint = $2 ORDER BY artifact_id DESC LIMIT 1`,
		[]any{userID, fingerprint}, &blob, &key)
	return blob, key, err
}

// ReleasePackages lets go of the packages of up to limit submissions that were withdrawn, replaced or rejected before a time in
// µs, so that their bytes can be removed, and returns how many.
func (tx *Tx) ReleasePackages(before int64, limit int) (int64, error) {
	return tx.Changed(`UPDATE submission SET sha256 = '', size_bytes = 0 WHERE submission_id IN (SELECT submission_id FROM submission
		WHERE sha256 <> '' AND status IN ('withdrawn', 'replaced', 'rejected') AND updated_at < $1 ORDER BY updated_at LIMIT $2)`, before, limit)
}
