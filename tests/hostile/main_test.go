package hostile

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

var long = flag.Bool("hostile.long", false, "try all that each finding knows")

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }

// m is a JSON object.
type m = map[string]any

// finding is one way in that somebody has tried.
type finding struct {
	id, what string
	options  apitest.Options
	try      func(t *testing.T, s *apitest.Server)
	alone    bool // it is about one node
}

var findings []finding

// add puts a finding on the list. try runs on every engine, each time with a fresh server, and on three nodes with
// PostgreSQL and an object store over TLS.
func add(id, what string, o apitest.Options, try func(t *testing.T, s *apitest.Server)) {
	findings = append(findings, finding{id, what, o, try, false})
}

// alone is add for what a node counts or does by itself.
func alone(id, what string, o apitest.Options, try func(t *testing.T, s *apitest.Server)) {
	findings = append(findings, finding{id, what, o, try, true})
}

func TestFindings(t *testing.T) {
	slices.SortStableFunc(findings, func(a, b finding) int { return strings.Compare(a.id, b.id) })
	for _, f := range findings {
		t.Run(f.id+" "+f.what, func(t *testing.T) {
			apitest.Each(t, f.options, f.try)
			if !f.alone {
				apitest.OnNodes(t, f.options, f.try)
			}
		})
	}
}

// Every finding that is tried here stands in the table of docs/security-tried.md, under its number.
func TestFindingsAreInTheTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/security-tried.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ((?:[HML]\d+|wire)(?:, [HML]\d+)*) \|`).FindAllStringSubmatch(string(text), -1) {
		for _, id := range strings.Split(row[1], ", ") {
			listed[id] = true
		}
	}
	for _, f := range findings {
		if !listed[f.id] {
			t.Errorf("%s (%s) has no row in docs/security-tried.md", f.id, f.what)
		}
	}
}

// some is n of a finding's inputs in the short form and all in the long one.
func some(short, all int) int {
	if *long {
		return all
	}
	return short
}
