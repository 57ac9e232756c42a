package path

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// missing lists what a concept needs and is known to be missing, for somebody to whom that matters. It says once more, in
// terms of the view alone, what locked and locks say.
func missing(v *View, m *Model, i int) (out []int) {
	held := func(i int) float64 {
		c := &v.Concepts[i]
		if c.Stability <= 0 {
			return 0
		}
		return c.Mastery * m.recall(max(0, v.Now.Sub(c.Last).Hours()/24), c.Stability)
	}
	c := &v.Concepts[i]
	if c.Mastery >= 0.5 || 1-m.Gating()*(1-inOrder(v, i, held)) >= 0.7 {
		return nil
	}
	for _, l := range c.Prerequisites {
		if l.Weight >= 0.65 && held(l.To) < 0.5 && v.Concepts[l.To].Failures < 3 {
			out = append(out, l.To)
		}
	}
	return out
}

// inOrder is the readiness of a concept by its prerequisites and the author's order.
func inOrder(v *View, i int, held func(int) float64) float64 {
	ahead := 0.0
	for _, order := range v.Order {
		for at, c := range order {
			if c != i {
				continue
			}
			sum := 0.0
			for _, before := range order[max(0, at-25):at] {
				if v.Concepts[before].Failures < 3 {
					sum += (1 - held(before)) / 25
				}
			}
			ahead = max(ahead, sum)
		}
	}
	return Readiness(v.Concepts[i].Prerequisites, held) * (1 - 0.9*ahead)
}

// TestNothingBeforeWhatItNeeds: no plan and no path, whatever its strategy, context, size or mode, holds something that is not
// learned and for which something necessary is known to be missing, unless all of that comes before it there. And no plan
// holds it at all while something else is left that could be done.
func TestNothingBeforeWhatItNeeds(t *testing.T) {
	plans := 10_000
	if testing.Short() {
		plans = 1000
	}
	r := rand.New(rand.NewPCG(19, 31))
	absent, followed, paths := 0, 0, 0
	for n := range plans {
		v := viewOf(3+r.IntN(40), r)
		if n%3 == 0 {
			v.Order = [][]int{r.Perm(len(v.Concepts))[:1+r.IntN(len(v.Concepts))]}
		}
		for i := range v.Concepts {
			if c := &v.Concepts[i]; r.IntN(2) == 0 {
				c.Mastery *= c.Mastery * c.Mastery // much is not known
			}
			if n%2 == 0 {
				v.Concepts[i].Evidence = nil // the evidence gate chooses too
			}
		}
		if n%5 == 0 {
			knowsGating(v)
		}
		m := v.Traits.Model()
		q := Request{
			Strategy: Strategies[r.IntN(3)], Context: []Context{Unknown, Stable, Improving, Regressing}[r.IntN(4)], Limit: 1 + r.IntN(20), Brief: true,
			Backlog: r.IntN(4) == 0, NoRetrain: r.IntN(4) == 0, NoDivergence: r.IntN(4) == 0,
		}
		if r.IntN(3) == 0 {
			q.Limit, q.Minutes = 0, 2+40*r.Float64()
		}
		if r.IntN(6) == 0 {
			q.Deadline = noon.Add(time.Duration(1+r.IntN(60)) * 24 * time.Hour)
		}
		if r.IntN(2) == 0 {
			q.Focus = []int{r.IntN(len(v.Concepts)), r.IntN(len(v.Concepts))}
		}
		check := func(of string, actions []Action) {
			t.Helper()
			done := map[int]bool{}
			for _, a := range actions {
				for _, need := range missing(v, m, a.Concept) {
					if !done[need] {
						t.Fatalf("%s %d (%+v): %s stands before %s, which it needs; rule %s", of, n, q, a.AtomID, v.Concepts[need].ID, a.Reason.Rule)
					}
					if !slices.Contains(a.After, need) {
						t.Fatalf("%s %d: %s does not say that it comes after %s", of, n, a.AtomID, v.Concepts[need].ID)
					}
					followed++
				}
				done[a.Concept] = true
			}
		}
		p := Make(v, q)
		check("plan", p.Actions)
		in, behind := map[int]bool{}, false
		for _, a := range p.Actions {
			in[a.Concept] = true
			behind = behind || len(missing(v, m, a.Concept)) > 0
		}
		s := newScorer(v, p.HorizonDays, nil)
		for i := range v.Concepts {
			switch needs := missing(v, m, i); {
			case len(needs) > 0 && !in[i]:
				absent++
			case len(needs) == 0 && behind && !in[i] && q.Focus == nil && q.Minutes == 0 && q.Strategy != Exploration && !q.NoRetrain && p.Mode != "backlog" && v.Concepts[i].Evidence != nil && !s.settled(i):
				t.Fatalf("plan %d (%+v): %s is left out, and something is in for which something is missing", n, q, v.Concepts[i].ID)
			}
		}
		for _, way := range Preview(v, PathsRequest{Request: q, Mastery: 12, Divergence: 12}).Mastery {
			check("path", way.Actions)
			paths++
		}
	}
	if absent < plans || followed < plans/10 || paths < plans {
		t.Errorf("%d were left out, %d stood after what they need, %d paths: too few to show anything", absent, followed, paths)
	}
	t.Logf("%d plans, %d paths: %d left out for what is missing, %d behind it", plans, paths, absent, followed)
}
