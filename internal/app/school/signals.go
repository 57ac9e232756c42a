package school

import (
	"context"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/schooldb"
)

// SearchSignals fills in how search over a learner's notes is doing.
func (a *School) SearchSignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	g, err := a.curriculum(ctx, userID)
	if err != nil {
		return err
	}
	d := a.noteIndex.diagnose(g)
	t, err := a.queryFigures(ctx, a.Store.Queries, userID, now.Add(-questionsSpan), questionsSeen)
	if err != nil {
		return err
	}
	v, x := d.Runtime.Index, d.Runtime.Index.Acceleration
	s.QueryBackendID, s.QueryBackendRuntimeID, s.QueryBackendRuntimeReady, s.QueryBackendLastError = d.ID, d.Runtime.ID, d.Runtime.Ready, d.LastError
	s.QueryReason, s.IndexLimit, s.IndexFull = t.Reason, a.MaxIndexedAtoms, d.full
	s.QueryCount, s.QueryFallbackCount, s.QueryFallbackRatioPct, s.QueryP95Ms = t.Count, t.Fallbacks, t.Fallback, t.P95
	s.QuerySamples, s.QueryEvidencePct, s.QueryPathPct, s.QueryValidPct = t.Samples, t.Evidence, t.Paths, t.Valid
	s.Notes = len(g.shared.atoms) + len(g.own.atoms)
	s.IndexStatus, s.IndexAtoms = v.Status, v.Atoms
	s.AccelMode, s.AccelSelection, s.AccelCandidates, s.AccelAdapter, s.AccelError = x.Mode, x.Selection, x.Candidates, x.AdapterID, x.AdapterError
	s.AccelHealth, s.AccelHealthMessage, s.SyncStatus, s.SyncMessage, s.SyncLastAt = x.Health, x.HealthMessage, x.Sync, x.SyncMessage, x.LastSyncAt
	s.SyncRequests, s.SyncSuccesses, s.SyncFailures, s.SyncSignature, s.SyncAtoms = x.SyncRequests, x.SyncSuccesses, x.SyncFailures, x.Signature, x.Atoms
	s.Representation, s.EmbeddingModel, s.EmbeddingDimension, s.Circuit, s.AccelConsecutive = x.RepresentationIs, x.Embedding, x.Dimension, x.Circuit, x.Consecutive
	s.AccelRequests, s.AccelFailures = x.Requests, x.Failures
	s.Documents = int64(g.shared.notes + g.own.notes)
	if v.Status == "stale" {
		s.StaleDocuments = a.noteIndex.behind(g)
	}
	s.FreshnessPct = core.Percent(s.Documents-s.StaleDocuments, s.Documents)
	return nil
}

// behind counts the notes of owners whose notes the index does not hold as they are now.
func (x *noteIndex) behind(g *curriculum) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for _, r := range []*notesSnapshot{g.shared, g.own} {
		if !x.synced[r.owner].current(r) {
			n += r.notes
		}
	}
	return int64(n)
}

// strategySpan is how far the sessions of the strategy check go back, as its verification target does.
const strategySpan = 10080 * time.Minute

// StrategySignals fills in how the choice of strategies is doing.
func (a *School) StrategySignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	sums, err := a.Store.StudySums(ctx, schooldb.StudyFilter{UserID: userID, From: clock.Micros(now.Add(-strategySpan))})
	if err != nil {
		return err
	}
	t := strategyTelemetry(sums)
	s.StrategySessions, s.StrategyRecords, s.TrendSharePct, s.TrendDeltaPct, s.TrendNegativePct, s.FallbackSharePct = t.Records, t.Strategy, t.TrendShare, t.TrendDelta, t.TrendNegative, t.FallbackShare
	s.ExplicitCount, s.TrendCount, s.FallbackCount, s.UnknownCount = t.Counts.Explicit, t.Counts.Trend, t.Counts.Fallback, t.Counts.Unknown
	for i, row := range t.Breakdown {
		if best := s.TopStrategyDeltaPct; i == 0 || row.Delta > best {
			s.TopStrategy, s.TopStrategyDeltaPct, s.TopStrategyNegative = row.Strategy, row.Delta, row.Negative
		}
	}
	var all schooldb.StudySum
	for _, x := range sums {
		all = all.Plus(x)
	}
	s.SessionActions, s.MemoryPromoted, s.MemoryPromotions = all.Actions, all.Promoted, all.Promotions
	return nil
}

// MemoryHealth is the share, 0..1, of what a learner's tutor keeps in mind that is neither expired, stale nor unsure, by
// the largest of the three.
func MemoryHealth(m schooldb.MemoryHealth) float64 {
	return core.Rounded(1-float64(max(m.Expired, m.Stale, m.Unsure))/float64(max(1, m.Entries)), 4)
}

// TutorSignals fills in how the tutor and its models are doing.
func (a *School) TutorSignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	traces, err := a.tutorTraces(ctx, userID, "", qualityTraces)
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
