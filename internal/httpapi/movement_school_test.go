package httpapi_test

import (
	"fmt"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
)

const (
	historyPath   = "/api/knowledge/session/history"
	configPath    = "/api/knowledge/session/orchestration/config"
	planTrendPath = "/api/knowledge/session/plan/quality/trend"
	tracesPath    = "/api/knowledge/tutor/trace-diagnostics"
)

// sitting works through one session of a strategy, a kind and an outcome.
func sitting(t *testing.T, c *apitest.Client, strategy, source, kind, outcome string, more m) *apitest.Reply {
	t.Helper()
	var actions []m
	outcomes := m{}
	for _, n := range []string{"sequences", "limits", "series"} {
		id := apitest.Atom("", n)
		actions = append(actions, m{"atomId": id, "kind": "quiz", "evidenceSpanIds": []string{"span"}})
		if outcome != "" {
			outcomes[id] = outcome
		}
	}
	body := m{"executionKind": kind, "outcomesByAtomId": outcomes, "sessionPlan": m{
		"actions": actions, "summary": m{"pathStrategy": strategy},
		"signals": m{"orchestration": m{"recommendedPathStrategy": strategy, "pathStrategySelectionSource": source, "pathStrategySelectionReason": "test"}},
	}}
	for k, v := range more {
		body[k] = v
	}
	return c.Post(executePath, body).OK(t)
}

// Sessions of every strategy, kind and outcome over some days: each filter of the history chooses what it says.
func TestEveryFilterOfTheSessionHistoryChooses(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	day := func() {
		s.Clock.Advance(24 * time.Hour)
		ada = s.As(t, "ada")
	}
	sitting(t, ada, "balanced", "explicit_request", "session", "correct", nil)
	day()
	sitting(t, ada, "mastery_recovery", "mode_fallback", "retest", "incorrect", m{"persistMemory": true})
	day()
	sitting(t, ada, "exploration_boost", "strategy_trend", "custom", "incorrect", m{"persistMemory": true, "autoPromoteMemory": true, "promoteMemoryMinConfidence": 0})
	s.Clock.Advance(time.Hour)
	sitting(t, ada, "exploration_boost", "strategy_trend", "session", "correct", nil)
	sitting(t, ada, "balanced", "explicit_request", "session", "correct", nil)
	total := "data.summary.totalRecords"
	moves(t, ada,
		parameter{historyPath, "executionKinds", "retest,custom", m{total: 2, "data.records.0.executionKind": "custom"}, nil},
		parameter{historyPath, "fromExecutedAt", "2026-03-04T00:00:00Z", m{total: 3}, nil},
		parameter{historyPath, "toExecutedAt", "2026-03-03T00:00:00Z", m{total: 1}, nil},
		parameter{historyPath, "limit", "2", m{total: 5, "data.page.returnedRecords": 2, "data.page.nextOffset": 2, "data.page.hasMore": true}, nil},
		parameter{historyPath, "offset", "3", m{total: 5, "data.page.offset": 3, "data.page.returnedRecords": 2, "data.records.0.executionKind": "retest"}, nil},
		parameter{historyPath, "pathStrategy", "mastery-recovery", m{total: 1, "data.records.0.pathStrategy": "mastery_recovery"}, nil},
		parameter{historyPath, "pathStrategySelectionSource", "strategy_trend", m{total: 2, "data.summary.pathStrategySelectionSourceCounts.explicit_request": 0}, nil},
		parameter{historyPath, "sinceMinutes", "90", m{total: 3}, nil},
		parameter{historyPath, "refreshSource", "manual", m{total: 5, "data.summary.appliedFilters.refreshSource": "manual"}, nil},
	)
	r := ada.Get(historyPath).OK(t)
	for i := range r.Len("data.summary.pathStrategyOutcomeByStrategy") {
		row := fmt.Sprintf("data.summary.pathStrategyOutcomeByStrategy.%d.", i)
		if wrong := r.Str(row+"strategy") == "mastery_recovery"; wrong != (r.Int(row+"negativeRatioPct") == 100) {
			t.Errorf("%v", r.At("data.summary.pathStrategyOutcomeByStrategy"))
		}
	}
	state := ada.Get("/api/knowledge/state").OK(t)
	const strategies = "data.sessionStrategyTelemetry."
	want(t, state, m{
		strategies + "selectionSourceCounts.strategy_trend": 2, strategies + "trendAutoSelectionSharePct": 40, strategies + "trendAutoNegativeRatioPct": 50, strategies + "selectionSourcePositiveRatioPct.explicit_request": 100,
		strategies + "selectionSourcePositiveRatioPct.strategy_trend": 50, "data.memoryEntries.session": 3, "data.memoryEntries.unit": 3,
	})
	matrix := ada.Get(matrixPath).OK(t)
	want(t, matrix, m{"data.signals.sessionMemoryPersistedCount": 6, "data.signals.sessionMemoryPromotionAppliedCount": 3})
	if n := matrix.Int("data.signals.memoryPolicyTotalEntries"); n != 6 {
		t.Errorf("%d entries of memory", n)
	}

	// An action on what is gone ends a session that stops on errors.
	gone := ada.Post(executePath, m{"stopOnError": true, "sessionPlan": m{"actions": []m{{"atomId": "atm_gone", "kind": "quiz"}, {"atomId": apitest.Atom("", "limits"), "kind": "quiz"}}, "summary": m{}, "signals": m{}}})
	want(t, gone, m{"data.summary.failedCount": 1, "data.summary.stoppedEarly": true, "data.items.0.status": "failed", "data.items.0.error": "unknown_atom"})
}

