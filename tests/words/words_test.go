// Package words holds texts that people read to the glossary.
package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const root = "../.."

// rejected reads the expressions of the last column of the glossary's tables.
func rejected(t *testing.T, text string) *regexp.Regexp {
	t.Helper()
	var all []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		last := strings.TrimSpace(cells[len(cells)-1])
		if len(cells) != 5 || last == "not" || strings.HasPrefix(last, "---") {
			continue
		}
		for expression := range strings.SplitSeq(last, ",") {
			expression = strings.TrimSpace(expression)
			if expression == "" || utf8.RuneCountInString(expression) < len(expression) {
				continue // only the pages are in other languages than English
			}
			all = append(all, regexp.QuoteMeta(expression))
		}
	}
	if len(all) < 10 {
		t.Fatalf("the glossary has only %d rejected expressions: has its table changed?", len(all))
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(all, "|") + `)\b`)
}

func glossary(t *testing.T) *regexp.Regexp {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	return rejected(t, string(text))
}

func walk(t *testing.T, dir, ending string, each func(path string)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ending) && !strings.HasSuffix(path, "_test.go") {
			each(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestProgramsSpeakTheGlossary looks at every string and every tag of the code: help of commands, errors, answers.
func TestProgramsSpeakTheGlossary(t *testing.T) {
	t.Parallel()
	no, files := glossary(t), 0
	for _, dir := range []string{"cmd", "client", "internal"} {
		walk(t, dir, ".go", func(path string) {
			files++
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				literal, is := n.(*ast.BasicLit)
				if !is || literal.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				// Names of fields and codes have no space; they follow the contract.
				if found := no.FindString(text); found != "" && strings.Contains(text, " ") && len(text) < 600 {
					t.Errorf("%s says %q: see docs/glossary.md", set.Position(n.Pos()), found)
				}
				return true
			})
		})
	}
	if files < 100 {
		t.Fatalf("only %d files were read", files)
	}
}

// TestCommentsSpeakTheGlossary looks at every comment of the code, of the tests too, and at the names.
func TestCommentsSpeakTheGlossary(t *testing.T) {
	t.Parallel()
	no, comments := glossary(t), 0
	for _, dir := range []string{"cmd", "client", "internal", "tests"} {
		walk(t, dir, ".go", func(path string) {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range file.Comments {
				comments++
				if found := no.FindString(group.Text()); found != "" {
					t.Errorf("%s says %q: see docs/glossary.md", set.Position(group.Pos()), found)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if name, is := n.(*ast.Ident); is {
					if found := no.FindString(separate(name.Name)); found != "" {
						t.Errorf("%s names something %q: see docs/glossary.md", set.Position(n.Pos()), found)
					}
				}
				return true
			})
		})
	}
	if comments < 1000 {
		t.Fatalf("only %d comments were read", comments)
	}
}

var humps = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// separate writes the words of a name one by one: "takenIn" is "taken In".
func separate(name string) string {
	return humps.ReplaceAllString(strings.ReplaceAll(name, "_", " "), "$1 $2")
}

// TestContractSpeaksTheGlossary looks at the summaries and descriptions that /api/docs shows.
func TestContractSpeaksTheGlossary(t *testing.T) {
	t.Parallel()
	no := glossary(t)
	text, err := os.ReadFile(filepath.Join(root, "api", "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`^\s*(summary|description): `)
	for i, line := range strings.Split(string(text), "\n") {
		if found := no.FindString(line); found != "" && said.MatchString(line) {
			t.Errorf("openapi.yaml:%d says %q: see docs/glossary.md", i+1, found)
		}
	}
}

// TestDocsSpeakTheGlossary looks at the documentation.
func TestDocsSpeakTheGlossary(t *testing.T) {
	t.Parallel()
	no := glossary(t)
	walk(t, "docs", ".md", func(path string) {
		if filepath.Base(path) == "glossary.md" {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if found := no.FindString(line); found != "" {
				t.Errorf("%s:%d says %q: see docs/glossary.md", path, i+1, found)
			}
		}
	})
}

// TestRejectedExpressionsAreFound proves the search on texts that the review of the product complained about.
func TestRejectedExpressionsAreFound(t *testing.T) {
	t.Parallel()
	no := glossary(t)
	for _, bad := range []string{"Mend this before anything else", "notes taken in", "Circles broken", "Half within", "What it reaches", "Plan anew"} {
		if !no.MatchString(bad) {
			t.Errorf("%q passes", bad)
		}
	}
	for _, good := range []string{"Recommended actions", "amended", "Recommendation", "encircled"} {
		if no.MatchString(good) {
			t.Errorf("%q is rejected", good)
		}
	}
}
