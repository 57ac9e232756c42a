package path

import (
	"math/rand/v2"
	"testing"
	"time"
)

// edgeView draws a state whose values lie at the bounds of the rules: masteries of .4999, .5 and .95, dates a second on either side of a
// week, weights at that of a need, memories of no and of a hundred years, answers of the future.
func edgeView(r *rand.Rand) *View {
	n := 1 + r.IntN(60)
	v := &View{Now: noon, Concepts: make([]Concept, n), RecentAnswers: r.IntN(40), RecentSuccess: []float64{0, .2, .39, .4, .6, 1}[r.IntN(6)]}
	pick := func(of ...float64) float64 { return of[r.IntN(len(of))] }
	density := r.IntN(8)
	for i := range v.Concepts {
		c := &v.Concepts[i]
		c.ID = "x" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		c.Mastery = pick(0, .3, .4999, .5, .5001, .74, .75, .89, .9, .95, 1, r.Float64())
		c.Placed = r.IntN(2) == 0
		c.Early = pick(0, r.Float64())
		for range r.IntN(density + 1) {
			if i > 0 {
				c.Prerequisites = append(c.Prerequisites, Link{r.IntN(i), pick(.3, .64, .65, .66, .95, 1)})
			}
		}
		if i > 0 && r.IntN(3) == 0 {
			c.Encompasses = append(c.Encompasses, Link{r.IntN(i), r.Float64()})
		}
		if r.IntN(4) > 0 {
			c.Evidence = []string{"s"}
		}
		if r.IntN(3) == 0 {
			continue
		}
		c.Attempts = 1 + r.IntN(3)
		c.Stability = pick(0, .001, .5, 2, 30, 1000, 36500)
		c.Difficulty = pick(0, 1, 5, 10)
		c.Last = noon.Add(-time.Duration(pick(0, 1, 23, 24, 167, 168, 169, 24*30, 24*400) * float64(time.Hour)))
		if r.IntN(20) == 0 {
			c.Last = noon.Add(time.Hour)
		}
		c.DueAt = noon.Add(time.Duration(pick(-24*400, -24*8, -24*7, -169, -1, 0, 1, 24, 24*100) * float64(time.Hour)))
		if r.IntN(8) == 0 {
			c.DueAt = time.Time{}
		}
		c.LastOutcome = []Outcome{Correct, Partial, Incorrect, Skipped}[r.IntN(4)]
		if c.LastOutcome == Incorrect {
			c.Failures = 1 + r.IntN(5)
			c.Misconception, c.ErrorTag = pick(0, .29, .3, 1), "overgeneralization"
		}
		c.Shown = pick(0, .9, .95, r.Float64())
		c.Retrievability = pick(0, .5, .9499, .95, 1, r.Float64())
		c.Letters = int(pick(0, 100, 5000))
	}
	for range r.IntN(2 * n) {
		v.Divergence = append(v.Divergence, Edge{r.IntN(n), r.IntN(n), "analogy", r.Float64(), nil})
	}
	for range r.IntN(3) {
		v.Order = append(v.Order, r.Perm(n)[:1+r.IntN(n)])
	}
	// a person with experience
	for range r.IntN(40) {
		b := Belief{Learned: r.Float64(), Stability: 5, Difficulty: 5, Last: noon.Add(-48 * time.Hour).UnixMicro()}
		b.answer(&v.Traits, v.Traits.Model(), noon, r.Float64(), 1, []Outcome{Correct, Incorrect}[r.IntN(2)])
	}
	return v
}

// TestPromisesAtTheirBounds holds reasons, locks, minutes and the bound of starvation over random plans of such states.
func TestPromisesAtTheirBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(77, 1))
	for n := range 10_000 {
		v := edgeView(r)
		q := edgeRequest(r, len(v.Concepts), Strategies[n%3])
		p := Make(v, q)
		weight, _ := focus(v, q.Focus)
		s := newScorer(v, q.settled(noon).HorizonDays, weight)
		placed := map[int]bool{}
		news := 0
		for _, a := range p.Actions {
			c := &v.Concepts[a.Concept]
			if why := untrue(v, s, &a, placed); why != "" {
				t.Fatalf("plan %d %+v: %s of %+v: %s", n, q, a.Reason.Rule, c, why)
			}
			for _, l := range c.Prerequisites {
				if s.locked(a.Concept) && s.locks(l) && !placed[l.To] {
					t.Fatalf("plan %d %+v: %s stands before what it needs", n, q, a.AtomID)
				}
			}
			if c.Attempts == 0 && c.Mastery < learned && a.Reason.Gate == "" {
				news++
			}
			placed[a.Concept] = true
		}
		if q.Minutes > 0 && p.TotalMinutes > q.Minutes+1e-9 {
			t.Fatalf("plan %d %+v: %v minutes", n, q, p.TotalMinutes)
		}
		asked := q.Strategy != Balanced || q.Focus != nil || q.Minutes > 0 || q.NoRetrain || p.Mode == "backlog" || q.Context == Improving
		for i := range v.Concepts {
			c := &v.Concepts[i]
			if news > 0 && !asked && s.waitsTooLong(c) && !placed[i] && !s.settled(i) && !s.locked(i) && len(p.Actions) >= q.Limit && len(c.Evidence) > 0 {
				t.Fatalf("plan %d %+v: something new, and %+v waits", n, q, c)
			}
		}
	}
}

func edgeRequest(r *rand.Rand, n int, by Strategy) Request {
	q := Request{Strategy: by, Limit: 1 + r.IntN(25), Brief: true, Context: []Context{Unknown, Stable, Improving, Regressing}[r.IntN(4)], Backlog: r.IntN(4) == 0, NoDivergence: r.IntN(3) == 0, NoRetrain: r.IntN(6) == 0}
	if r.IntN(4) == 0 {
		q.Limit, q.Minutes = 0, 1+60*r.Float64()
	}
	if r.IntN(4) == 0 {
		q.Focus = []int{r.IntN(n)}
	}
	if r.IntN(5) == 0 {
		q.Deadline = noon.Add(time.Duration(r.IntN(60*24)-24) * time.Hour)
	}
	return q
}
