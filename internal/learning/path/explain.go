package path

import (
	"cmp"
	"slices"
	"strconv"
)

// actions writes the choice down: sorted, with priorities that fall along the plan and the reason of each.
func (c *choice) actions() []Action {
	slices.SortStableFunc(c.taken, func(a, b picked) int {
		if o := cmp.Compare(a.turn, b.turn); o != 0 {
			return o
		}
		return before(a.candidate, b.candidate)
	})
	out := make([]Action, len(c.taken))
	top := map[[2]int]float64{}
	for _, p := range c.taken {
		at := [2]int{p.turn, p.rank}
		top[at] = max(top[at], p.score)
	}
	same := map[string]int{}
	for i, p := range c.taken {
		out[i] = c.action(p, top[[2]int{p.turn, p.rank}])
		if same[out[i].ID]++; same[out[i].ID] > 1 {
			out[i].ID += ":" + strconv.Itoa(same[out[i].ID])
		}
	}
	return out
}

// action writes one choice down; top is the best score of its rank.
func (c *choice) action(p picked, top float64) Action {
	concept := &c.s.v.Concepts[p.concept]
	return Action{
		ID: actionID(p.rule.source(), p.kind, concept.ID), Concept: p.concept, AtomID: concept.ID, Kind: p.kind, Source: p.rule.source(),
		Priority: priority(p, top), Gain: p.gain, Minutes: p.minutes, Evidence: c.evidence(p.candidate),
		Relation: c.relation(p.candidate), After: c.after(p.candidate), ErrorTag: c.errorTag(p.candidate), Reason: c.reason(p),
	}
}

// priority is a number for lists that mix plans. It falls along the plan: nine points per rank below 120, within a rank up
// to nine by the score against the best of it, and further actions on a concept stand below all first ones.
func priority(p picked, top float64) float64 {
	within := 0.0
	if top > 0 {
		within = max(0, p.score/top)
	}
	switch p.turn {
	case 0:
		return max(40, 111-9*float64(p.rank)+9*within)
	case 1:
		return max(21, 38-2*float64(p.rank)+2*within)
	}
	// Bands of five for the third to the last action on a concept.
	return 5*float64(mostTurns-1-p.turn) + max(0, 9-float64(p.rank)+within)*0.45
}

// errorTag is set where the action answers an error.
func (c *choice) errorTag(k *candidate) string {
	switch k.rule {
	case Misconception, Lapsed, Strengthen:
		return c.tag(k)
	case WeakPrerequisite:
		return "prerequisite_gap"
	}
	return ""
}

// after are the concepts that lock the candidate's.
func (c *choice) after(k *candidate) (out []int) {
	if !k.held {
		return nil
	}
	for _, l := range c.s.v.Concepts[k.concept].Prerequisites {
		if c.s.locks(l) && !slices.Contains(out, l.To) {
			out = append(out, l.To)
		}
	}
	return out
}

// relation is the chain from what brought the concept up to the concept itself.
func (c *choice) relation(k *candidate) []int {
	if k.edge >= 0 {
		return []int{k.because, k.concept}
	}
	if k.because < 0 {
		return []int{k.concept}
	}
	chain := []int{k.because}
	for at := k.because; at != k.concept && len(chain) <= deepest; {
		at = c.s.weakest(at)
		if at < 0 {
			return []int{k.because, k.concept}
		}
		chain = append(chain, at)
	}
	return chain
}

