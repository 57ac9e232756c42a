package runbook

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func past(statuses ...Status) Past {
	records := make([]Verification, len(statuses))
	for i, s := range statuses {
		records[i] = Verification{At: fmt.Sprint(i), Status: s}
	}
	return PastOf(records)
}

func TestStreaksAndTrend(t *testing.T) {
	for _, tc := range []struct {
		newestFirst []Status
		risk, fail  int
		trend       Trend
	}{
		{nil, 0, 0, Insufficient},
		{[]Status{Fail, Fail, Warn}, 3, 2, Insufficient},
		{[]Status{Pass, Fail, Fail, Fail}, 0, 0, Improving},
		{[]Status{Warn, Fail, Pass, Pass}, 2, 0, Regressing},
		{[]Status{Pass, Pass, Pass, Pass, Pass}, 0, 0, Stable},
		{[]Status{Unknown, Warn, Warn, Unknown}, 0, 0, Stable},
	} {
		if p := past(tc.newestFirst...); p.RiskStreak != tc.risk || p.FailStreak != tc.fail || p.Trend != tc.trend {
			t.Errorf("%v: %+v", tc.newestFirst, p)
		}
	}
	slow := PastOf([]Verification{{Status: Pass, P95Ms: 60}, {Status: Pass, P95Ms: 60}, {Status: Pass}, {Status: Pass}})
	if slow.Trend != Regressing {
		t.Errorf("slower by 60 ms: %+v", slow)
	}
}

func TestFocusRules(t *testing.T) {
	w := func(id string, statuses ...Status) Watched { return Watched{ID: id, Past: past(statuses...)} }
	for _, tc := range []struct {
		name   string
		checks []Watched
		id     string
		reason string
	}{
		{"nothing", nil, "", ReasonNone},
		{"rule 1", []Watched{w("a", Fail, Fail, Pass, Pass), w(DynamicMode, Warn, Warn)}, DynamicMode, ReasonDynamicMode},
		{"rule 2", []Watched{w("a", Fail, Fail, Pass, Pass), w(StrategyAlign, Warn, Fail)}, StrategyAlign, ReasonStrategy},
		{"both: rule 1 says is, rule 2 can be", []Watched{w(DynamicMode, Warn, Warn), w(StrategyAlign, Fail, Fail)}, DynamicMode, ReasonDynamicMode},
		{"nothing seen is no conflict", []Watched{w(StrategyAlign, Unknown, Unknown, Unknown), w("a", Pass)}, StrategyAlign, ReasonLatest},
		{"a conflict that is over", []Watched{w(DynamicMode, Pass, Fail, Fail), w("a", Warn)}, "a", ReasonFailure},
		{"one conflict is no streak", []Watched{w(StrategyAlign, Fail, Pass), w("a", Fail, Fail, Pass, Pass)}, "a", ReasonRegressing},
		{"all is well", []Watched{w("b", Pass), w("a", Pass)}, "a", ReasonLatest},
	} {
		SortWatched(tc.checks)
		if f := FocusOf(tc.checks, 12); f.ID != tc.id || f.Reason != tc.reason {
			t.Errorf("%s: %+v", tc.name, f)
		}
	}
}

func TestEscalation(t *testing.T) {
	for _, tc := range []struct {
		id         string
		latest     Status
		risk, fail int
		want       Escalation
	}{
		{"a", Pass, 0, 0, Normal},
		{"a", Warn, 1, 0, Watch},
		{"a", Warn, 3, 0, High},
		{"a", Fail, 1, 1, High},
		{"a", Fail, 2, 2, Critical},
		{IndexSync, Fail, 1, 1, Critical},
		{IndexSync, Warn, 1, 0, Watch},
		{IndexSync, Warn, 2, 0, High},
		{IndexSync, Pass, 0, 0, Normal},
	} {
		if got := escalate(tc.id, tc.latest, tc.risk, tc.fail); got != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}

func TestRemedyWords(t *testing.T) {
	for word, want := range map[string]Remedy{
		"applied": Applied, "Applied ": Applied, "success": Applied, "cooldown": Cooldown, "cooldown_active": Cooldown, "cooldown_active:7s": Cooldown, "cooldown_skipped": Cooldown,
		"skipped_cooldown": Cooldown, "error": Error, "auto_focus_error": Error, "failed": Error, "ignored": Ignored, "below_threshold": Ignored, "below_threshold_streak": Ignored,
		"not_triggered": Ignored, "not_applied": NotApplied, "not-applied": NotApplied, "notapplied": NotApplied, "": NotApplied, "x": NotApplied,
	} {
		if got := NormalRemedy(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}

func TestRemediesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var records []RemedyRecord
		for _, s := range rapid.SliceOf(rapid.SampledFrom(RemedyStatuses)).Draw(t, "statuses") {
			records = append(records, RemedyRecord{Status: s})
		}
		m := RemediesOf("c", records)
		sum := 0
		for _, n := range m.Counts {
			sum += n
		}
		risk := 0
		for _, r := range records {
			if r.Status.atRisk() {
				risk++
			}
		}
		if sum != len(records) || m.RiskPct != ratio(risk, len(records)) || m.RiskStreak > risk || m.ErrorStreak+m.CooldownStreak > m.RiskStreak || m.AppliedStreak > 0 && m.RiskStreak > 0 {
			t.Fatalf("%+v", m)
		}
		if (m.Trend == Insufficient) != (len(records) < 4) {
			t.Fatalf("%d records: %s", len(records), m.Trend)
		}
	})
	m := RemediesOf("c", []RemedyRecord{{Status: Applied}, {Status: Applied}, {Status: Error}, {Status: Cooldown}})
	if m.Trend != Improving || m.AppliedStreak != 2 || m.RiskPct != 50 {
		t.Errorf("%+v", m)
	}
}

