package mastery

import (
	"testing"
	"time"

	"stoa/internal/learning/mastery/fsrs"
)

// A right answer is hard, good or easy by how sure and how quick it was; a grade that somebody gave counts as it is.
func TestGrades(t *testing.T) {
	usual := tempo{}
	for range 20 {
		usual.add(10 * time.Second)
	}
	at := func(c float64) *float64 { return &c }
	for name, c := range map[string]struct {
		o    Observation
		want fsrs.Grade
	}{
		"given":             {Observation{Outcome: Incorrect, Grade: fsrs.Easy}, fsrs.Easy},
		"wrong":             {Observation{Outcome: Incorrect, Confidence: at(1)}, fsrs.Again},
		"partial":           {Observation{Outcome: Partial, Confidence: at(1), ResponseTime: time.Second}, fsrs.Hard},
		"skipped":           {Observation{Outcome: Skipped}, 0},
		"right":             {Observation{Outcome: Correct, Confidence: at(.5), ResponseTime: 10 * time.Second}, fsrs.Good},
		"unsure":            {Observation{Outcome: Correct, Confidence: at(.39)}, fsrs.Hard},
		"not quite unsure":  {Observation{Outcome: Correct, Confidence: at(.41)}, fsrs.Good},
		"slow":              {Observation{Outcome: Correct, Confidence: at(1), ResponseTime: 26 * time.Second}, fsrs.Hard},
		"rather slow":       {Observation{Outcome: Correct, Confidence: at(1), ResponseTime: 24 * time.Second}, fsrs.Good},
		"sure and quick":    {Observation{Outcome: Correct, Confidence: at(.9), ResponseTime: 59 * time.Second / 10}, fsrs.Easy},
		"sure, not quick":   {Observation{Outcome: Correct, Confidence: at(.9), ResponseTime: 61 * time.Second / 10}, fsrs.Good},
		"quick, not sure":   {Observation{Outcome: Correct, Confidence: at(.89), ResponseTime: time.Second}, fsrs.Good},
		"sure without time": {Observation{Outcome: Correct, Confidence: at(1)}, fsrs.Good},
	} {
		if got := c.o.grade(usual); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
