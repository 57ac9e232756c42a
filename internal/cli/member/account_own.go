package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"stoa/client"
	"stoa/client/contract"
	"stoa/internal/cli"
)

type accountShowCmd struct {
	ServerFlags
}

// Run shows who one is there, and what one may keep and do.
func (c *accountShowCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	own, err := contract.New(server).GetAccount(ctx, contract.GetAccountParams{})
	if err != nil {
		return err
	}
	kept, err := contract.New(server).GetMemberQuotas(ctx, contract.GetMemberQuotasParams{})
	if err != nil {
		return err
	}
	return o.Print(map[string]any{"account": own, "quotas": kept.Quotas}, func(w io.Writer) {
		fmt.Fprintf(w, "%s, member since %s, passkeys: %d.\n", cli.Printable(own.UserID), cli.Printable(own.CreatedAt), own.Passkeys)
		if own.DeletesAt != "" {
			fmt.Fprintf(w, "The account is deleted on %s. `stoa account keep` takes that back.\n", cli.Printable(own.DeletesAt))
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "LIMIT\tPER\tUSED\tOF")
		for _, use := range kept.Quotas {
			most := "none"
			if use.Limit != nil {
				most = strconv.FormatInt(*use.Limit, 10)
			}
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\n", cli.Printable(use.Kind), cli.Printable(use.Period), use.Used, most)
		}
		t.Flush()
	})
}

type accountPasswordCmd struct {
	PasswordFile    string `type:"path" help:"File with your present password; asked for otherwise." placeholder:"FILE"`
	NewPasswordFile string `type:"path" help:"File with the new password; asked for otherwise." placeholder:"FILE"`
	ServerFlags
}

// Run changes the password; every other session ends.
func (c *accountPasswordCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	// Asked for in this order; on a terminal the prompt says only "Password".
	fmt.Fprintln(o.Err, "Your present password, then the new one.")
	current, err := (&LoginCmd{PasswordFile: c.PasswordFile}).password(o)
	if err != nil {
		return err
	}
	next, err := (&LoginCmd{PasswordFile: c.NewPasswordFile}).password(o)
	if err != nil {
		return err
	}
	ended, err := contract.New(server).ChangePassword(ctx, contract.ChangePasswordRequest{CurrentPassword: current, NewPassword: next})
	if err != nil {
		return err
	}
	return o.Print(ended, func(w io.Writer) { fmt.Fprintf(w, "Changed. Other sessions that ended: %d.\n", ended.EndedSessions) })
}

type accountSessionsCmd struct {
	List sessionListCmd `cmd:"" default:"withargs" help:"List where you are signed in."`
	End  sessionEndCmd  `cmd:"" help:"Sign out in one place, or with --all everywhere."`
}

type sessionListCmd struct {
	ServerFlags
}

// Run lists.
func (c *sessionListCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	own, err := contract.New(server).ListOwnSessions(ctx, contract.ListOwnSessionsParams{})
	if err != nil {
		return err
	}
	return o.Print(own, func(w io.Writer) {
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "SESSION\tWITH\tFROM\tLAST SEEN\tEXPIRES\t")
		for _, one := range own.Sessions {
			here := ""
			if one.Current {
				here = "this one"
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", cli.Printable(one.SessionID), cli.Printable(cmp.Or(one.Agent, "unknown")), cli.Printable(cmp.Or(one.Address, "unknown")), cli.Printable(one.LastSeenAt), cli.Printable(one.ExpiresAt), here)
		}
		t.Flush()
	})
}

type sessionEndCmd struct {
	SessionID string `arg:"" optional:"" name:"session" help:"The session's id, as the list names it."`
	All       bool   `help:"All of them, this one too."`
	Addresses bool   `help:"With --all: end the private addresses of your feed and calendar too."`
	ServerFlags
}

// Run signs out.
func (c *sessionEndCmd) Run(ctx context.Context, o cli.Output) error {
	if c.All == (c.SessionID != "") || c.Addresses && !c.All {
		return errors.New("say which session to end, as `stoa account sessions` names it, or --all")
	}
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	api := contract.New(server)
	var ended contract.EndedSessions
	if c.All {
		ended, err = api.EndOwnSessions(ctx, contract.EndSessionsRequest{EndAddresses: &c.Addresses})
	} else {
		ended, err = api.EndOwnSession(ctx, contract.EndSessionRequest{SessionID: c.SessionID})
	}
	if err != nil {
		return err
	}
	return o.Print(ended, func(w io.Writer) {
		fmt.Fprintf(w, "Sessions that ended: %d.\n", ended.EndedSessions)
		if c.All {
			fmt.Fprintln(w, c.stillOpen())
		}
		if ended.SignedOut {
			fmt.Fprintln(w, "You are signed out here too. `stoa login URL` signs in again.")
		}
	})
}

