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
	Blobs   blob.Store
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
}

// New makes what the subjects share. It does nothing in the background.
func New(s *store.Store, blobs blob.Store, now clock.Clock, log *slog.Logger, c Config) *Core {
	c = c.filled()
	a := &Core{
		Config: c, Store: s, Blobs: blobs, Clock: now, Log: log, Secrets: redact.New(), Tracer: newRequestTracer(s, log), Budgets: newWriteBudgets(now, c.Quotas), Node: NewID(),
	}
	a.ClockJump() // from here on
	return a
}
