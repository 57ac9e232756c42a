package operate

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"stoa/internal/app"
	"stoa/internal/cli"
)

type reviewHarmlessCmd struct {
	SubmissionIDs []string `arg:"" name:"submission" help:"The submissions' ids."`
}

// Run approves what nothing was found in, and says why of the others.
func (c *reviewHarmlessCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		results, err := a.ApproveHarmless(ctx, c.SubmissionIDs)
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"results": results}, func(w io.Writer) {
			for _, r := range results {
				if r.Approved {
					fmt.Fprintf(w, "%s is published.\n", cli.Printable(r.SubmissionID))
				} else {
					fmt.Fprintf(w, "%s is left as it is: %s\n", cli.Printable(r.SubmissionID), cli.Printable(r.Problem))
				}
			}
		})
	})
}

type reviewTakedownsCmd struct{}

// Run lists the takedowns that wait for another person.
func (c *reviewTakedownsCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		all, err := a.Takedowns(ctx)
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"takedowns": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, "No takedown waits for a second person.")
				return
			}
			t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			fmt.Fprintln(t, "ITEM\tKIND\tASKED BY\tSINCE\tREASON")
			for _, one := range all {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", cli.Printable(one.ItemID), one.Kind, cli.Printable(one.AskedBy), one.AskedAt, cli.Printable(one.Note))
			}
			t.Flush()
		})
	})
}

type reviewKeepCmd struct{ itemArgs }

// Run takes the wish for a takedown back.
func (c *reviewKeepCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.DropTakedown(ctx, c.kind(), c.ItemID); err != nil {
			return err
		}
		return o.Print(map[string]any{"item_id": c.ItemID, "kind": c.kind(), "withdrawn": false}, func(w io.Writer) {
			fmt.Fprintf(w, "%s stays; nobody asks for its takedown any more.\n", cli.Printable(c.ItemID))
		})
	})
}

type reviewWithdrawCmd struct {
	itemArgs
	Note  string `help:"Why; a word to whoever has it installed."`
	Alone bool   `help:"Do it at once, without a second person."`
}

// Run withdraws what somebody else has asked to withdraw, and asks otherwise: it takes two, unless it is done alone on purpose.
func (c *reviewWithdrawCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		done := c.Alone
		err := error(nil)
		if c.Alone {
			err = a.WithdrawItem(ctx, c.kind(), c.ItemID, c.Note)
		} else {
			done, err = c.second(ctx, a)
			if err == nil && !done {
				err = a.AskTakedown(ctx, c.kind(), c.ItemID, c.Note)
			}
		}
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"item_id": c.ItemID, "kind": c.kind(), "withdrawn": done}, func(w io.Writer) {
			if done {
				fmt.Fprintf(w, "%s is withdrawn.\n", cli.Printable(c.ItemID))
				return
			}
			fmt.Fprintf(w, "Asked. %s is withdrawn when a reviewer or operator agrees at the console; --alone does not wait.\n", cli.Printable(c.ItemID))
		})
	})
}

// second agrees where somebody else has asked, and says whether it did.
func (c *reviewWithdrawCmd) second(ctx context.Context, a *app.App) (bool, error) {
	all, err := a.Takedowns(ctx)
	for _, one := range all {
		if one.ItemID == c.ItemID && one.Kind == c.kind() {
			err := a.AgreeTakedown(ctx, c.kind(), c.ItemID)
			return err == nil, err
		}
	}
	return false, err
}
