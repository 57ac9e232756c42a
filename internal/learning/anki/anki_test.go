package anki

import (
	"testing"
	"time"

	"stoa/internal/learning/graph"
	"stoa/internal/learning/notes"
)

func TestDocuments(t *testing.T) {
	c := Collection{
		Models: []Model{{ID: 1, Fields: []string{"Front", "Back", "Prerequisites"}}},
		Decks:  []Deck{{ID: 5, Name: "Algebra::Rings"}, {ID: 9, Name: "Filtered"}},
		Notes: []Note{
			{ID: 1600000000000, GUID: "g/1", Model: 1, Tags: []string{"definition"}, Fields: []string{"<b>Ring</b>", "A set &amp; two<br>operations \\(x\\) {{c1::with::hint}} laws", "Group"}},
			{ID: 1600000000001, GUID: "g2", Model: 1, Fields: []string{"Group", "[[Ring]]", ""}},
			{ID: 1600000000002, Model: 7, Fields: nil},
		},
		Cards: []Card{{ID: 1, Note: 1600000000000, Deck: 9, OriginalDeck: 5}},
	}
	docs := Documents(c)
	if docs[0].ID != "anki:g/1" || docs[0].Path != "Algebra/Rings/anki:g_1.md" || docs[0].Content != "Ring\n\nA set & two\noperations $x$ with laws\n\nPrerequisites: Group" {
		t.Errorf("%+v", docs[0])
	}
	l := graph.Open("o", nil, nil)
	l.Ingest(graph.Batch{At: time.Unix(1e9, 0), Documents: docs})
	found := false
	for _, e := range l.Edges() {
		found = found || e.Kind == notes.Prerequisite && e.Source == graph.AtomID("o", "anki:g2::") && e.Target == graph.AtomID("o", "anki:g/1::")
	}
	if !found {
		t.Error("the field named Prerequisites says nothing")
	}
}

func TestObservations(t *testing.T) {
	c := Collection{
		Notes: []Note{{ID: 1, GUID: "g"}}, Cards: []Card{{ID: 2, Note: 1, Data: `{"s":12.5,"d":4.2}`}, {ID: 3, Note: 99}},
		Reviews: []Review{{ID: 2000, Card: 2, Ease: 3, Interval: 4, LastInterval: -600, Millis: 1500, Type: 1}, {ID: 1000, Card: 2, Ease: 1, Type: 0}, {ID: 3000, Card: 2, Ease: 0, Type: 4}, {ID: 4000, Card: 3, Ease: 3}, {ID: 5000, Card: 8, Ease: 3}},
	}
	got := Observations(c)
	if len(got) != 2 || got[0].Grade != 1 || got[1].Interval != 4*24*time.Hour || got[1].LastInterval != 10*time.Minute || got[1].Took != 1500*time.Millisecond {
		t.Errorf("%+v", got)
	}
	if s, d, ok := c.Cards[0].Memory(); s != 12.5 || d != 4.2 || !ok {
		t.Error(s, d, ok)
	}
}

func TestBuild(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_000).UTC()
	history := []Observation{{At: at, Grade: 3, Type: Learning, Interval: 10 * time.Minute}, {At: at, Grade: 1, Type: Reviewing, Interval: 24 * time.Hour, LastInterval: 72 * time.Hour}}
	c := Build([]Item{
		{AtomID: "a", Deck: "X", Front: "1 < 2", Back: "yes\nno", Created: at, Due: at.Add(72 * time.Hour), Interval: 48 * time.Hour, Stability: 3, Difficulty: 5, Reviews: history},
		{AtomID: "b", Deck: "X", Front: "b", Created: at},
	}, at)
	if c.Notes[0].ID == c.Notes[1].ID || c.Reviews[0].ID == c.Reviews[1].ID || len(c.Decks) != 1 || c.Notes[0].Fields[0] != "1 &lt; 2" {
		t.Fatalf("%+v", c)
	}
	if card := c.Cards[0]; card.Due != 3 || card.Interval != 2 || card.Lapses != 1 || card.Reps != 2 {
		t.Errorf("%+v", card)
	}
	back := Observations(c)
	if len(back) != 2 || back[0].Interval != history[0].Interval || back[1].LastInterval != history[1].LastInterval || back[1].Grade != 1 {
		t.Errorf("%+v", back)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("<b>a</b>{{c1::x::y}}{{c")
	f.Fuzz(func(_ *testing.T, text string) {
		Documents(Collection{Notes: []Note{{ID: 1, Fields: []string{text, text}}}})
	})
}
