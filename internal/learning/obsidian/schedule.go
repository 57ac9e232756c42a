package obsidian

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Schedule is when something is to be asked next, as the plug-in keeps it.
type Schedule struct {
	Due        time.Time // a day of the learner, as midnight in UTC
	Interval   float64   // days from the last review to Due
	Ease       int       // of SM-2, in percent; 0 where FSRS schedules
	Stability  float64   // of FSRS, days; 0 where SM-2 schedules
	Difficulty float64   // of FSRS, 1 to 10
}

const (
	day = 24 * time.Hour
	// NewEase is the ease of a card that was never answered.
	NewEase = 250
	// The plug-in takes these bounds of its ease for FSRS's difficulties 10 and 1.
	leastEase, mostEase = 130, 370
	// neverAsked stands for the day of a card that has no schedule while another of the same comment has one.
	neverAsked = "2000-01-01"
	// longestInterval bounds what is believed, in days.
	longestInterval = 36500
)

// Last is the day of the last review.
func (s *Schedule) Last() time.Time {
	return s.Due.Add(-time.Duration(math.Round(s.Interval)) * day)
}

// Hard is FSRS's difficulty, which is worked out from the ease where the plug-in keeps none.
func (s *Schedule) Hard() float64 {
	if s.Difficulty > 0 {
		return min(max(s.Difficulty, 1), 10)
	}
	ease := float64(min(max(s.Ease, leastEase), mostEase))
	return 10 - 9*(ease-leastEase)/(mostEase-leastEase)
}

// entry is one schedule of a comment, and where it stands in the text.
type entry struct {
	Schedule
	start, end int
	never      bool     // it has no schedule yet
	strange    bool     // it is written in a way that is not known
	fsrs       []string // the fields of an entry by FSRS
}

// comment is where a card's schedules stand.
type comment struct {
	start, end int
	entries    []entry
}

const (
	opening = "<!--SR:"
	closing = "-->"
)

// commentAt reads the comment that begins at an offset.
func commentAt(text string, at int, zone *time.Location) (comment, bool) {
	body := at + len(opening)
	n := strings.Index(text[body:], closing)
	if n < 0 || strings.ContainsAny(text[body:body+n], "\n<>") {
		return comment{}, false
	}
	c := comment{start: at, end: body + n + len(closing)}
	inside := text[body : body+n]
	if !strings.HasPrefix(inside, "!") { // as the plug-in wrote it before a card had several questions
		c.entries = append(c.entries, entryOf(inside, body, zone))
		return c, true
	}
	for from := 0; from < len(inside); {
		to := len(inside)
		if k := strings.IndexByte(inside[from+1:], '!'); k >= 0 {
			to = from + 1 + k
		}
		c.entries = append(c.entries, entryOf(inside[from+1:to], body+from+1, zone))
		from = to
	}
	return c, true
}

// entryOf reads one entry that stands at an offset.
func entryOf(text string, at int, zone *time.Location) entry {
	e := entry{start: at, end: at + len(text), strange: true}
	parts := strings.Split(text, ",")
	if parts[0] == "fsrs" {
		return e.byFSRS(parts, zone)
	}
	if len(parts) != 3 {
		return e
	}
	s, ok := scheduleOf(parts[0], parts[1], parts[2])
	if !ok {
		return e
	}
	e.Schedule, e.strange, e.never = s, false, parts[0] == neverAsked
	return e
}

// byFSRS reads "fsrs", the time it is due, days, stability, difficulty, state, reviews, lapses, step and the time of the last review.
func (e entry) byFSRS(parts []string, zone *time.Location) entry {
	if len(parts) != 10 {
		return e
	}
	due, err := time.Parse(time.RFC3339, parts[1])
	stability, errStability := strconv.ParseFloat(parts[3], 64)
	difficulty, errDifficulty := strconv.ParseFloat(parts[4], 64)
	if err != nil || errStability != nil || errDifficulty != nil || !(stability >= 0) || !(difficulty >= 0) || stability > longestInterval || difficulty > 10 {
		return e
	}
	e.fsrs, e.strange = parts, false
	last, err := time.Parse(time.RFC3339, parts[9])
	if err != nil || stability == 0 || difficulty == 0 || last.After(due) {
		e.never = true
		return e
	}
	e.Schedule = Schedule{Due: DayIn(due, zone), Stability: stability, Difficulty: difficulty}
	e.Interval = DayIn(due, zone).Sub(DayIn(last, zone)).Hours() / 24
	return e
}

// scheduleOf reads day, interval and ease.
func scheduleOf(due, interval, ease string) (Schedule, bool) {
	when, ok := readDay(due)
	days, err := strconv.ParseFloat(interval, 64)
	percent, errEase := strconv.ParseFloat(ease, 64)
	if !ok || err != nil || errEase != nil || !(days >= 0 && days <= longestInterval) || !(percent > 0 && percent < 10000) {
		return Schedule{}, false
	}
	return Schedule{Due: when, Interval: days, Ease: int(percent)}, true
}

// readDay reads a day in one of the three forms that the plug-in takes.
func readDay(text string) (time.Time, bool) {
	for _, form := range []string{time.DateOnly, "02-01-2006", "Mon Jan 02 2006"} {
		if t, err := time.Parse(form, text); err == nil && t.Year() >= 1970 && t.Year() < 10000 {
			return t, true
		}
	}
	return time.Time{}, false
}

// DayIn is the day of a time for somebody in a time zone, as midnight in UTC: days can then be counted whatever the clocks do.
func DayIn(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// starts is when a day begins in a time zone.
func starts(day time.Time, zone *time.Location) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone).UTC()
}

// written gives an entry with another schedule. Of one by FSRS that counts a review, and that it is in review.
func (e *entry) written(s *Schedule, zone *time.Location) string {
	if e.fsrs == nil {
		return s.Due.Format(time.DateOnly) + "," + days(s.Interval) + "," + strconv.Itoa(s.Ease)
	}
	parts := append([]string(nil), e.fsrs...)
	reviews, err := strconv.Atoi(parts[6])
	if err != nil {
		reviews = 0
	}
	const form = "2006-01-02T15:04:05.000Z"
	parts[1], parts[2], parts[3], parts[4] = starts(s.Due, zone).Format(form), days(s.Interval), number(s.Stability), number(s.Difficulty)
	parts[5], parts[6], parts[8], parts[9] = "2", strconv.Itoa(reviews+1), "0", starts(s.Last(), zone).Format(form)
	return strings.Join(parts, ",")
}

func days(n float64) string { return strconv.Itoa(max(1, int(math.Round(n)))) }

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
