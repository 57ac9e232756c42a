package httpapi_test

import (
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/ankifile"
)

const ankiSync = "/api/knowledge/anki/sync"

// What a program beside Anki asks for: rows come in by their ids, answers have one id there, and what was suspended or waits is told.
func TestWhatAnkiIsTold(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		want(t, s.As(t, "bob").Post(ankiSync, m{}).OK(t), m{"data.userId": "bob"})
		want(t, ada.Post(ankiSync, m{}).OK(t), m{"data.cards": 0, "data.reviews": []any{}, "data.more": false})
		c := anki.Collection{
			Col:    anki.Header{Created: 1_700_000_000, Modified: 1_700_000_000_000},
			Models: []anki.Model{{ID: 5, Name: "Basic", Fields: []string{"Front", "Back", "Prerequisites"}, Templates: []anki.Template{{Name: "Card 1", Front: "{{Front}}", Back: "{{FrontSide}}<hr id=answer>{{Back}}"}}}},
			Decks:  []anki.Deck{{ID: 9, Name: "Maths"}},
		}
		atoms := map[int64]string{}
		for i, fields := range [][]string{{"Group", "A set", ""}, {"Ring", "A group", "[[Group]]"}, {"Field", "A ring", "[[Ring]]"}, {"Set", "Things", ""}} {
			n := anki.Note{ID: int64(1_700_000_000_000 + i), Model: 5, Fields: fields, Modified: 10}
			anki.NameByID(&n)
			k := anki.Card{ID: int64(100 + i), Note: n.ID, Deck: 9, Modified: 10}
			if i == 3 {
				k.Queue = anki.Suspended
			}
			c.Notes, c.Cards = append(c.Notes, n), append(c.Cards, k)
			atoms[k.ID] = graph.AtomID("ada", anki.DocumentID(&n, 0)+"::")
		}
		rows := func() *apitest.Reply {
			return ada.Post(ankiIn, m{"content": "rows", "content_base64": apitest.Base64(packed(t, &c, ankifile.Legacy))}).OK(t)
		}
		want(t, rows(), m{"data.newCards": 4, "data.suspended": 1})
		want(t, ada.Post(ankiSync, m{}).OK(t), m{"data.cards": 4, "data.waiting": []any{101, 102}, "data.suspend": []any{}, "data.free": []any{}})

		answer := func(outcome string, took int, cards ...int64) {
			t.Helper()
			for _, card := range cards {
				ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": atoms[card]}, "outcome": outcome, "responseTimeMs": took}).OK(t)
			}
		}
		at := s.Clock.Now().UnixMilli()
		is := func(id int64) float64 { return float64(id) }
		answer("good", 900, 100, 101)
		told := ada.Post(ankiSync, m{}).OK(t)
		want(t, told, m{"data.reviews.0.id": is(at), "data.reviews.1.id": is(at + 1), "data.reviews.0.card": 100, "data.reviews.1.card": 101, "data.reviews.0.ease": 3, "data.reviews.0.millis": 900})
		want(t, ada.Post(ankiSync, m{"after": at}).OK(t), m{"data.reviews.0.id": is(at + 1)})
		// Another review of Anki's has the second id: this one gets the next, and keeps it.
		want(t, ada.Post(ankiSync, m{"taken": []int64{at + 1}, "sent": []int64{at}}).OK(t), m{"data.reviews.0.id": is(at + 2), "data.reviews.0.card": 101})
		want(t, ada.Post(ankiSync, m{"taken": []int64{at}}).OK(t), m{"data.reviews.0.id": is(at + 2)})
		// Anki has both by now, and they come in as what they are: nothing new.
		c.Reviews = []anki.Review{{ID: at, Card: 100, Ease: 3, Millis: 900, Type: 1}, {ID: at + 2, Card: 101, Ease: 3, Millis: 900, Type: 1}, {ID: at - 5000, Card: 100, Ease: 1, Millis: 700}}
		want(t, rows(), m{"data.answers": 1, "data.newCards": 0})
		want(t, rows(), m{"data.answers": 0})
		want(t, ada.Post(ankiSync, m{"sent": []int64{at + 2}}).OK(t), m{"data.reviews": []any{}})

		// Days, grades and times of later answers.
		s.Clock.Advance(48 * time.Hour)
		ada = s.As(t, "ada")
		answer("easy", 1800, 100)
		later := ada.Post(ankiSync, m{}).OK(t)
		want(t, later, m{"data.reviews.0.ease": 4, "data.reviews.0.millis": 1800})
		if later.Int("data.reviews.0.interval") <= told.Int("data.reviews.0.interval") || later.Int("data.reviews.0.dueInDays") <= told.Int("data.reviews.0.dueInDays") {
			t.Errorf("%s\n%s", told.Body, later.Body)
		}

		// What is suspended or freed here is told until Anki has it.
		question := func(card int64, state string) {
			t.Helper()
			id := ada.Get(questions, "atomId", atoms[card]).OK(t).Str("data.items.0.questionId")
			ada.Post(questions, m{"questionId": id, "state": state, "flag": 3}).OK(t)
		}
		question(100, "suspended")
		want(t, ada.Post(ankiSync, m{}).OK(t), m{"data.suspend": []any{100}, "data.free": []any{}})
		want(t, rows(), m{"data.newCards": 0}) // Anki did not change it
		want(t, ada.Post(ankiSync, m{}).OK(t), m{"data.suspend": []any{100}})
		c.Cards[0].Queue, c.Cards[0].Modified = anki.Suspended, 20
		rows()
		want(t, ada.Post(ankiSync, m{}).OK(t), m{"data.suspend": []any{}})
		question(100, "active")
		want(t, ada.Post(ankiSync, m{}).OK(t), m{"data.free": []any{100}})

		// A field that changed in Anki; the flag that was set here goes out with the package.
		c.Notes[1].Fields[1], c.Notes[1].Modified = "A group with a product", 20
		want(t, rows(), m{"data.newCards": 1})
		want(t, ada.Get(questions, "atomId", atoms[101]).OK(t), m{"data.items.0.expected": "A group with a product"})
		out, _ := readPackage(t, ada.Get(ankiOut).OK(t).Body)
		if k := out.Cards[0]; k.Flags != 3 || k.Queue == anki.Suspended {
			t.Errorf("%+v", k)
		}
		// The same deck as a file, with Anki's own GUIDs: the same notes.
		for i := range c.Notes {
			c.Notes[i].GUID, c.Notes[i].Data = string(rune('a'+i)), ""
		}
		want(t, ada.Post(ankiIn, m{"content_base64": apitest.Base64(packed(t, &c, ankifile.Legacy))}).OK(t), m{"data.newCards": 0, "data.answers": 0, "data.summary.changedDocuments": 0})
		if out, _ := readPackage(t, ada.Get(ankiOut).OK(t).Body); len(out.Notes) != 4 || out.Notes[2].GUID != "c" {
			t.Errorf("%+v", out.Notes)
		}
	})
}
