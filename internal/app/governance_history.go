package app

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
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
func (a *App) GetRunbookHistory(ctx context.Context, c Caller, in RunbookHistoryInput) (RunbookHistory, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return RunbookHistory{}, err
	}
	before, err := idCursor(in.Cursor)
	if err != nil {
		return RunbookHistory{}, err
	}
	minutes, limit := sinceOr(in.SinceMinutes, longestSince), cmp.Or(in.Limit, usualHistory)
	at, from := a.since(minutes)
	f := store.GovernanceFilter{UserID: userID, CheckID: runbook.Token(in.CheckID, longestCheckID), Status: knownStatus(in.Status), From: from}
	out := RunbookHistory{Records: []VerificationRecord{}}
	rows, err := a.store.Governance(ctx, store.Verifications, f, before, limit+1)
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

func (a *App) historySummary(ctx context.Context, f store.GovernanceFilter, at int64) (RunbookHistorySummary, error) {
	var s RunbookHistorySummary
	all, err := a.store.GovernanceSums(ctx, store.Verifications, f.UserID, 0)
	if err != nil {
		return s, err
	}
	for _, x := range all {
		s.Total += x.Records
	}
	sums := all
	if at > 0 {
		if sums, err = a.store.GovernanceSums(ctx, store.Verifications, f.UserID, at); err != nil {
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
		s.Errors, s.P95 = rounded(float64(errors)/1e6/n, 4), rounded(float64(p95)/1000/n, 4)
	}
	rows, err := a.store.Governance(ctx, store.Verifications, f, "", pastRecords)
	records := make([]runbook.Verification, len(rows))
	for i, r := range rows {
		records[i] = runbook.Verification{At: clock.Text(clock.FromMicros(r.At)), Status: runbook.Status(r.Status), ErrorRatioPct: float64(r.Errors) / 1e6, P95Ms: float64(r.P95) / 1000}
	}
	p := runbook.PastOf(records)
	s.RiskStreak, s.FailStreak, s.LatestAt, s.Trend, s.Window = p.RiskStreak, p.FailStreak, p.LatestAt, p.Trend, p.Window
	s.Recent, s.Previous, s.Delta = rounded(p.Recent.Severity, 4), rounded(p.Previous.Severity, 4), rounded(p.SeverityDelta, 4)
	s.RecentErrors, s.BeforeErrors, s.DeltaErrors = rounded(p.Recent.ErrorRatioPct, 4), rounded(p.Previous.ErrorRatioPct, 4), rounded(p.ErrorDeltaPct, 4)
	s.RecentP95, s.BeforeP95, s.DeltaP95 = rounded(p.Recent.P95Ms, 4), rounded(p.Previous.P95Ms, 4), rounded(p.P95DeltaMs, 4)
	return s, err
}

// WatchedCheck is a check with its past and what to do.
type WatchedCheck struct {
	CheckID     string             `json:"checkId"`
	Records     int                `json:"records"`
	LatestAt    string             `json:"latestVerifiedAt"`
	Latest      runbook.Status     `json:"latestStatus"`
	Counts      StatusCounts       `json:"statusCounts"`
	RiskStreak  int                `json:"activeRiskStreak"`
	FailStreak  int                `json:"activeFailStreak"`
	Errors      float64            `json:"averageErrorRatioPct"`
	P95         float64            `json:"averageP95DurationMs"`
	Trend       runbook.Trend      `json:"trendStatus"`
	Window      int                `json:"trendWindowSize"`
	Delta       float64            `json:"severityDelta"`
	DeltaErrors float64            `json:"errorRatioDeltaPct"`
	DeltaP95    float64            `json:"p95DurationDeltaMs"`
	TopRiskPct  float64            `json:"topRiskMatchRatioPct"`
	Escalation  runbook.Escalation `json:"latestEscalation"`
	ActionItems []runbook.Action   `json:"escalationActionItems"`
	Actions     []string           `json:"escalationActions"`
	Remediation runbook.Remedies   `json:"remediation"`
}

// ChecksSummary sums up all checks.
type ChecksSummary struct {
	GeneratedAt        string             `json:"generatedAt"`
	Total              int64              `json:"totalRecords"`
	Matched            int64              `json:"matchedRecords"`
	Returned           int                `json:"returnedChecks"`
	SinceMinutes       int                `json:"sinceMinutes"`
	Status             string             `json:"status"`
	CheckQuery         string             `json:"checkQuery"`
	Regressing         int                `json:"regressingChecks"`
	Improving          int                `json:"improvingChecks"`
	Stable             int                `json:"stableChecks"`
	Insufficient       int                `json:"insufficientDataChecks"`
	ModeRecords        int                `json:"dynamicModeAlignmentRecords"`
	ModeStatus         runbook.Status     `json:"dynamicModeAlignmentLatestStatus"`
	ModeConflicts      int                `json:"dynamicModeAlignmentConflictStreak"`
	ModeFails          int                `json:"dynamicModeAlignmentFailStreak"`
	PathRecords        int                `json:"pathStrategyAlignmentRecords"`
	PathStatus         runbook.Status     `json:"pathStrategyAlignmentLatestStatus"`
	PathConflicts      int                `json:"pathStrategyAlignmentConflictStreak"`
	PathFails          int                `json:"pathStrategyAlignmentFailStreak"`
	FocusID            string             `json:"recommendedFocusCheckId"`
	FocusReason        string             `json:"recommendedFocusReason"`
	FocusStatus        runbook.Status     `json:"recommendedFocusLatestStatus"`
	FocusTrend         runbook.Trend      `json:"recommendedFocusTrendStatus"`
	FocusEscalation    runbook.Escalation `json:"recommendedFocusEscalation"`
	FocusAction        string             `json:"recommendedFocusTopAction"`
	FocusRemedy        runbook.Remedy     `json:"recommendedFocusRemediationStatus"`
	FocusRemedyTrend   runbook.Trend      `json:"recommendedFocusRemediationTrendStatus"`
	QueueTotal         int                `json:"actionQueueTotal"`
	QueueP0            int                `json:"actionQueueP0"`
	QueueP1            int                `json:"actionQueueP1"`
	QueueP2            int                `json:"actionQueueP2"`
	Remedies           int64              `json:"remediationRecords"`
	RemedyChecks       int                `json:"remediationChecksWithEvents"`
	RemedyRegressing   int                `json:"remediationChecksRegressing"`
	RemedyImproving    int                `json:"remediationChecksImproving"`
	RemedyStable       int                `json:"remediationChecksStable"`
	RemedyInsufficient int                `json:"remediationChecksInsufficientData"`
	RemedyApplied      float64            `json:"remediationAppliedRatioPct"`
	RemedyCooldown     float64            `json:"remediationCooldownRatioPct"`
	RemedyError        float64            `json:"remediationErrorRatioPct"`
	RemedyRisk         float64            `json:"remediationRiskRatioPct"`
	RemedyLatestAt     string             `json:"remediationLatestRecordedAt"`
}

// RunbookChecks are all checks that were verified, the most urgent first, and what to do over all of them.
type RunbookChecks struct {
	Summary ChecksSummary       `json:"summary"`
	Checks  []WatchedCheck      `json:"checks"`
	Queue   []runbook.QueueItem `json:"actionQueue"`
}

const (
	usualChecks  = 8
	shownActions = 4
	usualQueue   = 12
)

// GetRunbookChecks answers how each check went.
func (a *App) GetRunbookChecks(ctx context.Context, c Caller, in RunbookHistoryInput) (RunbookChecks, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return RunbookChecks{}, err
	}
	minutes, status, query := sinceOr(in.SinceMinutes, usualSince), knownStatus(in.Status), runbook.Token(in.CheckQuery, longestCheckID)
	w, err := a.watch(ctx, userID, minutes, status, query)
	if err != nil {
		return RunbookChecks{}, err
	}
	latest, err := a.store.Governance(ctx, store.Remediations, store.GovernanceFilter{UserID: userID}, "", 1)
	focus := runbook.FocusOf(w.checks)
	out := RunbookChecks{Summary: w.summary(focus), Checks: []WatchedCheck{}, Queue: orNone(runbook.Queue(w.checks, focus.ID))}
	s := &out.Summary
	s.GeneratedAt, s.SinceMinutes, s.Status, s.CheckQuery = clock.Text(a.clock()), minutes, status, query
	if len(latest) > 0 {
		s.RemedyLatestAt = clock.Text(clock.FromMicros(latest[0].At))
	}
	for _, q := range out.Queue {
		*map[string]*int{"p0": &s.QueueP0, "p1": &s.QueueP1, "p2": &s.QueueP2}[q.Priority]++
		s.QueueTotal++
	}
	for i := range w.checks[:min(len(w.checks), cmp.Or(in.Limit, usualChecks))] {
		out.Checks = append(out.Checks, shownWatched(&w.checks[i], focus.ID))
	}
	s.Returned = len(out.Checks)
	return out, err
}

