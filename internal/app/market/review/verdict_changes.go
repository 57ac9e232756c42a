package review

import (
	"context"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/catalog"
	"stoa/internal/market/scan"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// VerdictChange is what a newer scanner says of a published version where that differs from what is shown.
type VerdictChange struct {
	Kind          catalog.Kind `json:"kind"`
	ItemID        string       `json:"item_id"`
	Version       string       `json:"version"`
	Owner         string       `json:"owner"`
	FoundAt       string       `json:"found_at"`
	Scanner       string       `json:"scanner_version"`
	RiskBefore    string       `json:"risk_before"`
	Risk          string       `json:"risk_level"`
	LabelsAdded   []string     `json:"labels_added"`
	LabelsRemoved []string     `json:"labels_removed"`
	FlagsAdded    []string     `json:"flags_added"`
	FlagsRemoved  []string     `json:"flags_removed"`
	// Evidence is the first that was found where the verdict got worse.
	Evidence []scan.Evidence `json:"risk_evidence"`
}

// VerdictChanges is a page of what waits, and how far the scanner has come.
type VerdictChanges struct {
	Changes []VerdictChange `json:"changes"`
	Waiting int             `json:"waiting"`
	Scanner string          `json:"scanner_version"`
	// Judged of Versions published versions were read by this scanner.
	Judged   int `json:"judged"`
	Versions int `json:"versions"`
}

const (
	// verdictsAtOnce is how many changes are read at a time.
	verdictsAtOnce = 100
	// evidenceShown is how much of the evidence a line has.
	evidenceShown = 5
)

// ListVerdictChanges lists what a newer scanner says otherwise than what is shown, at most verdictsAtOnce after an item and version.
func (a *Service) ListVerdictChanges(ctx context.Context, seq int64, version string) (VerdictChanges, error) {
	p, err := a.Store.ScanProgress(ctx, scan.Version())
	if err != nil {
		return VerdictChanges{}, err
	}
	out := VerdictChanges{Changes: []VerdictChange{}, Scanner: scan.Version(), Judged: p.Versions - p.VersionsLeft, Versions: p.Versions}
	if out.Waiting, err = a.Store.CountVerdictChanges(ctx); err != nil {
		return out, err
	}
	rows, err := a.Store.VerdictChanges(ctx, "", seq, version, verdictsAtOnce)
	for _, c := range rows {
		document, err := a.Store.Document(ctx, c.Seq, c.Version)
		if err != nil {
			return out, err
		}
		out.Changes = append(out.Changes, verdictChange(c, document.Scan))
	}
	return out, err
}

func verdictChange(c marketdb.VerdictChange, old scan.Summary) VerdictChange {
	return VerdictChange{
		Kind: c.Kind, ItemID: c.ItemID, Version: c.Version, Owner: c.Owner, FoundAt: clock.Text(clock.FromMicros(c.FoundAt)), Scanner: c.Scan.ScannerVersion,
		RiskBefore: old.RiskLevel, Risk: c.Scan.RiskLevel, LabelsAdded: submit.Without(c.Scan.ReviewLabels, old.ReviewLabels), LabelsRemoved: submit.Without(old.ReviewLabels, c.Scan.ReviewLabels),
		FlagsAdded: submit.Without(c.Scan.WarningFlags, old.WarningFlags), FlagsRemoved: submit.Without(old.WarningFlags, c.Scan.WarningFlags),
		Evidence: c.Scan.Evidence[:min(evidenceShown, len(c.Scan.Evidence))],
	}
}

// DecideVerdicts publishes the changed verdicts of an item, or those of all with "", and tells who has a version installed; or,
// dismissed, leaves what is shown until another scanner comes. It returns how many there were.
func (a *Service) DecideVerdicts(ctx context.Context, itemID string, publish bool) (n int, err error) {
	var seq int64
	version := ""
	for {
		rows, err := a.Store.VerdictChanges(ctx, itemID, seq, version, verdictsAtOnce)
		if err != nil {
			return n, err
		}
		for _, c := range rows {
			did, err := a.decideVerdict(ctx, c, publish)
			if err != nil {
				return n, err
			}
			if did {
				n++
			}
			seq, version = c.Seq, c.Version
		}
		if len(rows) < verdictsAtOnce {
			break
		}
	}
	if n == 0 && itemID != "" {
		return 0, errs.Newf(errs.NotFound, "No changed verdict of %s waits. `stoa review verdicts` lists what does.", itemID)
	}
	return n, nil
}

func (a *Service) decideVerdict(ctx context.Context, c marketdb.VerdictChange, publish bool) (did bool, err error) {
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if did, err = tx.DropVerdict(c.Seq, c.Version); err != nil || !did {
			return err
		}
		if publish {
			return a.showVerdict(ctx, tx, c.VersionRef, c.Scan)
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{
			Owner: c.Owner, Action: "item.verdict_dismissed", Kind: c.Kind, ItemID: c.ItemID, Status: "ok",
			Detail: map[string]any{"version": c.Version, "scanner_version": c.Scan.ScannerVersion, "risk_level": c.Scan.RiskLevel},
		}))
	})
	return did, err
}

// showVerdict makes a verdict the one that everybody sees, and tells who has the version installed.
func (a *Service) showVerdict(ctx context.Context, tx *store.Tx, v marketdb.VersionRef, now scan.Summary) error {
	document, err := tx.Document(ctx, v.Seq, v.Version)
	if err != nil {
		return err
	}
	return a.rewrite(ctx, tx, v, document, now)
}

// rewrite shows a published version whose document got a new verdict or other examples.
func (a *Service) rewrite(ctx context.Context, tx *store.Tx, v marketdb.VersionRef, document catalog.Document, now scan.Summary) error {
	old := document.Scan
	document.Scan = now
	if toldOf(old, now) {
		document.Judged = &catalog.Judged{At: clock.Micros(tx.Now), RiskBefore: old.RiskLevel, FlagsAdded: submit.Without(now.WarningFlags, old.WarningFlags)}
	}
	if err := tx.RejudgeVersion(v.Seq, v.Version, &document); err != nil {
		return err
	}
	item, err := tx.Item(ctx, v.Kind, v.ItemID)
	if err != nil {
		return err
	}
	if item.Version == v.Version {
		item.RiskLevel = now.RiskLevel
		item.Facts.ReviewLabels = submit.Replaced(item.Facts.ReviewLabels, old.ReviewLabels, now.ReviewLabels)
		item.Facts.WarningFlags = submit.Replaced(item.Facts.WarningFlags, old.WarningFlags, now.WarningFlags)
		item.Facts.Names = namesOf(&document)
	}
	if err := tx.UpdateItem(&item); err != nil {
		return err
	}
	if err := a.show(ctx, tx, item); err != nil {
		return err
	}
	tx.OnCommit(func() { a.Cache.Reread(v.Seq, v.Version) })
	if err := tellVerdict(ctx, tx, item, v.Version, old, now); err != nil {
		return err
	}
	return auditVerdict(tx, core.Acting(ctx), core.AuditEntry{Owner: item.Owner, Action: "item.rescanned", Kind: v.Kind, ItemID: v.ItemID}, v.Version, old, now)
}

// sameVerdict tells whether two scans say the same of a version to whoever looks at it.
func sameVerdict(old, now scan.Summary) bool {
	return old.RiskLevel == now.RiskLevel && old.Status == now.Status && slices.Equal(old.ReviewLabels, now.ReviewLabels) && slices.Equal(old.WarningFlags, now.WarningFlags)
}
