package sqldb

import (
	"context"
	"database/sql"
	"time"
)

// How long PostgreSQL may take before it counts as out of reach. A connection that was cut says nothing at all, so
// without these bounds a request would wait for ever.
const (
	ConnectPatience = 5 * time.Second
	soonRead        = 8 * time.Second  // one statement of a request
	SoonWrite       = 12 * time.Second // one transaction of a request, from its beginning to its commit
	LongRead        = 5 * time.Minute  // one statement of background work or of an operator's command
	LongWrite       = 30 * time.Minute
)

// ServerPatience is what the server is told about each connection, so that a node that is paused or cut off does not
// hold others' rows: a transaction nobody goes on with ends after five seconds, and a connection nobody answers on is
// closed. What a server or a pooler does not know is left out.
var ServerPatience = []string{
	`SET idle_in_transaction_session_timeout = '5s'`,
	`SET client_connection_check_interval = '5s'`,
	`SET tcp_keepalives_idle = 10`,
	`SET tcp_keepalives_interval = 5`,
	`SET tcp_keepalives_count = 3`,
	`SET tcp_user_timeout = '20s'`,
}

type soonKey struct{}

// Soon marks a context whose reads and transactions somebody waits for: they fail as Unreachable when the database takes
// longer than a person would. Others may take minutes.
func Soon(ctx context.Context) context.Context { return context.WithValue(ctx, soonKey{}, true) }

// IsSoon tells whether somebody waits for what is done under a context.
func IsSoon(ctx context.Context) bool {
	marked, _ := ctx.Value(soonKey{}).(bool)
	return marked
}

type wholeKey struct{}

// Whole marks a context in which everything is written at once, however long that takes.
func Whole(ctx context.Context) context.Context { return context.WithValue(ctx, wholeKey{}, true) }

const forWhole = 7 * 24 * time.Hour

// Patience is how long work under a context may take: soon where somebody waits for it, else long.
func Patience(ctx context.Context, soon, long time.Duration) time.Duration {
	if marked, _ := ctx.Value(wholeKey{}).(bool); marked {
		return forWhole
	}
	if IsSoon(ctx) {
		return soon
	}
	return long
}

// bounded bounds one read on PostgreSQL. A transaction is bounded as a whole, and SQLite is on this machine.
func bounded(ctx context.Context, q Querier) (context.Context, context.CancelFunc) {
	if _, remote := q.(*sql.DB); !remote {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, Patience(ctx, soonRead, LongRead))
}
