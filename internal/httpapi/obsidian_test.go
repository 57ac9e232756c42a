package httpapi_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/errs"
)

const (
	capitalsNote = "# Capitals\r\n\r\n#flashcards\r\n\r\nCapital of France::Paris <!--SR:!2026-03-01,4,270-->\r\n\r\nThe ==Seine== flows through the ==capital== of France.\r\n<!--SR:!2026-03-04,6,250!2000-01-01,1,250-->\r\n"
	verbNote     = "---\nsr-due: 2026-03-03\nsr-interval: 10\nsr-ease: 250\ntags: [review]\n---\nA verb is a word that says what somebody does, or what happens to them, or how things are with them at some time.\n"
)

// writtenBack gives the notes as `stoa ingest --write-schedules` would leave them.
func writtenBack(t *testing.T, s *apitest.Server, userID string, notes map[string]string) map[string]string {
	t.Helper()
	return writtenBackIn(t, s, userID, notes, time.UTC)
}

// writtenBackIn does so for a learner in a time zone.
func writtenBackIn(t *testing.T, s *apitest.Server, userID string, notes map[string]string, zone *time.Location) map[string]string {
	t.Helper()
	var list []graph.Document
	for path, text := range notes {
		list = append(list, graph.Document{Path: path, Content: text})
	}
	changed, err := s.App.WriteSchedules(t.Context(), userID, list, zone)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for path, text := range notes {
		out[path] = text
	}
	for _, d := range changed {
		out[d.Path] = d.Content
	}
	return out
}

func ingestNotes(t *testing.T, c *apitest.Client, notes map[string]string) {
	t.Helper()
	var list []m
	for path, text := range notes {
		list = append(list, m{"sourcePath": path, "content": text})
	}
	c.Post("/api/knowledge/ingest", m{"documents": list}).OK(t)
}

// The schedules of Obsidian's plug-in are where a learner stands: due here on the day they say. What is answered here goes back into them,
// and nothing else of the note changes.
func TestObsidianSchedules(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		notes := map[string]string{"v/Capitals.md": capitalsNote, "v/Verb.md": verbNote}
		ingestNotes(t, ada, notes)
		capitals, verb := apitest.Atom("ada", "v/Capitals.md"), apitest.Atom("ada", "v/Verb.md")
		next := func(atom string) string {
			for i := range 5 {
				if r := ada.Get("/api/knowledge/note", "atomId", atom).OK(t); r.At(fmt.Sprintf("data.learned.%d.atomId", i)) == atom {
					return r.Str(fmt.Sprintf("data.learned.%d.nextReviewAt", i))
				}
			}
			t.Fatal("not learned")
			return ""
		}
		if got := next(capitals); !strings.HasPrefix(got, "2026-03-01") { // the first of its questions
			t.Errorf("capitals are due %s", got)
		}
		if got := next(verb); !strings.HasPrefix(got, "2026-03-03") {
			t.Errorf("the verb is due %s", got)
		}
		if n := s.Count(t, "observation"); n != 2 {
			t.Errorf("%d reviews known", n)
		}
		ingestNotes(t, ada, notes) // nothing new
		if got := writtenBack(t, s, "ada", notes); s.Count(t, "observation") != 2 || got["v/Capitals.md"] != capitalsNote || got["v/Verb.md"] != verbNote {
			t.Errorf("nothing was answered: %q", got)
		}
		if difference, n, err := s.Home(t, "ada").CheckLearner(t.Context(), "ada"); err != nil || difference != "" || n != 2 {
			t.Errorf("from the log: %q %d %v", difference, n, err)
		}
		// Neither goes out as an answer, since nobody knows which grade it was.
		if csv := string(ada.Get("/api/knowledge/reviews/export").OK(t).Body); strings.Count(csv, "\n") != 1 {
			t.Errorf("%s", csv)
		}

		list := ada.Get(questions, "atomId", capitals).OK(t)
		id := ""
		for i := range 3 {
			if list.At(fmt.Sprintf("data.items.%d.prompt", i)) == "Capital of France" {
				id = list.Str(fmt.Sprintf("data.items.%d.questionId", i))
			}
		}
		ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": capitals, "questionId": id}, "answer": "Paris"}).OK(t)
		got := writtenBack(t, s, "ada", notes)
		due, _, _ := strings.Cut(next(capitals), "T")
		day, err := time.Parse(time.DateOnly, due)
		if err != nil {
			t.Fatal(err)
		}
		days := int(day.Sub(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)).Hours() / 24)
		want := strings.Replace(capitalsNote, "!2026-03-01,4,270", fmt.Sprintf("!%s,%d,270", due, days), 1)
		if days < 2 || got["v/Capitals.md"] != want || got["v/Verb.md"] != verbNote {
			t.Errorf("after an answer: %q, want %q", got, want)
		}
		// Read again it is nothing new; a review in Obsidian on a later day is.
		ingestNotes(t, ada, got)
		if n := s.Count(t, "observation"); n != 3 {
			t.Errorf("%d reviews known", n)
		}
		s.Clock.Advance(30 * 24 * time.Hour)
		ada = s.As(t, "ada")
		got["v/Capitals.md"] = strings.Replace(got["v/Capitals.md"], "!2000-01-01,1,250", "!2026-04-20,20,250", 1)
		ingestNotes(t, ada, got)
		if n := s.Count(t, "observation"); n != 4 {
			t.Errorf("%d reviews known", n)
		}
		ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "explain", "atomId": verb}, "answer": "It says what one does.", "outcome": "correct"}).OK(t)
		verbs := writtenBack(t, s, "ada", got)["v/Verb.md"]
		if verbs == verbNote || regexp.MustCompile(`sr-(due: [\d-]+|interval: \d+)`).ReplaceAllString(verbs, "") != regexp.MustCompile(`sr-(due: [\d-]+|interval: \d+)`).ReplaceAllString(verbNote, "") {
			t.Errorf("%q", verbs)
		}
		if difference, _, err := s.Home(t, "ada").CheckLearner(t.Context(), "ada"); err != nil || difference != "" {
			t.Errorf("from the log: %q %v", difference, err)
		}
		// Shared notes have nobody's schedules.
		if _, err := s.App.IngestFolder(t.Context(), core.Caller{UserID: "operator"}, "", "v", true, []graph.Document{{Path: "v/Shared.md", Content: capitalsNote}}, time.UTC); err != nil {
			t.Fatal(err)
		}
		if n := s.Count(t, "observation"); n != 5 {
			t.Errorf("%d reviews known", n)
		}
	})
}

