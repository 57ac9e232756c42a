package school

import (
	"context"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/schooldb"
)

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
