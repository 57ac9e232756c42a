package questions

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/units"
)

func TestListsWithTabs(t *testing.T) {
	for raw, want := range map[string]string{
		"a1\tb\nc1\td": "a1|b // c1|d", " a1\tb\t\r\nc1\td ": "a1|b // c1|d", "a1\tb": "", "a1\tb\nc1": "", "a1\tb\nc1\td\te": "", "a1\tb\n\nc1\td": "", "a1\tb\nc1\td\ne1\tf": "a1|b // c1|d // e1|f",
	} {
		d := &deriver{unit: &units.Unit{Sections: []units.Section{{Content: "12345" + raw}}}}
		d.tabs(0, raw, 5)
		if got := d.asked(); got != want {
			t.Errorf("%q: %q", raw, got)
		}
		for k, q := range d.list {
			if got, line := d.unit.Sections[0].Content[q.Evidence.Start:q.Evidence.End], strings.Split(raw, "\n")[k]; got != line {
				t.Errorf("%q stands at %q", q.Prompt, got)
			}
		}
	}
}

func TestTablesOfPairs(t *testing.T) {
	for text, want := range map[string]string{
		"question,answer\na,b": "a|b", "answer,question\na,b": "b|a", "id,Front,Back\n1,a,b\n2,c,d": "a|b c|d", "question,answer": "", "": "", "question,other\na,b": "", "other,answer\na,b": "", "question,answer\na,b\nc\nd,e,f\n": "a|b d|e", "answer,x,question\na,b,c\nd,e": "c|a",
		"question,answer\nWhat is a \"b\"?,c": "What is a \"b\"?|c", "question,answer\n\"a, or\nb\",c": "a, or\nb|c", "word,meaning,translation\na,b,c": "a|b",
	} {
		var got []string
		for _, p := range pairsOf(text, ',') {
			got = append(got, p[0]+"|"+p[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for headings, want := range map[string][2]int{"q a": {0, 1}, "a q": {1, 0}, "x q a": {1, 2}, "q": {0, -1}, "a": {-1, 0}, "x": {-1, -1}, "q question a": {0, 2}, "q a answer": {0, 1}, "a answer q": {2, 0}, "**Frage** Antwort": {0, 1}} {
		if q, a := columns(strings.Fields(headings)); q != want[0] || a != want[1] {
			t.Errorf("%s: %d %d", headings, q, a)
		}
	}
	for text, want := range map[string]string{"```csv\nquestion,answer\na1,b\n```": "a1|b", "```tsv\nquestion\tanswer\na1, so\tb\n```": "a1, so|b", "```csv\nquestion\tanswer\na1\tb\n```": "", "```text\nquestion,answer\na1,b\n```": ""} {
		d := authored(obsidian.Marks{}, section("T", 0, text))
		if got := d.asked(); got != want || want != "" && (d.list[0].Evidence.End != len(text) || d.list[0].Evidence.Start != 0) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Sixteen questions stand in a section, and one more begins the next.
func TestSectionsOfAFile(t *testing.T) {
	rows := func(n int) string {
		s := "question,answer\n"
		for k := range n {
			s += fmt.Sprintf("q%d,a%d\n", k, k)
		}
		return s
	}
	for n, want := range map[int]string{1: "", 16: "", 17: "## 1–16|## 17–17", 33: "## 1–16|## 17–32|## 33–33"} {
		note, ok := NoteOfTable("x.csv", rows(n))
		var headings []string
		for line := range strings.SplitSeq(note, "\n") {
			if strings.HasPrefix(line, "#") {
				headings = append(headings, line)
			}
		}
		if got := strings.Join(headings, "|"); !ok || got != want || strings.Count(note, "\nq") != n+max(1, len(headings)) {
			t.Errorf("%d rows: %q", n, got)
		}
	}
	for content, want := range map[string]bool{"q,a,x;y;z\n1,2,3\n": true, "q;a;x\n1;2;3\n": true, "q;a,x;y\n1;2;3\n": false, "q;a\n1,5;2,5\n": true} {
		if _, ok := NoteOfTable("x.csv", content); ok != want {
			t.Errorf("%q: %v", content, ok)
		}
	}
	if note, ok := NoteOfTable("x.txt", rows(1)); ok || note != "" {
		t.Errorf("%q", note)
	}
	for cell, want := range map[string]int{"": 3, "a`b": 3, "``": 3, "```": 4, "x```": 4, "``x``": 3, "````x`": 5, "`````": 6, "x``` ````": 5} {
		if got := fenceOf([][2]string{{"", cell}, {"", ""}}); got != strings.Repeat("`", want) {
			t.Errorf("%q is in a fence %s", cell, got)
		}
	}
}

func TestQuestionsOfMoodle(t *testing.T) {
	for _, c := range []struct {
		text    string
		kind    Kind
		want    string
		choices string
	}{
		{"Which is it? {=one ~two ~three}", Choice, "Which is it?|one", "one two three"},
		{"Which is it? {~two =one}", Choice, "Which is it?|one", "two one"},
		{"Which is it? {=one =uno}", Open, "Which is it?|one", ""},
		{"Which is it? {=one#well done ~two#no}", Choice, "Which is it?|one", "one two"},
		{"Which is it? {=**one**}", Open, "Which is it?|one", ""},
		{"::Title:: Which is it? {=one}", Open, "Which is it?|one", ""},
		{"::Title Which is it? {=one}", Open, "::Title Which is it?|one", ""},
		{"The {=cat} sat.", Open, "The ____ sat.|cat", ""},
		{"It is so. {T}", TrueFalse, "It is so.|true", ""},
		{"It is so. { true }", TrueFalse, "It is so.|true", ""},
		{"It is so. {f}", TrueFalse, "It is so.|false", ""},
		{"It is so. {FALSE}", TrueFalse, "It is so.|false", ""},
		{"How many? {#3}", Open, "How many?|3", ""},
		{"How many? {# 3 km:1}", Open, "How many?|3 km", ""},
		{"Match. {=a -> b =c->d}", Match, "Match.|a – b\nc – d", ""},
		{"It is so. {maybe}", "", "", ""},
		{"How many? {#many}", "", "", ""},
		{"How many? {}", "", "", ""},
		{"How many? {#-1..1}", "", "", ""},
		{"How many? {#1..x}", "", "", ""},
		{"How many? {#x..1}", "", "", ""},
		{"Which is it? {=%100%one ~%-50%two ~ %33.3%three}", Choice, "Which is it?|one", "one two three"},
		{"{=one} is it", "", "", ""},
		{"Which } is { it?", "", "", ""},
		{"Which is it? =one}", "", "", ""},
		{"Which is it? {=one", "", "", ""},
		{"Let $a {=b}", "", "", ""},
		{"Let `a {=b}", "", "", ""},
		{`Let \a {=b}`, "", "", ""},
		{"Which is it? {=~two}", "", "", ""},
		{"Which is it? {~two}", "", "", ""},
	} {
		d := &deriver{unit: &units.Unit{Sections: []units.Section{{Content: c.text}}}}
		d.gift(0, c.text, 0, len(c.text))
		if got := d.asked(); got != c.want {
			t.Errorf("%q: %q", c.text, got)
			continue
		}
		if c.want == "" {
			continue
		}
		if q := d.list[0]; q.Kind != c.kind || q.Rank != 1 || q.Origin != Author || q.Kind != Match && strings.Join(q.Choices, " ") != c.choices || q.Evidence.End != len(c.text) {
			t.Errorf("%q: %+v", c.text, q)
		}
	}
	d := &deriver{unit: &units.Unit{Sections: []units.Section{{}}}}
	d.gift(0, "Match. {=a -> x =b->y =c -> z}", 0, 9)
	q := &d.list[0]
	sorted := slices.Sorted(slices.Values(q.Choices))
	if !slices.Equal(q.Left, []string{"a", "b", "c"}) || !slices.Equal(q.Answer.Items, []string{"x", "y", "z"}) || !slices.Equal(sorted, q.Answer.Items) || q.Answer.Texts != nil {
		t.Errorf("%+v", q)
	}
	text := "```gift\nOne is it? {=a}\n\n::T:: Two is it? {T}\n```"
	if got := authored(obsidian.Marks{}, section("T", 0, text)).asked(); got != "One is it?|a // Two is it?|true" {
		t.Errorf("%q", got)
	}
}

func TestNumbersOfMoodle(t *testing.T) {
	for text, want := range map[string]Answer{"#3": {Value: 3}, "#4:1": {Value: 4, Tolerance: .25}, "#-4:1": {Value: -4, Tolerance: .25}, "#0:1": {}, "#5 km:x": {Value: 5, Unit: "km"}, "#1..5": {Value: 3, Tolerance: 2. / 3}, "#-5 .. -1 m": {Value: -3, Unit: "m", Tolerance: 2. / 3}, "#5:.5": {Value: 5, Tolerance: .1}} {
		d := &deriver{unit: &units.Unit{Sections: []units.Section{{}}}}
		d.gift(0, "How many? {"+text+"}", 0, 9)
		if len(d.list) != 1 {
			t.Errorf("%s: %q", text, d.asked())
			continue
		}
		if a := d.list[0].Answer; !a.Number || a.Value != want.Value || math.Abs(a.Tolerance-want.Tolerance) > 1e-12 || a.Unit != want.Unit {
			t.Errorf("%s: %+v", text, a)
		}
	}
}

func TestCardsOfThePluginForAnki(t *testing.T) {
	for text, want := range map[string]string{
		"STARTI [Basic] Which? Back: This ENDI": "Which?|This", "STARTI Which? Back: This": "Which?|This", "Question: Which? Back: This": "Which?|This", "[Basic] Front: Which? Back: This": "Which?|This", "**Question:** Which? **Back:** This": "Which?|This", "__Front:__ Which?\nBack: This": "Which?|This",
		"STARTI [Basic] Which? Back: This Tags: a b ENDI": "Which?|This", "STARTI [Basic] Which? Back: This <!--ID: 12--> ENDI": "Which?|This", "  STARTI Which? Back: This  ": "Which?|This",
		"Which? Back: This": "-", "[Basic] Which? Back: This": "-", "STARTI Which?": "-", "Question: Which? Back: ENDI": "-", "Question: Which?": "-", "": "-",
	} {
		front, back, ok := asCard(text)
		if ok != (want != "-") || ok && front+"|"+strings.TrimSpace(back) != want {
			t.Errorf("%q: %q %q %v", text, front, back, ok)
		}
	}
	for text, want := range map[string]string{
		"START\nBasic\nFront: Which?\nBack: This\nand that\nTags: a\nEND":                                     "Which?|This\nand that",
		"START\nBasic\nWhich?\nBack: This\n<!--ID: 1-->\nEND":                                                 "Which?|This",
		"So:\nSTART\nBasic\nWhich?\nBack: This\nEND":                                                          "Which?|This",
		"START\nBasic\nWhich?\nBack: This\n\n- and that\n\n```\nx\n```\nTags: a\n<!--ID: 1-->\nEND\n\nAfter.": "Which?|This\n\n- and that\n\n```\nx\n```",
		"```\nSTART\nBasic\nWhich?\nBack: This\nEND\n```":                                                     "",
		"One.\n\n- a\n\nSTART\nBasic\nWhich?\nBack: This\nEND":                                                "Which?|This",
		"START\nBasic\nWhich?\nEND":                                                                           "",
		"START\nBasic\nWhich?\nBack: This":                                                                    "",
		"START\nBasic\nWhich?\nBack: This\nEND\nSTART\nBasic\nWho?\nBack: I\nEND":                             "Which?|This // Who?|I",
		"Question: Which? Back: This":                                                                         "Which?|This",
		"- STARTI Which? Back: This ENDI\n- Front: Who? Back: I":                                              "Which?|This // Who?|I",
	} {
		d := authored(obsidian.Marks{}, section("T", 0, text))
		if got := d.asked(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		for _, q := range d.list {
			if at := strings.TrimLeft(text[q.Evidence.Start:q.Evidence.End], "- "); !strings.HasPrefix(at, "START") && !strings.HasPrefix(at, "Question") && !strings.HasPrefix(at, "Front") {
				t.Errorf("%q: %q stands at %q", text, q.Prompt, at)
			}
			if at := text[q.Evidence.Start:q.Evidence.End]; strings.Contains(at, "END\n") || strings.HasPrefix(at, "START\n") && !strings.HasSuffix(at, "END") || q.Evidence.Start > 0 && !strings.Contains("\n ", text[q.Evidence.Start-1:q.Evidence.Start]) {
				t.Errorf("%q: %q stands at %q", text, q.Prompt, at)
			}
		}
	}
}

// As Moodle writes them: the answers of a question on lines of their own.
func TestQuestionsOfMoodleOverLines(t *testing.T) {
	for text, want := range map[string]string{
		"::Q1:: Which is it? {\n\t=one#yes\n\t~two\n}":                        "Which is it?|one",
		"Which is it? {=one\n~two}\nWho is it? {\n~I\n=you\n}\nIt is so. {T}": "Which is it?|one // Who is it?|you // It is so.|true",
		"The {\n=cat\n} sat.":                        "The ____ sat.|cat",
		"A struct {\nWhich is it? {=one ~two}":       "Which is it?|one",
		"A struct {\nan open {\nWhich is {=one} it?": "Which is ____ it?|one",
		"A struct {\nan open {":                      "",
		"A struct } {\nan end } {\nIt is so. {F}":    "It is so.|false",
	} {
		d := authored(obsidian.Marks{}, section("T", 0, text))
		if got := d.asked(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		for k, q := range d.list {
			at := text[q.Evidence.Start:q.Evidence.End]
			if strings.Count(at, "{") != 1 || strings.Count(at, "}") != 1 || k == len(d.list)-1 && q.Evidence.End != len(text) {
				t.Errorf("%q: %q stands at %q", text, q.Prompt, at)
			}
		}
	}
}

// A file of Moodle's as the product reads it.
func TestAFileOfMoodle(t *testing.T) {
	file := "// a comment\n::Q1:: What is the sum of two and two? {\n\t=four #right\n\t~five\n\t~six\n}\n\nWhat is the product of two and three? {\n=six\n~five\n}\n"
	for _, text := range []string{file, strings.ReplaceAll(file, "\n", "\r\n")} {
		list := questionsOf(text)
		for prompt, answer := range map[string]string{"What is the sum of two and two?": "four", "What is the product of two and three?": "six"} {
			if q := find(list, prompt); q == nil || q.Prompt != prompt || q.Kind != Choice || q.Expected() != answer {
				t.Errorf("%q: %+v", prompt, list)
			}
		}
	}
}