// Plans that keep to what was asked and plans that do not: history, trend and thresholds follow.
func TestEveryParameterOfPlanQualityChooses(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	plan := func(budget int, sources ...string) *apitest.Reply {
		t.Helper()
		s.Clock.Advance(time.Minute)
		var actions []m
		for i, n := range []string{"sequences", "limits", "series"} {
			x := m{"atomId": apitest.Atom("", n), "kind": "quiz", "source": "misconception_remediation", "evidenceSpanIds": []string{"span"}}
			if i < len(sources) {
				x["source"] = sources[i]
				delete(x, "evidenceSpanIds")
			}
			actions = append(actions, x)
		}
		return ada.Post("/api/knowledge/session/plan/evaluate", m{"expectedActionBudget": budget, "sessionPlan": m{"actions": actions, "summary": m{}, "signals": m{}}}).OK(t)
	}
	want(t, plan(3), m{"data.metrics.budgetDeviationActions": 0, "data.summary.overallPassed": true})
	plan(3)
	for range 3 {
		plan(1, "divergence_path", "divergence_path")
	}
	worse := plan(1, "divergence_path", "divergence_path")
	want(t, worse, m{"data.metrics.budgetDeviationActions": 2})
	ada.Post("/api/knowledge/session/plan/evaluate", m{"persistRecord": false, "thresholds": m{
		"maxBudgetDeviationActions": 1, "maxDivergenceSharePctWhenRegressing": 30, "minDivergenceSharePctWhenImproving": 10, "minRecoverySharePctWhenRegressing": 45,
	}}).OK(t)
	quality := "/api/knowledge/session/plan/quality/history"
	first := ada.Get(quality, "limit", "2").OK(t)
	moves(t, ada,
		parameter{quality, "limit", "2", m{"data.summary.totalRecords": 6, "data.summary.returnedRecords": 2}, nil},
		parameter{quality, "cursor", first.Str("data.next_cursor"), m{"data.summary.returnedRecords": 4}, nil},
		parameter{planTrendPath, "limit", "3", m{"data.summary.evaluatedRecords": 3, "data.summary.totalRecords": 6}, nil},
		parameter{planTrendPath, "windowSize", "3", m{"data.summary.windowSize": 3, "data.status": "regressing"}, nil},
		parameter{planTrendPath, "minSamples", "4", m{"data.summary.minSamples": 4, "data.status": "insufficient_data"}, nil},
		parameter{planTrendPath + "", "windowSize", "4", m{"data.windows.previous.averageTotalActions": 3, "data.windows.previous.divergenceSharePct": 0}, nil},
	)
	thresholds := "/api/knowledge/session/plan/quality/thresholds/runtime"
	moves(t, ada,
		parameter{thresholds, "adaptiveEnabled", "false", m{"data.adaptiveThresholdsEnabled": false, "data.adaptiveAdjustments": "map[]"}, nil},
		parameter{thresholds, "historyLimit", "2", m{"data.runtimeConfig.historyLimit": 2}, nil},
		parameter{thresholds, "trendLimit", "3", m{"data.runtimeConfig.trendLimit": 3, "data.summary.trendStatus": "insufficient_data"}, nil},
		parameter{thresholds, "trendWindowSize", "3", m{"data.runtimeConfig.trendWindowSize": 3, "data.summary.trendStatus": "regressing"}, nil},
		parameter{thresholds, "trendMinSamples", "4", m{"data.runtimeConfig.trendMinSamples": 4, "data.summary.trendStatus": "insufficient_data"}, nil},
	)
	matrix := ada.Get(matrixPath).OK(t)
	if matrix.Int("data.signals.sessionPlanQualityFailureStreak") < 1 {
		t.Errorf("four plans failed: %v", matrix.At("data.signals.sessionPlanQualityFailureStreak"))
	}
}

