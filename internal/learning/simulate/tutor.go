package simulate

import (
	"math"
	"time"

	"stoa/internal/learning/path"
)

// start is the day on which all simulated programmes begin.
var start = time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)

func on(day float64) time.Time { return start.Add(time.Duration(day * 24 * float64(time.Hour))) }

// tutor is what an observer of answers believes: the only thing that policies see.
type tutor struct {
	view   path.View
	belief []path.Belief // by concept: the same that the product follows
	order  []int         // topological, of the tutor's graph
	deltas []float64     // mean change of mastery per session, newest first
	recent []bool        // the last 30 answers
	model  *path.Model   // of the traits as they were at the last plan
}

func newTutor(g *Graph, pre [][]int, edges [][2]int) *tutor {
	n := len(pre)
	t := &tutor{view: path.View{Concepts: make([]path.Concept, n)}, belief: make([]path.Belief, n), model: new(path.Traits).Model(), order: topological(pre)}
	for i := range n {
		c := &t.view.Concepts[i]
		// The authors' estimates of effort are right only roughly.
		c.ID, c.Effort = g.Names[i], math.Sqrt(g.Effort[i])
		t.belief[i].Fill(c)
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
	return path.Readiness(c.Prerequisites, func(i int) float64 { return t.belief[i].Held(t.model, t.view.Now) })
}

// answered takes one answer in and returns the change of mastery.
func (t *tutor) answered(i int, right bool) float64 {
	c := &t.view.Concepts[i]
	if t.recent = append(t.recent, right); len(t.recent) > 30 {
		t.recent = t.recent[1:]
	}
	before, outcome := c.Mastery, path.Incorrect
	if right {
		outcome = path.Correct
	}
	b := &t.belief[i]
	b.Answer(&t.view.Traits, t.model, t.view.Now, t.readiness(c), c.Effort, outcome)
	b.Fill(c)
	return c.Mastery - before
}

// ended closes a session.
func (t *tutor) ended(deltas []float64) {
	sum := 0.0
	for _, d := range deltas {
		sum += d
	}
	t.deltas = append([]float64{sum / float64(max(1, len(deltas)))}, t.deltas...)
	t.deltas = t.deltas[:min(len(t.deltas), 4)]
}