// Whatever order the checks come in, the queue is the same, it is sorted, and no two items stand level.
func TestQueueOrderIsTotalAndStable(t *testing.T) {
	statuses := rapid.SliceOfN(rapid.SampledFrom([]Status{Pass, Warn, Fail, Unknown}), 1, 8)
	rapid.Check(t, func(t *rapid.T) {
		var checks []Watched
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(Definitions)-1), 1, 12, rapid.ID[int]).Draw(t, "checks") {
			w := Watched{ID: Definitions[i].ID, Past: past(statuses.Draw(t, "past")...)}
			var attempts []RemedyRecord
			for _, s := range rapid.SliceOfN(rapid.SampledFrom(RemedyStatuses), 0, 5).Draw(t, "attempts") {
				attempts = append(attempts, RemedyRecord{Status: s})
			}
			w.Remedies = RemediesOf(w.ID, attempts)
			checks = append(checks, w)
		}
		queue := Queue(checks, "x")
		shuffled := slices.Clone(checks)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if again := Queue(shuffled, "x"); !reflect.DeepEqual(queue, again) {
			t.Fatalf("in another order: %v\n%v", queue, again)
		}
		for i := range queue[1:] {
			if byQueue(queue[i], queue[i+1]) >= 0 {
				t.Fatalf("%+v does not come before %+v", queue[i], queue[i+1])
			}
			if queue[i].Priority > queue[i+1].Priority {
				t.Fatalf("%s before %s", queue[i].Priority, queue[i+1].Priority)
			}
		}
		for _, p := range Priorities {
			for _, q := range (Filter{Priority: p}).Keep(queue) {
				if q.Priority != p {
					t.Fatalf("%s among %s", q.Priority, p)
				}
			}
		}
	})
}

// healthy are signals of a school in full work with nothing wrong.
func healthy() Signals {
	return Signals{
		ConfiguredStoreBackend: "sqlite", StoreType: "sqlite", StoreWritable: true, StoreLatencyMs: 2, QueryBackendID: "h", QueryBackendRuntimeID: "h", QueryBackendRuntimeReady: true,
		QueryCount: 50, QuerySamples: 50, QueryEvidencePct: 100, QueryValidPct: 100, Notes: 3, IndexStatus: "ready", IndexAtoms: 3, SyncStatus: "ready",
		SyncRequests: 1, SyncSuccesses: 1, SyncAtoms: 3, SyncSignature: "s", Representation: "aligned", APIRequests: 100, APIP95Ms: 40, QualityStatus: "stable", PlanRecords: 3,
		PlanStatus: "improving", MemoryStatus: "healthy", MemoryTrendStatus: "stable", SessionActions: 20, MemoryPersisted: 10, MemoryPromoted: 5, MemoryPromotionsPct: 50, Documents: 3, StrategySessions: 10,
		StrategyRecords: 10, TrendCount: 5, TrendDeltaPct: 4, TutorAdapters: 1, TutorActive: 1, RoutingEnabled: true, RoutingMode: "auto", RoutingTimeoutMs: 15000, RoutingMinSamples: 3,
		RoutingMaxFailed: 35, RoutingMaxDowngraded: 55, RoutingMinConfidence: .55, TutorRequests: 20, Recent: TutorFigures{Calls: 20, Confidence: .9, Attempts: 1}, TutorProviders: 2, RoutingStrategy: adaptiveRouting,
	}
}

