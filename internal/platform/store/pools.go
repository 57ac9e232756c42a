package store

import (
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"stoa/internal/platform/store/sqldb"
)

// Load tells how busy the database's side of this process is.
type Load struct {
	Pools []Pool
	// Queued is how many writers wait for the one writer of a SQLite database; 0 on PostgreSQL, where they wait in
	// the pool.
	Queued int
	// Transactions since the start: committed, taken back because the operation said so, and ended by a database that could
	// not be asked.
	Committed, Refused, Failed uint64
}

// Pool is one pool of connections.
type Pool struct {
	Name   string
	Most   int
	InUse  int
	Waits  int64 // times that a connection had to be waited for
	Waited time.Duration
}

// ended counts transactions.
type ended struct{ committed, refused, failed atomic.Uint64 }

func (e *ended) count(err error) {
	var away *sqldb.Unreachable
	switch {
	case err == nil:
		e.committed.Add(1)
	case errors.As(err, &away):
		e.failed.Add(1)
	default:
		e.refused.Add(1)
	}
}

// Load looks at the pools and the queue.
func (s *Store) Load() Load {
	l := Load{Committed: s.ended.committed.Load(), Refused: s.ended.refused.Load(), Failed: s.ended.failed.Load()}
	if s.group != nil {
		l.Queued = len(s.group.jobs)
		l.Pools = append(l.Pools, poolOf("read", s.reads), poolOf("write", s.writes))
		return l
	}
	l.Pools = append(l.Pools, poolOf("all", s.reads))
	return l
}

func poolOf(name string, db *sql.DB) Pool {
	stats := db.Stats()
	return Pool{name, stats.MaxOpenConnections, stats.InUse, stats.WaitCount, stats.WaitDuration}
}
