package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/httpapi"
	"stoa/internal/platform/llm"
	"stoa/internal/platform/store"
)

// impatient are the bounds of a server that is asked while its database hangs.
func impatient(o *apitest.Options) {
	o.App = func(c *core.Config) { c.HealthPatience, c.WatchPatience = 300*time.Millisecond, 600*time.Millisecond }
	o.HTTP = func(c *httpapi.Config) { c.WatchPatience = time.Second }
}

// A program that holds the database: everything that looks at the service answers in time, says what is wrong, and the
// requests that failed meanwhile are on record afterwards.
func TestLockedStoreIsSeenAndOutlived(t *testing.T) {
	var o apitest.Options
	impatient(&o)
	apitest.Each(t, o, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Get(matrixPath).OK(t)
		s.Clock.Advance(2 * time.Minute) // the session's use is to be noted
		release := s.LockStore(t)
		within := func(most time.Duration, ask func()) {
			t.Helper()
			began := time.Now()
			ask()
			if took := time.Since(began); took > most {
				t.Errorf("it took %s, and %s is the most", took, most)
			}
		}
		for deadline := time.Now().Add(10 * time.Second); s.Nobody(t).Get("/api/health").Code() == "" && time.Now().Before(deadline); { // an answer may be a second old
		}
		within(5*time.Second, func() {
			want(t, ada.Get(matrixPath).OK(t), m{"data.incident.code": "store_locked", "data.incident.checkId": "store_health", "data.overallStatus": "blocked"})
		})
		within(2*time.Second, func() { s.Nobody(t).Get("/api/health").Want(t, 503, "service_unavailable") })
		within(5*time.Second, func() {
			ada.With("X-Request-Id", "lost-verify").Get(runbookPath+"/verify").Want(t, 503, "service_unavailable")
		})
		within(5*time.Second, func() { ada.Post("/api/knowledge/quality/snapshot", m{}).Want(t, 503, "service_unavailable") })
		within(5*time.Second, func() { ada.Get(runbookPath + "/history/checks").OK(t) })
		lost := ada.Get("/api/runtime-request-trace", "requestId", "lost-verify").OK(t)
		want(t, lost, m{"data.records.0.statusCode": 503, "data.summary.requestId": "lost-verify"})

		release()
		s.RestartWith(t, func(*apitest.Options) {}) // what was in memory is stored on the way
		ada = s.As(t, "ada")
		want(t, ada.Get("/api/runtime-request-trace", "requestId", "lost-verify").OK(t), m{"data.records.0.statusCode": 503, "data.summary.transientReturnedRequests": 1})
		r := ada.Get(matrixPath).OK(t)
		want(t, r, m{"data.signals.apiTraceWindowTransientErrors": 2, "data.signals.storeWritable": true})
		wantCheck(t, ada, "store_health", "pass")
		for range 8 { // enough to judge by
			ada.Get(matrixPath).OK(t)
		}
		if check := checkOf(t, ada, "api_transient_error_ratio"); check["status"] == "pass" || check["evidence"] != "some" {
			t.Errorf("two requests of a dozen were turned away: %v", check)
		}
	})
}

// answered works through a session in which every answer has one outcome; nothing was chosen by trend.
func answered(t *testing.T, c *apitest.Client, outcome string) {
	t.Helper()
	var actions []m
	outcomes := m{}
	for _, n := range []string{"sequences", "limits", "series"} {
		id := apitest.Atom("", n)
		actions = append(actions, m{"atomId": id, "kind": "quiz", "evidenceSpanIds": []string{"span"}})
		outcomes[id] = outcome
	}
	c.Post(executePath, m{"outcomesByAtomId": outcomes, "sessionPlan": m{
		"actions": actions, "summary": m{"pathStrategy": "balanced"}, "signals": m{"orchestration": m{"pathStrategySelectionSource": "explicit_request", "pathStrategySelectionReason": "test"}},
	}}).OK(t)
}

