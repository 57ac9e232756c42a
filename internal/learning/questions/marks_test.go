package questions

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/units"
)

// A vault may set other marks for its cards than the plug-in's own; then those are text like any other.
func TestMarksOfAVault(t *testing.T) {
	marks := obsidian.Marks{Line: ">>", LineReversed: "<>", Block: "&&", BlockReversed: "&&&", End: "+++"}
	derive := func(text string, marks obsidian.Marks) []Question {
		p := units.Prepare(units.Note{ID: "n", Path: "n.md", Title: "Cards", Vault: obsidian.Settings{Cards: marks}, Atoms: []units.Atom{{ID: "atm", Title: "Cards", Content: text}}})
		r := units.Build([]*units.Prepared{p}, nil)
		if len(r.Units) != 1 {
			t.Fatalf("%q: %d units", text, len(r.Units))
		}
		return Derive(&r.Units[0])
	}
	for _, c := range []struct{ text, prompt, answer, reversed string }{
		{"Capital of France>>Paris", "Capital of France", "Paris", ""},
		{"- cane <> dog", "cane", "dog", "dog"},
		{"What boils at 100 °C?\n&&\nWater", "What boils at 100 °C?", "Water", ""},
		{"Rome\n&&&\nRoma", "Rome", "Roma", "Roma"},
		{"- red\n- blue\n&&\nThe colours", "red", "The colours", ""},
		{"What is water made of?\n&&\nTwo atoms of hydrogen.\n\nAnd one of oxygen.\n+++\n\nSomething else that is no part of it.", "What is water made of?", "", ""},
	} {
		list := derive(c.text, marks)
		q := find(list, c.prompt)
		if q == nil || q.Origin != Author || c.answer != "" && q.Expected() != c.answer {
			t.Errorf("%q: %+v", c.text, list)
			continue
		}
		if c.answer == "" {
			if whole := strings.Join(q.Answer.Texts, " "); !strings.Contains(whole, "oxygen") || strings.Contains(whole, "+++") || strings.Contains(whole, "else") {
				t.Errorf("%q: %q", c.text, whole)
			}
		}
		if got := find(list, c.reversed); c.reversed != "" && (got == nil || got.Expected() != c.prompt) {
			t.Errorf("%q is not asked the other way round: %+v", c.text, list)
		}
	}
	for _, text := range []string{"Capital of France::Paris, where more than two million people live today.", "What boils at 100 °C?\n?\nWater, as everybody knows who has cooked before."} {
		for _, q := range derive(text, marks) {
			if q.Nth > 0 {
				t.Errorf("%q: %+v", text, q)
			}
		}
	}
	for _, text := range []string{"What is water made of?\n?\nTwo atoms of hydrogen.\n\nAnd one of oxygen.\n\n---\n\nSomething else.", "- Parts of water\n?\n- hydrogen\n\n- oxygen\n---\nSomething else."} {
		q := find(derive(text, obsidian.Marks{End: "---"}), "water")
		if q == nil || !strings.Contains(fmt.Sprint(q.Answer), "oxygen") || strings.Contains(fmt.Sprint(q.Answer), "else") {
			t.Errorf("%q: %+v", text, q)
		}
	}
	if q := find(derive("Capital of France::Paris", obsidian.Marks{Block: "&&"}), "Capital of France"); q == nil || q.Expected() != "Paris" {
		t.Error("a mark that is not set is not the plug-in's own")
	}
}

// A section stands under the last one above it that is less deep; text before the first heading stands under the title.
func TestTreeOfSections(t *testing.T) {
	d := deriver{unit: &units.Unit{Title: "Plants"}}
	for _, s := range []struct {
		title string
		depth int
		text  string
	}{{"", 0, "Text."}, {"Roots", 1, ""}, {"**Tips**", 2, "It grows."}, {"Hairs", 2, ""}, {"Cells", 4, ""}, {"Walls", 3, ""}, {"Leaves", 1, ""}, {"Tips", 2, ""}, {"", 0, ""}, {"Late", 2, ""}} {
		d.unit.Sections = append(d.unit.Sections, units.Section{Title: s.title, Depth: s.depth, Content: s.text, Blocks: units.Blocks(s.text)})
	}
	o := d.sections()
	if want := []int{-1, -1, 1, 1, 3, 3, -1, 6, -1, 6}; !slices.Equal(o.parent, want) {
		t.Errorf("parents %v, want %v", o.parent, want)
	}
	if d.sections() != o || o.titles["tips"] != 2 || o.titles["roots"] != 1 {
		t.Errorf("titles %v", o.titles)
	}
	for g, want := range map[group]int{{-1, 0}: 2, {-1, 1}: 2, {1, 2}: 2, {3, 4}: 1, {3, 3}: 1, {6, 2}: 2} {
		if o.members[g] != want {
			t.Errorf("%+v has %d members, not %d", g, o.members[g], want)
		}
	}
	for i, want := range map[int]string{0: "Plants", 1: "Plants", 2: "Roots", 5: "Hairs", 9: "Leaves"} {
		if got := d.above(i); got != want {
			t.Errorf("%d stands under %q", i, got)
		}
	}
	first := deriver{unit: &units.Unit{Title: "Plants", Sections: []units.Section{{Title: "Roots", Depth: 1}, {Depth: 2}}}}
	if got := first.above(1); got != "Roots" {
		t.Errorf("above is %q", got)
	}
	d.unit.Sections[1].Title = "**Roots**"
	if got := d.above(2); got != "Roots" {
		t.Errorf("above is %q", got)
	}
	if counts := d.count(func(s *units.Section) bool { return s.Depth == 2 }); counts[group{1, 2}] != 2 || counts[group{6, 2}] != 2 || len(counts) != 2 {
		t.Errorf("counts %v", counts)
	}
}

// Sections beside each other are counted when their text begins with a phrase.
func TestSiblings(t *testing.T) {
	d := deriver{unit: &units.Unit{Title: "Plants"}, lang: "en"}
	for _, text := range []string{"A part that holds the plant in the ground.", "", "A part that drinks.", "It is what it is, and it goes on for long."} {
		d.unit.Sections = append(d.unit.Sections, units.Section{Title: "T", Depth: 1, Content: text, Blocks: units.Blocks(text)})
	}
	want := 0
	for i := range d.unit.Sections {
		if text, _, _ := firstText(&d.unit.Sections[i]); text != "" && d.fragment(text) {
			want++
		}
	}
	if got := d.siblings(3); got != want || want == 0 || d.siblings(0) != want {
		t.Errorf("%d siblings of %d", got, want)
	}
}

func TestQuestionMarkOfALanguage(t *testing.T) {
	for lang, w := range wordings {
		want := "?"
		if lang == "zh" || lang == "ja" {
			want = "？"
		}
		if got := w.mark(); got != want {
			t.Errorf("%s: %s", lang, got)
		}
	}
	for text, want := range map[string]bool{"💡 Tip": true, "Tip": true, "tip of the day": true, "Der Tag": false, "week 2": true, "3a lez": true, "Option 2": true, "weird stuff": true, "German": true, "这个环": true, "": true, "!": true, "Ring": false, "3 rings": false, "stuff ring": false, "第3回": true} {
		if got := label(text); got != want {
			t.Errorf("%q is a label: %v", text, got)
		}
	}
}
