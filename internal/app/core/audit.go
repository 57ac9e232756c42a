package core

import (
	"context"
	"time"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

const (
	// chainEvery is how long an event of the audit log may wait for its place in the chain, when nothing is behind.
	chainEvery = 2 * time.Second
	// chainLate is from when on health says that events wait too long.
	chainLate = 5 * time.Minute
)

// Chain gives the events of the audit log their places in the chain, until ctx ends.
func (a *Core) Chain(ctx context.Context) {
	for Sleep(ctx, chainEvery) {
		if _, err := a.ChainAudit(ctx); err != nil && ctx.Err() == nil {
			a.Log.Error("audit: events wait for their place in the chain", "error", err)
		}
	}
}

// ChainAudit gives every event of the audit log that has none its place in the chain, a batch at a time, and tells how
// many. Any number of processes may do so at once.
func (a *Core) ChainAudit(ctx context.Context) (n int, err error) {
	return ChainAudit(ctx, a.Store)
}

// ChainAudit is App.ChainAudit for whoever has a store alone.
func ChainAudit(ctx context.Context, s *store.Store) (n int, err error) {
	for {
		waiting, _, err := s.AuditWaiting(ctx) // an idle server writes nothing
		if err != nil || waiting == 0 {
			return n, err
		}
		took := 0
		if err := s.Write(ctx, func(tx *store.Tx) (err error) {
			took, err = tx.ChainAudit(SweepBatch)
			return err
		}); err != nil {
			return n, err
		}
		if n += took; took < SweepBatch {
			return n, nil // what came meanwhile is the next round's
		}
	}
}

// AuditWaiting is how many events wait for their place in the chain and how long the first of them has; -1 events when
// that cannot be told.
func (a *Core) AuditWaiting(ctx context.Context) (events int64, longest time.Duration) {
	n, oldest, err := a.Store.AuditWaiting(ctx)
	switch {
	case err != nil:
		return -1, 0
	case n == 0:
		return 0, 0
	}
	return n, max(0, a.Clock().Sub(clock.FromMicros(oldest)))
}

// checkAudit says when the chain is behind. That is no reason to send nobody here: every event is written.
func (a *Core) checkAudit(ctx context.Context) HealthPart {
	n, longest := a.AuditWaiting(ctx)
	switch {
	case n < 0:
		return Unhealthy("The audit log cannot be read. `stoa verify` says more.")
	case longest > chainLate:
		return HealthPart{OK: true, State: "behind", Problem: "Events of the audit log wait for their place in its chain. Look at the server's log."}
	}
	return Healthy
}

// BackedUp is the action of an audit event that says that a backup was taken.
const BackedUp = "store.backed_up"

// NoteBackup writes into the audit log that everything was copied out, and what the copy's digest is.
func NoteBackup(ctx context.Context, s *store.Store, digest string, size int64, encrypted bool) error {
	return s.Write(ctx, func(tx *store.Tx) error {
		return tx.AddEvent(NewAuditEvent(tx, Caller{UserID: "operator"}, AuditEntry{
			Action: BackedUp, Target: digest, Status: "done", Detail: map[string]any{"size_bytes": size, "encrypted": encrypted},
		}))
	})
}
