package core

import (
	"context"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// JobState is who does a job in the background, and until when they have said so.
type JobState struct {
	Job    string `json:"job"`
	Holder string `json:"holder"` // "" for nobody at present
	Until  string `json:"until"`
}

// JobStates lists the jobs that one node does for all.
func (a *Core) JobStates(ctx context.Context) ([]JobState, error) {
	var out []JobState
	for _, job := range []string{JobSweep, JobSearch, JobOrphans, JobSeed, JobRescan} {
		holder, until, err := a.Store.LeaseHolder(ctx, job)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		state := JobState{Job: job}
		if err == nil && until > clock.Micros(a.Clock()) {
			state.Holder, state.Until = holder, clock.Text(clock.FromMicros(until))
		}
		out = append(out, state)
	}
	return out, nil
}

// LastBackup tells when a backup was taken last, "" for never.
func (a *Core) LastBackup(ctx context.Context) (string, error) {
	at, err := a.Store.LastBackup(ctx)
	if err != nil || at == 0 {
		return "", err
	}
	return clock.Text(clock.FromMicros(at)), nil
}
