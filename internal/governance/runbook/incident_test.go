package runbook

import (
	"slices"
	"strings"
	"testing"
)

// Without samples nothing is known: such a check never passes, is no risk, and is told as that.
func TestNothingSeenIsNoRisk(t *testing.T) {
	for id, empty := range map[string]func(*Signals){
		"query_fallback_ratio":              func(s *Signals) { s.QueryCount = 4 },
		"query_evidence_coverage_ratio":     func(s *Signals) { s.QuerySamples = 0 },
		"query_backend_last_error":          func(s *Signals) { s.QueryCount, s.SyncRequests = 0, 0 },
		IndexSync:                           func(s *Signals) { s.SyncStatus = "unknown" },
		"query_vector_index_status":         func(s *Signals) { s.Notes = 0 },
		"api_server_error_hotspots":         func(s *Signals) { s.APIRequests = 0 },
		"api_latency_hotspots":              func(s *Signals) { s.APIWarmUp = s.APIRequests },
		"api_latency_p95":                   func(s *Signals) { s.APIWarmUp, s.APIP95Ms = 95, 9000 },
		"quality_trend_direction":           func(s *Signals) { s.QualityStatus = insufficientData },
		"session_plan_quality_gate":         func(s *Signals) { s.PlanRecords = 0 },
		StrategyAlign:                       func(s *Signals) { s.TrendCount, s.TrendDeltaPct = 2, -50 },
		"memory_policy_health":              func(s *Signals) { s.MemoryStatus = insufficientData },
		"session_memory_promotion_coverage": func(s *Signals) { s.MemoryPersisted = 0 },
		"knowledge_staleness_data":          func(s *Signals) { s.Documents = 0 },
		"knowledge_staleness_health":        func(s *Signals) { s.IndexStatus = "unknown" },
		"tutor_adapter_inventory":           func(s *Signals) { s.TutorRequests, s.TutorModels = 0, 1 },
		"tutor_provider_concentration":      func(s *Signals) { s.TutorProviders, s.Recent.Fallbacks, s.Recent.DominantFallbackPct = 1, 9, 100 },
		"tutor_routing_health_budget":       func(s *Signals) { s.TutorRequests, s.Recent.FailedPct = 2, 100 },
		DynamicMode:                         func(s *Signals) { s.TutorRequests = 0 },
		"api_invalid_request_ratio":         func(s *Signals) { s.Unread = []string{string(PartAPI)} },
		"tutor_routing_traceability":        func(s *Signals) { s.Unread = []string{string(PartTutor)} },
		"query_backend_runtime_health":      func(s *Signals) { s.Unread = []string{string(PartSearch)} },
		"session_plan_quality_trend":        func(s *Signals) { s.Unread = []string{string(PartLearning)} },
		"api_transient_error_ratio":         func(s *Signals) { s.APIRequests = 9 },
		"tutor_provider_trend_regression":   func(s *Signals) { s.TutorRequests, s.TutorProviders = 0, 0 },
	} {
		s := healthy()
		empty(&s)
		m := Evaluate(s, DefaultThresholds())
		c := m.Check(id)
		if c.Status != Warn || c.Evidence != Unseen || c.atRisk() || c.Known() != Unknown || len(c.Actions) > 0 || c.Priority >= 200 {
			t.Errorf("%s: %+v", id, c)
		}
		if top := m.topRisk(); top != nil && top.ID == id || m.Incident != nil && m.Incident.CheckID == id {
			t.Errorf("%s is told as a risk", id)
		}
	}
	w := Watched{ID: StrategyAlign, Past: past(Unknown, Unknown, Unknown)}
	if w.Escalation() != Normal || AlignmentOf(w.ID, w.Past).Persistent {
		t.Errorf("three verifications of nothing escalate: %s", w.Escalation())
	}
	for _, q := range Queue([]Watched{w}, "") {
		if q.Priority == "p0" {
			t.Errorf("%+v", q)
		}
	}
}

