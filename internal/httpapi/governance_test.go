package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/school/tutors"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

const (
	matrixPath  = "/api/knowledge/runtime-capability-matrix"
	runbookPath = "/api/knowledge/runtime-capability-runbook"
	executePath = "/api/knowledge/session/execute"
)

// checkOf is a check of the matrix as a member reads it.
func checkOf(t *testing.T, c *apitest.Client, id string) map[string]any {
	t.Helper()
	for _, x := range c.Get(matrixPath).OK(t).At("data.checks").([]any) {
		if check := x.(map[string]any); check["checkId"] == id {
			return check
		}
	}
	t.Fatalf("there is no check %s", id)
	return nil
}

func wantCheck(t *testing.T, c *apitest.Client, id, status string) {
	t.Helper()
	if check := checkOf(t, c, id); check["status"] != status {
		t.Errorf("%s is %s, want %s: %s (%s)", id, check["status"], status, check["message"], check["observed"])
	}
}

// study works through a session whose strategy was chosen by trend, with one outcome for every answer.
func study(t *testing.T, c *apitest.Client, owner, outcome string) {
	t.Helper()
	var actions []m
	outcomes := m{}
	for _, n := range []string{"sequences", "limits", "series"} {
		id := apitest.Atom(owner, n)
		actions = append(actions, m{"atomId": id, "kind": "quiz", "evidenceSpanIds": []string{"span"}})
		outcomes[id] = outcome
	}
	c.Post(executePath, m{"outcomesByAtomId": outcomes, "sessionPlan": m{
		"actions": actions, "summary": m{"pathStrategy": "exploration_boost"},
		"signals": m{"orchestration": m{"recommendedPathStrategy": "exploration_boost", "pathStrategySelectionSource": "strategy_trend", "pathStrategySelectionReason": "test"}},
	}}).OK(t)
}

func verify(t *testing.T, c *apitest.Client, id string) *apitest.Reply {
	t.Helper()
	return c.Get(runbookPath+"/verify", "checkId", id).OK(t)
}

func want(t *testing.T, r *apitest.Reply, values m) {
	t.Helper()
	for path, value := range values {
		if got := fmt.Sprint(r.At(path)); got != fmt.Sprint(value) {
			t.Errorf("%s is %s, want %v", path, got, value)
		}
	}
}

// The incident of docs/runbook.md, from the conflict to the pass.
func TestIncidentFromConflictToPass(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for range 3 {
			study(t, ada, "", "incorrect")
			s.Clock.Advance(time.Minute)
		}
		wantCheck(t, ada, runbook.StrategyAlign, "fail")

		first := verify(t, ada, runbook.StrategyAlign)
		want(t, first, m{
			"data.selectedCheckStatus": "fail", "data.selectedCheckEscalation": "high", "data.pathStrategyAlignment.conflictStreak": 1, "data.pathStrategyAlignment.conflictPersistent": false,
			"data.runbook.traceFilter.pathPrefix": "/api/knowledge/session/history",
		})
		for _, target := range []string{
			"/api/knowledge/session/history?userId=<user_id>&pathStrategySelectionSource=strategy_trend&sinceMinutes=10080", "/api/knowledge/quality/trend",
			"/api/knowledge/session/orchestration/config",
		} {
			if !slices.Contains(first.At("data.verificationTargets").([]any), any(target)) {
				t.Errorf("%s is not among the verification targets %v", target, first.At("data.verificationTargets"))
			}
		}
		s.Clock.Advance(time.Minute)
		want(t, verify(t, ada, runbook.StrategyAlign), m{
			"data.selectedCheckEscalation": "critical", "data.pathStrategyAlignment.conflictStreak": 2, "data.pathStrategyAlignment.conflictPersistent": true,
			"data.pathStrategyAlignment.recommendedFocusReason": "path_strategy_alignment_conflict_streak", "data.selectedCheckHistory.activeFailStreak": 2,
		})

		want(t, ada.Get(runbookPath+"/history/checks").OK(t), m{
			"data.summary.recommendedFocusCheckId": runbook.StrategyAlign, "data.summary.recommendedFocusReason": "path_strategy_alignment_conflict_streak",
			"data.summary.recommendedFocusEscalation": "critical", "data.summary.pathStrategyAlignmentConflictStreak": 2, "data.summary.pathStrategyAlignmentLatestStatus": "fail",
		})
		queue := ada.Get(runbookPath+"/history/action-queue", "priority", "p0").OK(t)
		want(t, queue, m{"data.summary.priorityFilter": "p0", "data.actionQueue.0.checkId": runbook.StrategyAlign, "data.actionQueue.0.priority": "p0", "data.summary.queueP1": 0})
		focused := ada.Get(runbookPath+"/verify", "checkId", "auto", "focus", "recommended").OK(t)
		want(t, focused, m{"data.autoFocusApplied": true, "data.effectiveCheckId": runbook.StrategyAlign, "data.focusMode": "recommended"})

		ada.Post("/api/knowledge/session/orchestration/config", m{"strategyMinConfidence": 0.9}).OK(t)
		ada.Post(runbookPath+"/remediation-event", m{"status": "applied", "checkId": runbook.StrategyAlign, "triggerReason": "confidence_raised"}).OK(t)
		for range 8 {
			s.Clock.Advance(time.Minute)
			study(t, ada, "", "correct")
		}
		for range 3 {
			s.Clock.Advance(time.Minute)
			verify(t, ada, runbook.StrategyAlign)
		}
		want(t, verify(t, ada, runbook.StrategyAlign), m{
			"data.selectedCheckStatus": "pass", "data.selectedCheckHistory.trendStatus": "improving", "data.selectedCheckEscalation": "normal",
			"data.selectedCheckRemediation.latestStatus": "applied", "data.pathStrategyAlignment.conflictStreak": 0,
		})
		after := ada.Get(runbookPath + "/history/checks").OK(t)
		want(t, after, m{"data.summary.actionQueueP0": 0, "data.summary.improvingChecks": 1, "data.summary.remediationRecords": 1, "data.summary.remediationAppliedRatioPct": 100})
	})
}

