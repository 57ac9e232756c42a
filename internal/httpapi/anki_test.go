package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/ankifile"
)

const (
	ankiIn    = "/api/knowledge/anki/import"
	ankiOut   = "/api/knowledge/anki/export"
	questions = "/api/knowledge/questions"
)

func readPackage(t *testing.T, file []byte) (anki.Collection, map[string]string) {
	t.Helper()
	media := map[string]string{}
	c, err := ankifile.Read(t.Context(), bytes.NewReader(file), int64(len(file)), t.TempDir(), ankifile.Default, func(name string, content io.Reader) (string, int64, error) {
		var b bytes.Buffer
		n, err := b.ReadFrom(content)
		media[name] = b.String()
		return name, n, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, media
}

// A deck that a program of others wrote comes in card by card, is asked and judged as it is, and goes out as it came, with
// what was learned here and nothing else changed.
func TestAnAnkiDeckInAndOut(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		send := func() *apitest.Reply {
			return ada.Post(ankiIn, m{"filename": "capitals.apkg", "content_base64": base64.StdEncoding.EncodeToString(capitals)}).OK(t)
		}
		want(t, send(), m{"data.notes": 3, "data.cards": 3, "data.media": 1, "data.newCards": 3, "data.reviews": 0})
		want(t, send(), m{"data.notes": 3, "data.cards": 3, "data.newCards": 0, "data.summary.changedDocuments": 0})

		came, files := readPackage(t, capitals)
		out := ada.Get(ankiOut).OK(t)
		went, again := readPackage(t, out.Body)
		if fmt.Sprintf("%+v", came.Notes) != fmt.Sprintf("%+v", went.Notes) || fmt.Sprintf("%+v", came.Cards) != fmt.Sprintf("%+v", went.Cards) || fmt.Sprintf("%+v", came.Decks) != fmt.Sprintf("%+v", went.Decks) || fmt.Sprintf("%+v", came.Models) != fmt.Sprintf("%+v", went.Models) {
			t.Errorf("came %+v\nwent %+v", came, went)
		}
		if files["flag of fr.png"] == "" || files["flag of fr.png"] != again["flag of fr.png"] {
			t.Errorf("media %v", again)
		}

		var france, flag string
		for i := range came.Notes {
			n := &came.Notes[i]
			atom := graph.AtomID("ada", anki.DocumentID(n, 0)+"::")
			switch {
			case strings.Contains(n.Fields[0], "capital"):
				france = atom
			case strings.Contains(n.Fields[0], "flag"):
				flag = atom
			}
		}
		q := ada.Get(questions, "atomId", france).OK(t)
		want(t, q, m{"data.items.0.prompt": "What is the capital of France?", "data.items.0.expected": "Paris", "data.items.0.origin": "imported", "data.items.0.deck": "Capitals::Europe", "data.items.0.tags": []any{"geo", "europe::west"}})
		id := q.Str("data.items.0.questionId")
		asked := ada.Post(tutorPath, m{"atomId": france, "actionKind": "generate_quiz"}).OK(t)
		want(t, asked, m{"data.question.questionId": id, "data.question.prompt": "What is the capital of France?"})
		want(t, ada.Post(tutorPath, m{"atomId": france, "actionKind": "analyze_answer", "answer": "paris", "questionId": id}).OK(t), m{"data.answerAnalysis.outcome": "correct"})

		plan := ada.Post("/api/knowledge/session/plan", m{"focusAtomIds": france, "maxActions": 1}).OK(t) // a new card is asked, not read
		want(t, plan, m{"data.actions.0.atomId": france, "data.actions.0.kind": "quiz", "data.actions.0.questionId": id})

		picture := ada.Get(questions, "atomId", flag).OK(t)
		want(t, picture, m{"data.items.0.media": []any{"anki:flag of fr.png"}})
		shown := ada.Get("/api/knowledge/media", "name", "anki:flag of fr.png")
		if shown.Status != 200 || shown.Header.Get("Content-Type") != "image/png" || string(shown.Body) != files["flag of fr.png"] || !strings.Contains(shown.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%d %v", shown.Status, shown.Header)
		}
		s.As(t, "bob").Get("/api/knowledge/media", "name", "anki:flag of fr.png").Want(t, 404, "not_found")

		// What is learned here is what goes out, and nothing else.
		s.Clock.Advance(time.Hour)
		ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": france, "questionId": id}, "answer": "Paris", "outcome": "easy"}).OK(t)
		want(t, ada.Get(questions, "atomId", france).OK(t), m{"data.items.0.figures.answers": 1, "data.items.0.figures.correct": 1})
		learned, _ := readPackage(t, ada.Get(ankiOut).OK(t).Body)
		if len(learned.Reviews) != 1 || learned.Reviews[0].Ease != 4 {
			t.Errorf("%+v", learned.Reviews)
		}
		for i := range learned.Cards {
			same := learned.Cards[i] == came.Cards[i]
			if own := learned.Cards[i].ID == learned.Reviews[0].Card; own == same {
				t.Errorf("card %+v, came as %+v", learned.Cards[i], came.Cards[i])
			}
		}
		// Back in, it is nothing new.
		want(t, ada.Post(ankiIn, m{"content_base64": base64.StdEncoding.EncodeToString(ada.Get(ankiOut).OK(t).Body)}).OK(t), m{"data.newCards": 0, "data.answers": 0, "data.reviews": 1})
		after, _ := readPackage(t, ada.Get(ankiOut).OK(t).Body)
		if len(after.Reviews) != 1 || fmt.Sprintf("%+v", after.Cards) != fmt.Sprintf("%+v", learned.Cards) {
			t.Errorf("%+v", after.Cards)
		}

		// A question that is suspended is not asked, here nor in Anki; an edit is kept beside how it was.
		want(t, ada.Post(questions, m{"questionId": id, "state": "suspended", "flag": 2}).OK(t), m{"data.state": "suspended", "data.flag": 2})
		if r := ada.Get("/api/knowledge/graph", "limit", "2000").OK(t); strings.Contains(string(r.Body), france) {
			t.Error("a suspended card is still to be learned")
		}
		off, _ := readPackage(t, ada.Get(ankiOut).OK(t).Body)
		suspended := 0
		for _, k := range off.Cards {
			if k.Queue == anki.Suspended {
				suspended++
			}
		}
		if suspended != 1 {
			t.Errorf("%d suspended", suspended)
		}
		want(t, ada.Post(questions, m{"questionId": id, "state": "active", "prompt": "Capital of France?", "accepted": []string{"Paris", "Lutetia"}}).OK(t), m{"data.state": "active", "data.version": 2, "data.accepted": []any{"Paris", "Lutetia"}})
		want(t, ada.Post(tutorPath, m{"atomId": france, "actionKind": "analyze_answer", "answer": "lutetia", "questionId": id}).OK(t), m{"data.answerAnalysis.outcome": "correct"})
		want(t, send(), m{"data.newCards": 0})
		want(t, ada.Get(questions, "atomId", france).OK(t), m{"data.items.0.prompt": "Capital of France?"})
		s.As(t, "bob").Post(questions, m{"questionId": id, "state": "retired"}).Want(t, 422, "invalid_request")
	})
}

