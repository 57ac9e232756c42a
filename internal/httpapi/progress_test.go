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
	heavy(t)
	for seed := range uint64(3) {
		s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
		r := rand.New(rand.NewPCG(seed, 19))
		docs := chained(12)
		for i := 0; i < len(docs); i += 2 { // half of the notes ask several things
			docs[i]["content"] = docs[i]["content"].(string) + fmt.Sprintf("\nFirst of %d::alpha\n\nSecond of %d::beta\n\nThird of %d::gamma\n", i, i, i)
		}
		s.As(t, "bob").Post(ingestPath, m{"documents": docs}).OK(t)
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

// Whoever answered two of a note's seven questions has not shown that the note is known, however often they answer those two; whoever
// answered all has.
func TestMasterySaysHowMuchWasAsked(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ingestNotes(t, ada, map[string]string{
			"Rivers.md": "River of Paris::Seine\n\nRiver of Cairo::Nile\n\nRiver of London::Thames\n\nRiver of Vienna::Danube\n\nRiver of Rome::Tiber\n\nRiver of Prague::Vltava\n\nRiver of Bern::Aare\n",
			"Hills.md":  "Highest hill of Paris::Montmartre\n",
		})
		rivers, hills := apitest.Atom("ada", "Rivers.md"), apitest.Atom("ada", "Hills.md")
		asked := ada.Get("/api/knowledge/questions?atomId="+rivers).OK(t).All("data.items", "questionId")
		hill := ada.Get("/api/knowledge/questions?atomId="+hills).OK(t).All("data.items", "questionId")
		if len(asked) != 7 || len(hill) != 1 {
			t.Fatalf("%d and %d questions", len(asked), len(hill))
		}
		answer := func(atom, question string) float64 {
			r := ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": atom, "questionId": question}, "outcome": "correct"}).OK(t)
			return r.At("data.mastery.masteryProbability").(float64)
		}
		last := 0.0
		for i := range 12 { // the same two, again and again in one evening
			p := answer(rivers, asked[i%2])
			if p < last || p >= 0.8 {
				t.Errorf("after %d answers to two of seven questions %v, before %v", i+1, p, last)
			}
			last = p
		}
		if n := concepts(t, ada)[rivers]; n["state"] == "mastered" || n["interval90"].([]any)[1].(float64) < 0.9 {
			t.Errorf("two of seven: %v", n)
		}
		for range 2 {
			last = answer(hills, hill[0])
		}
		one := last
		last = 0
		for _, q := range asked {
			p := answer(rivers, q)
			if p < last {
				t.Errorf("a right answer lowered %v to %v", last, p)
			}
			last = p
		}
		if last < 0.9 || one < 0.8 {
			t.Errorf("all seven questions answered: %v; the only one: %v", last, one)
		}
		if text, n, err := s.Home(t, "ada").CheckLearner(t.Context(), "ada"); err != nil || text != "" || n != 21 {
			t.Errorf("rebuilt of %d observations: %q %v", n, text, err)
		}
	})
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
