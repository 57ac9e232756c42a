package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/llm"
)

// modelServer is a server with OpenAI's interface that does as it is told.
type modelServer struct {
	*httptest.Server
	mu    sync.Mutex
	says  func(material string) (status int, content string)
	asked []string
}

func (s *modelServer) set(says func(string) (int, string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.says = says
}

func (s *modelServer) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

func startModel(t *testing.T, mode string) (*modelServer, core.TutorModel) {
	t.Helper()
	s := &modelServer{says: soundly}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 2 {
			http.Error(w, "what?", 400)
			return
		}
		s.mu.Lock()
		says := s.says
		s.asked = append(s.asked, body.Messages[1].Content)
		s.mu.Unlock()
		status, content := says(body.Messages[1].Content)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(m{"choices": []m{{"message": m{"role": "assistant", "content": content}}}})
	}))
	t.Cleanup(s.Close)
	model, err := llm.New(s.URL+"/v1", "small", "sk-key")
	if err != nil {
		t.Fatal(err)
	}
	return s, core.TutorModel{ID: mode + ":small", Provider: mode + "-host/small", Mode: mode, Model: model}
}

// soundly answers with the passages it was given.
func soundly(material string) (int, string) {
	var got struct{ Passages []struct{ ID string } }
	if err := json.Unmarshal([]byte(material), &got); err != nil || len(got.Passages) == 0 {
		return 400, ""
	}
	text, _ := json.Marshal(m{"message": "As your note says.", "confidence": .9, "evidence": []string{got.Passages[0].ID}, "outcome": "partial", "errorTag": "reasoning_jump"})
	return 200, string(text)
}

func failing(string) (int, string) { return 500, "at /home/model: sk-key" }

const tutorPath = "/api/knowledge/tutor/action"

