package httpapi_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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

// Whoever tries addresses learns nothing: one that never was, was renewed, ended, or is of a member who is shut out is answered alike,
// by the calendar and by the feed. What is sent cannot be bent by its parts, is short whatever is due, and stays out of shared caches.
func TestPrivateAddressesTellNothing(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		for _, way := range []struct{ make, path string }{{calendarAddress, "/calendar.ics"}, {"/api/account/notifications/feed", "/notifications.atom"}} {
			renewed := ada.Post(way.make, m{"on": true}).OK(t).Str("data.url")
			ended := ada.Post(way.make, m{"on": true}).OK(t).Str("data.url")
			if r := s.Nobody(t).Raw("GET", strings.TrimPrefix(ended, s.URL), nil); r.Status != 200 || !strings.HasPrefix(r.Header.Get("Cache-Control"), "private,") {
				t.Errorf("%s: %d %v", way.path, r.Status, r.Header)
			}
			ada.Post(way.make, m{"on": false}).OK(t)
			disabled := bob.Post(way.make, m{"on": true}).OK(t).Str("data.url")
			_, token, _ := strings.Cut(disabled, "token=")
			if err := s.App.SetMemberDisabled(t.Context(), "bob", true); err != nil {
				t.Fatal(err)
			}
			var first string
			for _, query := range []string{
				"token=" + strings.Repeat("A", len(token)), renewed[strings.Index(renewed, "token="):], ended[strings.Index(ended, "token="):], "token=" + token, "token=" + strings.ToUpper(token), "token=" + token + "%00",
				"token=%27%20OR%201%3D1--", "token=", "", "Token=" + token, "token=&token=" + token, "token=" + strings.Repeat("x", 4000), "token=" + bob.Token,
			} {
				for _, method := range []string{"GET", "HEAD"} {
					r := s.Nobody(t).Raw(method, way.path+"?"+query, nil)
					said := varying.ReplaceAllString(fmt.Sprint(r.Status, r.Header.Get("ETag"), r.Header.Get("Cache-Control"), r.Header.Get("Content-Type"), len(r.Header)), "?")
					if method == "GET" {
						said += varying.ReplaceAllString(string(r.Body), "?")
						if first == "" {
							first = said
						}
						if said != first {
							t.Errorf("%s?%s:\n%s\n%s", way.path, query, said, first)
						}
					}
					if r.Status != 404 {
						t.Errorf("%s %s?%s: %d", method, way.path, query, r.Status)
					}
				}
			}
			if err := s.App.SetMemberDisabled(t.Context(), "bob", false); err != nil {
				t.Fatal(err)
			}
			bob = s.As(t, "bob")
			for _, text := range []string{s.Log(), s.Rows(t), s.Rows(t, "request_trace"), s.Rows(t, "audit_event")} {
				if strings.Contains(text, token) {
					t.Errorf("the token of %s is in the log or in the store", way.path)
				}
			}
		}
		for _, zone := range []string{"UTC\r\nATTENDEE:mailto:eve@example.org", "Europe/Berlin\x00", "/etc/localtime", "../UTC"} {
			ada.Post(calendarPath, m{"timeZone": zone}).Want(t, 422, "invalid_request")
		}
		for _, locale := range []string{"en-US\r\nX:1", "ja-JP\n"} { // refused, or read as one that there is
			if got := ada.Post(calendarPath, m{"locale": locale}); got.Status != 422 && !slices.Contains([]string{"en-US", "zh-CN", "ja-JP"}, got.Str("data.locale")) {
				t.Errorf("%q: %s", locale, got.Body)
			}
		}
	})
}

// However much a learner has to do, a calendar has a line for each day, in lines that every program reads.
func TestCalendarIsShort(t *testing.T) {
	heavy(t)
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{})
	ada := s.As(t, "ada")
	ada.Post(calendarPath, m{"locale": "ja-JP", "alarm": true}).OK(t)
	address := strings.TrimPrefix(ada.Post(calendarAddress, m{"on": true}).OK(t).Str("data.url"), s.URL)
	notes, observed := []m{}, []m{}
	for i := range 3000 {
		name := fmt.Sprintf("n%04d.md", i)
		notes = append(notes, m{"sourcePath": name, "content": fmt.Sprintf("# END:VCALENDAR%d\n\nWord%d is the %dth thing.\r\nATTENDEE:mailto:eve@example.org\n", i, i, i)})
		observed = append(observed, m{"atomId": apitest.Atom("ada", name), "outcome": []string{"correct", "incorrect"}[i%2]})
	}
	for i := 0; i < len(notes); i += 500 {
		ada.Post("/api/knowledge/ingest", m{"documents": notes[i : i+500]}).OK(t)
	}
	for i := 0; i < len(observed); i += 100 {
		ada.Post("/api/knowledge/mastery/diagnose", m{"observations": observed[i : i+100]}).OK(t)
	}
	s.Clock.Advance(72 * time.Hour)
	for _, host := range []string{"", "evil.example:80", strings.Repeat("a", 250) + ".example"} {
		c := s.Nobody(t)
		if host != "" {
			c = c.With("Host", host)
		}
		r := c.Raw("GET", address, nil)
		if r.Status != 200 || len(r.Body) > 16<<10 || !bytes.Contains(r.Body, []byte("BEGIN:VEVENT")) || bytes.Contains(r.Body, []byte("eve@")) || bytes.Count(r.Body, []byte("END:VCALENDAR")) != 1 {
			t.Fatalf("%d, %d bytes: %.600s", r.Status, len(r.Body), r.Body)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(string(r.Body), "\r\n"), "\r\n") {
			if len(line) > 75 || strings.ContainsAny(line, "\r\n\x00") || !utf8.ValidString(line) {
				t.Errorf("%d bytes: %q", len(line), line)
			}
		}
	}
	began := testing.AllocsPerRun(3, func() { s.Nobody(t).Raw("GET", address, nil) })
	t.Logf("%.0f allocations a request", began)
}

// Signing out everywhere leaves the private addresses, unless its member wants them ended.
func TestSigningOutAndPrivateAddresses(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		var addresses []string
		for _, c := range []*apitest.Client{ada, bob} {
			for _, way := range []string{calendarAddress, "/api/account/notifications/feed"} {
				addresses = append(addresses, strings.TrimPrefix(c.Post(way, m{"on": true}).OK(t).Str("data.url"), s.URL))
			}
		}
		ada.Post(calendarPath, m{"timeOfDay": "07:30"}).OK(t)
		answers := func(want ...int) {
			t.Helper()
			for i, address := range addresses {
				if r := s.Nobody(t).Raw("GET", address, nil); r.Status != want[i] {
					t.Errorf("%.25s: %d, want %d", address, r.Status, want[i])
				}
			}
		}
		ada.Post("/api/account/sessions/end-all", m{}).OK(t)
		answers(200, 200, 200, 200)
		ada = s.As(t, "ada")
		ada.Post("/api/account/sessions/end-all", m{"end_addresses": true}).OK(t)
		answers(404, 404, 200, 200)
		ada = s.As(t, "ada")
		want(t, ada.Get(calendarPath).OK(t), m{"data.on": false, "data.timeOfDay": "07:30"})
		if ada.Get("/api/account/notifications").OK(t).At("data.has_feed") != false {
			t.Error("the page says that there is a feed")
		}
	})
}
