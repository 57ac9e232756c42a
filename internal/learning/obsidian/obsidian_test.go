package obsidian

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

func on(day string) time.Time { t, _ := time.Parse(time.DateOnly, day); return t }

func TestSchedulesAreRead(t *testing.T) {
	fsrs := "!fsrs,2026-11-20T10:00:00.000Z,4,4.52,6.1,2,3,1,0,2026-11-16T09:30:00.000Z"
	for _, c := range []struct {
		text string
		card Card
		want string
	}{
		{"Q::A <!--SR:!2024-01-05,4,270-->", Card{0, 4, 1, true}, "2024-01-05 4 270"},
		{"Q::A\n<!--SR:!2024-01-05,4,270-->", Card{0, 4, 1, true}, "2024-01-05 4 270"},
		{"Q::A\r\n<!--SR:!2024-01-05,4,270-->\r\n", Card{0, 4, 1, true}, "2024-01-05 4 270"},
		{"Q::A ^d7cee0\n<!--SR:!05-01-2024,4,270-->", Card{0, 4, 1, true}, "2024-01-05 4 270"},
		{"Q::A\n<!--SR:2024-01-05,4,270-->", Card{0, 4, 1, true}, "2024-01-05 4 270"},
		{"Q:::A\n<!--SR:!2024-01-05,4,270!2024-02-01,9,250-->", Card{0, 5, 2, true}, "2024-02-01 9 250"},
		{"Q:::A\n<!--SR:!2024-01-05,4,270!2000-01-01,1,250-->", Card{0, 5, 2, true}, ""},
		{"Q:::A\n<!--SR:!2024-01-05,4,270-->", Card{0, 5, 2, true}, ""},
		{"Q::A\nother\n<!--SR:!2024-01-05,4,270-->", Card{0, 4, 1, true}, ""},
		{"Q::A\n\n<!--SR:!2024-01-05,4,270-->", Card{0, 4, 1, true}, ""},
		{"Q\n?\nA\nB\n<!--SR:!2024-01-05,4,270-->\n\nmore", Card{0, 5, 1, false}, "2024-01-05 4 270"},
		{"Q\n?\nA\n\nB\n<!--SR:!2024-01-05,4,270-->", Card{0, 5, 1, false}, ""},
		{"Q::A\n<!--SR:" + fsrs + "-->", Card{0, 4, 1, true}, "2026-11-20 4 0"},
		{"Q::A\n<!--SR:!fsrs,-,0,0,0,0,0,0,0,---->", Card{0, 4, 1, true}, ""},
		{"Q::A\n<!--SR:!nonsense-->", Card{0, 4, 1, true}, ""},
		{"Q::A\n<!--SR:!2024-01-05,99999999,270-->", Card{0, 4, 1, true}, ""},
		{"Q::A\n<!--SR:!2024-13-05,4,270-->", Card{0, 4, 1, true}, ""},
		{"Q::A\n<!--SR:!2024-01-05,4,270", Card{0, 4, 1, true}, ""},
		{"Q::A", Card{3, 99, 1, true}, ""},
	} {
		got := ""
		if s, ok := Of(c.text, c.card, time.UTC); ok {
			got = fmt.Sprintf("%s %v %d", s.Due.Format(time.DateOnly), s.Interval, s.Ease)
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	s, _ := Of("Q::A\n<!--SR:"+fsrs+"-->", Card{0, 4, 1, true}, time.UTC)
	if s.Hard() != 6.1 || s.Stability != 4.52 || !s.Last().Equal(on("2026-11-16")) {
		t.Errorf("%+v", s)
	}
	for ease, hard := range map[int]float64{130: 10, 100: 10, 250: 5.5, 370: 1, 500: 1} {
		if s := (Schedule{Ease: ease}); s.Hard() != hard {
			t.Errorf("ease %d is difficulty %v, not %v", ease, s.Hard(), hard)
		}
	}
	for text, want := range map[string]bool{
		"---\nsr-due: 2024-01-05\nsr-interval: 4\nsr-ease: 270\n---\nx":                     true,
		"---\r\ntags: a\r\nsr-ease: 270\r\nsr-interval: 4\r\nsr-due: \"2024-01-05\"\r\n---": true,
		"---\nsr-due: 2024-01-05\nsr-interval: 4\n---\nsr-ease: 270\n":                      false,
		"x\n---\nsr-due: 2024-01-05\nsr-interval: 4\nsr-ease: 270\n---\n":                   false,
		"---\nsr-due: tomorrow\nsr-interval: 4\nsr-ease: 270\n---\n":                        false,
		"---\nsr-due:\nsr-interval: 4\nsr-ease: 270\n---\n":                                 false,
	} {
		s, ok := Whole(text)
		if ok != want || ok && (!s.Due.Equal(on("2024-01-05")) || s.Interval != 4 || s.Ease != 270) {
			t.Errorf("%q: %+v %v", text, s, ok)
		}
	}
}

func TestSchedulesAreWritten(t *testing.T) {
	next := Schedule{Due: on("2026-12-01"), Interval: 8, Ease: 290, Stability: 7.5, Difficulty: 5}
	for _, c := range []struct{ text, want string }{
		{"Q::A <!--SR:!2024-01-05,4,270--> ^id\nx", "Q::A <!--SR:!2026-12-01,8,290--> ^id\nx"},
		{"Q::A\r\n<!--SR:!2024-01-05,4,270!2000-01-01,1,250-->\r\n", "Q::A\r\n<!--SR:!2026-12-01,8,290!2000-01-01,1,250-->\r\n"},
		{"Q::A\n<!--SR:!what,ever-->", "Q::A\n<!--SR:!what,ever-->"},
		{"Q::A ^id\n\n#flashcards", "Q::A ^id\n<!--SR:!2026-12-01,8,290-->\n\n#flashcards"},
		{"Q::A  \r\n#flashcards", "Q::A\r\n<!--SR:!2026-12-01,8,290-->  \r\n#flashcards"},
		{"Q::A\n\nB::C <!--SR:!2024-01-05,4,270-->", "Q::A <!--SR:!2026-12-01,8,290-->\n\nB::C <!--SR:!2024-01-05,4,270-->"},
		{"Q::A\nno note of the plug-in's", "Q::A\nno note of the plug-in's"},
		{"Q::A\n<!--SR:!fsrs,2026-11-20T10:00:00.000Z,4,4.52,6.1,1,3,1,2,2026-11-16T09:30:00.000Z-->", "Q::A\n<!--SR:!fsrs,2026-12-01T00:00:00.000Z,8,7.5,5,2,4,1,0,2026-11-23T00:00:00.000Z-->"},
	} {
		if got := Apply(c.text, Edits(c.text, []Change{{Card: Card{0, 4, 1, true}, Schedule: next, Siblings: 1}}, StyleOf(c.text), time.UTC)); got != c.want {
			t.Errorf("%q became\n%q, want\n%q", c.text, got, c.want)
		}
	}
	note := "---\r\nsr-ease: 270\r\nsr-interval:  4\r\nsr-due: '2024-01-05'\r\n---\r\ntext"
	if got := Apply(note, WholeEdits(note, next)); got != "---\r\nsr-ease: 270\r\nsr-interval:  8\r\nsr-due: '2026-12-01'\r\n---\r\ntext" {
		t.Errorf("%q", got)
	}
}

var (
	value = regexp.MustCompile(`^[\d-]+,[\d.]+,\d+$`)
	fresh = regexp.MustCompile(`^(\n|\r\n| )<!--SR:(![\d-]+,\d+,\d+)+-->$`)
)

// Whatever text and places there are: nothing panics, without changes nothing changes, a change touches comments alone, is read again as it was
// written, and writing it once more changes nothing.
func TestOnlySchedulesAreTouched(t *testing.T) {
	bits := []string{"Q::A", "a:::b", "\n", "\r\n", "\n\n", "?", "<!--SR:", "-->", "!2024-01-05,4,270", "!2000-01-01,1,250", "!fsrs,1,2", "語", " ", "==x==", "```", "\xff", "<!-- c -->", "#flashcards", " ^id", "---"}
	zones := []*time.Location{time.UTC, place(t, "Asia/Tokyo"), place(t, "America/New_York"), place(t, "Pacific/Kiritimati")}
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(bits[r.IntN(len(bits))])
		}
		text, zone := b.String(), zones[r.IntN(len(zones))]
		c := Change{Card: Card{Start: r.IntN(len(text) + 1), Nth: 1 + r.IntN(3), Line: r.IntN(2) == 0}, Siblings: 1 + r.IntN(3)}
		c.End = c.Start + r.IntN(len(text)-c.Start+1)
		c.Schedule = Schedule{Due: on("2026-12-01"), Interval: float64(1 + r.IntN(90)), Ease: 250}
		if got := Apply(text, Edits(text, nil, StyleOf(text), zone)); got != text {
			t.Fatalf("seed %d: nothing to change, and %q became %q", seed, text, got)
		}
		edits := Edits(text, []Change{c}, StyleOf(text), zone)
		once := Apply(text, edits)
		if len(edits) == 0 {
			continue
		}
		if e := edits[0]; len(edits) > 1 || e.Start < e.End && (!value.MatchString(text[e.Start:e.End]) || !value.MatchString(e.Text)) || e.Start == e.End && !fresh.MatchString(e.Text) {
			t.Fatalf("seed %d: %q became %q", seed, text, once)
		}
		if s, ok := Of(once, c.Card, zone); !ok || s != c.Schedule {
			t.Fatalf("seed %d: %q became %q, which says %+v", seed, text, once, s)
		}
		if again := Apply(once, Edits(once, []Change{c}, StyleOf(once), zone)); again != once {
			t.Fatalf("seed %d: %q became %q", seed, once, again)
		}
	}
}

