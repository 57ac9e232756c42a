package operate

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stoa/internal/app"
	"stoa/internal/app/market/review"
	"stoa/internal/cli"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/strictjson"
	"stoa/internal/market/visible"
)

type reviewShowCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	File         string `help:"Show this part of the package alone." placeholder:"NAME" xor:"part"`
	Section      string `help:"Show this section of a profile pack alone." placeholder:"NAME" xor:"part"`
	Offset       int64  `help:"With --file or --section: begin at this byte."`
	Length       int64  `help:"At most so many bytes of each part." default:"65536"`
	Output       string `short:"o" help:"With --file: save that picture of the package, to look at it." placeholder:"FILE"`
	Raw          bool   `help:"Show JSON as it is written, not value by value."`
	All          bool   `help:"Show everything, however long it is."`
}

// shownBytes is how much of a submission is shown in all unless everything is asked for.
const shownBytes = 2 << 20

// reviewed is what the command answers.
type reviewed struct {
	review.Detail
	Contents review.Contents `json:"contents"`
}

// Run shows a submission.
func (c *reviewShowCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	read := review.Read{Part: c.File, Offset: c.Offset, Each: c.Length, Total: shownBytes}
	if c.Section != "" {
		read.Part = "sections/" + c.Section + ".json"
	}
	if read.Part != "" {
		read.Total = 0
	} else if c.Offset != 0 {
		return fmt.Errorf("--offset needs --file or --section")
	}
	if c.Output != "" && (c.File == "" || c.Offset != 0) {
		return errors.New("-o saves one picture whole: --file NAME -o FILE")
	}
	if c.All || c.Output != "" {
		read.Each, read.Total = 0, 0
	}
	return s.command(ctx, o, func(a *app.App) error {
		d, err := a.Review(ctx, c.SubmissionID)
		if err != nil {
			return err
		}
		contents, err := a.ReadSubmission(ctx, c.SubmissionID, read)
		if err != nil {
			return err
		}
		if c.Output != "" {
			return savePicture(o, contents.Parts, c.Output)
		}
		return o.Print(reviewed{d, contents}, func(w io.Writer) {
			if read.Part == "" {
				showReview(w, d, cli.LineLimit(c.All))
				showPackage(w, contents)
			}
			for _, p := range contents.Parts {
				showPart(w, c.SubmissionID, p, c.Raw)
			}
		})
	})
}

// savePicture writes a picture into a new file. A text is not saved: what it hides is seen where it is shown, with everything written out.
func savePicture(o cli.Output, parts []review.Part, name string) error {
	if len(parts) != 1 || parts[0].Picture == "" {
		return errors.New("that is no picture; without -o it is shown, and `stoa review download` gives the whole package")
	}
	content, err := hex.DecodeString(parts[0].Hex)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return cli.ErrTaken
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return o.Print(map[string]any{"file": name, "name": parts[0].Name, "media_type": parts[0].Picture, "size_bytes": len(content)}, func(w io.Writer) {
		fmt.Fprintf(w, "%s (%s, %s) is in %s.\n", cli.Printable(parts[0].Name), parts[0].Picture, cli.SizeText(int64(len(content))), name)
	})
}

