package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
)

// chained are notes of which each needs the two before it.
func chained(n int) []m {
	docs := make([]m, n)
	for i := range docs {
		text := fmt.Sprintf("# Topic %d\n\n", i)
		for back := 1; back <= 2 && i >= 3 && i-back*2 >= 0; back++ {
			text += fmt.Sprintf("Requires [[topic-%d]].\n\n", i-back*2)
		}
		docs[i] = note(fmt.Sprintf("topic-%d", i), text+fmt.Sprintf("Topic number %d says something of its own that can be learned and asked about later.\n", i))
	}
	return docs
}

// concepts gives what the graph shows of each concept, by its id.
func concepts(t *testing.T, c *apitest.Client) map[string]m {
	t.Helper()
	nodes := map[string]m{}
	for _, n := range c.Get("/api/knowledge/graph").OK(t).At("data.nodes").([]any) {
		nodes[n.(m)["atomId"].(string)] = n.(m)
	}
	return nodes
}

// A learner whose every answer is wrong, 240 of them in thirty sessions, has nowhere a figure that says otherwise.
func TestWrongAnswersAreNowhereProgress(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	s.As(t, "bob").Post(ingestPath, m{"documents": chained(60)}).OK(t)
	wrong := 0
	for day := range 30 {
		bob := s.As(t, "bob")
		plan := bob.Post("/api/knowledge/session/plan", m{"maxActions": 8}).OK(t)
		outcomes := m{}
		for _, id := range plan.All("data.actions", "id") {
			outcomes[id] = "incorrect"
			wrong++
		}
		r := bob.Post(executePath, m{"sessionPlan": plan.At("data"), "outcomesByActionId": outcomes, "actionLimit": 8}).OK(t)
		d := r.At("data.masteryDelta").(m)
		if d["improvedCount"].(float64) != 0 || d["averageDelta"].(float64) > 0 || r.At("data.record.averageMasteryDelta").(float64) > 0 {
			t.Errorf("day %d: %v", day, d)
		}
		bob.Post("/api/knowledge/quality/snapshot", m{}).OK(t)
		s.Clock.Advance(24 * time.Hour)
	}
	if wrong != 240 {
		t.Fatalf("%d answers", wrong)
	}
	bob := s.As(t, "bob")
	for _, path := range []string{historyPath, "/api/knowledge/state", "/api/knowledge/quality/trend", "/api/knowledge/quality/history", matrixPath} {
		positive(t, path, bob.Get(path).OK(t).At("data"), "")
	}
}

// positive reports every figure that says that outcomes were good.
func positive(t *testing.T, from string, value any, name string) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if !strings.Contains(strings.ToLower(name), "threshold") {
				positive(t, from, inner, name+"."+key)
			}
		}
	case []any:
		for i, inner := range v {
			positive(t, from, inner, fmt.Sprint(name, ".", i))
		}
	case float64:
		low := strings.ToLower(name)
		good := strings.Contains(low, "positiveratio") || strings.Contains(low, "positivedeltarate") || strings.Contains(low, "improved") || strings.Contains(low, "averagemasterydelta")
		if good && !strings.Contains(low, "deltadelta") && v > 0 {
			t.Errorf("%s: %s is %v", from, name, v)
		}
	case string:
		low := strings.ToLower(name)
		if (strings.HasSuffix(low, "contextstatus") || strings.HasPrefix(low, ".status") || strings.HasSuffix(low, "trendstatus")) && v == "improving" {
			t.Errorf("%s: %s is %s", from, name, v)
		}
	}
}

// What a learner is shown obeys the answers: right ones never lower it, wrong ones never raise it, whatever came before
// and however long ago. And it is one number: the same in the graph, the session, the plan and the note.
func TestShownMasteryObeysTheAnswers(t *testing.T) {
	for seed := range uint64(3) {
		s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
		r := rand.New(rand.NewPCG(seed, 19))
		s.As(t, "bob").Post(ingestPath, m{"documents": chained(12)}).OK(t)
		for step := range 40 {
			s.Clock.Advance(time.Duration(r.ExpFloat64() * 30 * float64(time.Hour)))
			bob := s.As(t, "bob")
			before := concepts(t, bob)
			outcomes, times := m{}, m{}
			plan := bob.Post("/api/knowledge/session/plan", m{"maxActions": 1 + r.IntN(6)}).OK(t)
			sameNumbers(t, fmt.Sprint(seed, " ", step), plan, before)
			all, none := r.IntN(4) == 0, r.IntN(4) == 0
			for _, id := range plan.All("data.actions", "atomId") {
				outcomes[id] = []string{"correct", "incorrect"}[r.IntN(2)]
				if all {
					outcomes[id] = "correct"
				} else if none {
					outcomes[id] = "incorrect"
				}
			}
			for _, id := range plan.All("data.actions", "id") {
				times[id] = r.Float64() * 60_000
			}
			done := bob.Post(executePath, m{"sessionPlan": plan.At("data"), "outcomesByAtomId": outcomes, "responseTimesByActionId": times}).OK(t)
			after := concepts(t, bob)
			for id, outcome := range outcomes {
				was, is := before[id]["masteryProbability"], after[id]["masteryProbability"].(float64)
				if was == nil {
					continue // not studied: nothing was shown
				}
				if wrongWay := is - was.(float64); outcome == "correct" && wrongWay < -1e-4 || outcome == "incorrect" && wrongWay > 1e-4 {
					t.Errorf("seed %d step %d: a %v answer moved %s from %v to %v", seed, step, outcome, id, was, is)
				}
			}
			for _, item := range done.At("data.masteryDelta.items").([]any) {
				item := item.(m)
				delta, outcome := item["deltaMastery"].(float64), outcomes[item["atomId"].(string)]
				if outcome == "correct" && delta < 0 || outcome == "incorrect" && delta > 0 {
					t.Errorf("seed %d step %d: %s: %v", seed, step, outcome, item)
				}
			}
		}
	}
}

// sameNumbers compares what a plan, the note's page and the graph say of concepts at one time, and their states.
func sameNumbers(t *testing.T, when string, plan *apitest.Reply, graph map[string]m) {
	t.Helper()
	for _, a := range plan.At("data.actions").([]any) {
		action := a.(m)
		node, numbers := graph[action["atomId"].(string)], action["reason"].(m)["numbers"].(m)
		if got, want := fmt.Sprint(numbers["mastery"]), fmt.Sprint(node["masteryProbability"]); got != want {
			t.Errorf("%s: %s of %v: mastery %s in the plan, %s in the graph", when, action["reason"].(m)["rule"], action["atomId"], got, want)
		}
	}
	for id, n := range graph {
		p, studied := n["masteryProbability"].(float64)
		if !studied != (n["retrievability"] == nil) || studied != (n["interval90"] != nil) {
			text, _ := json.Marshal(n)
			t.Errorf("%s: %s is studied and is not: %s", when, id, text)
		}
		switch n["state"] {
		case "mastered":
			if !studied { // it follows from answers
				p = n["impliedProbability"].(float64)
			}
			if p < 0.8 {
				t.Errorf("%s: %s is mastered at %v", when, id, p)
			}
		case "learning":
			if p >= 0.8 {
				t.Errorf("%s: %s is learning at %v", when, id, p)
			}
		}
	}
}
