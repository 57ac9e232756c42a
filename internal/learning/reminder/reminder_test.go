package reminder

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	ical "github.com/emersion/go-ical"
)

// read parses a calendar with a parser that is not of the library that wrote it, and checks how its lines are written.
func read(t *testing.T, document []byte) *ical.Calendar {
	t.Helper()
	for line := range strings.SplitAfterSeq(string(document), "\n") {
		if line == "" {
			continue
		}
		bare, ok := strings.CutSuffix(line, "\r\n")
		if !ok || len(bare) > 75 || !utf8.ValidString(bare) || strings.ContainsAny(bare, "\r\n") {
			t.Errorf("a line of %d octets: %q", len(bare), line)
		}
	}
	cal, err := ical.NewDecoder(bytes.NewReader(document)).Decode()
	if err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
	var again bytes.Buffer
	if err := ical.NewEncoder(&again).Encode(cal); err != nil { // it checks which properties must and may stand where
		t.Errorf("%v\n%s", err, document)
	}
	return cal
}

func text(t *testing.T, props ical.Props, name string) string {
	t.Helper()
	s, err := props.Text(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDaysOverAChangeOfTheClock(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 27, 23, 30, 0, 0, time.UTC) // the 28th in Berlin; clocks go forward on the 29th at 02:00
	for minute, want := range map[int][]string{
		7*60 + 30: {"2026-03-28T06:30", "2026-03-29T05:30", "2026-03-30T05:30"},
		2*60 + 30: {"2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T00:30"}, // 02:30 is left out on the 29th: 03:30 it is
		0:         {"2026-03-27T23:00", "2026-03-28T23:00", "2026-03-29T22:00"},
	} {
		c := Calendar{Name: "stoa-1", Locale: "en-US", Page: "https://stoa.example/learn"}
		for i, at := range Times(now, minute, berlin) {
			c.Days = append(c.Days, Day{At: at, Due: i + 1, Minutes: float64(i)})
		}
		events := read(t, c.Document(now)).Events()
		if len(events) != Days+1 {
			t.Fatalf("%d events", len(events))
		}
		seen := map[string]bool{}
		for i := range events {
			at, err := events[i].DateTimeStart(time.UTC)
			if got := at.UTC().Format("2006-01-02T15:04"); err != nil || i < len(want) && got != want[i] {
				t.Errorf("%d: event %d is at %s, want %s (%v)", minute, i, got, want[i], err)
			}
			end, err := events[i].DateTimeEnd(time.UTC)
			if length := end.Sub(at); err != nil || length != time.Duration(max(5, i))*time.Minute {
				t.Errorf("event %d lasts %s (%v)", i, length, err)
			}
			uid := text(t, events[i].Props, "UID")
			if day := at.In(berlin).Format("20060102"); seen[uid] || uid != "stoa-1-"+day {
				t.Errorf("event %d of %s is %s", i, day, uid)
			}
			seen[uid] = true
		}
	}
}

func TestLongTextsInThreeLanguages(t *testing.T) {
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	page := "https://例え.テスト/" + strings.Repeat("学習、復習;の\\ページ", 20) + "/learn"
	for locale, want := range map[string][2]string{
		"en-US": {"1 question due, about 1 min", "1234 questions due, about 617 min"},
		"zh-CN": {"1 道题待复习，约 1 分钟", "1234 道题待复习，约 617 分钟"},
		"ja-JP": {"復習する問題 1 問、約 1 分", "復習する問題 1234 問、約 617 分"},
		"":      {"1 question due, about 1 min", "1234 questions due, about 617 min"},
	} {
		c := Calendar{Name: "stoa-1", Locale: locale, Page: page, Alarm: true, Days: []Day{{At: now, Due: 1, Minutes: 0.2}, {At: now.AddDate(0, 0, 1)}, {At: now.AddDate(0, 0, 2), Due: 1234, Minutes: 617.3}}}
		cal := read(t, c.Document(now))
		events := cal.Events()
		if len(events) != 2 {
			t.Fatalf("%d events: a day without work has one", len(events))
		}
		for i := range events {
			e := &events[i]
			if got := text(t, e.Props, "SUMMARY"); got != want[i] {
				t.Errorf("%s: %q", locale, got)
			}
			if got := text(t, e.Props, "DESCRIPTION"); !strings.HasSuffix(got, page) {
				t.Errorf("%s: %q", locale, got)
			}
			if u, err := e.Props.URI("URL"); err != nil || u == nil {
				t.Errorf("%s: %v", locale, err)
			}
			for _, name := range []string{"DTSTAMP", "LAST-MODIFIED"} {
				if at, err := e.Props.DateTime(name, time.UTC); err != nil || !at.Equal(now) {
					t.Errorf("%s is %s (%v)", name, at, err)
				}
			}
			if len(e.Children) != 1 || e.Children[0].Name != "VALARM" || text(t, e.Children[0].Props, "DESCRIPTION") != want[i] || text(t, e.Children[0].Props, "ACTION") != "DISPLAY" {
				t.Errorf("%s: the alarm is %+v", locale, e.Children)
			}
		}
	}
}

func TestAnEmptySchedule(t *testing.T) {
	c := Calendar{Name: "stoa-1", Locale: "ja-JP", Days: make([]Day, Days+1)}
	cal := read(t, c.Document(time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)))
	if len(cal.Events()) != 0 || text(t, cal.Props, "VERSION") != "2.0" || text(t, cal.Props, "NAME") != "Stoa の復習" || text(t, cal.Props, "X-WR-CALNAME") != "Stoa の復習" {
		t.Errorf("%+v", cal.Props)
	}
	for _, name := range []string{"REFRESH-INTERVAL", "X-PUBLISHED-TTL"} {
		p := cal.Props.Get(name)
		if d, err := (&ical.Prop{Name: "DURATION", Value: p.Value}).Duration(); err != nil || d != time.Hour {
			t.Errorf("%s: %s %v", name, d, err)
		}
	}
}
