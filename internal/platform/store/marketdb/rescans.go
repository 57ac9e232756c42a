package marketdb

import (
	"context"
	"database/sql"
	"encoding/json"

	"stoa/internal/market/catalog"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// VersionRef names a published version.
type VersionRef struct {
	Kind    catalog.Kind
	ItemID  string
	Seq     int64
	Version string
}

// VersionsToRescan lists published versions that another scanner judged than the given one.
func (q Queries) VersionsToRescan(ctx context.Context, scanner string, limit int) ([]VersionRef, error) {
	var all []VersionRef
	err := sqldb.ScanAll(ctx, q.Q, `SELECT i.kind, i.item_id, v.seq, v.version FROM item_version v JOIN item i ON i.seq = v.seq
		WHERE v.scanner <> $1 ORDER BY v.scanner, v.seq LIMIT $2`, []any{scanner, limit}, func(rows *sql.Rows) error {
		var r VersionRef
		err := rows.Scan(&r.Kind, &r.ItemID, &r.Seq, &r.Version)
		all = append(all, r)
		return err
	})
	return all, err
}

// SubmissionsToRescan lists the ids of pending submissions that another scanner judged than the given one. Those that wait
// for their first scan are not among them.
func (q Queries) SubmissionsToRescan(ctx context.Context, scanner string, limit int) ([]string, error) {
	var all []string
	err := sqldb.ScanAll(ctx, q.Q, `SELECT s.submission_id FROM submission s LEFT JOIN scan_job j ON j.submission_id = s.submission_id
		WHERE s.status = $1 AND s.scanner <> $2 AND j.submission_id IS NULL ORDER BY s.submission_id LIMIT $3`,
		[]any{submission.Pending, scanner, limit}, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			all = append(all, id)
			return err
		})
	return all, err
}

// ScanProgress says how far the background task that reads what is stored again has come: of Versions published versions
// and Submissions pending submissions, so many are left.
type ScanProgress struct {
	Versions, VersionsLeft, Submissions, SubmissionsLeft int
}

// ScanProgress counts what the given scanner has judged and what it has not.
func (q Queries) ScanProgress(ctx context.Context, scanner string) (p ScanProgress, err error) {
	if err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*), COALESCE(SUM(CASE WHEN scanner <> $1 THEN 1 ELSE 0 END), 0) FROM item_version`,
		[]any{scanner}, &p.Versions, &p.VersionsLeft); err != nil {
		return p, err
	}
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*), COALESCE(SUM(CASE WHEN scanner <> $1 THEN 1 ELSE 0 END), 0) FROM submission WHERE status = $2`,
		[]any{scanner, submission.Pending}, &p.Submissions, &p.SubmissionsLeft)
	return p, err
}

// RejudgeVersion writes what a scan of a published version found into its document.
func (tx *Tx) RejudgeVersion(seq int64, version string, d *catalog.Document) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return tx.One(`UPDATE item_version SET document = $3, risk_level = $4, scanner = $5 WHERE seq = $1 AND version = $2`,
		seq, version, string(text), d.Scan.RiskLevel, d.Scan.ScannerVersion)
}

// VerdictChange is what a newer scanner says of a published version, and is not shown yet. FoundAt in µs.
type VerdictChange struct {
	VersionRef
	Owner   string
	FoundAt int64
	Scan    scan.Summary
}

// HoldVerdict keeps what a scanner says of a version apart from what is shown; another scanner's word takes its place.
func (tx *Tx) HoldVerdict(seq int64, version string, s scan.Summary) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := tx.Exec(`INSERT INTO verdict_change (seq, version, found_at, scan) VALUES ($1, $2, $3, $4)
		ON CONFLICT (seq, version) DO UPDATE SET found_at = excluded.found_at, scan = excluded.scan`, seq, version, clock.Micros(tx.Now), string(text)); err != nil {
		return err
	}
	return tx.One(`UPDATE item_version SET scanner = $3 WHERE seq = $1 AND version = $2`, seq, version, s.ScannerVersion)
}

// DropVerdict forgets what was held of a version, and tells whether there was anything.
func (tx *Tx) DropVerdict(seq int64, version string) (bool, error) {
	n, err := tx.Changed(`DELETE FROM verdict_change WHERE seq = $1 AND version = $2`, seq, version)
	return n > 0, err
}

// VerdictChanges lists up to limit held verdicts that come after a version, in the order of the items. Of one item alone when
// itemID is not "".
func (q Queries) VerdictChanges(ctx context.Context, itemID string, seq int64, version string, limit int) (all []VerdictChange, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT i.kind, i.item_id, i.owner, c.seq, c.version, c.found_at, c.scan FROM verdict_change c JOIN item i ON i.seq = c.seq
		WHERE (c.seq, c.version) > ($1, $2) AND ($3 = '' OR i.item_id = $3) ORDER BY c.seq, c.version LIMIT $4`, []any{seq, version, itemID, limit}, func(rows *sql.Rows) error {
		var c VerdictChange
		var text []byte
		if err := rows.Scan(&c.Kind, &c.ItemID, &c.Owner, &c.Seq, &c.Version, &c.FoundAt, &text); err != nil {
			return err
		}
		all = append(all, c)
		return json.Unmarshal(text, &all[len(all)-1].Scan)
	})
	return all, err
}

// CountVerdictChanges counts what is held.
func (q Queries) CountVerdictChanges(ctx context.Context) (n int, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*) FROM verdict_change`, nil, &n)
	return n, err
}

// RejudgeSubmission writes what a scan of a pending submission found into it. ErrNotFound when it is decided already.
func (tx *Tx) RejudgeSubmission(s Submission) error { return tx.writeScan(s, submission.Pending) }

// writeScan writes a scan into a submission in a status, "" being any.
func (tx *Tx) writeScan(s Submission, status string) error {
	facts, err := json.Marshal(s.Facts)
	if err != nil {
		return err
	}
	content, err := json.Marshal(s.Content)
	if err != nil {
		return err
	}
	return tx.One(`UPDATE submission SET risk_level = $3, facts = $4, document = $5, labels = $6, flags = $7, scanner = $8, updated_at = $9
		WHERE submission_id = $1 AND ($2 = '' OR status = $2)`,
		s.SubmissionID, status, s.RiskLevel, string(facts), string(content), joined(s.Facts.ReviewLabels), joined(s.Facts.WarningFlags),
		s.Facts.Scan.ScannerVersion, clock.Micros(tx.Now))
}
