package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Engine names a database engine.
type Engine string

// The two engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// ErrNotFound says that a row asked for by key is not there.
var ErrNotFound = errors.New("store: not found")

// ErrConflict says that a row with the same key is there already.
var ErrConflict = errors.New("store: already there")

// Prepared runs SQLite statements, each compiled once and kept. Not needed on PostgreSQL, where pgx
// keeps them itself.
type Prepared struct {
	Prepare func(ctx context.Context, query string) (*sql.Stmt, error)
	Admit   func(context.Context) error // nil for the writer, whose transactions are admitted as a whole
	kept    sync.Map                    // SQL text as written → *sql.Stmt
}

func (p *Prepared) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := p.kept.Load(query); ok {
		return s.(*sql.Stmt), nil
	}
	s, err := p.Prepare(context.WithoutCancel(ctx), Numbered(query))
	if err != nil {
		return nil, err
	}
	if first, loaded := p.kept.LoadOrStore(query, s); loaded {
		s.Close() //nolint:sqlclosecheck // another goroutine was first; its statement is used
		return first.(*sql.Stmt), nil
	}
	return s, nil
}

// ExecContext implements Querier.
func (p *Prepared) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := p.stmt(ctx, query) //nolint:sqlclosecheck // kept for the next time
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// QueryContext implements Querier.
func (p *Prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if p.Admit != nil {
		if err := p.Admit(ctx); err != nil {
			return nil, err
		}
	}
	s, err := p.stmt(ctx, query) //nolint:sqlclosecheck // kept for the next time
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// Numbered turns $1 into ?1. Our SQL has no dollar signs elsewhere.
func Numbered(query string) string { return strings.ReplaceAll(query, "$", "?") }

// ScanOne runs a query that gives at most one row; ErrNotFound when it gives none.
func ScanOne(ctx context.Context, q Querier, query string, args []any, dest ...any) error {
	within, cancel := bounded(ctx, q)
	defer cancel()
	return Reach(ctx, ScanFirst(within, q, query, args, dest))
}

// ScanFirst is ScanOne without a bound on its time.
func ScanFirst(ctx context.Context, q Querier, query string, args, dest []any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return ErrNotFound
	}
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	return rows.Close()
}

// ScanAll runs a query and hands each row to scan.
func ScanAll(ctx context.Context, q Querier, query string, args []any, scan func(*sql.Rows) error) error {
	within, cancel := bounded(ctx, q)
	defer cancel()
	return Reach(ctx, scanEach(within, q, query, args, scan))
}

func scanEach(ctx context.Context, q Querier, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// isDuplicate tells whether err is a violated unique index, on either engine.
func isDuplicate(err error) bool {
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505"
}

// IsTransient tells whether PostgreSQL asks for the whole transaction to be run again.
func IsTransient(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

// OrConflict turns a violated unique index into ErrConflict.
func OrConflict(err error) error {
	if isDuplicate(err) {
		return ErrConflict
	}
	return err
}
