package path

import "stoa/internal/learning/mastery"

// Kind is what the person does.
type Kind string

// The kinds of the contract.
const (
	Quiz           Kind = "quiz"
	Explain        Kind = "explain"
	Review         Kind = "review"
	Transfer       Kind = "transfer"
	Counterexample Kind = "counterexample"
	Reflection     Kind = "reflection"
)

// Source says which part of planning an action comes from.
type Source string

// The sources of the contract.
const (
	SourceMastery     Source = "mastery_path"
	SourceDivergence  Source = "divergence_path"
	SourceRetrain     Source = "retrain_plan"
	SourceRemediation Source = "misconception_remediation"
)

// Rule says why a concept is a candidate.
type Rule string

// The rules, in order of precedence: a concept that several fit has the first.
const (
	WeakPrerequisite Rule = "weak_prerequisite" // something that rests on it failed in the last week, and it is not known well
	Lapsed           Rule = "lapsed"            // the last answer to something learned was wrong
	Misconception    Rule = "misconception"     // at least three errors of one named kind, the last answer among them
	Due              Rule = "due"               // the scheduler's day has come
	Strengthen       Rule = "strengthen"        // tried, and probably not learned yet
	Fringe           Rule = "outer_fringe"      // new, and all prerequisites are known
	Unplaced         Rule = "readiness_unknown" // new, and whether the person is ready for it is not known
	Ahead            Rule = "ahead_of_schedule" // known and not due
	Locked           Rule = "locked"            // new; what it needs and is missing comes before it in the plan
	Divergence       Rule = "divergence_edge"   // a neighbour by analogy, contrast, cause or application
)

// Numbers are what a rule and the scorer saw of an action's concept: probabilities in 0..1, days and minutes.
type Numbers struct {
	Mastery        float64 `json:"mastery"`
	Retrievability float64 `json:"retrievability"`
	Readiness      float64 `json:"readiness"`
	Success        float64 `json:"expectedSuccess"`
	RetainedWith   float64 `json:"retainedWith"`    // recall at the horizon if it is done
	RetainedAlone  float64 `json:"retainedWithout"` // recall at the horizon if it is not
	Unlocks        float64 `json:"unlocks"`         // part of the gain that comes from what rests on it, and from what it practises along
	HorizonDays    float64 `json:"horizonDays"`
	OverdueDays    float64 `json:"overdueDays"`
	Score          float64 `json:"score"` // what the strategy compared within the rank
	Rank           int     `json:"rank"`  // 0 goes first
}

// RunnerUp is the best candidate that was not taken.
type RunnerUp struct {
	AtomID  string  `json:"atomId"`
	Rule    Rule    `json:"rule"`
	Source  Source  `json:"source"`
	Score   float64 `json:"score"`
	Rank    int     `json:"rank"`
	Concept int     `json:"-"`
}

// Change is one thing that, had it been different, would have given the place to the runner-up.
type Change struct {
	// Quantity is minutes, mastery, retrievability, overdue (days) or rule.
	Quantity string  `json:"quantity"`
	Now      float64 `json:"now"`
	Then     float64 `json:"then"`
	// Rule is set when the quantity is rule: without it the action would have had the rank of the runner-up or a later one.
	Rule Rule `json:"rule,omitempty"`
}

// Reason is why an action stands in a plan, in parts that a page can put into words of any language.
type Reason struct {
	Rule     Rule      `json:"rule"`
	Strategy Strategy  `json:"strategy"`
	Numbers  Numbers   `json:"numbers"`
	RunnerUp *RunnerUp `json:"runnerUp,omitempty"`
	Changes  []Change  `json:"changes,omitempty"`
	// Gate names the plan-quality gate for whose sake it was taken before something that scored better.
	Gate string `json:"gate,omitempty"`
	// Because is the concept that brought it up: the failed dependant, or the source of a divergence edge; -1 is none.
	Because int `json:"-"`
}

// Action is one step of a plan.
type Action struct {
	ID       string // stable for a source, kind and atom
	Concept  int
	AtomID   string
	Kind     Kind
	Source   Source
	ErrorTag string
	Priority float64 // 0..120, falling along the plan
	Gain     float64 // expected gain in recall at the horizon, in concepts
	Minutes  float64
	Evidence []string
	// Relation is the chain of concepts that leads to this one: from the failed dependant, from a known neighbour, or
	// itself alone.
	Relation []int
	// After are the concepts that must be answered rightly before this one, which is locked without them.
	After  []int
	Reason Reason
}

// kindsFor lists the kinds of action that answer an error tag, first choice first.
func kindsFor(tag string) (kinds [3]Kind) {
	for i, kind := range mastery.ActionKinds(tag) {
		kinds[i] = Kind(kind)
	}
	return kinds
}

// kindsOf lists the kinds for a candidate: what is new is explained first, what is known is asked.
func kindsOf(rule Rule, tag string) [3]Kind {
	switch {
	case rule == Divergence:
		return [3]Kind{Transfer, Counterexample, Reflection}
	case tag != "" && rule != Due && rule != Ahead:
		return kindsFor(tag)
	case rule == Fringe || rule == Unplaced || rule == Locked:
		return [3]Kind{Explain, Quiz, Reflection}
	case rule == Due || rule == Ahead:
		return [3]Kind{Quiz, Review, Reflection}
	}
	return kindsFor(tag)
}
