package app

import (
	"cmp"
	"context"
	"encoding/json"

	"stoa/internal/governance/quality"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// QualityInput asks for a snapshot.
type QualityInput struct {
	UserID    string `json:"user_id"`
	SampledAt string `json:"sampledAt"`
	Days      int    `json:"historyWindowDays"`
}

// QualitySnapshot is the quality of a learner's learning now.
type QualitySnapshot struct {
	SampledAt   string             `json:"sampledAt"`
	Snapshot    quality.Snapshot   `json:"snapshot"`
	Diagnostics QualityDiagnostics `json:"diagnostics"`
	RecordID    string             `json:"recordId"`
}

// CaptureQuality takes a snapshot and keeps it.
func (a *App) CaptureQuality(ctx context.Context, c Caller, in QualityInput) (QualitySnapshot, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return QualitySnapshot{}, err
	}
	out, answers, err := a.lookAtQuality(ctx, userID, in)
	if err != nil {
		return out, err
	}
	at := timeOr(out.SampledAt, a.clock())
	out.RecordID = idOf(at)
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		if err := a.useQuota(tx, userID, QuotaSnapshots, 1); err != nil {
			return err
		}
		return keepQuality(ctx, tx, QualityRecord{out.RecordID, userID, out.SampledAt, fromHand, "", "", out.Snapshot, out.Diagnostics}, answers)
	})
	return out, err
}

// lookAtQuality takes a snapshot without keeping it.
func (a *App) lookAtQuality(ctx context.Context, userID string, in QualityInput) (QualitySnapshot, answeredSum, error) {
	known, err := a.learners.of(ctx, userID)
	if err != nil {
		return QualitySnapshot{}, answeredSum{}, err
	}
	at, answers := a.past(in.SampledAt), sumOf(known.each)
	s, d, err := a.capture(ctx, a.store.Queries, userID, answers, cmp.Or(in.Days, usualQualityWindow), at)
	if err == nil && s.PathGain == 0 && s.RandomGain == 0 {
		err = a.pathGain(ctx, userID, &s)
	}
	return QualitySnapshot{SampledAt: clock.Text(at), Snapshot: s, Diagnostics: d}, answers, err
}

// pathGain sets a path that would be planned now against one drawn at random, where no plan was judged yet.
func (a *App) pathGain(ctx context.Context, userID string, s *quality.Snapshot) error {
	session, err := a.planSession(ctx, userID, SessionPlanInput{Strategy: string(path.Balanced)})
	if err != nil || len(session.Actions) == 0 {
		return err
	}
	m, err := a.planMetrics(ctx, userID, session, len(session.Actions), a.clock())
	n := float64(len(session.Actions))
	s.PathGain, s.RandomGain = 100*m.Gain/n, 100*m.RandomGain/n
	*s = s.Normal()
	return err
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
	GeneratedAt string                `json:"generatedAt"`
	UserID      string                `json:"userId"`
	Records     []QualityRecord       `json:"records"`
	Summary     QualityHistorySummary `json:"summary"`
	NextCursor  string                `json:"next_cursor"`
}

// GetQualityHistory answers past snapshots.
func (a *App) GetQualityHistory(ctx context.Context, c Caller, in QualityHistoryInput) (QualityHistory, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return QualityHistory{}, err
	}
	before, err := idCursor(in.Cursor)
	if err != nil {
		return QualityHistory{}, err
	}
	limit := cmp.Or(in.Limit, usualHistory)
	records, err := a.qualityRecords(ctx, userID, before, limit+1)
	if err != nil {
		return QualityHistory{}, err
	}
	state, err := a.store.QualityState(ctx, userID)
	out := QualityHistory{GeneratedAt: clock.Text(a.clock()), UserID: userID, Records: records[:min(limit, len(records))]}
	if len(records) > limit {
		out.NextCursor = records[limit-1].ID
	}
	s := &out.Summary
	s.Total, s.Returned = state.Records, len(out.Records)
	s.Retest, s.Evidence = rounded(mean(state.Retest, state.Records), 4), rounded(mean(state.Evidence, state.Records), 4)
	s.Recurrence, s.Fallback = rounded(mean(state.Recurrence, state.Records), 4), rounded(mean(state.Fallback, state.Records), 4)
	if n := len(out.Records); n > 0 {
		s.LatestAt, s.OldestAt = out.Records[0].SampledAt, out.Records[n-1].SampledAt
	}
	return out, err
}

func (a *App) qualityRecords(ctx context.Context, userID, before string, limit int) ([]QualityRecord, error) {
	rows, err := a.store.Qualities(ctx, userID, before, limit)
	out := make([]QualityRecord, len(rows))
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
func (a *App) GetQualityTrend(ctx context.Context, c Caller, in QualityHistoryInput) (QualityTrend, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return QualityTrend{}, err
	}
	config, _, err := orchestrationOf(ctx, a.store.Queries, userID)
	if err != nil {
		return QualityTrend{}, err
	}
	t := config.Trend
	return a.qualityTrend(ctx, userID, cmp.Or(in.Limit, t.LearningLimit), cmp.Or(in.Window, t.LearningWindow), cmp.Or(in.MinSamples, t.LearningMinSamples))
}

func (a *App) qualityTrend(ctx context.Context, userID string, limit, window, least int) (QualityTrend, error) {
	out := QualityTrend{GeneratedAt: clock.Text(a.clock()), UserID: userID}
	records, err := a.qualityRecords(ctx, userID, "", limit)
	if err != nil {
		return out, err
	}
	state, err := a.store.QualityState(ctx, userID)
	if err != nil {
		return out, err
	}
	var c charted
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
func (a *App) strategyTrends(ctx context.Context, userID string, window, least int) ([]StrategyTrendRow, error) {
	n := min(window*strategySessions, traceWindow)
	rows, err := a.store.Studies(ctx, store.StudyFilter{UserID: userID}, 0, "", 0, 2*n)
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
func (a *App) GetQualityThresholds(_ context.Context, c Caller, in OwnInput) (QualityThresholds, error) {
	if _, err := c.member(in.UserID); err != nil {
		return QualityThresholds{}, err
	}
	return QualityThresholds{quality.DefaultThresholds()}, nil
}

// shownGate puts a gate into the form of the contract.
func shownGate(g quality.Gate) QualityGate {
	sign := "<="
	if g.AtLeast {
		sign = ">="
	}
	return QualityGate{g.ID, g.Passed, sign, rounded(g.Observed, 4), rounded(g.Threshold, 4), g.Unit, g.Message}
}