// What a learner sets is what is answered, each setting by itself.
func TestEverySettingOfTheOrchestrationIsKept(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	settings := map[string]m{
		"memorySignalConfig": {"regressionConfidenceFloor": .4, "improvementConfidenceFloor": .7, "scoreWeight": .3, "confidenceWeight": .1},
		"trendRuntimeConfig": {
			"learningQualityTrendLimit": 20, "learningQualityTrendMinSamples": 3, "learningQualityTrendWindowSize": 4, "sessionPlanQualityTrendLimit": 21, "sessionPlanQualityTrendMinSamples": 5,
			"sessionPlanQualityTrendWindowSize": 6, "memoryPolicyTrendLimit": 22, "memoryPolicyTrendMinSamples": 7, "memoryPolicyTrendWindowSize": 8,
		},
		"studySettings":      {"desiredRetention": .85, "strategyExperimentsAllowed": true, "deckOptionsFollowed": false, "difficultyShared": true},
		"tutorRoutingConfig": {"enabled": false, "minSamples": 4, "maxFailedRatioPct": 30, "maxDowngradedRatioPct": 50, "minAverageConfidence": .6},
	}
	for group, all := range settings {
		for name, value := range all {
			before := fmt.Sprint(ada.Get(configPath).OK(t).At("data." + group + "." + name))
			ada.Post(configPath, m{group: m{name: value}}).OK(t)
			after := ada.Get(configPath).OK(t)
			want(t, after, m{"data." + group + "." + name: value})
			if before == fmt.Sprint(value) {
				t.Errorf("%s is the usual value of %s", before, name)
			}
		}
	}
	want(t, ada.Get(planTrendPath).OK(t), m{"data.summary.windowSize": 6, "data.summary.minSamples": 5})
	want(t, ada.Get("/api/knowledge/quality/trend").OK(t), m{"data.summary.windowSize": 4, "data.summary.minSamples": 3})
	want(t, ada.Get(matrixPath).OK(t), m{
		"data.signals.tutorRoutingEnabled": false, "data.signals.tutorRoutingMinSamples": 4, "data.signals.tutorRoutingMaxFailedRatioPct": 30, "data.signals.tutorRoutingMaxDowngradedRatioPct": 50,
		"data.signals.tutorRoutingMinAverageConfidence": .6,
	})
}

