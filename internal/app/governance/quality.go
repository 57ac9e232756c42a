package governance

import (
	"cmp"
	"context"
	"encoding/json"

	"stoa/internal/app/core"
	"stoa/internal/app/school"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
	"stoa/internal/governance/quality"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// CaptureQuality takes a snapshot and keeps it.
func (a *Governance) CaptureQuality(ctx context.Context, c core.Caller, in school.QualityInput) (school.QualitySnapshot, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return school.QualitySnapshot{}, err
	}
	out, answers, err := a.school.MeasureQuality(ctx, userID, in)
	if err != nil {
		return out, err
	}
	at := notebook.TimeOr(out.SampledAt, a.Clock())
	out.RecordID = core.IDOf(at)
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := a.UseQuota(tx, userID, core.QuotaSnapshots, 1); err != nil {
			return err
		}
		return school.KeepQuality(ctx, tx, school.QualityRecord{ID: out.RecordID, UserID: userID, SampledAt: out.SampledAt, Source: school.FromHand, ExecutionID: "", Kind: "", Snapshot: out.Snapshot, Diagnostics: out.Diagnostics}, answers)
	})
	return out, err
}

// QualityHistoryInput chooses snapshots.
type QualityHistoryInput struct {
	UserID     string `json:"user_id"`
	Limit      int    `json:"limit"`
	Cursor     string `json:"cursor"`
	Window     int    `json:"windowSize"`
	MinSamples int    `json:"minSamples"`
}

// QualityHistorySummary sums up all snapshots there ever were, not only those on the page.
type QualityHistorySummary struct {
	Total      int64   `json:"totalRecords"`
	Returned   int     `json:"returnedRecords"`
	LatestAt   string  `json:"latestSampledAt"`
	OldestAt   string  `json:"oldestSampledAt"`
	Retest     float64 `json:"averageRetestPassRatePct"`
	Evidence   float64 `json:"averageEvidenceBackedSuggestionRatioPct"`
	Recurrence float64 `json:"averageMisconceptionRecurrenceRatePct"`
	Fallback   float64 `json:"averageQueryBackendFallbackRatioPct"`
}

// QualityHistory is a page of snapshots, newest first.
type QualityHistory struct {
	GeneratedAt string                 `json:"generatedAt"`
	UserID      string                 `json:"userId"`
	Records     []school.QualityRecord `json:"records"`
	Summary     QualityHistorySummary  `json:"summary"`
	NextCursor  string                 `json:"next_cursor"`
}

// GetQualityHistory answers past snapshots.
func (a *Governance) GetQualityHistory(ctx context.Context, c core.Caller, in QualityHistoryInput) (QualityHistory, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return QualityHistory{}, err
	}
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return QualityHistory{}, err
	}
	limit := cmp.Or(in.Limit, tutors.UsualHistory)
	records, err := a.qualityRecords(ctx, userID, before, limit+1)
	if err != nil {
		return QualityHistory{}, err
	}
	state, err := a.Store.QualityState(ctx, userID)
	out := QualityHistory{GeneratedAt: clock.Text(a.Clock()), UserID: userID, Records: records[:min(limit, len(records))]}
	if len(records) > limit {
		out.NextCursor = records[limit-1].ID
	}
	s := &out.Summary
	s.Total, s.Returned = state.Records, len(out.Records)
	s.Retest, s.Evidence = core.Rounded(core.Mean(state.Retest, state.Records), 4), core.Rounded(core.Mean(state.Evidence, state.Records), 4)
	s.Recurrence, s.Fallback = core.Rounded(core.Mean(state.Recurrence, state.Records), 4), core.Rounded(core.Mean(state.Fallback, state.Records), 4)
	if n := len(out.Records); n > 0 {
		s.LatestAt, s.OldestAt = out.Records[0].SampledAt, out.Records[n-1].SampledAt
	}
	return out, err
}

