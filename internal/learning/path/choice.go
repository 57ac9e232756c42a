package path

import (
	"iter"
	"math"
	"slices"
)

// choice picks, out of two sorted lists, what stands in the plan.
type choice struct {
	s                  *scorer
	r                  Request
	mastery, diverging *queue
	taken              []picked
	missed             *candidate   // the best that was left
	waiting            []*candidate // locked ones that came before what they need
}

// picked is a candidate with one of its three kinds of action.
type picked struct {
	*candidate
	kind Kind
	turn int // 0 is the first action on the concept
	gate string
}

// Plan-quality gates by context (shares of divergence actions) and criticality of exploration's reviews.
const (
	mostWhenRegressing = 0.35
	leastWhenImproving = 0.15
	leastWhenExploring = 0.30
	mostCritical       = 0.20
	// again is what an action on a concept that stands in the plan already is worth against the first one.
	again = 0.4
	// mostTurns bounds the actions on one concept.
	mostTurns = 6
)

func (c *choice) choose() {
	most := c.r.Limit
	switch {
	case c.r.Context == Regressing, c.r.Strategy == Recovery:
		most = share(c.r.Limit, mostWhenRegressing, false)
	}
	used := map[int]bool{}
	spent, divergence, critical := 0.0, 0, 0
	m, d := 0, 0
	for len(c.taken) < c.r.Limit && (m < c.mastery.len() || d < c.diverging.len()) {
		var k *candidate
		if m < c.mastery.len() && (d >= c.diverging.len() || before(c.mastery.at(m), c.diverging.at(d)) <= 0) {
			k = c.mastery.at(m)
			m++
		} else {
			k = c.diverging.at(d)
			d++
		}
		full := c.r.Strategy == Exploration && k.rank == 0 && critical >= max(1, share(c.r.Limit, mostCritical, false))
		if full && c.missed != nil { // the rest of the rank does not come in either, and in large graphs that is thousands
			m, d = max(m, c.mastery.after(0)), max(d, c.diverging.after(0))
			continue
		}
		tight := full || k.edge >= 0 && divergence >= most
		if k.held && !c.opens(k.concept, used) {
			c.waiting = append(c.waiting, k)
			continue
		}
		if !used[k.concept] && c.full(k.concept, -1) {
			continue
		}
		if used[k.concept] || tight || c.r.Minutes > 0 && spent+k.minutes > c.r.Minutes {
			if c.missed == nil && !used[k.concept] {
				c.missed = k
			}
			continue
		}
		used[k.concept] = true
		spent += k.minutes
		if k.edge >= 0 {
			divergence++
		} else if c.r.Strategy == Exploration && k.rank == 0 {
			critical++
		}
		c.taken = append(c.taken, picked{candidate: k, kind: kindsOf(k.rule, c.tag(k))[0]})
	}
	for _, rest := range []iter.Seq[*candidate]{c.mastery.from(m), c.diverging.from(d)} {
		for k := range rest {
			if !used[k.concept] {
				if c.missed == nil || before(k, c.missed) < 0 {
					c.missed = k
				}
				break
			}
		}
	}
	spent = c.follow(used, spent)
	c.fill(spent)
	switch {
	case c.r.Strategy == Exploration && c.r.Context != Regressing:
		c.raise(used, leastWhenExploring, "exploration_share")
	case c.r.Context == Improving:
		c.raise(used, leastWhenImproving, "divergence_share_improving")
	}
	c.prove(used)
	for n := -1; n != len(c.taken); { // what one leaves out may be what the other goes by
		n = len(c.taken)
		c.keepPaths()
		if c.r.Context == Regressing {
			c.lower()
		}
	}
}

func (c *choice) tag(k *candidate) string { return c.s.v.Concepts[k.concept].ErrorTag }

// fill gives concepts more actions when there are fewer concepts than actions wanted.
func (c *choice) fill(spent float64) {
	first := len(c.taken)
	for turn := 1; turn < mostTurns; turn++ {
		for i := 0; i < first && len(c.taken) < c.r.Limit; i++ {
			p := c.taken[i]
			kind, ok := c.kind(p.candidate, turn)
			if !ok || p.edge >= 0 && c.r.Context == Regressing {
				continue
			}
			k := *p.candidate
			k.gain *= scale(turn)
			k.score *= scale(turn)
			k.minutes = c.s.takes(&c.s.v.Concepts[k.concept], kind)
			if c.r.Minutes > 0 && spent+k.minutes > c.r.Minutes {
				continue
			}
			spent += k.minutes
			c.taken = append(c.taken, picked{candidate: &k, kind: kind, turn: turn, gate: p.gate})
		}
	}
}

// kind is that of the turn-th action on a candidate, if there is one: where there is more to ask, that comes before reflecting on it, and
// then more than three actions make sense.
func (c *choice) kind(k *candidate, turn int) (Kind, bool) {
	kinds := kindsOf(k.rule, c.tag(k))
	more := k.edge < 0 && c.r.Questions != nil && c.r.Questions(k.concept) > turn
	switch {
	case more && (turn >= len(kinds) || kinds[turn] == Reflection):
		return Quiz, true
	case turn < len(kinds):
		return kinds[turn], true
	}
	return "", false
}

func scale(turn int) float64 { return math.Pow(again, float64(turn)) }

func (c *choice) divergent() (n int) {
	for _, p := range c.taken {
		if p.edge >= 0 {
			n++
		}
	}
	return n
}

