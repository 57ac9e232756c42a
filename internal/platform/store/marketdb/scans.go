package marketdb

import (
	"context"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// AddScanJob notes that a submission is still to be scanned.
func (tx *Tx) AddScanJob(submissionID string) error {
	return tx.Exec(`INSERT INTO scan_job (submission_id, taken_at) VALUES ($1, $2)`, submissionID, 0)
}

// TakeScanJob gives a submission to scan that nobody has begun on since before, or ErrNotFound.
func (tx *Tx) TakeScanJob(before int64) (submissionID string, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `UPDATE scan_job SET taken_at = $1
		WHERE submission_id = (SELECT submission_id FROM scan_job WHERE taken_at < $2 ORDER BY taken_at, submission_id LIMIT 1) AND taken_at < $2
		RETURNING submission_id`, []any{clock.Micros(tx.Now), before}, &submissionID)
	return submissionID, err
}

// ScanPending tells whether a submission is still to be scanned.
func (q Queries) ScanPending(ctx context.Context, submissionID string) (bool, error) {
	var n int
	err := sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*) FROM scan_job WHERE submission_id = $1`, []any{submissionID}, &n)
	return n > 0, err
}

// FinishScan writes what a scan found into its submission and ends the job. ErrNotFound when another
// process was first.
func (tx *Tx) FinishScan(s Submission) error {
	if err := tx.One(`DELETE FROM scan_job WHERE submission_id = $1`, s.SubmissionID); err != nil {
		return err
	}
	return tx.writeScan(s, "")
}