func TestEachCheckTurnsForItsFault(t *testing.T) {
	if m := Evaluate(healthy(), DefaultThresholds()); m.Status != "ready" || m.Signals.TopRiskStatus != None {
		t.Fatalf("a healthy school is %s: %+v", m.Status, m.topRisk())
	}
	turned := map[string]bool{}
	for _, tc := range []struct {
		id    string
		want  Status
		fault func(*Signals)
	}{
		{"store_health", Fail, func(s *Signals) { s.StoreWritable = false }},
		{"store_health", Warn, func(s *Signals) { s.StoreLatencyMs = 251 }},
		{"store_health", Fail, func(s *Signals) { s.StoreLatencyMs = 1001 }},
		{"store_health", Fail, func(s *Signals) { s.Unread = []string{"api"} }},
		{ClockHealth, Warn, func(s *Signals) { s.ClockJumpS = 60 }},
		{ClockHealth, Warn, func(s *Signals) { s.ClockJumpS = -60 }},
		{ClockHealth, Fail, func(s *Signals) { s.RecordsAheadS = 60 }},
		{"query_backend_runtime_health", Fail, func(s *Signals) { s.QueryBackendRuntimeReady = false }},
		{"query_vector_index_status", Warn, func(s *Signals) { s.IndexStatus = "stale" }},
		{"query_vector_index_status", Fail, func(s *Signals) { s.IndexStatus = "unavailable" }},
		{IndexSync, Fail, func(s *Signals) { s.SyncStatus = "unavailable" }},
		{IndexSync, Warn, func(s *Signals) { s.SyncStatus = "stale" }},
		{"query_vector_acceleration_representation_consistency", Fail, func(s *Signals) { s.Representation = "mismatch" }},
		{"query_fallback_ratio", Warn, func(s *Signals) { s.QueryFallbackRatioPct = 10.1 }},
		{"query_fallback_ratio", Fail, func(s *Signals) { s.QueryFallbackRatioPct = 20.1 }},
		{"query_evidence_coverage_ratio", Fail, func(s *Signals) { s.QueryEvidencePct = 74 }},
		{"query_temporal_validity_ratio", Warn, func(s *Signals) { s.QueryValidPct = 89 }},
		{"query_backend_last_error", Warn, func(s *Signals) { s.QueryBackendLastError = "full" }},
		{"api_invalid_request_ratio", Fail, func(s *Signals) { s.APIInvalid, s.APIInvalidOfAll = 61, 61 }},
		{"api_invalid_request_hotspots", Warn, func(s *Signals) { s.APIInvalidPaths = []string{"/a:3"} }},
		{"api_server_error_ratio", Fail, func(s *Signals) { s.APIServerPct = 16 }},
		{"api_server_error_hotspots", Fail, func(s *Signals) { s.APIServerPaths = []string{"/a:5"} }},
		{"api_transient_error_ratio", Warn, func(s *Signals) { s.APITransientPct = 9 }},
		{"api_transient_error_hotspots", Fail, func(s *Signals) { s.APITransientPaths = []string{"/a:6"} }},
		{"api_latency_p95", Warn, func(s *Signals) { s.APIP95Ms = 1201 }},
		{"api_latency_hotspots", Fail, func(s *Signals) { s.APISlowPaths = []string{"/a:3500"} }},
		{"quality_trend_direction", Fail, func(s *Signals) { s.QualityStatus = "regressing" }},
		{"session_plan_quality_gate", Warn, func(s *Signals) { s.PlanFailures = 1 }},
		{"session_plan_quality_gate", Fail, func(s *Signals) { s.PlanFailures = 2 }},
		{"session_plan_quality_trend", Fail, func(s *Signals) { s.PlanStatus = "regressing" }},
		{StrategyAlign, Fail, func(s *Signals) { s.TrendDeltaPct = -2.1 }},
		{StrategyAlign, Fail, func(s *Signals) { s.TrendNegativePct = 60 }},
		{StrategyAlign, Warn, func(s *Signals) { s.TrendDeltaPct = -.1 }},
		{"memory_policy_health", Fail, func(s *Signals) { s.MemoryStatus = "risk" }},
		{"memory_policy_trend", Fail, func(s *Signals) { s.MemoryTrendStatus = "regressing" }},
		{"session_memory_promotion_coverage", Warn, func(s *Signals) { s.MemoryPromotionsPct = 9 }},
		{"knowledge_staleness_health", Warn, func(s *Signals) { s.StaleDocuments, s.IndexStatus = 1, "stale" }},
		{"tutor_adapter_inventory", Warn, func(s *Signals) { s.TutorDown = true }},
		{"tutor_adapter_timeout_budget", Fail, func(s *Signals) { s.RoutingTimeoutMs = 200 }},
		{"tutor_provider_concentration", Fail, func(s *Signals) { s.Recent.Fallbacks, s.Recent.DominantFallbackPct = 5, 95 }},
		{"tutor_provider_trend_regression", Fail, func(s *Signals) { s.ProviderRegressing, s.ProviderTopConfidence = 1, .6 }},
		{"tutor_routing_health_budget", Fail, func(s *Signals) { s.Recent.FailedPct = 36 }},
		{"tutor_routing_health_budget", Warn, func(s *Signals) { s.Recent.DowngradedPct = 42 }},
		{"tutor_routing_health_budget", Fail, func(s *Signals) { s.Recent.DowngradedPct = 56 }},
		{"tutor_routing_traceability", Warn, func(s *Signals) { s.RoutingStrategy = "unknown" }},
		{DynamicMode, Warn, func(s *Signals) { s.RoutingMode, s.DynamicMode, s.DynamicActive = "cloud", "local", true }},
		{DynamicMode, Fail, func(s *Signals) {
			s.RoutingMode, s.DynamicMode, s.DynamicActive, s.Recent.FailedPct = "cloud", "local", true, 50
		}},
		{DynamicMode, Pass, func(s *Signals) { s.RoutingMode, s.DynamicMode, s.DynamicActive = "local", "local", true }},
	} {
		turned[tc.id] = true
		s := healthy()
		tc.fault(&s)
		m := Evaluate(s, DefaultThresholds())
		c := m.Check(tc.id)
		if c.Status != tc.want || c.Message == "" || c.Observed == "" {
			t.Errorf("%s is %s, want %s (%s)", tc.id, c.Status, tc.want, c.Observed)
		}
		if tc.want == Pass {
			continue
		}
		if len(c.Actions) == 0 || c.Expected == "" || c.Hint.PathPrefix == "" || m.Signals.TopRiskCheckID == "" {
			t.Errorf("%s does not say what to do: %+v", tc.id, c)
		}
		book := m.For(tc.id)
		if book.Source != "requested" || book.Selected.ID != tc.id || len(book.Targets) > mostTargets || book.Targets[len(book.Targets)-1] != matrixTarget {
			t.Errorf("the runbook of %s: %+v", tc.id, book)
		}
	}
	turned["knowledge_staleness_data"] = true // without notes nothing is wrong
	for _, d := range Definitions {
		if !turned[d.ID] || d.Sentence == "" || len(d.Targets) == 0 {
			t.Errorf("%s is not broken in this test, or does not explain itself", d.ID)
		}
	}
}

