package app

import (
	"context"

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
func (a *App) GetCapabilityMatrix(ctx context.Context, c Caller, in OwnInput) (CapabilityMatrix, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return CapabilityMatrix{}, err
	}
	m, err := a.matrix(ctx, userID)
	return CapabilityMatrix{clock.Text(a.clock()), userID, m}, err
}

func (a *App) matrix(ctx context.Context, userID string) (runbook.Matrix, error) {
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
func (a *App) GetCapabilityRunbook(ctx context.Context, c Caller, in RunbookInput) (CapabilityRunbook, error) {
	userID, err := c.member(in.UserID)
	if err != nil {
		return CapabilityRunbook{}, err
	}
	m, err := a.matrix(ctx, userID)
	return CapabilityRunbook{clock.Text(a.clock()), m.For(runbook.Token(in.CheckID, longestCheckID))}, err
}
