package operate

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/cli"
	"stoa/internal/platform/errs"
)

type memberQuotaCmd struct {
	UserID string `arg:"" name:"user" help:"The member's id."`
	Kind   string `arg:"" optional:"" help:"The limit to change, as the list names it."`
	Limit  string `arg:"" optional:"" help:"The new limit, a number; none for no bound, default for that of the server."`
}

// Run shows what a member keeps and does beside the limits, after changing one where that is asked.
func (c *memberQuotaCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if c.Kind != "" {
			most, err := c.most()
			if err == nil {
				err = a.SetMemberQuota(ctx, c.UserID, core.QuotaKind(c.Kind), most)
			}
			if err != nil {
				return err
			}
		}
		kept, err := a.GetMemberQuotas(ctx, core.Caller{Role: core.Member, UserID: c.UserID}, core.OwnInput{})
		if err != nil {
			return err
		}
		return o.Print(kept, func(w io.Writer) {
			t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			fmt.Fprintln(t, "LIMIT\tPER\tUSED\tOF\t")
			for _, use := range kept.Quotas {
				most, own := "none", ""
				if use.Limit != nil {
					most = strconv.FormatInt(*use.Limit, 10)
				}
				if use.Own {
					own = "set for this member"
				}
				fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", use.Kind, use.Period, use.Used, most, own)
			}
			t.Flush()
		})
	})
}

func (c *memberQuotaCmd) most() (*int64, error) {
	none := int64(core.NoQuota)
	switch c.Limit {
	case "default":
		return nil, nil
	case "none":
		return &none, nil
	}
	n, err := strconv.ParseInt(c.Limit, 10, 64)
	if err != nil || n < 0 {
		return nil, errs.Newf(errs.InvalidRequest, "Give the new limit of %s: a number from 0 on, none or default.", c.Kind)
	}
	return &n, nil
}