// raise takes divergence edges in for the last mastery actions until a share is met: what an improving person is due, or
// what exploring means.
func (c *choice) raise(used map[int]bool, least float64, gate string) {
	have, want := c.divergent(), share(len(c.taken), least, true)
	for k := range c.diverging.from(0) {
		if have >= want {
			return
		}
		// Its target may stand in the plan as a mastery action: then that place turns into the divergence action.
		at := c.last(func(p picked) bool { return p.edge < 0 && p.concept == k.concept && p.turn == 0 })
		if used[k.concept] && at < 0 {
			continue
		}
		if at < 0 {
			at = c.last(func(p picked) bool { return p.edge < 0 })
		}
		if at < 0 || c.full(k.concept, at) || !c.room(&at, k, used) {
			continue
		}
		left := c.taken[at].concept
		c.taken[at] = picked{candidate: k, kind: Transfer, gate: gate}
		c.leave(left, used)
		used[k.concept] = true
		have, want = have+1, share(len(c.taken), least, true)
	}
	// With few edges, those that are taken get a second and a third action, for second and third ones on other concepts.
	for turn := 1; turn < 3; turn++ {
		for i := 0; i < len(c.taken) && have < want; i++ {
			p := c.taken[i]
			at := c.last(func(q picked) bool { return q.edge < 0 && q.turn > 0 })
			if p.edge < 0 || p.turn != 0 || at < 0 || c.has(p.concept, turn) {
				continue
			}
			k := *p.candidate
			k.gain *= scale(turn)
			k.score *= scale(turn)
			kind := kindsOf(Divergence, "")[turn]
			k.minutes = c.s.takes(&c.s.v.Concepts[k.concept], kind)
			if c.over(at, &k) {
				continue
			}
			c.taken[at] = picked{candidate: &k, kind: kind, turn: turn, gate: gate}
			have++
		}
	}
}

func (c *choice) has(concept, turn int) bool {
	return slices.ContainsFunc(c.taken, func(p picked) bool { return p.edge >= 0 && p.concept == concept && p.turn == turn })
}

// lower drops the last divergence actions of a plan that came out shorter than wanted, so that the share holds.
func (c *choice) lower() {
	for c.divergent() > share(len(c.taken), mostWhenRegressing, false) {
		at := c.last(func(p picked) bool { return p.edge >= 0 })
		c.taken = slices.Delete(c.taken, at, at+1)
	}
}

// leastEvidence is the share of actions with evidence that a plan needs.
const leastEvidence = 0.70

// prove takes candidates that have evidence for the last ones that have none, within their kind, until enough have some.
func (c *choice) prove(used map[int]bool) {
	with := 0
	for _, p := range c.taken {
		if len(c.evidence(p.candidate)) > 0 {
			with++
		}
	}
	need := share(len(c.taken), leastEvidence, true) - with
	if need <= 0 {
		return
	}
	for _, list := range []*queue{c.mastery, c.diverging} {
		for k := range list.from(0) {
			if need <= 0 {
				return
			}
			if used[k.concept] || k.held || len(c.evidence(k)) == 0 {
				continue
			}
			at := c.last(func(p picked) bool {
				return (p.edge >= 0) == (k.edge >= 0) && len(c.evidence(p.candidate)) == 0
			})
			if at < 0 {
				break
			}
			if c.over(at, k) || c.full(k.concept, at) {
				continue
			}
			used[k.concept] = true
			c.taken[at] = picked{candidate: k, kind: kindsOf(k.rule, c.tag(k))[0], gate: "evidence_coverage"}
			need--
		}
	}
}

// room drops the last mastery actions until k fits into the minutes in the place of the action at *at, and says whether
// it does. Half of the plan stays.
func (c *choice) room(at *int, k *candidate, used map[int]bool) bool {
	var without []int
	sum := k.minutes
	for i, p := range c.taken {
		if i != *at {
			sum += p.minutes
		}
	}
	for i := len(c.taken) - 1; i >= 0 && c.r.Minutes > 0 && sum > c.r.Minutes; i-- {
		if p := c.taken[i]; i != *at && p.edge < 0 && 2*len(without) < len(c.taken) {
			without = append(without, i)
			sum -= p.minutes
		}
	}
	if c.r.Minutes > 0 && sum > c.r.Minutes {
		return false
	}
	for _, i := range without { // from the last to the first
		left := c.taken[i].concept
		c.taken = slices.Delete(c.taken, i, i+1)
		c.leave(left, used)
		if i < *at {
			*at--
		}
	}
	return true
}

// leave makes a concept free for the plan again, if none of its actions is left.
func (c *choice) leave(concept int, used map[int]bool) {
	if !slices.ContainsFunc(c.taken, func(p picked) bool { return p.concept == concept }) {
		delete(used, concept)
	}
}

// over says whether taking k for the action at place at would need more minutes than there are.
func (c *choice) over(at int, k *candidate) bool {
	if c.r.Minutes <= 0 {
		return false
	}
	sum := k.minutes - c.taken[at].minutes
	for _, p := range c.taken {
		sum += p.minutes
	}
	return sum > c.r.Minutes
}

func (c *choice) last(fits func(picked) bool) int {
	for i := len(c.taken) - 1; i >= 0; i-- {
		if fits(c.taken[i]) {
			return i
		}
	}
	return -1
}

// evidence are the spans of the edge and of the concept.
func (c *choice) evidence(k *candidate) []string {
	own := c.s.v.Concepts[k.concept].Evidence
	if k.edge < 0 || len(c.s.v.Divergence[k.edge].Evidence) == 0 {
		return own
	}
	out := slices.Concat(c.s.v.Divergence[k.edge].Evidence, own)
	slices.Sort(out)
	return slices.Compact(out)
}
