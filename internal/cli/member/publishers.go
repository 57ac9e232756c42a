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

type publishersCmd struct {
	List   publishersListCmd   `cmd:"" default:"withargs" help:"List the pipelines that may publish for you, and when each did last."`
	Add    publishersAddCmd    `cmd:"" help:"Let a pipeline publish for you without a secret."`
	Remove publishersRemoveCmd `cmd:"" help:"End the trust in a pipeline, with the tokens that it has."`
}

type publishersListCmd struct {
	ServerFlags
}

// Run lists.
func (c *publishersListCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	all, err := contract.New(server).ListTrustedPublishers(ctx, contract.ListTrustedPublishersParams{})
	if err != nil {
		return err
	}
	return o.Print(all, func(w io.Writer) {
		if len(all.Issuers) == 0 {
			fmt.Fprintln(w, "This server takes no identity tokens of pipelines; its operator has not set --publish-issuers.")
		}
		if len(all.Publishers) == 0 {
			fmt.Fprintln(w, "You trust no pipeline here. `stoa account publishers add ITEM REPOSITORY` names one.")
			return
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "PUBLISHER\tITEM\tREPOSITORY\tWORKFLOW\tENVIRONMENT\tREF\tISSUER\tLAST USED")
		for _, p := range all.Publishers {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", cli.Printable(p.PublisherID), cli.Printable(p.Item), cli.Printable(p.Repository), cli.Printable(cmp.Or(p.Workflow, "any")),
				cli.Printable(cmp.Or(p.Environment, "any")), cli.Printable(cmp.Or(p.Ref, "any")), cli.Printable(p.Issuer), cli.Printable(cmp.Or(p.LastUsedAt, "never")))
		}
		t.Flush()
	})
}

type publishersAddCmd struct {
	Item        string `arg:"" help:"The item, such as ada/garden, or all under your name: ada/*."`
	Repository  string `arg:"" help:"Where the pipeline stands, such as ada/garden; at GitLab with all its groups."`
	Workflow    string `help:"The file that says what is run, such as publish.yml or .gitlab-ci.yml; any without it." placeholder:"FILE"`
	Environment string `help:"The environment that the run must be for; any without it." placeholder:"NAME"`
	Ref         string `help:"A branch, or a whole ref such as refs/tags/v*; any without it." placeholder:"REF"`
	Issuer      string `help:"Who signs the pipeline's identity tokens." default:"https://token.actions.githubusercontent.com" placeholder:"URL"`
	provenFlags
}

// Run adds it, with the password again where the server wants it.
func (c *publishersAddCmd) Run(ctx context.Context, o cli.Output) error {
	made, err := proven(ctx, o, &c.provenFlags, func(server *client.Client) (contract.AddedPublisher, error) {
		return contract.New(server).AddTrustedPublisher(ctx, contract.AddPublisherRequest{
			Item: c.Item, Repository: c.Repository, Workflow: c.Workflow, Environment: c.Environment, Ref: c.Ref, Issuer: c.Issuer,
		})
	})
	if err != nil {
		return err
	}
	return o.Print(made, func(w io.Writer) {
		fmt.Fprintf(w, "%s may publish %s; end it with `stoa account publishers remove %s`.\n", cli.Printable(made.Repository), cli.Printable(made.Item), cli.Printable(made.PublisherID))
	})
}

type publishersRemoveCmd struct {
	PublisherID string `arg:"" name:"publisher" help:"The publisher's id, as the list names it."`
	ServerFlags
}

// Run removes.
func (c *publishersRemoveCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	gone, err := contract.New(server).RemoveTrustedPublisher(ctx, contract.RemovePublisherRequest{PublisherID: c.PublisherID})
	if err != nil {
		return err
	}
	if !gone.Removed {
		return fmt.Errorf("you have no trusted publisher %s; `stoa account publishers` shows what you have", c.PublisherID)
	}
	return o.Print(gone, func(w io.Writer) { fmt.Fprintf(w, "Removed %s.\n", c.PublisherID) })
}