// A question that a rule made of a note can be edited, left out, and one of one's own be added.
func TestQuestionsOfANoteAreChanged(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post("/api/knowledge/ingest", m{"documents": []m{{"documentId": "field", "sourcePath": "Field.md", "content": fieldNote}}}).OK(t)
		atom := apitest.Atom("ada", "field")
		list := ada.Get(questions, "atomId", atom).OK(t)
		first := list.Str("data.items.0.questionId")
		n := list.Len("data.items")
		want(t, list, m{"data.items.0.version": 0})
		ada.Post(questions, m{"atomId": atom, "questionId": first, "prompt": "The unit of charge is?"}).OK(t)
		want(t, ada.Get(questions, "atomId", atom).OK(t), m{"data.items.0.prompt": "The unit of charge is?", "data.items.0.version": 1, "data.items.0.origin": "author"})
		ada.Post(questions, m{"atomId": atom, "questionId": first, "state": "retired", "report": "too easy"}).OK(t)
		next := ada.Post(tutorPath, m{"atomId": atom, "actionKind": "generate_quiz"}).OK(t)
		if next.At("data.question.questionId") == first {
			t.Error("a retired question is asked")
		}
		own := ada.Post(questions, m{"atomId": atom, "prompt": "Is Z a field?", "accepted": []string{"no"}}).OK(t)
		want(t, own, m{"data.origin": "own", "data.version": 1})
		after := ada.Get(questions, "atomId", atom).OK(t)
		if after.Len("data.items") != n+1 || after.Str("data.items.0.questionId") != own.Str("data.questionId") {
			t.Errorf("%d items, %v", after.Len("data.items"), after.At("data.items.0"))
		}
		ada.Post(questions, m{"atomId": atom, "prompt": " ", "accepted": []string{"x"}}).Want(t, 422, "invalid_request")
		ada.Post(questions, m{"atomId": atom, "questionId": "qst_none", "state": "retired"}).Want(t, 404, "not_found")
	})
}

