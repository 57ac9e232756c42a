// Package core is what all application methods share: the caller and what it may do, the configuration, audit events,
// idempotency, quotas, leases, sweeps, request records and health. The subjects (accounts, market, school, governance)
// embed a *Core and know nothing of each other, but that governance reads school.
package core

import (
	"context"
	"log/slog"

	"stoa/internal/market/redact"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// Core is one store and one place for blobs, and what every subject does with them.
type Core struct {
	Config
	Store   *store.Store
	Main    *store.Store // with accounts and request records; Store itself, but in a database of learners beside it
	Blobs   blob.Store
	Fenced  bool // learners may be in another of the server's databases, and be moved
	Clock   clock.Clock
	Log     *slog.Logger
	Secrets *redact.Engine // finds and masks keys in texts
	Tracer  *RequestTracer
	Budgets *WriteBudgets

	health healthMemory
	checks map[string]func(context.Context) HealthPart // of the subjects, by name
	clocks clockWatch
	Node   string // names this process among those on the same store
	leases leases
	peers  peers
}

// New makes what the subjects share. It does nothing in the background.
func New(s *store.Store, blobs blob.Store, now clock.Clock, log *slog.Logger, c Config) *Core {
	c = c.filled()
	a := &Core{
		Config: c, Store: s, Main: s, Blobs: blobs, Clock: now, Log: log, Secrets: redact.New(), Tracer: newRequestTracer(s, log), Budgets: newWriteBudgets(now, c.Quotas), Node: NewID(),
	}
	a.ClockJump() // from here on
	return a
}

// Beside makes what the subjects share over another of the server's databases, which has learners and no accounts.
func (a *Core) Beside(s *store.Store, blobs blob.Store, log *slog.Logger) *Core {
	b := &Core{Config: a.Config, Store: s, Main: a.Main, Blobs: blobs, Fenced: true, Clock: a.Clock, Log: log, Secrets: a.Secrets, Tracer: a.Tracer, Budgets: a.Budgets, Node: a.Node}
	b.ClockJump() // from here on
	return b
}

// ForLearner marks work for one learner, so that a database that they have left refuses it. ErrElsewhere when they have left already.
func (a *Core) ForLearner(ctx context.Context, userID string) (context.Context, error) {
	if !a.Fenced {
		return ctx, nil
	}
	f, err := a.Store.Fence(ctx, userID)
	if err == nil && f.State != store.FenceHere {
		err = store.ErrElsewhere
	}
	return store.ForLearner(ctx, userID, f.Move), err
}
