package governance

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// VerifyInput chooses what to verify.
type VerifyInput struct {
	UserID       string `json:"user_id"`
	CheckID      string `json:"checkId"`
	Limit        int    `json:"limit"`
	Focus        string `json:"focus"`
	FocusLimit   int    `json:"focusLimit"`
	SinceMinutes *int   `json:"sinceMinutes"`
	Status       string `json:"status"`
	CheckQuery   string `json:"checkQuery"`
}

// FocusFilters are the filters by which a focus was looked for.
type FocusFilters struct {
	Limit        int    `json:"limit"`
	SinceMinutes int    `json:"sinceMinutes"`
	Status       string `json:"status"`
	CheckQuery   string `json:"checkQuery"`
}

// SelectedHistory is what past verdicts on the selected check come to.
type SelectedHistory struct {
	CheckID       string        `json:"checkId"`
	SinceMinutes  int           `json:"sinceMinutes"`
	Returned      int           `json:"returnedRecords"`
	RiskStreak    int           `json:"activeRiskStreak"`
	FailStreak    int           `json:"activeFailStreak"`
	Trend         runbook.Trend `json:"trendStatus"`
	Window        int           `json:"trendWindowSize"`
	SeverityDelta float64       `json:"severityDelta"`
	LatestAt      string        `json:"latestVerifiedAt"`
}

// IndexSyncFacts say how the vector index is kept in step.
type IndexSyncFacts struct {
	CheckID   string `json:"checkId"`
	Status    string `json:"indexSyncStatus"`
	Message   string `json:"indexSyncMessage"`
	Requests  int64  `json:"syncRequestCount"`
	Successes int64  `json:"syncSuccessCount"`
	Failures  int64  `json:"syncFailureCount"`
	Atoms     int    `json:"syncedAtomCount"`
	LastAt    string `json:"lastSyncAt"`
}

// CapabilityVerification is a check verified: how it stands, how it went, and what to do.
type CapabilityVerification struct {
	GeneratedAt  string             `json:"generatedAt"`
	RecordID     string             `json:"recordId"`
	Requested    string             `json:"requestedCheckId"`
	FocusMode    string             `json:"focusMode"`
	FocusApplied bool               `json:"autoFocusApplied"`
	FocusReason  string             `json:"autoFocusReason"`
	FocusID      string             `json:"autoFocusRecommendedCheckId"`
	FocusWhy     string             `json:"autoFocusRecommendedFocusReason"`
	FocusFilters FocusFilters       `json:"autoFocusFilters"`
	SelectedID   string             `json:"selectedCheckId"`
	EffectiveID  string             `json:"effectiveCheckId"`
	Status       runbook.Status     `json:"selectedCheckStatus"`
	Priority     int                `json:"selectedCheckPriorityScore"`
	Message      string             `json:"selectedCheckMessage"`
	TopRiskID    string             `json:"topRiskCheckId"`
	TopRisk      runbook.Status     `json:"topRiskStatus"`
	Trace        TraceSummary       `json:"traceSummary"`
	Targets      []string           `json:"verificationTargets"`
	Runbook      CapabilityRunbook  `json:"runbook"`
	History      SelectedHistory    `json:"selectedCheckHistory"`
	Remediation  runbook.Remedies   `json:"selectedCheckRemediation"`
	Escalation   runbook.Escalation `json:"selectedCheckEscalation"`
	ActionItems  []runbook.Action   `json:"selectedCheckEscalationActionItems"`
	Actions      []string           `json:"selectedCheckEscalationActions"`
	DynamicMode  runbook.Alignment  `json:"dynamicModeAlignment"`
	PathStrategy runbook.Alignment  `json:"pathStrategyAlignment"`
	IndexSync    IndexSyncFacts     `json:"queryVectorAccelerationIndexSyncHealth"`
	Incident     *runbook.Incident  `json:"incident"` // what is wrong before all else; nil when nothing is
	AlreadyKept  bool               `json:"idempotent_replay,omitempty"`
}

