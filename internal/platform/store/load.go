package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// ErrNotEmpty says that a database which is to be filled holds rows already.
var ErrNotEmpty = errors.New("store: the database holds rows already")

// Loader fills an empty database with the rows of a snapshot.
type Loader struct {
	store  *Store
	tables []sqldb.Table
}

// OpenEmpty opens an empty database to be filled, made where it is not there, at a given schema. ErrNotEmpty when it
// holds anything, and ErrTooNew when this binary does not know the schema.
func OpenEmpty(ctx context.Context, where string, schema int64, now clock.Clock) (*Loader, error) {
	s := &Store{clock: now}
	l := &Loader{store: s}
	err := s.open(ctx, where, func(ctx context.Context) error { return l.prepare(ctx, schema) })
	if err != nil {
		return nil, errors.Join(err, s.closeAny())
	}
	return l, nil
}

func (l *Loader) prepare(ctx context.Context, schema int64) error {
	s := l.store
	if newest := NewestSchema(); schema > newest {
		return fmt.Errorf("store: the rows are of schema %d and this binary knows %d: %w", schema, newest, ErrTooNew)
	}
	provider, v, err := s.versions(ctx)
	if err == nil {
		err = s.refuseHalfMoved(ctx, s.writes)
	}
	if err != nil {
		return err
	}
	if v.Current > 0 {
		if err := l.checkEmpty(ctx); err != nil {
			return err
		}
	}
	if v.Current > schema {
		return fmt.Errorf("%w: none, but it is at schema %d and the rows are of %d: take a new one", ErrNotEmpty, v.Current, schema)
	}
	if _, err := provider.UpTo(ctx, schema); err != nil {
		return fmt.Errorf("store: migrating: %w", err)
	}
	l.tables, err = s.tables(ctx, s.writes)
	return err
}

// checkEmpty looks for rows that no migration made.
func (l *Loader) checkEmpty(ctx context.Context) error {
	tables, err := l.store.tables(ctx, l.store.writes)
	if err != nil {
		return err
	}
	for _, t := range tables {
		query := `SELECT COUNT(*) FROM (SELECT 1 FROM ` + t.Name + ` LIMIT 1) any_row`
		if t.Name == "counter" {
			query = `SELECT COUNT(*) FROM counter WHERE value <> 0`
		}
		var n int
		if err := sqldb.ScanOne(ctx, l.store.writes, query, nil, &n); err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("%w (table %s)", ErrNotEmpty, t.Name)
		}
	}
	return nil
}

// Close closes the database.
func (l *Loader) Close() error { return l.store.Close() }

// closeAny closes what has been opened of a store that did not open.
func (s *Store) closeAny() error {
	var err error
	for _, db := range []*sql.DB{s.reads, s.writes} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	return err
}

// Load runs fill in one transaction: when it fails, the database is as empty as before.
func (l *Loader) Load(ctx context.Context, fill func(into *Loading) error) error {
	begun := false
	ctx = sqldb.Whole(ctx)
	return l.store.Write(ctx, func(tx *Tx) error {
		if begun {
			return errors.New("store: the database asked for the rows once more; begin again")
		}
		begun = true
		if l.store.engine == sqldb.Postgres { // packages are put into their place between the rows
			if err := tx.base.Exec(`SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
				return err
			}
		}
		into := &Loading{tx: tx, ctx: ctx, tables: l.tables}
		for _, t := range l.tables {
			if err := tx.base.Exec(`DELETE FROM ` + t.Name); err != nil { // what migrations put there
				return err
			}
		}
		if err := fill(into); err != nil {
			return err
		}
		return into.flush()
	})
}

// Loading inserts rows, table by table.
type Loading struct {
	tx     *Tx
	ctx    context.Context
	tables []sqldb.Table
	table  sqldb.Table
	args   []any
	reader sqldb.RowReader
}

// maxParameters bounds a statement: PostgreSQL takes 65,535 and SQLite 32,766.
const maxParameters = 16_000

// Table says of which table the next rows are. It must have the columns that the database has.
func (l *Loading) Table(t sqldb.Table) error {
	if err := l.flush(); err != nil {
		return err
	}
	i := slices.IndexFunc(l.tables, func(known sqldb.Table) bool { return known.Name == t.Name })
	if i < 0 {
		return fmt.Errorf("store: there is no table %s in this schema", t.Name)
	}
	known := l.tables[i].Columns
	if len(known) != len(t.Columns) {
		return fmt.Errorf("store: table %s has other columns in this schema", t.Name)
	}
	for _, c := range t.Columns {
		if !slices.ContainsFunc(known, func(k sqldb.Column) bool { return k.Name == c.Name && k.Type == c.Type }) {
			return fmt.Errorf("store: table %s has no column %s %s in this schema", t.Name, c.Name, c.Type)
		}
	}
	l.table = t
	return nil
}

// Row inserts a row as Snapshot.Rows gives it.
func (l *Loading) Row(line []byte) (err error) {
	if l.args, err = l.reader.Read(l.args, line, l.table); err != nil {
		return err
	}
	if len(l.args)+len(l.table.Columns) > maxParameters {
		return l.flush()
	}
	return l.ctx.Err()
}

func (l *Loading) flush() error {
	if len(l.args) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(`INSERT INTO ` + l.table.Name + ` (` + l.table.Names() + `) VALUES `)
	for i := range l.args {
		switch {
		case i == 0:
			b.WriteByte('(')
		case i%len(l.table.Columns) == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		if l.tx.store.engine == sqldb.SQLite {
			b.WriteByte('?') // the driver asks for the name of each, and every answer takes as long as there are names
		} else {
			fmt.Fprintf(&b, "$%d", i+1)
		}
	}
	b.WriteByte(')')
	err := l.insert(b.String())
	l.args = l.args[:0]
	if err != nil {
		return fmt.Errorf("store: table %s: %w", l.table.Name, err)
	}
	return nil
}

// insert runs a statement that is not worth keeping.
func (l *Loading) insert(query string) error {
	if g := l.tx.store.group; g != nil {
		_, err := g.conn.ExecContext(l.ctx, query, l.args...)
		return err
	}
	_, err := l.tx.base.Q.ExecContext(l.ctx, query, l.args...)
	return err
}

// DropDrafts removes the drafts whose bytes are no longer there: their owners deleted them while the snapshot was read.
func (l *Loading) DropDrafts(blob string) error {
	if err := l.flush(); err != nil {
		return err
	}
	return l.tx.base.Exec(`DELETE FROM import_draft WHERE blob = $1`, blob)
}
