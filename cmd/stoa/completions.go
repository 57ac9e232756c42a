package main

import (
	"io"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	"github.com/muesli/roff"

	"stoa/internal/cli"
)

// completionsCmd prints what a shell has to read to complete stoa's command line. The words themselves come from the
// binary, which the shell asks each time: they are those of the version that is installed.
type completionsCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

var shells = map[string]string{
	"bash": "complete -o default -o bashdefault -C stoa stoa\n",
	"zsh":  "autoload -U +X bashcompinit && bashcompinit\ncomplete -o default -o bashdefault -C stoa stoa\n",
	"fish": `function __complete_stoa
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    stoa
end
complete -c stoa -a "(__complete_stoa)"
`,
}

// Run prints it.
func (c *completionsCmd) Run(o cli.Output) error {
	text := shells[c.Shell]
	return o.Print(map[string]string{"shell": c.Shell, "text": text}, func(w io.Writer) { _, _ = io.WriteString(w, text) })
}

type manCmd struct{}

// Run prints the manual page.
func (*manCmd) Run(app *kong.Kong, o cli.Output) error {
	text := mangokong.NewManPage(1, app.Model).Build(roff.NewDocument())
	return o.Print(map[string]string{"text": text}, func(w io.Writer) { _, _ = io.WriteString(w, text) })
}