func modelAt(t *testing.T, url string) *llm.Model {
	t.Helper()
	model, err := llm.New(url+"/v1", "qwen3", "")
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// Each fault is made for real; the first sentence names it, at the matrix and at the first verification.
func TestTheFirstSentenceNamesTheFault(t *testing.T) {
	const note = "# Rows\n\nA row is a list of numbers.\n"
	ingest := func(t *testing.T, c *apitest.Client) {
		t.Helper()
		c.Post("/api/knowledge/ingest", m{"documents": []m{{"documentId": "rows", "sourcePath": "rows.md", "content": note}}}).OK(t)
	}
	ask := func(t *testing.T, c *apitest.Client, n int) {
		t.Helper()
		for range n {
			c.Post("/api/knowledge/query", m{"query": "limits"}).OK(t)
		}
	}
	tutor := func(t *testing.T, c *apitest.Client, n int) {
		t.Helper()
		for range n {
			c.Post(tutorPath, m{"atomId": apitest.Atom("", "limits"), "actionKind": "recap"}).OK(t)
		}
	}
	dead := func(id string) func(t *testing.T, o *apitest.Options) {
		return func(t *testing.T, o *apitest.Options) {
			t.Helper()
			o.TutorModels = []core.TutorModel{{ID: id, Provider: "qwen3", Mode: "local", Model: modelAt(t, "http://127.0.0.1:1")}}
		}
	}
	for _, f := range []struct {
		name, code string
		says       string // part of the sentence
		options    func(t *testing.T, o *apitest.Options)
		make       func(t *testing.T, s *apitest.Server, ada *apitest.Client)
	}{
		{"dead tutor", "tutor_unreachable", "Connection refused to 127.0.0.1:1 (tutor qwen3), 3 of 3 calls failed.", dead("local:qwen3"), func(t *testing.T, _ *apitest.Server, ada *apitest.Client) { tutor(t, ada, 3) }},
		{"dead tutor, called once", "tutor_unreachable", "1 of 1 calls failed.", dead("local:qwen3"), func(t *testing.T, _ *apitest.Server, ada *apitest.Client) { tutor(t, ada, 1) }},
		{"slow tutor", "tutor_slow", "No answer in time from 127.0.0.1:", func(t *testing.T, o *apitest.Options) {
			slow, model := startModel(t, "local")
			release := make(chan struct{})
			t.Cleanup(func() { close(release) })
			slow.set(func(string) (int, string) { <-release; return 200, "" })
			o.TutorModels = []core.TutorModel{model}
		}, func(t *testing.T, _ *apitest.Server, ada *apitest.Client) {
			ada.Post("/api/knowledge/session/orchestration/config", m{"tutorRoutingConfig": m{"adapterTimeoutMs": 300}}).OK(t)
			tutor(t, ada, 3)
		}},
		{"wrong model name", "tutor_refused", "knows no model small (status 404)", func(t *testing.T, o *apitest.Options) {
			server, model := startModel(t, "local")
			server.set(func(string) (int, string) { return http.StatusNotFound, "" })
			o.TutorModels = []core.TutorModel{model}
		}, func(t *testing.T, _ *apitest.Server, ada *apitest.Client) { tutor(t, ada, 3) }},
		{"dead embedder", "embedder_failing", "Connection refused to 127.0.0.1:1 (embedder qwen3), 3 of 3 questions", func(t *testing.T, o *apitest.Options) {
			o.Embedder = core.Embedder{Model: modelAt(t, "http://127.0.0.1:1"), Dims: 3}
		}, func(t *testing.T, _ *apitest.Server, ada *apitest.Client) { ask(t, ada, 3) }},
		{"full index", "index_full", "The index over notes is full", func(_ *testing.T, o *apitest.Options) { o.MaxIndexedAtoms = 1 }, func(t *testing.T, _ *apitest.Server, ada *apitest.Client) { ingest(t, ada) }},
		{"stale index", "index_behind", "is behind", nil, func(t *testing.T, s *apitest.Server, ada *apitest.Client) {
			ask(t, ada, 1)
			ingest(t, s.Node(t).As(t, "ada")) // another node takes the notes in
		}},
		{"full disk", "store_full", "disk of the database is full", func(_ *testing.T, o *apitest.Options) { impatient(o) }, func(t *testing.T, s *apitest.Server, ada *apitest.Client) {
			if err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Querier().ExecContext(t.Context(), "PRAGMA max_page_count = 1") // as it is now, and no further
				return err
			}); err != nil {
				t.Fatal(err)
			}
			for range 300 {
				ada.Get("/api/runtime-request-trace", "limit", "1", "pathPrefix", "/"+strings.Repeat("x", 100))
				if strings.Contains(string(ada.Get(matrixPath).OK(t).Body), "store_full") {
					return
				}
			}
		}},
		{"bad sessions", "answers_worse", "Answers have got worse", nil, func(t *testing.T, s *apitest.Server, ada *apitest.Client) {
			for i := range 14 {
				s.Clock.Advance(time.Hour)
				answered(t, ada, map[bool]string{true: "correct", false: "incorrect"}[i < 8])
			}
		}},
		{"regressing strategy", "strategy_regressing", "chosen by trend bring -", nil, func(t *testing.T, s *apitest.Server, ada *apitest.Client) {
			for range 3 {
				study(t, ada, "", "incorrect")
				s.Clock.Advance(time.Minute)
			}
		}},
		{"clock forward", "clock_forward", "jumped forward by 1h30m", steady, func(_ *testing.T, s *apitest.Server, _ *apitest.Client) { s.Clock.Advance(90 * time.Minute) }},
		{"clock back", "clock_back", "set back", steady, func(t *testing.T, s *apitest.Server, ada *apitest.Client) {
			ada.Get(matrixPath).OK(t)
			s.Clock.Advance(-90 * time.Minute)
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			var o apitest.Options
			if f.options != nil {
				f.options(t, &o)
			}
			s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, o)
			ada := s.As(t, "ada")
			ada.Get(matrixPath).OK(t)
			f.make(t, s, ada)
			r := ada.Get(matrixPath).OK(t)
			want(t, r, m{"data.incident.code": f.code})
			if sentence := r.Str("data.incident.sentence"); !strings.Contains(sentence, f.says) {
				t.Errorf("the sentence is %q", sentence)
			}
			if r.Len("data.incident.steps") == 0 {
				t.Error("it does not say what to do")
			}
			t.Logf("| %s | %s | %s |", f.name, f.code, r.Str("data.incident.sentence"))
			if f.code != "store_full" { // a verification has to be kept
				want(t, verify(t, ada, r.Str("data.incident.checkId")), m{"data.incident.code": f.code})
			}
		})
	}
	t.Run("slow store", func(t *testing.T) {
		s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
		ada := s.As(t, "ada")
		s.HoldStore(t, 600*time.Millisecond, func() { want(t, ada.Get(matrixPath).OK(t), m{"data.incident.code": "store_slow"}) })
	})
}

