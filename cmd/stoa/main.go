// Command stoa is the whole product: the server and its operator's commands, and the commands of members.
//
// This file has the command line; the commands are in internal/cli: operate, member and evaluate.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"stoa/internal/cli"
	"stoa/internal/cli/evaluate"
	"stoa/internal/cli/member"
	"stoa/internal/cli/operate"
	"stoa/internal/platform/backup"
	"stoa/internal/platform/errs"
)

// commandLine is the command line. Every flag is also an environment variable and a key of the config file.
type commandLine struct {
	operate.Settings

	Serve        operate.ServeCmd        `cmd:"" group:"server" help:"Serve the market: pages and API."`
	Doctor       operate.DoctorCmd       `cmd:"" group:"server" help:"Check the store, say what is wrong and how to fix it."`
	Backup       operate.BackupCmd       `cmd:"" group:"server" help:"Write the whole store into one file, also while a server runs."`
	Restore      operate.RestoreCmd      `cmd:"" group:"server" help:"Fill an empty store from a backup, of either engine."`
	Verify       operate.VerifyCmd       `cmd:"" group:"server" help:"Check that everything stored, or in a backup, is what was written."`
	UpgradeCheck operate.UpgradeCheckCmd `cmd:"" group:"server" help:"Say whether this binary can use the store, and what it would change."`
	MigrateData  operate.MigrateDataCmd  `cmd:"" group:"server" help:"Copy what is stored to another place."`
	AcceptLoss   operate.AcceptLossCmd   `cmd:"" group:"server" help:"Go on with a database that has lost what was acknowledged, or is another."`
	Config       operate.ConfigCmd       `cmd:"" group:"server" help:"Print the settings in force, secrets masked."`

	Member operate.MemberCmd `cmd:"" group:"catalog" help:"Add, list, disable members and set their passwords."`
	Review operate.ReviewCmd `cmd:"" group:"catalog" help:"See and decide what waits for review, and choose what is featured."`
	Import operate.ImportCmd `cmd:"" group:"catalog" help:"Publish the templates and packs of a catalog file."`
	Mirror operate.MirrorCmd `cmd:"" group:"catalog" help:"Keep the catalogs of others here, read only."`

	Login   member.LoginCmd   `cmd:"" group:"account" help:"Sign in to a server; the commands of members speak to it."`
	Logout  member.LogoutCmd  `cmd:"" group:"account" help:"Sign out."`
	Account member.AccountCmd `cmd:"" group:"account" help:"Your passkeys, and where you are told of what."`
	Token   member.TokenCmd   `cmd:"" group:"account" help:"Make, list and revoke API tokens for programs."`

	Install  member.InstallCmd  `cmd:"" group:"use" help:"Install a template or a pack into a folder, or take that back."`
	Compare  member.CompareCmd  `cmd:"" group:"use" help:"Show what a published pack changes."`
	Apply    member.ApplyCmd    `cmd:"" group:"use" help:"Put templates and packs into a running bot, by its HTTP API."`
	Drift    member.DriftCmd    `cmd:"" group:"use" help:"Say what was changed by hand in a bot since it was applied."`
	Undo     member.UndoCmd     `cmd:"" group:"use" help:"Take the last plan in a bot back."`
	Status   member.StatusCmd   `cmd:"" group:"use" help:"List your bots and what is in them."`
	Outdated member.OutdatedCmd `cmd:"" group:"use" help:"Compare what is in a bot with the catalog."`
	Update   member.UpdateCmd   `cmd:"" group:"use" help:"Update items in a bot; what widens needs a yes."`
	Hold     member.HoldCmd     `cmd:"" group:"use" help:"Pin an item in a bot, or let its updates wait."`
	Export   member.ExportCmd   `cmd:"" group:"use" help:"Write a template or a pack in another program's format."`
	MCP      member.MCPCmd      `cmd:"" group:"use" name:"mcp" help:"Let an assistant on this machine use the market and your school."`

	Pack        member.PackCmd        `cmd:"" group:"share" help:"Make a package of a bot's setup on this machine, its secrets taken out."`
	Scan        member.ScanCmd        `cmd:"" group:"share" help:"Look for what may harm whoever installs a folder or zip."`
	Publish     member.PublishCmd     `cmd:"" group:"share" help:"Submit a package for review."`
	Submissions member.SubmissionsCmd `cmd:"" group:"share" help:"Follow, download and withdraw your submissions."`
	Withdraw    member.WithdrawCmd    `cmd:"" group:"share" help:"Take a published item of yours out of the catalog, or put it back."`
	Keygen      member.KeygenCmd      `cmd:"" group:"share" help:"Make a key that secrets can be sealed to."`
	Decrypt     member.DecryptCmd     `cmd:"" group:"share" help:"Open the sealed secrets of a pack with your key."`

	Ingest    operate.IngestCmd   `cmd:"" group:"learn" help:"Import notes to study."`
	Questions member.QuestionsCmd `cmd:"" group:"learn" help:"Have a language model propose questions about your notes, and decide on them."`
	Learner   operate.LearnerCmd  `cmd:"" group:"learn" help:"Export, erase, check and move what is kept of a learner."`
	Anki      member.AnkiCmd      `cmd:"" group:"learn" name:"anki" help:"Keep an Anki on this machine and your school in step."`

	Eval        evaluate.EvalCmd  `cmd:"" group:"more" help:"Measure the models of this program."`
	Train       evaluate.TrainCmd `cmd:"" group:"more" help:"Train the models of this program."`
	Completions completionsCmd    `cmd:"" group:"more" help:"Print what bash, zsh or fish reads to complete this command line."`
	Man         manCmd            `cmd:"" group:"more" help:"Print the manual page."`
	Version     cli.VersionCmd    `cmd:"" group:"more" help:"Print the version."`
}

