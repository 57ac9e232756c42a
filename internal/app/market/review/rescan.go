package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/catalog"
	"stoa/internal/market/install"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

const (
	// rescanEvery is how often it is asked whether another scanner judged something.
	rescanEvery = 5 * time.Minute
	// rescanBatch is how many are looked up at a time.
	rescanBatch = 32
)

// Rescan has everything judged by this binary's scanner, after a start and then every few minutes, until ctx ends.
func (a *Service) Rescan(ctx context.Context) {
	for {
		if n, err := a.RescanStored(ctx); err != nil && ctx.Err() == nil {
			a.Log.Error("rescan", "error", err)
		} else if n > 0 {
			a.Log.Info("rescan: what was stored was judged again", "count", n, "scanner", scan.Version())
		}
		if !core.Sleep(ctx, rescanEvery) {
			return
		}
	}
}

// RescanStored scans published versions and pending submissions that another scanner judged, and returns how many. Each is
// written by itself, so that a run that is stopped goes on where it was. It does nothing while another node does.
func (a *Service) RescanStored(ctx context.Context) (n int, err error) {
	_, err = a.RunExclusive(ctx, core.JobRescan, func(d *core.Job) error {
		for {
			versions, err := a.Store.VersionsToRescan(ctx, scan.Version(), rescanBatch)
			if err != nil {
				return err
			}
			for _, v := range versions {
				if err := a.rescanVersion(ctx, d, v); err != nil {
					return err
				}
				n++
			}
			if len(versions) < rescanBatch {
				break
			}
		}
		for {
			ids, err := a.Store.SubmissionsToRescan(ctx, scan.Version(), rescanBatch)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if err := a.rescanSubmission(ctx, d, id); err != nil {
					return err
				}
				n++
			}
			if len(ids) < rescanBatch {
				return nil
			}
		}
	})
	return n, err
}

// scanStored scans a stored document again; sha256 is of the package that was uploaded for it, "" when there is none.
func (a *Service) scanStored(ctx context.Context, d *catalog.Document, sha256, mode string) (scan.Summary, error) {
	o := scan.Options{Mode: scan.Balanced}
	if mode == submission.Strict {
		o.Mode = scan.Strict
	}
	for _, f := range d.Scan.Findings {
		if f.Accepted {
			o.Accepted = append(o.Accepted, f.Fingerprint)
		}
	}
	return a.ScanDocument(ctx, d, sha256, o)
}

// rescanned is a new verdict on a stored document. What cannot be read any more is incomplete, never taken for clean; an
// error means that it may be readable later.
func (a *Service) rescanned(ctx context.Context, d *catalog.Document, sha256, mode string) (scan.Summary, error) {
	s, err := a.scanStored(ctx, d, sha256, mode)
	if err == nil || ctx.Err() != nil || errs.CodeOf(err) == errs.ServiceUnavailable {
		return s, err
	}
	s = d.Scan.Filled()
	s.Status, s.ScannerVersion = scan.Incomplete, scan.Version()
	s.Gaps = append(slices.Clone(s.Gaps), scan.Gap{File: sha256, Why: "the package could not be read again"})
	a.Log.Warn("rescan: a package could not be read", "item", d.ID, "version", d.Version, "error", err)
	return s, nil
}

func (a *Service) rescanVersion(ctx context.Context, d *core.Job, v marketdb.VersionRef) error {
	document, err := a.Store.Document(ctx, v.Seq, v.Version)
	if err != nil {
		return err
	}
	artifacts, err := a.Store.Artifacts(ctx, v.Seq, v.Version)
	if err != nil {
		return err
	}
	uploaded := ""
	for _, artifact := range artifacts {
		if artifact.Source == install.Uploaded {
			uploaded = artifact.SHA256
		}
	}
	now, err := a.rescanned(ctx, &document, uploaded, string(document.Scan.Mode))
	if err != nil {
		return err
	}
	return d.Write(ctx, func(tx *store.Tx) error {
		if document.Scan.ScannerVersion != "" && !sameVerdict(document.Scan, now) {
			return tx.HoldVerdict(v.Seq, v.Version, now)
		}
		if _, err := tx.DropVerdict(v.Seq, v.Version); err != nil {
			return err
		}
		return a.showVerdict(ctx, tx, v, now)
	})
}