func TestRunbookSelection(t *testing.T) {
	well := Evaluate(healthy(), DefaultThresholds())
	if b := well.For(""); b.Source != "none" || b.Selected != nil || len(b.Targets) != 1 || b.Filter.StatusAtLeast != 0 {
		t.Errorf("%+v", b)
	}
	s := healthy()
	s.QualityStatus = "regressing"
	m := Evaluate(s, DefaultThresholds())
	for asked, source := range map[string]string{"": "top_risk", "nothing": "top_risk_fallback", "store_health": "requested"} {
		if b := m.For(asked); b.Source != source || b.TopRisk.ID != "quality_trend_direction" {
			t.Errorf("%q: %+v", asked, b)
		}
	}
}

func TestPriority(t *testing.T) {
	for _, tc := range []struct {
		c    Check
		want int
	}{
		{Check{ID: "a", Status: Pass}, 100},
		{Check{ID: "a", Status: Warn}, 200},
		{Check{ID: "a_ratio", Status: Fail}, 305},
		{Check{ID: "api_server_error_hotspots", Status: Fail, Observed: "hotspots=/a:7, /b:3"}, 367},
		{Check{ID: "api_invalid_request_hotspots", Status: Warn, Observed: "hotspots=/a:99"}, 275},
	} {
		if got := priority(tc.c); got != tc.want {
			t.Errorf("%+v: %d, want %d", tc.c, got, tc.want)
		}
	}
}

func TestTokens(t *testing.T) {
	if got := Token(" Tutor Routing/<x>_1:2-3 ", 16); got != "tutorroutingx_1:" {
		t.Errorf("%q", got)
	}
	if got := Cut(strings.Repeat("é", 3), 3); got != "é" {
		t.Errorf("%q", got)
	}
}
