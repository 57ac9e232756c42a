package httpapi_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"stoa/internal/apitest"
)

// A question that is answered right, or wrong, whatever its learner knows of the rest of the note is proposed for retirement with its figures. They
// retire it or keep it, both can be taken back, and so can the session that led to it.
func TestQuestionsThatSayNothingAreProposedForRetirement(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ingestNotes(t, ada, map[string]string{
			"Rivers.md": "River of Paris::Seine\n\nRiver of Cairo::Nile\n\nRiver of London::Thames\n\nRiver of Vienna::Danube\n\nRiver of Rome::Tiber\n",
			"Hills.md":  "Hill of Paris::Montmartre\n\nHill of Rome::Aventine\n\nHill of Athens::Lycabettus\n\nHill of Lisbon::Castelo\n\nHill of Bath::Solsbury\n",
		})
		rivers, hills := apitest.Atom("ada", "Rivers.md"), apitest.Atom("ada", "Hills.md")
		ids := map[string][]string{}
		for _, atom := range []string{rivers, hills} {
			for _, x := range ada.Get(questions, "atomId", atom).OK(t).At("data.items").([]any) {
				ids[atom] = append(ids[atom], x.(m)["questionId"].(string))
			}
		}
		// The first river is never answered right, the first hill always; the others the other way round.
		session := func() {
			s.Clock.Advance(50 * time.Hour)
			ada = s.As(t, "ada") // the session before has ended
			var actions []m
			outcomes := m{}
			for _, atom := range []string{rivers, hills} {
				for k, id := range append(ids[atom][1:len(ids[atom]):len(ids[atom])], ids[atom][0]) {
					odd := id == ids[atom][0]
					name := fmt.Sprint(atom, k)
					actions = append(actions, m{"id": name, "kind": "quiz", "atomId": atom, "questionId": id, "source": "mastery_path"})
					outcomes[name] = map[bool]string{true: "correct", false: "incorrect"}[odd == (atom == hills)]
				}
			}
			ada.Post("/api/knowledge/session/execute", m{"sessionPlan": m{"actions": actions}, "outcomesByActionId": outcomes}).OK(t)
		}
		found := func(atom string) *apitest.Reply { return ada.Get(questions, "atomId", atom).OK(t) }
		proposed := func() int { return len(ada.Get(questions, "retirement", "true").OK(t).At("data.items").([]any)) }
		if proposed() != 0 {
			t.Fatal("proposed without answers")
		}
		sessions := 0
		for ; sessions < 40 && proposed() < 2; sessions++ {
			session()
			if sessions < 3 && proposed() > 0 {
				t.Fatalf("proposed after %d answers", sessions+1)
			}
		}
		if sessions == 40 {
			t.Fatalf("after 40 sessions: %v %v", found(rivers).At("data.items.0"), found(hills).At("data.items.0"))
		}
		of := func(r *apitest.Reply, id string) m {
			for _, x := range r.At("data.items").([]any) {
				if q := x.(m); q["questionId"] == id {
					proposal, _ := q["retirement"].(m)
					return proposal
				}
			}
			t.Fatalf("no question %s", id)
			return nil
		}
		if all := len(ada.Get(questions, "retirement", "false").OK(t).At("data.items").([]any)); all < 10 {
			t.Errorf("%d questions without the filter", all)
		}
		hard, easy := of(found(rivers), ids[rivers][0]), of(found(hills), ids[hills][0])
		if hard["reason"] != "too_hard" || hard["right"] != 0.0 || hard["expected"].(float64) < 1 || easy["reason"] != "too_easy" || easy["right"] != easy["answers"] {
			t.Errorf("%v\n%v", hard, easy)
		}
		for _, id := range append(ids[rivers][1:len(ids[rivers]):len(ids[rivers])], ids[hills][1:]...) {
			for _, atom := range []string{rivers, hills} {
				if slices.Contains(ids[atom], id) && of(found(atom), id) != nil {
					t.Errorf("a good question is proposed: %v", of(found(atom), id))
				}
			}
		}
		save := func(atom string, change m) *apitest.Reply {
			change["questionId"], change["atomId"] = ids[atom][0], atom
			return ada.Post(questions, change).OK(t)
		}
		for _, atom := range []string{rivers, hills} {
			want(t, save(atom, m{"keep": true}), m{"data.retirement.kept": true, "data.version": 0.0})
		}
		if proposed() != 0 {
			t.Error("what is kept is proposed")
		}
		for _, atom := range []string{rivers, hills} {
			want(t, save(atom, m{"keep": false}), m{"data.retirement.kept": false})
		}
		want(t, save(rivers, m{"state": "retired"}), m{"data.state": "retired", "data.retirement": nil})
		if proposed() != 1 {
			t.Error("what is retired is proposed")
		}
		want(t, save(rivers, m{"state": "active"}), m{"data.retirement.reason": "too_hard"})
		// A session that is taken back takes its answers back.
		answers := hard["answers"].(float64)
		session()
		if now := of(found(rivers), ids[rivers][0]); now["answers"] != answers+1 {
			t.Errorf("%v after another answer", now)
		}
		ada.Post("/api/knowledge/session/undo", m{}).OK(t)
		if now := of(found(rivers), ids[rivers][0]); now["answers"] != answers {
			t.Errorf("%v after taking it back", now)
		}
		// Another text is another question.
		want(t, save(rivers, m{"prompt": "Which river flows through Paris?"}), m{"data.retirement": nil, "data.figures.correct": 0.0})
		// Nobody else has a part in it.
		if n := len(s.As(t, "bob").Get(questions, "retirement", "true").OK(t).At("data.items").([]any)); n != 0 {
			t.Errorf("bob is told of %d", n)
		}
	})
}
