package core

import (
	"context"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// WriteBudgets bound how many transactions, and how many bytes in them, one member may write on this node, whatever the
// requests are: no request that is repeated fills the disk faster.
type WriteBudgets struct {
	clock         clock.Clock
	writes, bytes int64 // per hour, per day; NoQuota for no bound
	kept          *otter.Cache[string, *writeBudget]
}

// budgetsKept bounds how many writers are remembered; budgetIdle is after how long without a write both budgets are full again.
const (
	budgetsKept = 100_000
	budgetIdle  = 24 * time.Hour
)

func newWriteBudgets(now clock.Clock, q Quotas) *WriteBudgets {
	return &WriteBudgets{
		clock: now, writes: q[QuotaWrites], bytes: q[QuotaWriteBytes],
		kept: otter.Must(&otter.Options[string, *writeBudget]{MaximumSize: budgetsKept, ExpiryCalculator: otter.ExpiryAccessing[string, *writeBudget](budgetIdle)}),
	}
}

// writeBudget is what one writer has used and not yet got back.
type writeBudget struct {
	mu            sync.Mutex
	at            time.Time
	writes, bytes float64
}

func (b *WriteBudgets) of(writer string) *writeBudget {
	if budget, ok := b.kept.GetIfPresent(writer); ok {
		return budget
	}
	budget := &writeBudget{at: b.clock()}
	if first, set := b.kept.SetIfAbsent(writer, budget); !set {
		return first
	}
	return budget
}

// regain gives back what the time since the last call is worth. The budget's lock is held.
func (b *WriteBudgets) regain(w *writeBudget, now time.Time) {
	since := max(now.Sub(w.at), 0)
	w.at = now
	w.writes = max(0, w.writes-float64(b.writes)*since.Hours())
	w.bytes = max(0, w.bytes-float64(b.bytes)*since.Hours()/24)
}

// Used returns what a writer has used and not yet got back.
func (b *WriteBudgets) Used(writer string, now time.Time) (writes, bytes int64) {
	w, ok := b.kept.GetIfPresent(writer)
	if !ok {
		return 0, 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	b.regain(w, now)
	return int64(w.writes), int64(w.bytes)
}

// Metered is a context in which what is written counts for a caller: for the member, or for the address of somebody who is none.
func (a *Core) Metered(ctx context.Context, c Caller) context.Context {
	return store.WithMeter(ctx, a.writeMeter(c))
}

func (a *Core) writeMeter(c Caller) *store.Meter {
	b, writer := a.Budgets, c.UserID
	if c.Role != Member {
		writer = "address:" + c.Remote
	}
	return &store.Meter{
		Admit: func() error { return a.admitWrite(b.of(writer)) },
		Wrote: func(bytes int64) {
			w := b.of(writer)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.writes++
			w.bytes += float64(bytes)
		},
	}
}

// admitWrite refuses a transaction when one of the budgets is used up, and says when there is something again.
func (a *Core) admitWrite(w *writeBudget) error {
	b := a.Budgets
	w.mu.Lock()
	defer w.mu.Unlock()
	b.regain(w, b.clock())
	if b.writes >= 0 && w.writes+1 > float64(b.writes) {
		return a.usedUp(QuotaWrites, int64(w.writes), b.writes, time.Duration((w.writes+1-float64(b.writes))/float64(max(b.writes, 1))*float64(time.Hour)))
	}
	if b.bytes >= 0 && w.bytes >= float64(b.bytes) {
		return a.usedUp(QuotaWriteBytes, int64(w.bytes), b.bytes, time.Duration((w.bytes-float64(b.bytes)+1)/float64(max(b.bytes, 1))*float64(24*time.Hour)))
	}
	return nil
}
