package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"stoa/internal/platform/store/sqldb"
)

// How long a COMMIT may take. The limit of the statements before it does not hold for it: a wait for a standby that is cut short
// commits on the primary alone, and what it wrote is seen, answered and lost with that primary.
const (
	soonCommit = 6 * time.Second
	longCommit = time.Minute
	// leastCommit is for callers with little time of their own, such as health.
	leastCommit = 2 * time.Second
	// endCommit is when a COMMIT that nobody waits for is given up and its connection closed, without a word to the server.
	endCommit = 5 * time.Minute
)

// commitPatience is how long a caller waits for a COMMIT: longer than the rest of what the statements may take where that is short.
func commitPatience(ctx context.Context) time.Duration {
	limit := sqldb.Patience(ctx, soonCommit, longCommit)
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, max(time.Until(end), leastCommit))
	}
	return limit
}

// pgTransaction is a transaction on PostgreSQL.
type pgTransaction struct {
	driver.Tx
	session  *pgSession
	patience time.Duration
}

// Commit commits. The error is a sqldb.LostCommit when it may have happened, and any other when it has not.
func (t *pgTransaction) Commit() error {
	c := t.session
	if c.Conn.Conn().IsClosed() {
		return driver.ErrBadConn
	}
	c.mu.Lock()
	c.warning = nil
	c.mu.Unlock()
	c.committing.Store(true)
	done := make(chan error, 1)
	go func() { done <- t.send() }()
	limit := time.NewTimer(t.patience)
	defer limit.Stop()
	select {
	case err := <-done:
		return t.judge(err)
	case <-limit.C:
	}
	// The server goes on, and until it is through nobody sees what the transaction wrote and its rows are locked.
	c.left.Store(true)
	c.connector.waiting.Add(1)
	go func() {
		defer func() { c.connector.waiting.Add(-1) }()
		end := time.AfterFunc(endCommit, func() { _ = c.Conn.Conn().PgConn().Conn().Close() })
		defer end.Stop()
		<-done //nolint:errcheck // whoever asked was told that the outcome is not known
		_ = c.Conn.Close()
	}()
	return &sqldb.LostCommit{Cause: fmt.Errorf("no answer within %s", t.patience)}
}

// send sends COMMIT and waits for its answer, however long that takes.
func (t *pgTransaction) send() error {
	tag, err := t.session.Conn.Conn().Exec(context.Background(), "commit", pgx.QueryExecModeSimpleProtocol)
	if err == nil && tag.String() == "ROLLBACK" {
		err = pgx.ErrTxCommitRollback
	}
	return err
}

// judge tells what an answer to COMMIT means. The connection can be used again only after a clear one.
func (t *pgTransaction) judge(err error) error {
	c := t.session
	c.mu.Lock()
	warning := c.warning
	c.mu.Unlock()
	var refused *pgconn.PgError
	switch {
	case warning != nil:
		return &sqldb.LostCommit{Cause: fmt.Errorf("the server warns: %s (SQLSTATE %s)", warning.Message, warning.Code)}
	case err == nil, errors.Is(err, pgx.ErrTxCommitRollback):
	case errors.As(err, &refused) && notCommitted(refused):
	default: // also what pgconn.SafeToRetry takes for not sent: of a connection that ends while COMMIT waits it says "conn closed"
		return &sqldb.LostCommit{Cause: err}
	}
	c.committing.Store(false)
	return err
}

// notCommitted tells whether what the server says to COMMIT means that nothing was committed. A connection that it ends may have
// been ended while the commit waited for a standby, except where it was ended for not having sent a COMMIT in time.
func notCommitted(e *pgconn.PgError) bool {
	level := e.SeverityUnlocalized
	if level == "" {
		level = e.Severity
	}
	if level == "ERROR" {
		return !strings.HasPrefix(e.Code, "08") && !strings.HasPrefix(e.Code, "57")
	}
	return e.Code == "25P03" || e.Code == "25P04"
}
