package app

import (
	"context"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/review"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
)

const sweepEvery = 10 * time.Second

// sweep does every few seconds what nobody asks for, until ctx ends.
func (a *App) sweep(ctx context.Context) {
	var tended, orphans, counted time.Time
	steady := steadyClock{at: a.Clock(), read: time.Now()}
	for core.Sleep(ctx, sweepEvery) {
		err := a.SweepOnce(ctx)
		now := a.Clock()
		if steady.jumped(now, time.Now()) {
			orphans = now // uploads under way look old; in an hour they are over
		}
		if err == nil && now.Sub(tended) >= browse.SearchMaintenanceEvery {
			tended, err = now, a.MaintainSearch(ctx)
		}
		if err == nil && now.Sub(counted) >= browse.RankingsEvery {
			counted, err = now, a.CountRankings(ctx)
		}
		if err == nil && now.Sub(orphans) >= review.OrphanEvery {
			orphans = now
			err = a.ReportOrphans(ctx)
		}
		if err != nil && ctx.Err() == nil {
			a.Log.Error("sweep", "error", err)
		}
	}
}

// steadyClock notices that the time of day was set forward: it knows it at one moment, and how long that is ago by the
// machine's monotonic clock.
type steadyClock struct{ at, read time.Time }

// jumped tells whether the time of day was set forward since it was last asked. read is now too, with its monotonic part.
func (s *steadyClock) jumped(now, read time.Time) bool {
	ahead := now.Sub(s.at) - read.Sub(s.read)
	s.at, s.read = now, read
	return ahead > core.ClockDrift
}

// SweepOnce tells members of trials that have ended and removes sessions, sign-in links, throttle windows, uses per day,
// request records, records of governance, answers to repeated requests, drafts, accounts that members wished to be deleted and
// details of audit events whose time has passed. It does nothing while another node does.
func (a *App) SweepOnce(ctx context.Context) error {
	_, err := a.RunExclusive(ctx, core.JobSweep, func(d *core.Job) error { return a.sweepAll(ctx, d) })
	return err
}

func (a *App) sweepAll(ctx context.Context, d *core.Job) error {
	err := d.Write(ctx, func(tx *store.Tx) error {
		ended, err := tx.TakeExpiredTrials(core.SweepBatch)
		if err != nil {
			return err
		}
		for _, t := range ended {
			if err := core.Notify(tx, t.UserID, core.ToldExpired, core.About{ItemID: t.ItemID, Kind: catalog.KindTemplate}, "Your trial of %s has ended.", t.ItemID); err != nil {
				return err
			}
		}
		return a.SweepActivity(tx)
	})
	if err == nil {
		err = core.InBatches(ctx, d, core.SweepBatch, func(tx *store.Tx) (int64, error) {
			return tx.SweepExpired(core.SweepBatch)
		})
	}
	if err != nil {
		return err
	}
	if err := a.eraseAccounts(ctx, d); err != nil {
		return err
	}
	if err := a.FailStale(ctx, d); err != nil {
		return err
	}
	if err := a.SweepGovernance(ctx, d); err != nil {
		return err
	}
	if err := a.sweepRetention(ctx, d); err != nil {
		return err
	}
	return a.SweepTrace(ctx, d)
}

// sweepRetention removes what has a time of its own: answers to repeated
// requests, drafts, packages of closed submissions, counts of past days, details of audit events.
func (a *App) sweepRetention(ctx context.Context, d *core.Job) error {
	err := core.InBatches(ctx, d, core.SweepBatch, func(tx *store.Tx) (int64, error) { return tx.SweepAnswers(core.SweepBatch) })
	if err == nil {
		err = core.InBatches(ctx, d, core.SweepBatch, func(tx *store.Tx) (int64, error) {
			return tx.SweepDrafts(core.IDAt(tx.Now.Add(-a.DraftKeep)), core.SweepBatch)
		})
	}
	if err == nil {
		err = core.InBatches(ctx, d, core.SweepBatch, func(tx *store.Tx) (int64, error) {
			return tx.SweepTemplateDrafts(clock.Micros(tx.Now.Add(-a.DraftKeep)), core.SweepBatch)
		})
	}
	if err == nil {
		err = core.InBatches(ctx, d, core.SweepBatch, func(tx *store.Tx) (int64, error) {
			return tx.ReleasePackages(clock.Micros(tx.Now.Add(-a.PackageKeep)), core.SweepBatch)
		})
	}
	if err == nil {
		err = core.InBatches(ctx, d, core.SweepBatch, func(tx *store.Tx) (int64, error) { return tx.SweepUsed(memberdb.Day(tx.Now)-1, core.SweepBatch) })
	}
	if err == nil {
		err = core.InBatches(ctx, d, core.SweepBatch, func(tx *store.Tx) (int64, error) {
			n, err := tx.DropDetails(clock.Micros(tx.Now.Add(-a.AuditDetailKeep)), core.SweepBatch)
			return int64(n), err
		})
	}
	return err
}