func TestVerifyKeepsOneRecordForEachRequest(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada").With("X-Request-Id", "verify-once")
		first := ada.Get(runbookPath + "/verify").OK(t)
		for range 3 {
			again := ada.Get(runbookPath + "/verify").OK(t)
			want(t, again, m{"data.recordId": first.At("data.recordId"), "data.idempotent_replay": true})
			ada.Post(runbookPath+"/remediation-event", m{"status": "cooldown"}).OK(t)
		}
		want(t, s.As(t, "ada").Get(runbookPath+"/history").OK(t), m{"data.summary.totalRecords": 1, "data.summary.matchedRecords": 1})
		want(t, s.As(t, "ada").Get(runbookPath+"/history/remediation-events").OK(t), m{"data.summary.totalRecords": 1, "data.summary.statusCounts.cooldown": 1})
		want(t, s.As(t, "bob").Get(runbookPath+"/history").OK(t), m{"data.summary.totalRecords": 0}) // another learner's school
	})
}

func TestFreshInstallationFailsNothing(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		bob := s.As(t, "bob")
		r := bob.Get(matrixPath).OK(t)
		want(t, r, m{"data.overallStatus": "degraded", "data.summary.failCount": 0, "data.incident": nil, "data.signals.topRiskStatus": "none"})
		for _, x := range r.At("data.checks").([]any) {
			check := x.(map[string]any)
			if check["status"] == "warn" && (check["evidence"] != "none" || !strings.Contains(check["message"].(string), "nothing is wrong")) {
				t.Errorf("%s alarms a newcomer: %s", check["checkId"], check["message"])
			}
			if check["status"] == "pass" && !slices.Contains([]string{"store_health", "clock_health", "tutor_adapter_timeout_budget", "knowledge_staleness_data", "query_vector_acceleration_representation_consistency"}, check["checkId"].(string)) &&
				!strings.HasPrefix(check["checkId"].(string), "api_") { // this request is one
				t.Errorf("%s passes, and nothing was seen: %s", check["checkId"], check["observed"])
			}
		}
	})
}

func TestEveryTargetAndHintAnswers(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	asked := map[string]bool{}
	ask := func(target string) {
		target = strings.ReplaceAll(target, "<user_id>", "ada")
		if !asked[target] {
			asked[target] = true
			ada.Get(target).OK(t)
		}
	}
	for _, d := range runbook.Definitions {
		for _, target := range d.Targets {
			ask(target)
		}
		for _, latest := range []runbook.Status{runbook.Fail, runbook.Unknown, runbook.Pass} {
			for _, a := range runbook.ActionsFor(runbook.Situation{CheckID: d.ID, Latest: latest, Escalation: runbook.Critical, RiskStreak: 2, FailStreak: 2, Trend: runbook.Regressing, Focus: "x", Targets: d.Targets}) {
				switch a.Method {
				case "GET":
					ask(a.Endpoint)
				case "POST":
					if !slices.ContainsFunc(apitest.Operations(), func(o apitest.Operation) bool { return o.Method == "POST" && o.Path == a.Endpoint }) {
						t.Errorf("%s points at %s, which is no operation", a.ID, a.Endpoint)
					}
				default:
					t.Errorf("%s has no endpoint", a.ID)
				}
			}
		}
	}
	if len(asked) < 10 {
		t.Errorf("only %d requests were tried", len(asked))
	}
}

