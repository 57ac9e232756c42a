package path

import (
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
	case c.Attempts == 0 && c.Mastery < learned && a.Reason.Rule != Locked && a.Reason.Rule != WeakPrerequisite && s.locked(a.Concept):
		return "something necessary is missing"
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
	case Unplaced:
		if c.Attempts > 0 || c.Placed && !slices.ContainsFunc(c.Prerequisites, func(l Link) bool { return !known(l) }) {
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
		if _, intensity := Misconceived(c.errors, c.last, noon); (intensity >= recurring) != c.want {
			t.Errorf("%s: %v", name, intensity)
		}
	}
}

// TestExplorationExplores: where there are many divergence edges, exploration's plans hold more of them than balanced
// ones, for nine learners in ten.
func TestExplorationExplores(t *testing.T) {
	more := 0
	const learners = 40
	for seed := range uint64(learners) {
		v := viewOf(300, rand.New(rand.NewPCG(seed, 11)))
		if Make(v, Request{Strategy: Exploration, Limit: 12}).DivergenceCount > Make(v, Request{Limit: 12}).DivergenceCount {
			more++
		}
	}
	if more < learners*9/10 {
		t.Errorf("more divergence for %d of %d learners", more, learners)
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
