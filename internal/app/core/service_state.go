package core

import (
	"context"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// JobState is who did a job in the background last, and when. Both are "" for a job that nobody has done since the last
// node was stopped.
type JobState struct {
	Job  string `json:"job"`
	Node string `json:"node"`
	At   string `json:"at"`
	// Done of Of pieces are done, of a job that has an end; Of is 0 for the others.
	Done int `json:"done"`
	Of   int `json:"of"`
}

// JobStates lists the jobs that one node does for all. A node that does one prolongs its lease, so the lease tells when.
func (a *Core) JobStates(ctx context.Context) ([]JobState, error) {
	var out []JobState
	for _, job := range []string{JobSweep, JobSearch, JobOrphans, JobSeed, JobRescan, JobMirror, JobNotify, JobPropose, JobRankings} {
		node, until, err := a.Store.LeaseHolder(ctx, job)
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return nil, err
		}
		state := JobState{Job: job}
		if until > 0 {
			state.Node, state.At = node, clock.Text(clock.FromMicros(until).Add(-LeaseTerm))
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
