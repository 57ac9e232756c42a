package governance

import (
	"cmp"
	"context"

	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/schooldb"
)

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
func (a *Governance) GetRunbookChecks(ctx context.Context, c core.Caller, in RunbookHistoryInput) (RunbookChecks, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RunbookChecks{}, err
	}
	minutes, status, query := sinceOr(in.SinceMinutes, usualSince), knownStatus(in.Status), runbook.Token(in.CheckQuery, longestCheckID)
	w, err := a.watch(ctx, userID, minutes, status, query)
	if err != nil {
		return RunbookChecks{}, err
	}
	latest, err := a.Store.Governance(ctx, schooldb.Remediations, schooldb.GovernanceFilter{UserID: userID}, "", 1)
	focus := runbook.FocusOf(w.checks, len(w.checks))
	queue := core.NonNil(runbook.Queue(w.checks, focus.ID))
	out := RunbookChecks{Summary: w.summary(focus), Checks: []WatchedCheck{}, Queue: queue[:min(runbook.MostQueued, len(queue))]}
	s := &out.Summary
	s.GeneratedAt, s.SinceMinutes, s.Status, s.CheckQuery = clock.Text(a.Clock()), minutes, status, query
	if len(latest) > 0 {
		s.RemedyLatestAt = clock.Text(clock.FromMicros(latest[0].At))
	}
	for _, q := range queue {
		*map[string]*int{"p0": &s.QueueP0, "p1": &s.QueueP1, "p2": &s.QueueP2}[q.Priority]++
		s.QueueTotal++
	}
	for i := range w.checks[:min(len(w.checks), cmp.Or(in.Limit, usualChecks))] {
		out.Checks = append(out.Checks, watchedView(&w.checks[i], focus.ID))
	}
	s.Returned = len(out.Checks)
	return out, err
}

func watchedView(x *runbook.Watched, focus string) WatchedCheck {
	p := x.Past
	out := WatchedCheck{
		CheckID: x.ID, Records: p.Records, LatestAt: p.LatestAt, Latest: p.Latest, RiskStreak: p.RiskStreak, FailStreak: p.FailStreak, Errors: core.Rounded(p.AverageErrors, 4), P95: core.Rounded(p.AverageP95, 4),
		Trend: p.Trend, Window: p.Window, Delta: core.Rounded(p.SeverityDelta, 4), DeltaErrors: core.Rounded(p.ErrorDeltaPct, 4), DeltaP95: core.Rounded(p.P95DeltaMs, 4), TopRiskPct: x.TopRiskPct,
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
	for _, m := range w.remedied {
		s.RemedyChecks++
		count(m.Trend, &s.RemedyRegressing, &s.RemedyImproving, &s.RemedyStable, &s.RemedyInsufficient)
	}
	for i := range w.checks {
		x := &w.checks[i]
		count(x.Trend, &s.Regressing, &s.Improving, &s.Stable, &s.Insufficient)
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
