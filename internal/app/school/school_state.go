package school

import (
	"context"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
	"stoa/internal/governance/telemetry"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/schooldb"
)

// StrategyTelemetryRow is what the sessions of a strategy brought.
type StrategyTelemetryRow struct {
	Strategy   string  `json:"strategy"`
	Executions int64   `json:"executions"`
	Delta      float64 `json:"averageMasteryDeltaPct"`
	Positive   float64 `json:"positiveRatioPct"`
	Negative   float64 `json:"negativeRatioPct"`
}

// SessionStrategyTelemetry is what the choice of strategies brought.
type SessionStrategyTelemetry struct {
	Records       int64                  `json:"totalRecords"`
	Strategy      int64                  `json:"strategyRecords"`
	TrendShare    float64                `json:"trendAutoSelectionSharePct"`
	TrendDelta    float64                `json:"trendAutoAverageMasteryDeltaPct"`
	TrendNegative float64                `json:"trendAutoNegativeRatioPct"`
	FallbackShare float64                `json:"modeFallbackSelectionSharePct"`
	Counts        BySource[int]          `json:"selectionSourceCounts"`
	Deltas        BySource[float64]      `json:"selectionSourceAverageMasteryDeltaPct"`
	Positive      BySource[float64]      `json:"selectionSourcePositiveRatioPct"`
	Breakdown     []StrategyTelemetryRow `json:"strategyBreakdown"`
}

// IngestTelemetry says what was imported.
type IngestTelemetry struct {
	Ingests   int64   `json:"ingestCount"`
	Documents int64   `json:"documentCount"`
	LastAt    string  `json:"lastIngestedAt"`
	LatencyMs float64 `json:"lastLatencyMs"`
}

// RetrievalTelemetry says how a learner's newest questions were answered.
type RetrievalTelemetry struct {
	Queries   int64   `json:"queryCount"`
	Fallbacks int64   `json:"fallbackCount"`
	Latency   float64 `json:"averageLatencyMs"`
	Evidence  float64 `json:"evidenceCoverageRatioPct"`
	Paths     float64 `json:"relationPathCoverageRatioPct"`
	Valid     float64 `json:"temporalValidityPassRatioPct"`
}

// MemoryCounts are how many entries the tutor keeps in mind.
type MemoryCounts struct {
	Session  int64 `json:"session"`
	Unit     int64 `json:"unit"`
	LongTerm int64 `json:"longTerm"`
}

// KnowledgeSystemState is the state of the school for a learner.
type KnowledgeSystemState struct {
	UserID      string                           `json:"userId"`
	GeneratedAt string                           `json:"generatedAt"`
	Documents   int64                            `json:"documents"`
	Atoms       int                              `json:"activeAtoms"`
	Edges       int                              `json:"activeRelationEdges"`
	Temporal    int64                            `json:"temporalEdges"`
	States      int64                            `json:"masteryStates"`
	Traces      int64                            `json:"tutorTraces"`
	Sessions    int64                            `json:"sessionExecutionHistoryRecords"`
	Ingest      IngestTelemetry                  `json:"ingestTelemetry"`
	Retrieval   RetrievalTelemetry               `json:"retrievalTelemetry"`
	Memory      MemoryCounts                     `json:"memoryEntries"`
	Strategies  SessionStrategyTelemetry         `json:"sessionStrategyTelemetry"`
	Tutor       tutors.TutorTelemetry            `json:"tutorAdapterTelemetry"`
	Search      notebook.QueryBackendDiagnostics `json:"queryBackendDiagnostics"`
	Store       string                           `json:"store"`
}

// GetKnowledgeState answers the state of the school for a learner.
func (a *School) GetKnowledgeState(ctx context.Context, c core.Caller, in core.OwnInput) (KnowledgeSystemState, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return KnowledgeSystemState{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return KnowledgeSystemState{}, err
	}
	n, err := a.Store.LearnerCounts(ctx, userID)
	if err != nil {
		return KnowledgeSystemState{}, err
	}
	sums, err := a.Store.StudySums(ctx, schooldb.StudyFilter{UserID: userID})
	if err != nil {
		return KnowledgeSystemState{}, err
	}
	tutor, err := a.TutorTelemetry(ctx, userID)
	if err != nil {
		return KnowledgeSystemState{}, err
	}
	asked, err := a.QueryFigures(ctx, a.Store.Queries, userID, a.Clock().Add(-notebook.QuestionsSpan), notebook.QuestionsSeen)
	if err != nil {
		return KnowledgeSystemState{}, err
	}
	out := KnowledgeSystemState{
		UserID: userID, GeneratedAt: clock.Text(a.Clock()), Documents: n.Documents, Atoms: len(g.Shared.Atoms) + len(g.Own.Atoms), Edges: len(g.Shared.Edges) + len(g.Own.Edges),
		Temporal: n.Replaced, States: n.Atoms, Traces: n.Traces, Sessions: n.Sessions, Memory: MemoryCounts{n.Session, n.Unit, n.LongTerm},
		Ingest: IngestTelemetry{Ingests: g.Own.Version, Documents: n.Documents, LatencyMs: float64(a.Notes.Of(userID).Took.Load()) / 1000}, Retrieval: retrievalView(asked), Strategies: strategyTelemetry(sums),
		Tutor: tutor, Search: a.NoteIndex.Diagnose(g), Store: string(a.Store.Engine()),
	}
	for _, atom := range g.Own.Atoms {
		if at := clock.Text(atom.UpdatedAt); at > out.Ingest.LastAt {
			out.Ingest.LastAt = at
		}
	}
	return out, nil
}

// strategyTelemetry says what the choice of strategies brought (field facts 3.9).
func strategyTelemetry(sums []schooldb.StudySum) SessionStrategyTelemetry {
	h := historySummary(sums)
	out := SessionStrategyTelemetry{Records: h.Records, Counts: h.Counts, Deltas: h.Deltas, Positive: h.Positive, Breakdown: []StrategyTelemetryRow{}}
	var trend schooldb.StudySum
	for _, s := range sums {
		if path.Strategy(s.Strategy).Valid() {
			out.Strategy += s.Sessions
		}
		if s.Source == sourceTrend {
			trend = trend.Plus(s)
		}
	}
	out.TrendShare, out.FallbackShare = core.Percent(trend.Sessions, out.Strategy), core.Percent(int64(h.Counts.Fallback), out.Strategy)
	out.TrendDelta, out.TrendNegative = core.Rounded(100*core.Mean(trend.Delta, trend.Sessions), 4), core.Percent(trend.Negative, trend.Sessions)
	for _, s := range h.Strategies {
		out.Breakdown = append(out.Breakdown, StrategyTelemetryRow{s.Strategy, s.Executions, s.Delta, s.Positive, s.Negative})
	}
	return out
}

func retrievalView(q telemetry.Queries) RetrievalTelemetry {
	return RetrievalTelemetry{Queries: q.Count, Fallbacks: q.Fallbacks, Latency: q.Average, Evidence: q.Evidence, Paths: q.Paths, Valid: q.Valid}
}
