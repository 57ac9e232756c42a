package learner

import (
	"time"

	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/path"
)

// View is what a plan is made from: the curriculum with what is believed of the learner. Give it back with done.
func View(g *notebook.Curriculum, known *Snapshot, now time.Time) (*path.View, error) {
	memory, err := known.recollect()
	if err != nil {
		return nil, err
	}
	v, _ := g.Views.Get().(*path.View)
	if v == nil {
		v = &path.View{Concepts: make([]path.Concept, len(g.Unmet))}
	}
	copy(v.Concepts, g.Unmet)
	v.Now, v.Divergence, v.Order, v.Decks, v.Traits = now, g.Divergence, g.Authors, nil, known.PathTraits
	for id, t := range known.Each {
		i, ok := g.Number[id]
		if !ok {
			continue
		}
		t.Describe(&v.Concepts[i], memory.person, t.memory, memory.due[id], now)
	}
	v.RecentSuccess, v.RecentAnswers = known.PathTraits.RecentSuccess()
	for i, sign := range memory.implied(g, v) { // as fresh, and due as soon, as what it follows from
		c, by := &v.Concepts[i], &v.Concepts[sign.By]
		c.Mastery, c.Variance, c.Stability, c.Last, c.Retrievability, c.DueAt = sign.P, sign.P*(1-sign.P), by.Stability, by.Last, by.Retrievability, by.DueAt
	}
	return v, nil
}

// Done gives a view back. Nobody may use it afterwards.
func Done(g *notebook.Curriculum, v *path.View) { g.Views.Put(v) }
