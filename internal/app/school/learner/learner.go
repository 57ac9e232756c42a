// Package learner holds what is known of learners: their states by unit and the models over them (learners.go), what imported decks
// ask for, and where a learner stands with every unit (unit_state.go), which every page, plan and export shows. What changes it goes
// through one recorder (diagnose.go).
package learner

import (
	"stoa/internal/app/school/notebook"
)

// Service are the operations on what is known of learners.
type Service struct {
	*notebook.Service
	States *learners
}

// New makes the operations over the notes.
func New(notes *notebook.Service) *Service {
	return &Service{Service: notes, States: newLearners(notes.Store, notes.Banks)}
}

// Forget drops what is kept of notes and learners in memory.
func (a *Service) Forget() {
	a.Service.Forget()
	a.States.kept.InvalidateAll()
}

// ForgetLearner drops what is kept of one learner in memory: their rows were elsewhere meanwhile.
func (a *Service) ForgetLearner(userID string) {
	a.Service.ForgetLearner(userID)
	a.States.kept.Invalidate(userID)
}
