package governance

import (
	"cmp"
	"context"

	"stoa/internal/app/core"
	"stoa/internal/app/school/tutors"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// RunbookHistoryInput chooses past verdicts, checks and queue items.
type RunbookHistoryInput struct {
	UserID            string `json:"user_id"`
	Limit             int    `json:"limit"`
	Cursor            string `json:"cursor"`
	CheckID           string `json:"checkId"`
	SinceMinutes      *int   `json:"sinceMinutes"`
	Status            string `json:"status"`
	CheckQuery        string `json:"checkQuery"`
	QueueLimit        int    `json:"queueLimit"`
	Priority          string `json:"priority"`
	Category          string `json:"category"`
	RemediationStatus string `json:"remediationStatus"`
	RemediationTrend  string `json:"remediationTrend"`
}

// StatusCounts counts verdicts.
type StatusCounts struct {
	Pass    int64 `json:"pass"`
	Warn    int64 `json:"warn"`
	Fail    int64 `json:"fail"`
	Unknown int64 `json:"unknown"`
}

func (s *StatusCounts) of(status string) *int64 {
	switch runbook.Status(status) {
	case runbook.Pass:
		return &s.Pass
	case runbook.Warn:
		return &s.Warn
	case runbook.Fail:
		return &s.Fail
	}
	return &s.Unknown
}

// RunbookHistorySummary sums up verdicts: counts and averages over all that match, streaks and the trend over the newest
// 200 of them.
type RunbookHistorySummary struct {
	Total        int64         `json:"totalRecords"`
	Matched      int64         `json:"matchedRecords"`
	Returned     int           `json:"returnedRecords"`
	CheckID      string        `json:"checkId"`
	SinceMinutes int           `json:"sinceMinutes"`
	Status       string        `json:"status"`
	Counts       StatusCounts  `json:"statusCounts"`
	RiskStreak   int           `json:"activeRiskStreak"`
	FailStreak   int           `json:"activeFailStreak"`
	Errors       float64       `json:"averageErrorRatioPct"`
	P95          float64       `json:"averageP95DurationMs"`
	LatestAt     string        `json:"latestVerifiedAt"`
	Trend        runbook.Trend `json:"trendStatus"`
	Window       int           `json:"trendWindowSize"`
	Recent       float64       `json:"recentAverageSeverity"`
	Previous     float64       `json:"previousAverageSeverity"`
	Delta        float64       `json:"severityDelta"`
	RecentErrors float64       `json:"recentAverageErrorRatioPct"`
	BeforeErrors float64       `json:"previousAverageErrorRatioPct"`
	DeltaErrors  float64       `json:"errorRatioDeltaPct"`
	RecentP95    float64       `json:"recentAverageP95DurationMs"`
	BeforeP95    float64       `json:"previousAverageP95DurationMs"`
	DeltaP95     float64       `json:"p95DurationDeltaMs"`
}

// RunbookHistory is a page of verdicts, newest first.
type RunbookHistory struct {
	Summary    RunbookHistorySummary `json:"summary"`
	Records    []VerificationRecord  `json:"records"`
	NextCursor string                `json:"next_cursor"`
}

// GetRunbookHistory answers past verdicts.
func (a *Governance) GetRunbookHistory(ctx context.Context, c core.Caller, in RunbookHistoryInput) (RunbookHistory, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RunbookHistory{}, err
	}
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return RunbookHistory{}, err
	}
	minutes, limit := sinceOr(in.SinceMinutes, longestSince), cmp.Or(in.Limit, tutors.UsualHistory)
	at, from := a.since(minutes)
	f := schooldb.GovernanceFilter{UserID: userID, CheckID: runbook.Token(in.CheckID, longestCheckID), Status: knownStatus(in.Status), From: from}
	out := RunbookHistory{Records: []VerificationRecord{}}
	rows, err := a.Store.Governance(ctx, schooldb.Verifications, f, before, limit+1)
	if err != nil {
		return out, err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		out.NextCursor = rows[limit-1].ID
	}
	for _, r := range rows {
		v, err := verificationOf(r)
		if err != nil {
			return out, err
		}
		out.Records = append(out.Records, v)
	}
	out.Summary, err = a.historySummary(ctx, f, at)
	s := &out.Summary
	s.Returned, s.CheckID, s.SinceMinutes, s.Status = len(out.Records), f.CheckID, minutes, f.Status
	return out, err
}

