package httpapi_test

import (
	"sync"
	"testing"
	"time"

	"stoa/internal/apitest"
)

func trials(t *testing.T, c *apitest.Client, id string) int {
	t.Helper()
	return c.Get("/api/templates/detail", "template_id", id).OK(t).Int("data.engagement.trial_requests")
}

func TestTheLifeOfATrial(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		status := func(want string, remaining int) *apitest.Reply {
			t.Helper()
			r := ada.Get("/api/trial/status", "template_id", translator).OK(t)
			if r.Str("data.status") != want || r.Int("data.remaining_seconds") != remaining || r.Int("data.ttl_seconds") != 7200 {
				t.Errorf("status %s, want %s with %d s left", r.Body, want, remaining)
			}
			return r
		}
		status("not_started", 0)
		first := ada.Post("/api/trial", m{"template_id": translator, "session_id": "s1"}).OK(t)
		if first.Str("data.outcome") != "trial_started" || first.Str("data.session_id") != "s1" || first.Str("data.expires_at") != "2026-03-02T11:00:00.000Z" {
			t.Errorf("first: %s", first.Body)
		}
		status("active", 7200)
		s.Clock.Advance(time.Second)
		status("active", 7199)
		again := ada.Post("/api/trial", m{"template_id": translator, "session_id": "s2"}).OK(t)
		if again.Str("data.outcome") != "trial_already_active" || again.Str("data.trial_id") != first.Str("data.trial_id") || again.Int("data.remaining_seconds") != 7199 {
			t.Errorf("again: %s", again.Body)
		}
		if n := trials(t, ada, translator); n != 1 {
			t.Errorf("%d trials counted, want 1", n)
		}
		ada.Post("/api/trial", m{"template_id": coach}).OK(t) // keeps the session awake

		s.Clock.Advance(trialTTL - time.Second - time.Microsecond)
		ada = s.As(t, "ada")
		status("active", 1)
		s.Clock.Advance(time.Microsecond)
		status("expired", 0)
		second := ada.Post("/api/trial", m{"template_id": translator}).OK(t)
		if second.Str("data.outcome") != "trial_started" || second.Str("data.trial_id") == first.Str("data.trial_id") || second.Str("data.status") != "active" {
			t.Errorf("second: %s", second.Body)
		}
		if n := trials(t, ada, translator); n != 2 {
			t.Errorf("%d trials counted, want 2", n)
		}
		ada.Post("/api/trial", m{"template_id": "nobody/has-this"}).Want(t, 404, "template_not_found")
		ada.Get("/api/trial/status", "template_id", "nobody/has-this").Want(t, 404, "template_not_found")
		ada.Post("/api/trial", m{}).Want(t, 400, "template_id_required")
		if r := ada.Post("/api/trial", m{"templateId": starter}).OK(t); r.Str("data.template_id") != starter {
			t.Errorf("a pack's trial: %s", r.Body)
		}
	})
}

func TestTaskDetailsComeWithObserving(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		if r := ada.Post("/api/trial", m{"template_id": translator}).OK(t); r.At("data.task_details") != nil || r.At("data.observe_task_details") != false {
			t.Errorf("unasked: %s", r.Body)
		}
		ada.Post("/api/preferences/observe", m{"enabled": true}).OK(t)
		ada.Post("/api/preferences/mode", m{"mode": "inline_execution"}).OK(t)
		for path, event := range map[string]string{"/api/trial": "trial.request", "/api/templates/install": "template.install"} {
			r := ada.Post(path, m{"template_id": translator}).OK(t)
			if r.Str("data.task_details.event") != event || r.Str("data.execution_mode") != "inline_execution" || r.Str("data.task_details.execution_mode") != "inline_execution" {
				t.Errorf("%s: %s", path, r.Body)
			}
		}
	})
}

func TestPreferences(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		want := func(mode string, enabled bool, at string) {
			t.Helper()
			r := ada.Get("/api/preferences").OK(t)
			if r.Str("data.mode") != mode || r.Str("data.execution_mode") != mode || r.At("data.enabled") != enabled || r.At("data.observe_task_details") != enabled || r.Str("data.updated_at") != at {
				t.Errorf("preferences: %s", r.Body)
			}
		}
		want("subagent_driven", false, "")
		ada.Post("/api/preferences/observe", m{"enabled": true}).OK(t)
		want("subagent_driven", true, "2026-03-02T09:00:00.000Z")
		s.Clock.Advance(1500 * time.Millisecond)
		ada.Post("/api/preferences/mode", m{"mode": " inline_execution "}).OK(t)
		want("inline_execution", true, "2026-03-02T09:00:01.500Z")
		ada.Post("/api/preferences/mode", m{"mode": "by_hand"}).Want(t, 400, "invalid_mode")
		ada.Post("/api/preferences/mode", m{}).Want(t, 400, "invalid_mode")
		ada.Post("/api/preferences/observe", m{}).Want(t, 422, "invalid_request")
		ada.Post("/api/preferences/observe", m{"enabled": false}).OK(t)
		want("inline_execution", false, "2026-03-02T09:00:01.500Z")
		if r := s.As(t, "bob").Get("/api/preferences").OK(t); r.Str("data.mode") != "subagent_driven" {
			t.Errorf("bob's: %s", r.Body)
		}
	})
}

// together runs f n times at once.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	all.Wait()
}

func TestFiftyTrialsAtOnceAreOne(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		replies := make([]*apitest.Reply, 50)
		together(len(replies), func(i int) { replies[i] = ada.Post("/api/trial", m{"template_id": translator}) })
		started, ids := 0, map[string]bool{}
		for _, r := range replies {
			r.OK(t)
			ids[r.Str("data.trial_id")] = true
			if r.Str("data.outcome") == "trial_started" {
				started++
			}
		}
		if started != 1 || len(ids) != 1 || trials(t, ada, translator) != 1 || s.Count(t, "audit_event WHERE action = 'trial.requested'") != 1 {
			t.Errorf("%d started, %d ids, %d counted", started, len(ids), trials(t, ada, translator))
		}
	})
}
