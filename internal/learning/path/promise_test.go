package path

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestReasonsAreTrue checks what every reason says against the state, over random plans.
func TestReasonsAreTrue(t *testing.T) {
	plans := 10_000
	if testing.Short() {
		plans = 1000
	}
	r := rand.New(rand.NewPCG(19, 3))
	for n := range plans {
		v := viewOf(5+r.IntN(40), r)
		for i := range v.Concepts {
			c := &v.Concepts[i]
			c.Placed = r.IntN(2) == 0
			if c.LastOutcome != Incorrect {
				c.Misconception = 0
			}
		}
		if n%2 == 0 {
			v.Order = [][]int{r.Perm(len(v.Concepts))[:1+r.IntN(len(v.Concepts))]}
		}
		for i := range v.Concepts { // the model of memory need not agree with the traits
			if c := &v.Concepts[i]; c.Attempts > 0 && r.IntN(3) > 0 {
				c.Retrievability, c.Shown = r.Float64(), r.Float64()
			}
		}
		p := Make(v, Request{Strategy: Strategies[n%3], Limit: 1 + r.IntN(20), Brief: true})
		s := newScorer(v, 30, nil)
		placed := map[int]bool{}
		for _, a := range p.Actions {
			if why := untrue(v, s, &a, placed); why != "" {
				t.Fatalf("plan %d: %s of %s: %s", n, a.Reason.Rule, a.AtomID, why)
			}
			placed[a.Concept] = true
		}
	}
}

// untrue says what of an action's reason does not hold; "" is nothing.
func untrue(v *View, s *scorer, a *Action, before map[int]bool) string {
	c, st := &v.Concepts[a.Concept], &s.state[a.Concept]
	known := func(l Link) bool { return s.state[l.To].known >= missed }
	switch {
	case s.settled(a.Concept):
		return "it is known and was recalled just now"
	}
	switch a.Reason.Rule {
	case WeakPrerequisite:
		because := &v.Concepts[a.Reason.Because]
		if !failed(because) || v.Now.Sub(because.Last) > recent || st.known > well {
			return "nothing that rests on it failed of late, or it is known well"
		}
	case Lapsed:
		if c.Mastery < learned || !failed(c) {
			return "it was not known, or the last answer was right"
		}
	case Misconception:
		if c.Misconception < recurring || c.LastOutcome != Incorrect {
			return "no error keeps coming back"
		}
	case Due:
		if c.DueAt.After(v.Now) || c.Mastery < learned {
			return "it is not due"
		}
	case Strengthen:
		if c.Attempts == 0 || c.Mastery >= well {
			return "it was not tried, or it is learned"
		}
	case Fringe:
		if c.Attempts > 0 || slices.ContainsFunc(c.Prerequisites, func(l Link) bool { return !known(l) }) {
			return "it is not new, or something it needs is not known"
		}
		if unknownBefore(v, s, a.Concept) > 1.5 {
			return "the author put more before it that is not known"
		}
	case Unplaced:
		late := unknownBefore(v, s, a.Concept) > 1.5
		if c.Attempts > 0 || c.Placed && !late && !slices.ContainsFunc(c.Prerequisites, func(l Link) bool { return !known(l) }) {
			return "it is not new, or readiness is known"
		}
	case Locked:
		if c.Attempts > 0 || !slices.ContainsFunc(c.Prerequisites, func(l Link) bool { return !known(l) }) {
			return "nothing is missing"
		}
		for _, l := range c.Prerequisites {
			if s.locks(l) && !before[l.To] {
				return "what it needs does not come before it"
			}
		}
	}
	return ""
}

// unknownBefore counts what an author put shortly before something and is not known: the most of all books.
func unknownBefore(v *View, s *scorer, concept int) float64 {
	most := 0.0
	for _, order := range v.Order {
		sum, at := 0.0, slices.Index(order, concept)
		for k := max(0, at-nearby); k < at; k++ {
			if v.Concepts[order[k]].Failures < triedInVain {
				sum += 1 - s.state[order[k]].known
			}
		}
		most = max(most, sum)
	}
	return most
}

