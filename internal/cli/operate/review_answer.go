package operate

import (
	"context"
	"fmt"
	"io"

	"stoa/internal/app"
	"stoa/internal/app/market/submit"
	"stoa/internal/cli"
)

// remove is what a reviewer asks a member to take out.
type remove struct {
	Remove []string `help:"What has to go: a path of the pack's sections, or a text that stands in it. When it comes back in a later version, the member is warned and you see it." placeholder:"WHAT" sep:"none"`
}

type reviewAnswerCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	Text         string `arg:"" optional:"" help:"What you say; what is to be removed without it."`
	remove
}

// Run writes to the member.
func (c *reviewAnswerCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		thread, err := a.AnswerSubmitter(ctx, c.SubmissionID, c.Text, c.Remove)
		if err != nil {
			return err
		}
		return o.Print(thread, func(w io.Writer) { showReviewThread(w, thread) })
	})
}

func showReviewThread(w io.Writer, thread submit.SubmissionThread) {
	for _, m := range thread.Messages {
		fmt.Fprintf(w, "%s  %s (%s): %s\n", m.At, cli.Printable(m.Author), m.From, cli.Printable(m.Text))
	}
	for _, r := range thread.Removals {
		fmt.Fprintf(w, "to be removed since %s: %s\n", r.AskedAt, cli.Printable(r.What))
	}
}
