package operate

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"stoa/internal/app"
	"stoa/internal/app/market/review"
	"stoa/internal/cli"
	"stoa/internal/market/catalog"
)

// ReviewCmd is `stoa review`.
type ReviewCmd struct {
	List       reviewListCmd       `cmd:"" help:"List submissions, oldest first."`
	Show       reviewShowCmd       `cmd:"" help:"Show all that a submission would publish, with what the scan found in it."`
	Download   reviewDownloadCmd   `cmd:"" help:"Write the exact bytes that a submission would publish into a file."`
	Approve    reviewApproveCmd    `cmd:"" help:"Publish a pending submission, once what has findings was shown to you."`
	Answer     reviewAnswerCmd     `cmd:"" help:"Write to the member of a submission; they are told, and can answer."`
	Reject     reviewRejectCmd     `cmd:"" help:"Turn a pending submission down."`
	Claim      reviewClaimCmd      `cmd:"" help:"Take a submission, so that no other reviewer does the same work."`
	Release    reviewReleaseCmd    `cmd:"" help:"Give a submission back to the queue, whoever has it."`
	Verdicts   reviewVerdictsCmd   `cmd:"" help:"What a newer scanner says of published versions, before it is shown."`
	Feature    reviewFeatureCmd    `cmd:"" help:"Put a published item in front."`
	Unfeature  reviewUnfeatureCmd  `cmd:"" help:"Take a featured item back."`
	Harmless   reviewHarmlessCmd   `cmd:"" name:"approve-harmless" help:"Publish those of several submissions in which nothing was found."`
	Withdraw   reviewWithdrawCmd   `cmd:"" help:"Take a published item out of the catalog and the feeds, and tell who has it installed; it takes two."`
	Takedowns  reviewTakedownsCmd  `cmd:"" help:"List the items that wait for a second person to be taken out."`
	Keep       reviewKeepCmd       `cmd:"" help:"Take back that an item was to be taken out."`
	Restore    reviewRestoreCmd    `cmd:"" help:"Put a withdrawn item back."`
	Ratings    reviewRatingsCmd    `cmd:"" help:"List ratings that members reported, the longest waiting first."`
	HideRating reviewHideCmd       `cmd:"" help:"Hide a rating and tell who wrote it why."`
	KeepRating reviewKeepRatingCmd `cmd:"" help:"Leave a reported rating, or show a hidden one again."`
}

// mostUnanswered bounds how many decided submissions with a new message are counted.
const mostUnanswered = 1000

type reviewListCmd struct {
	Status string `help:"pending, approved, rejected, replaced, withdrawn, or unanswered: whose member wrote last, whatever became of them." default:"pending" enum:"pending,approved,rejected,replaced,withdrawn,unanswered"`
	After  string `help:"Begin after this submission."`
	Limit  int    `help:"At most so many." default:"50"`
}

// Run lists submissions.
func (c *reviewListCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		lines, err := a.Reviews(ctx, c.Status, c.After, c.Limit)
		if err != nil {
			return err
		}
		decided := 0 // whose member wrote last
		if c.Status == "pending" {
			waiting, err := a.Reviews(ctx, review.ReviewsUnanswered, "", mostUnanswered)
			if err != nil {
				return err
			}
			for _, l := range waiting {
				if l.Status != c.Status {
					decided++
				}
			}
		}
		return o.Print(map[string]any{"submissions": lines}, func(w io.Writer) {
			if decided > 0 {
				defer fmt.Fprintf(w, "On %s that %s not pending the member wrote last: stoa review list --status unanswered\n", cli.Counted(decided, "submission"), map[bool]string{true: "is", false: "are"}[decided == 1])
			}
			if len(lines) == 0 {
				fmt.Fprintf(w, "No submission is %s.\n", c.Status)
				return
			}
			t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			fmt.Fprintln(t, "SUBMISSION\tITEM\tVERSION\tFROM\tRISK\tSINCE")
			for _, l := range lines {
				wrote := ""
				if l.Unanswered {
					wrote = "  its member wrote last"
				}
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s%s\n", l.SubmissionID, cli.Printable(l.ItemID), cli.Printable(l.Version), cli.Printable(l.UserID), l.RiskLevel, l.CreatedAt, wrote)
			}
			t.Flush()
		})
	})
}

type reviewApproveCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	Note         string `help:"A word to the member."`
	TakeOver     bool   `help:"Let the submitter become the owner of an item that belongs to another."`
}

// Run approves.
func (c *reviewApproveCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		line, err := a.Approve(ctx, c.SubmissionID, c.Note, c.TakeOver)
		return decision(o, line, "Published", err)
	})
}

type reviewRejectCmd struct {
	SubmissionID string `arg:"" name:"submission" help:"The submission's id."`
	Note         string `help:"A word to the member."`
	remove
}

// Run rejects.
func (c *reviewRejectCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		line, err := a.Reject(ctx, c.SubmissionID, c.Note, c.Remove...)
		return decision(o, line, "Rejected", err)
	})
}

func decision(o cli.Output, line review.Line, word string, err error) error {
	if err != nil {
		return err
	}
	return o.Print(line, func(w io.Writer) {
		fmt.Fprintf(w, "%s %s %s.\n", word, cli.Printable(line.ItemID), cli.Printable(line.Version))
	})
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
func (c *reviewFeatureCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return feature(ctx, s, o, c.itemArgs, c.Note, true)
}

type reviewUnfeatureCmd struct {
	itemArgs
}

// Run takes back.
func (c *reviewUnfeatureCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return feature(ctx, s, o, c.itemArgs, "", false)
}

func feature(ctx context.Context, s *Settings, o cli.Output, item itemArgs, note string, featured bool) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.Feature(ctx, item.kind(), item.ItemID, note, featured); err != nil {
			return err
		}
		return o.Print(map[string]any{"item_id": item.ItemID, "kind": item.kind(), "featured": featured}, func(w io.Writer) {
			if featured {
				fmt.Fprintf(w, "%s is featured.\n", item.ItemID)
			} else {
				fmt.Fprintf(w, "%s is no longer featured.\n", item.ItemID)
			}
		})
	})
}

type reviewRestoreCmd struct{ itemArgs }

// Run puts back.
func (c *reviewRestoreCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.RestoreItem(ctx, c.kind(), c.ItemID); err != nil {
			return err
		}
		return o.Print(map[string]any{"item_id": c.ItemID, "kind": c.kind(), "withdrawn": false}, func(w io.Writer) {
			fmt.Fprintf(w, "%s is in the catalog again.\n", cli.Printable(c.ItemID))
		})
	})
}

func orOperator(userID string) string {
	if userID == "" {
		return "the operator"
	}
	return userID
}
