package school

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/learning/path"
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

var traceSources = map[string]string{"llm": "llm-adapter", "llm_adapter": "llm-adapter", "llm-adapter": "llm-adapter", "rule-engine": ruleEngine, "rule_engine": ruleEngine}

// GetTutorTraceDiagnostics answers what the tutor did for a learner.
func (a *School) GetTutorTraceDiagnostics(ctx context.Context, c core.Caller, in TutorTracesInput) (TutorTraceDiagnostics, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return TutorTraceDiagnostics{}, err
	}
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return TutorTraceDiagnostics{}, err
	}
	traces, err := a.tutorTraces(ctx, userID, before, TraceWindow)
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

func (a *School) tutorTraces(ctx context.Context, userID, before string, limit int) ([]TutorTrace, error) {
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
	case t.Fallback && t.Verification != verified:
		return "downgraded"
	}
	return "accepted"
}

func traceSummary(traces []TutorTrace) TutorTraceSummary {
	s := TutorTraceSummary{Matched: len(traces)}
	attempts := 0
	for _, t := range traces {
		if t.Source == ruleEngine {
			s.Rules++
		} else {
			s.LLM++
		}
		switch t.Verification {
		case verified:
			s.Verified++
		case unverified:
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

// ProviderWindow is how a provider did over some traces.
type ProviderWindow struct {
	Samples    int     `json:"samples"`
	Confidence float64 `json:"averageConfidence"`
	Fallback   float64 `json:"fallbackRatioPct"`
	Failed     float64 `json:"failedRatioPct"`
	Score      float64 `json:"score"`
}

// ProviderDeltas is how the recent window differs from the one before.
type ProviderDeltas struct {
	Score      float64 `json:"score"`
	Fallback   float64 `json:"fallbackRatioPct"`
	Failed     float64 `json:"failedRatioPct"`
	Confidence float64 `json:"averageConfidence"`
}

// ProviderTrend says whether a provider gets better.
type ProviderTrend struct {
	Name       string         `json:"providerName"`
	Status     string         `json:"status"`
	Score      float64        `json:"score"`
	Confidence float64        `json:"confidence"`
	Recent     ProviderWindow `json:"recent"`
	Previous   ProviderWindow `json:"previous"`
	Deltas     ProviderDeltas `json:"deltas"`
	Reason     string         `json:"reason"`
}

// ProviderTrendsSummary counts providers by how they are doing.
type ProviderTrendsSummary struct {
	Providers    int    `json:"providerCount"`
	Regressing   int    `json:"regressingCount"`
	Stable       int    `json:"stableCount"`
	Improving    int    `json:"improvingCount"`
	Insufficient int    `json:"insufficientDataCount"`
	Top          string `json:"topRegressingProvider"`
	Focus        string `json:"recommendedFocusProviderName"`
}

// ProviderTrends say how each provider is doing.
type ProviderTrends struct {
	GeneratedAt string                `json:"generatedAt"`
	UserID      string                `json:"userId"`
	Window      int                   `json:"windowSize"`
	MinSamples  int                   `json:"minSamples"`
	Providers   []ProviderTrend       `json:"providers"`
	Summary     ProviderTrendsSummary `json:"summary"`
}

const (
	usualProviderWindow  = 20
	usualProviderSamples = 3
)

// GetTutorProviderTrends answers how each provider is doing.
func (a *School) GetTutorProviderTrends(ctx context.Context, c core.Caller, in TutorTracesInput) (ProviderTrends, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ProviderTrends{}, err
	}
	traces, err := a.tutorTraces(ctx, userID, "", TraceWindow)
	if err != nil {
		return ProviderTrends{}, err
	}
	return a.providerTrends(userID, traces, in), nil
}

func (a *School) providerTrends(userID string, traces []TutorTrace, in TutorTracesInput) ProviderTrends {
	out := ProviderTrends{
		GeneratedAt: clock.Text(a.Clock()), UserID: userID, Window: cmp.Or(in.Window, usualProviderWindow), MinSamples: cmp.Or(in.MinSamples, usualProviderSamples),
		Providers: []ProviderTrend{},
	}
	f := TraceFilters{Source: traceSources[in.Source], Provider: in.Provider}
	byName := map[string][]TutorTrace{}
	var names []string
	for _, t := range traces {
		if !f.match(t) {
			continue
		}
		name := providerOf(t)
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], t)
	}
	slices.Sort(names)
	s := &out.Summary
	for _, name := range names {
		p := trendOf(name, byName[name], out.Window, out.MinSamples)
		if in.Status != "" && in.Status != p.Status {
			continue
		}
		switch p.Status {
		case "regressing":
			s.Regressing++
			if s.Top == "" {
				s.Top, s.Focus = name, name
			}
		case "improving":
			s.Improving++
		case "stable":
			s.Stable++
		default:
			s.Insufficient++
		}
		out.Providers = append(out.Providers, p)
	}
	s.Providers = len(out.Providers)
	if in.Limit > 0 {
		out.Providers = out.Providers[:min(in.Limit, len(out.Providers))]
	}
	return out
}

