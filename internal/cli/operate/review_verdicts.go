package operate

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"stoa/internal/app"
	"stoa/internal/cli"
)

type reviewVerdictsCmd struct {
	List    verdictsListCmd    `cmd:"" default:"withargs" help:"List what this scanner says of published versions otherwise than what is shown, and how far it has come."`
	Publish verdictsPublishCmd `cmd:"" help:"Show changed verdicts to everybody, and tell who has those versions installed."`
	Dismiss verdictsDismissCmd `cmd:"" help:"Leave what is shown, until another scanner comes."`
}

type verdictsListCmd struct{}

// Run lists.
func (c *verdictsListCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		list, err := a.ListVerdictChanges(ctx, 0, "")
		if err != nil {
			return err
		}
		return o.Print(list, func(w io.Writer) {
			fmt.Fprintf(w, "%s has read %d of %d published versions; %d changed verdicts wait.\n", list.Scanner, list.Judged, list.Versions, list.Waiting)
			t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			for _, v := range list.Changes {
				fmt.Fprintf(t, "%s\t%s\t%s to %s\t%s\n", cli.Printable(v.ItemID), cli.Printable(v.Version), cli.Printable(v.RiskBefore), cli.Printable(v.Risk), cli.Printable(gainedAndLost(append(v.LabelsAdded, v.FlagsAdded...), append(v.LabelsRemoved, v.FlagsRemoved...))))
			}
			t.Flush()
			if more := list.Waiting - len(list.Changes); more > 0 {
				fmt.Fprintf(w, "and %d more\n", more)
			}
		})
	})
}

func gainedAndLost(gained, lost []string) string {
	var all []string
	for _, one := range gained {
		all = append(all, "+"+one)
	}
	for _, one := range lost {
		all = append(all, "-"+one)
	}
	return strings.Join(all, " ")
}

type verdictsArgs struct {
	ItemID string `arg:"" optional:"" name:"item" help:"The item's id."`
	All    bool   `help:"Those of every item."`
}

type verdictsPublishCmd struct{ verdictsArgs }

// Run publishes.
func (c *verdictsPublishCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return c.decide(ctx, s, o, true)
}

type verdictsDismissCmd struct{ verdictsArgs }

// Run dismisses.
func (c *verdictsDismissCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return c.decide(ctx, s, o, false)
}

func (c *verdictsArgs) decide(ctx context.Context, s *Settings, o cli.Output, publish bool) error {
	if (c.ItemID == "") != c.All {
		return fmt.Errorf("say which item, or --all")
	}
	return s.command(ctx, o, func(a *app.App) error {
		n, err := a.DecideVerdicts(ctx, c.ItemID, publish)
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"published": publish, "count": n}, func(w io.Writer) {
			if publish {
				fmt.Fprintf(w, "Published %s.\n", cli.Counted(n, "changed verdict"))
			} else {
				fmt.Fprintf(w, "Dismissed %s.\n", cli.Counted(n, "changed verdict"))
			}
		})
	})
}
