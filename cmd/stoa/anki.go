package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stoa/internal/ankisync"
)

type ankiCmd struct {
	Sync ankiSyncCmd `cmd:"" help:"Keep the Anki on this machine and your school in step, both ways."`
}

type ankiSyncCmd struct {
	Deck   []string `help:"A deck, with the decks inside it; all of them otherwise. May be given several times." sep:"none" placeholder:"NAME"`
	Plan   bool     `help:"Say what would happen and change nothing in Anki."`
	NoGate bool     `help:"Suspend no card because its prerequisites are not ready, and free those that were."`
	Anki   string   `help:"Where AnkiConnect listens." default:"http://127.0.0.1:8765" env:"STOA_ANKI_URL" placeholder:"URL"`
	Key    string   `help:"File with AnkiConnect's API key; STOA_ANKI_KEY has the key itself." type:"path" placeholder:"FILE"`
	serverFlags
}

// Run brings both sides in step.
func (c *ankiSyncCmd) Run(ctx context.Context, o output) error {
	server, err := c.connect(o)
	if err != nil {
		return err
	}
	key := os.Getenv("STOA_ANKI_KEY")
	if c.Key != "" {
		text, err := os.ReadFile(c.Key)
		if err != nil {
			return unreadable(c.Key, err)
		}
		key = strings.TrimSpace(string(text))
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return errors.New("there is no folder for settings; set HOME")
	}
	report, err := ankisync.Run(ctx, &ankisync.Anki{URL: c.Anki, Key: key}, server, ankisync.Options{
		Decks: c.Deck, Plan: c.Plan, NoGate: c.NoGate, Dir: filepath.Join(dir, "stoa"), Now: time.Now,
		Tell: func(text string) { fmt.Fprintln(o.err, printable(text)) },
	})
	if err != nil {
		return err
	}
	return o.print(report, func(w io.Writer) { showSynced(w, &report, c.Plan) })
}

func showSynced(w io.Writer, r *ankisync.Report, plan bool) {
	if r.Quiet() {
		fmt.Fprintf(w, "Profile %s: there is nothing to do.\n", printable(r.Profile))
		return
	}
	verb := ""
	if plan {
		verb = "would be "
	}
	fmt.Fprintf(w, "Profile %s.\n", printable(r.Profile))
	for _, line := range []struct {
		n    int
		text string
	}{
		{r.Notes, "notes %simported from Anki"},
		{r.Cards, "cards %simported from Anki"},
		{r.Media, "pictures and sounds %simported from Anki"},
		{r.Answered, "reviews %scounted here"},
		{r.Sent, "reviews %swritten into Anki's log"},
		{r.Due, "cards %sgiven their next day in Anki"},
		{r.Waiting, "cards %ssuspended in Anki: their prerequisites are not ready"},
		{r.Ready, "cards %sfreed in Anki: their prerequisites are ready"},
		{r.Suspended, "cards %ssuspended in Anki, as here"},
		{r.Freed, "cards %sfreed in Anki, as here"},
	} {
		if line.n > 0 {
			fmt.Fprintf(w, "%6d "+line.text+"\n", line.n, verb)
		}
	}
	if r.Missing > 0 {
		fmt.Fprintf(w, "%6d reviews are of cards that this profile does not have; they stay here\n", r.Missing)
	}
}
