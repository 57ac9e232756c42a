// Command stoa is the whole product: the server and its operator's commands.
//
// One file per command. The commands other than serve work on the store directly, also while a server
// runs; nothing they do can be reached over HTTP.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"stoa/internal/platform/errs"
)

// cli is the command line. Every flag is also an environment variable and a key of the config file.
type cli struct {
	Settings

	Serve   serveCmd   `cmd:"" help:"Serve the market: pages and API."`
	Member  memberCmd  `cmd:"" help:"Add, list, disable members and set their passwords."`
	Review  reviewCmd  `cmd:"" help:"See and decide what waits for review, and choose what is featured."`
	Import  importCmd  `cmd:"" help:"Publish the templates and packs of a catalog file."`
	Doctor  doctorCmd  `cmd:"" help:"Check the store, say what is wrong and how to mend it."`
	Config  configCmd  `cmd:"" help:"Print the settings in force, secrets masked."`
	Scan    scanCmd    `cmd:"" help:"Look for what may harm whoever installs a folder or zip."`
	Eval    evalCmd    `cmd:"" help:"Measure the models of this program."`
	Train   trainCmd   `cmd:"" help:"Train the models of this program."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// output is where a command writes: text for people, or with --json one JSON value.
type output struct {
	out, err io.Writer
	in       io.Reader
	json     bool
}

// print writes value as JSON, or lets text write it for people.
func (o output) print(value any, text func(io.Writer)) error {
	if !o.json {
		text(o.out)
		return nil
	}
	e := json.NewEncoder(o.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
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

// run runs one command and gives its exit code: 0 done, 1 it could not be done, 2 it was misspelt.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c cli
	options := []kong.Option{
		kong.Name("stoa"), kong.Description("A self-hosted market and school for bots and the people who run them."), kong.Writers(out, errOut),
	}
	if file := configFile(args); file != "" {
		if _, err := os.Stat(file); err != nil {
			fmt.Fprintf(errOut, "stoa: cannot read the config file %s\n", file)
			return 2
		}
		options = append(options, kong.Configuration(yamlSettings, file))
	}
	parser, err := kong.New(&c, options...)
	if err != nil {
		fmt.Fprintln(errOut, "stoa:", err)
		return 2
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(errOut, "stoa:", err)
		return 2
	}
	o := output{out: out, err: errOut, in: in, json: c.JSON}
	command.BindTo(ctx, (*context.Context)(nil))
	err = command.Run(&c.Settings, o)
	if err == nil {
		return 0
	}
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	report(o, err)
	return 1
}

// report tells what went wrong, in the form that the command was asked for.
func report(o output, err error) {
	var coded *errs.Error
	if !errors.As(err, &coded) {
		coded = errs.New("failed", err.Error())
	}
	if o.json {
		_ = output{out: o.err, json: true}.print(map[string]any{"ok": false, "error": map[string]any{"code": coded.Code, "message": coded.Message}}, nil)
		return
	}
	fmt.Fprintln(o.err, "stoa:", coded.Message)
}
