package path

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// viewOf draws a state of n concepts with about three prerequisites each; cycles now and then, which the graph should
// have broken and a plan must survive.
func viewOf(n int, r *rand.Rand) *View {
	v := &View{Now: noon, Concepts: make([]Concept, n), RecentAnswers: r.IntN(30), RecentSuccess: r.Float64()}
	for i := range v.Concepts {
		c := &v.Concepts[i]
		c.ID = fmt.Sprintf("a%d", i)
		c.Mastery = r.Float64()
		c.Variance = c.Mastery * (1 - c.Mastery)
		for range r.IntN(4) {
			to := r.IntN(n)
			if to < i || r.IntN(50) == 0 {
				c.Prerequisites = append(c.Prerequisites, Link{to, 0.3 + 0.7*r.Float64()})
			}
		}
		if r.IntN(3) > 0 {
			c.Evidence = []string{"s" + c.ID}
		}
		if r.IntN(2) == 0 {
			continue // never tried
		}
		c.Attempts = 1 + r.IntN(9)
		c.Stability = math.Exp(4 * r.Float64())
		c.Difficulty = 1 + 9*r.Float64()
		c.Last = noon.Add(-time.Duration(r.ExpFloat64()*20*24) * time.Hour)
		c.DueAt = c.Last.Add(time.Duration(c.Stability*24) * time.Hour)
		c.LastOutcome = []Outcome{Correct, Correct, Partial, Incorrect, Skipped}[r.IntN(5)]
		if c.LastOutcome != Correct {
			c.Failures, c.ErrorTag, c.Misconception = 1+r.IntN(3), "causal_confusion", r.Float64()
		}
	}
	for range n {
		v.Divergence = append(v.Divergence, Edge{From: r.IntN(n), To: r.IntN(n), Kind: "analogy", Confidence: r.Float64(), Evidence: []string{"e"}})
	}
	return v
}

func entries(p Plan) (out []Entry) {
	for _, a := range p.Actions {
		out = append(out, Entry{a.Source, len(a.Evidence) > 0})
	}
	return out
}

func TestPlanLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		v := viewOf(rapid.IntRange(1, 120).Draw(t, "concepts"), r)
		q := Request{
			Strategy: rapid.SampledFrom(Strategies).Draw(t, "strategy"),
			Context:  rapid.SampledFrom([]Context{Unknown, Stable, Improving, Regressing}).Draw(t, "context"),
			Limit:    rapid.IntRange(0, 100).Draw(t, "limit"),
			Backlog:  rapid.Bool().Draw(t, "backlog"),
		}
		if rapid.Bool().Draw(t, "by minutes") {
			q.Minutes = rapid.Float64Range(5, 200).Draw(t, "minutes")
		}
		if rapid.Bool().Draw(t, "focused") {
			q.Focus = []int{r.IntN(len(v.Concepts))}
		}
		if rapid.Bool().Draw(t, "asked") {
			q.Questions = func(concept int) int { return concept % 9 }
		}
		p := Make(v, q)
		settled := q.settled(noon)
		if p.MasteryCount+p.DivergenceCount != len(p.Actions) || len(p.Actions) > settled.Limit {
			t.Fatalf("%d mastery and %d divergence of %d actions, limit %d", p.MasteryCount, p.DivergenceCount, len(p.Actions), settled.Limit)
		}
		if q.Minutes > 0 && p.TotalMinutes > q.Minutes+1e-9 {
			t.Fatalf("%v minutes of %v", p.TotalMinutes, q.Minutes)
		}
		ids, turns := map[string]bool{}, map[int]int{}
		for i, a := range p.Actions {
			if a.Source != SourceDivergence {
				most := 3
				if q.Questions != nil {
					most = max(most, min(q.Questions(a.Concept), mostTurns))
				}
				if n := turns[a.Concept]; most > 3 && p.DivergenceCount == 0 && a.Kind == Reflection && n > 0 {
					t.Fatalf("%s is reflected on after %d actions, with %d questions", a.AtomID, n, q.Questions(a.Concept))
				}
				if turns[a.Concept]++; turns[a.Concept] > most {
					t.Fatalf("%d actions on %s", turns[a.Concept], a.AtomID)
				}
			}
			if ids[a.ID] {
				t.Fatalf("%s stands twice", a.ID)
			}
			ids[a.ID] = true
			if i > 0 && a.Priority > p.Actions[i-1].Priority+1e-9 {
				t.Fatalf("priority rises at %d: %v after %v", i, a.Priority, p.Actions[i-1].Priority)
			}
			if a.Priority < 0 || a.Priority > 120 || math.IsNaN(a.Gain) || a.Minutes <= 0 || a.Relation[len(a.Relation)-1] != a.Concept {
				t.Fatalf("bad action %+v", a)
			}
			if a.Reason.Rule.source() != a.Source {
				t.Fatalf("rule %s and source %s", a.Reason.Rule, a.Source)
			}
		}
		if diff := cmp.Diff(p, Make(v, q)); diff != "" {
			t.Fatal("another plan for the same state:", diff)
		}
	})
}

