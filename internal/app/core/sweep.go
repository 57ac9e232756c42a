package core

import (
	"context"
	"time"

	"github.com/google/uuid"

	"stoa/internal/platform/store"
)

// SweepBatch is how many rows one transaction of a sweep removes, so that no writer waits long.
const SweepBatch = 500

// ClockDrift is by how much the time of day may run ahead without having been set.
const ClockDrift = time.Minute

// InBatches runs sweep, each time in a transaction of its own, until it finds fewer rows than a batch.
func InBatches(ctx context.Context, d *Job, batch int64, sweep func(*store.Tx) (int64, error)) error {
	for {
		var n int64
		err := d.Write(ctx, func(tx *store.Tx) (err error) {
			n, err = sweep(tx)
			return err
		})
		if err != nil || n < batch {
			return err
		}
	}
}

// SweepTrace removes request records that are older than TraceKeep or more than TraceBytes hold.
func (a *Core) SweepTrace(ctx context.Context, d *Job) error {
	oldest := IDAt(a.Clock().Add(-a.TraceKeep))
	err := InBatches(ctx, d, SweepBatch, func(tx *store.Tx) (int64, error) { return tx.SweepTrace(oldest, SweepBatch) })
	if err != nil {
		return err
	}
	return a.capTrace(ctx, d)
}

// capTrace removes the oldest request records, as far as they are more than TraceBytes hold. One count of an index, which is
// bounded by the same limit, says how many that are.
func (a *Core) capTrace(ctx context.Context, d *Job) error {
	kept, err := a.Store.CountTraces(ctx)
	if err != nil {
		return err
	}
	for over := kept - a.TraceBytes/traceRowBytes; over > 0; over -= SweepBatch {
		batch := int(min(over, SweepBatch))
		if err := d.Write(ctx, func(tx *store.Tx) error {
			n, err := tx.SweepTrace(newestTrace, batch)
			a.Tracer.evicted.Add(n)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// newestTrace sorts after every record's id.
const newestTrace = "g"

// IDAt is the smallest UUIDv7 that could have been made at t.
func IDAt(t time.Time) string {
	var id uuid.UUID
	ms := t.UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	id[6] = 0x70
	return id.String()
}

// Sleep waits; it reports false when ctx has ended.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
