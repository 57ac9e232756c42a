package quality

import "math"

// Snapshot is the quality of learning at one moment. Pct are 0..100, deltas of mastery -1..1, times in milliseconds.
type Snapshot struct {
	RetestPass     float64 `json:"retestPassRatePct"`
	Recurrence     float64 `json:"misconceptionRecurrenceRatePct"`
	Evidence       float64 `json:"evidenceBackedSuggestionRatioPct"`
	PathGain       float64 `json:"averagePathMasteryGainPct"`
	RandomGain     float64 `json:"randomPathMasteryGainPct"`
	WindowDays     int     `json:"historyWindowDays"`
	WindowRecords  int64   `json:"historyWindowRecords"`
	WindowDelta    float64 `json:"historyWindowAverageMasteryDelta"`
	RetestPositive float64 `json:"historyWindowRetestPositiveDeltaRatePct"`
	QueryP95       float64 `json:"queryP95Ms"`
	QueryEvidence  float64 `json:"queryEvidenceCoverageRatioPct"`
	QueryPaths     float64 `json:"queryRelationPathCoverageRatioPct"`
	QueryValid     float64 `json:"queryTemporalValidityPassRatioPct"`
	Pending        float64 `json:"pendingVerificationRatioPct"`
	Fallback       float64 `json:"queryBackendFallbackRatioPct"`
	Promotion      float64 `json:"sessionMemoryPromotionCoveragePct"`
	Coverage       float64 `json:"pathStrategyExecutionCoveragePct"`
	StrategyDelta  float64 `json:"pathStrategyAverageMasteryDeltaPct"` // -100..100
}

const (
	longestWindow = 180 // days
	largestP95    = 60000
)

// Normal brings a snapshot that somebody sent into range.
func (s Snapshot) Normal() Snapshot {
	for _, p := range []*float64{
		&s.RetestPass, &s.Recurrence, &s.Evidence, &s.PathGain, &s.RandomGain, &s.RetestPositive, &s.QueryEvidence, &s.QueryPaths, &s.QueryValid, &s.Pending, &s.Fallback,
		&s.Promotion, &s.Coverage,
	} {
		*p = Round(clamp(*p, 0, 100), 4)
	}
	s.StrategyDelta, s.WindowDelta, s.QueryP95 = Round(clamp(s.StrategyDelta, -100, 100), 4), Round(clamp(s.WindowDelta, -1, 1), 6), Round(clamp(s.QueryP95, 0, largestP95), 4)
	s.WindowDays, s.WindowRecords = min(max(s.WindowDays, 0), longestWindow), max(s.WindowRecords, 0)
	return s
}

// score is one figure for a snapshot, 0..1 (field facts 3.6).
func (s Snapshot) score() float64 {
	return .25*s.RetestPass/100 + .30*s.Evidence/100 + .25*(1-s.Recurrence/100) + .20*(1-s.Fallback/100)
}

func clamp(x, low, high float64) float64 {
	if math.IsNaN(x) {
		return low
	}
	return min(max(x, low), high)
}

// Round keeps so many decimals; a negative zero becomes zero.
func Round(x float64, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round(x*p)/p + 0
}