const (
	usualVerifyTrace = 40
	usualFocusLimit  = 12
)

var focusWords = []string{"recommended", "auto", "regressing"}

// VerifyCapability looks at a check again and keeps the verdict, one for each request id and check asked for: the same
// request again keeps nothing more.
func (a *Governance) VerifyCapability(ctx context.Context, c core.Caller, in VerifyInput) (CapabilityVerification, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return CapabilityVerification{}, err
	}
	now, minutes := a.Clock(), sinceOr(in.SinceMinutes, usualSince)
	requested := runbook.Token(in.CheckID, longestCheckID)
	out := CapabilityVerification{
		GeneratedAt: clock.Text(now), Requested: requested, FocusMode: "none", FocusReason: "not_requested", FocusWhy: runbook.ReasonNone,
		FocusFilters: FocusFilters{cmp.Or(in.FocusLimit, usualFocusLimit), minutes, knownStatus(in.Status), runbook.Token(in.CheckQuery, longestCheckID)},
	}
	effective := requested
	if slices.Contains(focusWords, in.Focus) || slices.Contains(focusWords, requested) {
		out.FocusMode = "recommended"
		w, err := a.watch(ctx, userID, minutes, out.FocusFilters.Status, out.FocusFilters.CheckQuery)
		if err != nil {
			return out, err
		}
		focus := runbook.FocusOf(w.checks, out.FocusFilters.Limit)
		out.FocusReason, out.FocusID, out.FocusWhy = "no_recommended_focus", focus.ID, focus.Reason
		if focus.ID != "" {
			out.FocusApplied, out.FocusReason, effective = true, focus.Reason, focus.ID
		} else if slices.Contains(focusWords, requested) {
			effective = ""
		}
	}
	m, err := a.matrix(ctx, userID)
	if err != nil {
		return out, err
	}
	book := m.For(effective)
	out.Incident = m.Incident
	out.Runbook, out.Targets = CapabilityRunbook{out.GeneratedAt, book}, book.Targets
	out.Status, out.TopRisk = runbook.Unknown, runbook.None
	if book.TopRisk != nil {
		out.TopRiskID, out.TopRisk = book.TopRisk.ID, book.TopRisk.Status
	}
	if s := book.Selected; s != nil {
		out.SelectedID, out.EffectiveID, out.Status, out.Priority, out.Message = s.ID, s.ID, s.Known(), s.Priority, runbook.Cut(s.Message, 280)
	}
	out.Trace, err = a.verifiedTrace(ctx, userID, book.Filter, cmp.Or(in.Limit, usualVerifyTrace))
	if err != nil {
		return out, err
	}
	if err := a.keepVerification(ctx, c, userID, &out); err != nil {
		return out, err
	}
	return out, a.verifiedPast(ctx, userID, minutes, &m, &out)
}

// verifiedTrace sums up the newest requests that a check is about.
func (a *Governance) verifiedTrace(ctx context.Context, userID string, f runbook.TraceHint, limit int) (TraceSummary, error) {
	records, err := a.Traced(ctx, store.TraceFilter{UserID: &userID, Limit: apiWindow})
	matching := slices.DeleteFunc(records, func(r store.TraceRecord) bool {
		return len(r.Path) < len(f.PathPrefix) || r.Path[:len(f.PathPrefix)] != f.PathPrefix || r.Status < f.StatusAtLeast ||
			f.Method != "" && r.Method != f.Method || f.ErrorCode != "" && r.ErrorCode != f.ErrorCode
	})
	looked := matching[:min(limit, len(matching))]
	s := summarise(looked)
	s.TrackedRecords, s.ReturnedRecords = len(records), len(looked)
	s.PathPrefix, s.StatusAtLeast, s.Method, s.ErrorCode = f.PathPrefix, f.StatusAtLeast, f.Method, f.ErrorCode
	return s, err
}

