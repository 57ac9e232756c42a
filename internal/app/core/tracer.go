package core

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"stoa/internal/platform/store"
)

const (
	// tracePublicPerSecond and traceMemberPerSecond bound how many requests of nobody in particular, all together, and how
	// many of one member are kept, whatever they were and however they were answered.
	tracePublicPerSecond = 20
	traceMemberPerSecond = 50
	// Longer texts are cut: a record takes at most about traceRowBytes on disk, its entries in the indexes included.
	tracePathBytes  = 256
	traceAgentBytes = 128
	traceRowBytes   = 1 << 10
)

// RequestTracer writes finished requests to the store in batches.
type RequestTracer struct {
	*Buffer[store.TraceRecord]

	mu      sync.Mutex
	second  int64          // that kept counts
	kept    map[string]int // records of this second by member, "" for nobody in particular
	evicted atomic.Int64   // removed before their time, because there were too many
}

func newRequestTracer(s *store.Store, log *slog.Logger) *RequestTracer {
	return &RequestTracer{Buffer: NewBuffer("trace", s, log, func(tx *store.Tx, batch []store.TraceRecord) error { return tx.AddTrace(batch) })}
}

// Trace remembers a finished request; it returns at once.
func (a *Core) Trace(r store.TraceRecord) {
	if !a.Tracer.worth(r) {
		a.Tracer.dropped.Add(1)
		return
	}
	r.TraceID, r.Path, r.Agent, r.ResponseType = NewID(), Truncate(r.Path, tracePathBytes), Truncate(r.Agent, traceAgentBytes), Truncate(r.ResponseType, traceAgentBytes)
	a.Tracer.Add(r)
}

// TraceDropped counts the records that were not kept because there were too many.
func (a *Core) TraceDropped() int64 { return a.Tracer.dropped.Load() }

// TraceEvicted counts the records that were removed before their time because the table was full.
func (a *Core) TraceEvicted() int64 { return a.Tracer.evicted.Load() }

// worth reports whether a record is kept; see tracePublicPerSecond.
func (t *RequestTracer) worth(r store.TraceRecord) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if second := r.FinishedAt / 1e6; second != t.second || t.kept == nil {
		t.second, t.kept = second, map[string]int{}
	}
	t.kept[r.UserID]++
	if r.UserID == "" {
		return t.kept[""] <= tracePublicPerSecond
	}
	return t.kept[r.UserID] <= traceMemberPerSecond
}

// FlushTrace gives records of this process a moment to be stored before they are counted.
func (a *Core) FlushTrace(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, bufferWait)
	defer cancel()
	a.Tracer.Flush(ctx)
}

// Traced reads records, newest first: those that are stored, and those of this process that are not stored yet.
func (a *Core) Traced(ctx context.Context, f store.TraceFilter) ([]store.TraceRecord, error) {
	waiting := a.Tracer.Pending()
	stored, err := a.Main.Trace(ctx, f)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(stored))
	for _, r := range stored {
		known[r.TraceID] = true
	}
	out := make([]store.TraceRecord, 0, len(stored))
	for _, r := range slices.Backward(waiting) {
		if !known[r.TraceID] && f.Matches(r) && (f.Before == "" || r.TraceID < f.Before) {
			out = append(out, r)
		}
	}
	out = append(out, stored...)
	slices.SortStableFunc(out, func(a, b store.TraceRecord) int { return strings.Compare(b.TraceID, a.TraceID) })
	return out[:min(f.Limit, len(out))], nil
}

// TraceRecord is what is kept of a request. Times in µs.
type TraceRecord = store.TraceRecord
