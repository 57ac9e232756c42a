package member

import (
	"context"
	"errors"
	"fmt"
	"io"

	"stoa/client"
	"stoa/internal/cli"
	"stoa/internal/market/apply"
)

// ApplyCmd is `stoa apply`.
type ApplyCmd struct {
	Items    []string `arg:"" optional:"" help:"Templates and packs to put into the bot."`
	Version  string   `help:"Version of the one item that is named; the latest otherwise."`
	Remove   []string `help:"Items to take out." placeholder:"ID"`
	With     []string `help:"Also take of a pack: ${enum}." enum:"providers,config" placeholder:"KIND"`
	Replace  bool     `help:"Also over what is yours or was changed by hand; undo brings that back."`
	Continue bool     `help:"Go on with a plan that was interrupted."`
	DryRun   bool     `help:"Show the plan and do nothing."`
	Diff     bool     `help:"Show what changes in the texts."`
	Yes      bool     `short:"y" help:"Do it without asking."`
	botFlags
	ServerFlags
}

// applied is what the command answers.
type applied struct {
	apply.Plan
	Applied bool `json:"applied"`
}

// Run puts items into a running bot.
func (c *ApplyCmd) Run(ctx context.Context, o cli.Output) error {
	if !c.Continue && len(c.Items)+len(c.Remove) == 0 {
		return errors.New("say what to put into the bot: stoa apply ITEM… --bot URL")
	}
	if c.Version != "" && len(c.Items) != 1 {
		return errors.New("--version goes with one item")
	}
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	b, err := c.open(o)
	if err != nil {
		return err
	}
	defer b.Close()
	if c.Continue {
		return c.goOn(ctx, o, server, b)
	}
	var packages []apply.Package
	for _, id := range c.Items {
		got, err := fetch(ctx, server, o, id, c.Version, nil)
		if err != nil {
			return err
		}
		p, err := got.forBot(server, c.With, b.without)
		if err != nil {
			return err
		}
		packages = append(packages, p)
	}
	plan, err := apply.NewPlan(ctx, b.target, b.state, packages, apply.Options{Replace: c.Replace, Remove: c.Remove})
	if err != nil {
		return stopped(err)
	}
	return carryOut(ctx, o, server, b, plan, c.Diff, func() bool { return !c.DryRun && (c.Yes || yes(o, "Apply?")) })
}

// carryOut shows a plan, asks, and does it.
func carryOut(ctx context.Context, o cli.Output, server *client.Client, b *openBot, plan apply.Plan, diff bool, agreed func() bool) error {
	if !o.JSON {
		showPlan(o.Out, plan, diff)
	}
	out := applied{Plan: plan}
	if !plan.Changes() {
		told(ctx, o, server)
		return o.Print(out, func(w io.Writer) { fmt.Fprintln(w, "Everything is in place already.") })
	}
	if !agreed() {
		return o.Print(out, func(w io.Writer) { fmt.Fprintln(w, "Nothing was done. Say --yes to do it.") })
	}
	before := b.state
	if err := b.run.Apply(ctx, plan, true); err != nil {
		return stopped(err)
	}
	out.Applied = true
	if err := b.reload(); err != nil {
		return err
	}
	told(ctx, o, server, changes(before, b.state)...)
	return o.Print(out, func(w io.Writer) {
		fmt.Fprintf(w, "Done: %d made, %d changed, %d removed, %d kept. `stoa undo` takes it back.\n",
			plan.Count(apply.Make), plan.Count(apply.Change), plan.Count(apply.Remove), plan.Count(apply.Keep))
		if b.folder != nil {
			fmt.Fprintln(w, "A bot that runs does not see it: stop the bot before, and start it afterwards.")
			return
		}
		showNext(w, plan)
	})
}

// showNext says what to do in the bot now.
func showNext(w io.Writer, plan apply.Plan) {
	for _, s := range plan.Steps {
		if s.Kind == apply.KindPersona && s.Action == apply.Make {
			fmt.Fprintf(w, "In the bot: send /persona %s in a chat, or choose it in the dashboard under Personas.\n", cli.Printable(s.ID))
			return
		}
	}
}

// changes are the items that came, changed their version or went.
func changes(before, after apply.State) []notice {
	var out []notice
	for _, i := range after.Items {
		if was, ok := before.Item(i.ID); !ok || was.Version != i.Version {
			out = append(out, notice{Server: i.Server, Item: i.ID})
		}
	}
	for _, i := range before.Items {
		if _, ok := after.Item(i.ID); !ok {
			out = append(out, notice{Server: i.Server, Item: i.ID, Gone: true})
		}
	}
	return out
}

func (c *ApplyCmd) goOn(ctx context.Context, o cli.Output, server *client.Client, b *openBot) error {
	before := b.state
	if err := b.run.Continue(ctx); err != nil {
		if errors.Is(err, apply.ErrNothing) {
			return errors.New("there is no plan that was interrupted")
		}
		return stopped(err)
	}
	if err := b.reload(); err != nil {
		return err
	}
	told(ctx, o, server, changes(before, b.state)...)
	return o.Print(b.state.Items, func(w io.Writer) { fmt.Fprintln(w, "Done. `stoa undo` takes it back.") })
}
