package member

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"stoa/client/contract"
	"stoa/internal/cli"
)

// QuestionsCmd is `stoa questions`.
type QuestionsCmd struct {
	Estimate questionsEstimateCmd `cmd:"" help:"Say what it would take to have questions proposed by the server's language model."`
	Propose  questionsProposeCmd  `cmd:"" help:"Have questions proposed: the notes of an estimate are sent to the models that it names."`
	Status   questionsStatusCmd   `cmd:"" help:"Say how far that is."`
	Stop     questionsStopCmd     `cmd:"" help:"Stop it."`
	Resume   questionsResumeCmd   `cmd:"" help:"Resume what stopped or failed."`
	Discard  questionsDiscardCmd  `cmd:"" help:"Discard what language models said of your prerequisites."`
	List     questionsListCmd     `cmd:"" help:"List the proposed questions that wait for your decision."`
	Accept   questionsAcceptCmd   `cmd:"" help:"Accept proposed questions; from then on they are asked."`
	Reject   questionsRejectCmd   `cmd:"" help:"Reject proposed questions; they are not proposed again."`
	Doubtful questionsDoubtfulCmd `cmd:"" help:"List the questions whose answers say nothing: they are proposed for retirement."`
	Retire   questionsRetireCmd   `cmd:"" help:"Retire a question: it is not asked again."`
	Keep     questionsKeepCmd     `cmd:"" help:"Keep a question that is proposed for retirement."`
}

// proposalScope says of which notes.
type proposalScope struct {
	Note   string `help:"This note alone, by its document id." placeholder:"ID"`
	Folder string `help:"Notes whose path begins so." placeholder:"PATH"`
	Again  bool   `help:"Also notes that were read before and have not changed."`
	Check  bool   `help:"Have inferred prerequisites checked instead; no questions are proposed."`
}

func (s *proposalScope) kind() string {
	if s.Check {
		return "prerequisites"
	}
	return "questions"
}

type questionsEstimateCmd struct {
	proposalScope
	ServerFlags
}

// Run estimates.
func (c *questionsEstimateCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	e, err := contract.New(server).EstimateProposals(ctx, contract.EstimateProposalsParams{Kind: c.kind(), DocumentID: c.Note, Folder: c.Folder, Again: &c.Again})
	if err != nil {
		return err
	}
	return o.Print(e, func(w io.Writer) {
		what := fmt.Sprintf("%s in %s (%d read before)", cli.Counted(int(e.Notes), "note"), cli.Counted(int(e.Parts), "part"), e.AlreadyRead)
		if c.Check {
			what = fmt.Sprintf("%s of %s (%d checked before)", cli.Counted(int(e.Pairs), "inferred prerequisite"), cli.Counted(int(e.Notes), "note"), e.AlreadyRead)
		}
		fmt.Fprintf(w, "%s: %d to %d calls, about %d tokens at most", what, e.CallsAtLeast, e.CallsAtMost, e.TokensAtMost)
		if e.PricePerCall > 0 {
			fmt.Fprintf(w, ", %.4g at most at %.4g a call", e.CostAtMost, e.PricePerCall)
		}
		fmt.Fprintln(w, ".")
		if e.Left > 0 {
			fmt.Fprintf(w, "%d further parts do not fit into one run.\n", e.Left)
		}
		if e.CallsLeftToday != nil && e.Days > 0 {
			fmt.Fprintf(w, "Calls left today: %d; it takes %s at most.\n", *e.CallsLeftToday, cli.Counted(int(e.Days), "day"))
		}
		for _, m := range e.Models {
			fmt.Fprintf(w, "The notes go to %s (%s).\n", cli.Printable(m.ProviderName), cli.Printable(m.ProviderMode))
		}
		switch {
		case len(e.Models) == 0:
			fmt.Fprintln(w, "No language model may be asked: the server has none, or your settings rule them out.")
		case e.Parts > 0:
			fmt.Fprintf(w, "To agree, run stoa questions propose %s with the same options.\n", cli.Printable(e.EstimateID))
		}
	})
}

type questionsProposeCmd struct {
	EstimateID string `arg:"" name:"estimate" help:"The estimate that you agree to."`
	proposalScope
	ServerFlags
}

// Run starts.
func (c *questionsProposeCmd) Run(ctx context.Context, o cli.Output) error {
	in := contract.RunProposalsRequest{Action: "start", Kind: c.kind(), EstimateID: c.EstimateID, DocumentID: c.Note, Folder: c.Folder, Again: &c.Again}
	return c.runProposals(ctx, o, in)
}

type questionsStopCmd struct{ ServerFlags }

// Run stops.
func (c *questionsStopCmd) Run(ctx context.Context, o cli.Output) error {
	return c.runProposals(ctx, o, contract.RunProposalsRequest{Action: "stop"})
}

type questionsResumeCmd struct{ ServerFlags }

// Run resumes.
func (c *questionsResumeCmd) Run(ctx context.Context, o cli.Output) error {
	return c.runProposals(ctx, o, contract.RunProposalsRequest{Action: "resume"})
}