// TestNothingStarves: while something learned is more than a week past its date and stands in no plan of the default
// strategy, nothing new does, unless the gate for divergence asked for it or its place would be too short.
func TestNothingStarves(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 19))
	starving, with := 0, 0
	for n := range 10_000 {
		v := viewOf(5+r.IntN(60), r)
		for i := range v.Concepts {
			c := &v.Concepts[i]
			c.Evidence = []string{"s"} // else the evidence gate chooses
			if c.Attempts > 0 && r.IntN(3) > 0 {
				c.DueAt = noon.Add(time.Duration(r.IntN(40*24)) * time.Hour)
			}
		}
		q := Request{Limit: 1 + r.IntN(12), Brief: true, Context: []Context{Unknown, Stable, Improving, Regressing}[r.IntN(4)]}
		if n%3 == 0 {
			q.Limit, q.Minutes = 0, 5+30*r.Float64()
		}
		p := Make(v, q)
		in := map[int]bool{}
		news, left := 0, q.Minutes-p.TotalMinutes
		for _, a := range p.Actions {
			in[a.Concept] = true
			if v.Concepts[a.Concept].Attempts == 0 && a.Reason.Gate == "" {
				news++
				left += a.Minutes
			}
		}
		if news > 0 {
			with++
		}
		s := newScorer(v, DefaultHorizon, nil)
		for i := range v.Concepts {
			c := &v.Concepts[i]
			if c.Attempts == 0 || c.Mastery < 0.5 || c.DueAt.IsZero() || s.settled(i) || s.locked(i) || v.Now.Sub(c.DueAt) <= 7*24*time.Hour {
				continue
			}
			starving++
			if news > 0 && !in[i] && (q.Minutes == 0 || s.takes(c, Quiz) <= left) {
				t.Fatalf("plan %d (%+v): %s is %v past its date while %d things are new", n, q, c.ID, v.Now.Sub(c.DueAt), news)
			}
		}
	}
	if starving < 10_000 || with < 1000 {
		t.Errorf("only %d were that late, %d plans held something new", starving, with)
	}
	t.Logf("%d were that late; %d plans held something new", starving, with)
}

// TestNotAgainTheNextDay: what is mastered at .9 and recalled at .95 stands in no plan, whatever the rule: not as a
// review, not as a repair, not as a detour.
func TestNotAgainTheNextDay(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 19))
	settled := 0
	for n := range 3000 {
		v := viewOf(5+r.IntN(40), r)
		for i := range v.Concepts {
			if c := &v.Concepts[i]; c.Attempts > 0 && r.IntN(2) == 0 {
				c.Last, c.Shown, c.Retrievability = noon.Add(-24*time.Hour), 0.9+0.1*r.Float64(), 0.95+0.05*r.Float64()
				settled++
			}
		}
		p := Make(v, Request{Strategy: Strategies[n%3], Context: []Context{Unknown, Improving, Regressing}[r.IntN(3)], Limit: 1 + r.IntN(20), Brief: true})
		for _, a := range p.Actions {
			if c := &v.Concepts[a.Concept]; c.Attempts > 0 && c.Shown >= 0.9 && c.Retrievability >= 0.95 {
				t.Fatalf("plan %d asks %s again: %s", n, c.ID, a.Reason.Rule)
			}
		}
	}
	if settled < 1000 {
		t.Errorf("only %d were known", settled)
	}
}

// TestAuthorsOrder: a learner who knows nothing goes along the author's order, whatever the numbers of the concepts, and
// goes on where it was left.
func TestAuthorsOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 19))
	order := r.Perm(200)
	v := &View{Now: noon, Concepts: make([]Concept, 200), Order: [][]int{order}}
	for i := range v.Concepts {
		v.Concepts[i] = Concept{ID: fmt.Sprint(i), Mastery: unmet, Placed: true, Evidence: []string{"s"}}
	}
	for _, begun := range []int{0, 40} {
		for _, i := range order[:begun] {
			c := &v.Concepts[i]
			c.Mastery, c.Attempts, c.Stability, c.Last, c.LastOutcome = 0.95, 2, 30, noon.Add(-48*time.Hour), Correct
			c.DueAt = noon.Add(30 * 24 * time.Hour)
		}
		p := Make(v, Request{Limit: 10})
		for k, a := range p.Actions {
			if a.Concept != order[begun+k] {
				t.Fatalf("after %d: action %d is number %d of the author's", begun, k, slices.Index(order, a.Concept))
			}
		}
		if first := p.Actions[0].Reason.Rule; first != Fringe {
			t.Errorf("the next one is %s", first)
		}
		if last := p.Actions[9].Reason.Rule; last != Unplaced {
			t.Errorf("the tenth from there is %s", last)
		}
	}
}

