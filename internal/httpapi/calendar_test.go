package httpapi_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	ical "github.com/emersion/go-ical"

	"stoa/internal/apitest"
)

const (
	calendarPath    = "/api/account/calendar"
	calendarAddress = "/api/account/calendar/address"
)

// calendarOf reads a calendar at its address.
func calendarOf(t *testing.T, s *apitest.Server, address string) *ical.Calendar {
	t.Helper()
	r := s.Nobody(t).Raw("GET", strings.TrimPrefix(address, s.URL), nil)
	cal, err := ical.NewDecoder(bytes.NewReader(r.Body)).Decode()
	if r.Status != 200 || err != nil || r.Header.Get("Content-Type") != "text/calendar; charset=utf-8" {
		t.Fatalf("%d %v %v %s", r.Status, err, r.Header, r.Body)
	}
	return cal
}

// remind gives the events of a calendar: how many questions are due, by when.
func remind(t *testing.T, cal *ical.Calendar) (at []time.Time, due []int) {
	t.Helper()
	for _, e := range cal.Events() {
		start, err := e.DateTimeStart(time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		summary, n := e.Props.Get("SUMMARY").Value, 0
		if _, err := fmt.Sscanf(summary, "%d", &n); err != nil {
			t.Fatalf("%q: %v", summary, err)
		}
		at, due = append(at, start), append(due, n)
	}
	return at, due
}

// The calendar says of each day what the pages say when its time has come.
func TestCalendarSaysWhatPagesWillSay(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		want(t, ada.Get(calendarPath).OK(t), m{"data.on": false, "data.timeOfDay": "18:00", "data.timeZone": "UTC", "data.locale": "en-US", "data.alarm": false})
		want(t, ada.Post(calendarPath, m{"timeOfDay": "07:30", "timeZone": "Asia/Tokyo", "alarm": true}).OK(t), m{"data.on": false, "data.timeOfDay": "07:30", "data.timeZone": "Asia/Tokyo", "data.locale": "en-US", "data.alarm": true})
		address := ada.Post(calendarAddress, m{"on": true}).OK(t).Str("data.url")
		if at, _ := remind(t, calendarOf(t, s, address)); len(at) != 0 {
			t.Fatalf("%d events before anything was learned", len(at))
		}

		notes := map[string]string{}
		for i := range 30 {
			notes[fmt.Sprintf("n%02d.md", i)] = fmt.Sprintf("# Secretword%d\n\nSecretword%d is the %dth thing that somebody wants to keep in mind for long, and it is said in some words.\n", i, i, i)
		}
		ingestNotes(t, ada, notes)
		for i := range 8 {
			list := []m{}
			for k := range 30 {
				if k%6 <= i && i <= k%6+2 { // some are learned later than others
					list = append(list, m{"atomId": apitest.Atom("ada", fmt.Sprintf("n%02d.md", k)), "outcome": "correct"})
				}
			}
			ada.Post("/api/knowledge/mastery/diagnose", m{"observations": list}).OK(t)
			s.Clock.Advance(11 * time.Hour)
			ada = s.As(t, "ada")
		}
		pages := func() int { return s.As(t, "ada").Get("/api/knowledge/graph").OK(t).Int("data.counts.due") }

		cal := calendarOf(t, s, address)
		at, due := remind(t, cal)
		if len(at) < 3 {
			t.Fatalf("%d days: %v", len(at), due)
		}
		tokyo, _ := time.LoadLocation("Asia/Tokyo")
		sum := 0
		for i := range at {
			if clock := at[i].In(tokyo).Format("15:04"); clock != "07:30" {
				t.Errorf("event %d is at %s in Tokyo", i, clock)
			}
			if wait := at[i].Sub(s.Clock.Now()); wait > 0 {
				s.Clock.Advance(wait)
			}
			if sum += due[i]; pages() != sum {
				t.Errorf("day %d: pages say %d, the calendar said %v", i, pages(), due[:i+1])
			}
		}
		text := string(s.Nobody(t).Raw("GET", strings.TrimPrefix(address, s.URL), nil).Body)
		if strings.Contains(text, "ecretword") || strings.Contains(text, "n00") || !strings.Contains(text, "BEGIN:VALARM") {
			t.Error(text)
		}

		// What is due is answered: its day says nothing any more.
		if at, due = remind(t, calendarOf(t, s, address)); len(at) == 0 || due[0] != pages() || due[0] == 0 || at[0].After(s.Clock.Now()) {
			t.Fatalf("%v %v of %d", at, due, pages())
		}
		list := []m{}
		for k := range 30 {
			list = append(list, m{"atomId": apitest.Atom("ada", fmt.Sprintf("n%02d.md", k)), "outcome": "correct"})
		}
		ada = s.As(t, "ada")
		ada.Post("/api/knowledge/mastery/diagnose", m{"observations": list}).OK(t)
		if at, _ = remind(t, calendarOf(t, s, address)); pages() != 0 || len(at) > 0 && !at[0].After(s.Clock.Now()) {
			t.Errorf("the day is done, and the calendar has %v", at)
		}
	})
}

