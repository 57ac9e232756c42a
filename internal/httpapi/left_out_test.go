package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/learning/anki"
	"stoa/internal/platform/ankifile"
)

const leftOutPath = "/api/knowledge/left-out"

// What is left out is told with why, can be included, stays so at the next ingest, and can be left to the rules again.
func TestWhatIsLeftOutCanBeTakenIn(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ingest := func(more string) {
			ada.Post("/api/knowledge/ingest", m{"documents": []m{
				{"id": "tpl", "path": "Templates/book.md", "text": "# Book\n\nA book is a set of pages that are bound on one side, with a cover.\n" + more},
				{"id": "groups", "path": "groups.md", "text": "# Groups\n\nA group is a set with an associative operation, an identity and inverses." + more + "\n"},
				{"id": "index", "path": "index.md", "text": "- [[Groups]]\n- [[Book]]\n"},
			}}).OK(t)
		}
		ingest("")
		tpl, groups := apitest.Atom("ada", "tpl"), apitest.Atom("ada", "groups")
		learned := func(id string) bool {
			return strings.Contains(string(ada.Get("/api/knowledge/graph", "limit", "2000").OK(t).Body), id)
		}
		item := func(id string) m {
			for _, one := range ada.Get(leftOutPath).OK(t).At("data.items").([]any) {
				if one := one.(map[string]any); one["atomId"] == id {
					return one
				}
			}
			return nil
		}
		if learned(tpl) || !learned(groups) {
			t.Fatal("the template is learned, or the note is not")
		}
		if got := item(tpl); got["reason"] != "template" || got["choice"] != "automatic" || got["sourcePath"] != "Templates/book.md" || !strings.Contains(fmt.Sprint(got["excerpt"]), "set of pages") {
			t.Errorf("%v", got)
		}
		want(t, ada.Post(leftOutPath, m{"atomId": tpl, "choice": "learn"}).OK(t), m{"data.before": "automatic", "data.learned": true})
		want(t, ada.Post(leftOutPath, m{"atomId": groups, "choice": "leave"}).OK(t), m{"data.before": "automatic", "data.learned": false})
		for _, when := range []string{"at once", "after an ingest"} {
			if !learned(tpl) || learned(groups) {
				t.Errorf("%s: the choices do not hold", when)
			}
			if in, out := item(tpl), item(groups); in["choice"] != "learn" || in["reason"] != "" || out["choice"] != "leave" || out["reason"] != "chosen" {
				t.Errorf("%s: %v %v", when, in, out)
			}
			ingest("\nA sentence that was added later says a little more of it.\n")
		}
		all := ada.Get(leftOutPath, "limit", "1").OK(t)
		n := all.Int("data.total")
		seen := map[string]bool{}
		for cursor := "-"; cursor != ""; {
			page := ada.Get(leftOutPath, "limit", "1", "cursor", strings.TrimPrefix(cursor, "-")).OK(t)
			seen[page.Str("data.items.0.atomId")] = true
			cursor = page.Str("data.next_cursor")
		}
		if len(seen) != n || n < 3 {
			t.Errorf("%d pages of %d", len(seen), n)
		}
		want(t, ada.Get(leftOutPath, "documentId", "tpl").OK(t), m{"data.total": 1, "data.items.0.documentId": "tpl"})
		// Undone by what was before, and again by the next.
		want(t, ada.Post(leftOutPath, m{"atomId": tpl, "choice": "automatic"}).OK(t), m{"data.before": "learn", "data.learned": false})
		want(t, ada.Post(leftOutPath, m{"atomId": groups, "choice": "automatic"}).OK(t), m{"data.before": "leave", "data.learned": true})
		if learned(tpl) || !learned(groups) {
			t.Error("not as before")
		}
		s.As(t, "bob").Post(leftOutPath, m{"atomId": tpl, "choice": "learn"}).Want(t, 422, "invalid_request")
		ada.Post(leftOutPath, m{"atomId": limits, "choice": "leave"}).Want(t, 422, "invalid_request") // shared notes are not one's own
		ada.Get(leftOutPath, "cursor", "!").Want(t, 400, "invalid_cursor")
	})
}

// The versions of a question are shown and come back; what came with a flag of Anki's has it.
func TestVersionsOfAQuestionComeBack(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		const versions = "/api/knowledge/questions/versions"
		own := ada.Post(questions, m{"atomId": limits, "prompt": "What is a limit?", "accepted": []string{"what a sequence comes near to"}}).OK(t)
		id := own.Str("data.questionId")
		want(t, ada.Get(versions, "questionId", id).OK(t), m{"data.items": []any{}})
		ada.Post(questions, m{"questionId": id, "prompt": "What do we call a limit?", "explanation": "By epsilon."}).OK(t)
		s.Clock.Advance(1e9)
		ada.Post(questions, m{"questionId": id, "accepted": []string{"the value", "that value"}, "state": "suspended"}).OK(t)
		list := ada.Get(versions, "questionId", id).OK(t)
		want(t, list, m{
			"data.questionId": id, "data.items.0.version": 2, "data.items.0.prompt": "What do we call a limit?", "data.items.0.explanation": "By epsilon.", "data.items.1.version": 1,
			"data.items.1.prompt": "What is a limit?", "data.items.1.accepted": []any{"what a sequence comes near to"}, "data.items.1.expected": "what a sequence comes near to", "data.items.1.explanation": "",
		})
		back := ada.Post(questions, m{"questionId": id, "restoreVersion": 1}).OK(t)
		want(t, back, m{"data.prompt": "What is a limit?", "data.accepted": []any{"what a sequence comes near to"}, "data.explanation": "", "data.state": "suspended", "data.version": 4})
		again := ada.Post(questions, m{"questionId": id, "restoreVersion": 3}).OK(t) // taken back
		want(t, again, m{"data.accepted": []any{"the value", "that value"}, "data.version": 5})
		ada.Post(questions, m{"questionId": id, "restoreVersion": 9}).Want(t, 422, "invalid_request")
		want(t, s.As(t, "bob").Get(versions, "questionId", id).OK(t), m{"data.items": []any{}})

		deck, _ := readPackage(t, capitals)
		deck.Cards[0].Flags = 3
		ada.Post(ankiIn, m{"content_base64": repacked(t, &deck)}).OK(t)
		if n := s.Count(t, "question WHERE owner = 'ada' AND flag = 3"); n != 1 {
			t.Errorf("%d cards have the flag", n)
		}
	})
}

// repacked writes a collection as a package without media.
func repacked(t *testing.T, c *anki.Collection) string {
	t.Helper()
	var b bytes.Buffer
	bare := *c
	bare.Media = nil
	if err := ankifile.Write(t.Context(), &b, &bare, ankifile.FormatOf(c), t.TempDir(), nil); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}
