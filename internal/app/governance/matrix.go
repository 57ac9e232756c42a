package governance

import (
	"context"

	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
)

// CapabilityMatrix says how every part of the school is doing for a learner.
type CapabilityMatrix struct {
	GeneratedAt string `json:"generatedAt"`
	UserID      string `json:"userId"`
	runbook.Matrix
}

// GetCapabilityMatrix looks at every part and holds it to the checks.
func (a *Governance) GetCapabilityMatrix(ctx context.Context, c core.Caller, in core.OwnInput) (CapabilityMatrix, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return CapabilityMatrix{}, err
	}
	m, err := a.matrix(ctx, userID)
	return CapabilityMatrix{clock.Text(a.Clock()), userID, m}, err
}

func (a *Governance) matrix(ctx context.Context, userID string) (runbook.Matrix, error) {
	s, err := a.signals(ctx, userID)
	return runbook.Evaluate(s, runbook.DefaultThresholds()), err
}

// CapabilityRunbook says what to do about a check.
type CapabilityRunbook struct {
	GeneratedAt string `json:"generatedAt"`
	runbook.Runbook
}

// RunbookInput chooses a check.
type RunbookInput struct {
	UserID  string `json:"user_id"`
	CheckID string `json:"checkId"`
}

const longestCheckID = 128

// GetCapabilityRunbook answers what to do about a check, or about the top risk.
func (a *Governance) GetCapabilityRunbook(ctx context.Context, c core.Caller, in RunbookInput) (CapabilityRunbook, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return CapabilityRunbook{}, err
	}
	m, err := a.matrix(ctx, userID)
	return CapabilityRunbook{clock.Text(a.Clock()), m.For(runbook.Token(in.CheckID, longestCheckID))}, err
}
