package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

const quizzes = `# Quizzes

::capital:: The capital of Portugal is {=Lisbon ~Porto ~Faro}

::pairs:: Match the countries {=France -> Paris =Spain -> Madrid =Italy -> Rome}

::pi:: How much is pi? {#3.14:0.01}

::true:: The earth is round. {T}
`

// Questions of every kind, some of them put aside or flagged, are listed and asked as they are.
func TestEveryFieldOfQuestionsMoves(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	ada.Post(ingestPath, m{"documents": []m{{"documentId": "quiz", "sourcePath": "quiz.md", "content": quizzes}}}).OK(t)
	atom, questions := apitest.Atom("ada", "quiz"), "/api/knowledge/questions"
	r := ada.Get(questions, "atomId", atom).OK(t)
	byKind := map[string]string{}
	for i := range r.Len("data.items") {
		at := fmt.Sprintf("data.items.%d.", i)
		byKind[r.Str(at+"kind")] = r.Str(at + "questionId")
		if r.Str(at+"kind") == "choice" && r.Len(at+"choices") != 3 || r.Str(at+"kind") == "match" && r.Len(at+"left") != 3 {
			t.Errorf("%v", r.At(fmt.Sprintf("data.items.%d", i)))
		}
	}
	flag := 0
	for kind, id := range byKind {
		flag++
		ada.Post("/api/knowledge/questions", m{"questionId": id, "atomId": atom, "flag": flag}).OK(t)
		answer := ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": atom, "questionId": id}}).OK(t)
		if got := answer.Str("data.tutor.question.kind"); got != kind {
			t.Errorf("%s was asked as %s", kind, got)
		}
		want(t, answer, m{"data.tutor.question.flag": flag})
	}
	ada.Post("/api/knowledge/questions", m{"questionId": byKind["choice"], "atomId": atom, "state": "suspended"}).OK(t)
	if ada.Get(questions, "atomId", atom).OK(t).Len("data.items") == 0 {
		t.Error("nothing is left")
	}
	edited := map[string]string{}
	for _, answer := range []string{"4", "6"} {
		id := ada.Post(questions, m{"atomId": atom, "prompt": "Half of it and half again: " + answer, "accepted": []string{answer}}).OK(t).Str("data.questionId")
		ada.Post(questions, m{"questionId": id, "prompt": "Asked otherwise: " + answer, "accepted": []string{answer, answer + ".0"}}).OK(t)
		edited[answer] = id
		want(t, ada.Get("/api/knowledge/questions/versions", "questionId", id).OK(t), m{"data.items.0.expected": answer})
	}
	tells(t, ada, "/api/knowledge/questions/versions", "questionId", edited["4"], edited["6"])
	var long strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&long, "Number %d follows number %d, as %x tells whoever counts.\n\n", i+1, i, i*7919)
	}
	ada.Post(ingestPath, m{"documents": []m{{"documentId": "long", "sourcePath": "long.md", "content": "# Long\n\n" + long.String()}}}).OK(t)
	want(t, ada.Get("/api/knowledge/document", "documentId", "long").OK(t), m{"data.truncated": true})
	ada.Post(ingestPath, m{"documents": []m{{"documentId": "moc", "sourcePath": "MOC.md", "content": "#MOC\n- [[quiz]]\n- [[long]]\n"}}}).OK(t)
	if moc := ada.Get("/api/knowledge/document", "documentId", "moc").OK(t); !strings.Contains(moc.Str("data.text"), "quiz") {
		t.Errorf("a list of links reads %q", moc.Str("data.text"))
	}
	want(t, ada.Get("/api/knowledge/document", "documentId", "quiz").OK(t), m{"data.truncated": false})
}

