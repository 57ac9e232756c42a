package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// maxWaiting is how many commits may be waiting on the server after their callers were answered. Each holds a connection there.
const maxWaiting = 16

// keepAlive finds out within half a minute that nobody is at the other end of a connection.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}

// connector opens connections to PostgreSQL whose transactions are committed as commit says.
type connector struct {
	config  *pgx.ConnConfig
	history *history     // nil for none
	waiting atomic.Int64 // commits that nobody waits for any more, and whose outcome is open
}

// Connect opens a connection.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn := &pgSession{connector: c}
	config := c.config.Copy()
	dial := (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if conn.committing.Load() {
			return nil, errors.New("a COMMIT is not cancelled") // pgx would ask the server to, on a connection of its own
		}
		return dial(ctx, network, address)
	}
	if c.history != nil {
		c.history.onlyPlausible(config)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { conn.notice(n) }
	inner, err := stdlib.GetConnector(*config, stdlib.OptionAfterConnect(func(ctx context.Context, plain *pgx.Conn) (err error) {
		if err = settle(ctx, plain); err == nil && c.history != nil && ctx.Value(beyondKey{}) == nil {
			conn.server, conn.pooled, err = c.history.meet(ctx, plain, connecting)
		}
		return err
	})).Connect(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := inner.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("store: the driver gave a %T", inner)
	}
	conn.Conn = plain
	return conn, nil
}

// Driver is pgx's.
func (c *connector) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// pgSession is one connection.
type pgSession struct {
	*stdlib.Conn
	connector  *connector
	committing atomic.Bool // or a commit was not answered
	left       atomic.Bool // a commit goes on here without its caller
	server     string      // its incarnation, "" where nobody guards it
	pooled     bool        // it may be another for each transaction

	mu      sync.Mutex
	warning *pgconn.Notice // the first one of the commit under way
}

// notice keeps what the server warns of during a commit. That of a cancelled wait for a standby comes with success.
func (c *pgSession) notice(n *pgconn.Notice) {
	level := n.SeverityUnlocalized
	if level == "" {
		level = n.Severity
	}
	if level == "NOTICE" || level == "INFO" || level == "DEBUG" || level == "LOG" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.warning == nil && c.committing.Load() {
		c.warning = n
	}
}

// IsValid tells database/sql whether the connection can be used again.
func (c *pgSession) IsValid() bool { return !c.left.Load() && !c.committing.Load() }

// Close closes the connection, unless a commit goes on in it.
func (c *pgSession) Close() error {
	if c.left.Load() {
		return nil
	}
	return c.Conn.Close()
}

// BeginTx begins a transaction.
func (c *pgSession) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if c.connector.waiting.Load() >= maxWaiting {
		return nil, errStandbys
	}
	if err := c.admit(ctx); err != nil {
		return nil, err
	}
	tx, err := c.Conn.BeginTx(ctx, o)
	if err != nil {
		return nil, err
	}
	if c.pooled && c.connector.history != nil {
		if c.server, _, err = c.connector.history.meet(ctx, c.Conn.Conn(), inTransaction); err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
	}
	return &pgTransaction{Tx: tx, session: c, patience: commitPatience(ctx)}, nil
}

// errStandbys refuses writes while many commits wait.
var errStandbys = &pgconn.PgError{Code: "53000", Severity: "ERROR", Message: "too many commits wait for the server or its standbys"}

// admit refuses a connection to a refused database, and lets one to a server of before be replaced.
func (c *pgSession) admit(ctx context.Context) error {
	h := c.connector.history
	if err := h.admit(ctx); err != nil || h == nil || c.server == "" {
		return err
	}
	if now := h.current.Load(); now != nil && *now != c.server {
		return driver.ErrBadConn
	}
	return nil
}

// QueryContext asks, unless the database is refused.
func (c *pgSession) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.admit(ctx); err != nil {
		return nil, err
	}
	return c.Conn.QueryContext(ctx, query, args)
}
