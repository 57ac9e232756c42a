package sample_test

import (
	"strings"
	"testing"

	"stoa/internal/learning/notes"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/sample"
	"stoa/internal/learning/units"
)

// Every note of the vault but its table of contents is something to learn, with a question that has an answer; links lead
// to notes of the vault, and the pictures that are shown are there.
func TestTheVaultIsWorthTrying(t *testing.T) {
	for _, locale := range []string{"en-US", "zh-CN", "ja-JP", "xx"} {
		list, files, err := sample.Vault(locale)
		if err != nil || len(list) != 7 || len(files) != 1 {
			t.Fatalf("%s: %d notes, %d files, %v", locale, len(list), len(files), err)
		}
		titles := map[string]bool{}
		for _, n := range list {
			titles[notes.Parse(notes.Source{Path: n.Path, Content: n.Text}).Title] = true
			if !strings.HasPrefix(n.ID, sample.IDs) || len(n.ID) > 128 {
				t.Errorf("the id %s", n.ID)
			}
		}
		var prepared []*units.Prepared
		for _, n := range list {
			doc := notes.Parse(notes.Source{Path: n.Path, Content: n.Text})
			for _, l := range doc.Links {
				if !l.Embed && !titles[l.Target] {
					t.Errorf("%s links to %q", n.Path, l.Target)
				}
			}
			note := units.Note{ID: n.ID, Path: n.Path, Title: doc.Title}
			for i, a := range doc.Atoms {
				if a.Section == i && a.Representation == notes.Text {
					note.Atoms = append(note.Atoms, units.Atom{ID: n.ID + a.Key, Title: a.Title, Depth: len(a.Path), Content: a.Content})
				}
			}
			prepared = append(prepared, units.Prepare(note))
		}
		built := units.Build(prepared, nil)
		if len(built.Units) != 6 {
			t.Errorf("%s: %d units: %v", locale, len(built.Units), built.Left)
		}
		for i := range built.Units {
			if found := questions.Derive(&built.Units[i]); len(found) == 0 {
				t.Errorf("%s: %s has %d questions", locale, built.Units[i].Title, len(found))
			}
		}
	}
}
