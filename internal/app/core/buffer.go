package core

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

const (
	// bufferFlush is how long a record may be in memory alone. Losing such records on a crash loses no one's data:
	// everything acknowledged is in tables of its own and in the audit log.
	bufferFlush = 250 * time.Millisecond
	// bufferWait is how long a reader waits for a flush before it reads what is in memory beside what is stored.
	bufferWait = 250 * time.Millisecond
	// bufferHeld bounds the records in memory; beyond it the oldest are dropped and counted.
	bufferHeld = 4096
)

// Buffer writes records to the store in batches. While the store cannot be written it keeps the newest ones and writes
// them once it can.
type Buffer[T any] struct {
	name  string
	log   *slog.Logger
	store *store.Store
	write func(tx *store.Tx, batch []T) error // must be safe to repeat

	mu      sync.Mutex
	flying  []T // on their way to the store, older than those held
	held    []T
	failing error // why the last batch could not be stored; nil when it could
	dropped atomic.Int64
	flusher chan struct{} // holds one place: whoever flushes takes it
}

// NewBuffer makes a buffer whose batches write puts into the store; name is for the log.
func NewBuffer[T any](name string, s *store.Store, log *slog.Logger, write func(tx *store.Tx, batch []T) error) *Buffer[T] {
	return &Buffer[T]{name: name, log: log, store: s, write: write, flusher: make(chan struct{}, 1)}
}

// Add remembers a record; it returns at once.
func (b *Buffer[T]) Add(record T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = append(b.held, record)
	b.trim()
}

// trim drops the oldest records beyond the bound; mu is held.
func (b *Buffer[T]) trim() {
	if over := len(b.held) - bufferHeld; over > 0 {
		b.dropped.Add(int64(over))
		b.held = slices.Delete(b.held, 0, over)
	}
}

// Pending gives the records that are not known to be stored, the oldest first. Some of them may be.
func (b *Buffer[T]) Pending() []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append(slices.Clone(b.flying), b.held...)
}

// Run flushes every so often until ctx ends.
func (b *Buffer[T]) Run(ctx context.Context) {
	for Sleep(ctx, bufferFlush) {
		b.Flush(sqldb.Soon(ctx))
	}
}

// Flush stores every record that was added before it was called and reports whether it could, before ctx ends.
func (b *Buffer[T]) Flush(ctx context.Context) bool {
	ctx = store.ForNobody(ctx) // the records are of many
	select {
	case b.flusher <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	defer func() { <-b.flusher }()
	for {
		b.mu.Lock()
		n := min(len(b.held), SweepBatch)
		b.flying = slices.Clone(b.held[:n])
		b.held = slices.Delete(b.held, 0, n)
		b.mu.Unlock()
		if n == 0 {
			return true
		}
		err := b.store.Write(ctx, func(tx *store.Tx) error { return b.write(tx, b.flying) })
		b.landed(err)
		if err != nil {
			return false
		}
	}
}

// landed notes what became of the batch on its way. One that was not stored goes back to the front.
func (b *Buffer[T]) landed(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.held = append(slices.Clone(b.flying), b.held...)
		b.trim()
		if b.failing == nil {
			b.log.Error(b.name+": records wait in memory until they can be stored", "error", err)
		}
	}
	b.flying, b.failing = nil, err
}

// Trouble is why the last batch could not be stored, "" when it could.
func (b *Buffer[T]) Trouble() sqldb.Why {
	b.mu.Lock()
	defer b.mu.Unlock()
	var away *sqldb.Unreachable
	if errors.As(b.failing, &away) {
		return away.Why()
	}
	return ""
}
