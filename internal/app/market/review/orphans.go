package review

import (
	"context"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

const (
	// orphanAge is how old bytes without a row must be before they are taken for a crash's leftover: far
	// longer than any upload takes.
	orphanAge = 2 * time.Hour
	// OrphanEvery is how often blobs are looked for that no row names.
	OrphanEvery = time.Hour
	// staleAge is how long a running transfer may stand still before its process is taken for dead.
	staleAge = 15 * time.Minute
)

// SweepOrphans removes what a crash in the middle of an upload leaves: temporary files, and blobs that no
// row names. It tells how many. The temporary files are those of this machine; the blobs one node sweeps for all.
func (a *Service) SweepOrphans(ctx context.Context) (n int, err error) {
	before := a.Clock().Add(-orphanAge)
	if n, err = a.Blobs.SweepTemporary(before); err != nil {
		return n, err
	}
	_, err = a.RunExclusive(ctx, core.JobOrphans, func(d *core.Job) error {
		return a.Blobs.Each(ctx, before, func(digest string) error {
			if err := d.Renew(ctx); err != nil {
				return err
			}
			used, err := a.Store.BlobInUse(ctx, digest)
			if err != nil || used {
				return err
			}
			removed, err := a.Blobs.RemoveOld(ctx, digest, before)
			if removed {
				n++
			}
			return err
		})
	})
	return n, err
}

// ReportOrphans sweeps and says in the log when there was something.
func (a *Service) ReportOrphans(ctx context.Context) error {
	n, err := a.SweepOrphans(ctx)
	if n > 0 {
		a.Log.Info("sweep: removed bytes that no row names", "files", n)
	}
	return err
}

// FailStale fails transfers whose process has ended in the middle.
func (a *Service) FailStale(ctx context.Context, d *core.Job) error {
	return d.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.FailStale(clock.Micros(tx.Now.Add(-staleAge)), clock.Micros(tx.Now), core.SweepBatch)
		return err
	})
}
