package review

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"stoa/internal/app/core"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/market/install"
	"stoa/internal/market/redact"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// ImportOptions say what becomes of what is read.
type ImportOptions struct {
	Owner   string // the member who owns the items; "" is the operator
	Channel string
	// Pending leaves everything waiting for review instead of publishing it.
	Pending  bool
	Featured bool
	// write is Store.Write, or that of a duty.
	write func(ctx context.Context, fn func(*store.Tx) error) error
	// Progress is called with the bytes read so far.
	Progress func(read int64)
}

// ImportReport says what became of each line.
type ImportReport struct {
	Read      int             `json:"read"`
	Published int             `json:"published"`
	Updated   int             `json:"updated"`
	Unchanged int             `json:"unchanged"`
	Pending   int             `json:"pending"`
	Refused   []ImportRefusal `json:"refused"`
	Notes     []ImportRefusal `json:"notes"`
}

// ImportRefusal says why a line, or a part of it, was not taken. Line counts from 1.
type ImportRefusal struct {
	Line   int    `json:"line"`
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// importBatch is how many items share one transaction.
const importBatch = 32

// Import reads a catalog file, one JSON object per line, and publishes what is new or changed. Lines
// that cannot be taken are reported and skipped. The same file again changes nothing.
func (a *Service) Import(ctx context.Context, r io.Reader, o ImportOptions) (ImportReport, error) {
	report := ImportReport{Refused: []ImportRefusal{}, Notes: []ImportRefusal{}}
	if o.Owner != "" {
		if _, err := a.Store.Account(ctx, o.Owner); err != nil {
			return report, core.NoMember(err, o.Owner)
		}
	}
	if o.write == nil {
		o.write = a.Store.Write
	}
	run := importRun{app: a, options: o, report: &report, seen: map[string]bool{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), submit.MaxImportLine)
	var read int64
	for number := 1; lines.Scan(); number++ {
		read += int64(len(lines.Bytes())) + 1
		if len(bytes.TrimSpace(lines.Bytes())) > 0 {
			report.Read++
			if err := run.line(ctx, number, lines.Bytes()); err != nil {
				return report, err
			}
		}
		if o.Progress != nil {
			o.Progress(read)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return report, errs.Newf(errs.InvalidRequest, "A line is longer than %d MiB. The file should hold one JSON object per line.", submit.MaxImportLine>>20)
	} else if err != nil {
		return report, err
	}
	return report, run.flush(ctx)
}

// importRun gathers documents so that many share one transaction.
type importRun struct {
	app     *Service
	options ImportOptions
	report  *ImportReport
	seen    map[string]bool
	batch   []*release
}

func (r *importRun) line(ctx context.Context, number int, text []byte) error {
	d, notes, err := submit.ReadLine(text)
	refuse := func(reason string) { r.report.Refused = append(r.report.Refused, ImportRefusal{number, d.ID, reason}) }
	if err != nil {
		refuse(err.Error())
		return nil
	}
	key := string(d.Kind) + " " + d.ID
	if r.seen[key] {
		refuse("the id occurs twice in this file")
		return nil
	}
	r.seen[key] = true
	for _, note := range notes {
		r.report.Notes = append(r.report.Notes, ImportRefusal{number, d.ID, note})
	}
	if d.Pack != nil {
		submit.Diagnose(d.ID, d.Pack)
	}
	d.Scan = scan.Read(submit.Sources(&d), scan.Options{About: submit.AboutDocument(&d)})
	var sections map[string]any
	if d.Pack != nil {
		sections = submit.LooseSections(d.Pack.Sections)
	}
	found, err := submit.Leaves(&d, sections, redact.Result{}) // the operator's catalog is published as it is
	if err != nil {
		refuse(err.Error())
		return nil
	}
	d.Reach = submit.ReachOf(found)
	next, state, err := r.app.NextVersion(ctx, &d, r.options.Owner)
	switch {
	case errs.CodeOf(err) == errs.OwnershipConflict:
		conflict, _ := errs.As(err)
		refuse(conflict.Message)
		return nil
	case err != nil:
		return err
	}
	d.Version = next
	if state == submit.IsNew && !ids.New(d.ID) {
		refuse("the id " + ids.ItemRule)
		return nil
	}
	if r.options.Pending && state != submit.Unchanged {
		waits, err := r.app.Waits(ctx, &d, r.options.Owner)
		if err != nil {
			return err
		}
		if waits {
			state = submit.Unchanged
		}
	}
	switch state {
	case submit.Unchanged:
		r.report.Unchanged++
		return nil
	case submit.Changed:
		r.report.Updated++
	case submit.IsNew:
		r.report.Published++
	}
	if r.options.Pending {
		r.report.Published, r.report.Updated = 0, 0 // nothing is until it is approved
	}
	r.batch = append(r.batch, &release{document: d, owner: r.options.Owner, visibility: catalog.Community, channel: r.options.Channel, featured: r.options.Featured})
	if len(r.batch) == importBatch {
		return r.flush(ctx)
	}
	return nil
}

func (r *importRun) flush(ctx context.Context) error {
	batch := r.batch
	r.batch = nil
	if len(batch) == 0 {
		return nil
	}
	if !r.options.Pending {
		for _, release := range batch {
			if err := r.app.prepare(ctx, release); err != nil {
				return err
			}
		}
	}
	err := r.options.write(ctx, func(tx *store.Tx) error {
		for _, release := range batch {
			if err := r.app.take(ctx, tx, release, r.options.Pending); err != nil {
				return err
			}
		}
		return nil
	})
	if r.options.Pending && err == nil {
		r.report.Pending += len(batch)
	}
	return err
}

// take publishes one release, or leaves it waiting for review.
func (a *Service) take(ctx context.Context, tx *store.Tx, r *release, pending bool) error {
	now := clock.Micros(tx.Now)
	s := marketdb.Submission{
		SubmissionID: core.NewID(), Kind: r.document.Kind, ItemID: r.document.ID, Version: r.document.Version, UserID: r.owner, Status: submission.Pending,
		RiskLevel: r.document.Scan.RiskLevel, CreatedAt: now, UpdatedAt: now,
		FoldedID: search.Fold(r.document.ID), Facts: submit.FactsOf(&r.document),
		Content: marketdb.SubmissionContent{Document: r.document, Visibility: r.visibility, Channel: r.channel},
	}
	if !pending {
		s.Status, s.Reviewer = submission.Approved, core.Operator.UserID
		r.submissionID = s.SubmissionID
		item, err := a.publish(ctx, tx, core.Operator, r)
		if err != nil {
			return err
		}
		if err := announce(ctx, tx, item); err != nil {
			return err
		}
	}
	for _, artifact := range r.artifacts {
		if artifact.Source == install.Uploaded {
			s.Facts.Artifact, s.SHA256 = &artifact, artifact.SHA256
		}
	}
	return tx.AddSubmission(s)
}
