package strategy

import (
	"fmt"
	"time"

	"stoa/internal/learning/path"
)

// Conditions that a switch must meet.
const (
	enoughOutcomes = 20
	enoughPerArm   = 12
	freshest       = 30 * 24 * time.Hour
	// Hold is the number of sessions that a chosen strategy stays.
	Hold = 5
)

// Inputs is what a choice is made from.
type Inputs struct {
	Explicit path.Strategy // asked for by the caller, or empty
	// Auto and MinConfidence are strategyAutoPathEnabled and strategyMinConfidence.
	Auto          bool
	MinConfidence float64
	Everyone      *Evidence // of all learners in scope; of the person alone when there are no others
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
	if in.Auto && in.Everyone != nil && in.FailingCheck == "" && in.Held.Valid() && in.Held != best.Strategy && in.HeldFor < Hold && in.Everyone.RolledBack(in.Held) == "" {
		c := in.Everyone.Contrast(in.Held)
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

func (u *Unmet) reason() string {
	at := u.Condition
	if u.Strategy != "" {
		at += ":" + string(u.Strategy)
	}
	return fmt.Sprintf("mode_fallback:%s:%.4g<%.4g", at, u.Observed, u.Needed)
}

// best is the strategy with the highest lower bound among those that meet all conditions, or the first condition that
// the one which came furthest does not meet.
func (in Inputs) best() (Selection, *Unmet) {
	switch {
	case !in.Auto:
		return Selection{}, &Unmet{Condition: "auto_path_disabled", Needed: 1}
	case in.Everyone == nil:
		return Selection{}, &Unmet{Condition: "randomised_outcomes", Needed: enoughOutcomes}
	case in.Everyone.Outcomes() < enoughOutcomes:
		return Selection{}, &Unmet{Condition: "randomised_outcomes", Observed: float64(in.Everyone.Outcomes()), Needed: enoughOutcomes}
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
		c := in.Everyone.Contrast(s)
		if best.Strategy == "" || c.Low > best.Low {
			best = Selection{Strategy: s, Low: c.Low, High: c.High, Confidence: min(1-Alpha, in.personal(s))}
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
	c, rolled, personal := e.Contrast(s), e.RolledBack(s), in.personal(s)
	for stage, check := range []struct {
		condition        string
		observed, needed float64
		met              bool
	}{
		{"outcomes_per_arm", float64(min(own.Outcome.N, base.Outcome.N)), enoughPerArm, min(own.Outcome.N, base.Outcome.N) >= enoughPerArm},
		{"evidence_age_days", -in.Now.Sub(own.Newest).Hours() / 24, -freshest.Hours() / 24, in.Now.Sub(own.Newest) < freshest},
		{"contrast_blocks", float64(e.Contrasts[index(s)-1].N), earliest, c.Ready},
		{"calibration_gap", 0, 1, !own.Probes.Off()},
		{"rolled_back_" + rolled, 0, 1, rolled == ""},
		{"contrast_lower_bound", c.Low, 0, c.Low > 0},
		{"personal_confidence", personal, in.MinConfidence, personal >= in.MinConfidence},
	} {
		if !check.met {
			return stage, &Unmet{check.condition, s, check.observed, check.needed}
		}
	}
	return 0, nil
}
