package path

import "math"

// Thresholds of a plan's evaluation, with the contract's names and units.
type Thresholds struct {
	MinTotalActions                   int     `json:"minTotalActions"`
	MinEvidenceCoverageRatioPct       float64 `json:"minEvidenceCoverageRatioPct"`
	MaxBudgetDeviationActions         float64 `json:"maxBudgetDeviationActions"`
	MinRecoverySharePctWhenRegressing float64 `json:"minRecoverySharePctWhenRegressing"`
	MaxDivergenceSharePctRegressing   float64 `json:"maxDivergenceSharePctWhenRegressing"`
	MinDivergenceSharePctImproving    float64 `json:"minDivergenceSharePctWhenImproving"`
}

// DefaultThresholds are the contract's.
func DefaultThresholds() Thresholds {
	return Thresholds{
		MinTotalActions: 2, MinEvidenceCoverageRatioPct: 100 * leastEvidence, MaxBudgetDeviationActions: 2,
		MinRecoverySharePctWhenRegressing: 50, MaxDivergenceSharePctRegressing: 100 * mostWhenRegressing,
		MinDivergenceSharePctImproving: 100 * leastWhenImproving,
	}
}

// Gate is one condition of a plan's evaluation.
type Gate struct {
	ID        string  `json:"gateId"`
	Observed  float64 `json:"observed"`
	Threshold float64 `json:"threshold"`
	AtLeast   bool    `json:"atLeast"` // else at most
	Passed    bool    `json:"passed"`
}

// Entry is what evaluation needs of an action.
type Entry struct {
	Source   Source
	Evidence bool
}

// Evaluation is how a plan stands against the gates of its context.
type Evaluation struct {
	Context          Context
	TotalActions     int
	EvidencePct      float64
	BudgetDeviation  float64 // actions
	RecoveryPct      float64
	DivergencePct    float64
	Gates            []Gate
	Passed           bool
	Status           string // healthy, watch or risk
	Score            float64
	Confidence       float64
	Reason           string // the first gate that failed, or all_gates_passed
	FailedGates      int
	BudgetOfThisPlan int
}

// Evaluate judges a plan by the budget that it was asked for (zero is none: then it cannot deviate).
func Evaluate(plan []Entry, budget int, context Context, t Thresholds) Evaluation {
	n := len(plan)
	e := Evaluation{Context: context, TotalActions: n, EvidencePct: 100, BudgetOfThisPlan: budget}
	evidence, recovery, divergence := 0, 0, 0
	for _, a := range plan {
		if a.Evidence {
			evidence++
		}
		switch a.Source {
		case SourceDivergence:
			divergence++
		case SourceMastery, SourceRetrain, SourceRemediation:
			recovery++
		}
	}
	if n > 0 {
		e.EvidencePct = 100 * float64(evidence) / float64(n)
		e.RecoveryPct = 100 * float64(recovery) / float64(n)
		e.DivergencePct = 100 * float64(divergence) / float64(n)
	}
	if budget > 0 {
		e.BudgetDeviation = math.Abs(float64(n - budget))
	}
	e.gate("total_actions", float64(n), float64(t.MinTotalActions), true)
	e.gate("evidence_coverage", e.EvidencePct, t.MinEvidenceCoverageRatioPct, true)
	e.gate("budget_deviation", e.BudgetDeviation, t.MaxBudgetDeviationActions, false)
	switch context {
	case Regressing:
		e.gate("recovery_share_regressing", e.RecoveryPct, t.MinRecoverySharePctWhenRegressing, true)
		e.gate("divergence_share_regressing", e.DivergencePct, t.MaxDivergenceSharePctRegressing, false)
	case Improving:
		e.gate("divergence_share_improving", e.DivergencePct, t.MinDivergenceSharePctImproving, true)
	}
	e.finish(t)
	return e
}

func (e *Evaluation) gate(id string, observed, threshold float64, atLeast bool) {
	passed := observed >= threshold-1e-9
	if !atLeast {
		passed = observed <= threshold+1e-9
	}
	if !passed {
		if e.FailedGates == 0 {
			e.Reason = id
		}
		e.FailedGates++
	}
	e.Gates = append(e.Gates, Gate{id, observed, threshold, atLeast, passed})
}

