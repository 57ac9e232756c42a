package httpapi_test

import (
	"fmt"
	"testing"

	"stoa/internal/apitest"
)

// A sheet to print has every question that is asked of a note, a folder or all of it once, in the order of the notes, whatever the page holds.
func TestQuestionsPageByPage(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		want(t, ada.Get(questions).OK(t), m{"data.folders": []any{"maths"}, "data.next_cursor": ""})
		ingestNotes(t, ada, map[string]string{
			"v/a/One.md":    "Capital of France::Paris\n\nCapital of Italy::Rome\n\nCapital of Spain::Madrid\n",
			"v/a/b/Two.md":  "Capital of Poland::Warsaw\n",
			"v/ab/Three.md": "Capital of Japan::Tokyo\n",
		})
		prompts := func(query ...string) (all []string) {
			for cursor := ""; ; {
				r := ada.Get(questions, append([]string{"cursor", cursor}, query...)...).OK(t)
				for i := 0; r.At(fmt.Sprintf("data.items.%d", i)) != nil; i++ {
					if r.Str(fmt.Sprintf("data.items.%d.origin", i)) == "author" {
						all = append(all, r.Str(fmt.Sprintf("data.items.%d.prompt", i)))
					}
				}
				if cursor = r.Str("data.next_cursor"); cursor == "" {
					return all
				}
			}
		}
		everything := "[Capital of France Capital of Italy Capital of Spain Capital of Poland Capital of Japan]"
		for _, limit := range []string{"1", "2", "3", "200"} {
			if got := fmt.Sprint(prompts("limit", limit)); got != everything {
				t.Errorf("pages of %s: %s", limit, got)
			}
		}
		if got := fmt.Sprint(prompts("folder", "v/a")); got != "[Capital of France Capital of Italy Capital of Spain Capital of Poland]" {
			t.Errorf("a folder: %s", got)
		}
		if got := fmt.Sprint(prompts("documentId", "v/ab/Three.md")); got != "[Capital of Japan]" {
			t.Errorf("a note: %s", got)
		}
		want(t, ada.Get(questions, "folder", "v/none").OK(t), m{"data.items": []any{}, "data.folders": []any{"maths", "v", "v/a", "v/a/b", "v/ab"}})
		for _, cursor := range []string{"!", "AAAA", "YXRtXzEKMA"} {
			ada.Get(questions, "cursor", cursor).Want(t, 400, "invalid_cursor")
		}
		want(t, s.As(t, "bob").Get(questions, "documentId", "v/ab/Three.md").OK(t), m{"data.items": []any{}})

		// What is not asked is not printed.
		one := ada.Get(questions, "documentId", "v/ab/Three.md").OK(t)
		ada.Post(questions, m{"questionId": one.Str("data.items.0.questionId"), "atomId": one.Str("data.items.0.atomId"), "state": "suspended"}).OK(t)
		if got := fmt.Sprint(prompts("documentId", "v/ab/Three.md")); got != "[]" {
			t.Errorf("suspended: %s", got)
		}
	})
}
