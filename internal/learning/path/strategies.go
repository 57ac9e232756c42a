package path

import "math"

// judge gives a candidate its rank (0 goes first) and its score within the rank under a strategy. c and st stand for
// what is believed of the concept, so that an explanation can ask what another belief would have changed.
func (s *scorer) judge(k *candidate, by Strategy, c *Concept, st *standing) {
	switch by {
	case Recovery:
		s.recover(k, c, st)
	case Exploration:
		s.explore(k, c, st)
	default:
		// Retained gain per minute, over everything.
		k.rank, k.score = 0, k.gain/k.minutes
		if c.Attempts == 0 && s.starved {
			k.rank = 1 // after what waits too long
		}
		if k.rule == Unplaced && c.Early > 0 {
			k.score *= 0.25 + 0.75*c.Early
		}
	}
	if k.rule == Locked {
		k.rank = max(k.rank, lockedRank)
	}
	k.score *= s.encouragement(k.success)
}

// overdueBound is how many days something may be past its date, at least, while time goes to new things; else as many as
// its interval has.
const overdueBound = 3

// waitsTooLong says that something learned is further past its date than it may be before new things wait for it.
func (s *scorer) waitsTooLong(c *Concept) bool {
	if c.Mastery < learned || c.Attempts == 0 || c.DueAt.IsZero() {
		return false
	}
	return days(s.v.Now, c.DueAt) > max(overdueBound, c.DueAt.Sub(c.Last).Hours()/24)
}

// lockedRank is after everything that can be begun now.
const lockedRank = 8

// recover repairs before it explores: what failures rest on, lapses, misconceptions, due items, each by how weak it is;
// then what was begun and not learned; then, in the order of what rests on it, what is new.
func (s *scorer) recover(k *candidate, c *Concept, st *standing) {
	weak := c.Mastery * (1 - st.recall)
	switch k.rule {
	case WeakPrerequisite:
		k.rank, k.score = 0, (1-st.known)*(1+s.open[k.concept])
	case Lapsed:
		k.rank, k.score = 1, (1-st.known)*(1+c.Mastery)
	case Misconception:
		k.rank, k.score = 2, c.Misconception*(2-st.known)
	case Due:
		k.rank, k.score = 3, weak
	case Strengthen:
		k.rank, k.score = 4, k.gain/k.minutes
	case Fringe, Unplaced:
		k.rank, k.score = 5, 1+s.open[k.concept]
	case Ahead:
		k.rank, k.score = 6, weak
	default:
		k.rank, k.score = 7, max(0, k.gain)/k.minutes
	}
}

// explore opens what is new by the learning progress it promises, and keeps only the reviews without which much is lost.
func (s *scorer) explore(k *candidate, c *Concept, st *standing) {
	teach := s.teaches(c, st)
	// What an attempt teaches, and what it tells about what is uncertain.
	progress := (1-c.Mastery)*teach + math.Sqrt(max(0, c.Variance))*0.15
	switch {
	case k.rule != Fringe && k.rule != Unplaced && k.rule != Divergence && s.critical(k, c, st):
		k.rank, k.score = 0, c.Mastery*(1-st.recall)*math.Log1p(c.Stability)+k.unlocks
	case s.waitsTooLong(c):
		k.rank, k.score = 0, 1+c.Mastery*(1-st.recall)
	case k.rule == Fringe, k.rule == Unplaced, k.rule == Strengthen:
		k.rank, k.score = 1, progress/k.minutes
	case k.rule == Divergence:
		k.rank, k.score = 1, progress*s.link(k.edge)*(1-c.Mastery)/k.minutes
	case k.rule == Locked, k.rule == WeakPrerequisite, k.rule == Misconception:
		k.rank, k.score = 2, progress/k.minutes
	default:
		k.rank, k.score = 3, max(0, k.gain)/k.minutes
	}
}

// critical is a review of something learned that held for a week or more and is by now more likely gone than is good, or
// that others wait for.
func (s *scorer) critical(k *candidate, c *Concept, st *standing) bool {
	return c.Mastery >= learned && (st.recall < 0.6 && c.Stability >= 7 || k.unlocks > 0.1)
}

// encouragement prefers what will be answered rightly while a person fails more than is good for going on: from a recent
// success of 0.6 down, ever more.
func (s *scorer) encouragement(success float64) float64 {
	if s.v.RecentAnswers < 10 || s.v.RecentSuccess >= 0.6 {
		return 1
	}
	return math.Pow(success, 2*min(1, (0.6-s.v.RecentSuccess)/0.15))
}
