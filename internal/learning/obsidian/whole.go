package obsidian

import (
	"strings"
	"time"
)

// whole is the schedule of a note in its front matter, with where its three values stand.
type whole struct {
	Schedule
	at [3][2]int // of due, interval and ease
}

var wholeKeys = [3]string{"sr-due:", "sr-interval:", "sr-ease:"}

// Whole gives the schedule of a note that is reviewed as a whole; false when it has none.
func Whole(text string) (Schedule, bool) {
	w, ok := wholeOf(text)
	return w.Schedule, ok
}

func wholeOf(text string) (w whole, ok bool) {
	at := strings.IndexByte(text, '\n') + 1
	if at == 0 || strings.TrimRight(text[:at], "\r\n") != "---" {
		return w, false
	}
	var values [3]string
	found := 0
	for at < len(text) {
		end := lineEnd(text, at)
		line := strings.TrimRight(text[at:end], "\r")
		if line == "---" {
			break
		}
		for i, key := range wholeKeys {
			if rest, has := strings.CutPrefix(line, key); has && values[i] == "" {
				value := strings.Trim(rest, " \t\"'")
				if value == "" {
					continue
				}
				start := at + len(key) + strings.Index(rest, value)
				values[i], w.at[i] = value, [2]int{start, start + len(value)}
				found++
			}
		}
		at = end + 1
	}
	if at >= len(text) || found != len(wholeKeys) {
		return w, false
	}
	w.Schedule, ok = scheduleOf(values[0], values[1], values[2])
	return w, ok
}

// WholeEdits gives what must change for a note that is reviewed as a whole to have another schedule. Its ease stays.
func WholeEdits(text string, s Schedule) []Edit {
	w, ok := wholeOf(text)
	if !ok {
		return nil
	}
	list := []Edit{{w.at[0][0], w.at[0][1], s.Due.Format(time.DateOnly)}, {w.at[1][0], w.at[1][1], days(s.Interval)}}
	if w.at[0][0] > w.at[1][0] {
		list[0], list[1] = list[1], list[0]
	}
	return list
}
