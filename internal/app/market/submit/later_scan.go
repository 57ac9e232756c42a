package submit

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/market/archive"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
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

// unscanned is the summary of a package that is scanned later: its level is known, and it is never taken for clean.
func unscanned(o scan.Options) scan.Summary {
	out := scan.Read(nil, o)
	out.Status, out.Digest = scan.Incomplete, ""
	if out.RiskLevel == "low" {
		out.RiskLevel = "medium"
	}
	out.ReviewLabels = slices.DeleteFunc(out.ReviewLabels, func(label string) bool { return label == "risk_low" })
	for _, label := range []string{"risk_" + out.RiskLevel, submission.ScanPending} {
		if !slices.Contains(out.ReviewLabels, label) {
			out.ReviewLabels = append(out.ReviewLabels, label)
		}
	}
	return out
}

// ScanLater scans what waits for it, one at a time, until ctx ends.
func (a *Service) ScanLater(ctx context.Context) {
	tick := time.NewTicker(scanEvery)
	defer tick.Stop()
	for {
		did, err := a.ScanNext(ctx)
		if err != nil && ctx.Err() == nil {
			a.Log.Error("scan", "error", err)
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
func (a *Service) wantScan() {
	select {
	case a.scanWanted <- struct{}{}:
	default: // it is awake
	}
}

// ScanNext scans one submission that waits for it and tells whether there was one.
func (a *Service) ScanNext(ctx context.Context) (bool, error) {
	var id string
	err := a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		id, err = tx.TakeScanJob(clock.Micros(tx.Now.Add(-scanLease)))
		return err
	})
	if errors.Is(err, sqldb.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return true, err
	}
	stands, err := a.ItemStateOf(ctx, s.Kind, s.ItemID, s.UserID)
	if err != nil {
		return true, err
	}
	summary, err := a.scanPackage(ctx, s.SHA256, s.Content.Document.Examples, stands.scanOptions(ScanModeOf(s)))
	if err != nil {
		return true, err
	}
	return true, a.scannedNow(ctx, s, summary)
}

// ScanModeOf is the mode in which a submission wanted to be scanned.
func ScanModeOf(s marketdb.Submission) string {
	switch {
	case s.Facts.Upload != nil:
		return s.Facts.Upload.ScanMode
	case s.Facts.Submit != nil:
		return s.Facts.Submit.ScanMode
	}
	return submission.Balanced
}

// scanPackage reads a template's package whole, and its examples.
func (a *Service) scanPackage(ctx context.Context, sha256 string, examples []catalog.Example, o scan.Options) (scan.Summary, error) {
	file, err := a.Blobs.Open(ctx, sha256)
	if err != nil {
		return scan.Summary{}, browse.Missing(err)
	}
	defer file.Close()
	opened, err := archive.Open(file, file.Size(), archive.Default)
	if err != nil {
		return scan.Summary{}, err
	}
	scanning := scan.NewScan(o)
	patience, enough := context.WithTimeout(ctx, scanPatience)
	defer enough()
	bundle, err := pack.ReadTemplate(ctx, opened, func(name string) io.Writer {
		return &yielding{a, ctx, patience, scanning.File(name, scan.RoleOf(name))}
	})
	for _, f := range exampleSources(examples) {
		scanning.Field(f.File, f.Path, f.Text, scan.RoleDocument)
	}
	scanning.About(aboutBundle(bundle))
	return scanning.Finish(), err
}

// yielding reads a package block by block, each only when no upload is on its way or patience has ended: somebody
// waits for the upload, nobody for the scan. It takes the place of a package that is being read for each block
// alone, so that the catalog's readers do not wait for both.
type yielding struct {
	app      *Service
	ctx      context.Context
	patience context.Context
	to       io.Writer
}

// Write passes a block on.
func (y *yielding) Write(p []byte) (int, error) {
	select {
	case <-y.app.uploadsInProgress.none():
	case <-y.patience.Done():
	}
	done, err := y.app.Inspect(y.ctx, "")
	if err != nil {
		return 0, err
	}
	defer done()
	return y.to.Write(p)
}

// scannedNow writes down what a scan found.
func (a *Service) scannedNow(ctx context.Context, s marketdb.Submission, summary scan.Summary) error {
	var stands []string // labels of how the submission stands to what is published
	for _, label := range s.Facts.ReviewLabels {
		if slices.Contains(submission.StateLabels, label) {
			stands = append(stands, label)
		}
	}
	s.RiskLevel = summary.RiskLevel
	s.Facts.Scan, s.Content.Document.Scan = summary, summary
	s.Facts.ReviewLabels, s.Facts.WarningFlags = append(slices.Clone(summary.ReviewLabels), stands...), summary.WarningFlags
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.FinishScan(s); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Operator, core.AuditEntry{
			Owner: s.UserID, Task: true, Action: "submission.scanned", Kind: s.Kind, ItemID: s.ItemID, Target: s.SubmissionID, Status: summary.Status,
			Detail: map[string]any{"risk_level": summary.RiskLevel, "scanner_version": summary.ScannerVersion},
		}))
	})
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil // another process was first
	}
	return err
}

// ScannedFirst refuses to decide on a submission that is not scanned yet.
func ScannedFirst(ctx context.Context, q store.Queries, id string) error {
	waits, err := q.ScanPending(ctx, id)
	if err == nil && waits {
		err = errs.New(errs.SubmissionStateInvalid, "This submission is still being scanned. Try again in a moment.")
	}
	return err
}

// ScanDocument scans everything that a document says, and its package.
func (a *Service) ScanDocument(ctx context.Context, d *catalog.Document, sha256 string, o scan.Options) (scan.Summary, error) {
	switch {
	case d.Pack != nil && len(d.Pack.Contents) > 0:
		return a.scanPack(ctx, d, sha256, o)
	case d.Pack == nil && sha256 != "":
		return a.scanPackage(ctx, sha256, d.Examples, o)
	}
	done, err := a.Inspect(ctx, "")
	if err != nil {
		return scan.Summary{}, err
	}
	defer done()
	o.About = AboutDocument(d)
	return scan.Read(Sources(d), o), nil
}

// scanPack scans the sections in a profile pack's package.
func (a *Service) scanPack(ctx context.Context, d *catalog.Document, sha256 string, o scan.Options) (scan.Summary, error) {
	done, err := a.Inspect(ctx, "")
	if err != nil {
		return scan.Summary{}, err
	}
	defer done()
	file, err := a.Blobs.Open(ctx, sha256)
	if err != nil {
		return scan.Summary{}, browse.Missing(err)
	}
	defer file.Close()
	sections, err := browse.ReadPack(ctx, file)
	if err != nil {
		return scan.Summary{}, err
	}
	texts, err := Canonical(sections)
	if err != nil {
		return scan.Summary{}, err
	}
	o.About = AboutSections(sections, d.Pack.Compatibility)
	return scanned(o, texts, exampleSources(d.Examples)...), nil
}

// Replaced is a list in which what one scan said stands for what another had said; what people added stays.
func Replaced(list, old, now []string) []string {
	out := slices.Clone(now)
	for _, x := range list {
		if !slices.Contains(old, x) && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return core.NonNil(out)
}