func main() {
	forgetEmpty()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// forgetEmpty takes an empty variable for one that is not set, as whoever writes STOA_LISTEN= means it.
func forgetEmpty() {
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); value == "" && strings.HasPrefix(name, "STOA_") {
			os.Unsetenv(name)
		}
	}
}

// run runs one command and gives its exit code: 0 done, 1 it could not be done, 2 it was misspelt or there are secrets
// in what was to be packed or sent, 3 it was looked at and is not as it was written.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	out, errOut = cli.NewScreen(out), cli.NewScreen(errOut)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c commandLine
	written := operate.Given{Args: args}
	options := []kong.Option{
		kong.Name("stoa"), kong.Description("A self-hosted market and school for bots and the people who run them."), kong.Writers(out, errOut),
		kong.ExplicitGroups(groups), kong.Help(printHelp),
	}
	if file := operate.ConfigFile(args); file != "" {
		if _, err := os.Stat(file); err != nil {
			fmt.Fprintf(errOut, "stoa: the config file: %s\n", cli.Unreadable(file, err))
			return 2
		}
		settings, err := operate.ReadSettings(file)
		if err != nil {
			fmt.Fprintln(errOut, "stoa:", err)
			return 2
		}
		written.File = settings
		options = append(options, kong.Resolvers(settings))
	}
	parser, err := kong.New(&c, options...)
	if err != nil {
		fmt.Fprintln(errOut, "stoa:", err)
		return 2
	}
	if os.Getenv("COMP_LINE") != "" { // a shell asks
		kongcompletion.Register(parser)
	}
	if len(args) > 0 && args[0] == "help" { // what people type first
		args = append(args[1:], "--help")
	}
	command, err := parser.Parse(args)
	if err != nil {
		showMisspelt(parser, err)
		return 2
	}
	o := cli.Output{Out: out, Err: errOut, In: in, JSON: c.JSON}
	command.BindTo(ctx, (*context.Context)(nil))
	command.Bind(written)
	err = command.Run(&c.Settings, o)
	if err == nil {
		return 0
	}
	if cli.Report(o, err) == errs.SecretsDetected {
		return 2
	}
	if errors.Is(err, cli.ErrFound) || errors.Is(err, backup.ErrDamaged) {
		return 3
	}
	return 1
}