func shownWatched(x *runbook.Watched, focus string) WatchedCheck {
	p := x.Past
	out := WatchedCheck{
		CheckID: x.ID, Records: p.Records, LatestAt: p.LatestAt, Latest: p.Latest, RiskStreak: p.RiskStreak, FailStreak: p.FailStreak, Errors: rounded(p.AverageErrors, 4), P95: rounded(p.AverageP95, 4),
		Trend: p.Trend, Window: p.Window, Delta: rounded(p.SeverityDelta, 4), DeltaErrors: rounded(p.ErrorDeltaPct, 4), DeltaP95: rounded(p.P95DeltaMs, 4), TopRiskPct: x.TopRiskPct,
		Escalation: x.Escalation(), ActionItems: x.Actions(focus), Actions: []string{}, Remediation: x.Remedies,
	}
	for status, n := range p.CountsByStatus {
		*out.Counts.of(string(status)) += int64(n)
	}
	for _, action := range out.ActionItems[:min(shownActions, len(out.ActionItems))] {
		out.Actions = append(out.Actions, action.Instruction)
	}
	return out
}

// summary sums up all checks, not only those that are shown.
func (w *watchedChecks) summary(focus runbook.Focus) ChecksSummary {
	s := ChecksSummary{
		Total: w.total, Matched: w.matched, FocusID: focus.ID, FocusReason: focus.Reason, FocusStatus: focus.Latest, FocusTrend: focus.Trend, FocusEscalation: runbook.Normal,
		FocusRemedyTrend: runbook.Insufficient, ModeStatus: runbook.Unknown, PathStatus: runbook.Unknown, Remedies: w.remedy.records,
		RemedyApplied: w.remedy.pct(runbook.Applied), RemedyCooldown: w.remedy.pct(runbook.Cooldown), RemedyError: w.remedy.pct(runbook.Error),
		RemedyRisk: w.remedy.pct(runbook.NotApplied, runbook.Cooldown, runbook.Error),
	}
	for i := range w.checks {
		x := &w.checks[i]
		count(x.Trend, &s.Regressing, &s.Improving, &s.Stable, &s.Insufficient)
		if x.Remedies.Returned > 0 {
			s.RemedyChecks++
			count(x.Remedies.Trend, &s.RemedyRegressing, &s.RemedyImproving, &s.RemedyStable, &s.RemedyInsufficient)
		}
		al := runbook.AlignmentOf(x.ID, x.Past)
		switch x.ID {
		case runbook.DynamicMode:
			s.ModeRecords, s.ModeStatus, s.ModeConflicts, s.ModeFails = al.Records, al.Latest, al.Conflicts, al.Fails
		case runbook.StrategyAlign:
			s.PathRecords, s.PathStatus, s.PathConflicts, s.PathFails = al.Records, al.Latest, al.Conflicts, al.Fails
		}
		if x.ID == focus.ID {
			s.FocusEscalation, s.FocusRemedy, s.FocusRemedyTrend = x.Escalation(), x.Remedies.Latest, x.Remedies.Trend
			if actions := x.Actions(focus.ID); len(actions) > 0 {
				s.FocusAction = actions[0].Instruction
			}
		}
	}
	return s
}