// What has got worse and better in the runbook, and requests that failed and went well again.
func TestEveryFigureOfTheRunbookMoves(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	fail := func(n int, code string, status int) {
		at := clock.Micros(s.Clock.Now())
		for range n {
			s.App.Trace(store.TraceRecord{UserID: "ada", RequestID: "x", Method: "POST", Path: "/api/knowledge/session/plan", Status: status, ErrorCode: code, DurationUS: 4e6, StartedAt: at, FinishedAt: at})
		}
	}
	look := func() *apitest.Reply {
		t.Helper()
		for range 4 {
			s.Clock.Advance(time.Minute)
			verify(t, ada, "store_health")
			verify(t, ada, runbook.IndexSync) // it is not known how it is: nobody has asked yet
		}
		return ada.Get(runbookPath+"/history", "checkId", "store_health", "sinceMinutes", "0").OK(t)
	}
	look()
	fail(6, "service_unavailable", 503)
	want(t, look(), m{"data.summary.previousAverageErrorRatioPct": 0, "data.summary.recentAverageErrorRatioPct": 100})
	if later := look(); later.Int("data.summary.previousAverageErrorRatioPct") == 0 || later.Int("data.summary.previousAverageP95DurationMs") == 0 {
		t.Errorf("%v", later.At("data.summary"))
	}
	for i, status := range []string{"not_applied", "failed", "failed", "applied", "applied", "applied"} {
		s.Clock.Advance(time.Second)
		ada.Post(runbookPath+"/remediation-event", m{"status": status, "checkId": "store_health", "failureCount": i}).OK(t)
	}
	for range 6 {
		s.Clock.Advance(time.Second)
		ada.Post(runbookPath+"/remediation-event", m{"status": "failed", "checkId": runbook.IndexSync}).OK(t)
	}
	checks := ada.Get(runbookPath + "/history/checks").OK(t)
	want(t, checks, m{"data.summary.remediationChecksImproving": 1, "data.summary.remediationChecksStable": 1})
	if checks.Int("data.summary.stableChecks") < 1 {
		t.Errorf("%v", checks.At("data.summary"))
	}
	want(t, ada.Get(runbookPath+"/history/remediation-events").OK(t), m{"data.summary.statusCounts.not_applied": 1})
	tells(t, ada, "/api/runtime-request-trace", "method", "GET", "POST")
	tells(t, ada, runbookPath+"/history", "limit", "1", "200", "sinceMinutes", "0")
}

// Requests that are slower than they should be are a warning, which is counted.
func TestWarningsAreCounted(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	at := clock.Micros(s.Clock.Now())
	for range 40 {
		s.App.Trace(store.TraceRecord{UserID: "ada", RequestID: "x", Method: "POST", Path: "/api/knowledge/session/plan", Status: 200, DurationUS: 15e5, StartedAt: at, FinishedAt: at})
	}
	s.Clock.Advance(time.Minute)
	want(t, verify(t, ada, "api_latency_p95"), m{"data.selectedCheckStatus": "warn"})
	checks := ada.Get(runbookPath + "/history/checks").OK(t)
	want(t, checks, m{"data.checks.0.checkId": "api_latency_p95", "data.checks.0.statusCounts.warn": 1})
}

// A store that does not answer in time leaves parts of the matrix unread, which are named.
func TestPartsThatCannotBeReadAreNamed(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{App: func(c *core.Config) { c.WatchPatience = time.Nanosecond }})
	if r := s.As(t, "ada").Get(matrixPath).OK(t); r.Len("data.signals.unreadParts") == 0 {
		t.Errorf("%v", r.At("data.signals.unreadParts"))
	}
}

// What the calls of models cost at the operator's price, and when the day ends.
func TestEveryFigureOfQuotasMoves(t *testing.T) {
	_, model := startModel(t, "local")
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{TutorModels: []core.TutorModel{model}, App: func(c *core.Config) { c.ModelCallPrice = .25 }})
	ada := s.As(t, "ada")
	first := ada.Get("/api/member/quotas").OK(t)
	for range 2 {
		ada.Post(tutorPath, m{"atomId": apitest.Atom("", "limits"), "actionKind": "recap"}).OK(t)
		ada.Get("/api/member/quotas").OK(t)
	}
	s.Clock.Advance(24 * time.Hour)
	if later := s.As(t, "ada").Get("/api/member/quotas").OK(t); later.Str("data.resets_at") == first.Str("data.resets_at") {
		t.Errorf("it ends %s", later.Str("data.resets_at"))
	}
}

// The health of a memory that fades between two windows of snapshots, with entries that nobody is sure of.
func TestEveryFigureOfMemoryMoves(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	for _, layer := range []string{"unit", "long_term"} {
		for _, n := range []string{"sequences", "limits", "series"} {
			for _, kind := range []string{"quiz", "explain"} {
				ada.Post("/api/knowledge/session/action", m{"action": m{"atomId": apitest.Atom("", n), "kind": kind}, "outcome": "correct", "persistMemory": true, "memoryLayer": layer}).OK(t)
			}
		}
	}
	seen := map[string]bool{}
	for i := range 12 {
		if i == 6 {
			s.Clock.Advance(130 * 24 * time.Hour)
		}
		s.Clock.Advance(time.Hour)
		ada = s.As(t, "ada")
		ada.Post("/api/knowledge/quality/snapshot", m{}).OK(t)
		seen[ada.Get(matrixPath).OK(t).Str("data.signals.memoryPolicyTrendStatus")] = true
	}
	if !seen["stable"] || !seen["regressing"] {
		t.Errorf("the trends: %v", seen)
	}
}
