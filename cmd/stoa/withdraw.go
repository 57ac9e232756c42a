package main

import (
	"context"
	"fmt"
	"io"

	"stoa/client"
	"stoa/client/contract"
)

type withdrawCmd struct {
	ID      string `arg:"" help:"A template or pack of yours that is published."`
	Note    string `help:"Why; a word to whoever has it installed." placeholder:"TEXT"`
	Restore bool   `help:"Put it back, if you took it out yourself."`
	serverFlags
}

// Run takes an own item out of the catalog, or puts it back.
func (c *withdrawCmd) Run(ctx context.Context, o output) error {
	server, err := c.connect(o)
	if err != nil {
		return err
	}
	out := !c.Restore
	ask := contract.WithdrawMemberItemBody{Kind: "profile_pack", ItemID: c.ID, Withdrawn: &out, Note: c.Note}
	done, err := contract.New(server).WithdrawMemberItem(ctx, ask)
	if client.CodeOf(err) == "not_found" {
		ask.Kind = "template"
		done, err = contract.New(server).WithdrawMemberItem(ctx, ask)
	}
	if err != nil {
		return err
	}
	return o.print(done, func(w io.Writer) {
		if done.Withdrawn {
			fmt.Fprintf(w, "%s is out of the catalog, and whoever has it was told. `stoa withdraw --restore %s` puts it back.\n", printable(done.ItemID), printable(done.ItemID))
			return
		}
		fmt.Fprintf(w, "%s is in the catalog.\n", printable(done.ItemID))
	})
}
