package app

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"stoa/internal/market/archive"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

const (
	// scanAtOnce is up to how many unpacked bytes a package is scanned before its upload is answered. Larger
	// ones are answered first: secrets are looked for at once, whatever the size, but reading every sentence
	// for attacks takes seconds.
	scanAtOnce = 1 << 20
	// scanLease is how long a process may take for one scan before another tries.
	scanLease = 5 * time.Minute
	scanEvery = 2 * time.Second
	// scanPatience is how long one scan gives way to uploads in all.
	scanPatience = 30 * time.Second
)

// unscanned is the summary of a package that is scanned later. It is never taken for clean.
func unscanned() scan.Summary {
	return scan.Summary{Status: scan.Incomplete, ScannerVersion: scan.Version(), RiskLevel: "medium", ReviewLabels: []string{"risk_medium", submission.ScanPending}}.Filled()
}

// scanLater scans what waits for it, one at a time, until ctx ends.
func (a *App) scanLater(ctx context.Context) {
	tick := time.NewTicker(scanEvery)
	defer tick.Stop()
	for {
		did, err := a.ScanNext(ctx)
		if err != nil && ctx.Err() == nil {
			a.log.Error("scan", "error", err)
		}
		if did && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-a.scanWanted:
		case <-tick.C: // what another node left behind
		}
	}
}

// wantScan wakes scanLater.
func (a *App) wantScan() {
	select {
	case a.scanWanted <- struct{}{}:
	default: // it is awake
	}
}

// ScanNext scans one submission that waits for it and tells whether there was one.
func (a *App) ScanNext(ctx context.Context) (bool, error) {
	var id string
	err := a.store.Write(ctx, func(tx *store.Tx) (err error) {
		id, err = tx.TakeScanJob(clock.Micros(tx.Now.Add(-scanLease)))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s, err := a.store.Submission(ctx, id)
	if err != nil {
		return true, err
	}
	summary, err := a.scanPackage(ctx, s)
	if err != nil {
		return true, err
	}
	return true, a.scannedNow(ctx, s, summary)
}

// scanPackage reads the package of a submission whole.
func (a *App) scanPackage(ctx context.Context, s store.Submission) (scan.Summary, error) {
	file, err := a.blobs.Open(ctx, s.SHA256)
	if err != nil {
		return scan.Summary{}, missing(err)
	}
	defer file.Close()
	opened, err := archive.Open(file, file.Size(), archive.Default)
	if err != nil {
		return scan.Summary{}, err
	}
	mode := submission.Balanced
	if s.Facts.Upload != nil {
		mode = s.Facts.Upload.ScanMode
	}
	stands, err := a.standingOf(ctx, s.Kind, s.ItemID, s.UserID)
	if err != nil {
		return scan.Summary{}, err
	}
	scanning := scan.NewScan(stands.scanOptions(mode))
	patience, enough := context.WithTimeout(ctx, scanPatience)
	defer enough()
	err = opened.Each(ctx, func(name string, r io.Reader) error {
		_, err := io.CopyBuffer(&yielding{a, ctx, patience, scanning.File(name, scan.RoleOf(name))}, onlyReader{r}, make([]byte, blockBytes))
		return err
	})
	return scanning.Finish(), err
}

// yielding reads a package block by block, each only when no upload is on its way or patience has ended: somebody
// waits for the upload, nobody for the scan. It takes the place of a package that is being read for each block
// alone, so that the catalog's readers do not wait for both.
type yielding struct {
	app      *App
	ctx      context.Context
	patience context.Context
	to       io.Writer
}

// Write passes a block on.
func (y *yielding) Write(p []byte) (int, error) {
	select {
	case <-y.app.arriving.none():
	case <-y.patience.Done():
	}
	if err := y.app.inspect(y.ctx); err != nil {
		return 0, err
	}
	defer y.app.inspected()
	return y.to.Write(p)
}

// onlyReader hides the other methods of a reader, so that its bytes come in blocks.
type onlyReader struct{ io.Reader }

// scannedNow writes down what a scan found.
func (a *App) scannedNow(ctx context.Context, s store.Submission, summary scan.Summary) error {
	var stands []string // labels of how the submission stands to what is published
	for _, label := range s.Facts.ReviewLabels {
		if slices.Contains(submission.StandingLabels, label) {
			stands = append(stands, label)
		}
	}
	s.RiskLevel = summary.RiskLevel
	s.Facts.Scan, s.Content.Document.Scan = summary, summary
	s.Facts.ReviewLabels, s.Facts.WarningFlags = append(slices.Clone(summary.ReviewLabels), stands...), summary.WarningFlags
	err := a.store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.FinishScan(s); err != nil {
			return err
		}
		return tx.AddEvent(event(tx, Operator, happened{
			Owner: s.UserID, Task: true, Action: "submission.scanned", Kind: s.Kind, ItemID: s.ItemID, Target: s.SubmissionID, Status: summary.Status,
			Detail: map[string]any{"risk_level": summary.RiskLevel, "scanner_version": summary.ScannerVersion},
		}))
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // another process was first
	}
	return err
}

// scannedFirst refuses to decide on a submission that is not scanned yet.
func scannedFirst(ctx context.Context, q store.Queries, id string) error {
	waits, err := q.ScanPending(ctx, id)
	if err == nil && waits {
		err = errs.New(errs.SubmissionStateInvalid, "This submission is still being scanned. Try again in a moment.")
	}
	return err
}
