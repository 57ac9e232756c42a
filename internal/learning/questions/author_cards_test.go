package questions

import (
	"strings"
	"testing"

	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/units"
)

// section makes a section of a text, under a heading when it has a depth.
func section(title string, depth int, text string) units.Section {
	return units.Section{AtomID: "a", Title: title, Depth: depth, Content: text, Blocks: units.Blocks(text)}
}

// authored reads what the author asks in the first of some sections.
func authored(marks obsidian.Marks, sections ...units.Section) *deriver {
	d := &deriver{unit: &units.Unit{ID: "u", Title: "T", Note: "N", Sections: sections}, marks: marks.Usual(), lines: -1}
	d.author(0)
	return d
}

// asked writes questions as "prompt|answer", one after the other with " // " between.
func (d *deriver) asked() string {
	var list []string
	for i := range d.list {
		list = append(list, d.list[i].Prompt+"|"+d.list[i].Expected())
	}
	return strings.Join(list, " // ")
}

// Cards of several lines: each side reaches to an empty line, a heading may be the question.
func TestCardsOfLines(t *testing.T) {
	for _, c := range []struct {
		depth                int
		text, want, evidence string
	}{
		{0, "Which?\n?\nThis", "Which?|This", "Which?\n?\nThis"},
		{0, "Which\none?\n ? \nThis\none", "Which\none?|This\none", "Which\none?\n ? \nThis\none"},
		{0, "Eins\n??\nOne", "Eins|One // One|Eins", "Eins\n??\nOne"},
		{0, "Before.\n\nWhich?\n?\nThis\n\nAfter.", "Which?|This", "Which?\n?\nThis"},
		{1, "?\nThis", "T|This", "?\nThis"},
		{0, "?\nThis", "", ""},
		{1, "Before.\n\n?\nThis", "", ""},
		{0, "Which?\n?", "", ""},
		{0, "Which?\n?\n\n- a\n- b", "Which?|- a\n- b", "Which?\n?\n\n- a\n- b"},
		{0, "Which?\n?\n\n- a\n- b\n\nAfter.", "Which?|- a\n- b", "Which?\n?\n\n- a\n- b"},
		{0, "Which?\n?\n- a\n- b\n\nAfter.", "Which?|- a\n- b", "Which?\n?\n- a\n- b"},
		{0, "Which?\n?\nThis:\n- a\n- b\n\nAfter.", "Which?|This:\n- a\n- b", "Which?\n?\nThis:\n- a\n- b"},
		{0, "Which?\n```\nx\n```\n?\nThis", "Which?\n```\nx\n```|This", "Which?\n```\nx\n```\n?\nThis"},
		{0, "```\nx\n```\n?\nThis", "```\nx\n```|This", "```\nx\n```\n?\nThis"},
		{0, "Which?\n?\n```\nx\n```\nThis\n\nAfter.", "Which?|```\nx\n```\nThis", "Which?\n?\n```\nx\n```\nThis"},
		{0, "- a\n- b\n?\nThis", "- a\n- b|This", "- a\n- b\n?\nThis"},
		{0, "Which?\n- a\n- b\n??\nThis", "Which?\n- a\n- b|This // This|Which?\n- a\n- b", "Which?\n- a\n- b\n??\nThis"},
		{0, "- a\n- b\n?\nThis\n```\nx\n```\n\nAfter.", "- a\n- b|This\n```\nx\n```", "- a\n- b\n?\nThis\n```\nx\n```"},
		{0, "- a\n- b", "", ""},
		{0, "Which?\n???\nThis", "", ""},
	} {
		d := authored(obsidian.Marks{}, section("T", c.depth, c.text))
		if got := d.asked(); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
			continue
		}
		for i, q := range d.list {
			if got := c.text[q.Evidence.Start:q.Evidence.End]; got != c.evidence || q.Nth != i+1 {
				t.Errorf("%q: %q is number %d, at %q", c.text, q.Prompt, q.Nth, got)
			}
		}
	}
	two := authored(obsidian.Marks{}, section("T", 0, "Eins\n?\nOne\n\nZwei\n?\nTwo"))
	if got := two.asked(); got != "Eins|One // Zwei|Two" || two.list[1].Nth != 1 {
		t.Errorf("%q", got)
	}
}

