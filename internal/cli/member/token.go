package member

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"stoa/client"
	"stoa/client/contract"
	"stoa/internal/cli"
)

// TokenCmd is `stoa token`.
type TokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make an API token; it is printed this once."`
	List   tokenListCmd   `cmd:"" default:"withargs" help:"List your API tokens and when each was used last."`
	Revoke tokenRevokeCmd `cmd:"" help:"Revoke an API token."`
}

type tokenCreateCmd struct {
	Label string `arg:"" help:"What you know it by."`
	Scope string `help:"What it is for: ${enum}; write includes the others, publish submits and does nothing else, for a pipeline." enum:"read,publish,write" default:"read"`
	Days  int64  `help:"It expires after so many days, 366 at most." default:"30"`
	provenFlags
}

// Run makes the token, with the password again where the server wants it.
func (c *tokenCreateCmd) Run(ctx context.Context, o cli.Output) error {
	made, err := proven(ctx, o, &c.provenFlags, func(server *client.Client) (contract.CreatedToken, error) {
		return contract.New(server).CreateAPIToken(ctx, contract.CreateTokenRequest{Label: c.Label, Scope: c.Scope, ExpiresInDays: &c.Days})
	})
	if err != nil {
		return err
	}
	return o.Print(made, func(w io.Writer) {
		fmt.Fprintln(w, cli.Printable(made.Token))
		fmt.Fprintf(o.Err, "Shown once. It may %s until %s; end it with `stoa token revoke %s`.\n", cli.Printable(made.Scope), cli.Printable(made.ExpiresAt), cli.Printable(made.TokenID))
	})
}

type tokenListCmd struct {
	ServerFlags
}

// Run lists.
func (c *tokenListCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	own, err := contract.New(server).ListAPITokens(ctx, contract.ListAPITokensParams{})
	if err != nil {
		return err
	}
	return o.Print(own, func(w io.Writer) {
		if len(own.Tokens) == 0 {
			fmt.Fprintln(w, "You have no API tokens here. `stoa token create LABEL` makes one.")
			return
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "TOKEN\tLABEL\tSCOPE\tLAST USED\tEXPIRES")
		for _, one := range own.Tokens {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", cli.Printable(one.TokenID), cli.Printable(one.Label), cli.Printable(one.Scope), cli.Printable(cmp.Or(one.LastUsedAt, "never")), cli.Printable(one.ExpiresAt))
		}
		t.Flush()
	})
}

type tokenRevokeCmd struct {
	TokenID string `arg:"" name:"token" help:"The token's id, as the list names it."`
	ServerFlags
}

// Run revokes.
func (c *tokenRevokeCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	done, err := contract.New(server).RevokeAPIToken(ctx, contract.RevokeTokenRequest{TokenID: c.TokenID})
	if err != nil {
		return err
	}
	if !done.Revoked {
		return fmt.Errorf("you have no API token %s; `stoa token list` shows what you have", c.TokenID)
	}
	return o.Print(done, func(w io.Writer) { fmt.Fprintf(w, "Revoked %s.\n", c.TokenID) })
}
