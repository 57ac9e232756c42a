package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/learning/notes"
)

const (
	birdNote   = "# Bird\n\nA bird is an animal with feathers.\n"
	parrotNote = "# Parrot\n\nA parrot is a [[Bird]] that talks.\n"
)

// A model's word weighs what was inferred while both notes are as it read them; it makes nothing, and a member's word wins.
func TestModelWeighsInferredPrerequisites(t *testing.T) {
	atom := func(name string) string { return AtomID("me", name+".md::") }
	bird, parrot := atom("Bird"), atom("Parrot")
	hash := func(l *Library, id string) string { return l.RecordOf(l.DocumentOf(id)).Hash }
	open := func(texts ...string) *Library {
		l := Open("me", nil, nil)
		l.Ingest(Batch{At: now, Documents: docs(texts...)})
		return l
	}
	need := func(l *Library) *Edge {
		t.Helper()
		for _, e := range l.Edges() {
			if e.Kind == notes.Prerequisite {
				return e
			}
		}
		return &Edge{}
	}
	l := open("Bird.md", birdNote, "Parrot.md", parrotNote)
	stated := need(l).Confidence
	if need(l).Source != bird || stated < least {
		t.Fatalf("%+v", need(l))
	}
	texts := TextsOf(hash(l, bird), hash(l, parrot))
	back := TextsOf(hash(l, parrot), hash(l, bird))
	for name, c := range map[string]struct {
		said       Correction
		checked    VerdictKind
		confidence float64
	}{
		"needed":              {Correction{bird, parrot, Confirmed, texts}, Confirmed, stated},
		"needed, asked back":  {Correction{parrot, bird, Reversed, back}, Confirmed, stated},
		"related":             {Correction{bird, parrot, Unrelated, texts}, Unrelated, doubtedByModel},
		"reversed":            {Correction{bird, parrot, Reversed, texts}, Reversed, doubtedByModel},
		"reversed, back":      {Correction{parrot, bird, Confirmed, back}, Reversed, doubtedByModel},
		"unsure":              {Correction{bird, parrot, Unsure, texts}, Unsure, stated},
		"of other texts":      {Correction{bird, parrot, Unrelated, back}, "", stated},
		"of what is not here": {Correction{bird, atom("Owl"), Unrelated, texts}, "", stated},
	} {
		l := open("Bird.md", birdNote, "Parrot.md", parrotNote)
		l.Correct(c.said, now)
		for _, l := range []*Library{l, Open("me", l.Records(), []Correction{c.said})} {
			if e := need(l); e.Source != bird || e.Checked != c.checked || e.Confidence != c.confidence {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}

	said := Correction{bird, parrot, Unrelated, texts}
	l.Correct(said, now)
	if c := l.Ingest(Batch{At: now, Documents: docs("Parrot.md", parrotNote)}); len(c.Edges) != 0 || need(l).Checked != Unrelated {
		t.Errorf("the same note again: %+v", need(l))
	}
	for _, file := range []string{"Parrot.md", "Bird.md"} {
		before := map[string]string{"Parrot.md": parrotNote, "Bird.md": birdNote}[file]
		l.Ingest(Batch{At: now, Documents: docs(file, before+"\nMore.\n")})
		if e := need(l); e.Checked != "" || e.Confidence != stated {
			t.Errorf("%s is another: %+v", file, e)
		}
		l.Ingest(Batch{At: now, Documents: docs(file, before)})
		if need(l).Checked != Unrelated {
			t.Errorf("%s is as it was: %+v", file, need(l))
		}
	}
	l.Correct(Correction{Source: bird, Target: parrot, Verdict: Confirmed}, now)
	if e := need(l); e.Verdict != Confirmed || e.Confidence != 1 || e.Checked != "" {
		t.Errorf("the member's word: %+v", e)
	}
	l.Withdraw(parrot, bird, now)
	if e := need(l); e.Checked != "" || e.Confidence != stated {
		t.Errorf("all taken back: %+v", e)
	}

	// What is written is no model's to weigh.
	l = open("Bird.md", birdNote, "Parrot.md", "# Parrot\n\nRequires: [[Bird]]\n")
	l.Correct(Correction{bird, parrot, Unrelated, TextsOf(hash(l, bird), hash(l, parrot))}, now)
	if e := need(l); e.Provenance != Fact || e.Confidence != sureStated || e.Checked != "" {
		t.Errorf("%+v", e)
	}
}

// One that a model found to be none closes no cycle, and counts in them again when it is put aside.
func TestWhatAModelDeniesClosesNoCycle(t *testing.T) {
	atom := func(name string) string { return AtomID("me", name+".md::") }
	l := Open("me", nil, nil)
	l.Ingest(Batch{At: now, Documents: docs("Bird.md", birdNote+"\nRequires: [[Feather]]\n", "Parrot.md", parrotNote, "Feather.md", "# Feather\n\nRequires: [[Parrot]]\n")})
	if len(l.Cycles()) != 1 {
		t.Fatalf("%+v", l.Cycles())
	}
	want(t, l, notes.Prerequisite, "Feather > Bird fact", "Parrot > Feather fact")
	bird, parrot := atom("Bird"), atom("Parrot")
	said := Correction{bird, parrot, Unrelated, TextsOf(l.hashOf(bird), l.hashOf(parrot))}
	l.Correct(said, now)
	if len(l.Cycles()) != 0 {
		t.Errorf("%+v", l.Cycles())
	}
	want(t, l, notes.Prerequisite, "Bird > Parrot inferred", "Feather > Bird fact", "Parrot > Feather fact")
	again := Open("me", l.Records(), []Correction{said})
	if diff := cmp.Diff(relations(l, notes.Prerequisite), relations(again, notes.Prerequisite)); diff != "" || len(again.Cycles()) != 0 {
		t.Error(diff)
	}
	l.Withdraw(bird, parrot, now)
	if len(l.Cycles()) != 1 {
		t.Errorf("%+v", l.Cycles())
	}
}
