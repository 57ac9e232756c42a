package path

import (
	"cmp"
	"iter"
	"slices"
)

// PathsRequest says what preview of paths is wanted (POST /api/knowledge/path).
type PathsRequest struct {
	// Request is the plan that is recommended; its limit is 24 when neither that nor the minutes are given.
	Request
	// Mastery and Divergence are the numbers of paths, 0..12.
	Mastery, Divergence int
}

// MasteryPath leads to one target: the eldest of what is missing of its prerequisites first, then the target.
type MasteryPath struct {
	Target   int
	Priority float64
	Gain     float64
	Actions  []Action
}

// DivergencePath leads over one edge from something known to a neighbour.
type DivergencePath struct {
	From, To int
	Kind     string
	Priority float64
	Gain     float64
	Actions  []Action
}

// Paths is a preview; nothing is meant to be stored of it.
type Paths struct {
	Mastery     []MasteryPath
	Divergence  []DivergencePath
	Recommended Plan
}

// longest is the number of steps of a mastery path when nothing is missing that is necessary; farthest bounds what is.
const longest, farthest = 3, 24

// Preview finds mastery paths, divergence paths and the recommended actions of a strategy.
func Preview(v *View, r PathsRequest) Paths {
	if r.Limit <= 0 && r.Minutes <= 0 {
		r.Limit = 24
	}
	plan := r.settled(v.Now)
	out := Paths{Recommended: Make(v, plan)}
	weight, allowed := focus(v, r.Focus)
	s := newScorer(v, plan.HorizonDays, weight)
	s.timed = plan.Minutes > 0
	mastery, diverging := s.candidates(allowed, plan)
	c := choice{s: s, r: plan}
	targets := mastery
	if len(r.Focus) > 0 {
		in := map[int]bool{}
		for _, i := range r.Focus {
			in[i] = true
		}
		targets = slices.DeleteFunc(slices.Clone(mastery), func(k candidate) bool { return !in[k.concept] })
	}
	by := make([]*candidate, len(v.Concepts))
	for i := range mastery {
		by[mastery[i].concept] = &mastery[i]
	}
	for k := range first(newQueue(targets, &s.used.heaps[0]), r.Mastery) {
		out.Mastery = append(out.Mastery, c.toward(k, by))
	}
	for k := range first(newQueue(diverging, &s.used.heaps[1]), r.Divergence) {
		edge := &v.Divergence[k.edge]
		p := DivergencePath{From: edge.From, To: edge.To, Kind: edge.Kind}
		for turn := range 2 {
			p.add(c.step(k, turn))
		}
		out.Divergence = append(out.Divergence, p)
	}
	return out
}

// mostPaths is the most of either kind.
const mostPaths = 12

func first(ks *queue, n int) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		for i := range max(0, min(n, mostPaths, ks.len())) {
			if !yield(ks.at(i)) {
				return
			}
		}
	}
}

func (p *DivergencePath) add(a Action) {
	p.Priority = max(p.Priority, a.Priority)
	p.Gain += a.Gain
	p.Actions = append(p.Actions, a)
}

// toward leads to a target: what is missing of what it needs, eldest first, then actions on the target itself. When more
// is missing than a path holds, or some of it may not be asked, the path ends before the target.
func (c *choice) toward(k *candidate, by []*candidate) MasteryPath {
	p := MasteryPath{Target: k.concept}
	chain := c.s.before(k.concept)
	if len(chain) == 0 {
		chain = c.s.weakChain(k.concept)
	}
	chain = chain[:min(farthest, len(chain))]
	relation := append(slices.Clone(chain), k.concept)
	stands := map[int]bool{}
	for n, i := range relation {
		step, times := by[i], 1
		if i == k.concept {
			step, times = k, max(1, longest-len(chain))
		}
		if step == nil || step.held && !c.opens(i, stands) {
			continue
		}
		stands[i] = true
		for turn := range times {
			a := c.step(step, turn)
			a.Relation = relation[n:]
			p.Actions = append(p.Actions, a)
		}
	}
	for i := range p.Actions {
		p.Gain += p.Actions[i].Gain
		p.Priority = max(p.Priority, p.Actions[i].Priority)
	}
	for i := range p.Actions { // what a person reads from top to bottom also falls in priority
		p.Actions[i].Priority = p.Priority - float64(i)
	}
	return p
}

