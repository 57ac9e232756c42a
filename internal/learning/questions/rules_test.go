package questions

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"stoa/internal/learning/units"
)

// ruleCase is a note of testdata/rules.txt or rules_lists.txt with the questions that are expected of it.
type ruleCase struct {
	title string
	lines []string // the note, with lines "// …" that say what it shows
	want  []string // lines "-> …"
}

func ruleCases(t *testing.T, file string) (list []ruleCase) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range strings.Split("\n"+strings.TrimRight(string(text), "\n"), "\n=== ") {
		if i == 0 {
			continue // before the first note
		}
		lines := strings.Split(part, "\n")
		c := ruleCase{title: lines[0]}
		for _, line := range lines[1:] {
			if strings.HasPrefix(line, "-> ") {
				c.want = append(c.want, line)
			} else {
				c.lines = append(c.lines, line)
			}
		}
		list = append(list, c)
	}
	return list
}

// note is the text of the case without what explains it; "¶" begins another paragraph and "⏎" another line.
func (c *ruleCase) note() string {
	var lines []string
	for _, line := range c.lines {
		if !strings.HasPrefix(line, "// ") {
			lines = append(lines, line)
		}
	}
	return paragraphs.Replace(strings.Join(lines, "\n"))
}

// paragraphs keep the file short: a heading and what stands below it share a line, and so do short rows and items.
var paragraphs = strings.NewReplacer("\n¶ ", "\n\n", " ¶ ", "\n\n", " ⏎ ", "\n")

// ruleLines are the questions of a note: kind, prompt, key, rank, and the two ends of what stands in the note as their evidence.
func ruleLines(title, text string) (list []string) {
	r := buildUnits(title, text)
	for k := range r.Units {
		u := &r.Units[k]
		for _, q := range bothWays(u) {
			key := strings.Join(q.Answer.Texts, " / ")
			if len(q.Left) > 0 {
				key = strings.Join(q.Left, " → ") + " ↔ " + q.Expected()
			} else if key == "" {
				key = q.Expected()
			}
			line := fmt.Sprintf("-> %s | %s | %s | %s | %s", q.Kind, q.Prompt, key, strings.TrimPrefix(fmt.Sprintf("%.2f", q.Rank), "0"), ends12(evidenceOf(u, &q)))
			list = append(list, strings.ReplaceAll(line, "\n", `\n`))
		}
	}
	return list
}

func evidenceOf(u *units.Unit, q *Question) string {
	for i := range u.Sections {
		if s := &u.Sections[i]; s.AtomID == q.Evidence.AtomID && q.Evidence.End <= len(s.Content) {
			return s.Content[q.Evidence.Start:q.Evidence.End]
		}
	}
	return ""
}

func ends12(s string) string {
	const each = 12
	r := []rune(s)
	if len(r) <= 2*each {
		return s
	}
	return string(r[:each]) + "…" + string(r[len(r)-each:])
}

var update = flag.Bool("update", false, "write the expected questions of testdata anew, when they are meant to change")

// What each condition of the rules accepts and refuses, a small note for each: a file shows what a rule does beside the note that shows it.
// Read the difference before it is accepted (go test -run TestRules -update).
func TestRules(t *testing.T) {
	for _, file := range []string{"testdata/rules.txt", "testdata/rules_lists.txt", "testdata/rules_math.txt"} {
		var b strings.Builder
		for _, c := range ruleCases(t, file) {
			is := ruleLines(c.title, c.note())
			fmt.Fprintf(&b, "=== %s\n%s\n", c.title, strings.Join(append(c.lines, is...), "\n"))
			if !*update && strings.Join(is, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("=== %s\n%s\nexpected\n%s\nis now\n%s", c.title, c.note(), strings.Join(c.want, "\n"), strings.Join(is, "\n"))
			}
		}
		if *update {
			if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