func count(t runbook.Trend, regressing, improving, stable, insufficient *int) {
	switch t {
	case runbook.Regressing:
		*regressing++
	case runbook.Improving:
		*improving++
	case runbook.Stable:
		*stable++
	default:
		*insufficient++
	}
}

// ActionQueueSummary sums up the queue. An empty remediation status is that of no attempt.
type ActionQueueSummary struct {
	GeneratedAt     string             `json:"generatedAt"`
	Total           int64              `json:"totalRecords"`
	Matched         int64              `json:"matchedRecords"`
	Checks          int                `json:"returnedChecks"`
	SinceMinutes    int                `json:"sinceMinutes"`
	Status          string             `json:"status"`
	CheckQuery      string             `json:"checkQuery"`
	QueueLimit      int                `json:"queueLimit"`
	Priority        string             `json:"priorityFilter"`
	Category        string             `json:"categoryFilter"`
	CheckID         string             `json:"checkIdFilter"`
	RemedyStatus    string             `json:"remediationStatusFilter"`
	RemedyTrend     string             `json:"remediationTrendFilter"`
	Items           int                `json:"totalQueueItems"`
	Filtered        int                `json:"filteredQueueItems"`
	Returned        int                `json:"returnedQueueItems"`
	P0              int                `json:"queueP0"`
	P1              int                `json:"queueP1"`
	P2              int                `json:"queueP2"`
	RiskItems       int                `json:"remediationRiskQueueItems"`
	RegressingItems int                `json:"remediationRegressingQueueItems"`
	RiskPct         float64            `json:"remediationAverageRiskRatioPct"`
	TopRisk         string             `json:"remediationTopRiskCheckId"`
	FocusID         string             `json:"recommendedFocusCheckId"`
	FocusReason     string             `json:"recommendedFocusReason"`
	FocusEscalation runbook.Escalation `json:"recommendedFocusEscalation"`
	FocusAction     string             `json:"recommendedFocusTopAction"`
}