func (a *Service) rescanSubmission(ctx context.Context, d *core.Job, id string) error {
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return err
	}
	old := s.Content.Document.Scan
	now, err := a.rescanned(ctx, &s.Content.Document, s.SHA256, submit.ScanModeOf(s))
	if err != nil {
		return err
	}
	s.RiskLevel, s.Facts.Scan, s.Content.Document.Scan = now.RiskLevel, now, now
	s.Facts.ReviewLabels = submit.Replaced(s.Facts.ReviewLabels, old.ReviewLabels, now.ReviewLabels)
	s.Facts.WarningFlags = submit.Replaced(s.Facts.WarningFlags, old.WarningFlags, now.WarningFlags)
	return d.Write(ctx, func(tx *store.Tx) error {
		if err := tx.HoldPending(id); errors.Is(err, sqldb.ErrNotFound) {
			return nil // it was decided or erased meanwhile
		} else if err != nil {
			return err
		}
		stored, err := tx.Submission(ctx, id)
		if err != nil {
			return err
		}
		if stored.Content.Document.ExamplesDigest() != s.Content.Document.ExamplesDigest() {
			return nil // its member changed it meanwhile, and it was scanned then
		}
		if err := tx.RejudgeSubmission(s); err != nil {
			return err
		}
		h := core.AuditEntry{Owner: s.UserID, Action: "submission.rescanned", Kind: s.Kind, ItemID: s.ItemID, Target: s.SubmissionID}
		return auditVerdict(tx, core.Operator, h, s.Version, old, now)
	})
}

// toldOf reports whether a change of the verdict is one that whoever has the version is told of.
func toldOf(old, now scan.Summary) bool {
	return old.RiskLevel != now.RiskLevel || len(submit.Without(now.WarningFlags, old.WarningFlags)) > 0
}

// tellVerdict tells everybody who has a version installed that its risk is another now, or that there are new warnings.
func tellVerdict(ctx context.Context, tx *store.Tx, item marketdb.Item, version string, old, now scan.Summary) error {
	if !toldOf(old, now) {
		return nil
	}
	why := ""
	if gained := submit.Without(now.WarningFlags, old.WarningFlags); len(gained) > 0 {
		why = " New warnings: " + strings.Join(gained, ", ") + "."
	}
	after := ""
	for {
		users, err := tx.InstallersOf(ctx, item.Seq, version, after, core.SweepBatch)
		if err != nil || len(users) == 0 {
			return err
		}
		for _, userID := range users {
			if err := core.Notify(tx, userID, core.ToldVerdict, core.About{ItemID: item.ItemID, Kind: item.Kind}, "Version %s of %s, which you have installed, was judged again: its risk was %s and is %s.%s Uninstall it, or take it out of your bot with `stoa apply --remove %s`, if you do not want that.",
				version, item.ItemID, old.RiskLevel, now.RiskLevel, why, item.ItemID); err != nil {
				return err
			}
		}
		after = users[len(users)-1]
	}
}

// auditVerdict writes down that a verdict changed; nothing when it did not.
func auditVerdict(tx *store.Tx, c core.Caller, h core.AuditEntry, version string, old, now scan.Summary) error {
	if sameVerdict(old, now) {
		return nil
	}
	h.Status = now.Status
	h.Detail = map[string]any{
		"version": version, "scanner_version": now.ScannerVersion, "risk_before": old.RiskLevel, "risk_level": now.RiskLevel, "status_before": old.Status,
		"labels_added": submit.Without(now.ReviewLabels, old.ReviewLabels), "labels_removed": submit.Without(old.ReviewLabels, now.ReviewLabels),
		"flags_added": submit.Without(now.WarningFlags, old.WarningFlags), "flags_removed": submit.Without(old.WarningFlags, now.WarningFlags),
	}
	return tx.AddEvent(core.NewAuditEvent(tx, c, h))
}

// RescanProgress counts the published versions and pending submissions that this scanner has judged, and all of them.
func (a *Service) RescanProgress(ctx context.Context) (judged, all int, err error) {
	p, err := a.Store.ScanProgress(ctx, scan.Version())
	all = p.Versions + p.Submissions
	return all - p.VersionsLeft - p.SubmissionsLeft, all, err
}

// ExamineScans says how far the judging of what is stored has come.
func (a *Service) ExamineScans(ctx context.Context) (core.Finding, error) {
	p, err := a.Store.ScanProgress(ctx, scan.Version())
	if err != nil {
		return core.Finding{}, err
	}
	f := core.Finding{Check: "scans", OK: true, Detail: fmt.Sprintf("%d versions and %d pending submissions were judged by %s", p.Versions, p.Submissions, scan.Version())}
	if left := p.VersionsLeft + p.SubmissionsLeft; left > 0 {
		f.Detail = fmt.Sprintf("%d of %d versions and %d of %d pending submissions were judged by %s; a running server does the other %d",
			p.Versions-p.VersionsLeft, p.Versions, p.Submissions-p.SubmissionsLeft, p.Submissions, scan.Version(), left)
	}
	held, err := a.Store.CountVerdictChanges(ctx)
	if held > 0 {
		f.Detail += fmt.Sprintf("; %d changed verdicts wait for you: `stoa review verdicts`", held)
	}
	return f, err
}
