package submit

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/market/transfer"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// TransferJob is one upload or download of a member.
type TransferJob struct {
	JobID          string          `json:"job_id"`
	Direction      string          `json:"direction"`
	JobType        string          `json:"job_type"`
	ActorID        string          `json:"actor_id"`
	ActorRole      string          `json:"actor_role"`
	UserID         string          `json:"user_id"`
	TemplateID     string          `json:"template_id"`
	SubmissionID   string          `json:"submission_id"`
	Status         string          `json:"status"`
	Filename       string          `json:"filename"`
	SizeBytes      int64           `json:"size_bytes"`
	DoneBytes      int64           `json:"done_bytes"`
	SHA256         string          `json:"sha256"`
	AttemptCount   int             `json:"attempt_count"`
	RetryCount     int             `json:"retry_count"`
	MaxAttempts    int             `json:"max_attempts"`
	IdempotencyKey string          `json:"idempotency_key"`
	FailureReason  string          `json:"failure_reason"`
	FailureDetail  string          `json:"failure_detail"`
	CreatedAt      string          `json:"created_at"`
	UpdatedAt      string          `json:"updated_at"`
	StartedAt      string          `json:"started_at"`
	FinishedAt     string          `json:"finished_at"`
	Metadata       json.RawMessage `json:"metadata"`
}

// TransferList is a page of transfers.
type TransferList struct {
	UserID      string        `json:"user_id"`
	Count       int           `json:"count"`
	Jobs        []TransferJob `json:"jobs"`
	NextCursor  string        `json:"next_cursor"`
	RefreshedAt string        `json:"refreshed_at,omitempty"`
}

// TransferInput filters transfers; "" means any.
type TransferInput struct {
	UserID    string `json:"user_id"`
	Direction string `json:"direction"`
	Status    string `json:"status"`
	Limit     int    `json:"limit"`
	Cursor    string `json:"cursor"`
}

// ListMemberTransferJobs answers the caller's own transfers, latest change first.
func (a *Service) ListMemberTransferJobs(ctx context.Context, c core.Caller, in TransferInput) (TransferList, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return TransferList{}, err
	}
	at, after, err := changeCursor(in.Cursor)
	if err != nil {
		return TransferList{}, err
	}
	limit := core.PageInput{Limit: in.Limit}.Size()
	rows, err := a.Store.Transfers(ctx, userID, strings.ToLower(in.Direction), strings.ToLower(in.Status), at, after, limit+1)
	if err != nil {
		return TransferList{}, err
	}
	out := TransferList{UserID: userID, Jobs: []TransferJob{}}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		out.NextCursor = strconv.FormatInt(last.UpdatedAt, 36) + "." + last.JobID
	}
	for _, t := range rows {
		out.Jobs = append(out.Jobs, transferView(t))
	}
	out.Count = len(out.Jobs)
	return out, nil
}

// RefreshMemberTransferJobs is the same list, with the time at which it was read.
func (a *Service) RefreshMemberTransferJobs(ctx context.Context, c core.Caller, in TransferInput) (TransferList, error) {
	out, err := a.ListMemberTransferJobs(ctx, c, in)
	out.RefreshedAt = clock.Text(a.Clock())
	return out, err
}

// changeCursor reads a cursor of a list that is sorted by its last change.
func changeCursor(cursor string) (at int64, id string, err error) {
	if cursor == "" {
		return 0, "", nil
	}
	head, id, ok := strings.Cut(cursor, ".")
	if at, err = strconv.ParseInt(head, 36, 64); !ok || err != nil || at <= 0 {
		return 0, "", core.ErrCursor
	}
	if id, err = core.ParseIDCursor(id); err != nil || id == "" {
		return 0, "", core.ErrCursor
	}
	return at, id, nil
}

func transferView(t marketdb.Transfer) TransferJob {
	moment := func(µs int64) string {
		if µs == 0 {
			return ""
		}
		return clock.Text(clock.FromMicros(µs))
	}
	return TransferJob{
		JobID: t.JobID, Direction: t.Direction, JobType: t.JobType, ActorID: t.UserID, ActorRole: "member", UserID: t.UserID, TemplateID: t.ItemID,
		SubmissionID: t.SubmissionID, Status: t.Status, Filename: t.Filename, SizeBytes: t.SizeBytes, DoneBytes: t.DoneBytes, SHA256: t.SHA256,
		AttemptCount: t.AttemptCount, RetryCount: t.RetryCount, MaxAttempts: transfer.MaxAttempts(t.Direction), IdempotencyKey: t.IdempotencyKey,
		FailureReason: t.FailureReason, FailureDetail: t.FailureDetail, CreatedAt: moment(t.CreatedAt), UpdatedAt: moment(t.UpdatedAt),
		StartedAt: moment(t.StartedAt), FinishedAt: moment(t.FinishedAt), Metadata: json.RawMessage(t.Metadata),
	}
}

// begun is a job as it stands when an attempt begins: a new one, or the failed, running or done one of
// the same logical key, of which this is one more attempt.
func begun(tx *store.Tx, t marketdb.Transfer) (marketdb.Transfer, error) {
	now := clock.Micros(tx.Now)
	t.CreatedAt, t.StartedAt, t.UpdatedAt, t.AttemptCount, t.Metadata = now, now, now, 1, orObject(t.Metadata)
	known, err := tx.QueueTransfer(t)
	if err != nil {
		return t, err
	}
	t.JobID, t.CreatedAt, t.AttemptCount, t.RetryCount, t.Status = known.JobID, known.CreatedAt, known.AttemptCount, known.RetryCount, transfer.Running
	if again := transfer.CanBecome(known.Status, transfer.Queued); again || known.Status == transfer.Done {
		t.AttemptCount++
		t.RetryCount++
	}
	if known.Status == transfer.Done {
		t.Status = transfer.Done
	}
	return t, nil
}

// ended is the job at the end of its attempt.
func ended(tx *store.Tx, t marketdb.Transfer, status, reason, detail string) marketdb.Transfer {
	t.Status, t.FailureReason, t.FailureDetail = status, reason, detail
	t.UpdatedAt, t.FinishedAt = clock.Micros(tx.Now), clock.Micros(tx.Now)
	return t
}

func orObject(metadata string) string {
	if metadata == "" {
		return "{}"
	}
	return metadata
}