// keepVerification keeps the verdict.
func (a *Governance) keepVerification(ctx context.Context, c core.Caller, userID string, out *CapabilityVerification) error {
	now, t := a.Clock(), out.Trace
	v := VerificationRecord{
		ID: core.IDOf(now), RequestID: cmp.Or(c.RequestID, core.NewID()), VerifiedAt: clock.Text(now), CheckID: out.SelectedID, Status: out.Status, Priority: out.Priority, TopRiskID: out.TopRiskID, TopRisk: out.TopRisk,
		Source: out.Runbook.Source,
		Trace: governanceTrace{
			t.ReturnedRecords, t.ErrorRequests, t.ErrorRatioPct, t.TransientRatioPct, t.AverageDurationMs, t.P95DurationMs, t.PathPrefix, t.StatusAtLeast, t.Method, t.ErrorCode,
		},
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	asked := v.RequestID // for one check: the same id with another one asks for something else
	if out.Requested != "" {
		asked += " " + out.Requested
	}
	out.RecordID = v.ID
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		added, err := tx.AddGovernance(schooldb.GovernanceRecord{
			Kind: schooldb.Verifications, UserID: userID, ID: v.ID, RequestID: asked, CheckID: v.CheckID, Status: string(v.Status), At: clock.Micros(now),
			Errors: core.Millionths(t.ErrorRatioPct), P95: int64(1000 * t.P95DurationMs), TopRisk: v.CheckID != "" && v.CheckID == v.TopRiskID, Record: text,
		})
		if err != nil {
			return err
		}
		if added {
			return a.UseQuota(tx, userID, core.QuotaVerifications, 1)
		}
		first, err := tx.GovernanceOf(ctx, schooldb.Verifications, userID, asked)
		out.RecordID, out.AlreadyKept = first.ID, true
		return err
	})
}

// verifiedPast says how the check and the two alignment checks went.
func (a *Governance) verifiedPast(ctx context.Context, userID string, minutes int, m *runbook.Matrix, out *CapabilityVerification) error {
	_, from := a.since(minutes)
	past := runbook.PastOf(nil)
	out.Remediation = runbook.RemediesOf("", nil)
	var err error
	if id := out.SelectedID; id != "" {
		if past, err = a.pastOf(ctx, userID, id, from); err != nil {
			return err
		}
		if out.Remediation, err = a.remediesOf(ctx, userID, id, from, minutes); err != nil {
			return err
		}
	}
	out.History = SelectedHistory{out.SelectedID, minutes, past.Records, past.RiskStreak, past.FailStreak, past.Trend, past.Window, core.Rounded(past.SeverityDelta, 4), past.LatestAt}
	w := runbook.Watched{ID: out.SelectedID, Past: past, Remedies: out.Remediation}
	out.Escalation, out.ActionItems, out.Actions = runbook.Normal, []runbook.Action{}, []string{}
	if out.SelectedID != "" {
		out.Escalation, out.ActionItems = w.Escalation(), w.Actions(out.FocusID)
	}
	for _, x := range out.ActionItems {
		out.Actions = append(out.Actions, x.Instruction)
	}
	for id, into := range map[string]*runbook.Alignment{runbook.DynamicMode: &out.DynamicMode, runbook.StrategyAlign: &out.PathStrategy} {
		p, err := a.pastOf(ctx, userID, id, from)
		if err != nil {
			return err
		}
		*into = runbook.AlignmentOf(id, p)
	}
	s := m.Signals
	out.IndexSync = IndexSyncFacts{runbook.IndexSync, s.SyncStatus, s.SyncMessage, s.SyncRequests, s.SyncSuccesses, s.SyncFailures, s.SyncAtoms, s.SyncLastAt}
	return nil
}

// sinceOr is how many minutes to look back; a client may ask for all with 0.
func sinceOr(minutes *int, usual int) int {
	if minutes == nil {
		return usual
	}
	return min(*minutes, longestSince)
}

// knownStatus gives a status that records may have, else "" for no filter.
func knownStatus(text string) string {
	switch s := runbook.Status(text); s {
	case runbook.Pass, runbook.Warn, runbook.Fail, runbook.Unknown:
		return text
	}
	return ""
}
