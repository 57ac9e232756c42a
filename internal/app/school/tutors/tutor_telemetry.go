package tutors

import (
	"cmp"
	"context"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
)

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
func (a *Service) GetTutorTelemetry(ctx context.Context, c core.Caller, in core.OwnInput) (TutorTelemetry, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return TutorTelemetry{}, err
	}
	return a.TutorTelemetry(ctx, userID)
}

// TutorTelemetry sums up the newest traces by adapter. The rule engine is always there and needs no routing.
func (a *Service) TutorTelemetry(ctx context.Context, userID string) (TutorTelemetry, error) {
	traces, err := a.tutorTraces(ctx, userID, "", TraceWindow)
	if err != nil {
		return TutorTelemetry{}, err
	}
	adapters := []TutorAdapter{{ID: RuleEngine, Mode: RuleEngine}}
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
		if !routed && t.Source != RuleEngine {
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
	if t.Verification == Verified {
		x.Accepted++
	} else {
		x.Downgraded++
	}
}