func (a *Governance) qualityRecords(ctx context.Context, userID, before string, limit int) ([]school.QualityRecord, error) {
	rows, err := a.Store.Qualities(ctx, userID, before, limit)
	out := make([]school.QualityRecord, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(row.Record, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, err
}

// QualityTrendSummary says what a trend was read from.
type QualityTrendSummary struct {
	Total      int64  `json:"totalRecords"`
	Evaluated  int    `json:"evaluatedRecords"`
	Window     int    `json:"windowSize"`
	MinSamples int    `json:"minSamples"`
	LatestAt   string `json:"latestSampledAt"`
	OldestAt   string `json:"oldestSampledAt"`
	Reason     string `json:"reason"`
}

// QualityWindows are the two windows of a trend.
type QualityWindows struct {
	Recent   quality.Window `json:"recent"`
	Previous quality.Window `json:"previous"`
}

// StrategyTrendWindows are the two windows of a strategy.
type StrategyTrendWindows struct {
	Recent   quality.StrategyWindow `json:"recent"`
	Previous quality.StrategyWindow `json:"previous"`
}

// StrategyTrendDeltas is how the recent window of a strategy differs from the one before.
type StrategyTrendDeltas struct {
	Coverage float64 `json:"executionCoverageDeltaPct"`
	Delta    float64 `json:"averageMasteryDeltaDeltaPct"`
}

// StrategyTrendRow says whether a strategy gets better.
type StrategyTrendRow struct {
	Strategy   string               `json:"strategy"`
	Status     quality.Status       `json:"status"`
	Score      float64              `json:"score"`
	Confidence float64              `json:"confidence"`
	Reason     string               `json:"reason"`
	Windows    StrategyTrendWindows `json:"windows"`
	Deltas     StrategyTrendDeltas  `json:"deltas"`
}

// QualityTrend says whether learning gets better.
type QualityTrend struct {
	GeneratedAt string              `json:"generatedAt"`
	UserID      string              `json:"userId"`
	Status      quality.Status      `json:"status"`
	Score       float64             `json:"score"`
	Confidence  float64             `json:"confidence"`
	Summary     QualityTrendSummary `json:"summary"`
	Deltas      quality.TrendDeltas `json:"deltas"`
	Windows     QualityWindows      `json:"windows"`
	Strategies  []StrategyTrendRow  `json:"strategyBreakdown"`

	now, usual float64 // shares of answers that were right lately and before, 0..1
}

// GetQualityTrend answers whether learning gets better.
func (a *Governance) GetQualityTrend(ctx context.Context, c core.Caller, in QualityHistoryInput) (QualityTrend, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return QualityTrend{}, err
	}
	config, _, err := learner.OrchestrationOf(ctx, a.Store.Queries, userID)
	if err != nil {
		return QualityTrend{}, err
	}
	t := config.Trend
	return a.qualityTrend(ctx, userID, cmp.Or(in.Limit, t.LearningLimit), cmp.Or(in.Window, t.LearningWindow), cmp.Or(in.MinSamples, t.LearningMinSamples))
}

func (a *Governance) qualityTrend(ctx context.Context, userID string, limit, window, least int) (QualityTrend, error) {
	out := QualityTrend{GeneratedAt: clock.Text(a.Clock()), UserID: userID}
	records, err := a.qualityRecords(ctx, userID, "", limit)
	if err != nil {
		return out, err
	}
	state, err := a.Store.QualityState(ctx, userID)
	if err != nil {
		return out, err
	}
	var c school.Charted
	if len(state.Chart) > 0 {
		if err := json.Unmarshal(state.Chart, &c); err != nil {
			return out, err
		}
	}
	snapshots := make([]quality.Snapshot, len(records))
	for i, r := range records {
		snapshots[i] = r.Snapshot
	}
	t := quality.TrendOf(snapshots, window, least, c.Chart)
	out.now, out.usual = c.Now(), c.Mean()
	out.Status, out.Score, out.Confidence, out.Deltas, out.Windows = t.Status, t.Score, t.Confidence, t.Deltas, QualityWindows{t.Recent, t.Previous}
	out.Summary = QualityTrendSummary{Total: state.Records, Evaluated: len(records), Window: window, MinSamples: least, Reason: t.Reason}
	if n := len(records); n > 0 {
		out.Summary.LatestAt, out.Summary.OldestAt = records[0].SampledAt, records[n-1].SampledAt
	}
	out.Strategies, err = a.strategyTrends(ctx, userID, window, least)
	return out, err
}

// strategySessions is how many sessions each window of a strategy's trend looks at for each snapshot of the windows.
const strategySessions = 20

// strategyTrends says of each strategy whether what its sessions bring has changed.
func (a *Governance) strategyTrends(ctx context.Context, userID string, window, least int) ([]StrategyTrendRow, error) {
	n := min(window*strategySessions, tutors.TraceWindow)
	rows, err := a.Store.Studies(ctx, schooldb.StudyFilter{UserID: userID}, 0, "", 0, 2*n)
	if err != nil {
		return nil, err
	}
	outcomes := make([]quality.Outcome, len(rows))
	for i, r := range rows {
		outcomes[i] = quality.Outcome{Strategy: r.Strategy, Delta: float64(r.Delta) / 1e6}
	}
	half := min(n, (len(outcomes)+1)/2) // few sessions are shared between the windows
	names := make([]string, len(path.Strategies))
	for i, s := range path.Strategies {
		names[i] = string(s)
	}
	out := []StrategyTrendRow{}
	for _, t := range quality.Breakdown(names, outcomes[:half], outcomes[half:min(2*n, len(outcomes))], least) {
		out = append(out, StrategyTrendRow{
			t.Strategy, t.Status, t.Score, t.Confidence, t.Reason, StrategyTrendWindows{t.Recent, t.Previous}, StrategyTrendDeltas{t.CoverageDelta, t.DeltaDelta},
		})
	}
	return out, nil
}

// QualityThresholds are what quality is held to.
type QualityThresholds struct {
	Thresholds quality.Thresholds `json:"thresholds"`
}

// GetQualityThresholds answers what quality is held to.
func (a *Governance) GetQualityThresholds(_ context.Context, c core.Caller, in core.OwnInput) (QualityThresholds, error) {
	if _, err := c.Member(in.UserID); err != nil {
		return QualityThresholds{}, err
	}
	return QualityThresholds{quality.DefaultThresholds()}, nil
}

// gateView puts a gate into the form of the contract.
func gateView(g quality.Gate) school.QualityGate {
	sign := "<="
	if g.AtLeast {
		sign = ">="
	}
	return school.QualityGate{ID: g.ID, Passed: g.Passed, Comparator: sign, Observed: core.Rounded(g.Observed, 4), Threshold: core.Rounded(g.Threshold, 4), Unit: g.Unit, Message: g.Message}
}