func TestModelsReplyUnderTheGate(t *testing.T) {
	local, model := startModel(t, "local")
	apitest.Each(t, apitest.Options{TutorModels: []core.TutorModel{model}}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		atom := apitest.Atom("", "limits")
		local.set(soundly)
		r := ada.Post(tutorPath, m{"atomId": atom, "answer": "Something gets near."}).OK(t)
		want(t, r, m{
			"data.message": "As your note says.", "data.trace.source": "llm-adapter", "data.trace.adapterId": "local:small", "data.trace.providerName": "local-host/small",
			"data.trace.providerMode": "local", "data.trace.verificationStatus": "verified", "data.trace.providerAttemptCount": 1, "data.answerAnalysis.outcome": "partial",
			"data.answerAnalysis.errorTag": "reasoning_jump", "data.trace.adapterRoutingDynamicPreferredMode": "auto",
		})
		// Without a passage of the notes it is the rule engine that speaks.
		local.set(func(string) (int, string) {
			return 200, `{"message":"Trust me.","confidence":1,"evidence":["made up"]}`
		})
		r = ada.Post(tutorPath, m{"atomId": atom, "actionKind": "recap"}).OK(t)
		want(t, r, m{"data.trace.verificationStatus": "pending_verification", "data.trace.fallbackUsed": true, "data.trace.verificationReason": "no_bound_evidence", "data.trace.source": "llm-adapter"})
		if strings.Contains(fmt.Sprint(r.At("data.message")), "Trust me") {
			t.Error("what was not accepted is shown")
		}
		local.set(failing)
		r = ada.Post(tutorPath, m{"atomId": atom, "actionKind": "recap"}).OK(t)
		want(t, r, m{"data.trace.failed": true, "data.trace.confidence": .2, "data.trace.errorMessage": strings.TrimPrefix(local.URL, "http://") + " answered with status 500"})
		if text := fmt.Sprint(r.At("data")); strings.Contains(text, "sk-key") || strings.Contains(text, "/home") {
			t.Errorf("the reply tells what the server said: %s", text)
		}
		traces := "/api/knowledge/tutor/trace-diagnostics"
		for outcome, n := range map[string]int{"accepted": 1, "downgraded": 1, "failed": 1} {
			want(t, ada.Get(traces, "source", "llm-adapter", "adapterOutcome", outcome).OK(t), m{"data.summary.matchedTraces": n})
		}
		want(t, ada.Get("/api/knowledge/tutor/telemetry").OK(t), m{"data.summary.totalRequests": 3, "data.summary.failedResponses": 1, "data.adapters.1.adapterId": "local:small", "data.adapters.1.acceptedResponses": 1})

		// In a session the replies come before the transaction, and an answer that is judged counts.
		local.set(soundly)
		before := local.count()
		done := ada.Post(executePath, m{"answersByAtomId": m{atom: "Something gets near."}, "sessionPlan": m{
			"actions": []m{{"atomId": atom, "kind": "quiz", "evidenceSpanIds": []string{"span"}}}, "summary": m{}, "signals": m{},
		}}).OK(t)
		want(t, done, m{"data.items.0.result.trace.masterySource": "inferred", "data.items.0.result.trace.effectiveOutcome": "partial", "data.items.0.result.tutor.trace.source": "llm-adapter"})
		if n := local.count() - before; n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

// A side that fails turns the checks; the other one takes over, and the checks come back when it is repaired.
func TestFailingModelTurnsItsChecks(t *testing.T) {
	local, near := startModel(t, "local")
	cloud, far := startModel(t, "cloud")
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{TutorModels: []core.TutorModel{near, far}})
	ada := s.As(t, "ada")
	atom := apitest.Atom("", "limits")
	ask := func(n int) (last *apitest.Reply) {
		t.Helper()
		for range n {
			last = ada.Post(tutorPath, m{"atomId": atom, "actionKind": "recap"}).OK(t)
		}
		return last
	}
	config := "/api/knowledge/session/orchestration/config"
	ada.Post(config, m{"tutorRoutingConfig": m{"preferredMode": "local"}}).OK(t)
	ask(4)
	if n := cloud.count(); n != 0 {
		t.Fatalf("the cloud was asked %d times by a learner who keeps to the local side", n)
	}
	wantCheck(t, ada, "tutor_routing_health_budget", "pass")

	ada.Post(config, m{"tutorRoutingConfig": m{"preferredMode": "auto"}}).OK(t)
	ask(6) // both are known now
	local.set(failing)
	last := ask(4)
	want(t, last, m{"data.trace.providerMode": "cloud", "data.trace.verificationStatus": "verified"})
	ada.Post(config, m{"tutorRoutingConfig": m{"preferredMode": "local"}}).OK(t)
	ask(12)
	wantCheck(t, ada, "tutor_routing_health_budget", "fail")
	wantCheck(t, ada, runbook.DynamicMode, "fail")
	want(t, ada.Get(matrixPath).OK(t), m{"data.signals.tutorRoutingDynamicPreferredMode": "cloud", "data.signals.tutorLastRoutingStrategy": "adaptive_health_routing"})

	ada.Post(config, m{"tutorRoutingConfig": m{"preferredMode": "auto"}}).OK(t)
	wantCheck(t, ada, runbook.DynamicMode, "pass")
	local.set(soundly)
	ask(60)
	wantCheck(t, ada, "tutor_routing_health_budget", "pass")
}

// One that does not answer in the learner's time is left, and the rule engine replies.
func TestSlowModelIsLeft(t *testing.T) {
	slow, model := startModel(t, "local")
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	slow.set(func(string) (int, string) { <-release; return 200, "" })
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{TutorModels: []core.TutorModel{model}})
	ada := s.As(t, "ada")
	ada.Post("/api/knowledge/session/orchestration/config", m{"tutorRoutingConfig": m{"adapterTimeoutMs": 300}}).OK(t)
	r := ada.Post(tutorPath, m{"atomId": apitest.Atom("", "limits"), "actionKind": "recap"}).OK(t)
	want(t, r, m{"data.trace.failed": true, "data.trace.errorMessage": "no answer in time from " + strings.TrimPrefix(slow.URL, "http://"), "data.trace.errorCode": "timeout", "data.trace.source": "llm-adapter"})
	if text := fmt.Sprint(r.At("data.message")); len(text) < 10 {
		t.Errorf("the rule engine said %q", text)
	}
}
