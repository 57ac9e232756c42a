package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"stoa/internal/platform/store/sqldb"
)

// maxGroup bounds how many writers share one transaction: beyond 64 the commit costs nothing per
// writer any more and waiting for the others begins to show.
const maxGroup = 64

// ErrClosed says that the store is being shut.
var ErrClosed = errors.New("store: the database is closed")

// groupWriter is the one writer of a SQLite database. Whoever arrives while a commit is being synced
// joins the next transaction, each in a savepoint of its own, so that one sync pays for all of them
// and one failure undoes only itself.
type groupWriter struct {
	store *Store
	conn  *sql.Conn
	q     *sqldb.Prepared
	jobs  chan *job

	mu     sync.RWMutex // guards closed against senders
	closed bool
	done   chan struct{}
}

type job struct {
	ctx    context.Context
	fn     func(*Tx) error
	tx     *Tx
	err    error
	result chan error
	// claimed is set by the writer, which then runs fn, or by a caller who waits no longer; whoever comes first has it.
	claimed atomic.Bool
}

func newGroupWriter(ctx context.Context, s *Store) (*groupWriter, error) {
	conn, err := s.writes.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	g := &groupWriter{store: s, conn: conn, q: &sqldb.Prepared{Prepare: conn.PrepareContext}, jobs: make(chan *job, maxGroup), done: make(chan struct{})}
	go g.run()
	return g, nil
}

func (g *groupWriter) write(ctx context.Context, fn func(*Tx) error) error {
	j := &job{ctx: ctx, fn: fn, result: make(chan error, 1)}
	g.mu.RLock()
	if g.closed {
		g.mu.RUnlock()
		return ErrClosed
	}
	select {
	case g.jobs <- j:
		g.mu.RUnlock()
	case <-ctx.Done():
		g.mu.RUnlock()
		return ctx.Err()
	}
	select {
	case err := <-j.result:
		return err
	case <-ctx.Done():
		if j.claimed.CompareAndSwap(false, true) {
			return ctx.Err() // the writer has not begun and skips it
		}
	}
	// Once the writer has begun, the answer is awaited whatever happens to ctx: it may be committed already.
	return <-j.result
}

func (g *groupWriter) close() {
	g.mu.Lock()
	if !g.closed {
		g.closed = true
		close(g.jobs)
	}
	g.mu.Unlock()
	<-g.done
}

func (g *groupWriter) run() {
	defer close(g.done)
	defer g.conn.Close()
	for first := range g.jobs {
		if first.ctx.Err() != nil && first.claimed.Load() {
			continue // its caller waits no longer
		}
		group, err := g.transaction(first)
		for _, j := range group {
			if j.err == nil {
				j.err = err
			}
			if j.err == nil {
				j.tx.runHooks()
			}
			j.result <- j.err
		}
	}
}

// runHooks runs what OnCommit was given. A hook that panics is logged and the others run: the transaction is on disk, and
// the goroutine may be the one of every writer.
func (tx *Tx) runHooks() {
	tx.store.replicas.show(tx.base.Change) // before anybody is told
	for _, f := range tx.base.Commit {
		func() {
			defer func() {
				if r := recover(); r != nil {
					slog.Error("store: panic after a commit", "panic", r, "stack", string(debug.Stack()))
				}
			}()
			f()
		}()
	}
}

// transaction runs first and whoever else is waiting in one transaction. The error is that of the
// transaction itself and holds for every member that has none of its own.
func (g *groupWriter) transaction(first *job) (group []*job, err error) {
	ctx := context.Background() // a cancelled caller must not interrupt the others' transaction
	group = []*job{first}
	defer func() {
		if r := recover(); r != nil { // of the driver; the jobs' own are caught by guarded
			err = fmt.Errorf("store: panic in the writer: %v\n%s", r, debug.Stack())
			_ = g.exec(ctx, "ROLLBACK")
		}
	}()
	if err := g.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return group, err
	}
	err = g.member(ctx, first)
	for err == nil && len(group) < maxGroup {
		j, ok := g.next()
		if !ok {
			break
		}
		group = append(group, j)
		err = g.member(ctx, j)
	}
	if err == nil {
		err = g.exec(ctx, "COMMIT")
		if failed := (*sqlite.Error)(nil); errors.As(err, &failed) && failed.Code()&0xff == sqlite3.SQLITE_IOERR {
			err = &sqldb.LostCommit{Cause: err} // it may be in the log, and be found there after a crash
		}
	}
	if err != nil {
		// Best effort: after a full disk SQLite has rolled back by itself and says so here.
		_ = g.exec(ctx, "ROLLBACK")
	}
	return group, err
}

func (g *groupWriter) next() (*job, bool) {
	select {
	case j, ok := <-g.jobs:
		return j, ok
	default:
		return nil, false
	}
}

// member runs one job in a savepoint. Its own failure stays in j.err; an error is returned only when
// the transaction as a whole cannot go on.
func (g *groupWriter) member(ctx context.Context, j *job) error {
	if !j.claimed.CompareAndSwap(false, true) {
		j.err = j.ctx.Err()
		return nil // the caller waits no longer; the others go on
	}
	if j.err = j.ctx.Err(); j.err != nil {
		return nil //nolint:nilerr // the caller has gone; the others go on
	}
	if err := g.exec(ctx, "SAVEPOINT member"); err != nil {
		return err
	}
	j.tx = g.store.begin(ctx, g.q, g.store.clock())
	if j.err = guarded(j); j.err != nil {
		if err := g.exec(ctx, "ROLLBACK TO member"); err != nil {
			return err
		}
	}
	return g.exec(ctx, "RELEASE member")
}

// guarded turns a panic of one member into its error, since the others share its goroutine.
func guarded(j *job) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("store: panic in a transaction: %v\n%s", r, debug.Stack())
		}
	}()
	return j.fn(j.tx)
}

func (g *groupWriter) exec(ctx context.Context, query string) error {
	_, err := g.q.ExecContext(ctx, query)
	return err
}
