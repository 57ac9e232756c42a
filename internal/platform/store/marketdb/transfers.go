package marketdb

import (
	"context"
	"database/sql"

	"stoa/internal/market/transfer"
	"stoa/internal/platform/store/sqldb"
)

// Transfer is one upload or download. LogicalKey is what a retry has in common with the first attempt.
// Times in µs, 0 for not yet; Metadata is JSON.
type Transfer struct {
	JobID          string
	UserID         string
	LogicalKey     string
	Direction      string
	JobType        string
	ItemID         string
	SubmissionID   string
	Status         string
	Filename       string
	SizeBytes      int64
	DoneBytes      int64
	SHA256         string
	AttemptCount   int
	RetryCount     int
	IdempotencyKey string
	FailureReason  string
	FailureDetail  string
	Metadata       string
	CreatedAt      int64
	UpdatedAt      int64
	StartedAt      int64
	FinishedAt     int64
}

const transferColumns = `job_id, user_id, logical_key, direction, job_type, item_id, submission_id, status, filename, size_bytes, done_bytes, sha256,
	attempt_count, retry_count, idempotency_key, failure_reason, failure_detail, metadata, created_at, updated_at, started_at, finished_at`

func (t *Transfer) fields() []any {
	return []any{
		&t.JobID, &t.UserID, &t.LogicalKey, &t.Direction, &t.JobType, &t.ItemID, &t.SubmissionID, &t.Status, &t.Filename, &t.SizeBytes, &t.DoneBytes, &t.SHA256,
		&t.AttemptCount, &t.RetryCount, &t.IdempotencyKey, &t.FailureReason, &t.FailureDetail, &t.Metadata, &t.CreatedAt, &t.UpdatedAt, &t.StartedAt, &t.FinishedAt,
	}
}

func (t *Transfer) values() []any {
	return []any{
		t.JobID, t.UserID, t.LogicalKey, t.Direction, t.JobType, t.ItemID, t.SubmissionID, t.Status, t.Filename, t.SizeBytes, t.DoneBytes, t.SHA256,
		t.AttemptCount, t.RetryCount, t.IdempotencyKey, t.FailureReason, t.FailureDetail, t.Metadata, t.CreatedAt, t.UpdatedAt, t.StartedAt, t.FinishedAt,
	}
}

// PutTransfer writes a job, over the one of the same member and logical key if there is one. That one
// keeps its id and its beginning.
func (tx *Tx) PutTransfer(t Transfer) (Transfer, error) {
	err := sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO transfer_job (`+transferColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
		ON CONFLICT (user_id, logical_key) DO UPDATE SET job_type = excluded.job_type, item_id = excluded.item_id, submission_id = excluded.submission_id,
		  status = excluded.status, filename = excluded.filename, size_bytes = excluded.size_bytes, done_bytes = excluded.done_bytes, sha256 = excluded.sha256,
		  attempt_count = excluded.attempt_count, retry_count = excluded.retry_count, failure_reason = excluded.failure_reason,
		  failure_detail = excluded.failure_detail, metadata = excluded.metadata, updated_at = excluded.updated_at, started_at = excluded.started_at,
		  finished_at = excluded.finished_at
		RETURNING `+transferColumns, t.values(), t.fields()...)
	if err != nil {
		return t, err
	}
	return t, tx.trimTransfers(t.UserID)
}

// QueueTransfer gives the job of t's member and logical key as it stands, or adds t as a queued one. Others
// who want the same job wait until this transaction has ended, so that no attempt goes uncounted.
func (tx *Tx) QueueTransfer(t Transfer) (Transfer, error) {
	t.Status = transfer.Queued
	err := sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO transfer_job (`+transferColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
		ON CONFLICT (user_id, logical_key) DO UPDATE SET updated_at = transfer_job.updated_at
		RETURNING `+transferColumns, t.values(), t.fields()...)
	if err != nil {
		return t, err
	}
	return t, tx.trimTransfers(t.UserID)
}

// KeptTransfers is how many jobs of a member are kept that have ended.
const KeptTransfers = 1000

// trimTransfers forgets all but the newest jobs of a member. One under way stays, however old.
func (tx *Tx) trimTransfers(userID string) error {
	return tx.Exec(`DELETE FROM transfer_job WHERE user_id = $1 AND status NOT IN ($2, $3) AND (updated_at, job_id) <=
		(SELECT updated_at, job_id FROM transfer_job WHERE user_id = $1 ORDER BY updated_at DESC, job_id DESC LIMIT 1 OFFSET $4)`,
		userID, transfer.Queued, transfer.Running, KeptTransfers)
}

// RemoveTransfer removes a job that turned out to be an attempt at another one.
func (tx *Tx) RemoveTransfer(jobID string) error {
	return tx.Exec(`DELETE FROM transfer_job WHERE job_id = $1`, jobID)
}

// ProgressTransfer notes how far a running job has come.
func (tx *Tx) ProgressTransfer(jobID string, done, at int64) error {
	return tx.Exec(`UPDATE transfer_job SET done_bytes = $2, updated_at = $3 WHERE job_id = $1 AND status = $4`, jobID, done, at, transfer.Running)
}

// FinishTransfer moves a job from the status before, mostly running, to its end; a job that is not in it stays as it is.
func (tx *Tx) FinishTransfer(jobID, before, status string, done int64, reason, detail string, at int64) error {
	return tx.Exec(`UPDATE transfer_job SET status = $2, done_bytes = $3, failure_reason = $4, failure_detail = $5, updated_at = $6, finished_at = $6
		WHERE job_id = $1 AND status = $7`, jobID, status, done, reason, detail, at, before)
}

// Transfers lists a member's jobs, latest change first, after the row (updatedAt, jobID); updatedAt 0
// starts at the newest. direction and status "" mean any.
func (q Queries) Transfers(ctx context.Context, userID, direction, status string, updatedAt int64, jobID string, limit int) ([]Transfer, error) {
	if updatedAt == 0 {
		updatedAt = 1<<63 - 1
	}
	var all []Transfer
	err := sqldb.ScanAll(ctx, q.Q, `SELECT `+transferColumns+` FROM transfer_job
		WHERE user_id = $1 AND (updated_at, job_id) < ($2, $3) AND ($4 = '' OR direction = $4) AND ($5 = '' OR status = $5)
		ORDER BY updated_at DESC, job_id DESC LIMIT $6`,
		[]any{userID, updatedAt, jobID, direction, status, limit}, func(rows *sql.Rows) error {
			all = append(all, Transfer{})
			return rows.Scan(all[len(all)-1].fields()...)
		})
	return all, err
}

// FailStale fails jobs that have not moved since before, at most limit of them, and tells how many.
func (tx *Tx) FailStale(before, at int64, limit int) (n int64, err error) {
	for _, state := range []string{transfer.Queued, transfer.Running} {
		changed, err := tx.Changed(`UPDATE transfer_job SET status = $1, failure_reason = $2, updated_at = $3, finished_at = $3
			WHERE job_id IN (SELECT job_id FROM transfer_job WHERE status = $4 AND updated_at < $5 LIMIT $6)`,
			transfer.Failed, transfer.ReasonInterrupted, at, state, before, limit)
		if err != nil {
			return n, err
		}
		n += changed
	}
	return n, nil
}
