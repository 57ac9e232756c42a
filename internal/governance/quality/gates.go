package quality

import "fmt"

// Thresholds are what quality is held to (field facts 3.5).
type Thresholds struct {
	RetestUplift float64 `json:"retestPassRateUpliftPct"`
	Reduction    float64 `json:"misconceptionRecurrenceReductionPct"`
	Evidence     float64 `json:"evidenceBackedSuggestionRatioPct"`
	Lift         float64 `json:"pathEffectivenessLiftPct"`
	DeltaUplift  float64 `json:"historyWindowAverageMasteryDeltaUplift"`
	QueryP95     float64 `json:"queryP95Ms"`
	MinEvidence  float64 `json:"minQueryEvidenceCoverageRatioPct"`
	MinPaths     float64 `json:"minQueryRelationPathCoverageRatioPct"`
	MinValid     float64 `json:"minQueryTemporalValidityPassRatioPct"`
	MaxPending   float64 `json:"maxPendingVerificationRatioPct"`
	MaxFallback  float64 `json:"maxQueryBackendFallbackRatioPct"`
	MinPromotion float64 `json:"minSessionMemoryPromotionCoveragePct"`
}

// DefaultThresholds are the usual ones.
func DefaultThresholds() Thresholds {
	return Thresholds{20, 25, 90, 5, 0, 800, 80, 60, 90, 20, 10, 25}
}

// Gate is one thing that is asked of quality.
type Gate struct {
	ID        string
	Passed    bool
	AtLeast   bool
	Observed  float64
	Threshold float64
	Unit      string // pct or ms
	Message   string
}

// Deltas is how the current quality differs from the baseline, upwards for the better.
type Deltas struct {
	Retest    float64 `json:"retestPassRateUpliftPct"`
	Reduction float64 `json:"misconceptionRecurrenceReductionPct"`
	Lift      float64 `json:"pathEffectivenessLiftPct"`
	Mastery   float64 `json:"historyWindowAverageMasteryDeltaUplift"`
}

// Evaluation is quality held against a baseline.
type Evaluation struct {
	Deltas Deltas
	Gates  []Gate
	Passed bool
}

// Evaluate holds the current quality to every threshold. An uplift that the baseline leaves no room for is asked only as
// far as there is room: who knew 90 % cannot rise by 20 points.
func Evaluate(baseline, current Snapshot, t Thresholds) Evaluation {
	d := Deltas{
		Round(current.RetestPass-baseline.RetestPass, 4), Round(baseline.Recurrence-current.Recurrence, 4),
		Round(current.PathGain-current.RandomGain, 4), Round(current.WindowDelta-baseline.WindowDelta, 6),
	}
	e := Evaluation{Deltas: d, Passed: true}
	for _, g := range []Gate{
		{ID: "retest_pass_rate_uplift", AtLeast: true, Observed: d.Retest, Threshold: min(t.RetestUplift, Round(100-baseline.RetestPass, 4)), Unit: "pct", Message: "Answers right, more than at the baseline"},
		{ID: "misconception_reduction", AtLeast: true, Observed: d.Reduction, Threshold: min(t.Reduction, baseline.Recurrence), Unit: "pct", Message: "Misconceptions that come back, fewer than at the baseline"},
		{ID: "evidence_ratio", AtLeast: true, Observed: current.Evidence, Threshold: t.Evidence, Unit: "pct", Message: "Replies of the tutor with evidence"},
		{ID: "path_effectiveness", AtLeast: true, Observed: d.Lift, Threshold: t.Lift, Unit: "pct", Message: "Paths bring more than drawn at random"},
		{ID: "history_mastery_delta_uplift", AtLeast: true, Observed: Round(100*d.Mastery, 4), Threshold: 100 * t.DeltaUplift, Unit: "pct", Message: "Mastery that a session brings, more than at the baseline"},
		{ID: "query_p95", Observed: current.QueryP95, Threshold: t.QueryP95, Unit: "ms", Message: "Time in which 19 of 20 questions are answered"},
		{ID: "query_evidence_coverage", AtLeast: true, Observed: current.QueryEvidence, Threshold: t.MinEvidence, Unit: "pct", Message: "Passages with evidence"},
		{ID: "query_relation_path_coverage", AtLeast: true, Observed: current.QueryPaths, Threshold: t.MinPaths, Unit: "pct", Message: "Passages that say how they are related"},
		{ID: "query_temporal_validity", AtLeast: true, Observed: current.QueryValid, Threshold: t.MinValid, Unit: "pct", Message: "Passages that hold at the time asked for"},
		{ID: "pending_verification_ratio", Observed: current.Pending, Threshold: t.MaxPending, Unit: "pct", Message: "Replies of the tutor that wait for verification"},
		{ID: "query_backend_fallback_ratio", Observed: current.Fallback, Threshold: t.MaxFallback, Unit: "pct", Message: "Questions answered by keywords alone"},
		{ID: "session_memory_promotion_coverage", AtLeast: true, Observed: current.Promotion, Threshold: t.MinPromotion, Unit: "pct", Message: "Actions of sessions whose outcome was kept for longer"},
	} {
		sign := "<="
		g.Passed = g.Observed <= g.Threshold
		if g.AtLeast {
			sign, g.Passed = ">=", g.Observed >= g.Threshold
		}
		g.Message = fmt.Sprintf("%s: %.4g, wanted %s %.4g.", g.Message, g.Observed, sign, g.Threshold)
		e.Passed = e.Passed && g.Passed
		e.Gates = append(e.Gates, g)
	}
	return e
}
