package httpapi_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/platform/store"
)

// Members who agree share how hard notes of everybody are: ten first answers make a figure that the next one's estimate begins with.
// Nobody else gives or is given anything; switching it off, taking a session back and erasure each remove what was given.
func TestDifficultyIsShared(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		atom := apitest.Atom("", "limits")
		write(t, s, func(tx *store.Tx) error { // the same noise whenever this runs
			_, err := tx.SharingKey("difficulty", []byte("secret"))
			return err
		})
		as := func(name string) *apitest.Client {
			write(t, s, func(tx *store.Tx) error { return tx.AddAccount(name, "") })
			return s.As(t, name)
		}
		share := func(c *apitest.Client, on bool) {
			c.Post(configPath, m{"studySettings": m{"difficultyShared": on}}).OK(t)
		}
		answer := func(c *apitest.Client, id, outcome string) *apitest.Reply {
			return c.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": id}, "outcome": outcome}).OK(t)
		}
		given := func(where string) int { return s.Count(t, "shared_answer"+where) }
		told := func(user string) int {
			of, ofQuestion := "observation WHERE user_id = '"+user+"' AND prior_variance > 0", "observation WHERE user_id = '"+user+"' AND question_prior_variance > 0"
			n := s.Count(t, of)
			if m := s.Count(t, ofQuestion); m != n {
				t.Errorf("%s was told %d times of notes and %d times of questions", user, n, m)
			}
			return n
		}
		lone := as("lone")
		answer(lone, atom, "correct")
		if given("") != 0 {
			t.Fatal("something is shared by somebody who did not agree")
		}
		members := make([]*apitest.Client, 12)
		for i := range members {
			name := fmt.Sprintf("member%d", i)
			members[i] = as(name)
			want(t, members[i].Get(configPath).OK(t), m{"data.studySettings.difficultyShared": false})
			share(members[i], true)
			answer(members[i], atom, "fail")
			answer(members[i], atom, "correct") // not a first answer
			if want := i / 10; told(name) != want {
				t.Errorf("%s, after %d others, was told %d times", name, i, told(name))
			}
			if difference, n, err := s.Home(t, name).CheckLearner(t.Context(), name); err != nil || difference != "" || n != 2 {
				t.Errorf("%s: %q of %d, %v", name, difference, n, err)
			}
		}
		if given("") != 24 || given(" WHERE was_right = 1") != 0 { // the note and its question, each
			t.Fatalf("%d shared, %d right", given(""), given(" WHERE was_right = 1"))
		}
		// What twelve answered wrongly is harder: a right answer to it shows less than to somebody who is told nothing.
		late := as("late")
		share(late, true)
		answer(late, atom, "correct")
		if told, not := mastery(t, late, atom), mastery(t, lone, atom); told > not-.02 {
			t.Errorf("it is shown as %.3f to who is told and as %.3f to who is not", told, not)
		}
		late.Post("/api/knowledge/ingest", m{"documents": []m{{"id": "own", "path": "own.md", "text": "# Own\n\nA note of my own.\n"}}}).OK(t)
		answer(late, apitest.Atom("late", "own"), "correct")
		if given(" WHERE user_id = 'late'") != 2 {
			t.Error("an answer to a note of one's own was shared")
		}
		// A question that a member changed is another than that of the others.
		changed := late.Get(questions, "atomId", apitest.Atom("", "series")).OK(t).Str("data.items.0.questionId")
		late.Post(questions, m{"questionId": changed, "atomId": apitest.Atom("", "series"), "prompt": "What does my own question ask?"}).OK(t)
		late.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": apitest.Atom("", "series"), "questionId": changed}, "outcome": "correct"}).OK(t)
		if given(" WHERE user_id = 'late'") != 3 || given(" WHERE subject_id = '"+changed+"'") != 0 {
			t.Error("an answer to a question of one's own was shared")
		}
		late.Post(undoPath, m{}).OK(t)
		late.Post(undoPath, m{}).OK(t)
		late.Post(undoPath, m{}).OK(t)
		if given(" WHERE user_id = 'late'") != 0 {
			t.Error("an answer that was taken back is still shared")
		}
		// Without three of them it is told to nobody; nor to who does not share.
		share(members[0], false)
		if given(" WHERE user_id = 'member0'") != 0 {
			t.Error("what was shared stays when a member no longer shares")
		}
		answer(members[0], apitest.Atom("", "series"), "correct")
		if given("") != 22 {
			t.Error("a member who no longer shares still does")
		}
		var export bytes.Buffer
		if _, err := s.App.ExportLearner(t.Context(), "member1", &export); err != nil || !strings.Contains(export.String(), `"table":"shared_answer"`) {
			t.Errorf("the export has nothing of it: %v", err)
		}
		for _, name := range []string{"member1", "member2"} {
			if _, err := s.App.EraseLearner(t.Context(), core.Caller{UserID: "operator"}, name); err != nil {
				t.Fatal(err)
			}
		}
		if given("") != 18 {
			t.Errorf("%d are shared after two were erased", given(""))
		}
		for _, name := range []string{"next", "private"} {
			c := as(name)
			share(c, name == "next")
			if answer(c, atom, "correct"); told(name) != 0 {
				t.Errorf("%s was told what nine answered", name)
			}
		}
	})
}

// mastery is what a learner is shown of an atom.
func mastery(t *testing.T, c *apitest.Client, atomID string) float64 {
	t.Helper()
	for _, n := range c.Get("/api/knowledge/graph").OK(t).At("data.nodes").([]any) {
		if n := n.(m); n["atomId"] == atomID {
			return n["masteryProbability"].(float64)
		}
	}
	t.Fatalf("%s is not in the graph", atomID)
	return 0
}
