package learner

import (
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
)

// MasteredAt is the mastery that is shown from which something counts as mastered.
const MasteredAt = 0.8

// unitState is where a learner stands with a unit. Every page, plan and export says this and nothing else of it.
type unitState struct {
	State   string
	Studied bool // somebody answered; else nothing is known and no figure is shown
	// implied is the probability that it is known, by what was answered of what needs it; 0 is that nothing follows.
	implied float64
	due     time.Time // of what is implied
	mastery.Estimate
}

func (s *unitState) uncertain() bool {
	return s.Studied && s.Interval90[1]-s.Interval90[0] > uncertainGap
}

// Figures are what is shown of a unit: of one that was never studied nothing but when it is to be asked, if it is implied.
func (s *unitState) Figures() (shown *float64, interval []float64, retrievability *float64, next string) {
	if !s.Studied {
		return nil, nil, nil, clock.Text(s.due)
	}
	p := core.Rounded(s.MasteryProbability, 4)
	if s.Stability > 0 {
		r := core.Rounded(s.Retrievability, 4)
		retrievability = &r
	}
	return &p, []float64{core.Rounded(s.Interval90[0], 4), core.Rounded(s.Interval90[1], 4)}, retrievability, clock.Text(s.NextReviewAt)
}

// UnitStates says where a learner stands with every unit.
func UnitStates(g *notebook.Curriculum, known *Snapshot, now time.Time) ([]unitState, error) {
	view, err := View(g, known, now)
	if err != nil {
		return nil, err
	}
	defer Done(g, view)
	stand := make([]unitState, len(g.Units))
	for i := range stand {
		stand[i].State = "locked"
	}
	for _, i := range path.OuterFringe(view) {
		stand[i].State = "ready"
	}
	for i := range stand {
		if c := &view.Concepts[i]; c.Attempts == 0 && c.Stability > 0 {
			stand[i].implied, stand[i].State = c.Mastery, "ready"
			switch {
			case path.IsDue(c, now):
				stand[i].State, stand[i].due = "due", c.DueAt
			case c.Mastery >= MasteredAt:
				stand[i].State, stand[i].due = "mastered", c.DueAt
			case c.Mastery >= LeastProbed:
				stand[i].due = c.DueAt
			}
		}
	}
	err = known.estimates(now, func(id string, a *AtomState, e *mastery.Estimate) {
		i, ok := g.Number[id]
		if !ok || a.Attempts() == 0 {
			return
		}
		s := &stand[i]
		s.Studied, s.Estimate, s.State = true, covering(g, id, &a.Practice, *e), "learning"
		switch {
		case path.IsDue(&view.Concepts[i], now):
			s.State = "due"
		case core.Rounded(s.MasteryProbability, 4) >= MasteredAt:
			s.State = "mastered"
		}
	})
	return stand, err
}

// estimates estimates everything of which something is known. The states are opened one at a time and not kept.
func (s *Snapshot) estimates(now time.Time, each func(id string, a *AtomState, e *mastery.Estimate)) error {
	m, err := s.models()
	if err != nil {
		return err
	}
	for id, a := range s.Each {
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

// ShownMastery is the mastery that is shown of an atom at a time, and whether there is any.
func ShownMastery(g *notebook.Curriculum, s *Snapshot, atomID string, at time.Time) (float64, bool, error) {
	known := s.Atom(atomID)
	if known == nil || known.Attempts() == 0 {
		return 0, false, nil
	}
	var e mastery.Estimate
	err := s.look(func(m *models) (err error) { e, err = m.estimate(atomID, at); return err })
	return core.Rounded(Covered(g, atomID, &known.Practice, e.MasteryProbability), 4), true, err
}

// covering is an estimate of a concept as it is shown: for how many of its questions were ever answered right.
func covering(g *notebook.Curriculum, atomID string, p *path.Practice, e mastery.Estimate) mastery.Estimate {
	e.MasteryProbability = Covered(g, atomID, p, e.MasteryProbability)
	e.Interval90[0] = Covered(g, atomID, p, e.Interval90[0])
	return e
}

// Covered is a mastery as it is shown: for how many of the questions of the unit were ever answered right.
func Covered(g *notebook.Curriculum, atomID string, p *path.Practice, known float64) float64 {
	return p.OfAll(p.Correct, len(g.Questions(atomID)), known)
}

// LeastProbed is the belief from which something counts as learned: what was tried in vain may need something else first.
const LeastProbed = 0.5
