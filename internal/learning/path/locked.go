package path

import "slices"

// necessary is the weight from which a prerequisite can lock what needs it; missed the chance of knowing it below which it
// is known to be missing. What was tried so often in a row without success locks nothing: then the graph may be wrong.
const (
	necessary, missed, triedInVain = 0.65, 0.5, 3
)

// locks says whether a prerequisite keeps what needs it from being offered.
func (s *scorer) locks(l Link) bool {
	return l.Weight >= necessary && s.asked[l.To].locks
}

// opened is the share of the usual teaching that is left of an attempt with what is known of the prerequisites.
func (s *scorer) opened(st *conceptState) float64 { return 1 - s.m.Gating()*(1-st.ready) }

// locked says whether concept i is not learned and something necessary for it is known to be missing, while that matters to
// the person. A plan holds it only after all of that, and only when nothing is left that is open.
func (s *scorer) locked(i int) bool { return s.asked[i].locked }

// doubtful says that something that concept i may need is not known.
func (s *scorer) doubtful(i int) bool { return s.asked[i].doubt }

// opens says whether everything that locks a concept stands in the plan before it.
func (c *choice) opens(concept int, used map[int]bool) bool {
	for _, l := range c.s.v.Concepts[concept].Prerequisites {
		if c.s.locks(l) && !used[l.To] {
			return false
		}
	}
	return true
}

// follow takes what was locked and opens by what stands in the plan now: the path to it in order.
func (c *choice) follow(used map[int]bool, spent float64) float64 {
	for found := true; found && len(c.taken) < c.r.Limit; {
		found = false
		for _, k := range c.waiting {
			if len(c.taken) >= c.r.Limit || used[k.concept] || !c.opens(k.concept, used) || c.full(k.concept, -1) || c.r.Minutes > 0 && spent+k.minutes > c.r.Minutes {
				continue
			}
			used[k.concept], found = true, true
			spent += k.minutes
			k.rank += 1 + c.depth(k.concept, used)
			c.taken = append(c.taken, picked{candidate: k, kind: kindsOf(k.rule, c.tag(k))[0]})
		}
	}
	return spent
}

// keepPaths drops what is locked by something that no longer stands in the plan.
func (c *choice) keepPaths() {
	for n := -1; n != len(c.taken); {
		n = len(c.taken)
		stands := map[int]bool{}
		for _, p := range c.taken {
			stands[p.concept] = stands[p.concept] || p.turn == 0
		}
		c.taken = slices.DeleteFunc(c.taken, func(p picked) bool { return p.held && !c.opens(p.concept, stands) })
	}
}

// depth is how many steps of the plan a locked concept stands behind.
func (c *choice) depth(concept int, used map[int]bool) int {
	deepest := 0
	for _, p := range c.taken {
		for _, l := range c.s.v.Concepts[concept].Prerequisites {
			if used[l.To] && p.concept == l.To && p.held && c.s.locks(l) {
				deepest = max(deepest, p.rank)
			}
		}
	}
	return deepest
}
