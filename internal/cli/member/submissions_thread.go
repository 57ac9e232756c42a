package member

import (
	"context"
	"fmt"
	"io"

	"stoa/client/contract"
	"stoa/internal/cli"
)

type submissionsThreadCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	ServerFlags
}

// Run shows the thread.
func (c *submissionsThreadCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	thread, err := contract.New(server).GetSubmissionThread(ctx, contract.GetSubmissionThreadParams{SubmissionID: c.SubmissionID})
	return printThread(o, thread, err)
}

type submissionsAnswerCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	Text         string `arg:"" help:"What you say."`
	ServerFlags
}

// Run writes to the reviewers.
func (c *submissionsAnswerCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	thread, err := contract.New(server).SendSubmissionMessage(ctx, contract.SubmissionMessageRequest{SubmissionID: c.SubmissionID, Text: c.Text})
	return printThread(o, thread, err)
}

func printThread(o cli.Output, thread contract.SubmissionThread, err error) error {
	if err != nil {
		return err
	}
	return o.Print(thread, func(w io.Writer) {
		for _, m := range thread.Messages {
			fmt.Fprintf(w, "%s  %s (%s): %s\n", cli.Printable(m.At), cli.Printable(m.Author), cli.Printable(m.From), cli.Printable(m.Text))
		}
		if len(thread.Messages) == 0 {
			fmt.Fprintln(w, "Nobody has said anything yet. `stoa submissions answer SUBMISSION TEXT` does.")
		}
		for _, r := range thread.Removals {
			fmt.Fprintf(w, "to be removed since %s: %s\n", cli.Printable(r.AskedAt), cli.Printable(r.What))
		}
	})
}