func TestIndexThatCannotBeKeptInStepTurnsItsCheck(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	ask := func() { ada.Post("/api/knowledge/query", m{"query": "limits"}).OK(t) }
	ask()
	wantCheck(t, ada, runbook.IndexSync, "pass")

	// The notes change: the ingest brings the index in step.
	ada.Post("/api/knowledge/ingest", m{"documents": []m{{"documentId": "rows", "sourcePath": "rows.md", "content": "# Rows\n\nA row is a list of numbers.\n"}}}).OK(t)
	wantCheck(t, ada, runbook.IndexSync, "pass")
	want(t, ada.Post("/api/knowledge/query", m{"query": "row"}).OK(t), m{"data.items.0.atom.title": "Rows"})

	// A new process has none; what the runbook asks for makes one.
	s.Restart(t)
	if check := checkOf(t, ada, runbook.IndexSync); check["evidence"] != "none" {
		t.Errorf("nobody needed the index yet: %v", check)
	}
	ada.Post("/api/knowledge/ingest", m{"documents": []m{}}).OK(t)
	wantCheck(t, ada, runbook.IndexSync, "pass")

	// The index is full.
	s.RestartWith(t, func(o *apitest.Options) { o.MaxIndexedAtoms = 1 })
	ada.Post("/api/knowledge/ingest", m{"documents": []m{{"documentId": "columns", "sourcePath": "columns.md", "content": "# Columns\n\nA column is a list of numbers.\n"}}}).OK(t)
	r := verify(t, ada, runbook.IndexSync)
	want(t, r, m{"data.selectedCheckStatus": "fail", "data.selectedCheckEscalation": "critical", "data.runbook.selectedCheck.debugTraceHint.pathPrefix": "/api/knowledge/query-backend-diagnostics"})
	if !slices.Contains(r.All("data.selectedCheckEscalationActionItems", "endpointHint"), "/api/knowledge/query-backend-diagnostics") {
		t.Errorf("no action points at the diagnostics: %v", r.At("data.selectedCheckEscalationActionItems"))
	}
	want(t, ada.Get(runbookPath+"/history/action-queue").OK(t), m{"data.actionQueue.0.checkId": runbook.IndexSync, "data.actionQueue.0.priority": "p0"})
	if r := ada.Get("/api/knowledge/state").OK(t); r.Int("data.queryBackendDiagnostics.runtime.vectorIndex.acceleration.syncFailureCount") == 0 {
		t.Errorf("%v", r.At("data.queryBackendDiagnostics.runtime.vectorIndex"))
	}

	s.RestartWith(t, func(o *apitest.Options) { o.MaxIndexedAtoms = 0 })
	ask()
	wantCheck(t, ada, runbook.IndexSync, "pass")
}

func TestRefusedRequestsTurnTheirChecks(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	for range 12 {
		ada.Post("/api/knowledge/query", m{"query": 7}).Want(t, 422, "invalid_request")
	}
	wantCheck(t, ada, "api_invalid_request_hotspots", "fail")
	wantCheck(t, ada, "api_invalid_request_ratio", "fail")
	s.Clock.Advance(61 * time.Minute)
	ada.Get(matrixPath).OK(t)
	wantCheck(t, ada, "api_invalid_request_hotspots", "pass")
}

func TestServerErrorsTurnTheirChecks(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	at := clock.Micros(s.Clock.Now())
	for range 20 {
		s.App.Trace(store.TraceRecord{UserID: "ada", RequestID: "x", Method: "GET", Path: "/api/knowledge/state", Status: 500, ErrorCode: "internal_error", DurationUS: 4e6, StartedAt: at, FinishedAt: at})
	}
	for _, id := range []string{"api_server_error_ratio", "api_server_error_hotspots", "api_latency_p95", "api_latency_hotspots"} {
		wantCheck(t, ada, id, "fail")
	}
}

// While somebody holds the database up its check says so, and comes back by itself.
func TestSlowStoreTurnsItsCheck(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		slow := func() {
			t.Helper()
			if check := checkOf(t, ada, "store_health"); check["status"] == "pass" {
				t.Errorf("the store is slow and passes: %s", check["observed"])
			}
		}
		s.HoldStore(t, time.Second, slow)
		deadline := time.Now().Add(20 * time.Second)
		for checkOf(t, ada, "store_health")["status"] != "pass" {
			if time.Now().After(deadline) {
				t.Fatal("the store is quick again and its check does not say so")
			}
		}
	})
}

