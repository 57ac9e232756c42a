package path

import (
	"math"
	"time"
)

// Error is a wrong answer with what went wrong, as somebody named it.
type Error struct {
	Tag string `json:"tag"`
	At  int64  `json:"at"` // µs since 1970 UTC
}

const (
	// leastErrors is how many errors of one named kind make a misconception.
	leastErrors = 3
	// fades is the days in which an error comes to count half.
	fades = 21
)

// unnamed are the tags that say no more than that an answer was not right.
var unnamed = map[string]bool{"": true, "incorrect_answer": true, "concept_boundary": true, "skipped": true, "prerequisite_gap": true}

// misconceived gives the kind of error that keeps coming back on something and how much it does, 0 to 1: at least three of
// one named kind, which fade, with the last answer wrong. Any other is 0, with the newest named kind or "".
func misconceived(errors []Error, last Outcome, now time.Time) (tag string, intensity float64) {
	counts, weights := map[string]int{}, map[string]float64{}
	var newest int64
	for _, e := range errors {
		if unnamed[e.Tag] {
			continue
		}
		counts[e.Tag]++
		age := max(0, float64(now.UnixMicro()-e.At)/86400e6)
		weights[e.Tag] += math.Exp2(-age / fades)
		if e.At > newest {
			newest = e.At
		}
	}
	for _, e := range errors { // in their order, so that ties do not hang on the order of a map
		switch {
		case unnamed[e.Tag]:
		case tag == "" || weights[e.Tag] > weights[tag]:
			tag = e.Tag
		}
	}
	if tag == "" || counts[tag] < leastErrors || last != Incorrect {
		return tag, 0
	}
	return tag, weights[tag] / (weights[tag] + 2)
}
