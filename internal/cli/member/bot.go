package member

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"stoa/client"
	"stoa/internal/cli"
	"stoa/internal/market/apply"
	"stoa/internal/market/astrbot"
	"stoa/internal/market/botfolder"
	"stoa/internal/market/pack"
)

// botFlags say which bot a command works on. The bot's key goes to the bot alone: never to a Stoa server, a log or the
// journal.
type botFlags struct {
	Bot    string `help:"Address of the bot, such as http://127.0.0.1:6185; the one of the last apply otherwise." env:"STOA_BOT" placeholder:"URL"`
	Folder string `help:"Data folder of an AstrBot that does not run, or a .json file of personas, in place of --bot." placeholder:"PATH"`
	BotKey string `help:"API key of the bot; asked for on the terminal otherwise." env:"STOA_BOT_KEY" placeholder:"KEY"`
}

// openBot is a bot with its journal.
type openBot struct {
	target  apply.Target
	without map[string]string // what has no place in it
	folder  *botfolder.Folder // nil for a running bot
	journal *apply.FileJournal
	run     *apply.Runner
	state   apply.State
}

func (b *openBot) Close() {
	_ = b.journal.Close()
	if b.folder != nil {
		b.folder.Close()
	}
}

// reload reads the journal again.
func (b *openBot) reload() (err error) {
	b.state, err = b.journal.Load()
	return err
}

// botsDir is where the journals are.
func botsDir() (string, error) {
	file, err := credentialsFile()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(file), "bots"), nil
}

// lastBot is the file with the address of the bot that was worked on last.
const lastBot = "last"

// open finds the bot's key and opens its journal.
func (f *botFlags) open(o cli.Output) (*openBot, error) {
	dir, err := botsDir()
	if err != nil {
		return nil, err
	}
	address := f.Bot
	if f.Folder != "" {
		address = ""
	} else if address == "" {
		text, err := os.ReadFile(filepath.Join(dir, lastBot))
		if err != nil {
			return nil, errors.New("which bot? Say --bot URL, such as --bot http://127.0.0.1:6185, or --folder PATH")
		}
		address = strings.TrimSpace(string(text))
	}
	b := &openBot{}
	if place := f.Folder; place != "" || filepath.IsAbs(address) {
		if b.folder, err = botfolder.Open(cmp.Or(place, address)); err != nil {
			return nil, err
		}
		b.target, b.without = b.folder, b.folder.Without()
	} else if b.target, err = f.running(o, address); err != nil {
		return nil, err
	}
	if b.journal, err = apply.OpenFile(dir, b.target.Name()); err != nil {
		if b.folder != nil {
			b.folder.Close()
		}
		return nil, err
	}
	b.run = &apply.Runner{Target: b.target, Journal: b.journal, Now: time.Now}
	if err := b.reload(); err != nil {
		b.Close()
		return nil, err
	}
	return b, os.WriteFile(filepath.Join(dir, lastBot), []byte(b.target.Name()+"\n"), 0o600)
}

// running is a bot that is called at its address.
func (f *botFlags) running(o cli.Output, address string) (*astrbot.Bot, error) {
	address, err := client.Address(address)
	if err != nil {
		return nil, errors.New("that is no address of a bot, such as http://127.0.0.1:6185")
	}
	key := f.BotKey
	if key == "" {
		if key, err = askKey(o, address); err != nil {
			return nil, err
		}
	}
	warnPlain(o, address)
	return astrbot.New(address, key, nil)
}

// askKey asks for the bot's key on the terminal.
func askKey(o cli.Output, address string) (string, error) {
	file, ok := o.In.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return "", errors.New("the bot's key is missing: set STOA_BOT_KEY. Make one in the bot's dashboard under API keys, with the scopes persona, skill and mcp")
	}
	fmt.Fprintf(o.Err, "API key of the bot at %s: ", cli.Printable(address))
	typed, err := term.ReadPassword(int(file.Fd()))
	fmt.Fprintln(o.Err)
	return string(typed), err
}

// yes asks on the terminal; without one nobody agrees.
func yes(o cli.Output, question string) bool {
	file, ok := o.In.(*os.File)
	if !ok || o.JSON || !term.IsTerminal(int(file.Fd())) {
		return false
	}
	fmt.Fprintf(o.Err, "%s [y/N] ", question)
	line, err := bufio.NewReader(file).ReadString('\n')
	return err == nil && strings.EqualFold(strings.TrimSpace(line), "y")
}