// TestGates: plans of every strategy pass the gates of their context when there is enough of everything.
func TestGates(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		v := viewOf(200, r)
		for _, s := range Strategies {
			for _, context := range []Context{Unknown, Stable, Improving, Regressing} {
				limit := 1 + r.IntN(40)
				p := Make(v, Request{Strategy: s, Context: context, Limit: max(2, limit)})
				if e := Evaluate(entries(p), max(2, limit), context, DefaultThresholds()); !e.Passed {
					t.Errorf("seed %d, %s, %s, limit %d: %s %+v", seed, s, context, limit, e.Reason, e)
				}
			}
		}
	}
}

func TestGatesWithFewConcepts(t *testing.T) {
	v := viewOf(3, rand.New(rand.NewPCG(5, 5)))
	for i := range v.Concepts {
		v.Concepts[i].Evidence = []string{"s"}
	}
	v.Divergence = []Edge{{From: 0, To: 1, Kind: "contrast", Confidence: 1}}
	for _, context := range []Context{Stable, Improving, Regressing} {
		p := Make(v, Request{Context: context, Limit: 8})
		if e := Evaluate(entries(p), 8, context, DefaultThresholds()); !e.Passed {
			t.Errorf("%s: %+v", context, e)
		}
	}
}

// chain is a → b → c: each rests on the one before.
func chain(mastery ...float64) *View {
	v := &View{Now: noon}
	for i, m := range mastery {
		c := Concept{ID: string(rune('a' + i)), Mastery: m, Evidence: []string{"s"}}
		if m >= 0.5 {
			c.Attempts, c.Stability, c.Last, c.LastOutcome = 3, 10, noon.Add(-24*time.Hour), Correct
			c.DueAt = c.Last.Add(240 * time.Hour)
		}
		if i > 0 {
			c.Prerequisites = []Link{{To: i - 1, Weight: 1}}
		}
		v.Concepts = append(v.Concepts, c)
	}
	return v
}

// knowsGating feeds evidence of a person for whom prerequisites matter.
func knowsGating(v *View) {
	for range 30 {
		v.Traits.attempt(Try{Mastery: 0.02, Readiness: 0, Effort: 1}, 1, false)
		v.Traits.attempt(Try{Mastery: 0.02, Readiness: 1, Effort: 1}, 1, true)
	}
}

func TestOuterFringe(t *testing.T) {
	v := chain(0.97, 0.02, 0.02, 0.02)
	knowsGating(v)
	if got := OuterFringe(v); !slices.Equal(got, []int{1}) {
		t.Errorf("fringe %v, want [1]", got)
	}
}

func TestRecoveryGoesToTheEldestUnmet(t *testing.T) {
	v := chain(0.95, 0.1, 0.1, 0.6)
	knowsGating(v)
	v.Concepts[3].LastOutcome, v.Concepts[3].Failures = Incorrect, 1
	p := Make(v, Request{Strategy: Recovery, Limit: 2})
	a := p.Actions[0]
	if a.Concept != 1 || a.Reason.Rule != WeakPrerequisite || !slices.Equal(a.Relation, []int{3, 2, 1}) || a.ErrorTag != "prerequisite_gap" {
		t.Errorf("first of recovery: %+v", a)
	}
	if r := Make(v, Request{Strategy: Recovery, Limit: 1}).Actions[0].Reason; r.RunnerUp == nil || len(r.Changes) == 0 {
		t.Errorf("no runner-up or no change: %+v", r)
	}
}