func showReview(w io.Writer, d review.Detail, limit int) {
	fmt.Fprintf(w, "%s %s %s, %s\nfrom %s at %s\n", d.Kind, cli.Printable(d.ItemID), cli.Printable(d.Version), d.Status, cli.Printable(orOperator(d.UserID)), d.CreatedAt)
	if m := d.Document.Maintainer; m != "" && m != d.UserID {
		other := ""
		if d.MaintainerIsMember {
			other = ", who is another member here"
		}
		fmt.Fprintf(w, "names as its maintainer: %s%s (its own statement)\n", cli.Printable(m), other)
	}
	if d.PublishedAs != "" {
		fmt.Fprintf(w, "published now: version %s of %s\n", cli.Printable(d.PublishedAs), cli.Printable(orOperator(d.PublishedOwner)))
	}
	fmt.Fprintf(w, "risk %s; labels: %s\nscan (%s): ", d.RiskLevel, cli.Printables(d.Labels), d.Scan.ScannerVersion)
	if len(d.Scan.Evidence) == 0 {
		fmt.Fprintln(w, "no findings in the checks run")
	} else {
		fmt.Fprintf(w, "%d findings\n", len(d.Scan.Evidence))
	}
	for _, e := range d.Scan.Evidence {
		fmt.Fprintf(w, "  %s %s %s %s:%d:%d  %s\n", e.Severity, e.Rule, cli.Printable(e.File), cli.Printable(e.Path), e.Line, e.Column, cli.Printable(`"`+e.Phrase+`"`))
	}
	for _, gap := range d.Scan.Gaps {
		fmt.Fprintf(w, "  not read: %s: %s\n", cli.Printable(gap.File), cli.Printable(gap.Why))
	}
	accepted := 0
	for _, f := range d.Scan.Findings {
		if f.Accepted {
			accepted++
		}
	}
	if accepted > 0 {
		fmt.Fprintf(w, "%s accepted with an earlier version\n", cli.Counted(accepted, "finding"))
	}
	if len(d.Beyond) > 0 {
		fmt.Fprintf(w, "reaches further than the published version:\n")
		for _, what := range d.Beyond {
			fmt.Fprintf(w, "  %s\n", cli.Printable(what))
		}
	}
	var report *disclosure.Report
	if err := json.Unmarshal(d.LeaveReport, &report); err == nil && report != nil && report.Totals.Sections > 0 {
		cli.ShowLeaves(w, *report, limit)
	}
	for _, what := range d.Returned {
		fmt.Fprintf(w, "was to be removed and is there again: %s\n", cli.Printable(what))
	}
	showReviewThread(w, d.Thread)
	if d.Diff != nil {
		showReviewDiff(w, d.Diff)
	}
}

// showPackage lists the parts of what would be published.
func showPackage(w io.Writer, c review.Contents) {
	made := "as it was sent"
	if !c.Uploaded {
		made = "built of its texts"
	}
	fmt.Fprintf(w, "\nWould be published, %s: %s, sha256 %s\n", made, cli.SizeText(c.SizeBytes), c.SHA256)
	for _, p := range c.Parts {
		fmt.Fprintf(w, "  %-32s %10s%s\n", cli.Printable(p.Name), cli.SizeText(p.SizeBytes), notes(p))
	}
}

// notes says what is to be known of a part.
func notes(p review.Part) string {
	text := ""
	if p.Binary {
		text += ", binary"
	}
	if p.Findings > 0 {
		text += ", " + cli.Counted(p.Findings, "finding")
	}
	if len(p.Hidden) > 0 {
		text += ", hidden characters: " + strings.Join(p.Hidden, ", ")
	}
	return text
}

// showPart prints one part: JSON value by value, other text line by line, everything else in hex.
func showPart(w io.Writer, submission string, p review.Part, raw bool) {
	fmt.Fprintf(w, "\n== %s, %s%s\n", cli.Printable(p.Name), cli.SizeText(p.SizeBytes), notes(p))
	name := fmt.Sprintf("`stoa review show %s --file '%s'`", submission, cli.Printable(p.Name))
	if !p.Shown {
		fmt.Fprintf(w, "  not shown; %s does\n", name)
		return
	}
	if p.Offset > 0 {
		fmt.Fprintf(w, "  from byte %d\n", p.Offset)
	}
	value, err := any(nil), error(nil)
	whole := p.Offset == 0 && p.Next == 0
	if whole && !raw && p.Hex == "" {
		value, err = strictjson.Parse([]byte(p.Text), 0)
	}
	switch {
	case p.Picture != "" && whole:
		fmt.Fprintf(w, "  a picture; %s with -o FILE saves it\n", name)
		showHex(w, p)
	case p.Hex != "":
		showHex(w, p)
	case whole && !raw && err == nil:
		showValue(w, "", value)
	default:
		cli.Marked(w, p.Text)
	}
	if p.Next > 0 {
		fmt.Fprintf(w, "  … %d more bytes: %s with --offset %d, or --all\n", p.SizeBytes-p.Next, name, p.Next)
	}
}

