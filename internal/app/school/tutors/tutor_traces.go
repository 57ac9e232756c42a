package tutors

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
)

// TutorTracesInput chooses what the tutor did.
type TutorTracesInput struct {
	UserID       string `json:"user_id"`
	Source       string `json:"source"`
	Kind         string `json:"actionKind"`
	Provider     string `json:"providerName"`
	Mode         string `json:"providerMode"`
	Verification string `json:"verificationStatus"`
	Outcome      string `json:"adapterOutcome"`
	Fallback     string `json:"fallbackUsed"`
	Status       string `json:"status"`
	Limit        int    `json:"limit"`
	Window       int    `json:"windowSize"`
	MinSamples   int    `json:"minSamples"`
	Cursor       string `json:"cursor"`
}

// TraceFilters are the filters that were applied.
type TraceFilters struct {
	Source       string `json:"source"`
	Kind         string `json:"actionKind"`
	Provider     string `json:"providerName"`
	Mode         string `json:"providerMode"`
	Verification string `json:"verificationStatus"`
	Outcome      string `json:"adapterOutcome"`
	Fallback     string `json:"fallbackUsed"`
	Limit        int    `json:"limit"`
}

// TutorTraceSummary sums up the newest traces that match.
type TutorTraceSummary struct {
	Total     int64   `json:"totalTraces"`
	Matched   int     `json:"matchedTraces"`
	Returned  int     `json:"returnedTraces"`
	LLM       int     `json:"llmAdapterTraces"`
	Rules     int     `json:"ruleEngineTraces"`
	Verified  int     `json:"verifiedTraces"`
	Pending   int     `json:"pendingVerificationTraces"`
	Fallbacks int     `json:"fallbackTraces"`
	Ratio     float64 `json:"fallbackRatioPct"`
	Attempts  float64 `json:"averageProviderAttemptCount"`
	LatestAt  string  `json:"latestCreatedAt"`
	OldestAt  string  `json:"oldestCreatedAt"`
}

// ProviderBreakdown sums up the traces of a provider.
type ProviderBreakdown struct {
	Name       string  `json:"providerName"`
	Traces     int     `json:"traces"`
	Fallbacks  int     `json:"fallbackTraces"`
	Failed     int     `json:"failedTraces"`
	Confidence float64 `json:"averageConfidence"`
	Attempts   float64 `json:"averageProviderAttemptCount"`
	LastAt     string  `json:"lastSeenAt"`
}

// TutorTraceDiagnostics are what the tutor did, newest first.
type TutorTraceDiagnostics struct {
	GeneratedAt string              `json:"generatedAt"`
	UserID      string              `json:"userId"`
	Filters     TraceFilters        `json:"filters"`
	Summary     TutorTraceSummary   `json:"summary"`
	Providers   []ProviderBreakdown `json:"providerBreakdown"`
	Records     []TutorTrace        `json:"records"`
	NextCursor  string              `json:"next_cursor"`
}

// TraceWindow is how many of the newest traces diagnostics look at.
const TraceWindow = 1000

var traceSources = map[string]string{"llm": "llm-adapter", "llm_adapter": "llm-adapter", "llm-adapter": "llm-adapter", "rule-engine": RuleEngine, "rule_engine": RuleEngine}

// GetTutorTraceDiagnostics answers what the tutor did for a learner.
func (a *Service) GetTutorTraceDiagnostics(ctx context.Context, c core.Caller, in TutorTracesInput) (TutorTraceDiagnostics, error) {
	userID, traces, err := a.tracesAsked(ctx, c, in)
	if err != nil {
		return TutorTraceDiagnostics{}, err
	}
	n, err := a.Store.LearnerCounts(ctx, userID)
	if err != nil {
		return TutorTraceDiagnostics{}, err
	}
	limit := cmp.Or(in.Limit, UsualHistory)
	f := TraceFilters{traceSources[in.Source], in.Kind, in.Provider, in.Mode, in.Verification, in.Outcome, in.Fallback, limit}
	traces = slices.DeleteFunc(traces, func(t TutorTrace) bool { return !f.match(t) })
	out := TutorTraceDiagnostics{
		GeneratedAt: clock.Text(a.Clock()), UserID: userID, Filters: f, Summary: traceSummary(traces), Providers: providersOf(traces), Records: traces[:min(limit, len(traces))],
	}
	out.Summary.Total, out.Summary.Returned = n.Traces, len(out.Records)
	if len(traces) > limit {
		out.NextCursor = out.Records[limit-1].TraceID
	}
	return out, nil
}

// tracesAsked are the newest traces of the learner that a request names, from its cursor on.
func (a *Service) tracesAsked(ctx context.Context, c core.Caller, in TutorTracesInput) (userID string, traces []TutorTrace, err error) {
	if userID, err = c.Member(in.UserID); err != nil {
		return "", nil, err
	}
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return "", nil, err
	}
	traces, err = a.tutorTraces(ctx, userID, before, TraceWindow)
	return userID, traces, err
}

