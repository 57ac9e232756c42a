package notebook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/learning/retrieval"
	"stoa/internal/platform/clock"
)

// CompareBackendsInput asks two backends the same.
type CompareBackendsInput struct {
	UserID string `json:"user_id"`
	Query  string `json:"query"`
	TopK   int    `json:"topK"`
	AsOf   string `json:"asOf"`
	Left   string `json:"leftBackend"`
	Right  string `json:"rightBackend"`
}

// ComparedSide is what one of the two said.
type ComparedSide struct {
	Backend string     `json:"backendId"` // that was asked
	AtomIDs []string   `json:"atomIds"`   // the best first
	Trace   QueryTrace `json:"trace"`
}

// BackendComparison sets the answers of two backends side by side.
type BackendComparison struct {
	ComparedAt string                   `json:"comparedAt"`
	Left       ComparedSide             `json:"left"`
	Right      ComparedSide             `json:"right"`
	Summary    BackendComparisonSummary `json:"summary"`
}

// BackendComparisonSummary says which was better. Ratios are 0..1, the overlap is of the larger answer.
type BackendComparisonSummary struct {
	LeftCount     int     `json:"leftResultCount"`
	RightCount    int     `json:"rightResultCount"`
	Overlap       int     `json:"overlapAtomCount"`
	OverlapPct    float64 `json:"overlapRatioPct"`
	LeftEvidence  float64 `json:"leftEvidenceCoverageRatio"`
	RightEvidence float64 `json:"rightEvidenceCoverageRatio"`
	LeftPaths     float64 `json:"leftRelationPathCoverageRatio"`
	RightPaths    float64 `json:"rightRelationPathCoverageRatio"`
	LeftValid     float64 `json:"leftTemporalValidityPassRatio"`
	RightValid    float64 `json:"rightTemporalValidityPassRatio"`
	LeftLatency   float64 `json:"leftLatencyMs"`
	RightLatency  float64 `json:"rightLatencyMs"`
	LatencyDelta  float64 `json:"latencyDeltaMs"` // right less left
	Preferred     string  `json:"preferredBackend"`
	Reason        string  `json:"reason"`
}

// ComparisonTelemetry counts the comparisons on this node since it started.
type ComparisonTelemetry struct {
	Total   int64   `json:"totalComparisons"`
	Left    int64   `json:"leftPreferredCount"`
	Right   int64   `json:"rightPreferredCount"`
	Ties    int64   `json:"tieCount"`
	Overlap float64 `json:"averageOverlapRatioPct"`
	Latency float64 `json:"averageLatencyDeltaMs"`
	LastAt  string  `json:"lastComparedAt"`
}

// comparisonSums are kept under the lock of the index.
type comparisonSums struct {
	left, right, ties int64
	overlap, latency  float64
	lastAt            time.Time
}

func (s *comparisonSums) view() ComparisonTelemetry {
	n := s.left + s.right + s.ties
	each := float64(max(1, n))
	return ComparisonTelemetry{n, s.left, s.right, s.ties, core.Rounded(s.overlap/each, 4), core.Rounded(s.latency/each, 4), clock.Text(s.lastAt)}
}

// CompareQueryBackends asks two backends the same question. It counts as no question of the learner: their figures say how
// they were answered, not what was tried.
func (a *Service) CompareQueryBackends(ctx context.Context, c core.Caller, in CompareBackendsInput) (BackendComparison, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return BackendComparison{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return BackendComparison{}, err
	}
	out := BackendComparison{ComparedAt: clock.Text(a.Clock())}
	ask := func(backend string) (ComparedSide, retrieval.Tried, error) {
		r, _, _, err := a.search(ctx, g.Ground, userID, QueryInput{Query: in.Query, TopK: in.TopK, AsOf: in.AsOf, Backend: backend})
		side := ComparedSide{Backend: backend, AtomIDs: make([]string, len(r.Items)), Trace: r.Trace}
		for i := range r.Items {
			side.AtomIDs[i] = r.Items[i].Atom.ID
		}
		t := retrieval.Tried{LatencyMs: r.Trace.Latency, Failed: r.Trace.Fallback}
		if len(r.Items) > 0 {
			t.Evidence, t.Paths, t.Valid = r.Trace.Evidence, r.Trace.Paths, r.Trace.Valid
		}
		return side, t, err
	}
	var left, right retrieval.Tried
	if out.Left, left, err = ask(cmp.Or(in.Left, string(retrieval.Hybrid))); err != nil {
		return out, err
	}
	if out.Right, right, err = ask(cmp.Or(in.Right, string(retrieval.Keyword))); err != nil {
		return out, err
	}
	overlap := 0
	for _, id := range out.Left.AtomIDs {
		if slices.Contains(out.Right.AtomIDs, id) {
			overlap++
		}
	}
	preferred, why := retrieval.Prefer(left, right)
	out.Summary = BackendComparisonSummary{
		LeftCount: len(out.Left.AtomIDs), RightCount: len(out.Right.AtomIDs), Overlap: overlap,
		OverlapPct:   core.Percent(int64(overlap), int64(max(len(out.Left.AtomIDs), len(out.Right.AtomIDs)))),
		LeftEvidence: left.Evidence, RightEvidence: right.Evidence, LeftPaths: left.Paths, RightPaths: right.Paths, LeftValid: left.Valid, RightValid: right.Valid,
		LeftLatency: left.LatencyMs, RightLatency: right.LatencyMs, LatencyDelta: core.Rounded(right.LatencyMs-left.LatencyMs, 3), Preferred: string(preferred), Reason: why,
	}
	a.NoteIndex.count(&out.Summary, a.Clock())
	return out, nil
}

// count adds a comparison to those of this node.
func (x *noteIndex) count(c *BackendComparisonSummary, at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := &x.compared
	switch retrieval.Preference(c.Preferred) {
	case retrieval.Left:
		s.left++
	case retrieval.Right:
		s.right++
	default:
		s.ties++
	}
	s.overlap, s.latency, s.lastAt = s.overlap+c.OverlapPct, s.latency+c.LatencyDelta, at
}
