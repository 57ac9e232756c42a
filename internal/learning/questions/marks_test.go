package questions

import (
	"fmt"
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