// A model that answers, fails and is downgraded beside the rule engine: each filter of the traces chooses what it says.
func TestEveryFilterOfTheTutorsTracesChooses(t *testing.T) {
	local, near := startModel(t, "local")
	_, far := startModel(t, "cloud")
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	tutor := func(n int, kind string) {
		t.Helper()
		for range n {
			s.Clock.Advance(time.Second)
			s.As(t, "ada").Post(tutorPath, m{"atomId": apitest.Atom("", "limits"), "actionKind": kind}).OK(t)
		}
	}
	tutor(4, "follow_up")
	s.RestartWith(t, func(o *apitest.Options) { o.TutorModels = []core.TutorModel{near, far} })
	ada := s.As(t, "ada")
	ada.Post(configPath, m{"tutorRoutingConfig": m{"preferredMode": "local"}}).OK(t)
	tutor(8, "recap")
	local.set(func(string) (int, string) {
		return 200, `{"message":"Trust me.","confidence":1,"evidence":["made up"]}`
	})
	tutor(4, "recap")
	want(t, ada.Get(matrixPath).OK(t), m{"data.signals.tutorDowngradedResponses": 4})
	local.set(failing)
	tutor(8, "recap")
	ada.Post(configPath, m{"tutorRoutingConfig": m{"preferredMode": "cloud"}}).OK(t)
	tutor(4, "recap")
	matched := "data.summary.matchedTraces"
	all := ada.Get(tracesPath).OK(t)
	want(t, all, m{matched: 28})
	first := ada.Get(tracesPath, "limit", "5").OK(t)
	moves(t, ada,
		parameter{tracesPath, "source", "rule_engine", m{matched: 4, "data.summary.llmAdapterTraces": 0}, nil},
		parameter{tracesPath, "actionKind", "follow_up", m{matched: 4}, nil},
		parameter{tracesPath, "providerName", "rule-engine", m{matched: 4, "data.filters.providerName": "rule-engine"}, nil},
		parameter{tracesPath, "providerMode", "cloud", m{matched: 4, "data.providerBreakdown.0.providerName": "cloud-host/small"}, nil},
		parameter{tracesPath, "adapterOutcome", "downgraded", m{matched: 4, "data.filters.adapterOutcome": "downgraded"}, nil},
		parameter{tracesPath, "limit", "5", m{"data.summary.returnedTraces": 5, matched: 28}, nil},
		parameter{tracesPath, "cursor", first.Str("data.next_cursor"), m{matched: 23}, nil},
	)
	for name, values := range map[string][]string{"fallbackUsed": {"true", "false"}, "verificationStatus": {"verified", "pending_verification"}} {
		sum := 0
		for _, value := range values {
			r := ada.Get(tracesPath, name, value).OK(t)
			want(t, r, m{"data.filters." + name: value})
			if n := r.Int(matched); n == 0 || n == 28 {
				t.Errorf("%s=%s chooses %d of 28", name, value, n)
			}
			sum += r.Int(matched)
		}
		if sum != 28 {
			t.Errorf("the values of %s have %d of 28 traces", name, sum)
		}
		ada.Get(tracesPath).OK(t)
	}
	trends := tracesPath + "/providers"
	r := ada.Get(trends, "windowSize", "8").OK(t)
	moves(t, ada,
		parameter{trends, "source", "llm-adapter", m{"data.summary.providerCount": 2}, nil},
		parameter{trends, "windowSize", "8", m{"data.windowSize": 8, "data.providers.1.recent.samples": 8}, nil},
		parameter{trends, "minSamples", "9", m{"data.minSamples": 9, "data.summary.insufficientDataCount": 2}, nil},
		parameter{trends, "limit", "1", m{"data.providers.1": nil, "data.summary.providerCount": 3}, nil},
	)
	want(t, r, m{"data.summary.regressingCount": 1, "data.summary.topRegressingProvider": "local-host/small", "data.summary.recommendedFocusProviderName": "local-host/small", "data.providers.1.deltas.failedRatioPct": 100})
	past := trends + "/history"
	page := ada.Get(past, "limit", "3").OK(t)
	moves(t, ada,
		parameter{past, "limit", "3", m{"data.summary.records": 3}, nil},
		parameter{past, "cursor", page.Str("data.next_cursor"), m{"data.records.0.providerName": "cloud-host/small", "data.records.1.providerName": "local-host/small"}, nil},
		parameter{past, "providerName", "rule-engine", m{"data.summary.records": 4}, nil},
		parameter{past, "source", "rule-engine", m{"data.summary.records": 4, "data.records.0.providerName": "rule-engine"}, nil},
		parameter{past, "status", "regressing", m{"data.summary.stable": 0, "data.records.0.status": "regressing"}, nil},
	)
}

