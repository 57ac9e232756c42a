package httpapi_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
)

// What is forgotten again and again is called a leech, in the page and in the package for Anki, and no more once the session is taken back.
func TestLeeches(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post(ankiIn, m{"filename": "capitals.apkg", "content_base64": base64.StdEncoding.EncodeToString(capitals)}).OK(t)
		came, _ := readPackage(t, capitals)
		atom := graph.AtomID("ada", anki.DocumentID(&came.Notes[0], 0)+"::")
		card := func() *apitest.Reply { return ada.Get(questions, "atomId", atom).OK(t) }
		id := card().Str("data.items.0.questionId")
		marked := func() (n int) {
			c, _ := readPackage(t, ada.Get(ankiOut).OK(t).Body)
			for i := range c.Notes {
				if slices.Contains(c.Notes[i].Tags, "leech") {
					n++
				}
			}
			return n
		}
		answer := func(outcome string) {
			s.Clock.Advance(2 * time.Minute)
			ada.Post("/api/knowledge/session/execute", m{"sessionPlan": m{"actions": []m{{"actionId": "a", "kind": "quiz", "atomId": atom, "questionId": id, "source": "mastery_path"}}}, "outcomesByAtomId": m{atom: outcome}}).OK(t)
		}
		wrong := 0
		for ; wrong < 30 && card().At("data.items.0.leech") == false; wrong++ {
			if marked() != 0 {
				t.Fatal("marked too early")
			}
			for range 3 {
				answer("good")
			}
			answer("again")
		}
		if wrong < 8 || wrong == 30 || marked() != 1 {
			t.Errorf("a leech after %d wrong answers, %d notes marked", wrong, marked())
		}
		// In Anki's own words it comes back, and stays one.
		out := ada.Get(ankiOut).OK(t).Body
		bob := s.As(t, "bob")
		bob.Post(ankiIn, m{"content_base64": base64.StdEncoding.EncodeToString(out)}).OK(t)
		theirs := bob.Get(questions, "atomId", graph.AtomID("bob", anki.DocumentID(&came.Notes[0], 0)+"::")).OK(t)
		want(t, theirs, m{"data.items.0.leech": true})
		if tags := fmt.Sprint(theirs.At("data.items.0.tags")); tags == fmt.Sprint(card().At("data.items.0.tags")) {
			t.Errorf("tags %s", tags)
		}
		ada.Post("/api/knowledge/session/undo", m{}).OK(t)
		want(t, card(), m{"data.items.0.leech": false})
		if marked() != 0 {
			t.Error("taken back, and still marked")
		}

		// A question of a note is one by its own answers.
		ingestNotes(t, ada, map[string]string{"Capitals.md": "Capital of France::Paris\n\nCapital of Spain::Madrid\n"})
		note := apitest.Atom("ada", "Capitals.md")
		list := ada.Get(questions, "atomId", note).OK(t)
		for range 8 {
			s.Clock.Advance(time.Minute)
			want(t, ada.Get(questions, "atomId", note).OK(t), m{"data.items.0.leech": false})
			ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": note, "questionId": list.Str("data.items.0.questionId")}, "answer": "x", "outcome": "incorrect"}).OK(t)
		}
		want(t, ada.Get(questions, "atomId", note).OK(t), m{"data.items.0.leech": true, "data.items.1.leech": false})
	})
}
