package member

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"stoa/client"
	"stoa/internal/cli"
)

// LoginCmd is `stoa login`.
type LoginCmd struct {
	URL          string `arg:"" name:"url" help:"Address of the server."`
	User         string `short:"u" help:"Your name there; without it the server's default member is meant." placeholder:"NAME"`
	PasswordFile string `type:"path" help:"File with the password; - reads standard input." placeholder:"FILE"`
}

// Run signs in and keeps the token.
func (c *LoginCmd) Run(ctx context.Context, o cli.Output) error {
	address, err := client.Address(c.URL)
	if err != nil {
		return err
	}
	warnPlain(o, address)
	password, err := c.password(o)
	if err != nil {
		return err
	}
	server, err := client.New(address, client.Options{})
	if err != nil {
		return err
	}
	session, err := server.Login(ctx, c.User, password)
	if err != nil {
		return err
	}
	known, err := readCredentials()
	if err != nil {
		return err
	}
	known.Default, known.Servers[address] = address, credentialOf{session.UserID, session.Token, session.ExpiresAt}
	path, err := known.write()
	if err != nil {
		return err
	}
	defer warn(ctx, o, server.WithToken(session.Token))
	return o.Print(map[string]any{"server": address, "user_id": session.UserID, "expires_at": session.ExpiresAt, "file": path}, func(w io.Writer) {
		fmt.Fprintf(w, "Signed in to %s as %s.\n", address, cli.Printable(session.UserID))
		fmt.Fprintln(w, "Next: `stoa install ID` or `stoa apply ID --bot URL` uses an item, `stoa pack BOT` and `stoa publish FILE` share a setup.")
	})
}

// longestPassword is more than any server takes.
const longestPassword = 4096

// password asks on the terminal, or reads a file or what is piped in.
func (c *LoginCmd) password(o cli.Output) (string, error) {
	in := o.In
	switch file, isFile := o.In.(*os.File); {
	case c.PasswordFile != "" && c.PasswordFile != "-":
		f, err := os.Open(c.PasswordFile)
		if err != nil {
			return "", cli.Unreadable(c.PasswordFile, err)
		}
		defer f.Close()
		in = f
	case isFile && term.IsTerminal(int(file.Fd())):
		fmt.Fprint(o.Err, "Password: ")
		typed, err := term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(o.Err)
		return string(typed), err
	}
	if in == nil {
		return "", errors.New("there is no terminal to ask for the password on; use --password-file")
	}
	line, err := bufio.NewReader(io.LimitReader(in, longestPassword)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" && c.PasswordFile == "" {
		return "", errors.New("there is no terminal to ask for the password on; use --password-file FILE, or --password-file - and pipe it in")
	} else if line == "" {
		return "", errors.New("the password is empty")
	}
	return line, nil
}

// LogoutCmd is `stoa logout`.
type LogoutCmd struct {
	ServerFlags
}

// Run ends the session and forgets its token.
func (c *LogoutCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	if err := server.Logout(ctx); err != nil && client.CodeOf(err) != "unauthorized" {
		return err
	}
	known, err := readCredentials()
	if err != nil {
		return err
	}
	delete(known.Servers, server.URL())
	if known.Default == server.URL() {
		known.Default = ""
	}
	if _, err := known.write(); err != nil {
		return err
	}
	return o.Print(map[string]any{"server": server.URL()}, func(w io.Writer) { fmt.Fprintf(w, "Signed out of %s.\n", server.URL()) })
}