// The graph and the documents of a learner who has more notes than fit on a page.
func TestEveryParameterOfNotesChooses(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	s.Clock.Advance(time.Hour)
	r := ada.Post("/api/knowledge/ingest", m{"documents": []m{
		{"documentId": "limits", "sourcePath": "maths/limits.md", "language": "en", "content": "# Limits\n\nRequires [[sequences]]. See also [[nowhere]].\n\n## Sides\n\nA limit from one side.\n\n```go\nfmt.Println(1)\n```\n"},
		{"documentId": "reihen", "sourcePath": "reihen.md", "language": "de", "content": "# Reihen\n\nRequires [[folgen]].\n\nEine Reihe.\n"},
		{"documentId": "folgen", "sourcePath": "folgen.md", "language": "de", "content": "# Folgen\n\nRequires [[reihen]].\n\nEine Folge.\n"},
	}}).OK(t)
	if r.Int("data.summary.unresolvedLinks") < 1 || r.Int("data.summary.brokenCycles") != 1 || r.Len("data.cycles") != 1 {
		t.Errorf("%s", r.Body)
	}
	documents, graph := "/api/knowledge/documents", "/api/knowledge/graph"
	first := ada.Get(documents, "limit", "2").OK(t)
	all := ada.Get(documents).OK(t)
	want(t, all, m{"data.next_cursor": ""})
	moves(t, ada,
		parameter{documents, "limit", "2", m{"data.documents.2": nil}, nil},
		parameter{documents, "cursor", first.Str("data.next_cursor"), m{"data.documents.0.documentId": all.At("data.documents.2.documentId")}, nil},
		parameter{graph, "limit", "2", m{"data.truncated": true, "data.nodes.2": nil}, nil},
	)
	focus := apitest.Atom("ada", "reihen")
	near := ada.Get(graph, "focusAtomId", focus).OK(t)
	whole := ada.Get(graph).OK(t)
	if near.Len("data.nodes") >= whole.Len("data.nodes") || near.Len("data.nodes") == 0 {
		t.Errorf("%d nodes around one of %d", near.Len("data.nodes"), whole.Len("data.nodes"))
	}
}

// What was learned fades, and what was kept in mind grows old.
func TestEveryFigureOfALearnerFollowsTime(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	kept := m{"persistMemory": true, "memoryLayer": "long_term"}
	sitting(t, ada, "balanced", "explicit_request", "session", "correct", kept)
	skipped := sitting(t, ada, "balanced", "explicit_request", "session", "skipped", nil)
	want(t, skipped, m{"data.summary.skippedCount": 3, "data.items.0.status": "skipped", "data.items.0.reason": "skipped_by_learner"})
	want(t, ada.Get("/api/knowledge/state").OK(t), m{"data.memoryEntries.longTerm": 3})
	want(t, ada.Get("/api/knowledge/graph").OK(t), m{"data.counts.due": 0})
	want(t, ada.Get(matrixPath).OK(t), m{"data.signals.memoryPolicyStaleEntries": 0, "data.signals.memoryPolicyTotalEntries": 3})
	s.Clock.Advance(100 * 24 * time.Hour)
	ada = s.As(t, "ada")
	want(t, ada.Get(matrixPath).OK(t), m{"data.signals.memoryPolicyStaleEntries": 3})
	r := ada.Get("/api/knowledge/graph").OK(t)
	if r.Int("data.counts.due") < 1 {
		t.Errorf("nothing is due after 100 days: %v", r.At("data.counts"))
	}
}
