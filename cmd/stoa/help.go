package main

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"stoa/internal/cli/operate"
)

// groups are the headings of the list of commands, in this order; `group` in commandLine names them.
var groups = []kong.Group{
	{Key: "server", Title: "Run a server"},
	{Key: "catalog", Title: "Look after its members and its catalog"},
	{Key: "account", Title: "Your account on a server"},
	{Key: "use", Title: "Use what is published"},
	{Key: "share", Title: "Share a setup"},
	{Key: "learn", Title: "Learn from notes"},
	{Key: "more", Title: "More"},
}

// examples show how a command is typed, by its path.
var examples = map[string][]string{
	"serve":         {"stoa serve --data data", "stoa serve --listen 0.0.0.0:8106 --public-url https://stoa.example --tls-cert cert.pem --tls-key key.pem"},
	"doctor":        {"stoa doctor --data data"},
	"backup":        {"stoa backup stoa.backup --data data"},
	"restore":       {"stoa restore stoa.backup --data new-data"},
	"verify":        {"stoa verify --data data", "stoa verify --installed ./bot"},
	"upgrade-check": {"stoa upgrade-check --data data"},
	"migrate-data":  {"stoa migrate-data blobs --from data/blobs --to s3://bucket/packages?endpoint=host:9000&region=eu"},
	"accept-loss":   {`stoa accept-loss --reason "the primary's disk is gone" --database postgres://stoa@db/stoa`},
	"config":        {"stoa config --config stoa.yaml"},
	"member":        {"stoa member add ada", "stoa member grant ada reviewer"},
	"review":        {"stoa review list", "stoa review approve 01J8ZK4T0M"},
	"import":        {"stoa import catalog.jsonl"},
	"mirror":        {"stoa mirror add https://stoa.example.org/feeds/stoa/index.json"},
	"login":         {"stoa login https://stoa.example"},
	"logout":        {"stoa logout"},
	"token":         {`stoa token create "backup script" --scope read --days 90`},
	"account":       {"stoa account show", "stoa account password"},
	"install":       {"stoa install ada/garden ./bot", "stoa install --undo ./bot"},
	"compare":       {"stoa compare ada/garden"},
	"apply":         {"stoa apply ada/garden --bot http://127.0.0.1:6185 --dry-run", "stoa apply ada/garden --bot http://127.0.0.1:6185 --yes"},
	"drift":         {"stoa drift --bot http://127.0.0.1:6185"},
	"undo":          {"stoa undo --bot http://127.0.0.1:6185"},
	"status":        {"stoa status"},
	"outdated":      {"stoa outdated --bot http://127.0.0.1:6185"},
	"update":        {"stoa update --all --bot http://127.0.0.1:6185"},
	"hold":          {"stoa hold ada/garden --wait 7 --bot http://127.0.0.1:6185"},
	"export":        {"stoa export ada/garden --as card-png --out cards"},
	"mcp":           {"stoa mcp"},
	"pack":          {"stoa pack ~/astrbot/data --id ada/garden --version 1.0.0 --out garden.zip"},
	"scan":          {"stoa scan garden.zip"},
	"publish":       {`stoa publish garden.zip --change-note "Waters less"`},
	"submissions":   {"stoa submissions list", "stoa submissions withdraw 01J8ZK4T0M"},
	"withdraw":      {`stoa withdraw ada/garden --note "It repeats what it was told"`, "stoa withdraw --restore ada/garden"},
	"keygen":        {"stoa keygen --out stoa.key"},
	"decrypt":       {"stoa decrypt garden.zip --identity stoa.key"},
	"ingest":        {"stoa ingest ~/notes --user ada", "stoa ingest deck.apkg --user ada"},
	"questions":     {"stoa questions estimate", "stoa questions list"},
	"learner":       {"stoa learner export ada", "stoa learner check ada"},
	"anki":          {"stoa anki sync"},
	"eval":          {"stoa eval questions ~/notes --sample 20"},
	"train":         {"stoa train scan texts.jsonl --output model.json"},
	"completions":   {"stoa completions bash >> ~/.bashrc"},
	"man":           {"stoa man | man -l -"},
	"version":       {"stoa version --news"},
}

// printHelp prints a command's help with examples. The list of all commands is short and in groups; the flags of the store are
// shown by the commands that open one.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	options.NoExpandSubcommands, options.Compact = true, true
	node := ctx.Selected()
	if node == nil || !opensStore(node) {
		for _, flag := range ctx.Model.Flags {
			switch flag.Name {
			case "data", "database", "database-replica", "blobs", "config":
				flag.Hidden = true
			}
		}
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	if node == nil {
		fmt.Fprintln(ctx.Stdout, "\nCommands ask before they change a bot, a folder or a learner's records. Without a terminal to ask on they change nothing unless --yes is given.")
		return nil
	}
	if lines := examples[node.FullPath()[len("stoa "):]]; len(lines) > 0 {
		fmt.Fprintf(ctx.Stdout, "\nExamples:\n  %s\n", strings.Join(lines, "\n  "))
	}
	return nil
}

// showMisspelt says what is wrong with a command line; to whoever named no command it shows which there are.
func showMisspelt(parser *kong.Kong, err error) {
	parser.Stdout = parser.Stderr
	var at *kong.ParseError
	if !errors.As(err, &at) {
		fmt.Fprintln(parser.Stderr, "stoa:", err)
		return
	}
	node, path := at.Context.Selected(), "stoa"
	if node != nil {
		path = node.FullPath()
	}
	if len(at.Context.Args) == strings.Count(path, " ") && (node == nil || len(node.Children) > 0) {
		_ = at.Context.PrintUsage(false)
		return
	}
	fmt.Fprintf(parser.Stderr, "stoa: %v\n  \"%s --help\" says more.\n", err, path)
}

// opensStore says whether a command, or one below it, is given the settings of the store.
func opensStore(node *kong.Node) bool {
	for _, below := range node.Children {
		if opensStore(below) {
			return true
		}
	}
	if !node.Target.IsValid() || !node.Target.CanAddr() {
		return false
	}
	run := node.Target.Addr().MethodByName("Run")
	if !run.IsValid() {
		return false
	}
	for i := range run.Type().NumIn() {
		if run.Type().In(i) == reflect.TypeFor[*operate.Settings]() {
			return true
		}
	}
	return false
}
