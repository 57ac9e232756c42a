package path

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// DefaultLimit is the number of actions of a plan that names none.
	DefaultLimit = 12
	// LargestLimit is the most of any plan.
	LargestLimit = 80
	// overdueCap is how many plans' worth of due items make a backlog.
	overdueCap = 3
)

// Request says what plan is wanted. The zero value of a field is its default.
type Request struct {
	Strategy Strategy
	Context  Context
	// Limit is the largest number of actions, 1..80; with Minutes and no Limit only the minutes count.
	Limit int
	// Minutes is the time there is; zero is no bound.
	Minutes float64
	// Focus are the concepts that matter; what they rest on comes along. Empty is everything.
	Focus []int
	// Deadline, when set, puts the horizon there: what counts is what is recalled then.
	Deadline time.Time
	// Backlog leaves new things out until the due items fit in three plans.
	Backlog                 bool
	NoDivergence, NoRetrain bool
	// Brief leaves out what would change each choice.
	Brief bool
	// HorizonDays is 30 when zero.
	HorizonDays float64
	// Questions tells how many different questions can be asked of a concept. Nil, or fewer than two: it is asked the same again.
	Questions func(concept int) int
}

// Plan is what to do, in order.
type Plan struct {
	Strategy        Strategy
	Context         Context
	Mode            string // standard, deadline or backlog
	HorizonDays     float64
	Actions         []Action
	MasteryCount    int // actions of all sources but divergence
	DivergenceCount int
	TotalMinutes    float64
	EvidenceShare   float64 // 0..1; 1 for an empty plan
	ExpectedGain    float64 // concepts recalled at the horizon, beyond doing nothing
	// Due counts the items that are due, PlansToClear how many plans of this size their reviews fill.
	Due          int
	PlansToClear int
}

// Make plans. It takes time in n log n of concepts and edges and gives the same plan for the same arguments.
func Make(v *View, r Request) Plan {
	r = r.settled(v.Now)
	weight, allowed := focus(v, r.Focus)
	s := scorers.Get().(*scorer)
	s.begin(v, r.HorizonDays, weight)
	s.timed = r.Minutes > 0
	mastery, diverging := s.candidates(allowed, r)
	p := Plan{Strategy: r.Strategy, Context: r.Context, Mode: "standard", HorizonDays: r.HorizonDays}
	for i := range mastery {
		if mastery[i].rule == Due || mastery[i].rule == Lapsed {
			p.Due++
		}
	}
	p.PlansToClear = (p.Due + r.Limit - 1) / r.Limit
	if !r.Deadline.IsZero() {
		p.Mode = "deadline"
	}
	if r.Backlog && p.PlansToClear > overdueCap {
		p.Mode = "backlog"
		mastery = slices.DeleteFunc(mastery, func(k candidate) bool {
			return k.rule == Fringe || k.rule == Unplaced || k.rule == Locked || k.rule == Ahead
		})
		diverging = slices.DeleteFunc(diverging, func(k candidate) bool { return v.Concepts[k.concept].Attempts == 0 })
	}
	c := choice{s: s, r: r}
	c.mastery, c.diverging = newQueue(mastery, &s.used.heaps[0]), newQueue(diverging, &s.used.heaps[1])
	c.choose()
	p.Actions = c.actions()
	p.tally()
	s.v, s.weight = nil, nil
	scorers.Put(s)
	return p
}

func (r Request) settled(now time.Time) Request {
	if !r.Strategy.Valid() {
		r.Strategy = Balanced
	}
	if r.Context == "" {
		r.Context = Unknown
	}
	switch {
	case r.Limit <= 0 && r.Minutes > 0:
		r.Limit = LargestLimit
	case r.Limit <= 0:
		r.Limit = DefaultLimit
	}
	r.Limit = min(r.Limit, LargestLimit)
	if r.HorizonDays <= 0 {
		r.HorizonDays = DefaultHorizon
	}
	if !r.Deadline.IsZero() {
		r.HorizonDays = max(1.0/24, r.Deadline.Sub(now).Hours()/24)
	}
	return r
}

// focus gives the concepts in focus full weight and what they rest on a quarter, and allows nothing else.
func focus(v *View, in []int) (weight []float64, allowed []bool) {
	if len(in) == 0 {
		return nil, nil
	}
	weight, allowed = make([]float64, len(v.Concepts)), make([]bool, len(v.Concepts))
	stack := slices.Clone(in)
	for _, i := range in {
		allowed[i] = true
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		weight[i] = 0.25
		for _, l := range v.Concepts[i].Prerequisites {
			if !allowed[l.To] {
				allowed[l.To] = true
				stack = append(stack, l.To)
			}
		}
	}
	for _, i := range in {
		weight[i] = 1
	}
	return weight, allowed
}

// before orders candidates by rank, then score, then concept.
func before(a, b *candidate) int {
	switch {
	case a.rank != b.rank:
		return cmp.Compare(a.rank, b.rank)
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	case a.concept != b.concept:
		return cmp.Compare(a.concept, b.concept)
	}
	return cmp.Compare(a.edge, b.edge)
}

func (p *Plan) tally() {
	p.EvidenceShare = 1
	with := 0
	for i := range p.Actions {
		a := &p.Actions[i]
		if a.Source == SourceDivergence {
			p.DivergenceCount++
		} else {
			p.MasteryCount++
		}
		if len(a.Evidence) > 0 {
			with++
		}
		p.TotalMinutes += a.Minutes
		p.ExpectedGain += a.Gain
	}
	if len(p.Actions) > 0 {
		p.EvidenceShare = float64(with) / float64(len(p.Actions))
	}
}

func actionID(source Source, kind Kind, atom string) string {
	return fmt.Sprintf("%s:%s:%s", source, kind, atom)
}

func share(n int, of float64, up bool) int {
	x := float64(n) * of
	if up {
		return int(math.Ceil(x - 1e-9))
	}
	return int(math.Floor(x + 1e-9))
}