func TestHostileAnkiPackages(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		before := s.Rows(t)
		for name, file := range map[string][]byte{"nothing": nil, "no zip": []byte("PK no"), "half": capitals[:len(capitals)/2]} {
			r := ada.Post(ankiIn, m{"content_base64": base64.StdEncoding.EncodeToString(file)})
			if r.Status < 400 || r.Status > 499 {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
		if after := s.Rows(t); after != before {
			t.Errorf("a refused package has changed rows:\n%s", firstDifference(before, after))
		}
	})
}

// Questions that were written in notes go out as cards of their own, each with its own answers; what else was answered of a note stays a
// card of the whole note.
func TestWrittenQuestionsGoOutAsCards(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post("/api/knowledge/ingest", m{"documents": []m{
			{"sourcePath": "Hauptstädte.csv", "content": "Frage;Antwort\nHauptstadt von Italien?;Rom\nHauptstadt von Peru?;Lima\n"},
			{"sourcePath": "Metric space.md", "content": "A metric space is a set with a distance between any two of its points."},
		}}).OK(t)
		unit := graph.AtomID("ada", "Hauptstädte.csv::")
		listed := ada.Get(questions, "atomId", unit).OK(t)
		want(t, listed, m{"data.items.0.prompt": "Hauptstadt von Italien?", "data.items.1.expected": "Lima", "data.items.1.origin": "author"})
		answer := func(question, outcome string) {
			s.Clock.Advance(time.Hour)
			ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": unit, "questionId": question}, "answer": "Lima", "outcome": outcome}).OK(t)
		}
		answer(listed.Str("data.items.1.questionId"), "correct")
		answer(listed.Str("data.items.1.questionId"), "incorrect")

		cards := func() map[string]int64 {
			out, _ := readPackage(t, ada.Get(ankiOut).OK(t).Body)
			answered := map[string]int64{}
			for i, n := range out.Notes {
				if strings.Contains(n.Fields[0], "Hauptst") || n.Fields[0] == "Metric space" {
					answered[n.Fields[0]] = out.Cards[i].Reps
				}
			}
			return answered
		}
		if got, want := cards(), map[string]int64{"Hauptstadt von Italien?": 0, "Hauptstadt von Peru?": 2, "Metric space": 0}; !maps.Equal(got, want) {
			t.Errorf("%v, not %v", got, want)
		}

		// An answer to no question of these is the note's.
		s.Clock.Advance(time.Hour)
		ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "reflection", "atomId": unit}, "answer": "Of Italy and Peru.", "outcome": "correct"}).OK(t)
		if got, want := cards(), map[string]int64{"Hauptstadt von Italien?": 0, "Hauptstadt von Peru?": 2, "Hauptstädte": 1, "Metric space": 0}; !maps.Equal(got, want) {
			t.Errorf("%v, not %v", got, want)
		}
	})
}