// finish works out the score: 0.58 gates passed, 0.20 evidence, 0.12 budget, 0.06 recovery, 0.04 not divergence (the
// contract's weights).
func (e *Evaluation) finish(t Thresholds) {
	budget := 1 - min(1, e.BudgetDeviation/max(1, t.MaxBudgetDeviationActions+2))
	passed := float64(len(e.Gates)-e.FailedGates) / float64(len(e.Gates))
	e.Score = 0.58*passed + 0.20*e.EvidencePct/100 + 0.12*budget + 0.06*e.RecoveryPct/100 + 0.04*(1-e.DivergencePct/100)
	least := 0.0
	if e.TotalActions > 0 {
		least = 0.35
	}
	e.Confidence = min(1, max(least, float64(e.TotalActions)/float64(max(2, 2*t.MinTotalActions))))
	e.Passed = e.FailedGates == 0
	switch e.FailedGates {
	case 0:
		e.Status, e.Reason = "healthy", "all_gates_passed"
	case 1:
		e.Status = "watch"
	default:
		e.Status = "risk"
	}
}

// Adapt makes thresholds fit a person's past plans: means over them of actions, evidence in percent and deviation.
func (t Thresholds) Adapt(actions, evidencePct, deviation float64) Thresholds {
	t.MinTotalActions = max(1, int(math.Floor(max(float64(t.MinTotalActions), 0.6*actions))))
	t.MinEvidenceCoverageRatioPct = max(t.MinEvidenceCoverageRatioPct, 0.85*evidencePct)
	t.MaxBudgetDeviationActions = max(t.MaxBudgetDeviationActions, math.Ceil(deviation+1))
	return t
}

// Effectiveness compares a plan with a random path of as many actions on the same state: concepts drawn without
// replacement, each with one action. The expectation over all random paths is exact, so nothing is drawn.
type Effectiveness struct {
	Actions int
	// Plan and Random are the expected gains in recall at the horizon, in concepts; Deviation is the standard deviation
	// of Random over random paths.
	Plan, Random, Deviation float64
	// PlanPct and RandomPct are the gains per action, in percent; LiftPct is their difference.
	PlanPct, RandomPct, LiftPct float64
}

// Effective compares actions on concepts (one entry per action; the second action on a concept counts as Make counts it)
// with random paths on the same state.
func Effective(v *View, concepts []int, horizonDays float64) Effectiveness {
	if horizonDays <= 0 {
		horizonDays = DefaultHorizon
	}
	s := newScorer(v, horizonDays, nil)
	n, k := float64(len(v.Concepts)), float64(len(concepts))
	e := Effectiveness{Actions: len(concepts)}
	if n == 0 || k == 0 {
		return e
	}
	gains := make([]float64, len(v.Concepts))
	sum, squares := 0.0, 0.0
	for i := range v.Concepts {
		gains[i] = s.worth(i).gain
		sum += gains[i]
		squares += gains[i] * gains[i]
	}
	turns := map[int]int{}
	for _, i := range concepts {
		e.Plan += gains[i] * math.Pow(again, float64(turns[i]))
		turns[i]++
	}
	drawn := min(k, n)
	mean := sum / n
	e.Random = drawn * mean
	if n > 1 {
		e.Deviation = math.Sqrt(max(0, drawn*(squares/n-mean*mean)*(n-drawn)/(n-1)))
	}
	e.PlanPct, e.RandomPct = 100*e.Plan/k, 100*e.Random/k
	e.LiftPct = e.PlanPct - e.RandomPct
	return e
}

// OuterFringe lists the concepts that are new to the person and open now: the outer fringe.
func OuterFringe(v *View) (out []int) {
	s := newScorer(v, DefaultHorizon, nil)
	for i := range v.Concepts {
		st := &s.state[i]
		if r := s.rule(i, -1); r == Fringe && st.ahead < missed || r == Unplaced && st.ahead < missed && (!s.doubtful(i) || s.opened(st) >= ready) {
			out = append(out, i)
		}
	}
	return out
}
