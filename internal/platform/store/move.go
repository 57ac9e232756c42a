package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/fulltext"
	"stoa/internal/platform/store/sqldb"
)

// ErrHalfMoved says that a move into a database was begun and has not ended.
var ErrHalfMoved = errors.New("a move into this database was begun and has not ended: run the same `stoa migrate-data store` again, it goes on where it stopped")

// ErrTakenOver says that another process goes on with the move.
var ErrTakenOver = errors.New("store: another process is filling this database now")

// moveTable stands in a database from before the first row of a move until after the last. Its row without a name has the
// schema and the run that may write; every other one is a piece of a table that is there.
const moveTable = `CREATE TABLE unfinished_move (
	name  TEXT COLLATE "C" NOT NULL,
	piece BIGINT NOT NULL,
	count BIGINT NOT NULL,
	word  TEXT NOT NULL,
	PRIMARY KEY (name, piece)
)`

// Piece is some rows of a table, which are written at once. SHA256 is over their lines, in hex.
type Piece struct {
	Number int64 // from 1
	Rows   int64
	SHA256 string
}

// Move is a database that is filled with another's rows, piece by piece, by as many runs as it takes. Until Finish
// whoever opens it otherwise is answered ErrHalfMoved.
type Move struct {
	store  *Store
	tables []sqldb.Table
	run    string
}

// OpenMove opens an empty database, made where it is not there, or one into which a move was begun. first, asked before an
// empty one is marked, may refuse. ErrNotEmpty when it holds anything else. A run that is still at it is ended.
func OpenMove(ctx context.Context, where string, now clock.Clock, first func() error) (*Move, error) {
	m := &Move{store: &Store{clock: now}, run: rand.Text()}
	if err := m.store.open(ctx, where, func(ctx context.Context) error { return m.prepare(ctx, first) }); err != nil {
		return nil, errors.Join(err, m.store.closeAny())
	}
	return m, nil
}

func (m *Move) prepare(ctx context.Context, first func() error) error {
	s := m.store
	provider, v, err := s.versions(ctx)
	if err != nil {
		return err
	}
	begun, err := s.hasTable(ctx, s.writes, "unfinished_move")
	if err != nil {
		return err
	}
	if !begun {
		if v.Current > 0 {
			if err := (&Loader{store: s}).checkEmpty(ctx); err != nil {
				return err
			}
		}
		if err := first(); err != nil {
			return err
		}
	}
	if err := m.take(ctx, begun, v.Newest); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("store: migrating: %w", err)
	}
	m.tables, err = s.tables(ctx, s.writes)
	return err
}

// take makes this run the one that may write. What was there of another schema counts for nothing.
func (m *Move) take(ctx context.Context, begun bool, schema int64) error {
	t, err := m.store.writes.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer t.Rollback() // does nothing after Commit
	statements := []string{
		`DELETE FROM unfinished_move WHERE name <> '' AND EXISTS (SELECT 1 FROM unfinished_move m WHERE m.name = '' AND m.count <> $1)`,
		`UPDATE unfinished_move SET count = $1, word = $2 WHERE name = ''`,
	}
	args := [][]any{{schema}, {schema, m.run}}
	if !begun {
		statements = []string{dialect(m.store.engine, moveTable), `INSERT INTO unfinished_move (name, piece, count, word) VALUES ('', 0, $1, $2)`}
		args = [][]any{nil, {schema, m.run}}
	}
	for i, statement := range statements {
		if m.store.engine == sqldb.SQLite {
			statement = sqldb.Numbered(statement)
		}
		if _, err := t.ExecContext(ctx, statement, args[i]...); err != nil {
			return err
		}
	}
	return t.Commit()
}

// refuseHalfMoved refuses a database that a move has not filled to its end.
func (s *Store) refuseHalfMoved(ctx context.Context, q sqldb.Querier) error {
	begun, err := s.hasTable(ctx, q, "unfinished_move")
	if err == nil && begun {
		err = ErrHalfMoved
	}
	return err
}

// Pieces are those of a table that are there, in order.
func (m *Move) Pieces(ctx context.Context, table string) (pieces []Piece, err error) {
	err = sqldb.ScanAll(ctx, m.store.base.Q, `SELECT piece, count, word FROM unfinished_move WHERE name = $1 ORDER BY piece`, []any{table}, func(rows *sql.Rows) error {
		var p Piece
		err := rows.Scan(&p.Number, &p.Rows, &p.SHA256)
		pieces = append(pieces, p)
		return err
	})
	return pieces, err
}

// write runs fn in a transaction in which no other run writes.
func (m *Move) write(ctx context.Context, fn func(tx *Tx) error) error {
	return m.store.Write(ctx, func(tx *Tx) error {
		done, err := tx.base.Q.ExecContext(tx.base.Ctx, `UPDATE unfinished_move SET word = word WHERE name = '' AND word = $1`, m.run)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(ErrTakenOver, err)
		}
		return fn(tx)
	})
}

// Clear empties a table and forgets its pieces.
func (m *Move) Clear(ctx context.Context, table string) error {
	return m.write(ctx, func(tx *Tx) error {
		if err := tx.base.Exec(`DELETE FROM ` + table); err != nil {
			return err
		}
		return tx.base.Exec(`DELETE FROM unfinished_move WHERE name = $1`, table)
	})
}

// Add writes the next piece of a table: lines as Snapshot.Rows gives them, each with its end.
func (m *Move) Add(ctx context.Context, t sqldb.Table, p Piece, lines []byte) error {
	return m.write(ctx, func(tx *Tx) error {
		into := &Loading{tx: tx, ctx: ctx, tables: m.tables}
		if err := into.Table(t); err != nil {
			return err
		}
		for line := range bytes.Lines(lines) {
			if err := into.Row(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				return err
			}
		}
		if err := into.flush(); err != nil {
			return err
		}
		return tx.base.Exec(`INSERT INTO unfinished_move (name, piece, count, word) VALUES ($1, $2, $3, $4)`, t.Name, p.Number, p.Rows, p.SHA256)
	})
}

// Store is the database itself. What an earlier run has put into its search index for items that are no longer there is
// taken out.
func (m *Move) Store(ctx context.Context) (*Store, error) {
	return m.store, m.write(ctx, func(tx *Tx) error {
		gone, err := fulltext.Seqs(tx.base.Ctx, tx.base.Q, `SELECT seq FROM item_search_state WHERE seq NOT IN (SELECT seq FROM item)`)
		for _, seq := range gone {
			if err := m.store.search.Delete(tx.base.Ctx, tx.base.Q, seq); err != nil {
				return err
			}
		}
		return err
	})
}

// Snapshot shows what is there.
func (m *Move) Snapshot(ctx context.Context) (*Snapshot, error) { return m.store.Snapshot(ctx) }

// Finish takes the mark away: from now on the database is like any other.
func (m *Move) Finish(ctx context.Context) error {
	return m.write(ctx, func(tx *Tx) error { return tx.base.Exec(`DROP TABLE unfinished_move`) })
}

// Close closes the database.
func (m *Move) Close() error { return m.store.Close() }
