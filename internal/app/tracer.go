package app

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/platform/store"
)

const (
	// traceFlush is how long a finished request may be known in memory alone. Losing these on a crash
	// loses no one's data; everything acknowledged is in the audit log.
	traceFlush = 250 * time.Millisecond
	// traceHeld bounds the records in memory; beyond it new ones are dropped and counted.
	traceHeld = 4096
	// tracePublicPerSecond bounds how many of the public's successful reads are kept, so that a crowd
	// of readers cannot fill the disk. Everything else is kept always.
	tracePublicPerSecond = 100
)

// tracer writes finished requests to the store in batches.
type tracer struct {
	store *store.Store
	log   *slog.Logger

	mu      sync.Mutex
	held    []store.TraceRecord
	second  int64 // the second that public counts
	public  int
	dropped atomic.Int64
	writing sync.Mutex // held while a batch is on its way, so that flush means flushed
}

func newTracer(s *store.Store, log *slog.Logger) *tracer { return &tracer{store: s, log: log} }

// Trace remembers a finished request; it returns at once.
func (a *App) Trace(r store.TraceRecord) { a.tracer.add(r) }

// TraceDropped counts the records that were not kept because there were too many.
func (a *App) TraceDropped() int64 { return a.tracer.dropped.Load() }

func (t *tracer) add(r store.TraceRecord) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.held) >= traceHeld || !t.worth(r) {
		t.dropped.Add(1)
		return
	}
	r.TraceID = newID()
	t.held = append(t.held, r)
}

// worth tells whether a record is kept; see tracePublicPerSecond.
func (t *tracer) worth(r store.TraceRecord) bool {
	if r.UserID != "" || r.Status >= 400 || r.Method != "GET" {
		return true
	}
	if second := r.FinishedAt / 1e6; second != t.second {
		t.second, t.public = second, 0
	}
	t.public++
	return t.public <= tracePublicPerSecond
}

func (t *tracer) run(ctx context.Context) {
	for sleep(ctx, traceFlush) {
		t.flush(ctx)
	}
	t.flush(context.WithoutCancel(ctx))
}

// flush writes out every record that was added before it was called.
func (t *tracer) flush(ctx context.Context) {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	batch := t.held
	t.held = nil
	t.mu.Unlock()
	for len(batch) > 0 {
		n := min(len(batch), sweepBatch)
		if err := t.store.Write(store.Soon(context.WithoutCancel(ctx)), func(tx *store.Tx) error { return tx.AddTrace(batch[:n]) }); err != nil {
			t.dropped.Add(int64(len(batch)))
			t.log.Error("trace: request records could not be stored", "records", len(batch), "error", err)
			return
		}
		batch = batch[n:]
	}
}