// showValue prints every name and value of a JSON text, one path a line; texts of several lines follow theirs.
func showValue(w io.Writer, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			fmt.Fprintf(w, "  %s = {}\n", path)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			showValue(w, strings.TrimPrefix(path+"."+visible.Marked(strings.ReplaceAll(name, "\n", `\n`)), "."), v[name])
		}
	case []any:
		if len(v) == 0 {
			fmt.Fprintf(w, "  %s = []\n", path)
		}
		for i, item := range v {
			showValue(w, fmt.Sprintf("%s[%d]", path, i), item)
		}
	case string:
		if !strings.Contains(v, "\n") && len(v) <= 120 {
			fmt.Fprintf(w, "  %s: %s\n", path, visible.Marked(v))
			return
		}
		fmt.Fprintf(w, "  %s:\n", path)
		cli.Marked(w, v)
	default:
		fmt.Fprintf(w, "  %s = %v\n", path, v)
	}
}

// showHex prints bytes in hex and, where they are, as characters of ASCII.
func showHex(w io.Writer, p review.Part) {
	content, err := hex.DecodeString(p.Hex)
	if err != nil {
		return // it was encoded a moment ago
	}
	for at := 0; at < len(content); at += 16 {
		line := content[at:min(at+16, len(content))]
		ascii := bytes.Map(func(r rune) rune {
			if r >= ' ' && r < 0x7f {
				return r
			}
			return '.'
		}, line)
		fmt.Fprintf(w, "  %08x  %-48s %s\n", p.Offset+int64(at), fmt.Sprintf("% x", line), ascii)
	}
}

func showReviewDiff(w io.Writer, d *review.Diff) {
	fmt.Fprintf(w, "\nAgainst the published version %s\n", cli.Printable(d.Against))
	for _, f := range d.Metadata {
		fmt.Fprintf(w, "  %s: %s → %s\n", f.Field, cli.Printable(fmt.Sprintf("%q", f.Before)), cli.Printable(fmt.Sprintf("%q", f.After)))
	}
	for _, t := range d.Texts {
		fmt.Fprintf(w, "\n%s\n", cli.Printable(t.Name))
		cli.ShowDiff(w, t.Diff)
	}
	if d.Sections == nil {
		return
	}
	c := d.Sections.Summary
	fmt.Fprintf(w, "\nSections: %d added, %d removed, %d changed, %d the same\n", c.Added, c.Removed, c.Changed, c.Same)
	for _, s := range d.Sections.Sections {
		if s.Changed {
			fmt.Fprintf(w, "\n%s %s, %s\n", cli.Printable(s.Section), s.Status, cli.Counted(s.ChangedPathsCount, "place"))
			cli.ShowDiff(w, s.DiffPreview)
		}
	}
}

type reviewDownloadCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	Out          string `short:"o" required:"" help:"File to write; it must not be there yet." placeholder:"FILE"`
}

// Run writes the bytes. They are looked at outside of Stoa, so nothing counts as shown.
func (c *reviewDownloadCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		file, err := os.OpenFile(c.Out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("cannot write %s; it must not be there yet", c.Out)
		}
		done, err := a.DownloadSubmission(ctx, c.SubmissionID, file)
		if closing := file.Close(); err == nil {
			err = closing
		}
		if err != nil {
			os.Remove(c.Out)
			return err
		}
		shown := map[string]any{"file": filepath.Clean(c.Out), "sha256": done.SHA256, "size_bytes": done.SizeBytes, "filename": done.Filename}
		return o.Print(shown, func(w io.Writer) {
			fmt.Fprintf(w, "Wrote %s, %s\nsha256 %s\n", cli.Printable(c.Out), cli.SizeText(done.SizeBytes), done.SHA256)
		})
	})
}
