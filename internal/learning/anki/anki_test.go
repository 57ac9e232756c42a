package anki

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unsafe"

	"stoa/internal/learning/graph"
	"stoa/internal/learning/notes"
	"stoa/internal/learning/questions"
)

func sample() *Collection {
	front, back := "{{Front}}", "{{FrontSide}}<hr id=answer>{{Back}}"
	return &Collection{
		Models: []Model{
			{ID: 1, Name: "Basic", Fields: []string{"Front", "Back", "Prerequisites"}, Templates: []Template{{Front: front, Back: back}, {Front: "{{Back}}", Back: "{{FrontSide}}<hr id=answer>{{Front}}"}}},
			{ID: 2, Name: "Cloze", Cloze: true, Fields: []string{"Text", "Extra"}, Templates: []Template{{Front: "{{cloze:Text}}", Back: "{{cloze:Text}}<br>{{#Extra}}{{Extra}}{{/Extra}}{{^Extra}}none{{/Extra}}"}}},
			{ID: 3, Name: "Image Occlusion", Cloze: true, Fields: []string{"Occlusion", "Image", "Header", "Back Extra"}, Templates: []Template{{Front: "{{cloze:Occlusion}}{{Image}}", Back: "{{Image}}"}}},
		},
		Decks: []Deck{{ID: 5, Name: "Algebra::Rings"}, {ID: 9, Name: "Filtered"}},
		Notes: []Note{
			{ID: 1600000000000, GUID: "g/1", Model: 1, Tags: []string{"definition", "leech"}, Fields: []string{"<b>Ring</b>", `A set &amp; two<br>operations \(x\) <img src="ring 1.png"> [sound:ring.mp3]`, "Group"}},
			{ID: 1600000000001, GUID: "g2", Model: 1, Fields: []string{"Group", "[[Ring]]", ""}},
			{ID: 1600000000002, GUID: "c", Model: 2, Fields: []string{"The {{c1::mitochondrion::organelle}} makes {{c2::ATP}} in the {{c1::cell}}; {{c3::outer {{c2::inner}}}}.", ""}},
			{ID: 1600000000003, GUID: "io", Model: 3, Fields: []string{"{{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4:oi=1}}<br>{{c2::image-occlusion:ellipse:left=.5:top=.5:rx=.1:ry=.2:oi=1}}", `<img src="heart.png">`, "The heart", "see page 4"}},
			{ID: 1600000000004, Model: 77, Fields: nil},
		},
		Cards: []Card{
			{ID: 1, Note: 1600000000000, Deck: 9, OriginalDeck: 5},
			{ID: 2, Note: 1600000000000, Ord: 1, Deck: 5, Queue: Suspended},
			{ID: 3, Note: 1600000000001, Deck: 5},
			{ID: 4, Note: 1600000000002, Deck: 5},
			{ID: 5, Note: 1600000000002, Ord: 1, Deck: 5},
			{ID: 6, Note: 1600000000003, Deck: 5},
			{ID: 7, Note: 1600000000003, Ord: 1, Deck: 5},
			{ID: 8, Note: 1600000000004},
		},
	}
}

