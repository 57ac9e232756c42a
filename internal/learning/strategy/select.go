package strategy

import (
	"fmt"
	"math"
	"time"

	"stoa/internal/learning/path"
)

// Conditions that a switch must meet.
const (
	enoughOutcomes = 20
	enoughPerArm   = 12
	freshest       = 30 * 24 * time.Hour
	// LeastLearners is how many people's effects must be known before those of others count for anybody.
	LeastLearners = 5
	mostAgree     = 0.6 // share of them for whom the strategy must have been better
	// Hold is the number of sessions that a chosen strategy stays.
	Hold = 5
)

// Inputs is what a choice is made from.
type Inputs struct {
	Explicit path.Strategy // asked for by the caller, or empty
	// Auto and MinConfidence are strategyAutoPathEnabled and strategyMinConfidence.
	Auto          bool
	MinConfidence float64
	Everyone      *Evidence // of all learners in scope; of the person alone when there are too few others
	Pooled        bool      // Everyone is of several people
	Person        *Evidence // of the person; may be nil
	FailingCheck  string    // open failure of the alignment check, or empty
	Fallback      path.Strategy
	Held          path.Strategy // strategy_trend's last choice, or empty
	HeldFor       int           // sessions since it was chosen
	Now           time.Time
}

// Unmet is the first condition that was not met.
type Unmet struct {
	Condition string        `json:"condition"`
	Strategy  path.Strategy `json:"strategy,omitempty"`
	Observed  float64       `json:"observed"`
	Needed    float64       `json:"needed"`
	AtMost    bool          `json:"atMost,omitempty"` // Needed is the most that Observed may be
}

// Scope gives the evidence that a person's strategy is chosen by: everybody's once it is of enough people, else their own.
func Scope(everyone, person *Evidence) (evidence *Evidence, pooled bool) {
	for a := range everyone.Spreads {
		if everyone.Spreads[a].Persons >= LeastLearners {
			return everyone, true
		}
	}
	return person, false
}

// Selection is what was chosen and why; the fields map to the contract's pathStrategySelection… and pathStrategyTrend….
type Selection struct {
	Strategy   path.Strategy
	Source     Source
	Reason     string
	Unmet      *Unmet
	Confidence float64 // of strategy_trend, 0..1
	Low, High  float64 // interval of the contrast behind it, percentage points
}

// Select chooses: an explicit request first; then a strategy whose evidence passes every condition; else the fallback,
// with the first unmet condition and its numbers.
func Select(in Inputs) Selection {
	if in.Explicit.Valid() {
		return Selection{Strategy: in.Explicit, Source: Explicit, Reason: "explicit_request:" + string(in.Explicit)}
	}
	fallback := in.Fallback
	if !fallback.Valid() {
		fallback = path.Balanced
	}
	best, unmet := in.best()
	if in.holds(best.Strategy) {
		c := in.Everyone.contrast(in.Held)
		return Selection{
			Strategy: in.Held, Source: Trend, Reason: fmt.Sprintf("strategy_trend:%s:held=%d<%d", in.Held, in.HeldFor, Hold),
			Confidence: in.personal(in.Held), Low: c.Low, High: c.High,
		}
	}
	if unmet != nil {
		return Selection{Strategy: fallback, Source: Fallback, Reason: unmet.reason(), Unmet: unmet}
	}
	best.Source = Trend
	best.Reason = fmt.Sprintf("strategy_trend:%s:contrast_low=%.3f:confidence=%.2f", best.Strategy, best.Low, best.Confidence)
	return best
}

// holds reports whether the strategy chosen last is kept for now although it is not the best by the newest block. What
// ends a choice at once: a failing check, evidence that is too old or of too few, and a confidence below the configured one.
func (in Inputs) holds(best path.Strategy) bool {
	if !in.Auto || in.Everyone == nil || in.FailingCheck != "" || index(in.Held) < 1 || in.Held == best || in.HeldFor >= Hold {
		return false
	}
	a := index(in.Held)
	return in.Everyone.rolledBack(in.Held) == "" && in.Now.Sub(in.Everyone.Arms[a].Newest) < freshest && in.personal(in.Held) >= in.MinConfidence &&
		(!in.Pooled || in.Everyone.Spreads[a-1].Persons >= LeastLearners)
}

