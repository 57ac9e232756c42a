package tutors

import (
	"context"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
)

// TutorSignals fills in how the tutor and its models are doing.
func (a *Service) TutorSignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	traces, err := a.tutorTraces(ctx, userID, "", QualityTraces)
	if err != nil {
		return err
	}
	s.TutorModels, s.TutorAdapters, s.DynamicMode, s.RoutingStrategy = len(a.TutorModels), 1+len(a.TutorModels), "unknown", "unknown" // the rule engine is always there
	if len(traces) > 0 {
		s.TutorActive = 1
	}
	routed := routedSince(traces, now)
	if len(routed) == 0 {
		if s.TutorActive > 0 {
			s.RoutingStrategy, s.RoutingReason = routedDefault, "no language model was asked; the rule engine answers"
		}
		return nil
	}
	all := tutorFigures(routed)
	n := int64(len(routed))
	s.TutorRequests, s.TutorConfidence, s.TutorAttempts, s.TutorFallbacks, s.TutorFallbackPct = len(routed), all.Confidence, all.Attempts, all.Fallbacks, all.FallbackPct
	s.TutorDominantFallback, s.TutorDominantFallPct = all.DominantFallback, all.DominantFallbackPct
	for i := range routed {
		switch routed[i].outcome() {
		case "failed":
			s.TutorFailed++
		case "downgraded":
			s.TutorDowngraded++
		default:
			s.TutorAccepted++
		}
	}
	s.TutorFailedPct, s.TutorDowngradedPct = core.Percent(int64(s.TutorFailed), n), core.Percent(int64(s.TutorDowngraded), n)
	s.Recent = tutorFigures(recentCalls(routed, s.RoutingMinSamples))
	s.Failing, s.TutorDown = tutorFault(routed)
	providers := map[string]int{}
	for _, p := range providersOf(routed) {
		providers[p.Name] = p.Traces
	}
	s.TutorProviders, s.TutorAdapters, s.TutorActive = len(providers), 1+max(len(providers), len(a.TutorModels)), s.TutorActive+len(providers)
	if top := core.TopPaths(providers); len(top) > 0 {
		s.TutorDominant, s.TutorDominantPct = top[0].Path, core.Percent(int64(top[0].Count), n)
	}
	trends := a.providerTrends(userID, routed, TutorTracesInput{})
	s.ProviderRegressing, s.ProviderImproving, s.ProviderInsufficient = trends.Summary.Regressing, trends.Summary.Improving, trends.Summary.Insufficient
	s.ProviderTop, s.ProviderFocus = trends.Summary.Top, trends.Summary.Focus
	for _, p := range trends.Providers {
		if p.Name == s.ProviderTop {
			s.ProviderTopScore, s.ProviderTopConfidence = p.Score, p.Confidence
		}
	}
	s.RoutingStrategy, s.RoutingReason = routingOf(&routed[0])
	s.RoutingScore = routingScore(routed, &routed[0])
	s.DynamicMode, s.DynamicReason = healthierSide(routed, s.RoutingMinSamples)
	s.DynamicActive = s.DynamicMode == sideLocal || s.DynamicMode == sideCloud
	return nil
}
