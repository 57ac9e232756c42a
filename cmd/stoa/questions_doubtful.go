package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"stoa/client/contract"
)

type questionsDoubtfulCmd struct {
	Note string `help:"Of this note alone, by its document id." placeholder:"ID"`
	serverFlags
}

// Run lists what is proposed for retirement, with its figures.
func (c *questionsDoubtfulCmd) Run(ctx context.Context, o output) error {
	server, err := c.connect(o)
	if err != nil {
		return err
	}
	all, err := listed(func(cursor string) ([]contract.KeptQuestion, string, error) {
		page, err := contract.New(server).ListQuestions(ctx, contract.ListQuestionsParams{DocumentID: c.Note, Retirement: new(true), Limit: new(int64(100)), Cursor: cursor})
		return page.Items, page.NextCursor, err
	})
	if err != nil {
		return err
	}
	return o.print(map[string]any{"items": all}, func(w io.Writer) {
		if len(all) == 0 {
			fmt.Fprintln(w, "No question is proposed for retirement.")
			return
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "QUESTION\tCONCEPT\tWHY\tRIGHT\tEXPECTED\tANSWERS\tASKS")
		for i := range all {
			if q := &all[i]; q.Retirement != nil {
				r := q.Retirement
				fmt.Fprintf(t, "%s\t%s\t%s\t%g\t%.1f\t%g\t%s\n", printable(q.QuestionID), printable(q.AtomID), printable(r.Reason), r.Right, r.Expected, r.Answers, printable(q.Prompt))
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
	serverFlags
}

func (f *doubtfulFlags) save(ctx context.Context, o output, in contract.SaveQuestionRequest) error {
	server, err := f.connect(o)
	if err != nil {
		return err
	}
	in.QuestionID, in.AtomID = f.QuestionID, f.AtomID
	saved, err := contract.New(server).SaveQuestion(ctx, in)
	if err != nil {
		return err
	}
	return o.print(saved, func(w io.Writer) {
		kept := ""
		if saved.Retirement != nil && saved.Retirement.Kept {
			kept = ", kept"
		}
		fmt.Fprintf(w, "%s: %s%s\n", printable(saved.QuestionID), printable(saved.State), kept)
	})
}

type questionsRetireCmd struct{ doubtfulFlags }

// Run retires a question, or asks it again.
func (c *questionsRetireCmd) Run(ctx context.Context, o output) error {
	state := "retired"
	if c.Undo {
		state = "active"
	}
	return c.save(ctx, o, contract.SaveQuestionRequest{State: state})
}

type questionsKeepCmd struct{ doubtfulFlags }

// Run keeps a question, or lets it be proposed again.
func (c *questionsKeepCmd) Run(ctx context.Context, o output) error {
	keep := !c.Undo
	return c.save(ctx, o, contract.SaveQuestionRequest{Keep: &keep})
}
