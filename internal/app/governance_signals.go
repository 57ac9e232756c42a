package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa/internal/governance/quality"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

const (
	apiWindow      = 400       // requests, the newest, that the matrix looks at
	apiSpan        = time.Hour // and no older than this: what was mended is soon forgotten
	apiPrefix      = "/api/knowledge"
	strategySpan   = 10080 * time.Minute // as the verification target of the strategy check looks back
	memoryStale    = 90 * 24 * time.Hour
	memorySure     = .5
	memoryFew      = 5  // entries from which on their health says something
	memoryMoved    = .1 // of their health, between two windows
	slowPathLeast  = 2  // requests to a path before it may stand out as slow
	routingHealthy = .08
)

// partReader reads what one part of the school says of itself.
type partReader struct {
	part runbook.Part
	read func(context.Context, string, time.Time, *runbook.Signals) error
}

// signals asks every part how it is doing for one learner. Each look is bounded, however much is stored, and all together
// take no longer than WatchPatience: parts that have not answered by then are said not to have.
func (a *App) signals(ctx context.Context, userID string) (runbook.Signals, error) {
	s := runbook.Signals{Unread: []string{}}
	now := a.clock()
	ctx, cancel := context.WithTimeout(ctx, a.WatchPatience)
	defer cancel()
	var group errgroup.Group
	var writable storeState
	group.Go(func() error {
		writable = a.storeState(ctx)
		return nil
	})
	group.Go(func() error { return a.readParts(ctx, userID, now, &s) })
	err := group.Wait()
	writable.put(&s)
	s.ConfiguredStoreBackend = string(a.store.Engine())
	s.StoreType, s.ClockJumpS = s.ConfiguredStoreBackend, a.clockJump()
	return s, err
}

// readParts reads what needs no writing. A part that the database gives no answer about is noted as unread.
func (a *App) readParts(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	for _, l := range []partReader{
		{runbook.PartSearch, a.searchSignals},
		{runbook.PartAPI, a.apiSignals},
		{runbook.PartLearning, a.learningSignals},
		{runbook.PartLearning, a.strategySignals},
		{runbook.PartLearning, a.memorySignals},
		{runbook.PartTutor, a.tutorSignals},
	} {
		err := l.read(ctx, userID, now, s)
		var away *store.Unreachable
		switch {
		case err == nil:
		case errors.As(err, &away) || errors.Is(err, context.DeadlineExceeded):
			if !slices.Contains(s.Unread, string(l.part)) {
				s.Unread = append(s.Unread, string(l.part))
			}
		default:
			return err
		}
	}
	return nil
}

// storeState is whether the database can be written.
type storeState struct {
	part HealthPart
	took time.Duration // that it took, or was waited for
}

func (a *App) storeState(ctx context.Context) storeState {
	part := a.GetHealth(ctx).Checks["database"]
	if why := a.tracer.trouble(); part.OK && why == store.WhyFull { // what needs no room can still be written
		part = broken("Records of requests cannot be stored: the disk is full.")
		part.why = why
	}
	return storeState{part, a.storeTook()}
}

func (w storeState) put(s *runbook.Signals) {
	s.StoreWritable, s.StoreProblem, s.StoreWhy = w.part.OK, w.part.Problem, string(w.part.why)
	s.StoreLatencyMs, s.StoreWaitedMs = rounded(float64(w.took.Microseconds())/1000, 3), w.took.Milliseconds()
}

func (a *App) searchSignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	g, err := a.ground(ctx, userID)
	if err != nil {
		return err
	}
	d := a.found.diagnose(g)
	t, err := a.queryFigures(ctx, a.store.Queries, userID, now.Add(-questionsSpan), questionsSeen)
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
		s.StaleDocuments = a.found.behind(g)
	}
	s.FreshnessPct = pct(s.Documents-s.StaleDocuments, s.Documents)
	return nil
}

