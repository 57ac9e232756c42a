package main

import (
	"context"
	"fmt"
	"io"

	"stoa/client/contract"
)

type submissionsThreadCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	serverFlags
}

// Run shows the thread.
func (c *submissionsThreadCmd) Run(ctx context.Context, o output) error {
	server, err := c.connect(o)
	if err != nil {
		return err
	}
	thread, err := contract.New(server).GetSubmissionThread(ctx, contract.GetSubmissionThreadParams{SubmissionID: c.SubmissionID})
	return printThread(o, thread, err)
}

type submissionsAnswerCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	Text         string `arg:"" help:"What you say."`
	serverFlags
}

// Run writes to the reviewers.
func (c *submissionsAnswerCmd) Run(ctx context.Context, o output) error {
	server, err := c.connect(o)
	if err != nil {
		return err
	}
	thread, err := contract.New(server).SendSubmissionMessage(ctx, contract.SubmissionMessageRequest{SubmissionID: c.SubmissionID, Text: c.Text})
	return printThread(o, thread, err)
}

func printThread(o output, thread contract.SubmissionThread, err error) error {
	if err != nil {
		return err
	}
	return o.print(thread, func(w io.Writer) {
		for _, m := range thread.Messages {
			fmt.Fprintf(w, "%s  %s (%s): %s\n", printable(m.At), printable(m.Author), printable(m.From), printable(m.Text))
		}
		if len(thread.Messages) == 0 {
			fmt.Fprintln(w, "Nobody has said anything yet. `stoa submissions answer SUBMISSION TEXT` does.")
		}
		for _, r := range thread.Removals {
			fmt.Fprintf(w, "to be removed since %s: %s\n", printable(r.AskedAt), printable(r.What))
		}
	})
}
