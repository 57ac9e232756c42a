package school

import (
	"stoa/internal/learning/path"
	"time"
)

// view is what a plan is made from: the curriculum with what is believed of the learner. Give it back with done.
func (g *curriculum) view(known *learnerSnapshot, now time.Time) (*path.View, error) {
	memory, err := known.recollect()
	if err != nil {
		return nil, err
	}
	v, _ := g.views.Get().(*path.View)
	if v == nil {
		v = &path.View{Concepts: make([]path.Concept, len(g.unmet))}
	}
	copy(v.Concepts, g.unmet)
	v.Now, v.Divergence, v.Order, v.Decks, v.Traits = now, g.divergence, g.authors, nil, known.traits
	for id, t := range known.each {
		i, ok := g.number[id]
		if !ok {
			continue
		}
		t.Describe(&v.Concepts[i], memory.person, t.memory, memory.due[id], now)
	}
	v.RecentSuccess, v.RecentAnswers = known.traits.RecentSuccess()
	for i, sign := range memory.implied(g, v) { // as fresh, and due as soon, as what it follows from
		c, by := &v.Concepts[i], &v.Concepts[sign.By]
		c.Mastery, c.Variance, c.Stability, c.Last, c.Retrievability, c.DueAt = sign.P, sign.P*(1-sign.P), by.Stability, by.Last, by.Retrievability, by.DueAt
	}
	return v, nil
}

// done gives a view back. Nobody may use it afterwards.
func (g *curriculum) done(v *path.View) { g.views.Put(v) }
