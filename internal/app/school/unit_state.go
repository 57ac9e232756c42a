package school

import (
	"time"

	"stoa/internal/app/core"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
)

// masteredAt is the mastery that is shown from which something counts as mastered.
const masteredAt = 0.8

// unitState is where a learner stands with a unit. Every page, plan and export says this and nothing else of it.
type unitState struct {
	state   string
	studied bool // somebody answered; else nothing is known and no figure is shown
	// implied is the probability that it is known, by what was answered of what needs it; 0 is that nothing follows.
	implied float64
	due     time.Time // of what is implied
	mastery.Estimate
}

func (s *unitState) uncertain() bool {
	return s.studied && s.Interval90[1]-s.Interval90[0] > uncertainGap
}

// figures are what is shown of a unit: of one that was never studied nothing but when it is to be asked, if it is implied.
func (s *unitState) figures() (shown *float64, interval []float64, retrievability *float64, next string) {
	if !s.studied {
		return nil, nil, nil, clock.Text(s.due)
	}
	p := core.Rounded(s.MasteryProbability, 4)
	if s.Stability > 0 {
		r := core.Rounded(s.Retrievability, 4)
		retrievability = &r
	}
	return &p, []float64{core.Rounded(s.Interval90[0], 4), core.Rounded(s.Interval90[1], 4)}, retrievability, clock.Text(s.NextReviewAt)
}

// unitStates says where a learner stands with every unit.
func (g *curriculum) unitStates(known *learnerSnapshot, now time.Time) ([]unitState, error) {
	view, err := g.view(known, now)
	if err != nil {
		return nil, err
	}
	defer g.done(view)
	stand := make([]unitState, len(g.units))
	for i := range stand {
		stand[i].state = "locked"
	}
	for _, i := range path.OuterFringe(view) {
		stand[i].state = "ready"
	}
	for i := range stand {
		if c := &view.Concepts[i]; c.Attempts == 0 && c.Stability > 0 {
			stand[i].implied, stand[i].state = c.Mastery, "ready"
			switch {
			case path.IsDue(c, now):
				stand[i].state, stand[i].due = "due", c.DueAt
			case c.Mastery >= masteredAt:
				stand[i].state, stand[i].due = "mastered", c.DueAt
			case c.Mastery >= leastProbed:
				stand[i].due = c.DueAt
			}
		}
	}
	err = known.estimates(now, func(id string, a *atomState, e *mastery.Estimate) {
		i, ok := g.number[id]
		if !ok || a.Attempts() == 0 {
			return
		}
		s := &stand[i]
		s.studied, s.Estimate, s.state = true, g.covering(id, &a.Practice, *e), "learning"
		switch {
		case path.IsDue(&view.Concepts[i], now):
			s.state = "due"
		case core.Rounded(s.MasteryProbability, 4) >= masteredAt:
			s.state = "mastered"
		}
	})
	return stand, err
}

// estimates estimates everything of which something is known. The states are opened one at a time and not kept.
func (s *learnerSnapshot) estimates(now time.Time, each func(id string, a *atomState, e *mastery.Estimate)) error {
	m, err := s.models()
	if err != nil {
		return err
	}
	for id, a := range s.each {
		e, err := m.estimate(id, now)
		if err != nil {
			return err
		}
		delete(m.learner.Atoms, id)
		delete(m.population.Atoms, id)
		each(id, a, &e)
	}
	return nil
}

// shownMastery is the mastery that is shown of an atom at a time, and whether there is any.
func (g *curriculum) shownMastery(s *learnerSnapshot, atomID string, at time.Time) (float64, bool, error) {
	known := s.atom(atomID)
	if known == nil || known.Attempts() == 0 {
		return 0, false, nil
	}
	var e mastery.Estimate
	err := s.look(func(m *models) (err error) { e, err = m.estimate(atomID, at); return err })
	return core.Rounded(g.covered(atomID, &known.Practice, e.MasteryProbability), 4), true, err
}

// covering is an estimate of a concept as it is shown: for how many of its questions were ever answered right.
func (g *curriculum) covering(atomID string, p *path.Practice, e mastery.Estimate) mastery.Estimate {
	e.MasteryProbability = g.covered(atomID, p, e.MasteryProbability)
	e.Interval90[0] = g.covered(atomID, p, e.Interval90[0])
	return e
}

func (g *curriculum) covered(atomID string, p *path.Practice, known float64) float64 {
	return p.OfAll(p.Correct, len(g.questions(atomID)), known)
}

// leastProbed is the belief from which something counts as learned: what was tried in vain may need something else first.
const leastProbed = 0.5
