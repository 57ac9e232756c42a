package path

import "math"

// judge gives a candidate its rank (0 goes first) and its score within the rank under a strategy. c and st stand for
// what is believed of the concept, so that an explanation can ask what another belief would have changed.
func (s *scorer) judge(k *candidate, by Strategy, c *Concept, st *conceptState) {
	k.rank = 0
	switch by {
	case Recovery:
		s.recover(k, c, st)
	case Exploration:
		s.explore(k, c, st)
	default:
		s.balance(k, c, st)
	}
	if k.held {
		k.rank = max(k.rank, lockedRank)
	}
	k.score *= s.encouragement(k.success)
}

const (
	// doubt is by how much more than its gain a due review counts at first, since the model of memory may be wrong and
	// only reviews show it; it goes as reviews come in, to a third in about resolved of them.
	doubt, resolved = 1.5, 80
	// early is how much of the gain of a review counts that is not due yet, as it would gain more later.
	early = 0.25
	// tiring is the recent success below which what was begun comes before what is new.
	tiring = 0.4
)

// balance takes what adds the most recall for the minutes, or for the actions when these are what is counted, after what has
// waited too long. What is known and not due waits, but for what others wait for. Together these rules did best in worlds whose students remember
// otherwise than the tutor thinks (docs/strategies.md).
func (s *scorer) balance(k *candidate, c *Concept, st *conceptState) {
	gain := k.gain
	if s.starved && !s.waitsTooLong(c) {
		k.rank = 1
	}
	if c.Attempts == 0 && c.Mastery < learned && s.tired() {
		k.rank++
	}
	switch {
	case c.Mastery < learned:
	case IsDue(c, s.v.Now):
		gain *= 1 + s.doubt
	default:
		gain = k.unlocks + early*(gain-k.unlocks)
	}
	k.score = gain / s.cost(k, c)
	if k.rule == Unplaced && c.Early > 0 && st.ahead == 0 {
		k.score *= 0.25 + 0.75*c.Early
	}
}

// cost is what an action takes of what there is: minutes, or one of so many actions. A detour over a neighbour counts as
// often as the plain action could be done in its time.
func (s *scorer) cost(k *candidate, c *Concept) float64 {
	switch {
	case s.timed:
		return k.minutes
	case k.edge < 0:
		return 1
	case c.Attempts == 0:
		return max(1, k.minutes/s.takes(c, Explain))
	}
	return max(1, k.minutes/s.takes(c, Quiz))
}

// tired says that hardly anything was answered rightly of late.
func (s *scorer) tired() bool { return s.v.RecentAnswers >= fewAnswers && s.v.RecentSuccess < tiring }

// overdueDays is how many days something learned may be past its date while time goes to new things.
const overdueDays = 7

// waitsTooLong says that something learned is further past its date than that.
func (s *scorer) waitsTooLong(c *Concept) bool {
	return c.Mastery >= learned && !c.DueAt.IsZero() && days(s.v.Now, c.DueAt) > overdueDays
}

// lockedRank is after everything that can be begun now.
const lockedRank = 8

// recover repairs before it explores: what failures rest on, lapses, misconceptions, due items, each by how weak it is;
// then what was begun and not learned; then, in the order of what rests on it, what is new.
func (s *scorer) recover(k *candidate, c *Concept, st *conceptState) {
	weak := c.Mastery * (1 - st.recall)
	switch k.rule {
	case WeakPrerequisite:
		k.rank, k.score = 0, (1-st.known)*(1+s.asked[k.concept].open)
	case Lapsed:
		k.rank, k.score = 1, (1-st.known)*(1+c.Mastery)
	case Misconception:
		k.rank, k.score = 2, c.Misconception*(2-st.known)
	case Due:
		k.rank, k.score = 3, weak
	case Strengthen:
		k.rank, k.score = 4, k.gain/k.minutes
	case Fringe, Unplaced:
		k.rank, k.score = 5, 1+s.asked[k.concept].open
	case Ahead:
		k.rank, k.score = 6, weak
	default:
		k.rank, k.score = 7, max(0, k.gain)/k.minutes
	}
}

// explore opens what is new by the learning progress it promises, and keeps only the reviews without which much is lost.
func (s *scorer) explore(k *candidate, c *Concept, st *conceptState) {
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
		k.rank, k.score = 1, progress*k.link*(1-c.Mastery)/k.minutes
	case k.rule == Locked, k.rule == WeakPrerequisite, k.rule == Misconception:
		k.rank, k.score = 2, progress/k.minutes
	default:
		k.rank, k.score = 3, max(0, k.gain)/k.minutes
	}
}

// critical is a review of something learned that held for a week or more and is by now more likely gone than is good, or
// that others wait for.
func (s *scorer) critical(k *candidate, c *Concept, st *conceptState) bool {
	return c.Mastery >= learned && (st.recall < 0.6 && c.Stability >= 7 || k.unlocks > 0.1)
}

// fewAnswers say nothing of how it goes of late.
const fewAnswers = 10

// encouragement prefers what will be answered rightly while a person fails more than is good for going on: from a recent
// success of 0.6 down, ever more.
func (s *scorer) encouragement(success float64) float64 {
	if s.v.RecentAnswers < fewAnswers || s.v.RecentSuccess >= 0.6 {
		return 1
	}
	return math.Pow(success, 2*min(1, (0.6-s.v.RecentSuccess)/0.15))
}
