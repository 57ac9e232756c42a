package governance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa/internal/app/core"
	"stoa/internal/app/school"
	"stoa/internal/app/school/learner"
	"stoa/internal/governance/quality"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

const (
	apiWindow     = 400       // requests, the newest, that the matrix looks at
	apiSpan       = time.Hour // and no older than this: what was fixed is soon forgotten
	apiPrefix     = "/api/knowledge"
	slowPathLeast = 2 // requests to a path before it may stand out as slow
)

// partReader reads what one part of the school says of itself.
type partReader struct {
	part runbook.Part
	read func(context.Context, string, time.Time, *runbook.Signals) error
}

// signals asks every part how it is doing for one learner. Each look is bounded, however much is stored, and all together
// take no longer than WatchPatience: parts that have not answered by then are said not to have.
func (a *Governance) signals(ctx context.Context, userID string) (runbook.Signals, error) {
	s := runbook.Signals{Unread: []string{}}
	now := a.Clock()
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
	s.ConfiguredStoreBackend = string(a.Store.Engine())
	s.StoreType, s.ClockJumpS = s.ConfiguredStoreBackend, a.ClockJump()
	return s, err
}

// readParts reads what needs no writing. A part that the database gives no answer about is noted as unread.
func (a *Governance) readParts(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	for _, l := range []partReader{
		{runbook.PartSearch, a.school.SearchSignals},
		{runbook.PartAPI, a.apiSignals},
		{runbook.PartLearning, a.learningSignals},
		{runbook.PartLearning, a.school.StrategySignals},
		{runbook.PartLearning, a.memorySignals},
		{runbook.PartTutor, a.school.TutorSignals},
	} {
		err := l.read(ctx, userID, now, s)
		var away *sqldb.Unreachable
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
	part core.HealthPart
	took time.Duration // that it took, or was waited for
}

func (a *Governance) storeState(ctx context.Context) storeState {
	part := a.GetHealth(ctx).Checks["database"]
	if why := a.Tracer.Trouble(); part.OK && why == sqldb.WhyFull { // what needs no room can still be written
		part = core.Unhealthy("Records of requests cannot be stored: the disk is full.")
		part.Why = why
	}
	return storeState{part, a.StoreTook()}
}

func (w storeState) put(s *runbook.Signals) {
	s.StoreWritable, s.StoreProblem, s.StoreWhy = w.part.OK, w.part.Problem, string(w.part.Why)
	s.StoreLatencyMs, s.StoreWaitedMs = core.Rounded(float64(w.took.Microseconds())/1000, 3), w.took.Milliseconds()
}

func (a *Governance) apiSignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	s.APIScope = apiPrefix
	s.APIInvalidPaths, s.APIServerPaths, s.APITransientPaths, s.APISlowPaths = []string{}, []string{}, []string{}, []string{}
	records, err := a.Traced(ctx, store.TraceFilter{UserID: &userID, Limit: apiWindow})
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
	s.APIInvalidPct, s.APIInvalidOfAll = core.Percent(int64(s.APIInvalid), int64(s.APIErrors)), core.Percent(int64(s.APIInvalid), n)
	s.APIServerPct, s.APITransientPct = core.Percent(int64(s.APIServer), n), core.Percent(int64(s.APITransient), n)
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
	for _, p := range core.TopPaths(counts) {
		out = append(out, fmt.Sprintf("%s:%d", p.Path, p.Count))
	}
	return out
}

func (a *Governance) learningSignals(ctx context.Context, userID string, _ time.Time, s *runbook.Signals) error {
	config, _, err := learner.OrchestrationOf(ctx, a.Store.Queries, userID)
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
	s.QualityRecentRight, s.QualityUsualRight = core.Rounded(100*q.now, 0), core.Rounded(100*q.usual, 0)
	p, err := a.school.PlanTrend(ctx, userID, c.PlanLimit, c.PlanWindow, c.PlanMinSamples)
	if err != nil {
		return err
	}
	sum, err := a.Store.PlanQualitySum(ctx, userID)
	s.PlanRecords, s.PlanPassPct, s.PlanFailures = sum.Records, core.Percent(sum.Passed, sum.Records), sum.Failing
	s.PlanStatus, s.PlanScore, s.PlanConfidence = p.Status, p.Score, p.Confidence
	return err
}

func (a *Governance) memorySignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	m, err := a.Store.MemoryHealth(ctx, userID, clock.Micros(now), clock.Micros(now.Add(-school.MemoryStale)), school.MemorySure)
	s.MemoryEntries, s.MemoryExpired, s.MemoryStale, s.MemoryUnsure, s.MemoryPersisted = m.Entries, m.Expired, m.Stale, m.Unsure, m.Entries
	s.MemoryPromotionsPct = min(100, core.Percent(s.MemoryPromoted, s.MemoryPersisted))
	if err != nil {
		return err
	}
	s.MemoryStatus = string(quality.Insufficient)
	if m.Entries >= school.MemoryFew {
		s.MemoryScore = school.MemoryHealth(m)
		switch {
		case s.MemoryScore < .4:
			s.MemoryStatus = "risk"
		case s.MemoryScore < .7:
			s.MemoryStatus = "watch"
		default:
			s.MemoryStatus = "healthy"
		}
	}
	config, _, err := learner.OrchestrationOf(ctx, a.Store.Queries, userID)
	if err != nil {
		return err
	}
	trend, err := a.school.MemoryTrend(ctx, userID, config.Trend)
	s.MemoryTrendStatus, s.MemoryTrendScore, s.MemoryTrendConfidence = string(trend.Status), trend.Score, trend.Confidence
	return err
}
