package member

import (
	"context"
	"fmt"
	"io"
	"slices"

	"stoa/client"
	"stoa/client/contract"
	"stoa/internal/cli"
)

// WithdrawCmd is `stoa withdraw`.
type WithdrawCmd struct {
	ID      string `arg:"" help:"A template or pack of yours that is published."`
	Version string `help:"This version alone; the newest of the others is the latest then." placeholder:"VERSION"`
	Note    string `help:"Why; a word to whoever has it installed." placeholder:"TEXT"`
	Restore bool   `help:"Put it back, if you took it out yourself."`
	ServerFlags
}

// Run takes an own item or one of its versions out of the catalog, or puts it back.
func (c *WithdrawCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	out := !c.Restore
	ask := contract.WithdrawMemberItemBody{Kind: "profile_pack", ItemID: c.ID, Version: c.Version, Withdrawn: &out, Note: c.Note}
	done, err := contract.New(server).WithdrawMemberItem(ctx, ask)
	if client.CodeOf(err) == "not_found" {
		ask.Kind = "template"
		done, err = contract.New(server).WithdrawMemberItem(ctx, ask)
	}
	if err != nil {
		return err
	}
	return o.Print(done, func(w io.Writer) {
		id, of, back := cli.Printable(done.ItemID), "", ""
		one := slices.ContainsFunc(done.WithdrawnVersions, func(v contract.WithdrawnVersion) bool { return v.Version == c.Version })
		if done.Withdrawn && !one {
			c.Version = "" // it was the last that stood: all of the item is out
		}
		if c.Version != "" {
			of, back = "Version "+cli.Printable(c.Version)+" of ", " --version "+cli.Printable(c.Version)
		}
		if done.Withdrawn {
			fmt.Fprintf(w, "%s%s is out of the catalog, and whoever has it was told. `stoa withdraw --restore %s%s` puts it back.\n", of, id, id, back)
		} else {
			fmt.Fprintf(w, "%s%s is in the catalog.\n", of, id)
		}
		if c.Version != "" {
			fmt.Fprintf(w, "The latest version is %s.\n", cli.Printable(done.Version))
		}
	})
}
