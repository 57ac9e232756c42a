package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"stoa/client"
	"stoa/client/contract"
)

type accountCmd struct {
	Passkeys      passkeysCmd      `cmd:"" help:"List and remove the passkeys that you sign in with."`
	Notifications notificationsCmd `cmd:"" help:"See and choose where you are told of what."`
}

type passkeysCmd struct {
	List   passkeyListCmd   `cmd:"" default:"withargs" help:"List your passkeys."`
	Remove passkeyRemoveCmd `cmd:"" help:"Remove a passkey."`
}

type passkeyListCmd struct {
	serverFlags
}

// Run lists.
func (c *passkeyListCmd) Run(ctx context.Context, o output) error {
	server, err := c.connect(o)
	if err != nil {
		return err
	}
	keys, err := contract.New(server).ListPasskeys(ctx, contract.ListPasskeysParams{})
	if err != nil {
		return err
	}
	return o.print(keys, func(w io.Writer) {
		if len(keys.Passkeys) == 0 {
			fmt.Fprintln(w, "You have no passkeys here. The page Account makes one.")
			return
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "PASSKEY\tLABEL\tFOR\tLAST USED\tSINCE")
		for _, one := range keys.Passkeys {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", printable(one.PasskeyID), printable(one.Label), printable(one.Host), printable(either(one.LastUsedAt, "never")), printable(one.CreatedAt))
		}
		t.Flush()
	})
}

type passkeyRemoveCmd struct {
	PasskeyID    string `arg:"" name:"passkey" help:"The passkey's id, as the list names it."`
	PasswordFile string `type:"path" help:"File with your password, asked for when you signed in more than 10 minutes ago; - reads standard input." placeholder:"FILE"`
	serverFlags
}

// Run removes, with the password again where the server wants it.
func (c *passkeyRemoveCmd) Run(ctx context.Context, o output) error {
	server, err := c.connect(o)
	if err != nil {
		return err
	}
	in := contract.RemovePasskeyRequest{PasskeyID: c.PasskeyID}
	gone, err := contract.New(server).RemovePasskey(ctx, in)
	if client.CodeOf(err) == "permission_denied" {
		password, asked := (&loginCmd{PasswordFile: c.PasswordFile}).password(o)
		if asked != nil {
			return errors.Join(err, asked)
		}
		if err := server.Confirm(ctx, password); err != nil {
			return err
		}
		gone, err = contract.New(server).RemovePasskey(ctx, in)
	}
	if err != nil {
		return err
	}
	return o.print(gone, func(w io.Writer) {
		if gone.Removed {
			fmt.Fprintln(w, "Removed. Your authenticator may still offer it; it opens nothing here.")
		} else {
			fmt.Fprintln(w, "There is no such passkey.")
		}
	})
}
