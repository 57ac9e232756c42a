package month

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"stoa/internal/apitest"
)

type m = map[string]any

const notes = 90

// curriculum are notes in three chains that need each other.
func curriculum(user string) (docs []m, needs map[int][]int, number map[string]int) {
	needs, number = map[int][]int{}, map[string]int{}
	for i := range notes {
		text := fmt.Sprintf("# Thing %d\n\n", i)
		if i >= 3 {
			needs[i] = append(needs[i], i-3)
		}
		if i >= 10 && i%4 == 0 {
			needs[i] = append(needs[i], i-7)
		}
		for _, j := range needs[i] {
			text += fmt.Sprintf("Requires [[thing-%d]].\n\n", j)
		}
		id := fmt.Sprintf("thing-%d", i)
		docs = append(docs, m{"documentId": id, "sourcePath": id + ".md", "content": text + fmt.Sprintf("Thing %d is what one learns as number %d, with words of its own and a sentence to ask about.\n", i, i)})
		number[apitest.Atom(user, id)] = i
	}
	return docs, needs, number
}

// figures are what a month showed.
type figures struct {
	intervals, held   int
	predicted, actual float64
	answers           int
	learned           float64
}

func TestMonth(t *testing.T) {
	students := 3
	if n, err := strconv.Atoi(os.Getenv("STOA_MONTH_STUDENTS")); err == nil {
		students = n
	}
	var all figures
	for seed := range students {
		f := live(t, uint64(seed))
		t.Logf("student %d: %d answers, %.2f expected, %.2f right; %.3f of %d intervals hold the truth; %.1f of %d known at the end", seed, f.answers, f.predicted/float64(f.answers), f.actual/float64(f.answers), float64(f.held)/float64(f.intervals), f.intervals, f.learned, notes)
		all.intervals, all.held = all.intervals+f.intervals, all.held+f.held
	}
	share := float64(all.held) / float64(all.intervals)
	t.Logf("%.3f of %d intervals hold the truth", share, all.intervals)
	if share < 0.85 || share > 0.97 {
		t.Errorf("%.3f of the 90%% intervals hold the truth", share)
	}
}

// live lives thirty days, one session each, one day in seven skipped.
func live(t *testing.T, seed uint64) (f figures) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	const user = "bob"
	docs, needs, number := curriculum(user)
	s.As(t, user).Post("/api/knowledge/ingest", m{"documents": docs}).OK(t)
	one := newStudent(seed, needs)
	tried, last := map[string]bool{}, map[string]string{}
	var before []string
	repeated := 0
	for day := range 30 {
		s.Clock.Advance(24 * time.Hour)
		if one.r.IntN(7) == 0 {
			continue
		}
		now, bob := s.Clock.Now(), s.As(t, user)
		graph := map[string]m{}
		due := map[string]bool{}
		for _, n := range bob.Get("/api/knowledge/graph").OK(t).At("data.nodes").([]any) {
			n := n.(m)
			id := n["atomId"].(string)
			graph[id] = n
			due[id] = n["state"] == "due"
			if interval, ok := n["interval90"].([]any); ok && number[id] != 0 {
				p := one.truth(number[id], now)
				f.intervals++
				if p >= interval[0].(float64) && p <= interval[1].(float64) {
					f.held++
				}
			}
		}
		whole := bob.Post("/api/knowledge/session/plan", m{"maxActions": 80}).OK(t)
		planned := map[string]bool{}
		for _, a := range whole.At("data.actions").([]any) {
			planned[a.(m)["atomId"].(string)] = true
		}
		for id := range due {
			if due[id] && !planned[id] {
				t.Errorf("student %d day %d: %s is due on the page and in no plan", seed, day, graph[id]["title"])
			}
		}
		plan := bob.Post("/api/knowledge/session/plan", m{"maxActions": 12}).OK(t)
		outcomes, times := m{}, m{}
		var set []string
		earlier, ago, answered := map[string]bool{}, maps.Clone(tried), maps.Clone(last)
		for _, a := range plan.At("data.actions").([]any) {
			a := a.(m)
			id := a["atomId"].(string)
			if why := untrue(a, graph[id], due[id], ago[id], answered[id], needs[number[id]], number, graph, earlier, now); why != "" {
				t.Errorf("student %d day %d: %s of %s: %s", seed, day, a["reason"].(m)["rule"], a["title"], why)
			}
			earlier[id] = true
			if last[id] == "correct" && !due[id] && !slices.Contains(set, id) {
				set = append(set, id) // again what was right and is not due
			}
			if _, again := outcomes[id]; again {
				continue
			}
			right := one.answer(number[id], now)
			f.answers++
			f.predicted += a["reason"].(m)["numbers"].(m)["expectedSuccess"].(float64)
			outcomes[id], last[id] = "incorrect", "incorrect"
			if right {
				f.actual++
				outcomes[id], last[id] = "correct", "correct"
			}
			tried[id] = true
			times[a["id"].(string)] = 1000 * one.secondsEach
		}
		slices.Sort(set)
		if same := slices.DeleteFunc(slices.Clone(set), func(id string) bool { return !slices.Contains(before, id) }); len(same) >= 5 {
			repeated++
		}
		before = set
		bob.Post("/api/knowledge/session/execute", m{"sessionPlan": plan.At("data"), "outcomesByAtomId": outcomes, "responseTimesByActionId": times, "actionLimit": 12}).OK(t)
	}
	if repeated > 1 {
		t.Errorf("student %d: on %d days five things again that were right and are not due", seed, repeated)
	}
	for i := range maps.Keys(one.practices) {
		f.learned += one.recall(i, s.Clock.Now())
	}
	return f
}

// untrue says what of an action's reason is not so of this learner; "" is nothing.
func untrue(a, node m, due, tried bool, last string, needs []int, number map[string]int, graph map[string]m, earlier map[string]bool, now time.Time) string {
	if node == nil {
		return "the graph does not have it"
	}
	mastery, studied := node["masteryProbability"].(float64)
	recall, _ := node["retrievability"].(float64)
	probe, _ := a["probe"].(bool)
	known := func(j int) bool {
		for id, i := range number {
			if i == j {
				p, implied := graph[id]["impliedProbability"].(float64)
				state := graph[id]["state"]
				return state == "mastered" || state == "due" || implied && p >= 0.5 || state == "learning" && graph[id]["masteryProbability"].(float64) >= 0.35
			}
		}
		return false
	}
	if studied != tried {
		return fmt.Sprintf("studied %v, tried %v", studied, tried)
	}
	if studied && !probe && mastery >= 0.9 && recall >= 0.95 {
		return fmt.Sprintf("mastery %v and recall %v", mastery, recall)
	}
	switch rule := a["reason"].(m)["rule"]; rule {
	case "due":
		if !due && !probe {
			return "it is not due on the page"
		}
	case "ahead_of_schedule":
		if next, err := time.Parse(time.RFC3339, fmt.Sprint(node["nextReviewAt"])); due || studied && (err != nil || !next.After(now)) {
			return "it is due"
		}
	case "lapsed":
		if last != "incorrect" {
			return "the last answer was not wrong"
		}
	case "misconception":
		return "no error was named"
	case "strengthen":
		if !tried {
			return "it was never tried"
		}
	case "outer_fringe":
		if tried {
			return "it was tried"
		}
		for _, j := range needs {
			if !known(j) {
				return fmt.Sprintf("it needs thing %d, which is not known", j)
			}
		}
	case "locked":
		if tried {
			return "it was tried"
		}
	}
	return ""
}
