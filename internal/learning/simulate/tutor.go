package simulate

import (
	"math"
	"time"

	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/path"
)

// start is the day on which all simulated programmes begin.
var start = time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)

func on(day float64) time.Time { return start.Add(time.Duration(day * 24 * float64(time.Hour))) }

// tutor is what an observer of answers believes: the only thing that policies see.
type tutor struct {
	view   path.View
	order  []int       // topological, of the tutor\'s graph
	deltas []float64   // mean change of mastery per session, newest first
	recent []bool      // the last 30 answers
	model  *path.Model // of the traits as they were at the last plan
}

// Assumed by the tutor, and not the worlds' values.
const assumedGuess, assumedSlip = 0.15, 0.08

func newTutor(g *Graph, pre [][]int, edges [][2]int) *tutor {
	n := len(pre)
	t := &tutor{view: path.View{Concepts: make([]path.Concept, n)}, model: new(path.Traits).Model(), order: topological(pre)}
	for i := range n {
		c := &t.view.Concepts[i]
		// The authors' estimates of effort are right only roughly.
		c.ID, c.Mastery, c.Variance = g.Names[i], 0.02, 0.02*0.98
		c.Effort = math.Sqrt(g.Effort[i])
		c.Difficulty = 5
		c.Minutes = 6
		c.Evidence = []string{g.Names[i]}
		for _, p := range pre[i] {
			c.Prerequisites = append(c.Prerequisites, path.Link{To: p, Weight: 0.9})
			c.Encompasses = append(c.Encompasses, path.Link{To: p, Weight: 0.1})
		}
	}
	for _, e := range edges {
		t.view.Divergence = append(t.view.Divergence, path.Edge{From: e[0], To: e[1], Kind: "analogy", Confidence: 0.7})
	}
	return t
}

// at moves the view to a day.
func (t *tutor) at(day float64) *path.View {
	t.view.Now = on(day)
	t.view.RecentAnswers = len(t.recent)
	right := 0
	for _, y := range t.recent {
		if y {
			right++
		}
	}
	t.view.RecentSuccess = float64(right) / float64(max(1, len(t.recent)))
	return &t.view
}

func (t *tutor) readiness(c *path.Concept) float64 {
	ready := 1.0
	for _, l := range c.Prerequisites {
		p := &t.view.Concepts[l.To]
		ready *= 1 - l.Weight*(1-p.Mastery*t.recall(p))
	}
	return ready
}

func (t *tutor) recall(c *path.Concept) float64 {
	if c.Stability <= 0 {
		return 0
	}
	return t.model.Recall(t.view.Now.Sub(c.Last).Hours()/24, c.Stability)
}

// answered takes one answer in and returns the change of mastery.
func (t *tutor) answered(i int, right bool) float64 {
	c := &t.view.Concepts[i]
	if t.recent = append(t.recent, right); len(t.recent) > 30 {
		t.recent = t.recent[1:]
	}
	before, elapsed := c.Mastery, t.view.Now.Sub(c.Last).Hours()/24
	r := t.recall(c)
	ready := t.readiness(c)
	try := path.Try{Mastery: before, Readiness: ready, Effort: c.Effort, Failures: c.Failures, Days: elapsed}
	teach := t.model.Teaches(ready, c.Effort, c.Failures, elapsed)
	if c.Stability > 0 {
		t.view.Traits.Review(elapsed, c.Stability, before, right)
	}
	t.view.Traits.Attempt(try, 1, right)
	// Four ways to stand: learned and recalled, learned and forgotten, learned by this attempt, not learned.
	like := func(knows bool) float64 {
		p := assumedGuess
		if knows {
			p = 1 - assumedSlip
		}
		if right {
			return p
		}
		return 1 - p
	}
	held, gone := before*r*like(true), before*(1-r)*like(false)
	taught, not := (1-before)*teach*like(true), (1-before)*(1-teach)*like(false)
	sum := held + gone + taught + not
	c.Mastery = min(0.995, max(0.005, (held+gone+taught)/sum))
	c.Variance = c.Mastery * (1 - c.Mastery)
	grade := fsrs.Again
	if right {
		grade = fsrs.Good
	}
	memory := fsrs.State{Stability: c.Stability, Difficulty: c.Difficulty}
	if before < 0.5 {
		memory = fsrs.State{} // perhaps only now learned
	} else if !right {
		c.Lapses++
	}
	memory = schedule.Next(memory, grade, elapsed)
	c.Stability, c.Difficulty = memory.Stability, memory.Difficulty
	c.Attempts++
	c.Last = t.view.Now
	c.DueAt = c.Last.Add(time.Duration(c.Stability * 24 * float64(time.Hour)))
	if right {
		c.LastOutcome, c.Failures = path.Correct, 0
	} else {
		c.LastOutcome, c.Failures = path.Incorrect, c.Failures+1
	}
	return c.Mastery - before
}

// schedule is FSRS-6 with default weights.
var schedule = fsrs.NewModel(fsrs.Default)

// ended closes a session.
func (t *tutor) ended(deltas []float64) {
	sum := 0.0
	for _, d := range deltas {
		sum += d
	}
	t.deltas = append([]float64{sum / float64(max(1, len(deltas)))}, t.deltas...)
	t.deltas = t.deltas[:min(len(t.deltas), 4)]
}
