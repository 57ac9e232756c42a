package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"stoa/internal/app"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// governance measures what an operator asks at three in the morning, by the number of verifications and attempts that are
// kept. It calls the application in its own process.
func (b *bench) governance() error {
	const few = 1000
	a, db, err := b.learner("governance")
	if err != nil {
		return err
	}
	defer db.Close()
	defer a.Close()
	p99 := map[string]map[int]time.Duration{}
	var names []string
	for _, n := range []int{few, b.history} {
		b.progress("governance with %d records", n)
		user := fmt.Sprintf("operator-%d", n)
		if err := plantGovernance(b.ctx, db, user, n); err != nil {
			return err
		}
		who := app.Caller{Role: app.Member, UserID: user}
		zero := 0
		for _, ask := range []struct {
			name string
			do   func(i int) error
		}{
			{"capability matrix", func(int) error { _, err := a.GetCapabilityMatrix(b.ctx, who, app.OwnInput{}); return err }},
			{"runbook verify", func(i int) error {
				c := who
				c.RequestID = fmt.Sprintf("bench-%d-%d", n, i)
				_, err := a.VerifyCapability(b.ctx, c, app.VerifyInput{CheckID: runbook.StrategyAlign})
				return err
			}},
			{"runbook history", func(int) error { _, err := a.GetRunbookHistory(b.ctx, who, app.RunbookHistoryInput{}); return err }},
			{"runbook history of all time", func(int) error {
				_, err := a.GetRunbookHistory(b.ctx, who, app.RunbookHistoryInput{SinceMinutes: &zero})
				return err
			}},
			{"checks over the history", func(int) error { _, err := a.GetRunbookChecks(b.ctx, who, app.RunbookHistoryInput{}); return err }},
			{"action queue", func(int) error { _, err := a.GetActionQueue(b.ctx, who, app.RunbookHistoryInput{}); return err }},
		} {
			took := make([]time.Duration, 300)
			for i := range took {
				began := time.Now()
				if err := ask.do(i); err != nil {
					return err
				}
				took[i] = time.Since(began)
			}
			slices.Sort(took)
			if p99[ask.name] == nil {
				p99[ask.name] = map[int]time.Duration{}
				names = append(names, ask.name)
			}
			p99[ask.name][n] = took[len(took)*99/100]
			b.report.value(fmt.Sprintf("%s with %d records, p99", ask.name, n), float64(p99[ask.name][n].Microseconds())/1000, "ms", 0)
		}
	}
	for _, name := range names {
		b.report.value(fmt.Sprintf("%s, %d records against %d, p99", name, b.history, few), float64(p99[name][b.history])/float64(p99[name][few]), "×", 1.5)
	}
	return nil
}

// plantGovernance makes verifications and as many attempts to mend, a thousand of both together in the last day and the
// others over the year before, in transactions of a thousand: what was kept before must cost nothing.
func plantGovernance(ctx context.Context, db *store.Store, user string, n int) error {
	now := time.Now()
	const day, lately = 24 * time.Hour, 1000
	checks := []string{runbook.StrategyAlign, runbook.DynamicMode, runbook.IndexSync, "quality_trend_direction", "store_health", "api_latency_p95", "query_fallback_ratio", "memory_policy_health"}
	for at := 0; at < n; at += 1000 {
		if err := db.Write(ctx, func(tx *store.Tx) error {
			for i := at; i < min(at+1000, n); i++ {
				when := now.Add(-day * time.Duration(n-i) / lately)
				if older := n - i - lately; older > 0 {
					when = now.Add(-day - 365*day/time.Duration(n)*time.Duration(older))
				}
				ms := when.UnixMilli()
				id := fmt.Sprintf("%08x-%04x-7000-8000-%012d", ms>>16, ms&0xffff, i)
				r := store.GovernanceRecord{UserID: user, ID: id, RequestID: fmt.Sprint("planted-", i), CheckID: checks[i/2%len(checks)], At: clock.Micros(when), P95: 12_000}
				var err error
				if i%2 == 0 {
					status := []runbook.Status{runbook.Pass, runbook.Warn, runbook.Fail, runbook.Pass}[i/2%4]
					r.Kind, r.Status, r.TopRisk = store.Verifications, string(status), i%8 == 0
					r.Record, err = json.Marshal(app.VerificationRecord{ID: id, RequestID: r.RequestID, VerifiedAt: clock.Text(when), CheckID: r.CheckID, Status: status, TopRisk: runbook.None})
				} else {
					r.Kind, r.Status, r.Source = store.Remediations, []string{"applied", "cooldown", "error"}[i/2%3], "client"
					r.Record, err = json.Marshal(app.RemediationRecord{})
				}
				if err != nil {
					return err
				}
				if _, err := tx.AddGovernance(r); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