// steady gives the server a monotonic clock that does not move with the time of day.
func steady(_ *testing.T, o *apitest.Options) {
	o.App = func(c *core.Config) { c.Monotonic = func() time.Duration { return 0 } }
}

// Other members' questions are nobody's business, and a restart forgets none.
func TestQuestionsAreTheMembersOwn(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		for range 6 {
			ada.Post("/api/knowledge/query", m{"query": "limits", "asOf": "1999-01-01"}).OK(t)
		}
		want(t, ada.Get(matrixPath).OK(t), m{"data.signals.queryCount": 6})
		wantCheck(t, ada, "query_temporal_validity_ratio", "fail")
		want(t, bob.Get(matrixPath).OK(t), m{"data.signals.queryCount": 0, "data.signals.topRiskStatus": "none"})
		want(t, bob.Post("/api/knowledge/quality/snapshot", m{}).OK(t), m{"data.snapshot.queryEvidenceCoverageRatioPct": 0, "data.snapshot.queryP95Ms": 0})

		s.Restart(t)
		want(t, ada.Get(matrixPath).OK(t), m{"data.signals.queryCount": 6})
		evidence := ada.Post("/api/knowledge/quality/snapshot", m{}).OK(t)
		want(t, evidence, m{"data.snapshot.queryEvidenceCoverageRatioPct": 100})

		// What was fixed is forgotten: the newest questions count, and none of more than a day ago.
		for range 60 {
			ada.Post("/api/knowledge/query", m{"query": "limits"}).OK(t)
		}
		wantCheck(t, ada, "query_temporal_validity_ratio", "pass")
		s.Clock.Advance(25 * time.Hour)
		ada = s.As(t, "ada")
		want(t, ada.Get(matrixPath).OK(t), m{"data.signals.queryCount": 0})
	})
}

// A model that fails has nothing that it rests on, so that the share of replies with evidence can fall.
func TestFailedRepliesHaveNoEvidence(t *testing.T) {
	local, model := startModel(t, "local")
	local.set(failing)
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{TutorModels: []core.TutorModel{model}})
	ada := s.As(t, "ada")
	r := ada.Post(tutorPath, m{"atomId": apitest.Atom("", "limits"), "actionKind": "recap"}).OK(t)
	if r.Len("data.trace.evidenceSpanIds") != 0 || r.Len("data.evidenceSpans") == 0 {
		t.Errorf("the trace rests on %v", r.At("data.trace.evidenceSpanIds"))
	}
	want(t, ada.Post("/api/knowledge/quality/snapshot", m{}).OK(t), m{"data.snapshot.evidenceBackedSuggestionRatioPct": 0})
	ada.Post("/api/knowledge/quality/baseline", m{}).OK(t)
	for _, gate := range ada.Post("/api/knowledge/quality/baseline/evaluate", m{}).OK(t).At("data.evaluation.gates").([]any) {
		if g := gate.(map[string]any); g["gateId"] == "evidence_ratio" && g["passed"] != false {
			t.Errorf("%v", g)
		}
	}
}

func TestABaselineBelongsToSomebody(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada, path := s.As(t, "ada"), "/api/knowledge/quality/baseline"
	ada.Get(path).OK(t)
	for _, route := range []string{path, path + "/clear", path + "/evaluate"} {
		ada.Post(route, m{"userId": ""}).Want(t, 422, "learning_quality_baseline_user_id_required")
	}
	ada.Post(path, m{}).OK(t)
}

// Another check under a used request id is another verification; the same one is kept once.
func TestVerifyIsKeptOnceForEachRequestAndCheck(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada").With("X-Request-Id", "same")
	first := verify(t, ada, "store_health")
	want(t, verify(t, ada, "store_health"), m{"data.recordId": first.At("data.recordId"), "data.idempotent_replay": true})
	if other := verify(t, ada, "clock_health"); other.At("data.recordId") == first.At("data.recordId") || other.At("data.idempotent_replay") != nil {
		t.Error("the verification of another check is taken for the first")
	}
	ada.Post(runbookPath+"/remediation-event", m{"status": "applied", "checkId": "api_latency_p95"}).OK(t)
	want(t, s.As(t, "ada").Get(runbookPath+"/history/checks").OK(t), m{"data.summary.remediationChecksWithEvents": 1, "data.summary.totalRecords": 2})
}
