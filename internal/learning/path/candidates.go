package path

import "time"

const (
	// recent is how long a failure calls for the repair of what it rests on.
	recent = 7 * 24 * time.Hour
	// deepest is how many steps down a chain of prerequisites a repair looks.
	deepest = 32
	// learned is the mastery from which a wrong answer is a lapse and no first try; recurring the intensity from which
	// errors of one kind are a misconception.
	learned, recurring = 0.5, 0.3
	// sure and fresh are the mastery and the recall from which nothing is asked again.
	sure, fresh = 0.89995, 0.94995 // as they are shown, with four digits
	// credited is the share of a repetition that using the source of a divergence edge is worth, at full confidence.
	credited = 0.25
)

// candidate is one thing that could be done.
type candidate struct {
	concept int
	because int     // failed dependant, or source of the edge; -1 is none
	edge    int     // number of the divergence edge; -1 is none
	link    float64 // see link
	rule    Rule
	worth
	minutes float64
	rank    int
	score   float64
	held    bool // something necessary for it is missing: it may only come after that
}

func failed(c *Concept) bool {
	return c.LastOutcome == Incorrect || c.LastOutcome == Partial || c.LastOutcome == Skipped
}

// repairs finds, for each concept that failed lately, the weakest thing it rests on: down the chain of the weakest
// prerequisite to one whose own prerequisites are known, the eldest unmet. It answers by concept the dependant that
// failed, or -1.
func (s *scorer) repairs() []int32 {
	of := zeros(&s.used.repair, len(s.v.Concepts))
	for i := range of {
		of[i] = -1
	}
	for _, i := range s.failed {
		at := int(i)
		for range deepest {
			next := s.weakest(at)
			if next < 0 {
				break
			}
			at = next
		}
		if at != int(i) && of[at] < 0 {
			of[at] = i
		}
	}
	return of
}

// weakest is the prerequisite of i that is missed the most, or -1 when all are known well.
func (s *scorer) weakest(i int) int {
	worst, most := -1, 1-well
	for _, l := range s.v.Concepts[i].Prerequisites {
		if missing := l.Weight * (1 - s.asked[l.To].known); missing > most {
			worst, most = l.To, missing
		}
	}
	return worst
}

// rule says what makes concept i a candidate.
func (s *scorer) rule(i int, repair int32) Rule {
	c := &s.v.Concepts[i]
	switch {
	case repair >= 0:
		return WeakPrerequisite
	case c.Attempts > 0 && failed(c) && c.Mastery >= learned:
		return Lapsed
	case c.Misconception >= recurring && c.Attempts > 1:
		return Misconception
	case IsDue(c, s.v.Now):
		return Due
	case c.Attempts > 0 && c.Mastery < well:
		return Strengthen
	case c.Mastery >= learned:
		return Ahead
	case s.locked(i):
		return Locked
	case !c.Placed && len(c.Prerequisites) == 0, s.doubtful(i):
		return Unplaced
	case s.state[i].ahead > turn:
		return Unplaced // the author put other things before it that are not known
	}
	return Fringe
}

// settled says that there is nothing to gain from asking: it is known, and it was recalled just now.
func (s *scorer) settled(i int) bool { return s.asked[i].done }

// candidates lists and judges everything that could be done, in the order of concepts: one candidate per concept, and one per target of a
// divergence edge. allowed leaves concepts out; nil is all, but for what decks do not allow any more: what was asked for is not bound by
// them.
func (s *scorer) candidates(allowed []bool, r Request) (mastery, diverging []candidate) {
	repair := s.repairs()
	best, n := s.bridges(allowed, r.NoDivergence)
	mastery, diverging = space(&s.used.mastery, len(s.v.Concepts)), space(&s.used.diverging, n)
	for i := range s.v.Concepts {
		out := allowed != nil && !allowed[i] || s.settled(i) || allowed == nil && s.shut(i)
		if out && best[i].edge <= 0 {
			continue
		}
		w := s.worth(i)
		if best[i].edge > 0 {
			b := &best[i]
			along := credited * b.confidence * s.along(int(b.from))
			diverging = append(diverging, candidate{concept: i, because: int(b.from), edge: int(b.edge - 1), link: b.link, rule: Divergence, worth: w})
			k := &diverging[len(diverging)-1]
			k.gain += along
			k.unlocks += along
			s.finish(k, r.Strategy, Transfer)
		}
		rule := s.rule(i, repair[i])
		if out || r.NoRetrain && rule.source() == SourceRetrain {
			continue
		}
		mastery = append(mastery, candidate{concept: i, because: int(repair[i]), edge: -1, rule: rule, held: s.locked(i), worth: w})
		s.finish(&mastery[len(mastery)-1], r.Strategy, kindsOf(rule, s.v.Concepts[i].ErrorTag)[0])
	}
	return mastery, diverging
}

// bridge is the best divergence edge to a target.
type bridge struct {
	link, confidence float64
	from, edge       int32 // edge is its number plus one; 0 is none, closed none for anybody
}

const closed = -1

// bridges finds the best edge to each target, and how many targets have one.
func (s *scorer) bridges(allowed []bool, none bool) (best []bridge, n int) {
	best = zeros(&s.used.best, len(s.v.Concepts))
	if none {
		return best, 0
	}
	for i := range best {
		if s.settled(i) || s.locked(i) || allowed == nil && s.shut(i) {
			best[i].edge = closed
		}
	}
	for e := range s.v.Divergence {
		edge := &s.v.Divergence[e]
		b := &best[edge.To]
		if b.edge == closed || edge.From == edge.To || allowed != nil && !allowed[edge.To] && !allowed[edge.From] {
			continue
		}
		link := s.link(edge)
		if b.edge == 0 {
			n++
		}
		if b.edge == 0 || link > b.link {
			*b = bridge{link, edge.Confidence, int32(edge.From), int32(e + 1)}
		}
	}
	return best, n
}

// finish fills in how long a candidate takes and where it stands.
func (s *scorer) finish(k *candidate, by Strategy, kind Kind) {
	c := &s.v.Concepts[k.concept]
	k.minutes = s.takes(c, kind)
	s.judge(k, by, c, &s.state[k.concept])
}

// link says how good a bridge a divergence edge is: how sure it is, and how well its source is known.
func (s *scorer) link(edge *Edge) float64 {
	return edge.Confidence * (0.3 + 0.7*s.asked[edge.From].known)
}

func (r Rule) source() Source {
	switch r {
	case Lapsed, Due, Ahead:
		return SourceRetrain
	case Misconception:
		return SourceRemediation
	case Divergence:
		return SourceDivergence
	}
	return SourceMastery
}