// trendOf says whether a provider gets better, from its newest traces and those before (field facts 5.2).
func trendOf(name string, traces []TutorTrace, window, least int) ProviderTrend {
	recent := traces[:min(window, len(traces))]
	previous := traces[len(recent):min(2*window, len(traces))]
	p := ProviderTrend{Name: name, Recent: windowOf(recent), Previous: windowOf(previous), Status: string(path.Stable)}
	p.Score = p.Recent.Score
	r, q := p.Recent, p.Previous
	p.Confidence = core.Rounded(min(1, float64(min(len(recent), len(previous)))/float64(2*least)), 4)
	switch {
	case len(recent) < least:
		p.Status, p.Reason = string(path.Unknown), "fewer_than_min_samples"
		p.Confidence = core.Rounded(min(1, float64(len(recent))/float64(2*least)), 4)
	case len(previous) < least:
		p.Confidence, p.Reason = core.Rounded(min(.75, max(.35, float64(len(recent))/float64(2*least))), 4), "one_window"
		if r.Failed >= 35 || r.Fallback >= 45 || r.Confidence < .55 {
			p.Status = string(path.Regressing)
		} else if r.Confidence >= .8 && r.Failed <= 5 && r.Fallback <= 15 {
			p.Status = string(path.Improving)
		}
	default:
		d := ProviderDeltas{core.Rounded(r.Score-q.Score, 4), core.Rounded(r.Fallback-q.Fallback, 4), core.Rounded(r.Failed-q.Failed, 4), core.Rounded(r.Confidence-q.Confidence, 4)}
		p.Deltas, p.Reason = d, "two_windows"
		switch {
		case d.Score <= -.08 || d.Fallback >= 10 || d.Failed >= 10 || d.Confidence <= -.08:
			p.Status = string(path.Regressing)
		case d.Score >= .08 || d.Fallback <= -10 && d.Failed <= 0 && d.Confidence >= .03:
			p.Status = string(path.Improving)
		}
	}
	return p
}

func windowOf(traces []TutorTrace) ProviderWindow {
	w := ProviderWindow{Samples: len(traces)}
	if len(traces) == 0 {
		return w
	}
	n, fallbacks, failed := float64(len(traces)), 0, 0
	for _, t := range traces {
		w.Confidence += t.Confidence / n
		if t.Fallback {
			fallbacks++
		}
		if t.Failed {
			failed++
		}
	}
	w.Confidence, w.Fallback, w.Failed = core.Rounded(w.Confidence, 4), core.Percent(int64(fallbacks), int64(len(traces))), core.Percent(int64(failed), int64(len(traces)))
	w.Score = core.Rounded(.65*w.Confidence+.20*(1-w.Fallback/100)+.15*(1-w.Failed/100), 4)
	return w
}

// ProviderTrendRecord is a past verdict on a provider: how it stood after so many of its traces.
type ProviderTrendRecord struct {
	ID         string  `json:"id"`
	At         string  `json:"evaluatedAt"`
	Name       string  `json:"providerName"`
	Status     string  `json:"status"`
	Score      float64 `json:"score"`
	Confidence float64 `json:"confidence"`
	Samples    int     `json:"samples"`
}

