package questions

import (
	"strings"
	"testing"

	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/units"
)

func TestBoxesThatAsk(t *testing.T) {
	for text, want := range map[string]string{
		"> [!question] Which of them is it?\n> This":                               "Which of them is it?|This",
		"> [!faq]- Which of them is it?\n> This\n> and that":                       "Which of them is it?|This\nand that",
		"> [!note] Which of them is it?\n> This":                                   "",
		"> [!问题] 它们之中是哪个\n> 这个":                                                    "它们之中是哪个|这个",
		"> [!question] Which of them is it?\n> > This one":                         "Which of them is it?|This one",
		"> [!question] Which of them is it?\n> Think.\n> > [!success] x\n> > This": "Which of them is it?|This",
		"> [!question]\n> Which of them is it?\n> > This one":                      "Which of them is it?|This one",
		"> [!question]\n> Which of them is it?\n> This one":                        "Which of them is it?|This one",
		"> [!question]\n> Those of them are it.\n> This one":                       "",
		"> [!question]\n> Which of them is it?":                                    "",
		"> [!question] Mitochondria\n> Which of them is it?\n> This one":           "Which of them is it?|This one",
		"> [!question] Mitochondria?\n> Which of them is it?\n> This one":          "Mitochondria?|Which of them is it?\nThis one",
		"> [!question] Cells of it\n> Which of them is it?\n> This one":            "Cells of it|Which of them is it?\nThis one",
		"> [!question] ab cdefg\n> Which of them is it?\n> This one":               "Which of them is it?|This one",
		"> [!question] ab cdefgh\n> Which of them is it?\n> This one":              "ab cdefgh|Which of them is it?\nThis one",
		"> [!question] ab cdefg\n> Which of them is it?\n> > This one":             "Which of them is it?|This one",
		"> [!question] ab cdefgh\n> Which of them is it?\n> > This one":            "ab cdefgh|This one",
		"> [!question] Which of them is it?\n> A: This":                            "Which of them is it?|This",
		"> [!question] Which of them is it?\n> Answer: This":                       "Which of them is it?|This",
		"> [!question] Which of them is it?\n> Why is it so? What is it then?":     "",
		"> [!question] Which of them is it?\n> What is it then?":                   "Which of them is it?|What is it then?",
		"> [!question] Which of them is it?\n> Eins::One":                          "Which of them is it?|Eins::One",
		"> [!question] Tip\n> Eins::One":                                           "Eins|One",
		"> [!note] Tip\n> Eins::One":                                               "Eins|One",
		"> Eins::One\n> Zwei ::: Two":                                              "Eins|One // Zwei|Two // Two|Zwei",
		"> - Eins::One\n> * Zwei::Two\n> + Drei::Three":                            "Eins|One // Zwei|Two // + Drei|Three",
		"> So.\n> ```\n> Eins::One\n> ```\n> Zwei::Two":                            "Zwei|Two",
		"> So.\n> ~~~\n> Eins::One\n> ~~~\n> Zwei::Two":                            "Zwei|Two",
		"> > Eins::One":             "Eins|One",
		":::{note}\nEins::One\n:::": "",
	} {
		d := authored(obsidian.Marks{}, section("T", 0, "Text before.\n\n"+text))
		if got := d.asked(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		for _, q := range d.list {
			at := d.unit.Sections[0].Content[q.Evidence.Start:q.Evidence.End]
			if q.Nth == 0 && at != text || q.Nth == 1 && at != strings.TrimPrefix(q.Prompt+strings.TrimPrefix(at, q.Prompt), "> ") || q.Nth > 0 && strings.Contains(at, "\n") {
				t.Errorf("%q: %q stands at %q", text, q.Prompt, at)
			}
		}
	}
	cpp := authored(obsidian.Marks{}, section("T", 0, "```cpp\nint a;\n```\n\n> a::b\n\na::b\n\n- a::b\n\n> [!note]\n> a::b"))
	rest := authored(obsidian.Marks{}, section("T", 0, "```sql\nint a;\n```\n\n> a::b\n\n- b::b\n\n> [!note]\n> c::b"))
	if len(cpp.list) != 0 || len(rest.list) != 3 {
		t.Errorf("%q, %q", cpp.asked(), rest.asked())
	}
	said := strings.Repeat("abcde ", 12) + "."
	for text, want := range map[string]bool{"Why is it so? What is it then?": true, "Why is it so?": false, "": false, "Why is it so? What is it then? " + said: true, "Why is it so? What is it then? A" + said: false, "为什么是这样呢？那是什么呢？": true} {
		if got := onlyAsks(text); got != want {
			t.Errorf("%q only asks: %v", text, got)
		}
	}
}

func TestInlineAnswers(t *testing.T) {
	for text, want := range map[string]string{
		"What is two plus two? Answer: 4": "What is two plus two?|4", "What is two plus two? → 4": "What is two plus two?|4", "What is two plus two? => 4": "What is two plus two?|4", "What is two plus two? **Answer:** 4": "-", "What is two plus two? A:** 4": "What is two plus two?|4", "二加二等于多少呢？答：四": "二加二等于多少呢？|四", "Quanto fa due più due? R: 4": "Quanto fa due più due?|4",
		"What is two plus two? Answer:": "-", "What is two plus two?": "-", "Two plus two. Answer: 4": "-", "So? Answer: 4": "-", "": "-",
	} {
		q, a, ok := inlineAnswer(text)
		if ok != (want != "-") || ok && strings.TrimSpace(q)+"|"+a != want {
			t.Errorf("%q: %q %q %v", text, q, a, ok)
		}
	}
}

// What is asked of a list of exercises, with the section behind it that may have the solutions.
func TestListsOfExercises(t *testing.T) {
	for _, c := range []struct{ text, solutions, want, evidence string }{
		{"1. Which of them is it?\n   - A: this", "", "Which of them is it?|this", "1. Which of them is it?\n   - A: this"},
		{"1. Which of them is it?\n   - this\n   - that\n2. Show that it is so.", "", "Which of them is it?|this\nthat // Show that it is so.|", "1. Which of them is it?\n   - this\n   - that\n"},
		{"1. Show that it is so.\n   - for all\n   - Answer: it is", "", "Show that it is so.\nfor all|it is", "1. Show that it is so.\n   - for all\n   - Answer: it is"},
		{"1. Show all.\n2. Show that it is so.", "", "Show that it is so.|", "2. Show that it is so."},
		{"1. abcdefghijk\n2. abcdefghijkl", "", "abcdefghijkl|", "2. abcdefghijkl"},
		{"1. What is two plus two? Answer: 4\n   - so", "", "What is two plus two?|4", "1. What is two plus two? Answer: 4\n"},
		{"1. Capital of France::Paris", "", "Capital of France|Paris", "1. Capital of France::Paris"},
		{"1. Question: Which of them? Back: This", "", "Which of them?|This", "1. Question: Which of them? Back: This"},
		{"1. Which of them is it?\n2. Show that it is so.", "1. This\n2. So", "Which of them is it?|This // Show that it is so.|So", "1. Which of them is it?\n"},
		{"1. Which of them is it?\n   - this\n2. Show that it is so.", "1. This\n2. So", "Which of them is it?|this // Show that it is so.|So", ""},
		{"1. Which of them is it?\n2. Show all.\n3. Show that it is so.", "1. This\n2. All\n3. So", "Which of them is it?|This // Show that it is so.|So", ""},
		{"1. Which of them is it?\n2. Show that it is so.", "Text.\n\n1. This\n2. So", "Which of them is it?|This // Show that it is so.|So", ""},
		{"1. Which of them is it?\n2. Show that it is so.", "1. This\n   - since\n2. So", "Which of them is it?|This // Show that it is so.|So", ""},
		{"1. Which of them is it?\n2. Show that it is so.", "1. This", "Which of them is it?| // Show that it is so.|", ""},
		{"1. Which of them is it?\n2. Show that it is so.", "1. This\n\nText.\n\n1. One\n2. Two", "Which of them is it?| // Show that it is so.|", ""},
		{"1. Which of them is it?", "- This", "Which of them is it?|", ""},
		{"- Which of them is it?", "- This", "Which of them is it?|This", ""},
	} {
		s := section("T", 0, c.text)
		s.Exercises = true
		all := []units.Section{s}
		if c.solutions != "" {
			next := section("Solutions", 1, c.solutions)
			next.Answer = true
			all = append(all, next)
		}
		d := authored(obsidian.Marks{}, all...)
		if got := d.asked(); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
			continue
		}
		q := d.list[0]
		if at := c.text[q.Evidence.Start:q.Evidence.End]; c.evidence != "" && at != c.evidence {
			t.Errorf("%q stands at %q", q.Prompt, at)
		}
		for _, q := range d.list {
			if open := q.Expected() == ""; open != (q.Kind == Explain && q.Rank == .6) {
				t.Errorf("%+v", q)
			}
		}
	}
	plain := section("T", 0, "1. Which of them is it?")
	plain.Exercises = true
	if got := authored(obsidian.Marks{}, plain, section("Solutions", 1, "1. This")).asked(); got != "Which of them is it?|" {
		t.Errorf("a section that answers nothing answers: %q", got)
	}
	if got := authored(obsidian.Marks{}, section("T", 0, "1. Which of them is it?")).asked(); got != "" {
		t.Errorf("a list that is no exercise asks: %q", got)
	}
}
