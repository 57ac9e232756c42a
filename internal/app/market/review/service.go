// Package review holds what decides on submissions and what changes the catalog: what reviewers see and decide, publishing (publish.go
// is the one transaction that writes the store and the catalog in memory), withdrawing and takedowns, imports of the operator,
// mirrors of other servers, and judging again what is published when the rules of the scanner change.
package review

import "stoa/internal/app/market/submit"

// Service are the operations that decide, over those on submissions.
type Service struct {
	*submit.Service
}

// New makes the operations over those on submissions.
func New(submissions *submit.Service) *Service { return &Service{Service: submissions} }