// Whatever stands in a vault: without an answer nothing changes, with answers comments alone, and after one round it is at rest.
func TestOnlySchedulesOfAVaultChange(t *testing.T) {
	comment := regexp.MustCompile(`(\r?\n| )<!--SR:[^>]*-->`)
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		r := rand.New(rand.NewPCG(18, 4))
		pick := func(list ...string) string { return list[r.IntN(len(list))] }
		notes := map[string]string{}
		for n := range 12 {
			var b strings.Builder
			if r.IntN(3) == 0 {
				b.WriteString("---\nsr-due: 2026-01-10\nsr-interval: 5\nsr-ease: 240\n---\n")
			}
			b.WriteString(pick("#flashcards\n\n", "# Heading of the note\n\n", ""))
			for k := range 1 + r.IntN(6) {
				b.WriteString(pick("## Part of it "+fmt.Sprint(k)+"\n", "", ""))
				line := fmt.Sprintf("Term %d of note %d", k, n)
				b.WriteString(pick(line+"::meaning "+fmt.Sprint(k), line+":::meaning "+fmt.Sprint(k), line+"\n?\nmeaning "+fmt.Sprint(k)+"\n- and more of it", line+"\n??\nmeaning "+fmt.Sprint(k),
					"The "+line+" is ==important== for the ==whole== of it all.", "語 "+line+"::\xff意味", "Only prose about "+line+" that says nothing to be asked for at all."))
				b.WriteString(pick("", "", " <!--SR:!2026-01-09,3,250-->", "\n<!--SR:!2026-01-09,3,250!2026-01-18,9,230-->", "\n<!--SR:!2000-01-01,1,250!2026-01-12,2,210-->", "\n<!--SR:!broken-->", " ^block"))
				b.WriteString(pick("\n\n", "\n\n\n", "\n"))
			}
			text := b.String()
			if r.IntN(3) == 0 {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			notes[fmt.Sprintf("v/Note %d.md", n)] = text
		}
		ingestNotes(t, ada, notes)
		if fmt.Sprint(writtenBack(t, s, "ada", notes)) != fmt.Sprint(notes) {
			t.Error("nothing was answered, and the notes changed")
		}
		answered := 0
		for _, path := range slices.Sorted(maps.Keys(notes)) {
			note := ada.Get("/api/knowledge/note", "documentId", path).OK(t)
			for i := 0; note.At(fmt.Sprintf("data.learned.%d", i)) != nil; i++ {
				atom := note.Str(fmt.Sprintf("data.learned.%d.atomId", i))
				list := ada.Get(questions, "atomId", atom).OK(t)
				for k := 0; list.At(fmt.Sprintf("data.items.%d", k)) != nil; k++ {
					if r.IntN(2) == 0 {
						answered++
						ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": atom, "questionId": list.Str(fmt.Sprintf("data.items.%d.questionId", k))}, "answer": "x", "outcome": pick("correct", "incorrect")}).OK(t)
					}
				}
			}
		}
		once := writtenBack(t, s, "ada", notes)
		changed := 0
		for path, text := range once {
			if text != notes[path] {
				changed++
			}
			value := regexp.MustCompile(`sr-(due: [\d-]+|interval: \d+)`)
			if a, b := value.ReplaceAllString(comment.ReplaceAllString(text, ""), ""), value.ReplaceAllString(comment.ReplaceAllString(notes[path], ""), ""); a != b {
				t.Errorf("%q\nbecame\n%q", notes[path], text)
			}
		}
		if answered < 10 || changed < 4 {
			t.Errorf("%d answers changed %d notes: the test tries nothing", answered, changed)
		}
		before := s.Count(t, "observation")
		ingestNotes(t, ada, once)
		if fmt.Sprint(writtenBack(t, s, "ada", once)) != fmt.Sprint(once) || s.Count(t, "observation") != before {
			t.Error("it is not at rest after one round")
		}
	})
}

