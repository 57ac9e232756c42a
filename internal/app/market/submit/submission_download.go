package submit

import (
	"context"
	"io"
	"os"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
	"stoa/internal/market/submission"
	"stoa/internal/market/transfer"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// TransferDownload is a download that is a transfer job. The caller sends Content and calls Close; the
// job is done once the last byte was read, and fails when Close comes before.
type TransferDownload struct {
	Filename string
	SHA256   string
	Size     int64
	Job      TransferJob
	Content  io.ReadSeekCloser
}

// EndingBytes are sent while it is being written down that the download is done, so that nobody waits for the disk.
const EndingBytes = 2 << 20

// doneAtOnce is up to how many bytes a download is done when it begins: they are sent in one go.
const doneAtOnce = 256 << 10

// GetMemberSubmissionPackage opens the package of one of the caller's own template submissions.
// unless tells whether the caller has the bytes of a digest already; then Content is nil and nothing is
// written down.
func (a *Service) GetMemberSubmissionPackage(ctx context.Context, c core.Caller, in SubmissionInput, unless func(sha256 string) bool) (TransferDownload, error) {
	return a.download(ctx, c, in, catalog.KindTemplate, transfer.SubmissionPackage, unless)
}

// GetMemberProfilePackSubmissionExport opens the pack of one of the caller's own submissions.
// unless is that of GetMemberSubmissionPackage.
func (a *Service) GetMemberProfilePackSubmissionExport(ctx context.Context, c core.Caller, in SubmissionInput, unless func(sha256 string) bool) (TransferDownload, error) {
	return a.download(ctx, c, in, catalog.KindProfilePack, transfer.SubmissionExport, unless)
}

func (a *Service) download(ctx context.Context, c core.Caller, in SubmissionInput, kind catalog.Kind, jobType string, unless func(string) bool) (TransferDownload, error) {
	userID, s, err := a.ownSubmission(ctx, c, in, kind)
	if err != nil {
		return TransferDownload{}, err
	}
	if artifact := s.Facts.Artifact; artifact != nil && unless(artifact.SHA256) {
		return TransferDownload{Filename: pack.Filename(s.ItemID, s.Version), SHA256: artifact.SHA256, Size: artifact.SizeBytes}, nil
	}
	key := submission.NormalKey(in.IdempotencyKey)
	job := marketdb.Transfer{
		JobID: core.NewID(), UserID: userID, Direction: transfer.Download, JobType: jobType, ItemID: s.ItemID, SubmissionID: s.SubmissionID, IdempotencyKey: key,
	}
	job.LogicalKey = job.JobID
	if key != "" {
		job.LogicalKey = "download:" + s.SubmissionID + ":" + key
	}
	var file blob.Reader
	if artifact := s.Facts.Artifact; artifact == nil {
		err = errs.New(errs.SubmissionPackageMissing, "This submission has no package: it was made of texts alone.")
	} else {
		job.Filename, job.SizeBytes, job.SHA256 = pack.Filename(s.ItemID, s.Version), artifact.SizeBytes, artifact.SHA256
		file, err = a.Blobs.Open(ctx, artifact.SHA256)
		err = browse.Missing(err)
	}
	if key == "" && err == nil && job.SizeBytes > doneAtOnce {
		return a.newDownload(ctx, c, job, kind, file), nil
	}
	var atOnce func(*store.Tx, marketdb.Transfer) marketdb.Transfer
	if job.SizeBytes <= doneAtOnce {
		atOnce = func(tx *store.Tx, begun marketdb.Transfer) marketdb.Transfer {
			begun.DoneBytes = begun.SizeBytes
			return ended(tx, begun, transfer.Done, "", "")
		}
	}
	job, written := a.beginDownload(ctx, c, job, kind, err, atOnce)
	if written != nil {
		if file != nil {
			file.Close()
		}
		return TransferDownload{}, written
	}
	if err != nil {
		if e, ok := errs.As(err); ok {
			told := *e
			told.Data = map[string]any{"submission_id": s.SubmissionID, "transfer_job": transferView(job)}
			return TransferDownload{}, &told
		}
		return TransferDownload{}, err
	}
	if job.Status == transfer.Running {
		return opened(job, &Followed{file: file, want: job.SizeBytes, end: func(status string, done int64, reason string) error {
			return a.endDownload(ctx, job, transfer.Running, status, done, reason)
		}}), nil
	}
	return opened(job, file), nil
}

func opened(job marketdb.Transfer, content io.ReadSeekCloser) TransferDownload {
	return TransferDownload{Filename: job.Filename, SHA256: job.SHA256, Size: job.SizeBytes, Job: transferView(job), Content: content}
}

// shownAfter is how long a download runs before it shows among the member's transfers.
const shownAfter = 250 * time.Millisecond

// newDownload is a download that nobody has begun before. Most are over before anybody looks: these are
// written down whole when they end. Either way its last bytes are only sent when its job is on disk.
func (a *Service) newDownload(ctx context.Context, c core.Caller, job marketdb.Transfer, kind catalog.Kind, file blob.Reader) TransferDownload {
	now := clock.Micros(a.Clock())
	job.Status, job.AttemptCount, job.CreatedAt, job.UpdatedAt, job.StartedAt, job.Metadata = transfer.Running, 1, now, now, now, orObject(job.Metadata)
	began := make(chan error, 1)
	show := time.AfterFunc(shownAfter, func() {
		_, err := a.beginDownload(context.WithoutCancel(ctx), c, job, kind, nil, nil)
		began <- err
	})
	written := "" // what the job was last written down as
	return opened(job, &Followed{file: file, want: job.SizeBytes, early: make(chan error, 1), end: func(status string, done int64, reason string) error {
		before := written
		written = status
		if before == "" && show.Stop() {
			_, err := a.beginDownload(context.WithoutCancel(ctx), c, job, kind, nil, func(tx *store.Tx, begun marketdb.Transfer) marketdb.Transfer {
				begun.StartedAt, begun.DoneBytes = now, done
				return ended(tx, begun, status, reason, "")
			})
			return err
		}
		if before == "" {
			before = transfer.Running
			if err := <-began; err != nil {
				return err
			}
		}
		return a.endDownload(ctx, job, before, status, done, reason)
	}})
}

// beginDownload writes down that a download begins, or that it cannot; end, unless nil, says how it ends at once.
func (a *Service) beginDownload(ctx context.Context, c core.Caller, job marketdb.Transfer, kind catalog.Kind, problem error, end func(*store.Tx, marketdb.Transfer) marketdb.Transfer) (marketdb.Transfer, error) {
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		started, err := begun(tx, job)
		if err != nil {
			return err
		}
		h := core.AuditEntry{
			Owner: job.UserID, Task: true, Action: "submission.package_downloaded", Kind: kind, ItemID: job.ItemID, Target: job.SubmissionID, Status: "ok",
			Detail: map[string]any{"job_id": started.JobID, "sha256": job.SHA256},
		}
		switch {
		case problem != nil:
			reason := transfer.ReasonMissing
			if errs.CodeOf(problem) == errs.ServiceUnavailable {
				reason = transfer.ReasonUnavailable
			}
			started = ended(tx, started, transfer.Failed, reason, string(errs.CodeOf(problem)))
			h.Failed, h.Status = true, "failed"
		case started.Status == transfer.Running && end != nil:
			started = end(tx, started)
		case started.Status == transfer.Done:
			started.DoneBytes, started.FinishedAt = job.SizeBytes, clock.Micros(tx.Now)
		}
		if job, err = tx.PutTransfer(started); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, h))
	})
	return job, err
}

