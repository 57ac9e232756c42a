package httpapi_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
)

// strangersNotes are written as people write for Obsidian's plug-in: headings, tags, lists, tables and quotes as cards. Every
// comment has an interval of its own, by which a test knows it again.
var strangersNotes = map[string]string{
	// The heading is the question, the answer is a list, and one card of three has never been asked.
	"v/Splice.md": "---\ntags:\n  - flashcards\n---\n### Delete 2 elements from position 1\n?\n- `.splice(1, 2)`\n<!--SR:!2026-02-20,3,230-->\n\n" +
		"### Insert red and green at position 2\n?\n- `.splice(2, 0, \"red\", \"green\")`\n### `.splice()` and what it takes\n?\n- the starting position\n- how many items to delete\n- the items to insert\n<!--SR:!2026-02-20,4,250-->",
	// Cards are list items, with their comments between them without indentation.
	"v/Complex.md": "---\ntags: [flashcards]\n---\n# Complex numbers\n$\\sqrt{-1}$=::$i$\n<!--SR:!2026-02-20,5,270-->\n\n- Re($z$) =:: $a$\n<!--SR:!2026-02-20,6,250-->\n- Im($z$) =:: $b$\n<!--SR:!2026-02-20,7,250-->\n- $z z^{*}$=::$a^2+b^2$\n\n" +
		"---\n$(a+bi)(c+di)$=\n?\n$$(ac-bd)+i(ad+bc)$$\n<!--SR:!2026-02-20,8,230-->\n",
	// The tag stands behind the heading, or behind the answer.
	"v/Tags.md": "#flashcards\n\n## What is a mutex? #card\nA lock that one thread holds at a time.\n<!--SR:!2025-12-24,9,250-->\n\n## What is a semaphore? #flashcard\n?\nA counter of permits.\n<!--SR:!2026-02-20,10,250-->\n\n" +
		"What is an AMI?::A template for machines #aws #card\n<!--SR:!2026-02-20,11,250-->\n",
	// Comments within lists are indented; a list item below another; numbers; tasks.
	"v/Lists.md": "#flashcards/lists\n\n1. Capital of Peru::Lima\n   <!--SR:!2026-02-20,12,250-->\n2. Capital of Chile::Santiago <!--SR:!2026-02-20,13,250-->\n- Capitals\n\t- Capital of Bolivia::Sucre\n\t  <!--SR:!2026-02-20,14,250-->\n\t- Capital of Ecuador::Quito\n- [ ] Capital of Cuba::Havana\n",
	// A box with three cards, of which one has no schedule yet, code in the answer with an empty line, both directions without an empty line between cards.
	"v/Rest.md": "#flashcards\r\n\r\n> [!note]\r\n> Capital of Spain::Madrid <!--SR:!2026-02-20,15,250-->\r\n> - Capital of Italy::Rome\r\n> <!--SR:!2026-02-20,22,250-->\r\n> - Capital of Norway::Oslo\r\n\r\nIs it `John`?\r\n- [ ] yes\r\n- [ ] no\r\n?\r\nYes: the field is static.\r\n```java\r\nint a = 1;\r\n\r\nint b = 2;\r\n```\r\n<!--SR:!2026-02-20,16,250-->\r\n\r\n" +
		"Full ISR::: all replicas\r\n<!--SR:!2026-02-20,17,310!2026-02-20,18,310-->\r\nPartial ISR::: some replicas\r\nOut of it::behind\r\nIn it::in step\r\n<!--SR:!2026-02-20,19,250-->\r\n",
}

// Each card has a schedule of its own after it was answered, and nothing else of the notes is another. What the plug-in takes for no card
// (dated 2025-12-24) keeps its own.
func TestStrangersNotes(t *testing.T) {
	entries := map[string]int{"v/Splice.md": 3, "v/Complex.md": 5, "v/Tags.md": 3, "v/Lists.md": 5, "v/Rest.md": 10}
	entry := regexp.MustCompile(`!(\d{4}-\d\d-\d\d),(\d+),(\d+)`)
	comment := regexp.MustCompile(`(\r?\n[ \t>]*| )<!--SR:[^>]*-->`)
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ingestNotes(t, ada, strangersNotes)
		if got := writtenBack(t, s, "ada", strangersNotes); fmt.Sprint(got) != fmt.Sprint(strangersNotes) {
			t.Errorf("nothing was answered: %q", got)
		}
		s.Clock.Advance(time.Hour)
		for path := range strangersNotes {
			note := ada.Get("/api/knowledge/note", "documentId", path).OK(t)
			for i := 0; note.At(fmt.Sprintf("data.learned.%d", i)) != nil; i++ {
				atom := note.Str(fmt.Sprintf("data.learned.%d.atomId", i))
				list := ada.Get(questions, "atomId", atom).OK(t)
				for k := 0; list.At(fmt.Sprintf("data.items.%d", k)) != nil; k++ {
					if shown := fmt.Sprint(list.At(fmt.Sprintf("data.items.%d.prompt", k)), list.At(fmt.Sprintf("data.items.%d.expected", k))); strings.Contains(shown, "#") {
						t.Errorf("%s: a tag is asked for: %s", path, shown)
					}
					ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": atom, "questionId": list.Str(fmt.Sprintf("data.items.%d.questionId", k))}, "answer": "x", "outcome": "correct"}).OK(t)
				}
			}
		}
		got := writtenBack(t, s, "ada", strangersNotes)
		for path, text := range strangersNotes {
			if a, b := comment.ReplaceAllString(got[path], ""), comment.ReplaceAllString(text, ""); a != b {
				t.Errorf("%q\nbecame\n%q", text, got[path])
			}
			if strings.Contains(got[path], "2026-02-20") || strings.Count(got[path], "2025-12-24") != strings.Count(text, "2025-12-24") {
				t.Errorf("%s: not the schedules that are to change did: %v", path, entry.FindAllString(got[path], -1))
			}
			if n := len(entry.FindAllString(got[path], -1)); n != entries[path] {
				t.Errorf("%s: %d schedules, want %d: %s", path, n, entries[path], got[path])
			}
		}
		// Notes that have changed since they were read are left alone, and at rest when they are read again.
		for path, again := range writtenBack(t, s, "ada", got) {
			if again != got[path] {
				t.Errorf("not as it was read: %s\nbecame\n%s", got[path], again)
			}
		}
		ingestNotes(t, ada, got)
		for path, again := range writtenBack(t, s, "ada", got) {
			if again != got[path] {
				t.Errorf("not at rest: %s\nbecame\n%s", got[path], again)
			}
		}
	})
}
