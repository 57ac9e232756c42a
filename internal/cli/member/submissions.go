package member

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"stoa/client"
	"stoa/internal/cli"
)

// SubmissionsCmd is `stoa submissions`.
type SubmissionsCmd struct {
	List     submissionsListCmd     `cmd:"" default:"withargs" help:"List your submissions, newest first."`
	Download submissionsDownloadCmd `cmd:"" help:"Download the package of a submission of yours."`
	Withdraw submissionsWithdrawCmd `cmd:"" help:"Take a pending submission back."`
	Thread   submissionsThreadCmd   `cmd:"" help:"Show what you and the reviewers have said about a submission of yours."`
	Answer   submissionsAnswerCmd   `cmd:"" help:"Write to the reviewers of a submission of yours."`
}

type submissionsListCmd struct {
	Status string `help:"${enum}; all without it." enum:",pending,approved,rejected,replaced,withdrawn" default:""`
	Limit  int    `help:"At most so many of templates and of packs." default:"50"`
	ServerFlags
}

// Run lists.
func (c *submissionsListCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	f := client.SubmissionFilter{Status: c.Status, Limit: c.Limit}
	templates, err := server.TemplateSubmissions(ctx, f)
	if err != nil {
		return err
	}
	packs, err := server.PackSubmissions(ctx, f)
	if err != nil {
		return err
	}
	all := append(append([]client.Submission{}, templates.Submissions...), packs.Submissions...)
	slices.SortStableFunc(all, func(a, b client.Submission) int { return strings.Compare(b.SubmissionID, a.SubmissionID) })
	return o.Print(map[string]any{"submissions": all}, func(w io.Writer) {
		if len(all) == 0 {
			fmt.Fprintln(w, "You have no submissions here.")
			return
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "SUBMISSION\tITEM\tVERSION\tSTATUS\tSINCE\tNOTE")
		for _, s := range all {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", cli.Printable(s.SubmissionID), cli.Printable(s.ItemID()), cli.Printable(s.Version), cli.Printable(s.Status), cli.Printable(s.UpdatedAt), cli.Printable(s.ReviewNote))
		}
		t.Flush()
	})
}

type submissionsDownloadCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	Out          string `short:"o" help:"File to write; the server's name for it otherwise." placeholder:"FILE"`
	ServerFlags
}

// Run downloads.
func (c *submissionsDownloadCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	d := client.Download{Path: cmp.Or(c.Out, c.SubmissionID+".zip")}
	out, err := server.DownloadPackSubmission(ctx, c.SubmissionID, d)
	if client.CodeOf(err) == "profile_pack_submission_not_found" {
		out, err = server.DownloadTemplateSubmission(ctx, c.SubmissionID, d)
	}
	if err != nil {
		return err
	}
	if c.Out == "" && out.Filename != "" {
		if err := rename(&out, out.Filename); err != nil {
			return err
		}
	}
	return o.Print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Wrote %s, %s\nsha256 %s, as the server says\n", cli.Printable(out.Path), cli.SizeText(out.SizeBytes), out.SHA256)
	})
}

type submissionsWithdrawCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	ServerFlags
}

// Run withdraws.
func (c *submissionsWithdrawCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	s, err := server.WithdrawPackSubmission(ctx, c.SubmissionID)
	if client.CodeOf(err) == "profile_pack_submission_not_found" {
		s, err = server.WithdrawTemplateSubmission(ctx, c.SubmissionID)
	}
	if err != nil {
		return err
	}
	return o.Print(s, func(w io.Writer) {
		fmt.Fprintf(w, "Withdrew %s %s.\n", cli.Printable(s.ItemID()), cli.Printable(s.Version))
	})
}

// rename gives a download the name that the server has for it, unless that is taken.
func rename(d *client.Downloaded, name string) error {
	if err := cli.MoveNew(d.Path, name); err != nil {
		return fmt.Errorf("%s: %w (it is in %s)", name, err, d.Path)
	}
	d.Path = filepath.Clean(name)
	return nil
}