func place(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// The days are those of the learner: what FSRS schedules has times, and which day they lie in depends on where that is.
func TestDaysFollowTheZone(t *testing.T) {
	const text = "Q::A\n<!--SR:!fsrs,2026-11-20T20:00:00.000Z,4,4.52,6.1,2,3,1,0,2026-11-16T03:30:00.000Z-->"
	card := Card{0, 4, 1, true}
	for name, want := range map[string][2]string{
		"UTC": {"2026-11-20", "2026-11-16"}, "Asia/Tokyo": {"2026-11-21", "2026-11-16"}, "America/New_York": {"2026-11-20", "2026-11-15"},
	} {
		zone := place(t, name)
		s, ok := Of(text, card, zone)
		if !ok || !s.Due.Equal(on(want[0])) || !s.Last().Equal(on(want[1])) {
			t.Errorf("%s: %+v, last %v", name, s, s.Last())
		}
		// Written and read again it is the same days, over the hour that is left out in spring as well.
		s.Due, s.Interval = on("2027-03-15"), 2
		once := Apply(text, Edits(text, []Change{{Card: card, Schedule: s, Siblings: 1}}, StyleOf(text), zone))
		if again, ok := Of(once, card, zone); !ok || again != s {
			t.Errorf("%s: %+v became %+v in %q", name, s, again, once)
		}
	}
	if a, b := DayIn(time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC), place(t, "Asia/Tokyo")), on("2026-03-03"); !a.Equal(b) {
		t.Errorf("midnight in Tokyo is %v", a)
	}
}
