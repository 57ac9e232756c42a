package submit

import (
	"context"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/market/transfer"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// MaxPackageBytes is the largest package that can be uploaded.
const MaxPackageBytes = 20 << 20

const (
	// shownFrom is from how many bytes on an upload shows among the member's transfers while it runs;
	// smaller ones are over before anybody looks.
	shownFrom     = 256 << 10
	progressEvery = time.Second
)

// Upload receives the bytes of one file. It is an io.Writer that must be closed.
type Upload struct {
	app     *Service
	ctx     context.Context
	caller  core.Caller
	staged  *blob.Staged
	job     marketdb.Transfer // JobID is "" while the job is not shown
	told    time.Time
	problem error
}

// attempt is the job of the upload as it stands.
func (u *Upload) attempt() marketdb.Transfer {
	job := u.job
	job.DoneBytes, job.SizeBytes = u.staged.Size(), u.staged.Size()
	if u.staged.Size() > 0 {
		job.SHA256 = u.staged.Digest()
	}
	return job
}

// BeginUpload checks that the caller may upload at all and opens a place for the bytes, of which total
// are expected (0 when that is not known).
func (a *Service) BeginUpload(ctx context.Context, c core.Caller, jobType string, total int64) (*Upload, error) {
	if _, err := c.Member(""); err != nil {
		return nil, err
	}
	staged, err := a.Blobs.Stage()
	if err != nil {
		return nil, err
	}
	a.uploadsInProgress.begin()
	return &Upload{app: a, ctx: ctx, caller: c, staged: staged, job: marketdb.Transfer{
		UserID: c.UserID, Direction: transfer.Upload, JobType: jobType, SizeBytes: total, Metadata: "{}",
	}}, nil
}

// Write adds the next bytes; package_too_large when they are too many.
func (u *Upload) Write(p []byte) (int, error) {
	if u.staged.Size()+int64(len(p)) > MaxPackageBytes {
		u.problem = TooLarge(u.staged.Size() + int64(len(p)))
		return 0, u.problem
	}
	n, err := u.staged.Write(p)
	if err == nil && u.staged.Size() >= shownFrom {
		err = u.show()
	}
	return n, err
}

// TooLarge is the answer to an upload of so many bytes or more.
func TooLarge(size int64) error {
	return errs.Newf(errs.PackageTooLarge, "The file is larger than %d MiB. Leave large files out, or use `stoa pack` on your own machine.", MaxPackageBytes>>20).
		With("max_size_bytes", MaxPackageBytes).With("estimated_size_bytes", size)
}

// ErrInterrupted is the problem of an upload whose client left in the middle.
var ErrInterrupted error = errs.New(errs.InvalidJSON, "The request ended before its body did.")

// Fail notes why the upload cannot be used; the operation that is handed it answers so.
func (u *Upload) Fail(err error) { u.problem = err }

// Size is how many bytes came in.
func (u *Upload) Size() int64 { return u.staged.Size() }

// Close removes what has not been kept.
func (u *Upload) Close() {
	u.staged.Discard()
	u.app.uploadsInProgress.end()
}

// show tells the member's transfers how far the upload is, at most once a second.
func (u *Upload) show() error {
	now := u.app.Clock()
	if u.job.JobID != "" && now.Sub(u.told) < progressEvery {
		return nil
	}
	u.told = now
	return u.app.Store.Write(u.ctx, func(tx *store.Tx) error {
		if u.job.JobID != "" {
			return tx.ProgressTransfer(u.job.JobID, u.staged.Size(), clock.Micros(tx.Now))
		}
		job := u.job
		job.JobID = core.NewID()
		job.LogicalKey, job.DoneBytes = job.JobID, u.staged.Size()
		job, err := begun(tx, job)
		if err != nil {
			return err
		}
		if job, err = tx.PutTransfer(job); err != nil {
			return err
		}
		tx.OnCommit(func() { u.job = job })
		return nil
	})
}

// uploadOf says what an upload turned out to be about, for its job.
type uploadOf struct {
	userID, itemID, filename, key string
	version                       string // "" where the request names none
	route                         string
	metadata                      string
}

// recordTransferOutcome writes an attempt's job as it ended. With an idempotency key it is the one job of that key, unless the key is
// somebody else's or its job is done: an attempt that failed then is a job of its own, and the earlier one stays as it is.
func recordTransferOutcome(tx *store.Tx, job marketdb.Transfer, of uploadOf, target, status, reason, detail string) (marketdb.Transfer, error) {
	shown, owner, started := job.JobID, job.UserID, job.StartedAt
	job.UserID, job.ItemID, job.Filename, job.SubmissionID, job.IdempotencyKey, job.Metadata = of.userID, of.itemID, of.filename, target, of.key, of.metadata
	if shown == "" {
		job.JobID = core.NewID()
		job.LogicalKey = job.JobID
	}
	if of.key != "" && reason != transfer.ReasonConflict {
		job.LogicalKey = of.route + ":" + of.key
	}
	if shown != "" && (job.LogicalKey != shown || owner != of.userID) {
		if err := tx.RemoveTransfer(shown); err != nil {
			return job, err
		}
	}
	own := job
	job, err := begun(tx, job)
	if err == nil && job.Status == transfer.Done && status != transfer.Done {
		own.JobID = core.NewID()
		own.LogicalKey = own.JobID
		job, err = begun(tx, own)
	}
	if err != nil {
		return job, err
	}
	if started != 0 {
		job.StartedAt = started
	}
	return tx.PutTransfer(ended(tx, job, status, reason, detail))
}

// reasons are the failure reasons of a job by the code of the error that ended it.
var reasons = map[errs.Code]string{
	errs.PackageTooLarge:           transfer.ReasonTooLarge,
	errs.InvalidJSON:               transfer.ReasonPayload,
	errs.InvalidPackagePayload:     transfer.ReasonPayload,
	errs.InvalidProfilePackPayload: transfer.ReasonPayload,
	errs.IdempotencyConflict:       transfer.ReasonConflict,
	errs.Internal:                  transfer.ReasonUnavailable,
	errs.ServiceUnavailable:        transfer.ReasonUnavailable,
}

// idName is what the id of an item of a kind is called in answers.
func idName(kind catalog.Kind) string {
	if kind == catalog.KindProfilePack {
		return "pack_id"
	}
	return "template_id"
}

// loggable returns an item's id as the audit log may keep it: "" for what is no id, which may be anything that was sent in
// its place, and for one that looks like a secret.
func (a *Service) loggable(kind catalog.Kind, id string) string {
	if _, known := a.Cache.Index(kind).Get(id); known {
		return id
	}
	scan := a.Secrets.NewText("")
	_, _ = scan.Write([]byte(id)) // never fails
	if !ids.Item(id) || len(scan.Findings()) > 0 {
		return ""
	}
	return id
}

// failed writes down that an upload came to nothing and gives the error to answer, which names the job.
func (a *Service) failed(ctx context.Context, c core.Caller, try marketdb.Transfer, of uploadOf, action string, kind catalog.Kind, cause error) error {
	code := errs.CodeOf(cause)
	if code == errs.PermissionDenied || code == errs.Unauthorized {
		return cause
	}
	if code == errs.RateLimited {
		return cause // writing that down would cost what is used up
	}
	if away := (*sqldb.Unreachable)(nil); errors.As(cause, &away) {
		return cause // it could not be written down either, and would be waited for twice
	}
	reason, ok := reasons[code]
	switch {
	case errors.Is(cause, ErrInterrupted):
		reason = transfer.ReasonInterrupted
	case !ok:
		reason = transfer.ReasonValidation
	}
	detail := string(code)
	if e, ours := errs.As(cause); ours {
		detail = e.Message
	}
	ctx = context.WithoutCancel(ctx) // the client may have left; its transfer failed all the same
	var job marketdb.Transfer
	shown := of
	of.itemID = a.loggable(kind, of.itemID)
	err := a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if job, err = recordTransferOutcome(tx, try, shown, "", transfer.Failed, reason, detail); err != nil {
			return err
		}
		return tx.AddEvent(uploadFailure(tx, c, of, action, kind, job.JobID, code))
	})
	if err != nil {
		a.Log.Error("uploads: a failed upload could not be written down", "error", err)
		return cause
	}
	if e, ours := errs.As(cause); ours {
		told := *e
		told.Data = map[string]any{"error": string(code), "transfer_job": transferView(job)}
		for name, value := range map[string]string{idName(kind): of.itemID, "version": of.version, "filename": of.filename} {
			if value != "" {
				told.Data[name] = value
			}
		}
		for k, v := range e.Data {
			told.Data[k] = v
		}
		return &told
	}
	return cause
}

// uploadFailure is the audit line of an upload that came to nothing. of.itemID must be fit for the log: see loggable.
func uploadFailure(tx *store.Tx, c core.Caller, of uploadOf, action string, kind catalog.Kind, jobID string, code errs.Code) store.Event {
	return core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: of.userID, Task: true, Action: action, Kind: kind, ItemID: of.itemID, Target: jobID, Failed: true, Status: "failed",
		Detail: map[string]any{"error": string(code), "filename": of.filename},
	})
}
