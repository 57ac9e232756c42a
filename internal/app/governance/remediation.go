package governance

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// RemediationInput is what became of an attempt to fix something, in the words of existing clients.
type RemediationInput struct {
	UserID            string     `json:"user_id"`
	Source            string     `json:"source"`
	Status            string     `json:"status"`
	Applied           *bool      `json:"applied"`
	CheckID           string     `json:"checkId"`
	Reason            string     `json:"triggerReason"`
	Detail            string     `json:"detail"`
	Degraded          int        `json:"degradedStreakCount"`
	Failures          int        `json:"failureCount"`
	Recovered         int        `json:"recoveredCount"`
	FailureSources    core.Words `json:"failureSources"`
	RecoveredSources  core.Words `json:"recoveredSources"`
	RefreshAttempted  string     `json:"refreshAttemptedAt"`
	RefreshDurationMs float64    `json:"refreshDurationMs"`
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
	mostSources       = 16
)

// RecordRemediation keeps what became of an attempt to fix something, one for each request id.
func (a *Governance) RecordRemediation(ctx context.Context, c core.Caller, in RemediationInput) (RemediationReply, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RemediationReply{}, err
	}
	now := a.Clock()
	status := runbook.NormalRemedy(in.Status)
	if in.Status == "" && in.Applied != nil && *in.Applied {
		status = runbook.Applied
	}
	r := RemediationRecord{
		ID: core.IDOf(now), RecordedAt: clock.Text(now), RequestID: cmp.Or(c.RequestID, core.NewID()), Source: cmp.Or(runbook.Token(in.Source, longestSource), usualRemedySource),
		Reason: cmp.Or(core.Truncate(in.Reason, longestReason), "unknown"), Status: status, Applied: status == runbook.Applied, CheckID: runbook.Token(in.CheckID, longestCheckID),
		Degraded: in.Degraded, Failures: in.Failures, Recovered: in.Recovered, FailureSources: sourceTokens(in.FailureSources), RecoveredSources: sourceTokens(in.RecoveredSources),
		Detail: core.Truncate(in.Detail, core.LongestDetail), RefreshDuration: in.RefreshDurationMs,
	}
	if in.Applied != nil {
		r.Applied = *in.Applied
	}
	if in.RefreshAttempted != "" {
		r.RefreshAttempted = clock.Text(notebook.TimeOr(in.RefreshAttempted, now))
	}
	text, err := json.Marshal(r)
	if err != nil {
		return RemediationReply{}, err
	}
	out := RemediationReply{Record: r}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		added, err := tx.AddGovernance(schooldb.GovernanceRecord{
			Kind: schooldb.Remediations, UserID: userID, ID: r.ID, RequestID: r.RequestID, CheckID: r.CheckID, Source: r.Source, Status: string(r.Status), At: clock.Micros(now), Record: text,
		})
		if err != nil {
			return err
		}
		if !added {
			first, err := tx.GovernanceOf(ctx, schooldb.Remediations, userID, r.RequestID)
			if err != nil {
				return err
			}
			return json.Unmarshal(first.Record, &out.Record)
		}
		return a.UseQuota(tx, userID, core.QuotaRemediations, 1)
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

// GetRemediationHistory answers past attempts to fix something.
func (a *Governance) GetRemediationHistory(ctx context.Context, c core.Caller, in RemediationHistoryInput) (RemediationHistory, error) {
	var out RemediationHistory
	userID, err := c.Member(in.UserID)
	if err != nil {
		return out, err
	}
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return out, err
	}
	minutes, limit := sinceOr(in.SinceMinutes, longestSince), cmp.Or(in.Limit, tutors.UsualHistory)
	at, from := a.since(minutes)
	status, _ := chosen(in.Status, runbook.RemedyStatuses)
	f := schooldb.GovernanceFilter{UserID: userID, CheckID: runbook.Token(in.CheckID, longestCheckID), Source: runbook.Token(in.Source, longestSource), Status: string(status), From: from}
	rows, err := a.Store.Governance(ctx, schooldb.Remediations, f, before, limit+1)
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
	sums, err := a.Store.GovernanceSums(ctx, schooldb.Remediations, userID, at)
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
