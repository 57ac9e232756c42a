package member

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
	"stoa/internal/cli"
)

// AnkiCmd is `stoa anki`.
type AnkiCmd struct {
	Sync ankiSyncCmd `cmd:"" help:"Keep the Anki on this machine and your school in step, both ways."`
}

type ankiSyncCmd struct {
	Deck   []string `help:"A deck, with the decks inside it; all of them otherwise. May be given several times." sep:"none" placeholder:"NAME"`
	Plan   bool     `help:"Say what would happen and change nothing in Anki."`
	NoGate bool     `help:"Suspend no card because its prerequisites are not ready, and free those that were."`
	Anki   string   `help:"Where AnkiConnect listens; ${default} unless you changed it." default:"http://127.0.0.1:8765" env:"STOA_ANKI_URL" placeholder:"URL"`
	Key    string   `help:"File with AnkiConnect's API key; STOA_ANKI_KEY has the key itself." type:"path" placeholder:"FILE"`
	ServerFlags
}

// Help says what is needed, before the flags.
func (ankiSyncCmd) Help() string {
	return "Anki has to be open on this machine, with the add-on AnkiConnect (number 2055492159, Tools, Add-ons, Get Add-ons), and you signed in with `stoa login`. " +
		"When Anki asks whether this program may use it, answer Yes. Reviews in Anki count here, and answers here stand in Anki's log. A card whose prerequisites are not ready is " +
		"suspended in Anki, and freed when they are; a card's prerequisites are links such as [[Group]] in a field Prerequisites of its note. Run it as often as you like."
}

// Run brings both sides in step.
func (c *ankiSyncCmd) Run(ctx context.Context, o cli.Output) error {
	server, err := c.Connect(o)
	if err != nil {
		return err
	}
	key := os.Getenv("STOA_ANKI_KEY")
	if c.Key != "" {
		text, err := os.ReadFile(c.Key)
		if err != nil {
			return cli.Unreadable(c.Key, err)
		}
		key = strings.TrimSpace(string(text))
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return errors.New("there is no folder for settings; set HOME")
	}
	report, err := ankisync.Run(ctx, &ankisync.Anki{URL: c.Anki, Key: key}, server, ankisync.Options{
		Decks: c.Deck, Plan: c.Plan, NoGate: c.NoGate, Dir: filepath.Join(dir, "stoa"), Now: time.Now,
		Tell: func(text string) { fmt.Fprintln(o.Err, cli.Printable(text)) },
	})
	if err != nil {
		return err
	}
	return o.Print(report, func(w io.Writer) { showSynced(w, &report, c.Plan) })
}

func showSynced(w io.Writer, r *ankisync.Report, plan bool) {
	if r.Quiet() {
		fmt.Fprintf(w, "Profile %s: there is nothing to do.\n", cli.Printable(r.Profile))
		return
	}
	verb := ""
	if plan {
		verb = "would be "
	}
	fmt.Fprintf(w, "Profile %s.\n", cli.Printable(r.Profile))
	for _, line := range []struct {
		n          int
		what, text string
	}{
		{r.Notes, "note", "%simported from Anki"},
		{r.Cards, "card", "%simported from Anki"},
		{r.Media, "media file", "%simported from Anki"},
		{r.Answered, "review", "%scounted here"},
		{r.Sent, "review", "%swritten into Anki's log"},
		{r.Due, "card", "%sgiven a new due day in Anki"},
		{r.Waiting, "card", "%ssuspended in Anki: the prerequisites are not ready"},
		{r.Ready, "card", "%sfreed in Anki: the prerequisites are ready"},
		{r.Suspended, "card", "%ssuspended in Anki, as here"},
		{r.Freed, "card", "%sfreed in Anki, as here"},
	} {
		if line.n > 0 {
			fmt.Fprintf(w, "  %s "+line.text+"\n", cli.Counted(line.n, line.what), verb)
		}
	}
	if r.Missing > 0 {
		fmt.Fprintf(w, "  %s of cards that this profile does not have stayed here\n", cli.Counted(r.Missing, "review"))
	}
}
