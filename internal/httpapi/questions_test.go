package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
)

const fieldNote = `Tags: #Definition
Date Created: 2024-05-06 10:00:00

A ring is said to be a **field** if it is a commutative [[domain]] in which every element other than zero has an inverse.

` + "The rational numbers, the real numbers and the complex numbers are the examples that everybody meets first, and the integers are not one of them since two has no inverse there. Of each prime there is one with that many elements, and of each power of it as well, which is unique up to isomorphism. None of these last words is part of the first bytes of the note." + `

%% a comment of mine %%
Unit of charge::coulomb
`

// A session asks a question of the note, shows the note whole, and judges the answer by the question.
func TestQuestionsOfANote(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post("/api/knowledge/ingest", m{"documents": []m{{"documentId": "field", "sourcePath": "Field.md", "content": fieldNote}, {"documentId": "moc", "sourcePath": "MOC.md", "content": "#MOC\n- [[Field]]\n- [[Domain]]\n- [[Ring]]\n"}}}).OK(t)
		atom := apitest.Atom("ada", "field")
		r := ada.Post(tutorPath, m{"atomId": atom, "actionKind": "generate_quiz"}).OK(t)
		want(t, r, m{"data.question.kind": "question", "data.question.prompt": "Unit of charge", "data.question.origin": "author", "data.message": "Unit of charge"})
		text := fmt.Sprint(r.At("data.note.text"))
		if !strings.Contains(text, "None of these last words") || strings.Contains(text, "comment of mine") || strings.Contains(text, "Date Created") {
			t.Errorf("the note: %s", text)
		}
		id := r.At("data.question.questionId")
		judged := func(answer string, named m) *apitest.Reply {
			body := m{"atomId": atom, "actionKind": "analyze_answer", "answer": answer}
			for k, v := range named {
				body[k] = v
			}
			return ada.Post(tutorPath, body).OK(t)
		}
		want(t, judged("Coulomb.", m{"questionId": id}), m{"data.answerAnalysis.outcome": "correct", "data.answerAnalysis.expected": "coulomb", "data.answerAnalysis.reason": "same_words"})
		want(t, judged("coulomb", m{"prompt": "unit of charge"}), m{"data.answerAnalysis.outcome": "correct", "data.answerAnalysis.questionId": id})
		want(t, judged("I don't know", m{"questionId": id}), m{"data.answerAnalysis.outcome": "incorrect", "data.answerAnalysis.reason": "dont_know"})
		want(t, judged("ring element inverse", nil), m{"data.answerAnalysis.doubtful": true, "data.answerAnalysis.reason": "no_question"})

		action := func(answer string, question any) *apitest.Reply {
			return ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": atom, "questionId": question}, "answer": answer}).OK(t)
		}
		want(t, action("It is not true that ring element inverse", nil), m{"data.trace.masterySource": "none", "data.trace.updatedMastery": false, "data.trace.analyzedAnswer": true})
		want(t, action("It is not true that ring element inverse", id), m{"data.trace.masterySource": "none", "data.trace.updatedMastery": false})
		want(t, action("coulomb", id), m{"data.trace.masterySource": "inferred", "data.trace.effectiveOutcome": "correct", "data.trace.updatedMastery": true})

		// After an answer it is the next question's turn.
		next := ada.Post(tutorPath, m{"atomId": atom, "actionKind": "generate_quiz"}).OK(t)
		if next.At("data.question.questionId") == id {
			t.Errorf("the same question again: %v", next.At("data.question"))
		}
		// An index note is nothing to learn; its atoms can still be found.
		graph := ada.Get("/api/knowledge/graph").OK(t)
		if text := fmt.Sprint(graph.At("data.nodes")); strings.Contains(text, "MOC") || !strings.Contains(text, "Field") {
			t.Errorf("units: %s", text)
		}
	})
}

// A plan for few notes asks each of their questions once before it asks one again or asks for a reflection.
func TestAPlanAsksEachQuestionOnce(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ingestNotes(t, ada, map[string]string{
			"Rivers.md": "River of Paris::Seine\n\nRiver of Cairo::Nile\n\nRiver of London::Thames\n\nRiver of Vienna::Danube\n",
			"Hills.md":  "Highest hill of Paris::Montmartre\n",
		})
		rivers, hills := apitest.Atom("ada", "Rivers.md"), apitest.Atom("ada", "Hills.md")
		kinds, asked := map[string][]string{}, map[string]map[string]bool{}
		for _, x := range ada.Post("/api/knowledge/session/plan", m{"maxActions": 12, "focusAtomIds": []string{rivers, hills}}).OK(t).At("data.actions").([]any) {
			a := x.(m)
			atom := a["atomId"].(string)
			kinds[atom] = append(kinds[atom], a["kind"].(string))
			if id, _ := a["questionId"].(string); id != "" {
				if asked[atom] == nil {
					asked[atom] = map[string]bool{}
				}
				asked[atom][id] = true
			}
		}
		if got := strings.Join(kinds[rivers], " "); got != "explain quiz quiz quiz" || len(asked[rivers]) != 4 {
			t.Errorf("four questions: %s, %d different", got, len(asked[rivers]))
		}
		if got := strings.Join(kinds[hills], " "); got != "explain quiz reflection" || len(asked[hills]) != 1 {
			t.Errorf("one question: %s, %d different", got, len(asked[hills]))
		}
	})
}

// A note of any bytes is taken in by either store, from a request and from a folder.
func TestNotesOfAnyBytes(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		const text = "---\ntitle: \"N\\0\x00ul\"\n---\n# N\x00ul\n\nA **ri\x00ng** is a set that has two operations on it.\n\n[[O\x00ther]]\n"
		ada := s.As(t, "ada")
		if r := ada.Post("/api/knowledge/ingest", m{"documents": []m{{"sourcePath": "nul.md", "content": text}}}); r.Status >= 500 {
			t.Errorf("%d %s", r.Status, r.Body)
		}
		folder := []graph.Document{{Path: "v/a.md", Content: text}, {Path: "v/b.md", Content: "# Bad \xff\xfe\n\nA **field\x80** is a ring \xc3\x28 that has inverses.\n"}}
		if _, err := s.App.IngestFolder(t.Context(), core.Caller{Role: core.Member, UserID: "ada"}, "ada", "v", true, folder, time.UTC); err != nil {
			t.Error(err)
		}
		ada.Get("/api/knowledge/graph").OK(t)
	})
}
