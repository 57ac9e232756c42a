package governance

import (
	"cmp"
	"context"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
)

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
func (a *Governance) GetActionQueue(ctx context.Context, c core.Caller, in RunbookHistoryInput) (ActionQueue, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ActionQueue{}, err
	}
	minutes, status, query := sinceOr(in.SinceMinutes, usualSince), knownStatus(in.Status), runbook.Token(in.CheckQuery, longestCheckID)
	w, err := a.watch(ctx, userID, minutes, status, query)
	if err != nil {
		return ActionQueue{}, err
	}
	focus := runbook.FocusOf(w.checks, len(w.checks))
	sum := w.summary(focus)
	out := ActionQueue{Summary: ActionQueueSummary{
		GeneratedAt: clock.Text(a.Clock()), Total: w.total, Matched: w.matched, Checks: len(w.checks), SinceMinutes: minutes, Status: status, CheckQuery: query, QueueLimit: cmp.Or(in.QueueLimit, usualQueue),
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
	if in.Limit > 0 {
		filtered = runbook.OfChecks(filtered, in.Limit)
	}
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
	s.RiskPct = core.Rounded(s.RiskPct, 4)
	if len(filtered) > 0 {
		s.TopRisk = filtered[0].CheckID
	}
	return out, nil
}
