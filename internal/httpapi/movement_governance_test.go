package httpapi_test

import (
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// worseStrategy makes verifications of one check two days ago and of two checks now, one of which passed and fails now, and
// attempts to fix it that went from good to bad.
func worseStrategy(t *testing.T, s *apitest.Server) *apitest.Client {
	t.Helper()
	ada := s.As(t, "ada")
	verify(t, ada, "store_health")
	ada.Post(runbookPath+"/remediation-event", m{"status": "failed", "checkId": "store_health", "source": "operator"}).OK(t)
	s.Clock.Advance(48 * time.Hour)
	ada = s.As(t, "ada")
	for range 4 {
		study(t, ada, "", "correct")
	}
	for range 2 {
		s.Clock.Advance(time.Minute)
		want(t, verify(t, ada, runbook.StrategyAlign), m{"data.selectedCheckStatus": "pass"})
	}
	ada.Post("/api/knowledge/query", m{"query": "limits"}).OK(t)
	verify(t, ada, runbook.IndexSync)
	for n := 0; checkOf(t, ada, runbook.StrategyAlign)["status"] != "fail"; n++ {
		s.Clock.Advance(time.Minute)
		study(t, ada, "", "incorrect")
		if n > 20 {
			t.Fatal("wrong answers do not turn the check", checkOf(t, ada, runbook.StrategyAlign))
		}
	}
	at := clock.Micros(s.Clock.Now())
	for range 12 {
		s.App.Trace(store.TraceRecord{UserID: "ada", RequestID: "x", Method: "GET", Path: "/api/knowledge/session/history", Status: 500, ErrorCode: "internal_error", DurationUS: 4e6, StartedAt: at, FinishedAt: at})
	}
	for range 2 {
		s.Clock.Advance(time.Minute)
		want(t, verify(t, ada, runbook.StrategyAlign), m{"data.selectedCheckStatus": "fail"})
	}
	for i, status := range []string{"applied", "ignored", "failed", "cooldown"} {
		s.Clock.Advance(time.Second)
		ada.Post(runbookPath+"/remediation-event", m{
			"status": status, "checkId": runbook.StrategyAlign, "degradedStreakCount": i, "failureCount": i, "recoveredCount": i, "recoveredSources": []string{"plan"}, "refreshDurationMs": 12 * i,
			"refreshAttemptedAt": "2026-03-04T09:00:00Z",
		}).OK(t)
	}
	return ada
}

// A check that gets worse and attempts that do not help: each filter of the runbook chooses what it says.
func TestEveryFilterOfTheRunbookChooses(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := worseStrategy(t, s)
	history, checks, queue, remedies := runbookPath+"/history", runbookPath+"/history/checks", runbookPath+"/history/action-queue", runbookPath+"/history/remediation-events"
	matched := "data.summary.matchedRecords"
	first := ada.Get(history, "limit", "2").OK(t)
	moves(t, ada,
		parameter{history, "limit", "2", m{"data.summary.returnedRecords": 2, matched: 6}, nil},
		parameter{history, "cursor", first.Str("data.next_cursor"), m{"data.summary.returnedRecords": 4}, nil},
		parameter{history, "sinceMinutes", "1440", m{matched: 5, "data.summary.sinceMinutes": 1440}, nil},
		parameter{history, "status", "fail", m{matched: 2, "data.summary.status": "fail"}, nil},
		parameter{history, "checkId", runbook.StrategyAlign, m{matched: 4, "data.summary.activeFailStreak": 2, "data.summary.trendStatus": "regressing", "data.summary.severityDelta": 2, "data.summary.trendWindowSize": 2}, nil},
	)
	returned := "data.summary.returnedChecks"
	moves(t, ada,
		parameter{checks, "limit", "1", m{returned: 1}, nil},
		parameter{checks, "sinceMinutes", "0", m{returned: 3, "data.summary.sinceMinutes": 0}, nil},
		parameter{checks, "status", "fail", m{returned: 1, "data.checks.0.checkId": runbook.StrategyAlign, "data.summary.status": "fail"}, nil},
		parameter{checks, "checkQuery", "strategy", m{returned: 1, "data.summary.checkQuery": "strategy"}, nil},
	)
	want(t, ada.Get(checks).OK(t), m{
		"data.summary.regressingChecks": 1, "data.checks.0.remediation.trendStatus": "regressing", "data.checks.0.remediation.activeRiskStreak": 2, "data.checks.0.remediation.activeCooldownStreak": 1,
		"data.checks.0.remediation.riskRatioPct": 50, "data.checks.0.remediation.severityDelta": 2, "data.summary.remediationChecksRegressing": 1, "data.summary.recommendedFocusRemediationTrendStatus": "regressing",
	})
	items := "data.summary.filteredQueueItems"
	all := ada.Get(queue).OK(t)
	of := ada.Get(queue, "checkId", runbook.StrategyAlign).OK(t).Int(items)
	if of <= 0 || of >= all.Int(items) {
		t.Fatalf("%d of %d items", of, all.Int(items))
	}
	moves(t, ada,
		parameter{queue, "checkId", runbook.StrategyAlign, m{items: of, "data.actionQueue.0.remediationTrendStatus": "regressing"}, nil},
		parameter{queue, "limit", "1", m{items: of}, nil},
		parameter{queue, "queueLimit", "1", m{"data.summary.returnedQueueItems": 1, "data.summary.queueLimit": 1, items: all.At(items)}, nil},
		parameter{queue, "remediationStatus", "cooldown", m{items: of, "data.summary.remediationRiskQueueItems": of, "data.summary.remediationAverageRiskRatioPct": 50}, nil},
		parameter{queue, "remediationTrend", "regressing", m{items: of, "data.summary.remediationRegressingQueueItems": of}, nil},
		parameter{queue, "priority", "p0", m{"data.summary.queueP1": 0, "data.summary.queueP2": 0}, nil},
		parameter{queue, "category", "governance", m{"data.actionQueue.0.category": "governance"}, nil},
		parameter{queue, "checkQuery", "strategy", m{returned: 1, "data.summary.checkQuery": "strategy"}, nil},
		parameter{queue, "status", "fail", m{returned: 1, "data.summary.status": "fail"}, nil},
		parameter{queue, "sinceMinutes", "0", m{returned: 3, "data.summary.sinceMinutes": 0}, nil},
	)
	page := ada.Get(remedies, "limit", "2").OK(t)
	moves(t, ada,
		parameter{remedies, "limit", "2", m{"data.summary.returnedRecords": 2, matched: 5}, nil},
		parameter{remedies, "cursor", page.Str("data.next_cursor"), m{"data.summary.returnedRecords": 3}, nil},
		parameter{remedies, "status", "error", m{matched: 2, "data.summary.statusCounts.error": 2}, nil},
		parameter{remedies, "checkId", "store_health", m{matched: 1, "data.summary.checkId": "store_health"}, nil},
		parameter{remedies, "source", "operator", m{matched: 1, "data.summary.source": "operator"}, nil},
		parameter{remedies, "sinceMinutes", "60", m{matched: 4, "data.summary.sinceMinutes": 60}, nil},
	)
	one := ada.Get(remedies).OK(t)
	want(t, one, m{"data.records.0.degradedStreakCount": 3, "data.records.0.refreshDurationMs": 36, "data.records.0.recoveredSources": "[plan]", "data.records.0.refreshAttemptedAt": "2026-03-04T09:00:00.000Z"})
}

// Verification looks where it is told to, and says of what it found the focus.
func TestEveryParameterOfVerificationChooses(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := worseStrategy(t, s)
	path := runbookPath + "/verify"
	auto := []string{"focus", "recommended"}
	moves(t, ada,
		parameter{runbookPath, "checkId", "store_health", m{"data.selectedCheck.checkId": "store_health"}, nil},
		parameter{path, "focus", "recommended", m{"data.autoFocusApplied": true, "data.effectiveCheckId": runbook.StrategyAlign, "data.focusMode": "recommended"}, []string{"checkId", "store_health"}},
		parameter{path, "focusLimit", "1", m{"data.autoFocusFilters.limit": 1}, auto},
		parameter{path, "checkQuery", "store", m{"data.autoFocusFilters.checkQuery": "store", "data.effectiveCheckId": "store_health"}, auto},
		parameter{path, "status", "pass", m{"data.autoFocusFilters.status": "pass"}, auto},
		parameter{path, "sinceMinutes", "60", m{"data.autoFocusFilters.sinceMinutes": 60, "data.selectedCheckHistory.sinceMinutes": 60}, auto},
		parameter{path, "limit", "2", m{"data.traceSummary.returnedRecords": 2}, []string{"checkId", "store_health"}},
	)
}

// Snapshots before and after wrong answers, and a baseline with thresholds of one's own.
func TestEveryParameterOfQualityChooses(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	for i := range 8 {
		s.Clock.Advance(time.Minute)
		outcome := "correct"
		if i > 4 {
			outcome = "incorrect"
		}
		study(t, ada, "", outcome)
		ada.Post("/api/knowledge/query", m{"query": "limits"}).OK(t)
		ada.Post("/api/knowledge/quality/snapshot", m{}).OK(t)
	}
	history, trend := "/api/knowledge/quality/history", "/api/knowledge/quality/trend"
	first := ada.Get(history, "limit", "3").OK(t)
	moves(t, ada,
		parameter{history, "limit", "3", m{"data.summary.returnedRecords": 3, "data.summary.totalRecords": 16}, nil},
		parameter{history, "cursor", first.Str("data.next_cursor"), m{"data.summary.returnedRecords": 13}, nil},
		parameter{trend, "limit", "4", m{"data.summary.evaluatedRecords": 4}, nil},
		parameter{trend, "windowSize", "5", m{"data.summary.windowSize": 5}, nil},
		parameter{trend, "minSamples", "30", m{"data.summary.minSamples": 30}, nil},
	)
	baseline := "/api/knowledge/quality/baseline"
	ada.Post(baseline, m{"snapshot": m{"retestPassRatePct": 50, "historyWindowAverageMasteryDelta": .1}}).OK(t)
	lenient := m{
		"retestPassRateUpliftPct": 1, "misconceptionRecurrenceReductionPct": 0, "evidenceBackedSuggestionRatioPct": 1, "pathEffectivenessLiftPct": 1, "historyWindowAverageMasteryDeltaUplift": .01, "queryP95Ms": 999,
		"minQueryEvidenceCoverageRatioPct": 1, "minQueryRelationPathCoverageRatioPct": 1, "minQueryTemporalValidityPassRatioPct": 1, "maxPendingVerificationRatioPct": 99,
		"maxQueryBackendFallbackRatioPct": 99, "minSessionMemoryPromotionCoveragePct": 1,
	}
	good := m{
		"retestPassRatePct": 90, "historyWindowAverageMasteryDelta": .3, "evidenceBackedSuggestionRatioPct": 50, "pathGain": 30, "randomPathGain": 1, "misconceptionPathEffectivenessPct": 60, "pathEffectivenessPct": 60, "queryP95Ms": 10,
		"queryEvidenceCoverageRatioPct": 50, "queryRelationPathCoverageRatioPct": 50, "queryTemporalValidityPassRatioPct": 50, "sessionMemoryPromotionCoveragePct": 50,
	}
	r := ada.Post(baseline+"/evaluate", m{"current": good, "thresholds": lenient}).OK(t)
	want(t, r, m{"data.evaluation.thresholds.queryP95Ms": 999, "data.evaluation.gates.0.passed": true, "data.evaluation.gates.0.threshold": 1})
	for _, gate := range r.At("data.evaluation.gates").([]any) {
		if g := gate.(m); g["passed"] != true && g["gateId"] != "path_effectiveness" {
			t.Errorf("%v", g)
		}
	}
}
