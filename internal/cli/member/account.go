package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"stoa/client"
	"stoa/client/contract"
	"stoa/internal/cli"
)

// AccountCmd is `stoa account`.
type AccountCmd struct {
	Show          accountShowCmd     `cmd:"" default:"withargs" help:"Show your account and how much you keep and do."`
	Password      accountPasswordCmd `cmd:"" help:"Change your password and sign out everywhere else."`
	Sessions      accountSessionsCmd `cmd:"" help:"See where you are signed in, and sign out there."`
	Passkeys      passkeysCmd        `cmd:"" help:"List, rename and remove the passkeys that you sign in with."`
	Publishers    publishersCmd      `cmd:"" help:"See and name the pipelines that may publish for you without a secret."`
	Notifications notificationsCmd   `cmd:"" help:"See and choose where you are told of what."`
	Calendar      calendarCmd        `cmd:"" help:"Be reminded in your calendar of what is due."`
	Preferences   preferencesCmd     `cmd:"" help:"Show or change your preferences."`
	Export        accountExportCmd   `cmd:"" help:"Download all data about you as a zip."`
	Delete        accountDeleteCmd   `cmd:"" help:"Delete your account after some days in which you can take it back."`
	Keep          accountKeepCmd     `cmd:"" help:"Take the deletion of your account back."`
}

// provenFlags are of commands that want the password again.
type provenFlags struct {
	PasswordFile string `type:"path" help:"File with your password, asked for when you signed in more than 10 minutes ago; - reads standard input." placeholder:"FILE"`
	ServerFlags
}

// proven runs what wants a recent proof of who is there; where the server asks for one, it gives the password and runs it again.
func proven[T any](ctx context.Context, o cli.Output, f *provenFlags, work func(*client.Client) (T, error)) (T, error) {
	var none T
	server, err := f.Connect(o)
	if err != nil {
		return none, err
	}
	done, err := work(server)
	if client.CodeOf(err) != "permission_denied" {
		return done, err
	}
	password, asked := (&LoginCmd{PasswordFile: f.PasswordFile}).password(o)
	if asked != nil {
		return none, errors.Join(err, asked)
	}
	if _, err := contract.New(server).ConfirmSession(ctx, contract.ConfirmRequest{Password: password}); err != nil {
		return none, err
	}
	return work(server)
}

type passkeysCmd struct {
	List   passkeyListCmd   `cmd:"" default:"withargs" help:"List your passkeys."`
	Rename passkeyRenameCmd `cmd:"" help:"Give a passkey another name."`
	Remove passkeyRemoveCmd `cmd:"" help:"Remove a passkey."`
}

type passkeyListCmd struct {
	ServerFlags
}

// Run lists.
func (c *passkeyListCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	keys, err := contract.New(server).ListPasskeys(ctx, contract.ListPasskeysParams{})
	if err != nil {
		return err
	}
	return o.Print(keys, func(w io.Writer) {
		if len(keys.Passkeys) == 0 {
			fmt.Fprintln(w, "You have no passkeys here. The page Account makes one.")
			return
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "PASSKEY\tLABEL\tFOR\tLAST USED\tSINCE")
		for _, one := range keys.Passkeys {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", cli.Printable(one.PasskeyID), cli.Printable(one.Label), cli.Printable(one.Host), cli.Printable(cmp.Or(one.LastUsedAt, "never")), cli.Printable(one.CreatedAt))
		}
		t.Flush()
	})
}

type passkeyRenameCmd struct {
	PasskeyID string `arg:"" name:"passkey" help:"The passkey's id, as the list names it."`
	Label     string `arg:"" help:"What you know it by."`
	ServerFlags
}

// Run renames.
func (c *passkeyRenameCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	named, err := contract.New(server).RenamePasskey(ctx, contract.RenamePasskeyRequest{PasskeyID: c.PasskeyID, Label: c.Label})
	if err != nil {
		return err
	}
	return o.Print(named, func(w io.Writer) { fmt.Fprintf(w, "It is called %s now.\n", cli.Printable(c.Label)) })
}

type passkeyRemoveCmd struct {
	PasskeyID string `arg:"" name:"passkey" help:"The passkey's id, as the list names it."`
	provenFlags
}

// Run removes, with the password again where the server wants it.
func (c *passkeyRemoveCmd) Run(ctx context.Context, o cli.Output) error {
	gone, err := proven(ctx, o, &c.provenFlags, func(server *client.Client) (contract.RemovedPasskey, error) {
		return contract.New(server).RemovePasskey(ctx, contract.RemovePasskeyRequest{PasskeyID: c.PasskeyID})
	})
	if err != nil {
		return err
	}
	return o.Print(gone, func(w io.Writer) {
		if gone.Removed {
			fmt.Fprintln(w, "Removed. Your authenticator may still offer it; it opens nothing here.")
		} else {
			fmt.Fprintln(w, "There is no such passkey.")
		}
	})
}
