package learner

import (
	"time"

	"stoa/internal/app/core"
	"stoa/internal/learning/mastery"
)

// together are the answers of one session or request. What they teach the models of each other must not move an atom against
// the answers to it: whoever answered right is not shown less afterwards, whoever answered wrong not more.
type together map[string]*answeredOnce

type answeredOnce struct {
	before       float64 // the mastery by the models ahead of all the answers
	right, wrong bool    // a partial answer is both
}

// begin takes down where an atom stands ahead of all the answers.
func (t together) begin(m *models, atomID string, at time.Time) {
	if t[atomID] == nil {
		t[atomID] = &answeredOnce{before: m.engine.Estimate(m.population, m.learner, atomID, at, 0).MasteryProbability}
	}
}

// answered processes one answer.
func (t together) answered(obs *mastery.Observation) {
	if a := t[obs.AtomID]; a != nil {
		a.right = a.right || obs.Outcome == mastery.Correct || obs.Outcome == mastery.Partial
		a.wrong = a.wrong || obs.Outcome != mastery.Correct
	}
}

// settle holds what the answers moved the wrong way, and tells the mastery by the models then.
func (t together) settle(m *models, at time.Time, shown func(atomID string, mastery float64)) {
	for id, a := range t {
		if !a.right && !a.wrong {
			continue
		}
		if a.right != a.wrong {
			m.engine.Hold(m.population, m.learner, id, at, a.before, a.right)
		}
		shown(id, core.Rounded(m.engine.Estimate(m.population, m.learner, id, at, 0).MasteryProbability, 6))
	}
	clear(t)
}