func (u *Unmet) reason() string {
	at := u.Condition
	if u.Strategy != "" {
		at += ":" + string(u.Strategy)
	}
	sign := "<"
	if u.AtMost {
		sign = ">"
	}
	return fmt.Sprintf("mode_fallback:%s:%.4g%s%.4g", at, u.Observed, sign, u.Needed)
}

// best is the strategy with the highest lower bound among those that meet all conditions, or the first condition that
// the one which came furthest does not meet.
func (in Inputs) best() (Selection, *Unmet) {
	switch {
	case !in.Auto:
		return Selection{}, &Unmet{Condition: "auto_path_disabled", Needed: 1}
	case in.Everyone == nil:
		return Selection{}, &Unmet{Condition: "randomised_outcomes", Needed: enoughOutcomes}
	case in.Everyone.outcomes() < enoughOutcomes:
		return Selection{}, &Unmet{Condition: "randomised_outcomes", Observed: float64(in.Everyone.outcomes()), Needed: enoughOutcomes}
	case in.FailingCheck != "":
		return Selection{}, &Unmet{Condition: "open_failure_" + in.FailingCheck, Needed: 1}
	}
	var best Selection
	var unmet *Unmet
	furthest := -1
	for _, s := range path.Strategies[1:] {
		stage, u := in.meets(s)
		if u != nil {
			if stage > furthest {
				furthest, unmet = stage, u
			}
			continue
		}
		c := in.Everyone.contrast(s)
		if best.Strategy == "" || c.Low > best.Low {
			best = Selection{Strategy: s, Low: c.Low, High: c.High, Confidence: in.personal(s)}
		}
	}
	if best.Strategy != "" {
		return best, nil
	}
	return best, unmet
}

// meets checks the conditions of one strategy in their order; the stage says how far it came.
func (in Inputs) meets(s path.Strategy) (stage int, u *Unmet) {
	e, own, base := in.Everyone, in.Everyone.Arms[index(s)], in.Everyone.Arms[0]
	c, rolled, personal := e.contrast(s), e.rolledBack(s), in.personal(s)
	spread := e.Spreads[index(s)-1]
	days := in.Now.Sub(own.Newest).Hours() / 24
	agree := math.Ceil(mostAgree * float64(spread.Persons))
	gap, _, _ := own.Probes.points()
	for stage, check := range []struct {
		condition        string
		observed, needed float64
		met, atMost      bool
	}{
		{"learners", float64(spread.Persons), LeastLearners, !in.Pooled || spread.Persons >= LeastLearners, false},
		{"learners_better", float64(spread.Positive), agree, !in.Pooled || float64(spread.Positive) >= agree, false},
		{"outcomes_per_arm", float64(min(own.Outcome.N, base.Outcome.N)), enoughPerArm, min(own.Outcome.N, base.Outcome.N) >= enoughPerArm, false},
		{"evidence_age_days", days, freshest.Hours() / 24, in.Now.Sub(own.Newest) < freshest, true},
		{"contrast_blocks", float64(e.Contrasts[index(s)-1].N), earliest, c.Ready, false},
		{"calibration_gap", math.Abs(gap), 5, !own.Probes.off(), true},
		{"rolled_back_" + rolled, 0, 1, rolled == "", false},
		{"contrast_lower_bound", c.Low, 0, c.Low > 0, false},
		{"personal_confidence", personal, in.MinConfidence, personal >= in.MinConfidence, false},
	} {
		if !check.met {
			return stage, &Unmet{Condition: check.condition, Strategy: s, Observed: check.observed, Needed: check.needed, AtMost: check.atMost}
		}
	}
	return 0, nil
}
