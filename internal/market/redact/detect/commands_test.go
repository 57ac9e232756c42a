package detect

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A command that stands among the words of another of its name is read on from where that one ended. What is found is what
// reading each of them whole would find.
func TestCommandsOneAfterAnother(t *testing.T) {
	e := New()
	e.load()
	words := []string{"sshpass", "docker", "mysql", "curl", "login", "-p", "-u", "-pGlued9x", "secret7q", "ada:hunter22", "'two words'", `--user="ada:apple9"`, "-p'x y z1'", `\` + "\n", "\n", ";", "|", strings.Repeat("long", 40), "x"}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "n")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), n, n).Draw(t, "words"), " ")
		read := func(whole bool) (spans []Span, budget *Budget) {
			s := &scanning{e: e, text: text, budget: NewBudget()}
			for at := range text {
				for _, c := range commands {
					if !strings.HasPrefix(text[at:], c.name) {
						continue
					}
					if whole {
						s.commands = nil
					}
					c.reader()(s, at, at+len(c.name))
				}
			}
			return s.spans, s.budget
		}
		want, most := read(true)
		got, cost := read(false)
		for _, w := range want {
			if !slices.ContainsFunc(got, func(g Span) bool { return g.Start <= w.Start && w.End <= g.End }) {
				t.Fatalf("%q is not found in %q", text[w.Start:w.End], text)
			}
		}
		if cost.Left < most.Left {
			t.Errorf("reading on costs %d more", most.Left-cost.Left)
		}
	})
}