// ProviderTrendHistory are past verdicts, newest first.
type ProviderTrendHistory struct {
	GeneratedAt string                `json:"generatedAt"`
	UserID      string                `json:"userId"`
	Records     []ProviderTrendRecord `json:"records"`
	Summary     struct {
		Records      int `json:"records"`
		Regressing   int `json:"regressing"`
		Stable       int `json:"stable"`
		Improving    int `json:"improving"`
		Insufficient int `json:"insufficient"`
	} `json:"summary"`
	NextCursor string `json:"next_cursor"`
}

// GetTutorProviderTrendHistory answers how the verdict on each provider went. It is worked out of the traces: at each
// trace, the newest first, from those up to it.
func (a *School) GetTutorProviderTrendHistory(ctx context.Context, c core.Caller, in TutorTracesInput) (ProviderTrendHistory, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ProviderTrendHistory{}, err
	}
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return ProviderTrendHistory{}, err
	}
	traces, err := a.tutorTraces(ctx, userID, before, TraceWindow)
	if err != nil {
		return ProviderTrendHistory{}, err
	}
	limit := cmp.Or(in.Limit, UsualHistory)
	out := ProviderTrendHistory{GeneratedAt: clock.Text(a.Clock()), UserID: userID, Records: []ProviderTrendRecord{}}
	f := TraceFilters{Source: traceSources[in.Source], Provider: in.Provider}
	for i, t := range traces {
		if !f.match(t) {
			continue
		}
		if len(out.Records) == limit {
			out.NextCursor = out.Records[limit-1].ID
			break
		}
		name := providerOf(t)
		var upTo []TutorTrace
		for _, older := range traces[i:] {
			if providerOf(older) == name && len(upTo) < 2*usualProviderWindow {
				upTo = append(upTo, older)
			}
		}
		p := trendOf(name, upTo, usualProviderWindow, usualProviderSamples)
		if in.Status != "" && in.Status != p.Status {
			continue
		}
		out.Records = append(out.Records, ProviderTrendRecord{t.TraceID, t.CreatedAt, name, p.Status, p.Score, p.Confidence, len(upTo)})
		for count, is := range map[*int]bool{
			&out.Summary.Regressing: p.Status == "regressing", &out.Summary.Stable: p.Status == "stable", &out.Summary.Improving: p.Status == "improving",
			&out.Summary.Insufficient: p.Status == "insufficient_data",
		} {
			if is {
				*count++
			}
		}
	}
	out.Summary.Records = len(out.Records)
	return out, nil
}

// TutorAdapter is a tutor that can answer.
type TutorAdapter struct {
	ID         string  `json:"adapterId"`
	Mode       string  `json:"mode"`
	Requests   int     `json:"totalRequests"`
	Successful int     `json:"successfulResponses"`
	Accepted   int     `json:"acceptedResponses"`
	Downgraded int     `json:"downgradedResponses"`
	Failed     int     `json:"failedResponses"`
	Fallbacks  int     `json:"providerFallbackResponses"`
	Ratio      float64 `json:"providerFallbackRatioPct"`
	Attempts   float64 `json:"averageProviderAttemptCount"`
	Confidence float64 `json:"averageConfidence"`
	LastUsedAt string  `json:"lastUsedAt"`
	LastError  string  `json:"lastError,omitempty"`
}

// TutorTelemetrySummary sums up the adapters and the last routing.
type TutorTelemetrySummary struct {
	Adapters      int     `json:"totalAdapters"`
	Active        int     `json:"activeAdapters"`
	Requests      int     `json:"totalRequests"`
	Accepted      int     `json:"acceptedResponses"`
	Downgraded    int     `json:"downgradedResponses"`
	Failed        int     `json:"failedResponses"`
	Fallbacks     int     `json:"providerFallbackResponses"`
	Confidence    float64 `json:"averageConfidence"`
	Routing       string  `json:"lastRoutingStrategy"`
	RoutingReason string  `json:"lastRoutingReason"`
	RoutingScore  float64 `json:"lastRoutingScore"`
	DynamicMode   string  `json:"lastRoutingDynamicPreferredMode"`
	DynamicReason string  `json:"lastRoutingDynamicModeReason"`
}

