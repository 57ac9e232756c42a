package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestEveryCommandHasExamplesThatParse(t *testing.T) {
	parser := func() *kong.Kong {
		p, err := kong.New(&commandLine{}, kong.Name("stoa"), kong.ExplicitGroups(groups))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	left := map[string]bool{}
	for path := range examples {
		left[path] = true
	}
	for _, node := range parser().Model.Children {
		if node.Group == nil {
			t.Errorf("%s stands in no group", node.Name)
		}
		lines := examples[node.Name]
		delete(left, node.Name)
		if len(lines) == 0 {
			t.Errorf("%s has no example", node.Name)
		}
		for _, line := range lines {
			typed, _, _ := strings.Cut(line, " >>")
			typed, _, _ = strings.Cut(typed, " |")
			if _, err := parser().Parse(split(typed)[1:]); err != nil && !strings.Contains(err.Error(), "no such file") {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("examples of commands that are not there: %v", left)
	}
}

// split takes a line apart as a shell does, as far as examples need it.
func split(line string) (args []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}

func TestHelpShowsTheStoreWhereItIsOpened(t *testing.T) {
	for command, shows := range map[string]bool{"": false, "install": false, "account": false, "publish": false, "backup": true, "ingest": true, "member add": true, "member": true} {
		var out, errOut bytes.Buffer
		exit := -1
		parser, err := kong.New(&commandLine{}, kong.Name("stoa"), kong.Writers(&out, &errOut), kong.ExplicitGroups(groups), kong.Help(printHelp), kong.Exit(func(code int) { exit = code }))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = parser.Parse(append(strings.Fields(command), "--help")) // it would have ended here
		if got := strings.Contains(out.String(), "--database"); exit != 0 || got != shows {
			t.Errorf("%q shows the store: %v, exit %d\n%s", command, got, exit, errOut.String())
		}
		if command != "" && command != "member add" && !strings.Contains(out.String(), "Examples:\n  stoa ") {
			t.Errorf("%q shows no example", command)
		}
	}
}
