package path

import (
	"math"
	"sync"
	"time"
)

const (
	// DefaultHorizon is the number of days after which a gain must still be there.
	DefaultHorizon = 30.0
	// well is the recall from which something counts as known, and ready the share of the usual teaching that an attempt
	// must keep, given how much prerequisites matter to this person, for something new to count as open.
	well, ready = 0.75, 0.7
	// patience discounts the value of what rests on a concept, per step: it is only reached by later actions.
	patience = 0.35
)

// scorer holds what one pass over the concepts finds.
type scorer struct {
	v       *View
	m       *Model
	horizon float64
	weight  []float64 // importance by concept, nil is 1 for all
	state   []conceptState
	asked   []asked
	spread  []float64  // see along
	failed  []int32    // concepts that failed lately
	needed  []Link     // the prerequisites of all concepts, one after another
	from    []int32    // where those of each begin in needed
	review  [2]float64 // recall at the horizon of something fresh: left alone, and with one review
	pace    [kinds]float64
	starved bool    // something learned waits too long
	timed   bool    // minutes are counted, not actions
	doubt   float64 // see doubt
	used    tables
}

// tables are the memory that a scorer works in. Plans use it again one after another: fresh memory costs a plan over 10,000 concepts a
// fifth of its processor time, in pages that are touched for the first time and in work for the collector.
type tables struct {
	state              []conceptState
	asked              []asked
	spread             []float64
	repair, queue      []int32
	best               []bridge
	failed, from       []int32
	needed             []Link
	mastery, diverging []candidate
	heaps              [2][]int32
}

// scorers are those that no plan uses now.
var scorers = sync.Pool{New: func() any { return new(scorer) }}

// zeros is n zero values, in the memory of old where that is enough.
func zeros[T any](old *[]T, n int) []T {
	if cap(*old) < n {
		*old = make([]T, n)
	}
	*old = (*old)[:n]
	clear(*old)
	return *old
}

// space is room for n values in the memory of old, where that is enough.
func space[T any](old *[]T, n int) []T {
	if cap(*old) < n {
		*old = make([]T, n)
	}
	return (*old)[:0]
}

// asked is what others ask of a concept. Who looks up a prerequisite or a dependant reaches for one somewhere among all: two of these
// share a line of the processor's cache, so that each costs one wait for memory, where rows of their own cost one for each row, and whole
// concepts several. In large graphs most of a plan's time went there.
type asked struct {
	known   float64 // mastery times recall
	open    float64 // value, in concepts, of what rests on it and waits for it
	share   float64 // of what it is worth, for each thing that it misses
	waiting int32   // dependants that unlock has not worked out yet
	locks   bool    // it is missing, and was not tried in vain
	locked  bool    // see locked
	doubt   bool    // see doubtful
	done    bool    // see settled
}

// conceptState is a concept as the scorer sees it now.
type conceptState struct {
	recall  float64 // probability that it is recalled now if learned, by the traits
	shown   float64 // that it is recalled now, by the person's model of memory: the one that is shown
	known   float64 // mastery times recall
	ready   float64
	ahead   float64 // share of what the author put shortly before it that is not known
	elapsed float64 // days since the last attempt
	// Recall at the horizon of something learned: after a successful review now, after a lapse now, and left alone.
	kept, sunk, alone float64
}

// worth is the outcome of scoring one action on one concept.
type worth struct {
	gain, success, with, without, unlocks float64
}

func newScorer(v *View, horizon float64, weight []float64) *scorer {
	s := new(scorer)
	s.begin(v, horizon, weight)
	return s
}