// The plug-in writes the days of the learner's clock, so an hour after midnight in Tokyo is another day than in New York.
func TestDaysOfSchedulesAreTheLearners(t *testing.T) {
	const text = "# Capitals\n\n#flashcards\n\nCapital of France::Paris <!--SR:!%s,%d,250-->\n"
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Clock.Advance(7 * time.Hour)
		ada := s.As(t, "ada") // at 16:00 UTC on 2 March: 1:00 on 3 March in Tokyo, 11:00 on 2 March in New York
		for n, c := range []struct {
			zone, due string
			interval  int
			taken     int    // reviews that the note tells of
			written   string // day and interval after an answer now, if the note changes
		}{
			{"Asia/Tokyo", "2026-03-05", 2, 1, ""},                   // reviewed on 3 March, today there
			{"", "2026-03-05", 2, 0, ""},                             // which is tomorrow in UTC
			{"Asia/Tokyo", "2026-03-03", 1, 1, "2026-03-11,8"},       // reviewed on 2 March, yesterday there
			{"America/New_York", "2026-03-03", 1, 1, ""},             // and today there
			{"Pacific/Kiritimati", "2026-03-04", 1, 1, ""},           // UTC+14: 3 March, 6:00
			{"America/New_York", "2026-03-02", 1, 1, "2026-03-11,9"}, // reviewed on 1 March
		} {
			path := fmt.Sprintf("v%d/Capitals.md", n)
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			notes := map[string]string{path: fmt.Sprintf(text, c.due, c.interval)}
			before := s.Count(t, "observation")
			ada.Post("/api/knowledge/ingest", m{"documents": []m{{"sourcePath": path, "content": notes[path]}}, "timeZone": c.zone}).OK(t)
			if got := s.Count(t, "observation") - before; got != c.taken {
				t.Errorf("%+v: %d reviews taken", c, got)
			}
			atom := apitest.Atom("ada", path)
			id := ada.Get(questions, "atomId", atom).OK(t).Str("data.items.0.questionId")
			ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": atom, "questionId": id}, "answer": "Paris"}).OK(t)
			got := writtenBackIn(t, s, "ada", notes, zone)[path]
			want := regexp.QuoteMeta(notes[path])
			if c.written != "" {
				want = strings.Replace(want, regexp.QuoteMeta(c.due)+fmt.Sprintf(",%d,", c.interval), c.written+",", 1)
			}
			if !regexp.MustCompile("^" + want + "$").MatchString(got) {
				t.Errorf("%+v: %q", c, got)
			}
		}
		for _, zone := range []string{"Local", "Mars/Base", "../etc/passwd", "/etc/passwd"} {
			ada.Post("/api/knowledge/ingest", m{"documents": []m{}, "timeZone": zone}).Want(t, 422, string(errs.InvalidRequest))
		}
	})
}