// TestChangesAreTrue: a belief changed as an explanation says gives the place to the runner-up.
func TestChangesAreTrue(t *testing.T) {
	checked := 0
	for seed := range uint64(30) {
		v := viewOf(60, rand.New(rand.NewPCG(seed, 3)))
		v.Divergence = nil
		v.RecentAnswers = 0
		for i := range v.Concepts {
			v.Concepts[i].Evidence = []string{"s"}
			v.Concepts[i].Prerequisites = nil
		}
		p := Make(v, Request{Limit: 5, Minutes: 200})
		for _, a := range p.Actions {
			for _, c := range a.Reason.Changes {
				other := *v
				other.Concepts = slices.Clone(v.Concepts)
				k := &other.Concepts[a.Concept]
				switch c.Quantity {
				case "mastery":
					k.Mastery = c.Then
				case "retrievability":
					if k.Retrievability == 0 {
						continue // the memory model would say otherwise for the past too
					}
					k.Retrievability = c.Then
				case "minutes":
					k.Minutes = c.Then * 1.001
				case "overdue":
					k.DueAt = noon.Add(-time.Duration(c.Then * 24 * float64(time.Hour)))
				}
				if s := newScorer(&other, 30, nil); s.rule(a.Concept, -1) != a.Reason.Rule {
					continue // another rule would hold then, with another kind of action
				}
				checked++
				if q := Make(&other, Request{Limit: 5, Minutes: 200}); slices.ContainsFunc(q.Actions, func(b Action) bool { return b.Concept == a.Concept }) &&
					!slices.ContainsFunc(q.Actions, func(b Action) bool { return b.AtomID == a.Reason.RunnerUp.AtomID }) {
					t.Errorf("seed %d: %s stays although %+v", seed, a.AtomID, c)
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d changes checked", checked)
	}
}

func TestModes(t *testing.T) {
	v := viewOf(200, rand.New(rand.NewPCG(9, 9)))
	for i := range v.Concepts {
		if c := &v.Concepts[i]; c.Attempts > 0 {
			c.Mastery, c.DueAt, c.LastOutcome = 0.9, noon.Add(-time.Hour), Correct
		}
	}
	p := Make(v, Request{Limit: 10, Backlog: true})
	if p.Mode != "backlog" || p.Due < 50 || p.PlansToClear != (p.Due+9)/10 {
		t.Errorf("%s, %d due in %d plans", p.Mode, p.Due, p.PlansToClear)
	}
	for _, a := range p.Actions {
		if v.Concepts[a.Concept].Attempts == 0 {
			t.Errorf("new %s in a backlog", a.AtomID)
		}
	}
	// The day before an exam, what was just learned is worth more than in a month.
	soon, late := Make(v, Request{Limit: 10, Deadline: noon.Add(24 * time.Hour)}), Make(v, Request{Limit: 10})
	if soon.Mode != "deadline" || soon.HorizonDays != 1 || soon.ExpectedGain < late.ExpectedGain/2 {
		t.Errorf("deadline %+v", soon)
	}
}

func TestTraitsLearn(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	try := func(gating float64) float64 {
		var traits Traits
		for range 400 {
			ready := float64(r.IntN(2))
			taught := r.Float64() < 0.4*(1-gating*(1-ready))
			traits.attempt(Try{Mastery: 0.02, Readiness: ready, Effort: 1}, 1, r.Float64() < map[bool]float64{true: 0.93, false: 0.12}[taught])
		}
		return traits.Model().Gating()
	}
	if with, without := try(1), try(0); with < 0.8 || without > 0.2 {
		t.Errorf("gating %v where it matters fully, %v where not", with, without)
	}
	review := func(exponential bool) float64 {
		var traits Traits
		for range 600 {
			elapsed := math.Exp(5 * r.Float64())
			p := math.Pow(1+powerFactor*elapsed/5, -decay)
			if exponential {
				p = math.Pow(0.9, elapsed/5)
			}
			traits.review(elapsed, 5, 1, r.Float64() < p)
		}
		return traits.Model().recall(100, 5)
	}
	if power, exponential := review(false), review(true); power < 0.5 || exponential > 0.25 {
		t.Errorf("recall after twenty stabilities: %v and %v", power, exponential)
	}
}

func TestCurve(t *testing.T) {
	var traits Traits
	m := traits.Model()
	last := 1.0
	for e := 0.001; e < 1e5; e *= 1.3 {
		r := m.recall(e, 10)
		if r > last+1e-12 || r < 0 {
			t.Fatalf("recall %v after %v days, %v before", r, e, last)
		}
		last = r
	}
	if got := grown(10, 5, 0.9); got < 25 || got > 60 {
		t.Errorf("grown to %v", got)
	}
	if got := lapsed(10, 5, 0.9); got > 10 {
		t.Errorf("lapsed to %v", got)
	}
}

func TestRetest(t *testing.T) {
	v := chain(0.9, 0.9, 0.9)
	got := Retest(v, []Answered{{0, Partial, ""}, {1, Incorrect, "skipped"}, {2, Correct, ""}, {1, Incorrect, ""}}, 0)
	if len(got) != 2 || got[0].Kind != Quiz || got[1].Concept != 1 || got[1].Kind != Review || got[1].Priority > got[0].Priority {
		t.Errorf("what it needs does not come first: %+v", got)
	}
	for i := range v.Concepts {
		v.Concepts[i].Prerequisites = nil
	}
	if got = Retest(v, []Answered{{0, Partial, ""}, {1, Incorrect, "skipped"}}, 0); got[0].Concept != 1 || got[0].Priority != 108 || got[1].Priority != 96 {
		t.Errorf("a wrong answer does not come before a partial one: %+v", got)
	}
	slow := *v
	for range 10 {
		slow.Traits.Pace.Took(Review, 0, 4*usual(Review, 0))
	}
	if again := Retest(&slow, []Answered{{1, Incorrect, ""}}, 0); got[0].Minutes != usual(Review, v.Concepts[1].Letters) || again[0].Minutes < 2*got[0].Minutes {
		t.Errorf("the minutes are not the person's: %v, of somebody slow %v", got[0].Minutes, again[0].Minutes)
	}
}

func TestEvaluateBudget(t *testing.T) {
	plan := make([]Entry, 12)
	for i := range plan {
		plan[i] = Entry{SourceRetrain, true}
	}
	for budget, want := range map[int]bool{12: true, 14: true, 6: false, 0: true} {
		if e := Evaluate(plan, budget, Stable, DefaultThresholds()); e.Passed != want {
			t.Errorf("budget %d: %+v", budget, e)
		}
	}
	if e := Evaluate(plan, 12, Improving, DefaultThresholds()); e.Passed || e.Reason != "divergence_share_improving" || e.Status != "watch" {
		t.Errorf("%+v", e)
	}
}

// TestEffective: the expectation over random paths is that of paths drawn.
func TestEffective(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	v := viewOf(50, r)
	p := Make(v, Request{Limit: 10})
	var concepts []int
	for _, a := range p.Actions {
		concepts = append(concepts, a.Concept)
	}
	e := Effective(v, concepts, 0)
	sum, squares, runs := 0.0, 0.0, 3000.0
	for range int(runs) {
		g := Effective(v, r.Perm(50)[:10], 0).Plan
		sum += g
		squares += g * g
	}
	mean := sum / runs
	if sd := math.Sqrt(squares/runs - mean*mean); math.Abs(mean-e.Random) > 4*sd/math.Sqrt(runs) || math.Abs(sd-e.Deviation) > 0.1*sd {
		t.Errorf("drawn %v ± %v, said %v ± %v", mean, sd, e.Random, e.Deviation)
	}
	if e.LiftPct <= 0 {
		t.Errorf("the plan is no better than chance: %+v", e)
	}
}

func TestPreview(t *testing.T) {
	v := viewOf(80, rand.New(rand.NewPCG(6, 6)))
	p := Preview(v, PathsRequest{Request: Request{Focus: []int{40, 41}}, Mastery: 3, Divergence: 2})
	if len(p.Mastery) != 2 {
		t.Fatalf("%d mastery paths for two atoms in focus", len(p.Mastery))
	}
	for _, m := range p.Mastery {
		if last := m.Actions[len(m.Actions)-1]; last.Concept != m.Target || m.Target != 40 && m.Target != 41 {
			t.Errorf("path to %d ends at %d", m.Target, last.Concept)
		}
	}
	if q := Preview(&View{Now: noon}, PathsRequest{Mastery: 3, Divergence: 3}); len(q.Mastery)+len(q.Divergence)+len(q.Recommended.Actions) != 0 || q.Recommended.EvidenceShare != 1 {
		t.Errorf("of nothing: %+v", q)
	}
}
