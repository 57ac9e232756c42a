package path

import (
	"time"

	"stoa/internal/learning/mastery/fsrs"
)

// Belief is what plans need of one person and one concept, followed answer by answer. It is plain data: the same answers
// in the same order give the same Belief. The zero value is a concept never met.
type Belief struct {
	Learned     float64 `json:"learned"`    // probability in 0..1 that it was ever learned, forgetting aside
	Stability   float64 `json:"stability"`  // days; 0 is never answered
	Difficulty  float64 `json:"difficulty"` // FSRS's, 1 to 10
	Last        int64   `json:"last"`       // the last answer, µs since 1970 UTC; 0 is none
	Correct     int     `json:"correct"`
	Partial     int     `json:"partial"`
	Incorrect   int     `json:"incorrect"`
	Skipped     int     `json:"skipped"`
	Lapses      int     `json:"lapses"`
	Failures    int     `json:"failures"` // wrong answers in a row up to now
	LastOutcome Outcome `json:"lastOutcome"`
}

// unmet is how likely it is that something was learned before it was ever asked.
const unmet = 0.02

// Attempts counts the answers, skipped questions not among them.
func (b *Belief) Attempts() int { return b.Correct + b.Partial + b.Incorrect }

// Fill puts the belief into the concept that a plan is made of.
func (b *Belief) Fill(c *Concept) {
	c.Mastery, c.Attempts, c.Stability, c.Difficulty = max(b.Learned, unmet), b.Attempts(), b.Stability, b.Difficulty
	c.Variance = c.Mastery * (1 - c.Mastery)
	c.Lapses, c.Failures, c.LastOutcome = b.Lapses, b.Failures, b.LastOutcome
	if b.Last > 0 {
		c.Last = time.UnixMicro(b.Last).UTC()
		c.DueAt = c.Last.Add(time.Duration(b.Stability * float64(24*time.Hour)))
	}
}

// memory is FSRS-6 with its published defaults; how a person differs from them is in Traits.
var memory = fsrs.NewModel(fsrs.Default)

// Held is the probability in 0..1 that it was learned and is recalled at a time.
func (b *Belief) Held(m *Model, at time.Time) float64 {
	if b.Stability <= 0 {
		return 0
	}
	return max(b.Learned, unmet) * m.recall(days(at, time.UnixMicro(b.Last)), b.Stability)
}

// Readiness is how far in 0..1 the prerequisites of something are known: held gives it for one, by its number.
func Readiness(needs []Link, held func(i int) float64) float64 {
	ready := 1.0
	for _, l := range needs {
		ready *= 1 - l.Weight*(1-held(l.To))
	}
	return ready
}

// answer processes one answer: it changes the belief and the traits of the person; m is the model of t, as it was when
// the answer was planned. readiness in 0..1 is how far the prerequisites are known, effort how much harder than usual
// learning this is.
//
// There are four ways to stand before the answer: learned and recalled, learned and forgotten, learned by this very
// attempt, not learned. The answer is weighed against each (Bayes, with the usual guess and slip), a partial one for
// neither side.
func (b *Belief) answer(t *Traits, m *Model, at time.Time, readiness, effort float64, outcome Outcome) {
	failures := b.Failures
	now := max(at.UnixMicro(), b.Last)
	b.LastOutcome = outcome
	switch outcome {
	case Skipped:
		b.Skipped++
		return
	case Correct:
		b.Correct++
		b.Failures = 0
	case Partial:
		b.Partial++
	default:
		b.Incorrect++
		b.Failures++
	}
	before, right := max(b.Learned, unmet), outcome == Correct
	t.answered(right)
	elapsed, r := 0.0, 0.0
	if b.Stability > 0 {
		elapsed = days(time.UnixMicro(now), time.UnixMicro(b.Last))
		r = m.recall(elapsed, b.Stability)
	}
	teaches := m.teaches(readiness, effort, failures, elapsed)
	knows, knowsNot := 0.5, 0.5
	if outcome != Partial {
		knows, knowsNot = answer(1, right), answer(0, right)
		if b.Stability > 0 {
			t.review(elapsed, b.Stability, before, right)
		}
		t.attempt(Try{Mastery: before, Readiness: readiness, Effort: effort, Failures: failures, Days: elapsed}, 1, right)
	}
	held, gone := before*r*knows, before*(1-r)*knowsNot
	taught, not := (1-before)*teaches*knows, (1-before)*(1-teaches)*knowsNot
	b.Learned = min(0.995, max(0.005, (held+gone+taught)/(held+gone+taught+not)))
	b.remember(before, elapsed, outcome)
	b.Last = now
}

// given takes a memory as another program left it with a review at a time: it was learned there.
func (b *Belief) given(s fsrs.State, at time.Time) {
	b.Correct++
	b.Failures, b.LastOutcome = 0, Correct
	b.Learned = max(b.Learned, learnedElsewhere)
	b.Stability, b.Difficulty = s.Stability, s.Difficulty
	b.Last = max(at.UnixMicro(), b.Last)
}

// learnedElsewhere is how surely something was learned that another program schedules: what it asks is often only read.
const learnedElsewhere = 0.9

// remember lets FSRS-6 go on from the answer. What was probably not learned before is learned only now, if at all.
func (b *Belief) remember(before, elapsed float64, outcome Outcome) {
	grade := fsrs.Again
	switch outcome {
	case Correct:
		grade = fsrs.Good
	case Partial:
		grade = fsrs.Hard
	}
	var was fsrs.State
	if before >= learned {
		was = fsrs.State{Stability: b.Stability, Difficulty: b.Difficulty}
		if outcome == Incorrect {
			b.Lapses++
		}
	}
	is := memory.Next(was, grade, elapsed)
	b.Stability, b.Difficulty = is.Stability, is.Difficulty
}