func (f *ServerFlags) runProposals(ctx context.Context, o cli.Output, in contract.RunProposalsRequest) error {
	server, err := f.Connect(o)
	if err != nil {
		return err
	}
	run, err := contract.New(server).RunProposals(ctx, in)
	if err != nil {
		return err
	}
	return o.Print(run, func(w io.Writer) { printProposalRun(w, &run) })
}

func printProposalRun(w io.Writer, run *contract.ProposalRun) {
	fmt.Fprintf(w, "%s: %d of %d parts read with %d of at most %d calls; ", cli.Printable(run.State), run.PartsDone, run.Parts, run.Calls, run.CallsAtMost)
	if said := run.Verdicts; run.Kind == "prerequisites" {
		fmt.Fprintf(w, "prerequisites: %d confirmed, %d reversed, %d unrelated, %d unsure.\n", said["confirmed"], said["reversed"], said["unrelated"], said["unsure"])
	} else {
		fmt.Fprintf(w, "%d questions offered.\n", run.Offered)
	}
	switch run.WaitsFor {
	case "tomorrow":
		fmt.Fprintf(w, "Today's calls are used up; it goes on at %s.\n", cli.Printable(run.NextAt))
	case "model":
		fmt.Fprintf(w, "No model answered; it is tried again at %s.\n", cli.Printable(run.NextAt))
	}
	if run.ErrorMessage != "" {
		fmt.Fprintf(w, "The last error: %s.\n", cli.Printable(run.ErrorMessage))
	}
	for _, why := range slices.Sorted(maps.Keys(run.Dropped)) {
		fmt.Fprintf(w, "not offered: %s %d\n", cli.Printable(why), run.Dropped[why])
	}
}

type questionsDiscardCmd struct{ ServerFlags }

// Run discards.
func (c *questionsDiscardCmd) Run(ctx context.Context, o cli.Output) error {
	return c.runProposals(ctx, o, contract.RunProposalsRequest{Action: "discard"})
}

type questionsStatusCmd struct{ ServerFlags }

// Run says how far it is.
func (c *questionsStatusCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	list, err := contract.New(server).ListProposals(ctx, contract.ListProposalsParams{Limit: new(int64(1))})
	if err != nil {
		return err
	}
	return o.Print(map[string]any{"run": list.Run, "waiting": list.Total}, func(w io.Writer) {
		if list.Run == nil {
			fmt.Fprintln(w, "No questions were proposed yet. stoa questions estimate says what it would take.")
			return
		}
		printProposalRun(w, list.Run)
		fmt.Fprintf(w, "Waiting for your decision: %s.\n", cli.Counted(int(list.Total), "question"))
	})
}

type questionsListCmd struct {
	Note string `help:"Of this note alone, by its document id." placeholder:"ID"`
	ServerFlags
}

// Run lists.
func (c *questionsListCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	all, err := cli.Listed(func(cursor string) ([]contract.ProposalsItemsItem, string, error) {
		page, err := contract.New(server).ListProposals(ctx, contract.ListProposalsParams{DocumentID: c.Note, Limit: new(int64(100)), Cursor: cursor})
		return page.Items, page.NextCursor, err
	})
	if err != nil {
		return err
	}
	return o.Print(map[string]any{"items": all}, func(w io.Writer) {
		if len(all) == 0 {
			fmt.Fprintln(w, "No proposed questions wait for your decision.")
			return
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "QUESTION\tNOTE\tASKS\tANSWER")
		for i := range all {
			p := &all[i]
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", cli.Printable(p.Question.QuestionID), cli.Printable(p.NoteTitle), cli.Printable(p.Question.Prompt), cli.Printable(p.Question.Expected))
		}
		t.Flush()
	})
}

// decideFlags say which questions.
type decideFlags struct {
	QuestionIDs []string `arg:"" optional:"" name:"question" help:"Ids of the questions, as the list names them."`
	Note        string   `help:"All of this note, by its document id." placeholder:"ID"`
	ServerFlags
}

type questionsAcceptCmd struct{ decideFlags }

// Run accepts.
func (c *questionsAcceptCmd) Run(ctx context.Context, o cli.Output) error {
	return c.decide(ctx, o, "accept")
}

type questionsRejectCmd struct{ decideFlags }

// Run rejects.
func (c *questionsRejectCmd) Run(ctx context.Context, o cli.Output) error {
	return c.decide(ctx, o, "reject")
}

func (c *decideFlags) decide(ctx context.Context, o cli.Output, decision string) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	done, err := contract.New(server).DecideProposals(ctx, contract.DecideProposalsRequest{Decision: decision, QuestionIDs: c.QuestionIDs, DocumentID: c.Note})
	if err != nil {
		return err
	}
	return o.Print(done, func(w io.Writer) {
		fmt.Fprintf(w, "%s decided; %d still wait.\n", cli.Counted(int(done.Decided), "question"), done.Waiting)
	})
}
