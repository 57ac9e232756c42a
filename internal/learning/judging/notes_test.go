package judging

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"stoa/internal/learning/notes"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/sample"
	"stoa/internal/learning/units"
)

var update = flag.Bool("update", false, "write the expected questions and verdicts of testdata anew, when they are meant to change")

// unitsOf makes the units of a note.
func unitsOf(title, text string) []units.Unit {
	doc := notes.Parse(notes.Source{Path: title + ".md", Content: text})
	n := units.Note{ID: title, Path: title + ".md", Title: title}
	for i := range doc.Atoms {
		if a := &doc.Atoms[i]; a.Representation == notes.Text {
			n.Atoms = append(n.Atoms, units.Atom{ID: a.Key, Title: a.Title, Depth: len(a.Path), Content: a.Content})
		}
	}
	return units.Build([]*units.Prepared{units.Prepare(n)}, nil).Units
}

// noteTexts are the sample vault in its three languages and the notes of testdata.
func noteTexts(t *testing.T) (titles, texts []string) {
	for _, locale := range []string{"en-US", "zh-CN", "ja-JP"} {
		list, _, err := sample.Vault(locale)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range list {
			title := n.Path[strings.LastIndex(n.Path, "/")+1:]
			titles, texts = append(titles, strings.TrimSuffix(title, ".md")), append(texts, n.Text)
		}
	}
	own, err := os.ReadFile("testdata/notes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(own), "=== ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		titles, texts = append(titles, title), append(texts, text)
	}
	return titles, texts
}

// variants are answers to a question: the expected one, spoilt in several ways, and such as say nothing.
func variants(q *questions.Question) []string {
	right := q.Expected()
	words := strings.Fields(right)
	runes := []rune(right)
	cut := string(runes[:len(runes)*2/3])
	swapped := right
	if len(runes) > 3 {
		swapped = string(runes[0]) + string(runes[2]) + string(runes[1]) + string(runes[3:])
	}
	var backwards []string
	for _, w := range words {
		backwards = append([]string{w}, backwards...)
	}
	return []string{
		right, strings.ToUpper(right), "The " + right + ".", cut, swapped, strings.Join(backwards, " "), "It is not true that it is " + right, "不是" + right, right + " or something else",
		"I don't know", "12", "100 m", q.Prompt, "A sentence about the weather of last week.", "", "true", "nein",
	}
}

// What follows from notes is what the version that wrote testdata/questions.txt made of them: a learner who ingests the same note again keeps
// the questions, and verdicts do not change unnoticed. Read the difference before it is accepted (go test -run TestFixedNotes -update).
func TestFixedNotes(t *testing.T) {
	const file = "testdata/questions.txt"
	titles, texts := noteTexts(t)
	var b strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&b, "=== %s\n", titles[i])
		made := unitsOf(titles[i], text)
		for k := range made {
			for _, q := range questions.Derive(&made[k]) {
				e := q.Evidence
				fmt.Fprintf(&b, "%s %s %s %.4f [%d:%d] %q %+v %q %q %q\n", q.ID, q.Kind, q.Origin, q.Rank, e.Start, e.End, q.Prompt, q.Answer, q.Choices, q.Left, q.Explanation)
				for _, answer := range variants(&q) {
					v := Judge(&q, answer)
					fmt.Fprintf(&b, "    %q %s %v %s %.2f %q %q\n", answer, v.Outcome, v.Sure, v.Why, v.Confidence, v.Matched, v.Missing)
				}
			}
		}
	}
	text := b.String()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	is, was := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(is), len(was)) {
		if is[i] != was[i] {
			t.Fatalf("line %d of %s:\n%s\nis now\n%s", i+1, file, strings.Join(was[max(0, i-6):i+1], "\n"), strings.Join(is[max(0, i-6):i+1], "\n"))
		}
	}
	if len(is) != len(was) {
		t.Errorf("%d lines instead of %d", len(is), len(was))
	}
}
