package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"stoa/internal/cli"
	"stoa/internal/market/apply"
	"stoa/internal/market/compare"
)

// DriftCmd is `stoa drift`.
type DriftCmd struct {
	botFlags
}

// Run says what was changed by hand since it was applied.
func (c *DriftCmd) Run(ctx context.Context, o cli.Output) error {
	b, err := c.open(o)
	if err != nil {
		return err
	}
	defer b.Close()
	found, err := apply.Drift(ctx, b.target, b.state)
	if err != nil {
		return err
	}
	err = o.Print(found, func(w io.Writer) {
		for _, d := range found {
			what := "changed"
			if d.Gone {
				what = "removed"
			}
			fmt.Fprintf(w, "%s  %-10s  %s  (of %s)\n", what, d.Kind, cli.Printable(d.ID), cli.Printable(d.Item))
		}
		if len(found) == 0 {
			fmt.Fprintln(w, "Everything is as it was applied.")
		}
	})
	if err == nil && len(found) > 0 {
		return cli.ErrFound
	}
	return err
}

// UndoCmd is `stoa undo`.
type UndoCmd struct {
	Force bool `help:"Also take back what was changed by hand since."`
	botFlags
	ServerFlags
}

// Run takes the last plan back.
func (c *UndoCmd) Run(ctx context.Context, o cli.Output) error {
	b, err := c.open(o)
	if err != nil {
		return err
	}
	defer b.Close()
	before := b.state
	if err := b.run.Undo(ctx, c.Force); err != nil {
		return stopped(err)
	}
	if err := b.reload(); err != nil {
		return err
	}
	server, err := c.Connect(o)
	if err != nil {
		server = nil // taking something back needs no server
	}
	told(ctx, o, server, changes(before, b.state)...)
	return o.Print(b.state.Items, func(w io.Writer) {
		fmt.Fprintf(w, "Took the last plan back; the bot is as it was before.\n")
		showItems(w, b.state)
	})
}

// StatusCmd is `stoa status`.
type StatusCmd struct{}

// Run lists the bots of this member and what is in them, without asking the bots.
func (c *StatusCmd) Run(_ context.Context, o cli.Output) error {
	dir, err := botsDir()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	states := []apply.State{}
	for _, file := range files {
		if filepath.Base(file) == "outbox.json" {
			continue
		}
		text, err := os.ReadFile(file)
		var s apply.State
		if err != nil || json.Unmarshal(text, &s) != nil {
			return fmt.Errorf("the journal %s cannot be read", file)
		}
		states = append(states, s)
	}
	type shown struct {
		Bot        string            `json:"bot"`
		Items      []apply.Installed `json:"items"`
		Objects    int               `json:"objects"`
		Unfinished bool              `json:"unfinished"`
		Undoable   int               `json:"undoable"`
		Holds      []apply.Hold      `json:"holds"`
	}
	out := []shown{}
	for _, s := range states {
		out = append(out, shown{s.Target, s.Items, len(s.Objects), s.Unfinished() != nil, len(s.Log), s.Holds})
	}
	return o.Print(out, func(w io.Writer) {
		for i := range states {
			fmt.Fprintf(w, "%s\n", states[i].Target)
			showItems(w, states[i])
			if states[i].Unfinished() != nil {
				fmt.Fprintln(w, "  A plan was interrupted: `stoa apply --continue` goes on, `stoa undo` takes it back.")
			}
		}
		if len(states) == 0 {
			fmt.Fprintln(w, "There is no bot yet. `stoa apply ITEM --bot URL` puts the first item into one.")
		}
	})
}

func showItems(w io.Writer, s apply.State) {
	for _, i := range s.Items {
		hold := s.Hold(i.ID)
		note := ""
		if hold.Pin {
			note = "  pinned"
		} else if hold.Wait > 0 {
			note = fmt.Sprintf("  updates after %s", cli.Counted(hold.Wait, "day"))
		}
		fmt.Fprintf(w, "  %s %s%s\n", cli.Printable(i.ID), cli.Printable(i.Version), note)
	}
	if len(s.Items) == 0 {
		fmt.Fprintln(w, "  nothing of Stoa's is in it")
	}
}

// valueDiff is what changes in an object, its texts line by line.
func valueDiff(s apply.Step) []string {
	diff := compare.Text(readable(s.Before), readable(s.After), string(s.Kind)+"/"+s.ID)
	if len(diff) > 2 {
		return diff[2:] // without the names of the two files
	}
	return diff
}

// readable writes a value for people: one member a line, texts as they are.
func readable(v apply.Value) string {
	var members map[string]any
	if json.Unmarshal(v, &members) != nil {
		return string(v)
	}
	var out strings.Builder
	for _, key := range []string{"system_prompt", "text"} {
		if s, ok := members[key].(string); ok {
			out.WriteString(s + "\n")
			delete(members, key)
		}
	}
	rest, err := json.MarshalIndent(members, "", "  ")
	if err == nil && len(members) > 0 {
		out.Write(rest)
	}
	return out.String()
}

// errNoHold is a hold that says nothing.
var errNoHold = errors.New("say --pin, --wait DAYS or --off")