func (c *choice) reason(p picked) Reason {
	k := p.candidate
	concept, st := &c.s.v.Concepts[k.concept], &c.s.state[k.concept]
	r := Reason{
		Rule: k.rule, Strategy: c.r.Strategy, Gate: p.gate, Because: k.because,
		Numbers: Numbers{
			Mastery: concept.Mastery, Retrievability: st.shown, Readiness: st.ready, Success: k.success,
			RetainedWith: k.with, RetainedAlone: k.without, Unlocks: k.unlocks, HorizonDays: c.r.HorizonDays,
			OverdueDays: days(c.s.v.Now, concept.DueAt), Score: k.score, Rank: k.rank,
		},
	}
	if c.missed == nil {
		return r
	}
	u := c.missed
	r.RunnerUp = &RunnerUp{AtomID: c.s.v.Concepts[u.concept].ID, Rule: u.rule, Source: u.rule.source(), Score: u.score, Rank: u.rank, Concept: u.concept}
	if p.gate == "" && p.turn == 0 && !c.r.Brief {
		r.Changes = c.changes(k, u)
	}
	return r
}

// changes lists what would have had to be otherwise for the runner-up to stand here.
func (c *choice) changes(k, u *candidate) []Change {
	if v := c.s.v; c.r.Strategy == Balanced && c.s.waitsTooLong(&v.Concepts[k.concept]) && !c.s.waitsTooLong(&v.Concepts[u.concept]) {
		if u.rank != k.rank+1 || k.score > u.score {
			return nil // it would stand here as well if it were not that late
		}
		return []Change{{Quantity: "overdue", Now: days(v.Now, v.Concepts[k.concept].DueAt), Then: overdueDays}}
	}
	if k.rank < u.rank {
		return []Change{{Quantity: "rule", Now: float64(k.rank), Then: float64(u.rank), Rule: k.rule}}
	}
	var out []Change
	if k.rank == u.rank && k.score > u.score {
		for _, q := range []string{"retrievability", "mastery"} {
			if change, ok := c.flips(q, k, u); ok {
				out = append(out, change)
			}
		}
		if c.r.Strategy == Balanced && c.s.timed && u.score > 0 {
			out = append(out, Change{Quantity: "minutes", Now: k.minutes, Then: k.minutes * k.score / u.score})
		}
	}
	return out
}

// flips looks for the nearest value of a belief at which the candidate scores no better than the runner-up.
func (c *choice) flips(quantity string, k, u *candidate) (Change, bool) {
	concept, st := c.s.v.Concepts[k.concept], c.s.state[k.concept]
	now := concept.Mastery
	if quantity == "retrievability" {
		if concept.Stability <= 0 {
			return Change{}, false
		}
		now = st.shown
	}
	score := func(x float64) float64 {
		n, t := concept, st
		if quantity == "mastery" {
			n.Mastery = x
		} else {
			n.Retrievability, t.shown, t.recall = x, x, shifted(st.recall, st.shown, x)
		}
		t.known = n.Mastery * t.recall
		c.s.foresee(&n, &t)
		try := *k
		w := c.s.own(&n, &t, c.s.importance(k.concept), c.s.asked[k.concept].open)
		// What is practised along stays as it is.
		was := c.s.own(&concept, &st, c.s.importance(k.concept), c.s.asked[k.concept].open)
		try.gain, try.unlocks, try.success = k.gain+(w.gain+w.unlocks)-(was.gain+was.unlocks), k.unlocks+w.unlocks-was.unlocks, w.success
		c.s.judge(&try, c.r.Strategy, &n, &t)
		return try.score
	}
	best, found := 0.0, false
	for _, end := range []float64{0.02, 0.99} {
		if (end-now)*(end-now) < 1e-6 || score(end) > u.score {
			continue
		}
		in, out := now, end
		for range 30 {
			mid := (in + out) / 2
			if score(mid) > u.score {
				in = mid
			} else {
				out = mid
			}
		}
		if !found || abs(out-now) < abs(best-now) {
			best, found = out, true
		}
	}
	return Change{Quantity: quantity, Now: now, Then: best}, found
}

func abs(x float64) float64 { return max(x, -x) }

// shifted is what becomes of a probability when another one of the same thing moves, by the same odds.
func shifted(p, from, to float64) float64 {
	odds := func(x float64) float64 { x = min(0.999, max(0.001, x)); return x / (1 - x) }
	o := odds(p) * odds(to) / odds(from)
	return o / (1 + o)
}
