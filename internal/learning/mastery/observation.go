package mastery

import (
	"math"
	"time"

	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/online"
	"stoa/internal/platform/errs"
)

// Outcome is how an answer was.
type Outcome string

// The outcomes of the contract.
const (
	Correct   Outcome = "correct"
	Partial   Outcome = "partial"
	Incorrect Outcome = "incorrect"
	Skipped   Outcome = "skipped"
)

// Observation is one line of the log: one answer of one person.
type Observation struct {
	AtomID       string
	AlsoAtomIDs  []string      // other atoms the same answer needs; it stays one observation
	ItemID       string        // the question, where it has a difficulty of its own
	ItemEase     online.Belief // what others share of how easy the question is, for its first answer; a variance of 0 is nothing
	Outcome      Outcome
	Grade        fsrs.Grade    // which of four buttons was pressed, 0 for none; memory takes it as it is
	At           time.Time     // zero: unknown, then memory is not touched
	ResponseTime time.Duration // zero: unknown
	Confidence   *float64      // the person's own, 0 to 1; nil: not given
	Tags         []string      // error tags; none: the default of the outcome
	// Given is the memory as another program left it with its review at At; nil for an answer that was given here.
	Given *fsrs.State
	// QuestionID is which stored question was answered. It says what of the atom was asked.
	QuestionID string
}

func (o *Observation) check() error {
	switch {
	case o.AtomID == "":
		return errs.New(errs.InvalidRequest, "an observation needs an atomId")
	case o.Outcome != Correct && o.Outcome != Partial && o.Outcome != Incorrect && o.Outcome != Skipped:
		return errs.New(errs.InvalidRequest, "the outcome is correct, partial, incorrect or skipped")
	case o.Given != nil && (o.Given.New() || !o.Given.Valid() || o.At.IsZero()):
		return errs.New(errs.InvalidRequest, "a memory that is given needs its stability, its difficulty and the time of its review")
	}
	return nil
}

// lesson is the outcome as the models of knowledge take it. A skipped question says half as much as a wrong answer, and
// a right answer given without any confidence three quarters of one given with the usual 0.7: a guess proves less. Both
// are choices, not measured.
func (o *Observation) lesson() online.Outcome {
	l := online.Outcome{Weight: 1}
	switch o.Outcome {
	case Correct:
		l.Y = 1
		if c := o.confidence(); c < usualConfidence {
			l.Weight = 0.75 + 0.25*c/usualConfidence
		}
	case Partial:
		l.Y = 0.5
	case Skipped:
		l.Weight = 0.5
	}
	return l
}

const usualConfidence = 0.7 // taken when none is given, as in the earlier implementation

func (o *Observation) confidence() float64 {
	if o.Confidence == nil || math.IsNaN(*o.Confidence) {
		return usualConfidence
	}
	return math.Min(math.Max(*o.Confidence, 0), 1)
}

// grade is the outcome as memory takes it: 0 if memory was not asked. A right answer is Hard when it took far
// longer than the person's usual or was given with little confidence, Easy when it was both sure and quick.
func (o *Observation) grade(t tempo) fsrs.Grade {
	if o.Grade >= fsrs.Again && o.Grade <= fsrs.Easy {
		return o.Grade
	}
	switch o.Outcome {
	case Incorrect:
		return fsrs.Again
	case Partial:
		return fsrs.Hard
	case Skipped:
		return 0
	}
	c, ratio := o.confidence(), t.ratio(o.ResponseTime)
	switch {
	case c < 0.4 || ratio >= 2.5:
		return fsrs.Hard
	case c >= 0.9 && ratio > 0 && ratio <= 0.6:
		return fsrs.Easy
	}
	return fsrs.Good
}

// micros is the moment in microseconds since 1970 UTC, 0 if unknown. Earlier moments are taken for the first one.
func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return min(max(at.UnixMicro(), 1), latest)
}

// latest is the year 9999, after which nothing happens here.
const latest = 253402300799_000000

// tempo is a person's usual time for an answer: a moving average of its logarithm.
type tempo struct{ Log, Answers float64 }

// known is how many answers make a usual time, and the weight of a new one from there on.
const known = 10

func (t *tempo) add(d time.Duration) {
	if d <= 0 {
		return
	}
	t.Answers = math.Min(t.Answers+1, known)
	t.Log += (math.Log(d.Seconds()) - t.Log) / t.Answers
}

// ratio is a time against the usual one, 0 while there is none.
func (t tempo) ratio(d time.Duration) float64 {
	if d <= 0 || t.Answers < known {
		return 0
	}
	return d.Seconds() / math.Exp(t.Log)
}
