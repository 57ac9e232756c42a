package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"stoa/client"
	"stoa/internal/cli"
	"stoa/internal/market/apply"
)

// OutdatedCmd is `stoa outdated`.
type OutdatedCmd struct {
	botFlags
	ServerFlags
}

// Run compares what is in a bot with the catalog. It ends with 3 when the member should act.
func (c *OutdatedCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	b, err := c.open(o)
	if err != nil {
		return err
	}
	defer b.Close()
	telling(ctx, o, server)
	known := Noticed(ctx, server)
	all := []Upkeep{}
	for _, i := range b.state.Items {
		if i.Server != server.URL() {
			continue
		}
		u, err := Look(ctx, server, i, b.state.Hold(i.ID), known)
		if err != nil {
			return err
		}
		all = append(all, u)
	}
	err = o.Print(all, func(w io.Writer) {
		for _, u := range all {
			fmt.Fprintf(w, "%s %s  %s\n", cli.Printable(u.Item), cli.Printable(u.Version), cli.Printable(u.Sentence("`stoa apply --remove "+u.Item+"` takes it out", "`stoa update "+u.Item+"` or `stoa undo` replaces it")))
		}
		if len(all) == 0 {
			fmt.Fprintln(w, "Nothing from this server is in the bot.")
		}
	})
	if err == nil && slices.ContainsFunc(all, func(u Upkeep) bool { return u.Bad() }) {
		return cli.ErrFound
	}
	return err
}

// UpdateCmd is `stoa update`.
type UpdateCmd struct {
	Items   []string `arg:"" optional:"" help:"Items to update, also those that are pinned or wait."`
	All     bool     `help:"Update everything that is outdated and neither pinned nor waiting."`
	Widen   bool     `help:"Also take a version by which the bot reaches more than now."`
	Replace bool     `help:"Also over what was changed by hand; undo brings that back."`
	Yes     bool     `short:"y" help:"Do it without asking. What widens still needs --widen."`
	botFlags
	ServerFlags
}

// Run updates items in a bot, each as a plan of its own that can be taken back.
func (c *UpdateCmd) Run(ctx context.Context, o cli.Output) error {
	if c.All == (len(c.Items) > 0) {
		return errors.New("say which items to update, or --all")
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
	if b.state.Unfinished() != nil {
		return stopped(&apply.UnfinishedError{})
	}
	items := c.Items
	if c.All {
		if items, err = outdatedOf(ctx, server, b.state); err != nil {
			return err
		}
	}
	for _, id := range items {
		if _, ok := b.state.Item(id); !ok {
			return fmt.Errorf("%s is not in this bot", id)
		}
	}
	if err := c.each(ctx, o, server, b, items); err != nil {
		return err
	}
	if len(items) == 0 {
		told(ctx, o, server)
		return o.Print([]string{}, func(w io.Writer) { fmt.Fprintln(w, "There is nothing to update.") })
	}
	return nil
}

// each updates one item after the other. Of all, one whose names another item has waits for the others, which may give them up; what
// then still cannot come is left out and named.
func (c *UpdateCmd) each(ctx context.Context, o cli.Output, server *client.Client, b *openBot, items []string) error {
	for {
		var waiting []string
		var why []error
		for _, id := range items {
			err := c.one(ctx, o, server, b, id)
			var taken *apply.TakenError
			if c.All && errors.As(err, &taken) {
				waiting, why = append(waiting, id), append(why, fmt.Errorf("%s is left out: %w", id, err))
				continue
			}
			if err != nil {
				return err
			}
		}
		if len(waiting) == 0 || len(waiting) == len(items) {
			return errors.Join(why...)
		}
		items = waiting
	}
}

// outdatedOf are the items that an update of all takes.
func outdatedOf(ctx context.Context, server *client.Client, s apply.State) ([]string, error) {
	var items []string
	for _, i := range s.Items {
		if i.Server != server.URL() {
			continue
		}
		u, err := Look(ctx, server, i, s.Hold(i.ID), nil)
		if err != nil {
			return nil, err
		}
		if u.update {
			items = append(items, i.ID)
		}
	}
	return items, nil
}

func (c *UpdateCmd) one(ctx context.Context, o cli.Output, server *client.Client, b *openBot, id string) error {
	known, _ := b.state.Item(id)
	got, err := fetch(ctx, server, o, id, "", nil)
	if err != nil {
		return err
	}
	p, err := got.forBot(server, known.With, b.without)
	if err != nil {
		return err
	}
	plan, err := apply.NewPlan(ctx, b.target, b.state, []apply.Package{p}, apply.Options{Replace: c.Replace})
	if err != nil {
		return stopped(err)
	}
	if !o.JSON {
		fmt.Fprintf(o.Out, "risk %s%s\n", cli.Printable(cmp.Or(got.item.RiskLevel, "unknown")), after("; warnings: ", got.item.WarningFlags))
	}
	return carryOut(ctx, o, server, b, plan, true, func() bool {
		if len(plan.Gains) == 0 || c.Widen {
			return c.Yes || yes(o, "Update?")
		}
		if yes(o, "The bot will reach more than now. Update all the same?") {
			return true
		}
		fmt.Fprintln(o.Err, "stoa: this version makes the bot reach more than now; --widen takes it")
		return false
	})
}

// HoldCmd is `stoa hold`.
type HoldCmd struct {
	Item string `arg:"" help:"An item in the bot."`
	Pin  bool   `help:"Keep its version until --off."`
	Wait int    `help:"Take a version this many days after it was published." placeholder:"DAYS"`
	Off  bool   `help:"Update it again as versions come."`
	botFlags
}

// Run sets how an item is updated.
func (c *HoldCmd) Run(_ context.Context, o cli.Output) error {
	if !c.Pin && !c.Off && c.Wait <= 0 || c.Off && (c.Pin || c.Wait != 0) {
		return errNoHold
	}
	b, err := c.open(o)
	if err != nil {
		return err
	}
	defer b.Close()
	if _, ok := b.state.Item(c.Item); !ok {
		return fmt.Errorf("%s is not in this bot", c.Item)
	}
	b.state.SetHold(apply.Hold{Item: c.Item, Pin: c.Pin, Wait: c.Wait})
	if err := b.journal.Save(b.state); err != nil {
		return err
	}
	return o.Print(b.state.Hold(c.Item), func(w io.Writer) { showItems(w, b.state) })
}
