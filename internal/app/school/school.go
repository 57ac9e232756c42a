// Package school holds the operations on learning: study plans and sessions, placement, the tutor's answers, what a session leaves
// behind. A curriculum and a learner's state become a plan (study_plan.go), and a session's answers go back into the state
// (study_run.go). What it stands on are packages of their own, each embedding the one below: notebook (notes), learner (what is known of
// learners), tutors (language models), cards (kept questions). None knows another subject than core.
package school

import (
	"stoa/internal/app/core"
	"stoa/internal/app/school/cards"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
)

// School are the operations on notes and learning.
type School struct {
	*cards.Service
}

// New makes the operations of the school.
func New(c *core.Core) *School {
	return &School{cards.New(tutors.New(learner.New(notebook.New(c))))}
}
