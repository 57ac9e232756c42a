package path

// left is how many more concepts of a kind a deck allows; -1 is no bound.
func (d *Deck) left(fresh bool) int {
	if fresh {
		return d.New
	}
	return d.Reviews
}

// shut says whether the decks of concept i allow nothing more of its kind today.
func (s *scorer) shut(i int) bool {
	if len(s.v.Decks) == 0 {
		return false
	}
	c := &s.v.Concepts[i]
	for d := c.Deck; d > 0; d = s.v.Decks[d-1].Above {
		if s.v.Decks[d-1].left(c.Attempts == 0) == 0 {
			return true
		}
	}
	return false
}

// full says whether what stands in the plan, without the action at a place (-1 is none), is all that the decks of a concept
// allow of its kind. What was asked for is not bound.
func (c *choice) full(concept, without int) bool {
	v := c.s.v
	if v.Concepts[concept].Deck == 0 || len(c.r.Focus) > 0 {
		return false
	}
	fresh := v.Concepts[concept].Attempts == 0
	for d := v.Concepts[concept].Deck; d > 0; d = v.Decks[d-1].Above {
		left := v.Decks[d-1].left(fresh)
		if left < 0 {
			continue
		}
		counted := map[int]bool{}
		for at, p := range c.taken {
			if at != without && p.concept != concept && (v.Concepts[p.concept].Attempts == 0) == fresh && v.in(p.concept, d) {
				counted[p.concept] = true
			}
		}
		if len(counted) >= left {
			return true
		}
	}
	return false
}

// in says whether a concept is of a deck or of one below it.
func (v *View) in(concept, deck int) bool {
	for d := v.Concepts[concept].Deck; d > 0; d = v.Decks[d-1].Above {
		if d == deck {
			return true
		}
	}
	return false
}
