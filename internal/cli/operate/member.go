package operate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"stoa/internal/app"
	"stoa/internal/app/accounts"
	"stoa/internal/cli"
	"stoa/internal/platform/account"
)

// MemberCmd is `stoa member`.
type MemberCmd struct {
	Add     memberAddCmd     `cmd:"" help:"Add a member. Without --password-stdin a password is made and printed once."`
	Passwd  memberPasswdCmd  `cmd:"" help:"Set a member's password and end their sessions."`
	Disable memberDisableCmd `cmd:"" help:"Shut a member out and end their sessions."`
	Enable  memberEnableCmd  `cmd:"" help:"Let a disabled member in again."`
	Vouch   memberVouchCmd   `cmd:"" help:"Let a member who signed up count in the order of the catalog, or with --off no longer."`
	SignIn  memberSignInCmd  `cmd:"" name:"sign-in" help:"Make a one-time link that signs a member in, for ten minutes."`
	Link    memberLinkCmd    `cmd:"" help:"Let a member sign in as a subject of an OpenID Connect issuer."`
	Unlink  memberUnlinkCmd  `cmd:"" help:"Take that back and end their sessions."`
	Grant   memberGrantCmd   `cmd:"" help:"Give a member a role at the console."`
	Revoke  memberRevokeCmd  `cmd:"" help:"Take a role back and end the member's sessions at the console."`
	Quota   memberQuotaCmd   `cmd:"" help:"Show how much a member keeps and does, and change a limit for them."`
	Acts    memberActsCmd    `cmd:"" help:"List what reviewers and operators did, newest first."`
	List    memberListCmd    `cmd:"" help:"List the members and their roles."`
}

type memberAddCmd struct {
	UserID        string `arg:"" name:"user" help:"The member's id."`
	PasswordStdin bool   `help:"Read the password from standard input."`
}

// Run adds the member.
func (c *memberAddCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	password, made, err := choosePassword(o, c.PasswordStdin)
	if err != nil {
		return err
	}
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.AddMember(ctx, c.UserID, password); err != nil {
			return err
		}
		return tellPassword(o, "Added", c.UserID, password, made)
	})
}

type memberPasswdCmd struct {
	UserID        string `arg:"" name:"user" help:"The member's id."`
	PasswordStdin bool   `help:"Read the password from standard input."`
}

// Run sets the password.
func (c *memberPasswdCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	password, made, err := choosePassword(o, c.PasswordStdin)
	if err != nil {
		return err
	}
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.SetMemberPassword(ctx, c.UserID, password); err != nil {
			return err
		}
		return tellPassword(o, "Set the password of", c.UserID, password, made)
	})
}

type memberDisableCmd struct {
	UserID string `arg:"" name:"user" help:"The member's id."`
}

// Run disables the member.
func (c *memberDisableCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return setDisabled(ctx, s, o, c.UserID, true, "Disabled")
}

type memberEnableCmd struct {
	UserID string `arg:"" name:"user" help:"The member's id."`
}

// Run enables the member.
func (c *memberEnableCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return setDisabled(ctx, s, o, c.UserID, false, "Enabled")
}

type memberVouchCmd struct {
	UserID string `arg:"" name:"user" help:"The member's id."`
	Off    bool   `help:"Take it back."`
}

// Run vouches for the member.
func (c *memberVouchCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.SetMemberVouched(ctx, c.UserID, !c.Off); err != nil {
			return err
		}
		word := "count"
		if c.Off {
			word = "no longer count"
		}
		return o.Print(map[string]any{"user_id": c.UserID, "vouched": !c.Off}, func(w io.Writer) {
			fmt.Fprintf(w, "Ratings and installations of %s %s.\n", c.UserID, word)
		})
	})
}

func setDisabled(ctx context.Context, s *Settings, o cli.Output, userID string, disabled bool, word string) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.SetMemberDisabled(ctx, userID, disabled); err != nil {
			return err
		}
		return o.Print(map[string]any{"user_id": userID, "disabled": disabled}, func(w io.Writer) { fmt.Fprintf(w, "%s %s.\n", word, userID) })
	})
}

type memberSignInCmd struct {
	UserID    string `arg:"" name:"user" help:"The member's id."`
	PublicURL string `name:"public-url" help:"Address that people reach the server at." env:"STOA_PUBLIC_URL" placeholder:"URL"`
}

// Run makes the link.
func (c *memberSignInCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		token, err := a.SignInLink(ctx, c.UserID)
		if err != nil {
			return err
		}
		link := strings.TrimRight(c.PublicURL, "/") + "/member#signin=" + token
		return o.Print(map[string]any{"user_id": c.UserID, "link": link}, func(w io.Writer) {
			fmt.Fprintf(w, "%s signs in once, within %s, at the server's address followed by\n%s\n", c.UserID, accounts.SignInLinkTTL, link)
		})
	})
}

type memberListCmd struct {
	After string `help:"Begin after this member."`
	Limit int    `help:"At most so many." default:"200"`
}

// Run lists the members.
func (c *memberListCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		members, err := a.Members(ctx, c.After, c.Limit)
		if err != nil {
			return err
		}
		roles, err := a.RoleHolders(ctx)
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"members": members, "roles": roles}, func(w io.Writer) {
			t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			fmt.Fprintln(t, "MEMBER\tSTATE\tSINCE")
			for _, m := range members {
				state := "active"
				if m.Disabled {
					state = "disabled"
				}
				if held := roles[m.UserID]; len(held) > 0 {
					state += ", " + strings.Join(held, ", ")
				}
				if !m.Vouched {
					state += ", not vouched for"
				}
				if m.Note != "" {
					state += ", id " + m.Note
				}
				fmt.Fprintf(t, "%s\t%s\t%s\n", cli.Printable(m.UserID), state, m.CreatedAt)
			}
			t.Flush()
		})
	})
}

// choosePassword reads a password, or makes one when there is nobody to ask.
func choosePassword(o cli.Output, fromStdin bool) (password string, made bool, err error) {
	if fromStdin {
		line, err := bufio.NewReader(io.LimitReader(o.In, account.MaxPasswordLength+2)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", false, err
		}
		return strings.TrimRight(line, "\r\n"), false, nil
	}
	if file, ok := o.In.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		fmt.Fprint(o.Err, "Password (empty to have one made): ")
		typed, err := term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(o.Err)
		if err != nil || len(typed) > 0 {
			return string(typed), false, err
		}
	}
	return account.NewPassword(), true, nil
}

func tellPassword(o cli.Output, word, userID, password string, made bool) error {
	shown := map[string]any{"user_id": userID}
	if made {
		shown["password"] = password
	}
	return o.Print(shown, func(w io.Writer) {
		fmt.Fprintf(w, "%s %s.\n", word, userID)
		if made {
			fmt.Fprintf(w, "Password (shown once): %s\n", password)
			fmt.Fprintf(w, "Next: pass it on. They sign in on the pages, or with `stoa login`; `stoa member sign-in %s` makes a link instead.\n", userID)
		}
	})
}