func (a *Governance) historySummary(ctx context.Context, f schooldb.GovernanceFilter, at int64) (RunbookHistorySummary, error) {
	var s RunbookHistorySummary
	all, err := a.Store.GovernanceSums(ctx, schooldb.Verifications, f.UserID, 0)
	if err != nil {
		return s, err
	}
	for _, x := range all {
		s.Total += x.Records
	}
	sums := all
	if at > 0 {
		if sums, err = a.Store.GovernanceSums(ctx, schooldb.Verifications, f.UserID, at); err != nil {
			return s, err
		}
	}
	var errors, p95 int64
	for _, x := range sums {
		if f.CheckID != "" && x.CheckID != f.CheckID || f.Status != "" && x.Status != f.Status {
			continue
		}
		s.Matched += x.Records
		*s.Counts.of(x.Status) += x.Records
		errors, p95 = errors+x.Errors, p95+x.P95
	}
	if n := float64(s.Matched); n > 0 {
		s.Errors, s.P95 = core.Rounded(float64(errors)/1e6/n, 4), core.Rounded(float64(p95)/1000/n, 4)
	}
	rows, err := a.Store.Governance(ctx, schooldb.Verifications, f, "", pastRecords)
	records := make([]runbook.Verification, len(rows))
	for i, r := range rows {
		records[i] = runbook.Verification{At: clock.Text(clock.FromMicros(r.At)), Status: runbook.Status(r.Status), ErrorRatioPct: float64(r.Errors) / 1e6, P95Ms: float64(r.P95) / 1000}
	}
	p := runbook.PastOf(records)
	s.RiskStreak, s.FailStreak, s.LatestAt, s.Trend, s.Window = p.RiskStreak, p.FailStreak, p.LatestAt, p.Trend, p.Window
	s.Recent, s.Previous, s.Delta = core.Rounded(p.Recent.Severity, 4), core.Rounded(p.Previous.Severity, 4), core.Rounded(p.SeverityDelta, 4)
	s.RecentErrors, s.BeforeErrors, s.DeltaErrors = core.Rounded(p.Recent.ErrorRatioPct, 4), core.Rounded(p.Previous.ErrorRatioPct, 4), core.Rounded(p.ErrorDeltaPct, 4)
	s.RecentP95, s.BeforeP95, s.DeltaP95 = core.Rounded(p.Recent.P95Ms, 4), core.Rounded(p.Previous.P95Ms, 4), core.Rounded(p.P95DeltaMs, 4)
	return s, err
}

// SweepGovernance removes verifications, attempts, snapshots, traces of tutors, samples of questions and exposures to strategies that have had
// their time.
func (a *Governance) SweepGovernance(ctx context.Context, d *core.Job) error {
	oldest := a.Clock().Add(-a.GovernanceKeep)
	for _, sweep := range []func(*store.Tx) (int64, error){
		func(tx *store.Tx) (int64, error) { return tx.SweepGovernance(core.IDAt(oldest), governanceBatch) },
		func(tx *store.Tx) (int64, error) {
			return tx.SweepTutor(clock.Micros(oldest), governanceBatch)
		},
		func(tx *store.Tx) (int64, error) { return tx.SweepQuerySamples(core.IDAt(oldest), governanceBatch) },
	} {
		if err := core.InBatches(ctx, d, governanceBatch, sweep); err != nil {
			return err
		}
	}
	return nil
}

// governanceBatch is small: each record is taken out of several sums.
const governanceBatch = 100