// forBot is what was fetched as a bot takes it.
func (got *fetched) forBot(server *client.Client, with []string, without map[string]string) (apply.Package, error) {
	p := apply.Package{Installed: apply.Installed{
		ID: got.item.ID(), Kind: got.kind, Version: got.version, SHA256: got.sha256, Server: server.URL(), Reach: got.leaves.Reach(), With: with, Risk: got.item.RiskOf(got.version),
	}}
	var err error
	if why := without[pack.SectionPersonas]; got.bundle != nil && why != "" {
		return p, errors.New("a template is a persona, and there is no place for it. " + why)
	}
	if got.bundle != nil {
		p.Objects, p.Left, err = apply.Template(cmp.Or(got.bundle.Title, got.item.ID()), got.bundle.Prompt)
		return p, err
	}
	wants := apply.Wants{Providers: slices.Contains(with, "providers"), Config: slices.Contains(with, "config"), Without: without}
	if p.Objects, p.Left, p.Reach, err = apply.OfSections(got.pack.Sections, wants); err == nil && len(p.Objects) == 0 && len(without) > 0 {
		return p, fmt.Errorf("nothing of %s has a place there", p.ID)
	}
	return p, err
}

// stopped adds what can be done about a plan that was interrupted.
func stopped(err error) error {
	var step *apply.StepError
	var unfinished *apply.UnfinishedError
	var changed *apply.ChangedError
	switch {
	case errors.As(err, &step):
		return fmt.Errorf("%w\n`stoa apply --continue` goes on, `stoa undo` takes back what was done", err)
	case errors.As(err, &unfinished):
		return fmt.Errorf("%w\n`stoa apply --continue` goes on, `stoa undo` takes back what was done", err)
	case errors.As(err, &changed):
		lines := []string{err.Error() + "; nothing was done. --force takes your changes back too:"}
		for _, key := range changed.Keys {
			lines = append(lines, fmt.Sprintf("%s %s", key.Kind, key.ID))
		}
		return errors.New(strings.Join(lines, "\n"))
	}
	return err
}

// told tells the server what the member has now, and what could not be told before. Without a server it is kept for later.
// It also says what the member should know of what they have.
func told(ctx context.Context, o cli.Output, server *client.Client, changes ...notice) {
	telling(ctx, o, server, changes...)
	warn(ctx, o, server)
}

func telling(ctx context.Context, o cli.Output, server *client.Client, changes ...notice) {
	dir, err := botsDir()
	if err == nil {
		err = tell(ctx, filepath.Join(dir, "outbox.json"), server, changes)
	}
	if err != nil {
		fmt.Fprintf(o.Err, "stoa: done, but the server was not told; it will be with the next command: %s\n", cli.Printable(err.Error()))
	}
}

// showPlan prints a plan.
func showPlan(w io.Writer, plan apply.Plan, diff bool) {
	for _, i := range plan.Items {
		fmt.Fprintf(w, "%s %s into %s\n", cli.Printable(i.ID), cli.Printable(i.Version), plan.Target)
	}
	for _, id := range plan.Remove {
		fmt.Fprintf(w, "%s out of %s\n", cli.Printable(id), plan.Target)
	}
	for _, s := range plan.Steps {
		note := map[string]string{
			apply.WhySame: "", apply.WhyForeign: "  (yours has this name", apply.WhyEdited: "  (changed by hand",
		}[s.Why]
		switch {
		case note != "" && s.Action == apply.Keep:
			note += ", and stays)"
		case note != "":
			note += "; undo brings it back)"
		}
		fmt.Fprintf(w, "  %-6s  %-10s  %s%s\n", s.Action, s.Kind, cli.Printable(s.ID), note)
		if diff && s.Action == apply.Change {
			cli.ShowDiff(w, valueDiff(s))
		}
	}
	l := cli.Lines{Out: w, Head: "The bot will then reach", Limit: cli.LineLimit(true)}
	for _, g := range plan.Gains {
		l.Add(cli.Printable(g))
	}
	l.End()
	l = cli.Lines{Out: w, Head: "Not put into the bot", Limit: cli.LineLimit(false)}
	for _, loss := range plan.Left {
		l.Add(cli.Printable(loss.Path) + "  " + loss.Reason)
	}
	l.End()
	fmt.Fprintln(w)
}
