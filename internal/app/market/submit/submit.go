// Package submit holds what an author does before anybody else sees it: drafts and uploads, building a pack without its secrets,
// scanning, submissions and the conversation with the reviewers, trying out what was submitted. It embeds browse, because a
// submission is compared with what is published, and knows nothing of how it is decided.
package submit

import (
	"github.com/maypok86/otter/v2"

	"stoa/internal/app/market/browse"
)

// Service are the operations on drafts and submissions.
type Service struct {
	*browse.Service
	diffs             *otter.Cache[diffKey, compared]
	scanWanted        chan struct{} // something is to be scanned
	uploadsInProgress uploadsInProgress
	talks             talks
	built             *builtPacks
}

// New makes the operations over what is published.
func New(published *browse.Service) *Service {
	return &Service{
		Service: published, diffs: otter.Must(&otter.Options[diffKey, compared]{MaximumSize: keptDiffs}), scanWanted: make(chan struct{}, 1),
		built: newBuiltPacks(published.Clock),
	}
}

// Forget drops what is kept of the store in memory, which is another now.
func (a *Service) Forget() {
	a.Service.Forget()
	a.diffs.InvalidateAll()
	a.built.forget("")
}
