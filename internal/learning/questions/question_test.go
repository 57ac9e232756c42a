package questions

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stoa/internal/learning/units"
)

// A long answer, or one of several lines, is to be explained.
func TestPair(t *testing.T) {
	words := func(n int) string {
		return strings.Join(strings.Fields("membranes keep water salts proteins sugar enzymes inside every living plant cell together always")[:n], " ")
	}
	for answer, want := range map[string]Kind{words(1): Open, words(12): Open, words(13): Explain, "one\ntwo": Explain} {
		q := Pair("Which?", answer)
		if q.Kind != want || q.Rank != 1 || q.State != Active || q.Expected() != answer || want == Explain && answer != "one\ntwo" && len(q.Answer.Points) == 0 || want == Open && q.Answer.Points != nil {
			t.Errorf("%q: %+v", answer, q)
		}
	}
	if a := GapFilled("12 km"); !a.Number || a.Value != 12 || a.Unit != "km" {
		t.Errorf("%+v", a)
	}
}

func TestExpectedIsShown(t *testing.T) {
	for _, c := range []struct {
		kind   Kind
		answer Answer
		want   string
	}{
		{Gaps, Answer{Items: []string{"a", "b"}}, "a; b"},
		{Gaps, Answer{Texts: []string{"t"}}, "t"},
		{Listing, Answer{Items: []string{"a", "b"}}, "a; b"},
		{Listing, Answer{Texts: []string{"t"}}, ""},
		{Order, Answer{Items: []string{"a", "b"}}, "a → b"},
		{Match, Answer{Items: []string{"a"}, Texts: []string{"t"}}, "a"},
		{Open, Answer{Texts: []string{"t", "u"}}, "t"},
		{Explain, Answer{}, ""},
	} {
		if got := (&Question{Kind: c.kind, Answer: c.answer}).Expected(); got != c.want {
			t.Errorf("%s of %+v shows %q", c.kind, c.answer, got)
		}
	}
}

func TestAddedQuestions(t *testing.T) {
	text := "A **cell** is small."
	d := deriver{unit: &units.Unit{ID: "u", Sections: []units.Section{{AtomID: "a", Content: text}, {AtomID: "b", Content: "x"}}}}
	said := Answer{Texts: []string{"A cell is small."}}
	for _, c := range []struct {
		q                Question
		section          int
		from, to         int
		start, end, list int
		shown            string
	}{
		{Question{Kind: Open, Prompt: " What? ", Answer: said}, 0, 2, 6, 2, 6, 1, ""},
		{Question{Kind: Open, Prompt: "What?", Answer: said}, 1, -3, 9, 0, 1, 2, ""},
		{Question{Kind: Open, Prompt: "What?", Answer: said}, 0, 6, 2, 6, 6, 3, ""},
		{Question{Kind: Open, Prompt: " ", Answer: said}, 0, 0, 1, 0, 0, 3, ""},
		{Question{Kind: Open, Prompt: "What?"}, 0, 0, 1, 0, 0, 3, ""},
		{Question{Kind: Explain, Prompt: "What?"}, 0, 0, 20, 0, 20, 4, ""},
		{Question{Kind: Explain, Prompt: "What?", Answer: said}, 0, 0, 20, 0, 20, 5, text},
		{Question{Kind: Explain, Prompt: "What?", Answer: said}, 0, 0, 19, 0, 19, 6, ""},
		{Question{Kind: Explain, Prompt: "What?", Answer: said, Shown: Shown{Answer: "own"}}, 0, 0, 20, 0, 20, 7, "own"},
		{Question{Kind: Open, Prompt: "What?", Answer: said}, 0, 0, 20, 0, 20, 8, ""},
	} {
		before := len(d.list)
		d.add(c.section, c.q, c.from, c.to)
		if len(d.list) != c.list {
			t.Fatalf("%+v: %d questions of %d", c.q, len(d.list), c.list)
		}
		if len(d.list) == before {
			continue
		}
		q := d.list[len(d.list)-1]
		if q.Prompt != "What?" || q.UnitID != "u" || q.State != Active || q.Evidence != (Evidence{d.unit.Sections[c.section].AtomID, c.start, c.end}) || q.Shown.Answer != c.shown || len(q.ID) != 28 {
			t.Errorf("%+v", q)
		}
	}
	if want := []string{"what", "what", "what", "what"}; !slices.Equal(d.explains, want) {
		t.Errorf("explained are %q", d.explains)
	}
	if d.list[0].ID != d.list[1].ID || d.list[0].ID == d.list[4].ID {
		t.Error("an id is that of kind, prompt and answer")
	}
}

