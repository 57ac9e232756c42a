// Package tutors chooses which language models a learner's tutor asks, and follows how they do: traces of what was asked, trends of
// each provider, and what the watch over the server is told of them.
package tutors

import "stoa/internal/app/school/learner"

// Service are the operations on tutors.
type Service struct{ *learner.Service }

// New makes the operations.
func New(learners *learner.Service) *Service { return &Service{learners} }
