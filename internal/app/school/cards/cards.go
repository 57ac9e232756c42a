// Package cards holds the questions that a learner keeps and what other programs have of them: editing and retiring questions,
// proposals of language models, Anki packages in and out, logs of reviews.
package cards

import (
	"sync"

	"stoa/internal/app/core"
	"stoa/internal/app/school/tutors"
)

// Service are the operations on kept questions.
type Service struct {
	*tutors.Service
	imports   *core.FairQueue // of Anki packages that are read or written
	proposing sync.Mutex      // held while this process works on runs
}

// New makes the operations.
func New(below *tutors.Service) *Service {
	return &Service{Service: below, imports: core.NewFairQueue(1)}
}
