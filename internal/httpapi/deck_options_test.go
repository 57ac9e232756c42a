package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/ankifile"
)

// optioned is a package with a deck of ten cards, one below it of six, and one of four without options; atoms gives their
// atoms by deck.
func optioned(t *testing.T, user string) (file string, atoms map[string][]string) {
	t.Helper()
	var items []anki.Item
	for deck, n := range map[string]int{"French": 10, "French::Verbs": 6, "Maths": 4} {
		for i := range n {
			items = append(items, anki.Item{AtomID: fmt.Sprint(deck, i), Deck: deck, Front: fmt.Sprintf("What is %s number %d?", deck, i), Back: fmt.Sprintf("answer %d", i), Created: time.Date(2025, 1, 1, 4, 0, i, 0, time.UTC)})
		}
	}
	c := anki.Build(items, time.Date(2025, 1, 1, 4, 0, 0, 0, time.UTC))
	c.Schema = 11
	names := map[int64]string{}
	for i := range c.Decks {
		d := &c.Decks[i]
		names[d.ID] = d.Name
		conf := map[string]int{"French": 10, "French::Verbs": 11, "Maths": 12}[d.Name]
		d.Raw = json.RawMessage(fmt.Sprintf(`{"id":%d,"name":%q,"mod":0,"usn":0,"dyn":0,"conf":%d}`, d.ID, d.Name, conf))
	}
	c.Options = []anki.Options{
		{ID: 10, Name: "few", Raw: json.RawMessage(`{"id":10,"name":"few","mod":0,"usn":0,"new":{"perDay":3},"rev":{"perDay":2},"desiredRetention":0.95}`)},
		{ID: 11, Name: "one", Raw: json.RawMessage(`{"id":11,"name":"one","mod":0,"usn":0,"new":{"perDay":1},"rev":{"perDay":200},"desiredRetention":0.9}`)},
		{ID: 12, Name: "none", Raw: json.RawMessage(`{"id":12,"name":"none","mod":0,"usn":0}`)},
	}
	atoms = map[string][]string{}
	for i := range c.Cards {
		atoms[names[c.Cards[i].Deck]] = append(atoms[names[c.Cards[i].Deck]], graph.AtomID(user, anki.DocumentID(&c.Notes[i], 0)+"::"))
	}
	var b bytes.Buffer
	if err := ankifile.Write(t.Context(), &b, &c, ankifile.FormatOf(&c), t.TempDir(), nil); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), atoms
}

// The options of an imported deck act on its cards: how many are begun and reviewed a day, and at which recall they are due.
// What is put in focus is not bound, and a learner may choose not to follow them.
func TestDeckOptionsAct(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		file, atoms := optioned(t, "ada")
		ada.Post(ankiIn, m{"filename": "decks.apkg", "content_base64": file}).OK(t)
		want(t, ada.Get(retentionPath).OK(t), m{
			"data.deckOptionsFollowed": true, "data.decks.0.deck": "French", "data.decks.0.cards": 16, "data.decks.0.due": 0, "data.decks.0.desiredRetention": 0.95,
			"data.decks.0.newPerDay": 3, "data.decks.0.newToday": 0, "data.decks.0.reviewsPerDay": 2, "data.decks.0.reviewsToday": 0,
			"data.decks.1.deck": "French::Verbs", "data.decks.1.newPerDay": 1, "data.decks.1.reviewsPerDay": 200, "data.decks.1.desiredRetention": 0.9,
		})
		planned := func(body m) map[string]int {
			in := map[string]int{}
			reply := ada.Post("/api/knowledge/session/plan", body).OK(t)
			for deck, list := range atoms {
				for _, id := range list {
					if strings.Contains(string(reply.Body), `"atomId":"`+id+`"`) {
						in[deck]++
					}
				}
			}
			return in
		}
		all := m{"maxActions": 80}
		if in := planned(all); in["French"]+in["French::Verbs"] != 3 || in["French::Verbs"] > 1 || in["Maths"] != 4 {
			t.Errorf("the first plan has %v", in)
		}
		answer := func(ids []string) {
			for _, id := range ids {
				ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": id}, "outcome": "correct"}).OK(t)
			}
		}
		answer(append(atoms["French"][:3:3], atoms["Maths"][0]))
		if in := planned(all); in["French"] > 3 || in["French::Verbs"] != 0 {
			t.Errorf("with three begun the plan has %v", in)
		}
		want(t, ada.Get(retentionPath).OK(t), m{"data.decks.0.newToday": 3, "data.decks.0.reviewsToday": 0, "data.decks.1.newToday": 0})
		if in := planned(m{"focusAtomIds": atoms["French"][5:6], "maxActions": 3}); in["French"] != 1 {
			t.Errorf("what was asked for: %v", in)
		}
		next := func(id string) time.Time {
			for _, n := range ada.Get("/api/knowledge/graph").OK(t).At("data.nodes").([]any) {
				if n := n.(m); n["atomId"] == id {
					at, err := time.Parse(time.RFC3339, fmt.Sprint(n["nextReviewAt"]))
					if err != nil {
						t.Fatal(n)
					}
					return at
				}
			}
			t.Fatal(id)
			return time.Time{}
		}
		french, maths := next(atoms["French"][0]), next(atoms["Maths"][0])
		if !french.Before(maths.Add(-24 * time.Hour)) {
			t.Errorf("due at .95 on %v, at .80 on %v", french, maths)
		}
		want(t, ada.Post(configPath, m{"studySettings": m{"deckOptionsFollowed": false}}).OK(t), m{"data.studySettings.deckOptionsFollowed": false})
		if free := next(atoms["French"][0]); !free.After(french.Add(24 * time.Hour)) {
			t.Errorf("not followed it is due on %v, followed on %v", free, french)
		}
		if in := planned(all); in["French"] < 9 || in["French::Verbs"] != 6 {
			t.Errorf("not followed the plan has %v", in)
		}
		want(t, ada.Get(retentionPath).OK(t), m{"data.deckOptionsFollowed": false, "data.decks.0.newToday": 3})
		ada.Post(configPath, m{"studySettings": m{"deckOptionsFollowed": true}}).OK(t)

		s.Clock.Advance(90 * 24 * time.Hour)
		ada = s.As(t, "ada")
		want(t, ada.Get(retentionPath).OK(t), m{"data.decks.0.newToday": 0, "data.decks.0.due": 3})
		in := m{"maxActions": 80}
		due := 0
		for _, a := range ada.Post("/api/knowledge/session/plan", in).OK(t).At("data.actions").([]any) {
			for _, id := range atoms["French"][:3] {
				if a.(m)["atomId"] == id && a.(m)["id"] == "retrain_plan:quiz:"+id {
					due++
				}
			}
		}
		if due != 2 {
			t.Errorf("%d of three due cards are in the plan, the deck allows two", due)
		}
		answer(atoms["French"][:2])
		want(t, ada.Get(retentionPath).OK(t), m{"data.decks.0.reviewsToday": 2, "data.decks.0.due": 1})
		if strings.Contains(string(ada.Post("/api/knowledge/session/plan", in).OK(t).Body), `"atomId":"`+atoms["French"][2]+`"`) {
			t.Error("a third review is in the plan")
		}
	})
}
