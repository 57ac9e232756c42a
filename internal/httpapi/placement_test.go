package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
)

const (
	placementPath = "/api/knowledge/placement"
	retentionPath = "/api/knowledge/session/retention"
)

// A first session is placed: at most fifteen questions, each chosen by the answers before it; what is answered is known with
// its interval afterwards, what follows from it is not offered as new, and what it opens is.
func TestPlacement(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		bob := s.As(t, "bob")
		bob.Post(ingestPath, m{"documents": chained(40)}).OK(t)
		knows := func(id string) bool { // the first half of the chain
			for i := range 20 {
				if apitest.Atom("bob", fmt.Sprintf("topic-%d", i)) == id {
					return true
				}
			}
			return false
		}
		outcomes, actions := m{}, []any{}
		var session m
		for {
			r := bob.Post(placementPath, m{"outcomesByAtomId": outcomes}).OK(t)
			if r.Int("data.asked") != len(outcomes) || r.Int("data.most") != 15 {
				t.Fatalf("%s", r.Body)
			}
			session = r.At("data.session").(m)
			if r.Len("data.session.actions") == 0 {
				if len(outcomes) > 0 && r.Int("data.implied") == 0 {
					t.Errorf("nothing follows from %v", outcomes)
				}
				break
			}
			if r.At("data.estimatedMinutes").(float64) <= 0 {
				t.Errorf("%s", r.Body)
			}
			id := r.Str("data.session.actions.0.atomId")
			if _, again := outcomes[id]; again {
				t.Fatalf("%s is asked twice", id)
			}
			outcomes[id] = "incorrect"
			if knows(id) {
				outcomes[id] = "correct"
			}
			actions = append(actions, r.At("data.session.actions.0"))
		}
		if len(outcomes) < 4 || len(outcomes) > 15 {
			t.Errorf("%d questions", len(outcomes))
		}
		session["actions"] = actions
		times := m{}
		for _, a := range actions {
			times[a.(m)["id"].(string)] = 30_000
		}
		done := bob.Post(executePath, m{"sessionPlan": session, "executionKind": "custom", "outcomesByAtomId": outcomes, "actionLimit": len(actions), "responseTimesByActionId": times}).OK(t)
		if done.Int("data.record.executedCount") != len(actions) || done.At("data.record.timedTakenMinutes") != float64(len(actions))/2 {
			t.Errorf("%s", done.Body)
		}
		graph := bob.Get("/api/knowledge/graph").OK(t)
		implied := 0
		for _, n := range graph.At("data.nodes").([]any) {
			n := n.(m)
			id := n["atomId"].(string)
			_, asked := outcomes[id]
			p, follows := n["impliedProbability"].(float64)
			switch {
			case asked && (n["interval90"] == nil || follows), !asked && (n["masteryProbability"] != nil):
				t.Errorf("%v", n)
			case follows && p >= 0.8:
				implied++
				if next, err := time.Parse(time.RFC3339, fmt.Sprint(n["nextReviewAt"])); !knows(id) || n["state"] != "mastered" || err != nil || !next.After(s.Clock.Now()) {
					t.Errorf("said to be known: %v", n)
				}
			}
		}
		if implied == 0 || graph.Int("data.counts.implied") != implied {
			t.Errorf("%d follow, %s", implied, graph.Body[:200])
		}
		plan := bob.Post("/api/knowledge/session/plan", m{"maxActions": 6}).OK(t)
		for _, a := range plan.At("data.actions").([]any) {
			if rule := a.(m)["reason"].(m)["rule"]; rule == "locked" {
				t.Errorf("locked: %v", a)
			}
		}
		// What is known by what was answered comes back for review as that does.
		s.Clock.Advance(60 * 24 * time.Hour)
		bob = s.As(t, "bob")
		back := 0
		whole := string(bob.Post("/api/knowledge/session/plan", m{"maxActions": 80}).OK(t).Body)
		for _, n := range bob.Get("/api/knowledge/graph").OK(t).At("data.nodes").([]any) {
			n := n.(m)
			if n["impliedProbability"] != nil && n["state"] == "due" {
				back++
				if !strings.Contains(whole, n["atomId"].(string)) {
					t.Errorf("due and in no plan: %v", n)
				}
			}
		}
		if back == 0 {
			t.Error("nothing that was implied is ever due")
		}
		bob.Post(placementPath, m{"outcomesByAtomId": m{"atm_gone": "correct"}}).Want(t, 422, "invalid_request")
		bob.Post(placementPath, m{"outcomesByAtomId": m{actions[0].(m)["atomId"].(string): "splendid"}}).Want(t, 422, "invalid_request")
	})
}

// What each wanted recall costs: more for more, by the learner's own times; and planned minutes stand beside taken ones.
func TestRetentionCosts(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	bob := s.As(t, "bob")
	bob.Post(ingestPath, m{"documents": chained(60)}).OK(t)
	before := bob.Get(retentionPath).OK(t)
	want(t, before, m{"data.example": true, "data.studied": 0, "data.sessions": 0, "data.takenMinutes": 0, "data.plannedMinutes": 0, "data.desiredRetention": 0.8})
	for range 12 {
		bob = s.As(t, "bob")
		plan := bob.Post("/api/knowledge/session/plan", m{"maxActions": 8}).OK(t)
		outcomes, times := m{}, m{}
		for _, id := range plan.All("data.actions", "id") {
			outcomes[id], times[id] = "correct", 240_000
		}
		bob.Post(executePath, m{"sessionPlan": plan.At("data"), "outcomesByActionId": outcomes, "responseTimesByActionId": times, "actionLimit": 8}).OK(t)
		s.Clock.Advance(25 * time.Hour)
	}
	bob = s.As(t, "bob")
	bob.Post(configPath, m{"studySettings": m{"desiredRetention": 0.84}}).OK(t)
	after := bob.Get(retentionPath).OK(t)
	want(t, after, m{"data.example": false, "data.sessions": 12, "data.desiredRetention": 0.84, "data.options.0.retention": 0.8, "data.options.6.retention": 0.92})
	if after.Int("data.studied") < 20 || after.At("data.takenMinutes").(float64) <= after.At("data.plannedMinutes").(float64) {
		t.Errorf("%s", after.Body)
	}
	least := after.At("data.options.0.minutesPerDay").(float64)
	if most := after.At("data.options.6.minutesPerDay").(float64); most < 1.2*least {
		t.Errorf("92 %% costs %v minutes a day, 80 %% %v", most, least)
	}
	for i := range 7 {
		minutes, reviews := after.At(fmt.Sprintf("data.options.%d.minutesPerDay", i)).(float64), after.At(fmt.Sprintf("data.options.%d.reviewsPerDay", i)).(float64)
		if minutes <= 0 || minutes/reviews <= before.At("data.options.0.minutesPerDay").(float64)/before.At("data.options.0.reviewsPerDay").(float64) {
			t.Errorf("%s: four minutes each, and %v for %v", after.Body, minutes, reviews)
		}
	}
}