// TutorTelemetry says how the tutor's adapters are doing.
type TutorTelemetry struct {
	GeneratedAt string                `json:"generatedAt"`
	Adapters    []TutorAdapter        `json:"adapters"`
	Summary     TutorTelemetrySummary `json:"summary"`
}

// GetTutorTelemetry answers how the tutor's adapters are doing.
func (a *School) GetTutorTelemetry(ctx context.Context, c core.Caller, in core.OwnInput) (TutorTelemetry, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return TutorTelemetry{}, err
	}
	return a.tutorTelemetry(ctx, userID)
}

// tutorTelemetry sums up the newest traces by adapter. The rule engine is always there and needs no routing.
func (a *School) tutorTelemetry(ctx context.Context, userID string) (TutorTelemetry, error) {
	traces, err := a.tutorTraces(ctx, userID, "", TraceWindow)
	if err != nil {
		return TutorTelemetry{}, err
	}
	adapters := []TutorAdapter{{ID: ruleEngine, Mode: ruleEngine}}
	for _, m := range a.TutorModels {
		adapters = append(adapters, TutorAdapter{ID: m.ID, Mode: m.Mode})
	}
	s := TutorTelemetrySummary{Routing: "unknown", DynamicMode: "unknown"}
	routed := false
	for i := range traces {
		t := &traces[i]
		id := cmp.Or(t.AdapterID, t.Source)
		at := slices.IndexFunc(adapters, func(x TutorAdapter) bool { return x.ID == id })
		if at < 0 { // it was set up once
			at = len(adapters)
			adapters = append(adapters, TutorAdapter{ID: id, Mode: t.ProviderMode})
		}
		adapters[at].take(t)
		if !routed && t.Source != ruleEngine {
			routed = true
			s.Routing, s.RoutingReason = routingOf(t)
			s.DynamicMode, s.DynamicReason = cmp.Or(t.DynamicMode, "unknown"), t.DynamicWhy
			s.RoutingScore = routingScore(routedSince(traces, a.Clock()), t)
		}
	}
	if len(traces) > 0 && !routed {
		s.Routing, s.RoutingReason = routedDefault, "no language model was asked; the rule engine answers"
	}
	s.Adapters = len(adapters)
	sum := 0.0
	for i := range adapters {
		x := &adapters[i]
		if x.Requests > 0 {
			s.Active++
			sum += x.Confidence
			n := float64(x.Requests)
			x.Confidence, x.Attempts, x.Ratio = core.Rounded(x.Confidence/n, 4), core.Rounded(x.Attempts/n, 4), core.Percent(int64(x.Fallbacks), int64(x.Requests))
		}
		s.Requests, s.Accepted, s.Downgraded, s.Failed, s.Fallbacks = s.Requests+x.Requests, s.Accepted+x.Accepted, s.Downgraded+x.Downgraded, s.Failed+x.Failed, s.Fallbacks+x.Fallbacks
	}
	if s.Requests > 0 {
		s.Confidence = core.Rounded(sum/float64(s.Requests), 4)
	}
	return TutorTelemetry{clock.Text(a.Clock()), adapters, s}, nil
}

// take adds a trace; the newest comes first. Confidence and attempts are sums.
func (x *TutorAdapter) take(t *TutorTrace) {
	if x.Requests == 0 {
		x.LastUsedAt = t.CreatedAt
	}
	x.Requests++
	x.Confidence += t.Confidence
	x.Attempts += float64(t.Attempts)
	if t.Fallback {
		x.Fallbacks++
	}
	if t.Failed {
		x.Failed++
		x.LastError = cmp.Or(x.LastError, t.Error)
		return
	}
	x.Successful++
	if t.Verification == verified {
		x.Accepted++
	} else {
		x.Downgraded++
	}
}