// ActionQueue is what to do, the most urgent first.
type ActionQueue struct {
	Summary ActionQueueSummary  `json:"summary"`
	Queue   []runbook.QueueItem `json:"actionQueue"`
}

// noFilter is what a filter that means nothing is echoed as.
const noFilter = "all"

// chosen gives a filter's word if it is known, and how it is echoed.
func chosen[T ~string](word string, known []T) (T, string) {
	if slices.Contains(known, T(word)) {
		return T(word), word
	}
	return "", noFilter
}

// GetActionQueue answers what to do over all checks.
func (a *App) GetActionQueue(ctx context.Context, c Caller, in RunbookHistoryInput) (ActionQueue, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return ActionQueue{}, err
	}
	minutes, status, query := sinceOr(in.SinceMinutes, usualSince), knownStatus(in.Status), runbook.Token(in.CheckQuery, longestCheckID)
	w, err := a.watch(ctx, userID, minutes, status, query)
	if err != nil {
		return ActionQueue{}, err
	}
	if in.Limit > 0 {
		w.checks = w.checks[:min(in.Limit, len(w.checks))]
	}
	focus := runbook.FocusOf(w.checks)
	sum := w.summary(focus)
	out := ActionQueue{Summary: ActionQueueSummary{
		GeneratedAt: clock.Text(a.clock()), Total: w.total, Matched: w.matched, Checks: len(w.checks), SinceMinutes: minutes, Status: status, CheckQuery: query, QueueLimit: cmp.Or(in.QueueLimit, usualQueue),
		CheckID: noFilter, FocusID: focus.ID, FocusReason: focus.Reason, FocusEscalation: sum.FocusEscalation, FocusAction: sum.FocusAction,
	}}
	s := &out.Summary
	var f runbook.Filter
	f.Priority, s.Priority = chosen(in.Priority, runbook.Priorities)
	f.Category, s.Category = chosen(in.Category, runbook.Categories)
	f.Remedy, s.RemedyStatus = chosen(in.RemediationStatus, runbook.RemedyStatuses)
	f.RemedyTrend, s.RemedyTrend = chosen(in.RemediationTrend, runbook.Trends)
	if known := runbook.TargetsOf(in.CheckID); known != nil {
		f.CheckID, s.CheckID = in.CheckID, in.CheckID
	}
	all := runbook.Queue(w.checks, focus.ID)
	filtered := f.Keep(all)
	s.Items, s.Filtered = len(all), len(filtered)
	out.Queue = filtered[:min(s.QueueLimit, len(filtered))]
	s.Returned = len(out.Queue)
	for _, q := range filtered {
		*map[string]*int{"p0": &s.P0, "p1": &s.P1, "p2": &s.P2}[q.Priority]++
		if q.AtRisk() {
			s.RiskItems++
		}
		if q.RemedyTrend == runbook.Regressing {
			s.RegressingItems++
		}
		s.RiskPct += q.RemedyRiskPct / float64(len(filtered))
	}
	s.RiskPct = rounded(s.RiskPct, 4)
	if len(filtered) > 0 {
		s.TopRisk = filtered[0].CheckID
	}
	return out, nil
}

