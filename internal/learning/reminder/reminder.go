// Package reminder writes what is due on which day as a calendar that other programs subscribe to (RFC 5545). Of the notes and
// questions it says how many there are and nothing else.
package reminder

import (
	"fmt"
	"math"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"
)

// Days is how many days after today a calendar looks ahead.
const Days = 14

// Day is what becomes due by a time of a day.
type Day struct {
	At      time.Time // in the learner's zone
	Due     int
	Minutes float64 // that it will take
}

// Times are the moments of today and the next days at which a learner is reminded. The time of a day whose clock leaves it out is
// that by the clock before.
func Times(now time.Time, minute int, zone *time.Location) [Days + 1]time.Time {
	year, month, day := now.In(zone).Date()
	var all [Days + 1]time.Time
	for i := range all {
		all[i] = time.Date(year, month, day+i, minute/60, minute%60, 0, 0, zone)
	}
	return all
}

// Calendar is a learner's calendar.
type Calendar struct {
	Name   string // of whose it is, the same for good: ids of events begin with it
	Locale string
	Page   string // where one learns
	Alarm  bool   // at the time of the event
	Days   []Day
}

const (
	refresh       = "PT1H"
	shortestEvent = 5 // minutes
	longestEvent  = 8 * 60
)

// Document writes the calendar as it is at a time. Times are those of UTC, so that it needs no rules of time zones.
func (c *Calendar) Document(now time.Time) []byte {
	cal := ics.NewCalendarFor("Stoa")
	cal.SetProductId("-//Stoa//Reminders//EN")
	words := wordsOf(c.Locale)
	cal.SetName(words.name)
	cal.SetRefreshInterval(refresh, ics.WithValue("DURATION"))
	cal.SetXPublishedTTL(refresh)
	// A calendar must have something in it, also when nothing is due.
	utc := cal.AddTimezone("UTC").AddStandard()
	utc.SetProperty(ics.ComponentPropertyDtStart, "19700101T000000")
	utc.SetProperty("TZOFFSETFROM", "+0000")
	utc.SetProperty("TZOFFSETTO", "+0000")
	for _, d := range c.Days {
		if d.Due == 0 {
			continue
		}
		minutes := int(max(1, math.Round(d.Minutes)))
		title := words.title(d.Due, minutes)
		e := cal.AddEvent(c.Name + "-" + d.At.Format("20060102"))
		e.SetDtStampTime(now)
		e.SetModifiedAt(now)
		e.SetStartAt(d.At)
		e.SetEndAt(d.At.Add(time.Duration(min(max(minutes, shortestEvent), longestEvent)) * time.Minute))
		e.SetSummary(title)
		e.SetDescription(words.learn + c.Page)
		e.SetURL(c.Page)
		e.SetTimeTransparency(ics.TransparencyTransparent) // nobody is taken to be busy
		if c.Alarm {
			a := e.AddAlarm()
			a.SetAction(ics.ActionDisplay)
			a.SetTrigger("PT0S")
			a.SetDescription(title)
		}
	}
	return []byte(cal.Serialize(ics.WithNewLine("\r\n")))
}

// words are what a calendar says in one language; %d are how many and how long.
type words struct {
	name, one, many, learn string
}

// title sums up a day.
func (w *words) title(due, minutes int) string {
	if due == 1 {
		return fmt.Sprintf(w.one, due, minutes)
	}
	return fmt.Sprintf(w.many, due, minutes)
}

var languages = map[string]*words{
	"en": {"Stoa reviews", "%d question due, about %d min", "%d questions due, about %d min", "Learn: "},
	"zh": {"Stoa 复习", "%d 道题待复习，约 %d 分钟", "%d 道题待复习，约 %d 分钟", "去学习："},
	"ja": {"Stoa の復習", "復習する問題 %d 問、約 %d 分", "復習する問題 %d 問、約 %d 分", "学習ページ："},
}

func wordsOf(locale string) *words {
	language, _, _ := strings.Cut(locale, "-")
	if w := languages[language]; w != nil {
		return w
	}
	return languages["en"]
}
