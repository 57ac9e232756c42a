package member

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"stoa/client/contract"
	"stoa/internal/cli"
)

type questionsDoubtfulCmd struct {
	Note string `help:"Of this note alone, by its document id." placeholder:"ID"`
	ServerFlags
}

// Run lists what is proposed for retirement, with its figures.
func (c *questionsDoubtfulCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	all, err := cli.Listed(func(cursor string) ([]contract.KeptQuestion, string, error) {
		page, err := contract.New(server).ListQuestions(ctx, contract.ListQuestionsParams{DocumentID: c.Note, Retirement: new(true), Limit: new(int64(100)), Cursor: cursor})
		return page.Items, page.NextCursor, err
	})
	if err != nil {
		return err
	}
	return o.Print(map[string]any{"items": all}, func(w io.Writer) {
		if len(all) == 0 {
			fmt.Fprintln(w, "No question is proposed for retirement.")
			return
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "QUESTION\tCONCEPT\tWHY\tRIGHT\tEXPECTED\tANSWERS\tASKS")
		for i := range all {
			if q := &all[i]; q.Retirement != nil {
				r := q.Retirement
				fmt.Fprintf(t, "%s\t%s\t%s\t%g\t%.1f\t%g\t%s\n", cli.Printable(q.QuestionID), cli.Printable(q.AtomID), cli.Printable(r.Reason), r.Right, r.Expected, r.Answers, cli.Printable(q.Prompt))
			}
		}
		t.Flush()
	})
}

// doubtfulFlags say which question of which concept, as the list names them.
type doubtfulFlags struct {
	QuestionID string `arg:"" name:"question" help:"Id of the question."`
	AtomID     string `arg:"" name:"concept" help:"Id of its concept."`
	Undo       bool   `help:"Take the decision back."`
	ServerFlags
}

func (f *doubtfulFlags) save(ctx context.Context, o cli.Output, in contract.SaveQuestionRequest) error {
	server, err := f.Connect(o)
	if err != nil {
		return err
	}
	in.QuestionID, in.AtomID = f.QuestionID, f.AtomID
	saved, err := contract.New(server).SaveQuestion(ctx, in)
	if err != nil {
		return err
	}
	return o.Print(saved, func(w io.Writer) {
		kept := ""
		if saved.Retirement != nil && saved.Retirement.Kept {
			kept = ", kept"
		}
		fmt.Fprintf(w, "%s: %s%s\n", cli.Printable(saved.QuestionID), cli.Printable(saved.State), kept)
	})
}

type questionsRetireCmd struct{ doubtfulFlags }

// Run retires a question, or asks it again.
func (c *questionsRetireCmd) Run(ctx context.Context, o cli.Output) error {
	state := "retired"
	if c.Undo {
		state = "active"
	}
	return c.save(ctx, o, contract.SaveQuestionRequest{State: state})
}

type questionsKeepCmd struct{ doubtfulFlags }

// Run keeps a question, or lets it be proposed again.
func (c *questionsKeepCmd) Run(ctx context.Context, o cli.Output) error {
	keep := !c.Undo
	return c.save(ctx, o, contract.SaveQuestionRequest{Keep: &keep})
}