// begin looks at what a learner knows now. Whatever the scorer gave before must not be used any more.
func (s *scorer) begin(v *View, horizon float64, weight []float64) {
	*s = scorer{v: v, m: v.Traits.Model(), horizon: horizon, weight: weight, pace: v.Traits.Pace.factors(), doubt: doubt * math.Exp(-float64(v.Traits.Reviews)/resolved), failed: s.used.failed[:0], used: s.used}
	s.review[0] = s.m.recall(horizon, initialGood)
	if horizon > 2 {
		r := s.m.recall(1, initialGood)
		s.review[1] = r*s.m.recall(horizon-1, grown(initialGood, 5, r)) + (1-r)*s.m.recall(horizon-1, initialAgain)
	}
	n := len(v.Concepts)
	s.state = zeros(&s.used.state, n)
	s.asked, s.spread = zeros(&s.used.asked, n), zeros(&s.used.spread, n)
	s.needed, s.from = s.used.needed[:0], space(&s.used.from, n+1)
	share := patience * s.m.Gating()
	for i := range v.Concepts {
		c := &v.Concepts[i]
		st, a := &s.state[i], &s.asked[i]
		st.elapsed = days(v.Now, c.Last)
		if c.Stability > 0 {
			st.recall = s.m.recall(st.elapsed, c.Stability)
		}
		if st.shown = st.recall; c.Retrievability > 0 {
			st.shown = min(1, c.Retrievability)
		}
		st.known = c.Mastery * st.recall
		s.starved = s.starved || s.waitsTooLong(c)
		s.foresee(c, st)
		a.known, s.spread[i] = st.known, s.importance(i)*st.known*max(0, st.kept-st.alone)
		s.from = append(s.from, int32(len(s.needed)))
		s.needed = append(s.needed, c.Prerequisites...)
		a.share, a.locked = share*(1-c.Mastery), c.Mastery < learned
		a.locks = st.known < missed && c.Failures < triedInVain
		a.done = c.Attempts > 0 && max(c.Mastery, c.Shown) >= sure && st.shown >= fresh
		if failed(c) && v.Now.Sub(c.Last) <= recent {
			s.failed = append(s.failed, int32(i))
		}
	}
	s.from = append(s.from, int32(len(s.needed)))
	s.used.failed, s.used.needed = s.failed, s.needed
	s.needs()
	s.follow()
	for i := range s.state {
		a, st := &s.asked[i], &s.state[i]
		st.ready *= 1 - orderHold*st.ahead
		a.locked = a.locked && s.opened(st) < ready
	}
	s.unlock()
}

// needs sums up for each concept what is known of its prerequisites, and for unlock how many wait for it and what it is worth to each
// thing that it misses. All in one pass: over many concepts, each pass is mostly a wait for memory.
func (s *scorer) needs() {
	for i := range s.asked {
		a, ready := &s.asked[i], 1.0
		sum, locked := 0.0, false
		for _, l := range s.prerequisites(i) {
			to := &s.asked[l.To]
			missing := l.Weight * (1 - to.known)
			ready *= 1 - missing
			sum += missing
			a.doubt = a.doubt || to.known < missed
			locked = locked || s.locks(l)
			to.waiting++
		}
		s.state[i].ready = ready
		a.locked = a.locked && locked
		a.share /= max(1, sum)
	}
}

// prerequisites are those of concept i, beside those of the others.
func (s *scorer) prerequisites(i int) []Link { return s.needed[s.from[i]:s.from[i+1]] }

// nearby is how many concepts before one in an author's order say whether its turn has come, and orderHold how much of its
// readiness hangs on them.
const nearby, orderHold = 25, 0.9

// turn is the share of them that may be unknown when something's turn has come: one.
const turn = 1.5 / nearby

// follow lowers the readiness of what the author put after things that are not known yet. An order locks nothing: what
// stands before need not be needed.
func (s *scorer) follow() {
	for _, order := range s.v.Order {
		missing := 0.0
		for k, i := range order {
			if k > 0 {
				missing += s.unknown(order[k-1])
			}
			if k > nearby {
				missing -= s.unknown(order[k-1-nearby])
			}
			st := &s.state[i]
			st.ahead = max(st.ahead, missing/nearby)
		}
	}
}

// unknown is how far something that an author put before others is not known. What was tried in vain holds nothing up.
func (s *scorer) unknown(i int) float64 {
	if s.v.Concepts[i].Failures >= triedInVain {
		return 0
	}
	return 1 - s.state[i].known
}

