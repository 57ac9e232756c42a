package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/store"
)

// Verification is what looking at a store says of whether it is what was written.
type Verification struct {
	OK       bool           `json:"ok"`
	Findings []core.Finding `json:"findings"`
	// Head is the end of the audit log. Whoever keeps it elsewhere can tell later whether the log still has it.
	Head    store.AuditHead    `json:"audit_head"`
	Broken  *store.BrokenChain `json:"audit_broken,omitempty"`
	Bad     []BadBlob          `json:"bad_blobs,omitempty"` // the first of them
	Wrong   []store.WrongCount `json:"wrong_counts,omitempty"`
	Checked int64              `json:"blobs_checked"`
}

// BadBlob is a blob that a row names and that is not there as it was written.
type BadBlob struct {
	Digest  string `json:"sha256"`
	Missing bool   `json:"missing"`
}

// VerifyOptions say what is known from elsewhere, and who wants to know how far it is; Progress may be nil.
type VerifyOptions struct {
	Known    []store.AuditHead
	Progress func(what string, done, total int64)
}

const (
	verifyPage = 500 // blobs read from the store at a time
	verifyTold = 20  // of each kind
)

// Verify reads everything and changes nothing, also while servers run: whether every blob that a row names is there and
// has its bytes, whether what is counted is so many, whether search agrees with the catalog, whether the audit log
// is what was written.
func (a *App) Verify(ctx context.Context, o VerifyOptions) (Verification, error) {
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	var v Verification
	for _, check := range []func(context.Context, VerifyOptions, *Verification) (core.Finding, error){a.verifyBlobs, a.verifyCounts, a.verifySearch, a.verifyAudit} {
		f, err := check(ctx, o, &v)
		if err != nil {
			return v, err
		}
		v.Findings = append(v.Findings, f)
	}
	v.OK = true
	for _, f := range v.Findings {
		v.OK = v.OK && f.OK
	}
	return v, nil
}

func (a *App) verifyBlobs(ctx context.Context, o VerifyOptions, v *Verification) (core.Finding, error) {
	total, err := a.Store.CountNamedBlobs(ctx)
	if err != nil {
		return core.Finding{}, err
	}
	missing, damaged := 0, 0
	for after := ""; ; {
		page, err := a.Store.NamedBlobs(ctx, after, verifyPage)
		if err != nil {
			return core.Finding{}, err
		}
		for _, digest := range page {
			if err := ctx.Err(); err != nil {
				return core.Finding{}, err
			}
			after = digest
			problem := a.Blobs.Verify(ctx, digest)
			if problem != nil {
				// Its row may have gone since, and the bytes with it.
				used, err := a.Store.BlobInUse(ctx, digest)
				if err != nil {
					return core.Finding{}, err
				}
				if !used {
					continue
				}
				bad := BadBlob{Digest: digest, Missing: errors.Is(problem, blob.ErrNotFound)}
				if bad.Missing {
					missing++
				} else {
					damaged++
				}
				if len(v.Bad) < verifyTold {
					v.Bad = append(v.Bad, bad)
				}
			}
			v.Checked++
			o.Progress("packages", v.Checked, max(total, v.Checked))
		}
		if len(page) < verifyPage {
			break
		}
	}
	f := core.Finding{Check: "blobs", OK: missing+damaged == 0, Detail: fmt.Sprintf("%d checked, %d missing, %d damaged", v.Checked, missing, damaged)}
	if !f.OK {
		f.Detail += "; the first is " + v.Bad[0].Digest
		f.Fix = "run `stoa doctor --repair`; what stays bad must be restored from a backup"
	}
	return f, nil
}

func (a *App) verifyCounts(ctx context.Context, _ VerifyOptions, v *Verification) (core.Finding, error) {
	wrong, checked, err := a.Store.WrongCounts(ctx, verifyTold)
	if err != nil {
		return core.Finding{}, err
	}
	v.Wrong = wrong
	f := core.Finding{Check: "counts", OK: len(wrong) == 0, Detail: fmt.Sprintf("%d kinds of numbers agree with their rows", checked)}
	if len(wrong) > 0 {
		var b strings.Builder
		for _, w := range wrong[:min(len(wrong), 3)] {
			fmt.Fprintf(&b, "%s %s: %d kept, %d rows; ", w.What, w.Of, w.Kept, w.Rows)
		}
		f.Detail = b.String() + fmt.Sprintf("%d wrong", len(wrong))
		f.Fix = "rows were changed from outside: restore from a backup"
	}
	return f, nil
}

func (a *App) verifySearch(ctx context.Context, _ VerifyOptions, _ *Verification) (core.Finding, error) {
	return a.ExamineSearch(ctx, false)
}

func (a *App) verifyAudit(ctx context.Context, o VerifyOptions, v *Verification) (f core.Finding, err error) {
	v.Head, v.Broken, err = a.Store.CheckAudit(ctx, o.Known, func(done, total int64) { o.Progress("audit log", done, total) })
	if err != nil {
		return f, err
	}
	if v.Broken != nil {
		return core.Finding{Check: "audit", OK: false, Detail: v.Broken.Problem, Fix: "rows were changed from outside: compare with a backup; its manifest has the end of the log at its time"}, nil
	}
	waiting, _, err := a.Store.AuditWaiting(ctx)
	f = core.Finding{Check: "audit", OK: true, Detail: fmt.Sprintf("%d events follow from each other, %d wait for their place", v.Head.Seq, waiting)}
	return f, err
}