// RemediationInput is what became of an attempt to mend something, in the words of existing clients.
type RemediationInput struct {
	UserID            string  `json:"user_id"`
	Source            string  `json:"source"`
	Status            string  `json:"status"`
	Applied           *bool   `json:"applied"`
	CheckID           string  `json:"checkId"`
	Reason            string  `json:"triggerReason"`
	Detail            string  `json:"detail"`
	Degraded          int     `json:"degradedStreakCount"`
	Failures          int     `json:"failureCount"`
	Recovered         int     `json:"recoveredCount"`
	FailureSources    words   `json:"failureSources"`
	RecoveredSources  words   `json:"recoveredSources"`
	RefreshAttempted  string  `json:"refreshAttemptedAt"`
	RefreshDurationMs float64 `json:"refreshDurationMs"`
}

// RemediationRecord is an attempt that was kept.
type RemediationRecord struct {
	ID               string         `json:"id"`
	RecordedAt       string         `json:"recordedAt"`
	RequestID        string         `json:"requestId"`
	Source           string         `json:"source"`
	Reason           string         `json:"triggerReason"`
	Status           runbook.Remedy `json:"status"`
	Applied          bool           `json:"applied"`
	CheckID          string         `json:"checkId"`
	Degraded         int            `json:"degradedStreakCount"`
	Failures         int            `json:"failureCount"`
	Recovered        int            `json:"recoveredCount"`
	FailureSources   []string       `json:"failureSources"`
	RecoveredSources []string       `json:"recoveredSources"`
	Detail           string         `json:"detail"`
	RefreshAttempted string         `json:"refreshAttemptedAt"`
	RefreshDuration  float64        `json:"refreshDurationMs"`
}

// RemediationReply is the attempt as it was kept.
type RemediationReply struct {
	Record  RemediationRecord `json:"record"`
	Summary struct {
		Total int64 `json:"totalRecords"`
	} `json:"summary"`
}

const (
	usualRemedySource = "learning_workbench_refresh"
	longestSource     = 64
	longestReason     = 140
	longestDetail     = 280
	mostSources       = 16
)

// RecordRemediation keeps what became of an attempt to mend something, one for each request id.
func (a *App) RecordRemediation(ctx context.Context, c Caller, in RemediationInput) (RemediationReply, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return RemediationReply{}, err
	}
	now := a.clock()
	status := runbook.NormalRemedy(in.Status)
	if in.Status == "" && in.Applied != nil && *in.Applied {
		status = runbook.Applied
	}
	r := RemediationRecord{
		ID: idOf(now), RecordedAt: clock.Text(now), RequestID: cmp.Or(c.RequestID, newID()), Source: cmp.Or(runbook.Token(in.Source, longestSource), usualRemedySource),
		Reason: cmp.Or(cut(in.Reason, longestReason), "unknown"), Status: status, Applied: status == runbook.Applied, CheckID: runbook.Token(in.CheckID, longestCheckID),
		Degraded: in.Degraded, Failures: in.Failures, Recovered: in.Recovered, FailureSources: sourceTokens(in.FailureSources), RecoveredSources: sourceTokens(in.RecoveredSources),
		Detail: cut(in.Detail, longestDetail), RefreshDuration: in.RefreshDurationMs,
	}
	if in.Applied != nil {
		r.Applied = *in.Applied
	}
	if in.RefreshAttempted != "" {
		r.RefreshAttempted = clock.Text(timeOr(in.RefreshAttempted, now))
	}
	text, err := json.Marshal(r)
	if err != nil {
		return RemediationReply{}, err
	}
	out := RemediationReply{Record: r}
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		added, err := tx.AddGovernance(store.GovernanceRecord{
			Kind: store.Remediations, UserID: userID, ID: r.ID, RequestID: r.RequestID, CheckID: r.CheckID, Source: r.Source, Status: string(r.Status), At: clock.Micros(now), Record: text,
		})
		if err != nil {
			return err
		}
		if !added {
			first, err := tx.GovernanceOf(ctx, store.Remediations, userID, r.RequestID)
			if err != nil {
				return err
			}
			return json.Unmarshal(first.Record, &out.Record)
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	sums, err := a.remedySums(ctx, userID, 0)
	out.Summary.Total = sums.records
	return out, err
}