func TestIncidents(t *testing.T) {
	refused := TutorFault{Provider: "local/qwen3", Code: "unreachable", Error: "connection refused to 127.0.0.1:11434", Failed: 21, Calls: 21}
	for _, tc := range []struct {
		name, code, sentence string
		fault                func(*Signals)
	}{
		{"full disk", "store_full", "The disk of the database is full: nothing can be stored.", func(s *Signals) { s.StoreWritable, s.StoreWhy = false, "full" }},
		{"lock", "store_locked", "The database is locked: a write waited 1000 ms and got no turn.", func(s *Signals) { s.StoreWritable, s.StoreWhy, s.StoreWaitedMs = false, "locked", 1000 }},
		{"slow", "store_slow", "The database is slow: a write took 412 ms, and 250 ms is the limit.", func(s *Signals) { s.StoreLatencyMs = 412 }},
		{"a lock comes before what it makes slow", "store_locked", "The database is locked: a write waited 9 ms and got no turn.", func(s *Signals) {
			s.StoreWritable, s.StoreWhy, s.StoreWaitedMs, s.APISlowPaths, s.APIServerPct = false, "locked", 9, []string{"/a:9000"}, 50
		}},
		{"clock forward", "clock_forward", "The server's clock jumped forward by 2h0m.", func(s *Signals) { s.ClockJumpS = 7200 }},
		{"clock back", "clock_back", "The server's clock was set back: the newest record is 3d4h in the future.", func(s *Signals) { s.RecordsAheadS = 76 * 3600 }},
		{"embedder", "embedder_failing", "Connection refused to 127.0.0.1:1 (embedder nomic), 5 of 6 questions answered by keywords alone.", func(s *Signals) {
			s.SyncStatus, s.AccelError, s.AccelAdapter, s.EmbeddingModel, s.QueryCount, s.QueryFallbackCount = "unavailable", "connection refused to 127.0.0.1:1", "external:nomic", "nomic", 6, 5
		}},
		{"full index", "index_full", "The index over notes is full: 3 atoms are to be indexed for you and the limit of all is 1.", func(s *Signals) { s.SyncStatus, s.IndexFull, s.IndexLimit = "unavailable", true, 1 }},
		{"stale index", "index_behind", "The index over notes is behind: 1 of 3 notes are not in it as they are now.", func(s *Signals) { s.SyncStatus, s.IndexStatus, s.StaleDocuments = "stale", "stale", 1 }},
		{"dead tutor", "tutor_unreachable", "Connection refused to 127.0.0.1:11434 (tutor local/qwen3), 21 of 21 calls failed.", func(s *Signals) { s.TutorDown, s.Failing = true, refused }},
		{"wrong model", "tutor_refused", "H knows no model q (status 404) (tutor local/q), 3 of 3 calls failed.", func(s *Signals) {
			s.Recent.FailedPct, s.Failing = 100, TutorFault{"local/q", "refused", "h knows no model q (status 404)", 3, 3}
		}},
		{"tutor out of time", "tutor_slow", "No answer in time from h (tutor local/q), 3 of 4 calls failed.", func(s *Signals) {
			s.Recent.FailedPct, s.Failing = 75, TutorFault{"local/q", "timeout", "no answer in time from h", 3, 4}
		}},
		{"slow tutor", "tutor_slow", "Tutor local/q takes 4.2 s to answer.", func(s *Signals) {
			s.APISlowPaths, s.Recent.SlowestMs, s.Recent.SlowestProvider = []string{"/api/knowledge/tutor/action:4300"}, 4200, "local/q"
		}},
		{"a tutor that makes things up", "tutor_unsound", "What tutor q says is not accepted: no_bound_evidence, 9 of 9 calls.", func(s *Signals) {
			s.Recent.DowngradedPct, s.Failing = 100, TutorFault{"q", "downgraded", "no_bound_evidence", 9, 9}
		}},
		{"a tutor that answers again", "tutor_recovering", "The newest call of the tutor went well again after others had failed; 3 in a row are enough to be sure.", func(s *Signals) { s.Recent.FailedPct = 90 }},
		{"strategy", "strategy_regressing", "Sessions whose strategy was chosen by trend bring -6.3 points of mastery on average, and 75 % of 4 lose some.", func(s *Signals) {
			s.TrendDeltaPct, s.TrendNegativePct, s.TrendCount = -6.3, 75, 4
		}},
		{"bad sessions", "answers_worse", "Answers have got worse: lately 10 % are right, 85 % were usual.", func(s *Signals) { s.QualityStatus, s.QualityRecentRight, s.QualityUsualRight = "regressing", 10, 85 }},
		{"server errors", "server_errors", "/a failed 7 times in the last hour.", func(s *Signals) { s.APIServerPct, s.APIServerPaths = 20, []string{"/a:7"} }},
		{"a slow route", "slow_route", "/a takes 3.7 s.", func(s *Signals) { s.APISlowPaths = []string{"/a:3700"} }},
		{"anything else", "check", "The last plan did not pass.", func(s *Signals) { s.PlanFailures = 1 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := healthy()
			tc.fault(&s)
			m := Evaluate(s, DefaultThresholds())
			x := m.Incident
			if x == nil || x.Code != tc.code || x.Sentence != tc.sentence || len(x.Steps) == 0 {
				t.Fatalf("%+v", x)
			}
			if !m.Check(x.CheckID).atRisk() || slices.Contains(x.Also, x.CheckID) {
				t.Errorf("it is told by %s, which has not turned", x.CheckID)
			}
			for _, value := range x.Params {
				if !strings.Contains(strings.ToLower(x.Sentence), strings.ToLower(value)) && tc.name != "slow tutor" {
					t.Errorf("%q is not in the sentence", value)
				}
			}
		})
	}
	if m := Evaluate(healthy(), DefaultThresholds()); m.Incident != nil {
		t.Errorf("nothing is wrong: %+v", m.Incident)
	}
}

// Every item may be asked for, whatever stands before it; each tells what to do about its own check.
func TestQueueHoldsEverything(t *testing.T) {
	var checks []Watched
	for _, d := range Definitions {
		checks = append(checks, Watched{ID: d.ID, Past: past(Warn, Warn, Warn)})
	}
	queue := Queue(checks, "")
	if want := actionsPerCheck * len(Definitions); len(queue) != want {
		t.Fatalf("%d items of %d checks, want %d", len(queue), len(checks), want)
	}
	for _, d := range Definitions {
		own := Filter{CheckID: d.ID}.Keep(queue)
		if len(own) != actionsPerCheck {
			t.Errorf("%d items of %s", len(own), d.ID)
		}
		if !strings.Contains(own[0].Instruction, d.Actions[0]) {
			t.Errorf("the first thing to do about %s is %q", d.ID, own[0].Instruction)
		}
		for _, q := range own {
			if !strings.HasPrefix(q.Endpoint, "/api/") || q.Method != "GET" && q.Method != "POST" {
				t.Errorf("%s points at %q by %q", q.ID, q.Endpoint, q.Method)
			}
		}
	}
	if of := OfChecks(queue, 2); len(of) != 2*actionsPerCheck || of[0] != queue[0] {
		t.Errorf("%d items of two checks", len(of))
	}
}