func TestMisconceived(t *testing.T) {
	ago := func(days int) int64 { return noon.Add(-time.Duration(days) * 24 * time.Hour).UnixMicro() }
	three := []Error{{"causal_confusion", ago(1)}, {"causal_confusion", ago(2)}, {"causal_confusion", ago(3)}}
	for name, c := range map[string]struct {
		errors []Error
		last   Outcome
		want   bool
	}{
		"three named, the last wrong":     {three, Incorrect, true},
		"the last right":                  {three, Correct, false},
		"two named":                       {three[:2], Incorrect, false},
		"three of different kinds":        {[]Error{{"a", ago(1)}, {"b", ago(1)}, {"c", ago(1)}}, Incorrect, false},
		"untagged":                        {[]Error{{"incorrect_answer", ago(1)}, {"incorrect_answer", ago(1)}, {"incorrect_answer", ago(1)}}, Incorrect, false},
		"what the action was for, thrice": {[]Error{{"prerequisite_gap", ago(1)}, {"prerequisite_gap", ago(1)}, {"prerequisite_gap", ago(1)}}, Incorrect, false},
		"long ago":                        {[]Error{{"a", ago(90)}, {"a", ago(91)}, {"a", ago(92)}}, Incorrect, false},
	} {
		if _, intensity := misconceived(c.errors, c.last, noon); (intensity >= recurring) != c.want {
			t.Errorf("%s: %v", name, intensity)
		}
	}
}

// TestExplorationExplores: on a graph with thousands of divergence edges, exploration's plans hold more of them than
// balanced ones, for nine learners in ten, by count and by minutes.
func TestExplorationExplores(t *testing.T) {
	const learners = 40
	for _, q := range []Request{{Limit: 12}, {Minutes: 20}} {
		more, explored, plain := 0, 0, 0
		for seed := range uint64(learners) {
			v := viewOf(3000, rand.New(rand.NewPCG(seed, 11)))
			explore := q
			explore.Strategy = Exploration
			with, without := Make(v, explore).DivergenceCount, Make(v, q).DivergenceCount
			if with > without {
				more++
			}
			explored, plain = explored+with, plain+without
		}
		if more < learners*9/10 {
			t.Errorf("%+v: more divergence for %d of %d learners", q, more, learners)
		}
		t.Logf("%d actions, %v minutes: more divergence for %d of %d learners, %d actions against %d", q.Limit, q.Minutes, more, learners, explored, plain)
	}
}

func TestPace(t *testing.T) {
	var p Pace
	if got := p.factors(); got[0] != 1 {
		t.Errorf("a new person takes %v times the usual", got[0])
	}
	for range 40 {
		p.Took(Quiz, 0, 3*minutes[Quiz])
		p.Took(Quiz, 0, 0.001) // clicked on
		p.Took(Quiz, 0, 600)   // went away
	}
	if f := p.factors(); f[0] < 2.7 || f[0] > 3.05 || f[1] < 1.5 || f[1] > 3 {
		t.Errorf("after forty quizzes of thrice the usual time: %v", f)
	}
	v := viewOf(100, rand.New(rand.NewPCG(3, 3)))
	v.Traits.Pace = p
	slow := Make(v, Request{Minutes: 20})
	v.Traits.Pace = Pace{}
	if quick := Make(v, Request{Minutes: 20}); len(slow.Actions) >= len(quick.Actions) || quick.TotalMinutes < 15 {
		t.Errorf("%d actions for the slow one, %d for the usual one in %v minutes", len(slow.Actions), len(quick.Actions), quick.TotalMinutes)
	}
}
