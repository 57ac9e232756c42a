package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strings"

	"stoa/internal/platform/store/sqldb"
)

// Snapshot is the whole store as it was at one moment, whatever is written meanwhile. It belongs to one goroutine.
//
// On PostgreSQL it is a transaction that only reads and sees what was committed when it began; on SQLite one that keeps
// the write-ahead log from being emptied. Neither makes a writer wait.
type Snapshot struct {
	Engine sqldb.Engine
	Schema int64
	Tables []sqldb.Table
	Head   AuditHead // of the audit log; Seq is 0 where the schema has no chain

	conn *sql.Conn
}

// Snapshot takes a snapshot; the caller closes it.
func (s *Store) Snapshot(ctx context.Context) (*Snapshot, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	if v.Schema, err = s.schemaOf(ctx, v.conn); err == nil { // the first read is the moment
		v.Tables, err = s.tables(ctx, v.conn)
	}
	if err == nil && v.Schema >= chainSchema {
		v.Head, err = queriesOf(v.conn).AuditHead(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// view is a snapshot that says nothing of itself. The first read is its moment.
func (s *Store) view(ctx context.Context) (*Snapshot, error) {
	conn, err := s.reads.Conn(ctx)
	if err != nil {
		return nil, err
	}
	begin := "BEGIN"
	if s.engine == sqldb.Postgres {
		// Whoever copies it out may be busy elsewhere between two rows.
		begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0"
	}
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Snapshot{Engine: s.engine, conn: conn}, nil
}

// Close ends the snapshot.
func (v *Snapshot) Close() error {
	// The context may have ended, and a connection must not go back with a transaction open.
	_, err := v.conn.ExecContext(context.Background(), "ROLLBACK")
	return errors.Join(err, v.conn.Close())
}

// Rows hands every row of a table to each, in the order of its primary key: a JSON array of its values, the same on both
// engines. The line is good until each returns.
func (v *Snapshot) Rows(ctx context.Context, t sqldb.Table, each func(line []byte) error) error {
	values := make([]any, len(t.Columns))
	for i := range values {
		values[i] = new(any)
	}
	var line []byte
	return sqldb.ScanAll(ctx, v.conn, `SELECT `+t.Names()+` FROM `+t.Name+` ORDER BY `+strings.Join(t.Key, ", "), nil, func(rows *sql.Rows) (err error) {
		if err = rows.Scan(values...); err != nil {
			return err
		}
		if line, err = sqldb.AppendRow(line[:0], t, values); err != nil {
			return err
		}
		return each(line)
	})
}

// Blobs hands the digest of every blob that a row names to each, once and in order.
func (v *Snapshot) Blobs(ctx context.Context, each func(digest string) error) error {
	return eachBlob(ctx, v.conn, v.Engine, v.Schema, "", math.MaxInt32, each)
}

// NamedBlobs gives the digests of blobs that rows name, in order, after one and at most limit.
func (s *Store) NamedBlobs(ctx context.Context, after string, limit int) (digests []string, err error) {
	schema, err := s.schemaOf(ctx, s.base.Q)
	if err != nil {
		return nil, err
	}
	err = eachBlob(ctx, s.base.Q, s.engine, schema, after, limit, func(digest string) error {
		digests = append(digests, digest)
		return nil
	})
	return digests, err
}

// CountNamedBlobs counts the blobs that rows name.
func (s *Store) CountNamedBlobs(ctx context.Context) (n int64, err error) {
	schema, err := s.schemaOf(ctx, s.base.Q)
	if err != nil {
		return 0, err
	}
	err = sqldb.ScanOne(ctx, s.base.Q, dialect(s.engine, `SELECT COUNT(*) FROM (`+namedBlobs(schema)+`) counted`), []any{"", math.MaxInt32}, &n)
	return n, err
}

func eachBlob(ctx context.Context, q sqldb.Querier, engine sqldb.Engine, schema int64, after string, limit int, each func(digest string) error) error {
	return sqldb.ScanAll(ctx, q, dialect(engine, namedBlobs(schema)), []any{after, limit}, func(rows *sql.Rows) error {
		var digest string
		if err := rows.Scan(&digest); err != nil {
			return err
		}
		return each(digest)
	})
}

// blobColumns are all columns that name a blob, with the schema since which there are those.
var blobColumns = []struct {
	table, column string
	since         int64
}{
	{"artifact", "sha256", 0}, {"submission", "sha256", 0}, {"import_draft", "blob", 0}, {"anki_collection", "sha256", notesSchema}, {"note_media", "sha256", notesSchema},
}

// notesSchema is the first with what notes bring beside their texts.
const notesSchema = 38

// BlobInUse tells whether any row names a blob.
func (q Queries) BlobInUse(ctx context.Context, digest string) (bool, error) {
	return q.blobInUse(ctx, math.MaxInt64, digest)
}

// BlobStillInUse is BlobInUse for a store that may be of an older schema.
func (s *Store) BlobStillInUse(ctx context.Context, digest string) (bool, error) {
	schema, err := s.schemaOf(ctx, s.base.Q)
	if err != nil {
		return false, err
	}
	return s.blobInUse(ctx, schema, digest)
}

func (q Queries) blobInUse(ctx context.Context, schema int64, digest string) (bool, error) {
	var counts []string
	for _, c := range blobColumns {
		if schema >= c.since {
			counts = append(counts, `(SELECT COUNT(*) FROM `+c.table+` WHERE `+c.column+` = $1)`)
		}
	}
	var n int
	err := sqldb.ScanOne(ctx, q.base.Q, `SELECT `+strings.Join(counts, " + "), []any{digest}, &n)
	return n > 0, err
}

// namedBlobs reads every digest that a row of a schema names, in order.
func namedBlobs(schema int64) string {
	var columns []string
	for _, c := range blobColumns {
		if schema >= c.since {
			columns = append(columns, `SELECT `+c.column+` COLLATE "C" AS digest FROM `+c.table)
		}
	}
	return `SELECT digest FROM (` + strings.Join(columns, " UNION ") + `) named WHERE digest > $1 ORDER BY digest LIMIT $2`
}