// behind counts the notes of owners whose notes the index does not hold as they are now.
func (x *noteIndex) behind(g *ground) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for _, r := range []*reading{g.shared, g.own} {
		if !x.synced[r.owner].current(r) {
			n += r.notes
		}
	}
	return int64(n)
}

func (a *App) apiSignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	s.APIScope = apiPrefix
	s.APIInvalidPaths, s.APIServerPaths, s.APITransientPaths, s.APISlowPaths = []string{}, []string{}, []string{}, []string{}
	records, err := a.traced(ctx, store.TraceFilter{UserID: &userID, Limit: apiWindow})
	if err != nil {
		return err
	}
	oldest := clock.Micros(now.Add(-apiSpan))
	records = slices.DeleteFunc(records, func(r store.TraceRecord) bool { return r.StartedAt < oldest || !strings.HasPrefix(r.Path, apiPrefix) })
	sum := summarise(records)
	invalid, server, waiting := map[string]int{}, map[string]int{}, map[string]int{}
	times := map[string][]float64{}
	durations := make([]float64, 0, len(records))
	for _, r := range records {
		s.RecordsAheadS = max(s.RecordsAheadS, (r.FinishedAt-clock.Micros(now))/1e6)
		if took := float64(r.DurationUS) / 1000; r.WarmUp {
			s.APIWarmUp++
		} else {
			times[r.Path] = append(times[r.Path], took)
			durations = append(durations, took)
		}
		switch {
		case slices.Contains(transient, r.Status):
			s.APITransient++
			waiting[r.Path]++
		case r.Status >= 500:
			s.APIServer++
			server[r.Path]++
		case r.Status == 400 || r.Status == 422:
			s.APIInvalid++
			invalid[r.Path]++
		}
	}
	n := int64(len(records))
	s.APIRequests, s.APIErrors, s.APIAverageMs, s.APIP95Ms = len(records), sum.ErrorRequests, decimals(average(durations)), p95(durations)
	s.APIInvalidPct, s.APIInvalidOfAll = pct(int64(s.APIInvalid), int64(s.APIErrors)), pct(int64(s.APIInvalid), n)
	s.APIServerPct, s.APITransientPct = pct(int64(s.APIServer), n), pct(int64(s.APITransient), n)
	s.APIInvalidPaths, s.APIServerPaths, s.APITransientPaths = countedPaths(invalid), countedPaths(server), countedPaths(waiting)
	slow := map[string]int{}
	for path, t := range times {
		if len(t) >= slowPathLeast {
			slow[path] = int(p95(t))
		}
	}
	s.APISlowPaths = countedPaths(slow)
	return nil
}

// p95 is the least figure that 19 of 20 do not exceed, 0 of none. It sorts them.
func p95(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[(95*len(list)+99)/100-1]
}

func average(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(max(1, len(list)))
}

func countedPaths(counts map[string]int) []string {
	out := []string{}
	for _, p := range topPaths(counts) {
		out = append(out, fmt.Sprintf("%s:%d", p.Path, p.Count))
	}
	return out
}

func (a *App) learningSignals(ctx context.Context, userID string, _ time.Time, s *runbook.Signals) error {
	config, _, err := orchestrationOf(ctx, a.store.Queries, userID)
	if err != nil {
		return err
	}
	c, r := config.Trend, config.Tutor
	s.RoutingEnabled, s.RoutingMode, s.RoutingTimeoutMs, s.RoutingMinSamples = r.Enabled, r.PreferredMode, r.AdapterTimeouts, r.MinSamples
	s.RoutingMaxFailed, s.RoutingMaxDowngraded, s.RoutingMinConfidence = r.MaxFailed, r.MaxDowngraded, r.MinConfidence
	q, err := a.qualityTrend(ctx, userID, c.LearningLimit, c.LearningWindow, c.LearningMinSamples)
	if err != nil {
		return err
	}
	s.QualityStatus, s.QualityScore, s.QualityConfidence = string(q.Status), q.Score, q.Confidence
	s.QualityRecentRight, s.QualityUsualRight = rounded(100*q.now, 0), rounded(100*q.usual, 0)
	p, err := a.planTrend(ctx, userID, c.PlanLimit, c.PlanWindow, c.PlanMinSamples)
	if err != nil {
		return err
	}
	sum, err := a.store.PlanQualitySum(ctx, userID)
	s.PlanRecords, s.PlanPassPct, s.PlanFailures = sum.Records, pct(sum.Passed, sum.Records), sum.Failing
	s.PlanStatus, s.PlanScore, s.PlanConfidence = p.Status, p.Score, p.Confidence
	return err
}

