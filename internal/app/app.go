package app

import (
	"context"
	"log/slog"
	"sync"

	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/app/governance"
	"stoa/internal/app/market"
	"stoa/internal/app/school"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// App is the application over one store and one place for blobs: all operations of all subjects.
type App struct {
	*core.Core
	*accounts.Accounts
	*market.Market
	*school.School
	*governance.Governance

	databases *learnersDatabases // of learners beside this one; nil when there are none, and of each of them
	number    int64              // of this database, where it is one of learners that was opened on its own
	exports   chan struct{}      // one for each archive of a member's data that is being made
	stop      context.CancelFunc
	work      sync.WaitGroup
}

// New makes the application. It does nothing in the background until Start.
func New(s *store.Store, blobs blob.Store, now clock.Clock, log *slog.Logger, c core.Config) *App {
	return assemble(core.New(s, blobs, now, log, c))
}

func assemble(shared *core.Core) *App {
	pupils := school.New(shared)
	return &App{
		Core: shared, Accounts: accounts.New(shared), Market: market.New(shared), School: pupils, Governance: governance.New(shared, pupils),
		exports: make(chan struct{}, exportsAtOnce),
	}
}

// Start fills the catalog from the store and begins the background work: following what other
// processes publish, telling members of expired trials, sweeping what has had its
// time, giving events their places in the audit chain.
func (a *App) Start(ctx context.Context) {
	ctx, a.stop = context.WithCancel(ctx)
	a.run(ctx, a.Follow, a.ReadFeedsAhead, a.Tracer.Run, a.KeepQuestions, a.sweep, a.ScanLater, a.Rescan, a.SyncMirrors, a.Deliver, a.Propose, a.Chain, a.watchHistory)
	a.startDatabases(ctx)
}

// run begins background work that ends with ctx.
func (a *App) run(ctx context.Context, works ...func(context.Context)) {
	for _, work := range works {
		a.work.Add(1)
		go func() {
			defer a.work.Done()
			work(ctx)
		}()
	}
}

// Forget drops what is kept of the store in memory, which is another now.
func (a *App) Forget() {
	a.Accounts.Forget()
	a.Market.Forget()
	a.School.Forget()
}

// Close ends the background work and writes out what it still holds.
func (a *App) Close() {
	if a.stop != nil {
		a.stop()
	}
	a.work.Wait()
	a.ReleaseLeases()
	ending := sqldb.Soon(context.Background())
	a.Tracer.Flush(ending) // of requests that finished while the rest was ending
	a.Flush(ending)
	a.closeDatabases()
}