func sourceTokens(list []string) []string {
	out := []string{}
	for _, s := range list {
		if t := runbook.Token(s, longestSource); t != "" && !slices.Contains(out, t) && len(out) < mostSources {
			out = append(out, t)
		}
	}
	return out
}

// RemediationHistoryInput chooses attempts.
type RemediationHistoryInput struct {
	UserID       string `json:"user_id"`
	Limit        int    `json:"limit"`
	Cursor       string `json:"cursor"`
	SinceMinutes *int   `json:"sinceMinutes"`
	Status       string `json:"status"`
	CheckID      string `json:"checkId"`
	Source       string `json:"source"`
}

// RemedyCounts counts attempts by how they ended.
type RemedyCounts struct {
	Applied    int64 `json:"applied"`
	NotApplied int64 `json:"not_applied"`
	Cooldown   int64 `json:"cooldown"`
	Error      int64 `json:"error"`
	Ignored    int64 `json:"ignored"`
}

// RemediationHistory is a page of attempts, newest first.
type RemediationHistory struct {
	Summary struct {
		Total        int64        `json:"totalRecords"`
		Matched      int64        `json:"matchedRecords"`
		Returned     int          `json:"returnedRecords"`
		SinceMinutes int          `json:"sinceMinutes"`
		Status       string       `json:"status"`
		CheckID      string       `json:"checkId"`
		Source       string       `json:"source"`
		LastAt       string       `json:"lastRecordedAt"`
		Counts       RemedyCounts `json:"statusCounts"`
	} `json:"summary"`
	Records    []RemediationRecord `json:"records"`
	NextCursor string              `json:"next_cursor"`
}

// GetRemediationHistory answers past attempts to mend something.
func (a *App) GetRemediationHistory(ctx context.Context, c Caller, in RemediationHistoryInput) (RemediationHistory, error) {
	var out RemediationHistory
	userID, err := c.member(in.UserID)
	if err != nil {
		return out, err
	}
	before, err := idCursor(in.Cursor)
	if err != nil {
		return out, err
	}
	minutes, limit := sinceOr(in.SinceMinutes, longestSince), cmp.Or(in.Limit, usualHistory)
	at, from := a.since(minutes)
	status, _ := chosen(in.Status, runbook.RemedyStatuses)
	f := store.GovernanceFilter{UserID: userID, CheckID: runbook.Token(in.CheckID, longestCheckID), Source: runbook.Token(in.Source, longestSource), Status: string(status), From: from}
	rows, err := a.store.Governance(ctx, store.Remediations, f, before, limit+1)
	if err != nil {
		return out, err
	}
	out.Records = make([]RemediationRecord, min(limit, len(rows)))
	for i := range out.Records {
		if err := json.Unmarshal(rows[i].Record, &out.Records[i]); err != nil {
			return out, err
		}
	}
	if len(rows) > limit {
		out.NextCursor = rows[limit-1].ID
	}
	s := &out.Summary
	s.Returned, s.SinceMinutes, s.Status, s.CheckID, s.Source = len(out.Records), minutes, f.Status, f.CheckID, f.Source
	if len(out.Records) > 0 && before == "" {
		s.LastAt = out.Records[0].RecordedAt
	}
	all, err := a.remedySums(ctx, userID, 0)
	if err != nil {
		return out, err
	}
	s.Total = all.records
	sums, err := a.store.GovernanceSums(ctx, store.Remediations, userID, at)
	for _, x := range sums {
		if f.CheckID != "" && x.CheckID != f.CheckID || f.Source != "" && x.Source != f.Source || f.Status != "" && x.Status != f.Status {
			continue
		}
		s.Matched += x.Records
		n := &s.Counts
		*map[string]*int64{"applied": &n.Applied, "not_applied": &n.NotApplied, "cooldown": &n.Cooldown, "error": &n.Error, "ignored": &n.Ignored}[x.Status] += x.Records
	}
	return out, err
}

// sweepGovernance removes verifications, attempts and snapshots that have had their time.
func (a *App) sweepGovernance(ctx context.Context) error {
	oldest := idAt(a.clock().Add(-a.GovernanceKeep))
	for {
		var n int64
		err := a.store.Write(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.SweepGovernance(oldest, governanceBatch)
			return err
		})
		if err != nil || n < governanceBatch {
			return err
		}
	}
}

// governanceBatch is small: each record is taken out of four sums.
const governanceBatch = 100
