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
)

// App is the application over one store and one place for blobs: all operations of all subjects.
type App struct {
	*core.Core
	*accounts.Accounts
	*market.Market
	*school.School
	*governance.Governance

	exports chan struct{} // one for each archive of a member's data that is being made
	stop    context.CancelFunc
	work    sync.WaitGroup
}

// New makes the application. It does nothing in the background until Start.
func New(s *store.Store, blobs blob.Store, now clock.Clock, log *slog.Logger, c core.Config) *App {
	shared := core.New(s, blobs, now, log, c)
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
	for _, run := range []func(context.Context){a.Follow, a.ReadFeedsAhead, a.Tracer.Run, a.KeepQuestions, a.sweep, a.ScanLater, a.Rescan, a.SyncMirrors, a.Deliver, a.Propose, a.Chain, a.watchHistory} {
		a.work.Add(1)
		go func() {
			defer a.work.Done()
			run(ctx)
		}()
	}
}

// Close ends the background work and writes out what it still holds.
func (a *App) Close() {
	if a.stop != nil {
		a.stop()
	}
	a.work.Wait()
	a.ReleaseLeases()
	ending := store.Soon(context.Background())
	a.Tracer.Flush(ending) // of requests that finished while the rest was ending
	a.Flush(ending)
}