func (a *Service) tutorTraces(ctx context.Context, userID, before string, limit int) ([]TutorTrace, error) {
	rows, err := a.Store.TutorTraces(ctx, userID, before, limit)
	out := make([]TutorTrace, len(rows))
	for i, r := range rows {
		if err := json.Unmarshal(r.Trace, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, err
}

func (f *TraceFilters) match(t TutorTrace) bool {
	same := func(want, is string) bool { return want == "" || strings.EqualFold(want, is) }
	return same(f.Source, t.Source) && same(f.Kind, t.ActionKind) && same(f.Provider, providerOf(t)) && same(f.Mode, t.ProviderMode) &&
		same(f.Verification, t.Verification) && same(f.Outcome, t.outcome()) && same(f.Fallback, strconv.FormatBool(t.Fallback))
}

// outcome says what became of the adapter's reply.
func (t *TutorTrace) outcome() string {
	switch {
	case t.Failed:
		return "failed"
	case t.AdapterID == "":
		return "not_used"
	case t.Fallback && t.Verification != Verified:
		return "downgraded"
	}
	return "accepted"
}

func traceSummary(traces []TutorTrace) TutorTraceSummary {
	s := TutorTraceSummary{Matched: len(traces)}
	attempts := 0
	for _, t := range traces {
		if t.Source == RuleEngine {
			s.Rules++
		} else {
			s.LLM++
		}
		switch t.Verification {
		case Verified:
			s.Verified++
		case Unverified:
			s.Pending++
		}
		if t.Fallback {
			s.Fallbacks++
		}
		attempts += t.Attempts
	}
	if n := len(traces); n > 0 {
		s.Ratio, s.Attempts = core.Percent(int64(s.Fallbacks), int64(n)), core.Rounded(float64(attempts)/float64(n), 4)
		s.LatestAt, s.OldestAt = traces[0].CreatedAt, traces[n-1].CreatedAt
	}
	return s
}

// providersOf sums up traces by provider; the rule engine is one of its own.
func providersOf(traces []TutorTrace) []ProviderBreakdown {
	out := []ProviderBreakdown{}
	for _, t := range traces {
		name := providerOf(t)
		at := slices.IndexFunc(out, func(p ProviderBreakdown) bool { return p.Name == name })
		if at < 0 {
			at = len(out)
			out = append(out, ProviderBreakdown{Name: name, LastAt: t.CreatedAt})
		}
		p := &out[at]
		p.Traces++
		p.Confidence += t.Confidence
		p.Attempts += float64(t.Attempts)
		if t.Fallback {
			p.Fallbacks++
		}
		if t.Failed {
			p.Failed++
		}
	}
	for i := range out {
		p := &out[i]
		p.Confidence, p.Attempts = core.Rounded(p.Confidence/float64(p.Traces), 4), core.Rounded(p.Attempts/float64(p.Traces), 4)
	}
	return out
}

func providerOf(t TutorTrace) string { return cmp.Or(t.ProviderName, t.Source) }

// UsualHistory is how many sessions a page has when nobody says.
const UsualHistory = 20

// TutorTrace is what the tutor did once.
type TutorTrace struct {
	TraceID      string   `json:"traceId"`
	UserID       string   `json:"userId"`
	ActionKind   string   `json:"actionKind"`
	AtomID       string   `json:"atomId,omitempty"`
	CreatedAt    string   `json:"createdAt"`
	Confidence   float64  `json:"confidence"`
	Evidence     []string `json:"evidenceSpanIds"`
	Relation     []string `json:"relationPathAtomIds"`
	Source       string   `json:"source"`
	Notes        string   `json:"notes"`
	AdapterID    string   `json:"adapterId,omitempty"`
	ProviderName string   `json:"providerName,omitempty"`
	ProviderMode string   `json:"providerMode,omitempty"`
	Verification string   `json:"verificationStatus"`
	Reason       string   `json:"verificationReason,omitempty"`
	Attempts     int      `json:"providerAttemptCount,omitempty"`
	Fallback     bool     `json:"fallbackUsed,omitempty"`
	Failed       bool     `json:"failed,omitempty"`
	Error        string   `json:"errorMessage,omitempty"`
	ErrorCode    string   `json:"errorCode,omitempty"` // timeout, unreachable, refused, bad_reply
	LatencyMs    float64  `json:"latencyMs,omitempty"` // that the language model took
	DynamicMode  string   `json:"adapterRoutingDynamicPreferredMode,omitempty"`
	DynamicWhy   string   `json:"adapterRoutingDynamicModeReason,omitempty"`
}

// QualityTraces is how many of the newest traces a snapshot of quality looks at.
const QualityTraces = 200

// What a trace says of who answered.
const (
	RuleEngine = "rule-engine"
	LLMAdapter = "llm-adapter"
)

// What a trace says of its evidence.
const (
	Verified   = "verified"
	Unverified = "pending_verification"
	NoEvidence = "no_bound_evidence"
)