// The author's own come first, all of them up to a bound; of those by rule ten, none beyond sixteen, three of a sentence, each prompt once.
func TestChosenQuestions(t *testing.T) {
	choose := func(author, rule, at int) (own, ruled int) {
		d := deriver{}
		for k := range rule {
			d.list = append(d.list, Question{Origin: Rule, Prompt: fmt.Sprint("rule ", k), Rank: 1, Evidence: Evidence{AtomID: "a", Start: k / at}})
		}
		for k := range author {
			d.list = append(d.list, Question{Origin: Author, Prompt: fmt.Sprint("author ", k), Rank: .1})
		}
		for k, q := range d.chosen(true) {
			if q.Origin == Author {
				own++
			} else {
				ruled++
			}
			if (k < author) != (q.Origin == Author) {
				t.Errorf("%s is at %d of %d", q.Prompt, k, author)
			}
		}
		return own, ruled
	}
	for _, c := range []struct{ author, rule, at, own, ruled int }{
		{0, 30, 1, 0, 10}, {5, 30, 1, 5, 10}, {6, 30, 1, 6, 10}, {7, 30, 1, 7, 9}, {16, 30, 1, 16, 0}, {15, 30, 1, 15, 1}, {30, 30, 1, 30, 0}, {2010, 0, 1, 2000, 0}, {0, 3, 9, 0, 3}, {0, 4, 9, 0, 3}, {0, 12, 4, 0, 9},
	} {
		if own, ruled := choose(c.author, c.rule, c.at); own != c.own || ruled != c.ruled {
			t.Errorf("%+v: %d own, %d by rule", c, own, ruled)
		}
	}
	d := deriver{list: []Question{{Prompt: "Low", Origin: Rule, Rank: .2}, {Prompt: "first?", Origin: Rule, Rank: .6}, {Prompt: "First", Origin: Rule, Rank: .5}, {Prompt: "high", Origin: Rule, Rank: .9}, {Prompt: "first", Origin: Author, Rank: .1}}}
	var prompts []string
	for _, q := range d.chosen(true) {
		prompts = append(prompts, q.Prompt)
	}
	if want := []string{"first", "high", "Low"}; !slices.Equal(prompts, want) {
		t.Errorf("%q, want %q", prompts, want)
	}
}

func TestNoAnswerIsTheTitle(t *testing.T) {
	title := newTitle(&units.Unit{Title: "Red-black trees of the Forest"})
	for answer, want := range map[string]bool{"tree": true, "red": true, "the black trees": true, "red-black": true, "forests": true, "red oak": false, "oak": false, "of the": false, "": false} {
		if got := title.has(answer); got != want {
			t.Errorf("%q stands in the title: %v", answer, got)
		}
	}
}

// A card that came from elsewhere is asked by its first field alone; exercises get no questions by rule.
func TestGivenCards(t *testing.T) {
	for text, want := range map[string]string{"Ring\n\nA set with two operations.": "Ring|A set with two operations.", "  Ring\n\nA set.  ": "Ring|A set.", "Field\n\nA set.": "", "Ring\nA set.": "", "Ring": ""} {
		u := &units.Unit{ID: "u", Title: "Ring", Given: true, Sections: []units.Section{{AtomID: "a", Content: text}}}
		var got []string
		for _, q := range Derive(u) {
			if q.Origin == Rule {
				continue // to explain the whole
			}
			got = append(got, q.Prompt+"|"+q.Expected())
			if e := q.Evidence; e.Start != 0 || e.End != len(text) {
				t.Errorf("%q: %+v", text, q)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if list := Derive(&units.Unit{Given: true}); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if list := Derive(&units.Unit{Title: "Ring", Sections: []units.Section{{Title: "Ring"}}}); len(list) != 1 || list[0].Kind != Explain {
		t.Errorf("what has no other question is not to be explained: %+v", list)
	}
	text := "A group is a set with an associative product, a neutral element and inverses."
	for _, c := range []struct{ given, exercises, asked bool }{{false, false, true}, {true, false, false}, {false, true, false}} {
		u := &units.Unit{ID: "u", Title: "Group", Given: c.given, Sections: []units.Section{{AtomID: "a", Title: "Group", Content: text, Blocks: units.Blocks(text), Exercises: c.exercises}}}
		list := Derive(u)
		if got := slices.ContainsFunc(list, func(q Question) bool { return q.Origin == Rule && q.Rank > .5 }); got != c.asked {
			t.Errorf("%+v: %+v", c, list)
		}
	}
}

// bothWays gives the questions of a unit with those that ask the same the other way round.
func bothWays(u *units.Unit) []Question { return derive(u).chosen(false) }

// A term and its meaning are asked one way alone, half of the terms one way and half the other.
func TestOneWay(t *testing.T) {
	var text strings.Builder
	for name, when := range map[string]string{"Tenor": "spring", "Alto": "summer", "Treble": "autumn", "Fugue": "winter", "Hymn": "churches", "Canon": "schools", "Motet": "gardens", "Madrigal": "theatres"} {
		text.WriteString("- **" + name + "**: a piece of music that the choirs of the town sing in " + when + "\n")
	}
	u := unitOf("Music", text.String())
	if both := bothWays(u); len(both) < 10 {
		t.Fatalf("%d both ways", len(both))
	}
	typed, explained := 0, 0
	for _, q := range Derive(u) {
		switch q.Kind {
		case Match:
		case Explain:
			explained++
		default:
			typed++
		}
	}
	if typed+explained != 8 || typed < 2 || explained < 2 {
		t.Errorf("%d typed, %d explained", typed, explained)
	}
}
