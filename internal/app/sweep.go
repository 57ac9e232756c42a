package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

const (
	sweepEvery = 10 * time.Second
	sweepBatch = 500 // rows per transaction, so that no writer waits long
)

// sweep does every few seconds what nobody asks for, until ctx ends.
func (a *App) sweep(ctx context.Context) {
	var tended, orphans time.Time
	steady := steadyClock{at: a.clock(), read: time.Now()}
	for sleep(ctx, sweepEvery) {
		err := a.SweepOnce(ctx)
		now := a.clock()
		if steady.jumped(now, time.Now()) {
			orphans = now // uploads under way look old; in an hour they are over
		}
		if err == nil && now.Sub(tended) >= tendEvery {
			tended, err = now, a.tendSearch(ctx)
		}
		if err == nil && now.Sub(orphans) >= orphanEvery {
			orphans = now
			err = a.tellOrphans(ctx)
		}
		if err != nil && ctx.Err() == nil {
			a.log.Error("sweep", "error", err)
		}
	}
}

// steadyClock notices that the time of day was set forward: it knows it at one moment, and how long that is ago by the
// machine's monotonic clock.
type steadyClock struct{ at, read time.Time }

// clockDrift is by how much the time of day may run ahead without having been set.
const clockDrift = time.Minute

// jumped tells whether the time of day was set forward since it was last asked. read is now too, with its monotonic part.
func (s *steadyClock) jumped(now, read time.Time) bool {
	ahead := now.Sub(s.at) - read.Sub(s.read)
	s.at, s.read = now, read
	return ahead > clockDrift
}

// SweepOnce tells members of trials that have ended and removes sessions, sign-in links, throttle windows, uses per day,
// request records, records of governance, answers to repeated requests, drafts and details of audit events whose time has
// passed. It does nothing while another node does.
func (a *App) SweepOnce(ctx context.Context) error {
	_, err := a.alone(ctx, jobSweep, func(d *duty) error { return a.sweepAll(ctx, d) })
	return err
}

func (a *App) sweepAll(ctx context.Context, d *duty) error {
	err := d.write(ctx, func(tx *store.Tx) error {
		ended, err := tx.TakeExpiredTrials(sweepBatch)
		if err != nil {
			return err
		}
		for _, t := range ended {
			if err := tell(tx, t.UserID, toldExpired, t.ItemID, "Your trial of %s has ended.", t.ItemID); err != nil {
				return err
			}
		}
		return a.sweepActivity(tx)
	})
	if err == nil {
		err = inBatches(ctx, d, sweepBatch, func(tx *store.Tx) (int64, error) {
			return tx.SweepExpired(sweepBatch)
		})
	}
	if err != nil {
		return err
	}
	if err := a.failStale(ctx, d); err != nil {
		return err
	}
	if err := a.sweepGovernance(ctx, d); err != nil {
		return err
	}
	if err := a.sweepRetention(ctx, d); err != nil {
		return err
	}
	return a.sweepTrace(ctx, d)
}

// sweepRetention removes what has a time of its own: answers to repeated
// requests, drafts, packages of closed submissions, counts of past days, details of audit events.
func (a *App) sweepRetention(ctx context.Context, d *duty) error {
	err := inBatches(ctx, d, sweepBatch, func(tx *store.Tx) (int64, error) { return tx.SweepAnswers(sweepBatch) })
	if err == nil {
		err = inBatches(ctx, d, sweepBatch, func(tx *store.Tx) (int64, error) {
			return tx.SweepDrafts(idAt(tx.Now.Add(-a.DraftKeep)), sweepBatch)
		})
	}
	if err == nil {
		err = inBatches(ctx, d, sweepBatch, func(tx *store.Tx) (int64, error) {
			return tx.ReleasePackages(clock.Micros(tx.Now.Add(-a.PackageKeep)), sweepBatch)
		})
	}
	if err == nil {
		err = inBatches(ctx, d, sweepBatch, func(tx *store.Tx) (int64, error) { return tx.SweepUsed(store.Day(tx.Now)-1, sweepBatch) })
	}
	if err == nil {
		err = inBatches(ctx, d, sweepBatch, func(tx *store.Tx) (int64, error) {
			n, err := tx.DropDetails(clock.Micros(tx.Now.Add(-a.AuditDetailKeep)), sweepBatch)
			return int64(n), err
		})
	}
	return err
}

// inBatches runs sweep, each time in a transaction of its own, until it finds fewer rows than a batch.
func inBatches(ctx context.Context, d *duty, batch int64, sweep func(*store.Tx) (int64, error)) error {
	for {
		var n int64
		err := d.write(ctx, func(tx *store.Tx) (err error) {
			n, err = sweep(tx)
			return err
		})
		if err != nil || n < batch {
			return err
		}
	}
}

func (a *App) sweepTrace(ctx context.Context, d *duty) error {
	oldest := idAt(a.clock().Add(-a.TraceKeep))
	err := inBatches(ctx, d, sweepBatch, func(tx *store.Tx) (int64, error) { return tx.SweepTrace(oldest, sweepBatch) })
	if err != nil {
		return err
	}
	return a.capTrace(ctx, d)
}

// capTrace removes the oldest request records, as far as they are more than TraceBytes hold. One count of an index, which is
// bounded by the same limit, says how many that are.
func (a *App) capTrace(ctx context.Context, d *duty) error {
	kept, err := a.store.CountTraces(ctx)
	if err != nil {
		return err
	}
	for over := kept - a.TraceBytes/traceRowBytes; over > 0; over -= sweepBatch {
		batch := int(min(over, sweepBatch))
		if err := d.write(ctx, func(tx *store.Tx) error {
			n, err := tx.SweepTrace(newestTrace, batch)
			a.tracer.evicted.Add(n)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// newestTrace sorts after every record's id.
const newestTrace = "g"

// idAt is the smallest UUIDv7 that could have been made at t.
func idAt(t time.Time) string {
	var id uuid.UUID
	ms := t.UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	id[6] = 0x70
	return id.String()
}