// A mark that ends cards does so behind empty lines and lists; one of the next card comes before it.
func TestEndMarkOfCards(t *testing.T) {
	marks := obsidian.Marks{End: "+++"}
	for text, want := range map[string]string{
		"Which?\n?\nThis\n\nand that\n+++\nAfter.":       "Which?|This\n\nand that",
		"- a\n- b\n?\nThis\n\nand that\n+++\n\nAfter.":   "- a\n- b|This\n\nand that",
		"Which?\n?\nThis\n\nWho?\n?\nShe\n\nand he\n+++": "Which?|This // Who?|She\n\nand he",
		"- a\n?\nThis\n\nWho?\n??\nShe\n+++":             "- a|This // Who?|She // She|Who?",
		"Which?\n?\nThis\n\nAfter.":                      "Which?|This",
	} {
		if got := authored(marks, section("T", 0, text)).asked(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	d := deriver{marks: marks.Usual()}
	for text, want := range map[string]int{"": 0, "+++": 0, "a\n+++": 2, "a\n +++ \nb": 2, "a\n?\n+++": 0, "a\n??\n+++": 0, "a\nb\n+++\n+++": 4, "a+++": 0, "a\n\n+++": 3} {
		if got := d.ended(text, 0); got != want {
			t.Errorf("%q ends at %d, want %d", text, got, want)
		}
	}
	if got := d.ended("+++\na\n+++", 3); got != 6 {
		t.Errorf("behind the first it ends at %d", got)
	}
	if got := (&deriver{marks: obsidian.Marks{}.Usual()}).ended("a\n\n", 0); got != 0 {
		t.Errorf("without a mark it ends at %d", got)
	}
}

func TestRunsOfBlocks(t *testing.T) {
	s := section("T", 0, "One\n- a\n\nTwo\n- b\n```\nx\n```\n\nThree")
	if len(s.Blocks) != 6 {
		t.Fatalf("%d blocks", len(s.Blocks))
	}
	for k, want := range [][2]int{{0, 1}, {0, 1}, {2, 4}, {2, 4}, {2, 4}, {5, 5}} {
		if from, to := runStart(&s, k), runEnd(&s, k); from != want[0] || to != want[1] {
			t.Errorf("block %d is in the run %d–%d, want %v", k, from, to, want)
		}
	}
}

func TestCardsInALine(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	arrows := obsidian.Marks{Line: "=>", LineReversed: "<>"}
	for _, c := range []struct {
		marks obsidian.Marks
		code  bool
		text  string
		want  string
	}{
		{obsidian.Marks{}, false, "Eins :: One", "Eins|One"},
		{obsidian.Marks{}, false, "Eins::One", "Eins|One"},
		{obsidian.Marks{}, false, "Eins:::One", "Eins|One // One|Eins"},
		{obsidian.Marks{}, false, "Eins ::::One", ""},
		{obsidian.Marks{}, false, " :: One", ""},
		{obsidian.Marks{}, false, "Eins :: ", ""},
		{obsidian.Marks{}, false, long(400) + "::One", long(400) + "|One"},
		{obsidian.Marks{}, false, long(401) + "::One", ""},
		{obsidian.Marks{}, false, "Eins::" + long(600), "Eins|" + long(600)},
		{obsidian.Marks{}, false, "Eins::" + long(601), ""},
		{obsidian.Marks{}, false, "[Eins :: One]", ""},
		{obsidian.Marks{}, false, "(Eins :: One)", ""},
		{obsidian.Marks{}, false, "(Eins) :: One", "(Eins)|One"},
		{obsidian.Marks{}, false, "Eins :: [One]", "Eins|[One]"},
		{obsidian.Marks{}, false, "Eins :: (One)", "Eins|(One)"},
		{obsidian.Marks{}, false, "Eins :: One :: Uno", ""},
		{obsidian.Marks{}, false, "Eins :: One ::: Uno", ""},
		{obsidian.Marks{}, false, "std::vector", ""},
		{obsidian.Marks{}, false, "std ::vector", "std|vector"},
		{obsidian.Marks{}, false, "std:: vector", "std|vector"},
		{obsidian.Marks{}, true, "Eins::One", ""},
		{obsidian.Marks{}, true, "Eins:: One", "Eins|One"},
		{arrows, true, "std=>vector", "std|vector"},
		{arrows, false, "Eins => One", "Eins|One"},
		{arrows, false, "Eins <> One", "Eins|One // One|Eins"},
		{arrows, false, "Eins => => One", ""},
		{arrows, false, "Eins =>> One", ""},
		{arrows, false, "Eins =>= One", "Eins|= One"},
		{arrows, false, "Eins => <> One", ""},
		{arrows, false, "Eins <> => One", ""},
		{arrows, false, "<> Eins => One", ""},
	} {
		d := &deriver{marks: c.marks.Usual(), unit: &units.Unit{Sections: []units.Section{{Content: c.text}}}}
		d.lineCard(0, units.Line{Text: c.text, End: len(c.text)}, c.code)
		if got := d.asked(); got != c.want {
			t.Errorf("%.40q: %.40q, want %.40q", c.text, got, c.want)
		}
		for i, q := range d.list {
			if q.Nth != i+1 || q.Evidence.End != len(c.text) {
				t.Errorf("%.40q: %+v", c.text, q)
			}
		}
	}
}

func TestMarksInALine(t *testing.T) {
	for _, c := range []struct {
		line, reversed, text, mark string
		at                         int
	}{
		{"::", ":::", "a :: b", "::", 2},
		{"::", ":::", "a ::: b", ":::", 2},
		{":::", "::", "a ::: b", ":::", 2},
		{"::", ":::", "a :: b ::: c", "::", 2},
		{"::", ":::", "a", "::", -1},
		{"::", "::", "a :: b", "::", 2},
		{">>", "<>", "a <> b", "<>", 2},
		{">>", "<>", "a >> b <> c", ">>", 2},
		{">>", "<>", "a <> b >> c", "<>", 2},
		{">>", "<>", "<> b", "<>", 0},
		{">>", "<>", ">> b <> c", ">>", 0},
	} {
		d := deriver{marks: obsidian.Marks{Line: c.line, LineReversed: c.reversed}}
		if at, mark := d.lineMark(c.text); at != c.at || at >= 0 && mark != c.mark {
			t.Errorf("%q has %q at %d", c.text, mark, at)
		}
		if got := d.holdsCard(c.text); got != (c.at > 0) {
			t.Errorf("%q holds a card: %v", c.text, got)
		}
	}
	for text, want := range map[string]int{
		"a::b": 1, "::": 0, "a:b": -1, "`a::b`": -1, "`a::b` ::c": 7, "`a::b": 2, "$a::b$::c": 6, "$5::b": 2, "`` :: `x": 3, "`a$b`::c": 5, `\::a`: -1, `\:::a`: 2, "\\`::`": 2, "{{a::b}}": -1, "{{a::b}}::c": 8, "{{a}}::c": 5, "{{a::b": 3, "http://a::b": -1, "http://a::b c::d": 13, "{a::b}": 2,
	} {
		if got := outside(text, "::"); got != want {
			t.Errorf("%q has :: at %d, want %d", text, got, want)
		}
	}
	if got := outside("{{a}} b } c", "}"); got != 8 {
		t.Errorf("a brace that is a mark is found at %d", got)
	}
}

func TestIdentifiers(t *testing.T) {
	for left, want := range map[string]bool{
		"std": true, "use std": true, "f(std": true, "vector<std": true, "a,std": true, "&std": true, "*std": true, "standard": false, "foo_bar": true, "a.b": true, "wait...": false, "a_b...": false, "MyClass": true, "aB": true, "the MyClass": false, "Paris": false, "ABC": false, "A": false, "": false, "Ab": false, "capital of France": false, "HashMap": true,
	} {
		if got := identifier(left); got != want {
			t.Errorf("%q is an identifier: %v", left, got)
		}
	}
}

func TestMarkedLines(t *testing.T) {
	for line, want := range map[string]string{
		"Q: a": "a", "q : a": "a", "**Q:** a": "a", "**Q**: *a": "a", "_Question_ 12: a": "a", "1) Q: a": "a", "问题： a": "a", "Frage：a: b": "a: b", "Q:": "", "Q: a: b": "a: b", "Pregunta: a": "a", "question 0000000: a": "a", "  Domanda:a  ": "a",
		"question 00000000: a": "-", "Q a": "-", "Quiz: a": "-", "So: Q: a": "-", "": "-", ": a": "-", "A: b": "-",
	} {
		if got, ok := marked(line, questionMarks); ok != (want != "-") || ok && got != want {
			t.Errorf("%q: %q %v", line, got, ok)
		}
	}
}

// A question and its answer may have several lines each; a question without an answer is none.
func TestPairsOfLines(t *testing.T) {
	for text, want := range map[string]string{
		"Q: one?\nA: two":                                "one?|two",
		"Q: one?\nA: two\nQ: three?\nA: four":            "one?|two // three?|four",
		"Q: one\n so?\nA: two\n more \nand more":         "one so?|two\nmore\nand more",
		"Q: one?\nQ: two?\nA: three":                     "two?|three",
		"Q: one?\nA: two\nmore\nQ: three?\nA: four\nend": "one?|two\nmore // three?|four\nend",
		"Q: one?":             "",
		"Q:\nA: two":          "",
		"A: two\nQ: one?":     "",
		"So.\nQ: one?\nA: so": "one?|so",
		"問：一？\n答：二":           "一？|二",
		"D: uno?\nR: due":     "uno?|due",
	} {
		s := section("T", 0, text)
		d := &deriver{unit: &units.Unit{Sections: []units.Section{s}}}
		d.pairs(0, s.Blocks[0].Lines)
		if got := d.asked(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if n := len(d.list); n > 0 {
			first, last := d.list[0].Evidence, d.list[n-1].Evidence
			if at := strings.TrimSpace(text[last.Start:last.End]); !strings.HasSuffix(text, at) || n > 1 && first.End != last.Start {
				t.Errorf("%q: the last stands at %q", text, at)
			}
		}
	}
}
