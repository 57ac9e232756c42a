package operate

import (
	"context"
	"fmt"
	"io"

	"stoa/internal/app"
	"stoa/internal/cli"
)

// AcceptLossCmd is `stoa accept-loss`.
type AcceptLossCmd struct {
	Reason string `help:"Why, for the audit log." required:"" placeholder:"TEXT"`
}

// Run lets all nodes write to the database as it is.
func (c *AcceptLossCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		losses, err := a.AcceptLoss(ctx, c.Reason)
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"ok": true, "losses": losses}, func(w io.Writer) {
			for _, l := range losses {
				fmt.Fprintf(w, "Lost, found by node %s: %s\n", cli.Printable(l.Node), cli.Printable(l.Detail))
			}
			fmt.Fprintln(w, "What this database has counts from now on. Every node that refuses it goes on within some seconds.")
		})
	})
}
