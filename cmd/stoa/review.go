package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"stoa/internal/app"
	"stoa/internal/market/catalog"
	"stoa/internal/market/disclosure"
)

type reviewCmd struct {
	List      reviewListCmd      `cmd:"" help:"List submissions, oldest first."`
	Show      reviewShowCmd      `cmd:"" help:"Show a submission with what the scan found."`
	Approve   reviewApproveCmd   `cmd:"" help:"Publish a pending submission."`
	Reject    reviewRejectCmd    `cmd:"" help:"Turn a pending submission down."`
	Feature   reviewFeatureCmd   `cmd:"" help:"Put a published item in front."`
	Unfeature reviewUnfeatureCmd `cmd:"" help:"Take a featured item back."`
}

type reviewListCmd struct {
	Status string `help:"pending, approved, rejected, replaced or withdrawn." default:"pending" enum:"pending,approved,rejected,replaced,withdrawn"`
	After  string `help:"Begin after this submission."`
	Limit  int    `help:"At most so many." default:"50"`
}

// Run lists submissions.
func (c *reviewListCmd) Run(ctx context.Context, s *Settings, o output) error {
	return s.command(ctx, o, func(a *app.App) error {
		lines, err := a.Reviews(ctx, c.Status, c.After, c.Limit)
		if err != nil {
			return err
		}
		return o.print(map[string]any{"submissions": lines}, func(w io.Writer) {
			if len(lines) == 0 {
				fmt.Fprintf(w, "Nothing is %s.\n", c.Status)
				return
			}
			t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			fmt.Fprintln(t, "SUBMISSION\tITEM\tVERSION\tFROM\tRISK\tSINCE")
			for _, l := range lines {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", l.SubmissionID, l.ItemID, l.Version, l.UserID, l.RiskLevel, l.CreatedAt)
			}
			t.Flush()
		})
	})
}

type reviewShowCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	All          bool   `help:"Show every line of the report of what leaves the member's machine."`
}

// Run shows a submission.
func (c *reviewShowCmd) Run(ctx context.Context, s *Settings, o output) error {
	return s.command(ctx, o, func(a *app.App) error {
		d, err := a.Review(ctx, c.SubmissionID)
		if err != nil {
			return err
		}
		return o.print(d, func(w io.Writer) { showReview(w, d, lineLimit(c.All)) })
	})
}

func showReview(w io.Writer, d app.ReviewDetail, limit int) {
	fmt.Fprintf(w, "%s %s %s, %s\nfrom %s at %s\n", d.Kind, d.ItemID, d.Version, d.Status, orOperator(d.UserID), d.CreatedAt)
	if d.PublishedAs != "" {
		fmt.Fprintf(w, "published now: version %s of %s\n", d.PublishedAs, orOperator(d.PublishedOwner))
	}
	fmt.Fprintf(w, "risk %s; labels: %s\nscan (%s): ", d.RiskLevel, strings.Join(d.Labels, ", "), d.Scan.ScannerVersion)
	if len(d.Scan.Evidence) == 0 {
		fmt.Fprintln(w, "no findings in the checks run")
	} else {
		fmt.Fprintf(w, "%d findings\n", len(d.Scan.Evidence))
	}
	for _, e := range d.Scan.Evidence {
		fmt.Fprintf(w, "  %s %s %s %s:%d:%d  %q\n", e.Severity, e.Rule, e.File, e.Path, e.Line, e.Column, e.Phrase)
	}
	accepted := 0
	for _, f := range d.Scan.Findings {
		if f.Accepted {
			accepted++
		}
	}
	if accepted > 0 {
		fmt.Fprintf(w, "%s accepted with an earlier version\n", counted(accepted, "finding"))
	}
	if len(d.Beyond) > 0 {
		fmt.Fprintf(w, "reaches further than the published version:\n")
		for _, what := range d.Beyond {
			fmt.Fprintf(w, "  %s\n", printable(what))
		}
	}
	var report *disclosure.Report
	if err := json.Unmarshal(d.LeaveReport, &report); err == nil && report != nil && report.Totals.Sections > 0 {
		showLeaves(w, *report, limit)
	}
	text, tag := d.Document.Text(catalog.DefaultLocale)
	fmt.Fprintf(w, "\n%s (%s)\n%s\n", printable(text.Title), tag, paragraphs(text.Description))
	if d.Kind == catalog.KindTemplate {
		fmt.Fprintf(w, "\n%s\n", paragraphs(text.Prompt))
	}
	if d.Diff != nil {
		showReviewDiff(w, d.Diff)
	}
}

