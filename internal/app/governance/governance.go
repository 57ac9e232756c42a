// Package governance holds the operations by which Stoa watches itself for a member: quality snapshots and their
// baseline, the capability matrix, its runbook and action queue, verifications and remediations, request traces. It
// embeds core and reads school; what decides is in internal/governance.
package governance

import (
	"stoa/internal/app/core"
	"stoa/internal/app/school"
)

// Governance are the operations on quality, checks and traces.
type Governance struct {
	*core.Core
	school *school.School
}

// New makes the operations on quality, checks and traces.
func New(c *core.Core, s *school.School) *Governance { return &Governance{Core: c, school: s} }
