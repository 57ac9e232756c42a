package app

import (
	"context"
	"time"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

const (
	// orphanAge is how old bytes without a row must be before they are taken for a crash's leftover: far
	// longer than any upload takes.
	orphanAge   = 2 * time.Hour
	orphanEvery = time.Hour
	// staleAge is how long a running transfer may stand still before its process is taken for dead.
	staleAge = 15 * time.Minute
)

// SweepOrphans removes what a crash in the middle of an upload leaves: temporary files, and blobs that no
// row names. It tells how many. The temporary files are those of this machine; the blobs one node sweeps for all.
func (a *App) SweepOrphans(ctx context.Context) (n int, err error) {
	before := a.clock().Add(-orphanAge)
	if n, err = a.blobs.SweepTemporary(before); err != nil {
		return n, err
	}
	_, err = a.alone(ctx, jobOrphans, func(d *duty) error {
		return a.blobs.Each(ctx, before, func(digest string) error {
			if err := d.goOn(ctx); err != nil {
				return err
			}
			used, err := a.store.BlobInUse(ctx, digest)
			if err != nil || used {
				return err
			}
			removed, err := a.blobs.RemoveOld(ctx, digest, before)
			if removed {
				n++
			}
			return err
		})
	})
	return n, err
}

// tellOrphans sweeps and says in the log when there was something.
func (a *App) tellOrphans(ctx context.Context) error {
	n, err := a.SweepOrphans(ctx)
	if n > 0 {
		a.log.Info("sweep: removed bytes that no row names", "files", n)
	}
	return err
}

// failStale fails transfers whose process has ended in the middle.
func (a *App) failStale(ctx context.Context, d *duty) error {
	return d.write(ctx, func(tx *store.Tx) error {
		_, err := tx.FailStale(clock.Micros(tx.Now.Add(-staleAge)), clock.Micros(tx.Now), sweepBatch)
		return err
	})
}