// paragraphs is printable for a text of several lines.
func paragraphs(text string) string {
	all := strings.Split(text, "\n")
	for i := range all {
		all[i] = printable(all[i])
	}
	return strings.Join(all, "\n")
}

func showReviewDiff(w io.Writer, d *app.ReviewDiff) {
	fmt.Fprintf(w, "\nAgainst the published version %s\n", d.Against)
	for _, f := range d.Metadata {
		fmt.Fprintf(w, "  %s: %s → %s\n", f.Field, printable(fmt.Sprintf("%q", f.Before)), printable(fmt.Sprintf("%q", f.After)))
	}
	for _, t := range d.Texts {
		fmt.Fprintf(w, "\n%s\n", t.Name)
		showDiff(w, t.Diff)
	}
	if d.Sections == nil {
		return
	}
	c := d.Sections.Summary
	fmt.Fprintf(w, "\nSections: %d added, %d removed, %d changed, %d the same\n", c.Added, c.Removed, c.Changed, c.Same)
	for _, s := range d.Sections.Sections {
		if s.Changed {
			fmt.Fprintf(w, "\n%s %s, %s\n", s.Section, s.Status, counted(s.ChangedPathsCount, "place"))
			showDiff(w, s.DiffPreview)
		}
	}
}

type reviewApproveCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	Note         string `help:"A word to the member."`
	TakeOver     bool   `help:"Let the submitter become the owner of an item that belongs to another."`
}

// Run approves.
func (c *reviewApproveCmd) Run(ctx context.Context, s *Settings, o output) error {
	return s.command(ctx, o, func(a *app.App) error {
		line, err := a.Approve(ctx, c.SubmissionID, c.Note, c.TakeOver)
		return decision(o, line, "Published", err)
	})
}

type reviewRejectCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	Note         string `help:"A word to the member."`
}

// Run rejects.
func (c *reviewRejectCmd) Run(ctx context.Context, s *Settings, o output) error {
	return s.command(ctx, o, func(a *app.App) error {
		line, err := a.Reject(ctx, c.SubmissionID, c.Note)
		return decision(o, line, "Rejected", err)
	})
}

func decision(o output, line app.ReviewLine, word string, err error) error {
	if err != nil {
		return err
	}
	return o.print(line, func(w io.Writer) { fmt.Fprintf(w, "%s %s %s.\n", word, line.ItemID, line.Version) })
}

type itemArgs struct {
	ItemID string `arg:"" name:"item" help:"The template's or pack's id."`
	Pack   bool   `help:"The id is a profile pack's."`
}

func (i itemArgs) kind() catalog.Kind {
	if i.Pack {
		return catalog.KindProfilePack
	}
	return catalog.KindTemplate
}

type reviewFeatureCmd struct {
	itemArgs
	Note string `help:"Why it is featured; shown to everybody."`
}

// Run features.
func (c *reviewFeatureCmd) Run(ctx context.Context, s *Settings, o output) error {
	return feature(ctx, s, o, c.itemArgs, c.Note, true)
}

type reviewUnfeatureCmd struct {
	itemArgs
}

// Run takes back.
func (c *reviewUnfeatureCmd) Run(ctx context.Context, s *Settings, o output) error {
	return feature(ctx, s, o, c.itemArgs, "", false)
}

func feature(ctx context.Context, s *Settings, o output, item itemArgs, note string, featured bool) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.Feature(ctx, item.kind(), item.ItemID, note, featured); err != nil {
			return err
		}
		return o.print(map[string]any{"item_id": item.ItemID, "kind": item.kind(), "featured": featured}, func(w io.Writer) {
			if featured {
				fmt.Fprintf(w, "%s is featured.\n", item.ItemID)
			} else {
				fmt.Fprintf(w, "%s is no longer featured.\n", item.ItemID)
			}
		})
	})
}

func orOperator(userID string) string {
	if userID == "" {
		return "the operator"
	}
	return userID
}