// stillOpen says what is no session and goes on working.
func (c *sessionEndCmd) stillOpen() string {
	if c.Addresses {
		return "API tokens and assistants still work; `stoa account tokens` lists them."
	}
	return "API tokens, assistants, and the private addresses of your feed and calendar still work; --addresses ends those addresses too."
}

type accountExportCmd struct {
	Output string `short:"o" type:"path" default:"stoa-account.zip" help:"The file to write." placeholder:"FILE"`
	provenFlags
}

// Run downloads.
func (c *accountExportCmd) Run(ctx context.Context, o cli.Output) error {
	got, err := proven(ctx, o, &c.provenFlags, func(server *client.Client) (client.Downloaded, error) {
		return server.ExportAccount(ctx, client.Download{Path: c.Output, Limit: mostExported})
	})
	if err != nil {
		return err
	}
	return o.Print(got, func(w io.Writer) {
		fmt.Fprintf(w, "All data about you is in %s (%d bytes).\n", cli.Printable(got.Path), got.SizeBytes)
	})
}

// mostExported bounds what a server may send as one account's data.
const mostExported = 16 << 30

type accountDeleteCmd struct {
	provenFlags
}

// Run asks for the deletion.
func (c *accountDeleteCmd) Run(ctx context.Context, o cli.Output) error {
	asked, err := proven(ctx, o, &c.provenFlags, func(server *client.Client) (contract.AccountDeletion, error) {
		return contract.New(server).RequestAccountDeletion(ctx, contract.AccountRequest{})
	})
	if err != nil {
		return err
	}
	return o.Print(asked, func(w io.Writer) {
		fmt.Fprintf(w, "Your account and all data about you are deleted on %s. Until then `stoa account keep` takes it back.\n", cli.Printable(asked.DeletesAt))
	})
}

type accountKeepCmd struct {
	ServerFlags
}

// Run takes the deletion back.
func (c *accountKeepCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	kept, err := contract.New(server).CancelAccountDeletion(ctx, contract.AccountRequest{})
	if err != nil {
		return err
	}
	return o.Print(kept, func(w io.Writer) {
		if kept.Cancelled {
			fmt.Fprintln(w, "Your account stays.")
		} else {
			fmt.Fprintln(w, "Your account was not going to be deleted.")
		}
	})
}

type preferencesCmd struct {
	Mode      string  `help:"How your bots work: ${enum}." enum:",subagent_driven,inline_execution" default:""`
	Observe   string  `help:"Keep the details of tasks: ${enum}." enum:",on,off" default:""`
	Recipient *string `help:"The age public key that your secrets are encrypted to; empty for none." placeholder:"KEY"`
	ServerFlags
}

// Run changes what is given, and shows what holds then.
func (c *preferencesCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	api := contract.New(server)
	own, err := api.GetPreferences(ctx, contract.GetPreferencesParams{})
	if err == nil && c.Mode != "" {
		own, err = api.SetPreferenceMode(ctx, contract.PreferenceModeRequest{Mode: c.Mode})
	}
	if err == nil && c.Observe != "" {
		own, err = api.SetPreferenceObserve(ctx, contract.PreferenceObserveRequest{Enabled: c.Observe == "on"})
	}
	if err == nil && c.Recipient != nil {
		own, err = api.SetPreferenceRecipient(ctx, contract.PreferenceRecipientRequest{Recipient: *c.Recipient})
	}
	if err != nil {
		return err
	}
	return o.Print(own, func(w io.Writer) {
		observe := "off"
		if own.Enabled {
			observe = "on"
		}
		fmt.Fprintf(w, "Mode: %s\nDetails of tasks: %s\nSecrets are encrypted to: %s\n", cli.Printable(own.Mode), observe, cli.Printable(cmp.Or(own.EncryptionRecipient, "nobody")))
	})
}
