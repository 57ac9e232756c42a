package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strings"
)

// Snapshot is the whole store as it was at one moment, whatever is written meanwhile. It belongs to one goroutine.
//
// On PostgreSQL it is a transaction that only reads and sees what was committed when it began; on SQLite one that keeps
// the write-ahead log from being emptied. Neither makes a writer wait.
type Snapshot struct {
	Engine Engine
	Schema int64
	Tables []Table
	Head   AuditHead // of the audit log; Seq is 0 where the schema has no chain

	conn *sql.Conn
}

// Snapshot takes a snapshot; the caller closes it.
func (s *Store) Snapshot(ctx context.Context) (*Snapshot, error) {
	conn, err := s.reads.Conn(ctx)
	if err != nil {
		return nil, err
	}
	v := &Snapshot{Engine: s.engine, conn: conn}
	begin := "BEGIN"
	if s.engine == Postgres {
		// Whoever copies it out may be busy elsewhere between two rows.
		begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0"
	}
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if v.Schema, err = s.schemaOf(ctx, conn); err == nil { // the first read is the moment
		v.Tables, err = s.tables(ctx, conn)
	}
	if err == nil && v.Schema >= chainSchema {
		v.Head, err = Queries{conn}.AuditHead(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// Close ends the snapshot.
func (v *Snapshot) Close() error {
	// The context may have ended, and a connection must not go back with a transaction open.
	_, err := v.conn.ExecContext(context.Background(), "ROLLBACK")
	return errors.Join(err, v.conn.Close())
}

// Rows hands every row of a table to each, in the order of its primary key: a JSON array of its values, the same on both
// engines. The line is good until each returns.
func (v *Snapshot) Rows(ctx context.Context, t Table, each func(line []byte) error) error {
	values := make([]any, len(t.Columns))
	for i := range values {
		values[i] = new(any)
	}
	var line []byte
	return scanAll(ctx, v.conn, `SELECT `+t.names()+` FROM `+t.Name+` ORDER BY `+strings.Join(t.Key, ", "), nil, func(rows *sql.Rows) (err error) {
		if err = rows.Scan(values...); err != nil {
			return err
		}
		if line, err = appendRow(line[:0], t, values); err != nil {
			return err
		}
		return each(line)
	})
}

// Blobs hands the digest of every blob that a row names to each, once and in order.
func (v *Snapshot) Blobs(ctx context.Context, each func(digest string) error) error {
	return eachBlob(ctx, v.conn, v.Engine, "", math.MaxInt32, each)
}

// NamedBlobs gives the digests of blobs that rows name, in order, after one and at most limit.
func (s *Store) NamedBlobs(ctx context.Context, after string, limit int) (digests []string, err error) {
	err = eachBlob(ctx, s.q, s.engine, after, limit, func(digest string) error {
		digests = append(digests, digest)
		return nil
	})
	return digests, err
}

// CountNamedBlobs counts the blobs that rows name.
func (s *Store) CountNamedBlobs(ctx context.Context) (n int64, err error) {
	err = scanOne(ctx, s.q, dialect(s.engine, `SELECT COUNT(*) FROM (`+namedBlobs+`) counted`), []any{"", math.MaxInt32}, &n)
	return n, err
}

func eachBlob(ctx context.Context, q Querier, engine Engine, after string, limit int, each func(digest string) error) error {
	return scanAll(ctx, q, dialect(engine, namedBlobs), []any{after, limit}, func(rows *sql.Rows) error {
		var digest string
		if err := rows.Scan(&digest); err != nil {
			return err
		}
		return each(digest)
	})
}

// namedBlobs says of every column that names a blob how to read it. What is added here is also asked for by BlobInUse.
const namedBlobs = `SELECT digest FROM (SELECT sha256 COLLATE "C" AS digest FROM artifact UNION SELECT sha256 COLLATE "C" FROM submission
	UNION SELECT blob COLLATE "C" FROM import_draft UNION SELECT sha256 COLLATE "C" FROM anki_collection UNION SELECT sha256 COLLATE "C" FROM note_media) named WHERE digest > $1 ORDER BY digest LIMIT $2`