func days(now, then time.Time) float64 {
	if then.IsZero() {
		return 0
	}
	return max(0, now.Sub(then).Hours()/24)
}

func (s *scorer) importance(i int) float64 {
	if s.weight == nil {
		return 1
	}
	return s.weight[i]
}

// unlock works out, from the concepts that nothing rests on down to the first ones, what each one opens: the value of a
// dependant that is not known yet, shared among the prerequisites that it misses. A cycle, which the graph should have
// broken, adds nothing.
func (s *scorer) unlock() {
	if s.m.Gating() < 0.02 {
		return
	}
	queue := space(&s.used.queue, len(s.asked))
	for i := range s.asked {
		if s.asked[i].waiting == 0 {
			queue = append(queue, int32(i))
		}
	}
	first := s.fresh(0.5)
	for k := 0; k < len(queue); k++ {
		i := int(queue[k])
		a := &s.asked[i]
		value := a.share * (s.importance(i)*first + a.open)
		for _, l := range s.prerequisites(i) {
			to := &s.asked[l.To]
			to.open += value * l.Weight
			if to.waiting--; to.waiting == 0 {
				queue = append(queue, int32(l.To))
			}
		}
	}
}

// fresh is the worth at the horizon of having just learned something: as it is, or with the one review that follows, the
// review's time being paid for; teach is the probability that the attempt teaches.
func (s *scorer) fresh(teach float64) float64 {
	return max(s.review[0], s.review[1]/(1+teach))
}

// worth is what one action on concept i changes of what is recalled at the horizon: a review may succeed or lapse, an
// attempt may teach; what the concept encompasses is practised along, what rests on it comes nearer.
func (s *scorer) worth(i int) worth {
	c := &s.v.Concepts[i]
	w := s.own(c, &s.state[i], s.importance(i), s.asked[i].open)
	for _, l := range c.Encompasses {
		w.unlocks += w.success * l.Weight * s.along(l.To)
	}
	w.gain += w.unlocks
	return w
}

// own is worth without what is practised along; its gain is without the unlocks.
func (s *scorer) own(c *Concept, st *conceptState, importance, open float64) worth {
	teach := s.teaches(c, st)
	var w worth
	held := st.recall*st.kept + (1-st.recall)*st.sunk
	w.without = c.Mastery * st.alone
	w.with = c.Mastery*held + (1-c.Mastery)*teach*s.fresh(teach)
	known := st.known + (1-c.Mastery)*teach
	w.success = known*(1-slip) + (1-known)*guess
	w.unlocks = (c.Mastery*(1-st.recall) + (1-c.Mastery)*teach) * open
	w.gain = importance * (w.with - w.without)
	return w
}

// teaches is the probability that an attempt at c teaches it.
func (s *scorer) teaches(c *Concept, st *conceptState) float64 {
	failures := 0
	if c.Mastery < learned {
		failures = c.Failures
	}
	return s.m.teaches(st.ready, effort(c), failures, st.elapsed)
}

// foresee fills in what becomes of the memory of c, whose recall now is known.
func (s *scorer) foresee(c *Concept, st *conceptState) {
	if c.Stability <= 0 {
		return
	}
	d, log := difficulty(c), math.Log(c.Stability)
	st.kept = s.m.recallLog(s.horizon, grownLog(log, d, st.recall))
	st.sunk = s.m.recallLog(s.horizon, math.Log(lapsed(c.Stability, d, st.recall)))
	st.alone = s.m.recallLog(st.elapsed+s.horizon, log)
}

// along is what a full repetition of concept i would add at the horizon.
func (s *scorer) along(i int) float64 { return s.spread[i] }

func effort(c *Concept) float64 {
	if c.Effort <= 0 {
		return 1
	}
	return c.Effort
}

func difficulty(c *Concept) float64 {
	if c.Difficulty < 1 {
		return 5
	}
	return math.Min(c.Difficulty, 10)
}