// A language model that is pinned while the other side is recommended: focus rule 1.
func TestPinnedTutorIsAConflict(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	config := "/api/knowledge/session/orchestration/config"
	ada.Post(config, m{"tutorRoutingConfig": m{"preferredMode": "cloud"}}).OK(t)
	tell := func(mode string, failed bool, confidence float64) {
		t.Helper()
		trace := tutors.TutorTrace{
			TraceID: uuid.Must(uuid.NewV7()).String(), UserID: "ada", Source: "llm-adapter", ProviderName: mode + "-model", ProviderMode: mode, AdapterID: mode, Confidence: confidence, Failed: failed, Notes: "adaptive_health_routing: planted",
			Verification: "verified", CreatedAt: clock.Text(s.Clock.Now()), Evidence: []string{}, Relation: []string{},
		}
		text, err := json.Marshal(trace)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.AddTutorTrace(schooldb.TutorTrace{UserID: "ada", ID: trace.TraceID, Source: trace.Source, Provider: trace.ProviderName, CreatedAt: clock.Micros(s.Clock.Now()), Trace: text})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 6 {
		tell("local", false, .9)
		tell("cloud", true, .2)
	}
	want(t, ada.Get(matrixPath).OK(t), m{
		"data.signals.tutorRoutingDynamicPreferredMode": "local", "data.signals.tutorRoutingDynamicModeSuggestionActive": true, "data.signals.tutorRoutingPreferredMode": "cloud",
	})
	wantCheck(t, ada, runbook.DynamicMode, "fail")
	verify(t, ada, runbook.DynamicMode)
	want(t, verify(t, ada, runbook.DynamicMode), m{"data.dynamicModeAlignment.conflictPersistent": true, "data.dynamicModeAlignment.recommendedFocusCheckId": runbook.DynamicMode})
	want(t, ada.Get(runbookPath+"/history/checks").OK(t), m{
		"data.summary.recommendedFocusCheckId": runbook.DynamicMode, "data.summary.recommendedFocusReason": "dynamic_mode_alignment_conflict_streak", "data.summary.dynamicModeAlignmentConflictStreak": 2,
	})
	ada.Post(config, m{"tutorRoutingConfig": m{"preferredMode": "auto"}}).OK(t)
	wantCheck(t, ada, runbook.DynamicMode, "pass")
}

func TestBadAnswersTurnTheQualityTrend(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	session := func(outcome string) {
		s.Clock.Advance(time.Hour)
		study(t, ada, "", outcome)
	}
	for range 8 {
		session("correct")
	}
	wantCheck(t, ada, "quality_trend_direction", "pass")
	for range 20 { // to look changes nothing
		ada.Post("/api/knowledge/quality/snapshot", m{}).OK(t)
	}
	wantCheck(t, ada, "quality_trend_direction", "pass")
	for range 6 {
		session("incorrect")
	}
	wantCheck(t, ada, "quality_trend_direction", "fail")
	for range 12 {
		session("correct")
	}
	wantCheck(t, ada, "quality_trend_direction", "pass")
	r := ada.Get("/api/knowledge/quality/history", "limit", "200").OK(t)
	want(t, r, m{"data.summary.totalRecords": 46})
	if sources := r.All("data.records", "source"); slices.Contains(sources, "") || !slices.Contains(sources, "session_execution") || !slices.Contains(sources, "manual_snapshot") {
		t.Errorf("sources are %v", sources)
	}
	want(t, ada.Get("/api/knowledge/quality/trend").OK(t), m{"data.strategyBreakdown.0.strategy": "exploration_boost"})
}

func TestBaselines(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, path := s.As(t, "ada"), "/api/knowledge/quality/baseline"
		want(t, ada.Get(path).OK(t), m{"data.found": false, "data.snapshot": nil})
		ada.Post(path+"/evaluate", m{}).Want(t, 404, "learning_quality_baseline_not_found")
		ada.Post(path, m{"snapshot": "good"}).Want(t, 422, "learning_quality_baseline_snapshot_required")
		ada.Post(path, m{"userId": "ada", "snapshot": m{"retestPassRatePct": 50, "misconceptionRecurrenceRatePct": 900}}).OK(t)
		want(t, ada.Get(path, "userId", "ada").OK(t), m{"data.found": true, "data.snapshot.misconceptionRecurrenceRatePct": 100})
		r := ada.Post(path+"/evaluate", m{"current": m{"retestPassRatePct": 75, "queryP95Ms": 900}}).OK(t)
		want(t, r, m{"data.evaluation.overallPassed": false, "data.evaluation.deltas.retestPassRateUpliftPct": 25, "data.evaluation.gates.0.passed": true, "data.evaluation.gates.5.passed": false})
		if r.Len("data.evaluation.gates") != 12 {
			t.Errorf("%d gates, want one for each threshold", r.Len("data.evaluation.gates"))
		}
		ada.Get(path, "userId", "bob").Want(t, 403, "permission_denied")
		for range 2 {
			want(t, ada.Post(path+"/clear", m{}).OK(t), m{"data.found": false})
		}
	})
}

