package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/governance"
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
		b.Progress("governance with %d records", n)
		user := fmt.Sprintf("operator-%d", n)
		if err := plantGovernance(b.Ctx, db, user, n); err != nil {
			return err
		}
		who := core.Caller{Role: core.Member, UserID: user}
		zero := 0
		for _, ask := range []struct {
			name string
			do   func(i int) error
		}{
			{"capability matrix", func(int) error { _, err := a.GetCapabilityMatrix(b.Ctx, who, core.OwnInput{}); return err }},
			{"runbook verify", func(i int) error {
				c := who
				c.RequestID = fmt.Sprintf("bench-%d-%d", n, i)
				_, err := a.VerifyCapability(b.Ctx, c, governance.VerifyInput{CheckID: runbook.StrategyAlign})
				return err
			}},
			{"runbook history", func(int) error {
				_, err := a.GetRunbookHistory(b.Ctx, who, governance.RunbookHistoryInput{})
				return err
			}},
			{"runbook history of all time", func(int) error {
				h, err := a.GetRunbookHistory(b.Ctx, who, governance.RunbookHistoryInput{SinceMinutes: &zero})
				if err == nil && h.Summary.Total < int64(n/2) {
					err = fmt.Errorf("%d verifications are counted, %d are kept", h.Summary.Total, n/2)
				}
				return err
			}},
			{"checks over the history", func(int) error {
				_, err := a.GetRunbookChecks(b.Ctx, who, governance.RunbookHistoryInput{})
				return err
			}},
			{"action queue", func(int) error { _, err := a.GetActionQueue(b.Ctx, who, governance.RunbookHistoryInput{}); return err }},
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

// plantGovernance makes verifications and as many attempts to fix, a thousand of both together in the last day and the
// others over the year before, and their sums, by SQL: what was kept before must cost nothing.
func plantGovernance(ctx context.Context, db *store.Store, user string, n int) error {
	verdict, err := json.Marshal(governance.VerificationRecord{Status: runbook.Warn, TopRisk: runbook.None, CheckID: runbook.StrategyAlign})
	if err != nil {
		return err
	}
	attempt, err := json.Marshal(governance.RemediationRecord{})
	if err != nil {
		return err
	}
	const (
		lately = 1000
		day    = int64(24 * time.Hour / time.Microsecond)
		check  = `CASE i / 2 % 8 WHEN 0 THEN 'orchestration_path_strategy_alignment' WHEN 1 THEN 'tutor_routing_dynamic_mode_alignment' WHEN 2 THEN 'query_vector_acceleration_index_sync_health'
			WHEN 3 THEN 'quality_trend_direction' WHEN 4 THEN 'store_health' WHEN 5 THEN 'api_latency_p95' WHEN 6 THEN 'query_fallback_ratio' ELSE 'memory_policy_health' END`
		// The place in time of the i-th of $2 records that end at $3, and the id that such a time gives.
		rows = `WITH RECURSIVE n(i) AS (SELECT $4 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $5),
			placed AS (SELECT i, $3 - CASE WHEN $2 - i <= $6 THEN ($2 - i) * ($7 / $6) ELSE $7 + ($2 - i - $6) * (365 * $7 / $2) END AS at FROM n)`
		id = `printf('%08x-%04x-7000-8000-%012d', at / 1000 >> 16, at / 1000 & 65535, i)`
	)
	now := clock.Micros(time.Now())
	const batch = 100_000
	for from := 0; from < n; from += batch {
		if err := db.Write(ctx, func(tx *store.Tx) error {
			args := []any{user, n, now, from, min(from+batch, n), lately, day}
			if _, err := tx.Querier().ExecContext(ctx, `INSERT INTO verification (user_id, id, request_id, check_id, status, errors, p95_us, top_risk, at, record) `+rows+`
				SELECT $1, `+id+`, 'planted-' || i, `+check+`, CASE i / 2 % 4 WHEN 1 THEN 'warn' WHEN 2 THEN 'fail' ELSE 'pass' END, 0, 12000, i % 8 = 0, at, $8 FROM placed WHERE i % 2 = 0`,
				append(args, string(verdict))...); err != nil {
				return err
			}
			_, err := tx.Querier().ExecContext(ctx, `INSERT INTO remediation_event (user_id, id, request_id, check_id, source, status, at, record) `+rows+`
				SELECT $1, `+id+`, 'planted-' || i, `+check+`, 'client', CASE i / 2 % 3 WHEN 0 THEN 'applied' WHEN 1 THEN 'cooldown' ELSE 'error' END, at, $8 FROM placed WHERE i % 2 = 1`,
				append(args, string(attempt))...)
			return err
		}); err != nil {
			return err
		}
	}
	return db.Write(ctx, func(tx *store.Tx) error {
		for _, minutes := range []int{0, 1440, 60, 1} {
			for kind, fields := range map[string]string{"verification": `'' AS source, errors, p95_us, top_risk`, "remediation_event": `source, 0 AS errors, 0 AS p95_us, 0 AS top_risk`} {
				if _, err := tx.Querier().ExecContext(ctx, `INSERT INTO governance_sum (user_id, kind, width, bucket, check_id, source, status, records, errors, p95_us, top_risk)
					SELECT user_id, $2, $3, CASE WHEN $3 = 0 THEN 0 ELSE at / (60000000 * $3) END, check_id, source, status, COUNT(*), SUM(errors), SUM(p95_us), SUM(top_risk)
					FROM (SELECT user_id, check_id, status, at, `+fields+` FROM `+kind+` WHERE user_id = $1) GROUP BY 1, 4, 5, 6, 7`, user, kind, minutes); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