func (a *App) strategySignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	sums, err := a.store.StudySums(ctx, store.StudyFilter{UserID: userID, From: clock.Micros(now.Add(-strategySpan))})
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
	var all store.StudySum
	for _, x := range sums {
		all = all.Plus(x)
	}
	s.SessionActions, s.MemoryPromoted, s.MemoryPromotions = all.Actions, all.Promoted, all.Promotions
	return nil
}

func (a *App) memorySignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	m, err := a.store.MemoryHealth(ctx, userID, clock.Micros(now), clock.Micros(now.Add(-memoryStale)), memorySure)
	s.MemoryEntries, s.MemoryExpired, s.MemoryStale, s.MemoryUnsure, s.MemoryPersisted = m.Entries, m.Expired, m.Stale, m.Unsure, m.Entries
	s.MemoryPromotionsPct = min(100, pct(s.MemoryPromoted, s.MemoryPersisted))
	if err != nil {
		return err
	}
	s.MemoryStatus = string(quality.Insufficient)
	if m.Entries >= memoryFew {
		s.MemoryScore = memoryHealth(m)
		switch {
		case s.MemoryScore < .4:
			s.MemoryStatus = "risk"
		case s.MemoryScore < .7:
			s.MemoryStatus = "watch"
		default:
			s.MemoryStatus = "healthy"
		}
	}
	config, _, err := orchestrationOf(ctx, a.store.Queries, userID)
	if err != nil {
		return err
	}
	records, err := a.qualityRecords(ctx, userID, "", config.Trend.MemoryLimit)
	if err != nil {
		return err
	}
	var scores []float64
	for _, r := range records {
		if r.Diagnostics.MemoryEntries >= memoryFew {
			scores = append(scores, r.Diagnostics.MemoryHealth)
		}
	}
	status, score, confidence := quality.Direction(scores, config.Trend.MemoryWindow, config.Trend.MemoryMinSamples, memoryMoved)
	s.MemoryTrendStatus, s.MemoryTrendScore, s.MemoryTrendConfidence = string(status), score, confidence
	return nil
}

// memoryHealth is the share, 0..1, of what a learner's tutor keeps in mind that is neither expired, stale nor unsure, by
// the largest of the three.
func memoryHealth(m store.MemoryHealth) float64 {
	return rounded(1-float64(max(m.Expired, m.Stale, m.Unsure))/float64(max(1, m.Entries)), 4)
}

func (a *App) tutorSignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
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
	s.TutorFailedPct, s.TutorDowngradedPct = pct(int64(s.TutorFailed), n), pct(int64(s.TutorDowngraded), n)
	s.Recent = tutorFigures(recentCalls(routed, s.RoutingMinSamples))
	s.Failing, s.TutorDown = tutorFault(routed)
	providers := map[string]int{}
	for _, p := range providersOf(routed) {
		providers[p.Name] = p.Traces
	}
	s.TutorProviders, s.TutorAdapters, s.TutorActive = len(providers), 1+max(len(providers), len(a.TutorModels)), s.TutorActive+len(providers)
	if top := topPaths(providers); len(top) > 0 {
		s.TutorDominant, s.TutorDominantPct = top[0].Path, pct(int64(top[0].Count), n)
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