func TestCalendarAddress(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		first := ada.Post(calendarAddress, m{"on": true}).OK(t).Str("data.url")
		other := bob.Post(calendarAddress, m{"on": true}).OK(t).Str("data.url")
		status := func(address string, headers ...string) int {
			c := s.Nobody(t)
			for i := 0; i+1 < len(headers); i += 2 {
				c = c.With(headers[i], headers[i+1])
			}
			return c.Raw("GET", strings.TrimPrefix(address, s.URL), nil).Status
		}
		tag := s.Nobody(t).Raw("GET", strings.TrimPrefix(first, s.URL), nil).Header.Get("ETag")
		s.Clock.Advance(10 * time.Minute)
		if n := status(first, "If-None-Match", tag); n != 304 {
			t.Errorf("%d for what is known", n)
		}
		ada.Post(calendarPath, m{"locale": "ja-JP"}).OK(t)
		if n := status(first, "If-None-Match", tag); n != 200 {
			t.Errorf("%d for what has changed", n)
		}
		if name := calendarOf(t, s, first).Props.Get("NAME").Value; name != "Stoa の復習" {
			t.Error(name)
		}
		if n := s.Nobody(t).Raw("POST", strings.TrimPrefix(first, s.URL), nil).Status; n/100 != 4 {
			t.Errorf("%d for a POST", n)
		}
		for _, bad := range []m{{"timeOfDay": "24:00"}, {"timeOfDay": "7:30"}, {"timeZone": "Europe/Nowhere"}, {"timeZone": "Local"}, {"timeZone": "../../etc/passwd"}, {"locale": "tlh"}} {
			ada.Post(calendarPath, bad).Want(t, 422, "invalid_request")
		}
		want(t, ada.Get(calendarPath).OK(t), m{"data.on": true, "data.timeOfDay": "18:00", "data.locale": "ja-JP", "data.timeZone": "UTC"})

		second := ada.Post(calendarAddress, m{"on": true}).OK(t).Str("data.url")
		for address, code := range map[string]int{first: 404, second: 200, other: 200, s.URL + "/calendar.ics": 404, s.URL + "/calendar.ics?token=": 404, second + "x": 404} {
			if n := status(address); n != code {
				t.Errorf("%s: %d, want %d", address, n, code)
			}
		}
		if _, token, _ := strings.Cut(second, "token="); len(token) < 32 || strings.Contains(s.Log(), token) || strings.Contains(s.Rows(t), token) || strings.Contains(s.Rows(t, "request_trace"), token) {
			t.Error("the token is in the log or in the store")
		}
		ada = s.As(t, "ada") // who has just signed in
		ada.Post("/api/account/deletion", m{}).OK(t)
		if n := status(second); n != 404 {
			t.Errorf("%d of a member whose account is to be deleted", n)
		}
		ada.Post("/api/account/deletion/cancel", m{}).OK(t)
		if n := status(second); n != 200 {
			t.Errorf("%d of a member who stays", n)
		}
		if err := s.App.SetMemberDisabled(t.Context(), "bob", true); err != nil {
			t.Fatal(err)
		}
		if n := status(other); n != 404 {
			t.Errorf("%d of a disabled member", n)
		}
		if url := ada.Post(calendarAddress, m{"on": false}).OK(t).Str("data.url"); url != "" || status(second) != 404 {
			t.Errorf("an ended calendar is at %q, %d", url, status(second))
		}
	})
}