func (a *Service) endDownload(ctx context.Context, job marketdb.Transfer, before, status string, done int64, reason string) error {
	ctx = context.WithoutCancel(ctx) // the client may have left
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.FinishTransfer(job.JobID, before, status, done, reason, "", clock.Micros(tx.Now))
	})
}

// Followed is the Content of a download that is still running. All but its last bytes may be sent straight from its file;
// then Sent must be told. It does not embed the file: net/http would find that and send it past Read.
type Followed struct {
	file  blob.Reader
	want  int64
	sent  int64
	ended bool
	end   func(status string, done int64, reason string) error
	// early gets what came of an end that began before the last bytes were sent; nil when the job is not this
	// download's alone and so could not be failed again.
	early chan error
	begun bool // early will get something
}

// Expect says how many bytes will be sent; without it, all.
func (f *Followed) Expect(n int64) { f.want = n }

// File is nil when the bytes are not on this machine.
func (f *Followed) File() *os.File { return blob.OnDisk(f.file) }

// Sent says that so many bytes more were sent from File.
func (f *Followed) Sent(n int64) { f.sent += n }

// Ending says that only the last EndingBytes or fewer are still to be sent.
func (f *Followed) Ending() {
	if f.early != nil && !f.begun {
		f.begun = true
		go func() { f.early <- f.end(transfer.Done, f.want, "") }()
	}
}

// done writes down that the download is done, or waits until that is written.
func (f *Followed) done() error {
	f.ended = true
	if f.begun {
		return <-f.early
	}
	return f.end(transfer.Done, f.sent, "")
}

// Seek implements io.Seeker.
func (f *Followed) Seek(offset int64, whence int) (int64, error) { return f.file.Seek(offset, whence) }

// Read passes bytes on; before the last ones it writes down that the download is done, so that whoever
// has them all finds it so.
func (f *Followed) Read(p []byte) (int, error) {
	n, err := f.file.Read(p[:min(int64(len(p)), max(1, f.want-f.sent))])
	f.sent += int64(n)
	if n > 0 && f.sent == f.want && !f.ended {
		if e := f.done(); e != nil {
			return 0, e
		}
	}
	return n, err
}

// Close fails the download if it was not done.
func (f *Followed) Close() error {
	if !f.ended {
		if f.begun {
			<-f.early //nolint:errcheck // it has failed, whatever became of that
		}
		_ = f.end(transfer.Failed, f.sent, transfer.ReasonInterrupted) // a sweep fails it otherwise
	}
	return f.file.Close()
}