func TestRemediationWords(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	for word, status := range map[string]string{
		"applied": "applied", "cooldown_active:12s": "cooldown", "skipped_cooldown": "cooldown", "auto_focus_error": "error", "below_threshold": "ignored", "not-applied": "not_applied",
		"failed": "error", "success": "applied", "whatever": "not_applied",
	} {
		want(t, ada.Post(runbookPath+"/remediation-event", m{"autoRemediationStatus": word, "failedSources": "plan, snapshot,plan"}).OK(t), m{
			"data.record.status": status, "data.record.applied": status == "applied", "data.record.failureSources": []any{"plan", "snapshot"},
		})
	}
	r := ada.Get(runbookPath+"/history/remediation-events", "status", "cooldown", "limit", "1").OK(t)
	want(t, r, m{"data.summary.matchedRecords": 2, "data.summary.totalRecords": 9, "data.summary.returnedRecords": 1})
	next := ada.Get(runbookPath+"/history/remediation-events", "status", "cooldown", "limit", "1", "cursor", r.Str("data.next_cursor")).OK(t)
	if next.Str("data.records.0.id") == r.Str("data.records.0.id") || next.Str("data.next_cursor") != "" {
		t.Errorf("the second page is %s", next.Body)
	}
}

func TestQueueFiltersAreEchoed(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	verify(t, ada, runbook.StrategyAlign)
	want(t, ada.Get(runbookPath+"/history/action-queue", "priority", "p2", "category", "monitor", "checkId", runbook.StrategyAlign, "remediationStatus", "error", "remediationTrend", "regressing").OK(t), m{
		"data.summary.priorityFilter": "p2", "data.summary.categoryFilter": "monitor", "data.summary.checkIdFilter": runbook.StrategyAlign, "data.summary.remediationStatusFilter": "error",
		"data.summary.remediationTrendFilter": "regressing", "data.summary.returnedQueueItems": 0,
	})
	want(t, ada.Get(runbookPath+"/history/action-queue", "priority", "p9", "category", "x", "checkId", "nothing", "remediationStatus", "?", "remediationTrend", "up").OK(t), m{
		"data.summary.priorityFilter": "all", "data.summary.categoryFilter": "all", "data.summary.checkIdFilter": "all", "data.summary.remediationStatusFilter": "all",
		"data.summary.remediationTrendFilter": "all", "data.summary.filteredQueueItems": ada.Get(runbookPath + "/history/action-queue").OK(t).At("data.summary.totalQueueItems"),
	})
}

func TestGovernanceHasARetention(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for range 3 {
			verify(t, ada, runbook.StrategyAlign)
			ada.Post(runbookPath+"/remediation-event", m{"status": "applied"}).OK(t)
			ada.Post("/api/knowledge/quality/snapshot", m{}).OK(t)
			study(t, ada, "", "correct")
		}
		traces := "/api/knowledge/tutor/trace-diagnostics"
		want(t, ada.Get(traces).OK(t), m{"data.summary.totalTraces": s.Count(t, "tutor_trace")})
		s.Clock.Advance(core.DefaultGovernanceKeep + time.Hour)
		ada = s.As(t, "ada")
		verify(t, ada, runbook.StrategyAlign)
		if err := s.App.SweepOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		want(t, ada.Get(runbookPath+"/history", "sinceMinutes", "0").OK(t), m{"data.summary.totalRecords": 1, "data.summary.statusCounts.unknown": 1})
		for table, left := range map[string]int{"verification": 1, "remediation_event": 0, "quality_record": 0, "governance_sum": 4, "tutor_trace": 0, "strategy_exposure": 0} {
			if n := s.Count(t, table); n != left {
				t.Errorf("%d rows of %s are left, want %d", n, table, left)
			}
		}
		want(t, ada.Get(traces).OK(t), m{"data.summary.totalTraces": 0})
	})
}
