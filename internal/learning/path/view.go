package path

import "time"

// Strategy names a way of planning.
type Strategy string

// The three strategies of the contract.
const (
	Balanced    Strategy = "balanced"
	Recovery    Strategy = "mastery_recovery"
	Exploration Strategy = "exploration_boost"
)

// Strategies lists them in the contract's order, which also breaks ties.
var Strategies = []Strategy{Balanced, Recovery, Exploration}

// Valid says whether s is one of the three.
func (s Strategy) Valid() bool { return s == Balanced || s == Recovery || s == Exploration }

// Context is how the person has been doing of late; it decides which plan-quality gates a plan must pass.
type Context string

// The contexts of the contract.
const (
	Unknown    Context = "insufficient_data"
	Stable     Context = "stable"
	Improving  Context = "improving"
	Regressing Context = "regressing"
)

// ContextOf is the context after the mean mastery deltas (fractions, newest first) of past sessions: the mean of the
// newest four is compared with ±0.02.
func ContextOf(deltas []float64) Context {
	n := min(len(deltas), 4)
	if n == 0 {
		return Unknown
	}
	sum := 0.0
	for _, d := range deltas[:n] {
		sum += d
	}
	switch mean := sum / float64(n); {
	case mean >= 0.02:
		return Improving
	case mean <= -0.02:
		return Regressing
	}
	return Stable
}

// Outcome is how the last attempt at a concept went.
type Outcome string

// The outcomes of the contract; None is a concept never tried.
const (
	None      Outcome = ""
	Correct   Outcome = "correct"
	Partial   Outcome = "partial"
	Incorrect Outcome = "incorrect"
	Skipped   Outcome = "skipped"
)

// Link leads from a concept to another one, by its number in View.Concepts.
type Link struct {
	To int
	// Weight is in 0..1: the confidence of a prerequisite edge, or the share of a repetition that practising the
	// concept gives to one that it encompasses.
	Weight float64
}

// Concept is what the tutor believes about one atom and one person.
type Concept struct {
	ID            string
	Prerequisites []Link
	Encompasses   []Link

	// Mastery is the probability in 0..1 that the person has ever learned this, forgetting aside; Variance is its
	// variance.
	Mastery, Variance float64
	// Shown is the mastery that the person was shown after the last answer; 0 is none.
	Shown    float64
	Attempts int

	// Retrievability is the probability in 0..1 that it is recalled now, as the person's model of memory has it and every
	// page shows it. Zero lets the traits work it out of Stability and Last.
	Retrievability float64
	// Stability is the number of days after which a learned thing is recalled with probability 0.9; zero is never seen.
	Stability float64
	// Difficulty is FSRS's, in 1..10; zero is unknown and taken as 5.
	Difficulty float64
	// Last is the time of the last attempt, DueAt that of the next review as the scheduler has it; zero is none.
	Last, DueAt time.Time
	Lapses      int
	// Failures counts the wrong answers in a row up to now.
	Failures    int
	LastOutcome Outcome

	// Placed says that something is known of what it needs: it has prerequisites, or it is known to need none.
	Placed bool
	// Early is how early in 0..1 it seems to come, for what is not placed: by the author's order, what others need of it and
	// how few other subjects its text names. 0 is unknown.
	Early float64

	// Misconception is the intensity of repeated errors of one named kind in 0..1 (see Misconceived), ErrorTag the dominant one.
	Misconception float64
	ErrorTag      string

	// Effort is how much harder than usual learning this is, 1 being usual; zero is taken as 1.
	Effort float64
	// Letters is the length of its text. Minutes is the time that one action on it takes; zero takes the person's usual time
	// for the action's kind and so many letters.
	Letters int
	Minutes float64
	// Deck is the number of its deck in View.Decks plus one; 0 is none, or one that bounds nothing today.
	Deck     int
	Evidence []string
}

// Edge is a divergence edge: an analogy, application, contrast or cause between two concepts.
type Edge struct {
	From, To   int
	Kind       string
	Confidence float64
	Evidence   []string
}

// Deck is what may still be done today of the concepts of a deck and of the decks below it; -1 is no bound.
type Deck struct {
	Above        int // the deck that it stands in, as Concept.Deck has it
	New, Reviews int
}

// View is the state a plan is made from. Plans do not change it.
type View struct {
	Now        time.Time
	Concepts   []Concept
	Divergence []Edge
	// Order is how the authors put the concepts, by their numbers: one list for each book, folder or table of contents.
	Order [][]int
	// Decks are what the options of imported decks allow today.
	Decks []Deck
	// Traits is what the evidence says of the person; the zero value is a person of whom nothing is known.
	Traits Traits
	// RecentSuccess is the share of right answers among the last RecentAnswers ones (about 30).
	RecentSuccess float64
	RecentAnswers int
}