func TestEveryCardIsAQuestion(t *testing.T) {
	cards, err := Cards(t.Context(), sample(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if len(cards) != 7 {
		t.Fatalf("%d cards", len(cards))
	}
	ids := map[string]bool{}
	for i := range cards {
		ids[cards[i].Document.ID], ids[cards[i].Question.ID] = true, true
	}
	if len(ids) != 14 {
		t.Errorf("ids are not distinct: %v", ids)
	}
	ring, back := cards[0], cards[1]
	if ring.Document.ID != "anki:g/1" || ring.Document.Path != "Algebra/Rings/anki:g_1.md" || ring.Document.Given().Title != "Ring" || ring.Question.Deck != "Algebra::Rings" {
		t.Errorf("%+v %+v", ring.Document, ring.Question)
	}
	if q := ring.Question; q.Prompt != "Ring" || !strings.Contains(q.Expected(), "operations $x$ ![](<ring 1.png>) ![](<ring.mp3>)") || len(q.Media) != 2 || q.State != questions.Active || q.Origin != questions.Imported {
		t.Errorf("%+v", q)
	}
	if q := back.Question; !strings.HasPrefix(q.Prompt, "A set & two") || q.Expected() != "Ring" || q.State != questions.Suspended {
		t.Errorf("%+v", q)
	}
	first, second := cards[3].Question, cards[4].Question
	if first.Prompt != "The ____ (organelle) makes ATP in the ____; outer inner." || first.Kind != questions.Gaps || strings.Join(first.Answer.Items, "|") != "mitochondrion|cell" {
		t.Errorf("%+v", first)
	}
	if second.Prompt != "The mitochondrion makes ____ in the cell; outer ____." || strings.Join(second.Answer.Items, "|") != "ATP|inner" || !strings.HasSuffix(second.Explanation, "none") {
		t.Errorf("%+v", second)
	}
	if title := cards[3].Document.Given().Title; strings.Contains(title, "mitochondrion") {
		t.Errorf("the answer stands in the title %q", title)
	}
	io := cards[6].Question
	if io.Kind != questions.Occlusion || io.Picture != "heart.png" || io.Prompt != "The heart" || io.Explanation != "see page 4" || len(io.Shapes) != 2 || io.Shapes[0].Asked || !io.Shapes[1].Asked || io.Shapes[1].Width != .2 {
		t.Errorf("%+v", io)
	}
	var docs []graph.Document
	for i := range cards {
		docs = append(docs, cards[i].Document)
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

func TestNamesOfMedia(t *testing.T) {
	for name, want := range map[string]bool{"a.png": true, "漢 字.mp3": true, "../x": false, "a/b.png": false, `a\b.png`: false, "": false, "..": false, "https://x": false, "x\x00.png": false, "-rf": false, strings.Repeat("a", 300): false} {
		if MediaName(name) != want {
			t.Errorf("%q", name)
		}
	}
	if got := Plain(`x <img src="https://evil.example/a.png"><script>bad()</script><style>p{}</style> y`); got != "x  y" {
		t.Errorf("%q", got)
	}
}

func TestObservations(t *testing.T) {
	c := &Collection{
		Notes: []Note{{ID: 1, GUID: "g"}}, Cards: []Card{{ID: 2, Note: 1}, {ID: 4, Note: 1, Ord: 1}, {ID: 3, Note: 99}},
		Reviews: []Review{{ID: 2000, Card: 2, Ease: 3, Interval: 4, LastInterval: -600, Millis: 1500, Type: 1}, {ID: 1000, Card: 4, Ease: 1, Type: 0}, {ID: 3000, Card: 2, Ease: 0, Type: 4}, {ID: 4000, Card: 3, Ease: 3}, {ID: 5000, Card: 8, Ease: 3}},
	}
	got := Observations(c)
	if len(got) != 2 || got[0].Grade != 1 || got[0].DocumentID != "anki:g 1" || got[1].DocumentID != "anki:g" || got[1].Interval != 4*24*time.Hour || got[1].LastInterval != 10*time.Minute || got[1].Took != 1500*time.Millisecond {
		t.Errorf("%+v", got)
	}
}

// A log says what the observations say, each row of it in 24 bytes.
func TestLogOf(t *testing.T) {
	c := &Collection{Notes: []Note{{ID: 1, GUID: "g"}, {ID: 2, GUID: "h"}}, Cards: []Card{{ID: 20, Note: 1}, {ID: 21, Note: 1, Ord: 1}, {ID: 22, Note: 2}, {ID: 23, Note: 9}}}
	for i := range int64(400) {
		c.Reviews = append(c.Reviews, Review{ID: (i * 7919 % 400) * 1001, Card: 20 + i%5, Ease: i % 6, Millis: i * i * i * 31, Type: i % 6})
	}
	log := LogOf(c)
	var got []Logged
	for o := range log.Each() {
		got = append(got, o)
	}
	want := Observations(c)
	if len(got) != len(want) || log.Len() != len(want) || len(want) < 100 {
		t.Fatalf("%d answers, %d observations", len(got), len(want))
	}
	for i, o := range want {
		if g := got[i]; g.DocumentID != o.DocumentID || g.Card != o.Card || !g.At().Equal(o.At) || g.Grade() != o.Grade || g.Took() != o.Took {
			t.Errorf("%d: %+v, %+v", i, g, o)
		}
	}
	if n := unsafe.Sizeof(logRow{}); n != 24 {
		t.Errorf("a row takes %d bytes", n)
	}
}

// TestMerge: what is newer stays, nothing is removed, ids that are taken are moved, and due days follow the day they count
// from.
func TestMerge(t *testing.T) {
	kept := Collection{
		Col: Header{Created: 86400 * 100}, Models: []Model{{ID: 1, Name: "old", Modified: 5}}, Notes: []Note{{ID: 10, GUID: "a", Modified: 5, Fields: []string{"new"}}, {ID: 11, GUID: "b", Modified: 5, Fields: []string{"old"}}},
		Cards:   []Card{{ID: 20, Note: 10, Modified: 5, Type: 2, Queue: 2, Due: 7}, {ID: 21, Note: 11, Modified: 5, Type: 2, Queue: 2, Due: 7}},
		Reviews: []Review{{ID: 1000, Card: 20, Ease: 3}, {ID: 1001, Card: 21, Ease: 1}},
	}
	in := Collection{
		Col: Header{Created: 86400 * 103}, Models: []Model{{ID: 1, Name: "new", Modified: 6}}, Notes: []Note{{ID: 77, GUID: "a", Modified: 4, Fields: []string{"old"}}, {ID: 11, GUID: "b", Modified: 6, Fields: []string{"new"}}, {ID: 10, GUID: "c", Modified: 1}},
		Cards:   []Card{{ID: 30, Note: 77, Modified: 4}, {ID: 21, Note: 11, Modified: 6, Type: 2, Queue: 2, Due: 9}, {ID: 20, Note: 10, Modified: 1}},
		Reviews: []Review{{ID: 1000, Card: 30, Ease: 3}, {ID: 1001, Card: 20, Ease: 4}, {ID: 2000, Card: 21, Ease: 2}},
	}
	m := Merge(kept, in)
	if m.Models[0].Name != "new" || len(m.Notes) != 3 || m.Notes[0].Fields[0] != "new" || m.Notes[1].GUID != "b" && m.Notes[2].GUID != "b" || len(m.Cards) != 3 {
		t.Fatalf("%+v", m)
	}
	for _, k := range m.Cards {
		if k.ID == 21 && k.Due != 12 || k.ID == 20 && k.Due != 7 {
			t.Errorf("%+v", k)
		}
	}
	if len(m.Reviews) != 4 { // 1000 is the same one; 1001 is another card's
		t.Errorf("%+v", m.Reviews)
	}
	again := Merge(m, in)
	if len(again.Reviews) != 4 || len(again.Notes) != 3 || len(again.Cards) != 3 {
		t.Errorf("a second time: %d notes, %d cards, %d reviews", len(again.Notes), len(again.Cards), len(again.Reviews))
	}
}

// TestLearn: answers are added once, and only their card changes.
func TestLearn(t *testing.T) {
	at := time.UnixMilli(86400*1000*110 + 5)
	c := &Collection{
		Col: Header{Created: 86400 * 100}, Cards: []Card{{ID: 1, Type: 2, Queue: 2, Interval: 3, Due: 8, Factor: 2300, Data: `{"dr":0.9}`}, {ID: 2, Queue: Suspended}, {ID: 3}},
		Reviews: []Review{{ID: 5, Card: 1, Ease: 3}},
	}
	yes, no := true, false
	learned := map[int64]Learned{
		1: {Answers: []Answer{NewAnswer(time.UnixMilli(5), 3, 0), NewAnswer(at, 3, 2*time.Second)}, Stability: 6.4, Difficulty: 5},
		2: {Suspended: &no}, 3: {Suspended: &yes},
	}
	if n := Learn(c, learned); n != 3 || len(c.Reviews) != 2 {
		t.Fatal(n, c.Reviews)
	}
	if k := c.Cards[0]; k.Interval != 6 || k.Due != 16 || k.Reps != 1 || k.USN != -1 || !strings.Contains(k.Data, `"dr":0.9`) || !strings.Contains(k.Data, `"s":6.4`) {
		t.Errorf("%+v", k)
	}
	if r := c.Reviews[1]; r.ID != at.UnixMilli() || r.LastInterval != 3 || r.Interval != 6 || r.Millis != 2000 || r.Type != Reviewing || r.Factor != 2300 {
		t.Errorf("%+v", r)
	}
	if c.Cards[1].Queue != 0 || c.Cards[2].Queue != Suspended {
		t.Errorf("%+v", c.Cards)
	}
	if n := Learn(c, learned); n != 0 || len(c.Reviews) != 2 {
		t.Errorf("a second time: %d cards, %d reviews", n, len(c.Reviews))
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
	back := Observations(&c)
	if len(back) != 2 || back[0].Interval != history[0].Interval || back[1].LastInterval != history[1].LastInterval || back[1].Grade != 1 {
		t.Errorf("%+v", back)
	}
}

func FuzzCard(f *testing.F) {
	f.Add("<b>a</b>{{c1::x::y}}{{c", "{{#Front}}{{cloze:Front}}{{/Front}}")
	f.Add("{{c1::image-occlusion:rect:left=nan}}<img src='a'>", "{{^x}}{{FrontSide}}{{")
	f.Fuzz(func(t *testing.T, text, template string) {
		c := &Collection{
			Models: []Model{{ID: 1, Fields: []string{"Front", "Back"}, Templates: []Template{{Front: template, Back: template}}}, {ID: 2, Cloze: true, Fields: []string{"Front", "Back"}, Templates: []Template{{Front: template, Back: template}}}},
			Notes:  []Note{{ID: 1, Model: 1, Fields: []string{text, text}}, {ID: 2, Model: 2, Fields: []string{text, text}}}, Cards: []Card{{Note: 1}, {Note: 2, Ord: 1}},
		}
		if list, err := Cards(t.Context(), c, 1<<20); err == nil && len(list) != 2 || err != nil && !errors.Is(err, ErrTooMuch) {
			t.Error(len(list), err)
		}
	})
}
