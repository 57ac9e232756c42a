package httpapi_test

import (
	"fmt"
	"testing"
	"time"

	"stoa/internal/apitest"
)

// Of two questions of one note, one is always answered right and the other never: what is expected of them parts, an edit leaves that as it
// is, and the log gives the same states again.
func TestEachQuestionHasItsDifficulty(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ingestNotes(t, ada, map[string]string{"Rivers.md": "River of Paris::Seine\n\nRiver of Cairo::Nile\n\nRiver of London::Thames\n"})
		atom := apitest.Atom("ada", "Rivers.md")
		list := func() (ids []string, expected []any) {
			for _, x := range ada.Get(questions, "atomId", atom).OK(t).At("data.items").([]any) {
				ids, expected = append(ids, x.(m)["questionId"].(string)), append(expected, x.(m)["figures"].(m)["expectedCorrect"])
			}
			return ids, expected
		}
		ids, expected := list()
		if fmt.Sprint(expected) != "[<nil> <nil> <nil>]" {
			t.Errorf("before any answer: %v", expected)
		}
		for range 8 {
			s.Clock.Advance(50 * time.Hour)
			ada = s.As(t, "ada")
			ada.Post("/api/knowledge/session/execute", m{
				"sessionPlan": m{"actions": []m{
					{"id": "0", "kind": "quiz", "atomId": atom, "questionId": ids[0], "source": "mastery_path"},
					{"id": "1", "kind": "quiz", "atomId": atom, "questionId": ids[1], "source": "mastery_path"},
				}},
				"outcomesByActionId": m{"0": "correct", "1": "incorrect"},
			}).OK(t)
		}
		_, expected = list()
		if easy, hard := expected[0].(float64), expected[1].(float64); easy < 0.7 || hard > 0.3 || expected[2] != nil {
			t.Errorf("of the one that was always answered right %v is expected, of the other %v, of one without answers %v", easy, hard, expected[2])
		}
		ada.Post(questions, m{"questionId": ids[1], "atomId": atom, "prompt": "Which river does Cairo lie on?"}).OK(t)
		if _, after := list(); after[1] != expected[1] {
			t.Errorf("an edit moved what is expected from %v to %v", expected[1], after[1])
		}
		if difference, n, err := s.Home(t, "ada").CheckLearner(t.Context(), "ada"); err != nil || difference != "" || n != 16 {
			t.Errorf("%q after %d answers, %v", difference, n, err)
		}
		ada.Post("/api/knowledge/session/undo", m{}).OK(t)
		if difference, n, err := s.Home(t, "ada").CheckLearner(t.Context(), "ada"); err != nil || difference != "" || n != 14 {
			t.Errorf("%q after %d answers, %v", difference, n, err)
		}
	})
}
