package operate

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"text/tabwriter"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/market/review"
	"stoa/internal/cli"
	"stoa/internal/market/mirror"
)

// MirrorCmd is `stoa mirror`.
type MirrorCmd struct {
	Add       mirrorAddCmd       `cmd:"" help:"Keep another catalog here, read only: a Stoa, a ClawHub, an index of skills, an MCP registry, a plugin source, a marketplace.json or the git repository that has one."`
	List      mirrorListCmd      `cmd:"" help:"List the mirrors, or what one does not take."`
	Sync      mirrorSyncCmd      `cmd:"" help:"Bring a mirror up to date now."`
	Republish mirrorRepublishCmd `cmd:"" help:"Show a mirror's items in the feeds of this server, or no longer."`
	Remove    mirrorRemoveCmd    `cmd:"" help:"End a mirror and withdraw its items."`
}

type mirrorAddCmd struct {
	URL          string        `arg:"" help:"The address of the catalog."`
	Name         string        `help:"The first half of its items' ids; made of the address when it is missing."`
	Every        time.Duration `help:"How often it is synced." default:"6h"`
	MaxItems     int           `help:"At most so many items." default:"30000"`
	Republish    bool          `help:"Show its items in the feeds of this server."`
	AllowPrivate bool          `help:"Let this mirror be fetched from addresses that are not on the public internet."`
}

// Run adds a mirror.
func (c *mirrorAddCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	name := c.Name
	if at, err := url.Parse(c.URL); name == "" && err == nil {
		name = mirror.Slug(at.Hostname(), func(string) bool { return false })
	}
	return s.command(ctx, o, func(a *app.App) error {
		v, err := a.AddMirror(ctx, review.MirrorInput{Name: name, URL: c.URL, Republish: c.Republish, Private: c.AllowPrivate, MaxItems: c.MaxItems, Every: c.Every})
		if err != nil {
			return err
		}
		return o.Print(v, func(w io.Writer) {
			fmt.Fprintf(w, "The mirror %s is of %s (%s). A running server syncs it within a minute; stoa mirror sync %s does so now.\n", v.Name, cli.Printable(v.URL), v.Kind, v.Name)
		})
	})
}

type mirrorListCmd struct {
	Refused string `help:"List what this mirror does not take, and why."`
	After   string `help:"With --refused: begin after this id."`
	Limit   int    `help:"With --refused: at most so many." default:"100"`
}

// Run lists mirrors.
func (c *mirrorListCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if c.Refused != "" {
			refused, err := a.MirrorRefusals(ctx, c.Refused, c.After, c.Limit)
			if err != nil {
				return err
			}
			return o.Print(map[string]any{"refused": refused}, func(w io.Writer) {
				fmt.Fprintf(w, "%s refuses %d.\n", cli.Printable(c.Refused), len(refused))
				for _, r := range refused {
					fmt.Fprintf(w, "%s: %s\n", cli.Printable(r.ID), cli.Printable(r.Reason))
				}
			})
		}
		all, err := a.Mirrors(ctx)
		if err != nil {
			return err
		}
		return o.Print(map[string]any{"mirrors": all}, func(w io.Writer) {
			t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			fmt.Fprintln(t, "NAME\tKIND\tITEMS\tWAITING\tREFUSED\tSYNCED\tADDRESS")
			for _, v := range all {
				fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%s\t%s\n", cli.Printable(v.Name), cli.Printable(v.Kind), v.Published, v.Waiting, v.Refused, orNever(v.SyncedAt), cli.Printable(v.URL))
			}
			t.Flush()
			for _, v := range all {
				if v.Problem != "" {
					fmt.Fprintf(w, "%s: %s\n", cli.Printable(v.Name), cli.Printable(v.Problem))
				}
			}
		})
	})
}

func orNever(at string) string {
	if at == "" {
		return "never"
	}
	return at
}

type mirrorSyncCmd struct {
	Name string `arg:"" help:"The mirror's name."`
}

// Run syncs a mirror.
func (c *mirrorSyncCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		v, err := a.SyncMirror(ctx, c.Name)
		if err != nil {
			return err
		}
		return o.Print(v, func(w io.Writer) {
			fmt.Fprintf(w, "%s: %d published, %d waiting for review, %d refused, %d gone.\n", v.Name, v.Published, v.Waiting, v.Refused, v.Gone)
		})
	})
}

type mirrorRepublishCmd struct {
	Name string `arg:"" help:"The mirror's name."`
	Off  bool   `help:"No longer."`
}

// Run decides about the feeds.
func (c *mirrorRepublishCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		v, err := a.RepublishMirror(ctx, c.Name, !c.Off)
		if err != nil {
			return err
		}
		return o.Print(v, func(w io.Writer) {
			if v.Republish {
				fmt.Fprintf(w, "The items of %s are in the feeds.\n", v.Name)
			} else {
				fmt.Fprintf(w, "The items of %s are not in the feeds.\n", v.Name)
			}
		})
	})
}

type mirrorRemoveCmd struct {
	Name string `arg:"" help:"The mirror's name."`
}

// Run removes a mirror.
func (c *mirrorRemoveCmd) Run(ctx context.Context, s *Settings, o cli.Output) error {
	return s.command(ctx, o, func(a *app.App) error {
		if err := a.RemoveMirror(ctx, c.Name); err != nil {
			return err
		}
		return o.Print(map[string]any{"name": c.Name, "removed": true}, func(w io.Writer) {
			fmt.Fprintf(w, "The mirror %s is removed and its items are withdrawn.\n", cli.Printable(c.Name))
		})
	})
}