// before lists what locks a concept, and what locks that, eldest first.
func (s *scorer) before(concept int) (chain []int) {
	seen := map[int]bool{concept: true}
	var visit func(i int)
	visit = func(i int) {
		if !s.locked(i) {
			return
		}
		for _, l := range s.v.Concepts[i].Prerequisites {
			if s.locks(l) && !seen[l.To] {
				seen[l.To] = true
				visit(l.To)
				chain = append(chain, l.To)
			}
		}
	}
	visit(concept)
	return chain
}

// weakChain leads down from a concept over the weakest prerequisite of each, eldest first, at most longest.
func (s *scorer) weakChain(concept int) (chain []int) {
	for at := s.weakest(concept); at >= 0 && len(chain) < deepest && !slices.Contains(chain, at); at = s.weakest(at) {
		chain = append(chain, at)
	}
	slices.Reverse(chain)
	return chain[:min(longest, len(chain))]
}

// step is the turn-th action on a candidate.
func (c *choice) step(k *candidate, turn int) Action {
	copied := *k
	p := picked{candidate: &copied, kind: kindsOf(k.rule, c.tag(k))[turn], turn: turn}
	copied.gain *= scale(turn)
	copied.minutes = c.s.takes(&c.s.v.Concepts[k.concept], p.kind)
	return c.action(p, k.score)
}

// Retest is what a session's answers call for next: wrong, partial and skipped ones come back (the contract's retest
// plan), one action per concept and kind, at most limit (1..24, 6 when zero). Its minutes are the person's own, as those of every plan.
func Retest(v *View, answered []Answered, limit int) []Action {
	if limit <= 0 {
		limit = 6
	}
	var out []Action
	factors := v.Traits.Pace.factors()
	for _, a := range answered {
		c := &v.Concepts[a.Concept]
		n := Action{Concept: a.Concept, AtomID: c.ID, Source: SourceRetrain, ErrorTag: a.ErrorTag, Evidence: c.Evidence, Relation: []int{a.Concept}}
		switch a.Outcome {
		case Incorrect:
			n.Kind, n.Priority, n.Gain = Review, 108, 0.24
		case Partial:
			n.Kind, n.Priority, n.Gain = Quiz, 96, 0.16
		case Skipped:
			n.Kind, n.Priority, n.Gain = Review, 92, 0.12
		default:
			continue
		}
		n.ID, n.Minutes = actionID(n.Source, n.Kind, c.ID), takes(c, n.Kind, &factors)
		n.Reason = Reason{Rule: Lapsed, Because: -1}
		if !slices.ContainsFunc(out, func(o Action) bool { return o.Concept == n.Concept && o.Kind == n.Kind }) {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b Action) int { return cmp.Compare(b.Priority, a.Priority) })
	out = v.needsFirst(out)
	return out[:min(len(out), limit, 24)]
}

// needsFirst puts actions behind those on what their concepts need, and leaves the order else; priorities keep falling.
func (v *View) needsFirst(actions []Action) []Action {
	out := make([]Action, 0, len(actions))
	for len(actions) > 0 {
		at := slices.IndexFunc(actions, func(a Action) bool {
			return !slices.ContainsFunc(v.Concepts[a.Concept].Prerequisites, func(l Link) bool {
				return l.To != a.Concept && slices.ContainsFunc(actions, func(b Action) bool { return b.Concept == l.To })
			})
		})
		a := actions[max(0, at)] // a cycle, which the graph should have broken, begins anywhere
		if n := len(out); n > 0 {
			a.Priority = min(a.Priority, out[n-1].Priority)
		}
		out, actions = append(out, a), slices.Delete(actions, max(0, at), max(0, at)+1)
	}
	return out
}

// Answered is one answer of a session.
type Answered struct {
	Concept  int
	Outcome  Outcome
	ErrorTag string
}
