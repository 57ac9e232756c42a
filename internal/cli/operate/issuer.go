package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"stoa/internal/app"
	"stoa/internal/cli"
	"stoa/internal/platform/identity"
)

// issuerSettings are the flags of the OpenID Connect issuer.
type issuerSettings struct {
	Issuer   string `help:"OpenID Connect issuer that people may sign in with beside passwords. Its client secret is STOA_OIDC_CLIENT_SECRET." env:"ISSUER" json:"issuer" placeholder:"URL"`
	ClientID string `name:"client-id" help:"What the issuer knows this server as." env:"CLIENT_ID" json:"client_id" placeholder:"ID"`
	Name     string `help:"What people call the issuer; its host by default." env:"NAME" json:"name" placeholder:"TEXT"`
	MCP      bool   `name:"mcp" help:"Assistants at /mcp sign in at the issuer, not at this server: /mcp takes access tokens that the issuer made for its address." env:"MCP" json:"mcp"`
}

// secretVariable holds the client secret, which belongs neither on a command line nor into a printed configuration.
const secretVariable = "STOA_OIDC_CLIENT_SECRET"

// issuer is nil when none is set.
func (s *issuerSettings) issuer() (*identity.Issuer, error) {
	if s.Issuer == "" {
		if s.ClientID != "" {
			return nil, errors.New("--oidc.client-id needs --oidc.issuer")
		}
		if s.MCP {
			return nil, errors.New("--oidc.mcp needs --oidc.issuer")
		}
		return nil, nil
	}
	return identity.New(identity.Settings{Issuer: s.Issuer, ClientID: s.ClientID, ClientSecret: os.Getenv(secretVariable), Name: s.Name, Assistants: s.MCP})
}

func nameOf(issuer *identity.Issuer) string {
	if issuer == nil {
		return ""
	}
	return issuer.Name
}

type memberLinkCmd struct {
	UserID  string `arg:"" name:"user" help:"The member's id."`
	Subject string `arg:"" help:"What the issuer calls them: the sub of its tokens. The server's log has it after a sign-in without an account."`
	Issuer  string `required:"" help:"The issuer's address, as serve has it." env:"STOA_OIDC_ISSUER" placeholder:"URL"`
}

// Run links them.
func (c *memberLinkCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.LinkIdentity(ctx, c.UserID, c.Issuer, c.Subject); err != nil {
			return err
		}
		return o.Print(map[string]string{"user_id": c.UserID, "issuer": c.Issuer, "subject": c.Subject}, func(w io.Writer) {
			fmt.Fprintf(w, "%s may sign in with %s.\n", c.UserID, c.Issuer)
		})
	})
}

type memberUnlinkCmd struct {
	UserID string `arg:"" name:"user" help:"The member's id."`
	Issuer string `required:"" help:"The issuer's address." env:"STOA_OIDC_ISSUER" placeholder:"URL"`
}

// Run unlinks them.
func (c *memberUnlinkCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.UnlinkIdentity(ctx, c.UserID, c.Issuer); err != nil {
			return err
		}
		return o.Print(map[string]string{"user_id": c.UserID, "issuer": c.Issuer}, func(w io.Writer) {
			fmt.Fprintf(w, "%s may no longer sign in with %s.\n", c.UserID, c.Issuer)
		})
	})
}
