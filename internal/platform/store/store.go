package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "modernc.org/sqlite" // the driver named "sqlite"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/fulltext"
	"stoa/internal/platform/store/sqldb"
	"stoa/internal/platform/tracing"
)

// Store is an open database.
type Store struct {
	Queries
	engine    sqldb.Engine
	path      string // of a SQLite file
	clock     clock.Clock
	search    fulltext.Index
	searchDDL []string
	reads     *sql.DB
	writes    *sql.DB
	group     *groupWriter // SQLite only
	ended     ended
	history   *history        // nil where nobody guards it
	replicas  *replicas       // nil for none
	address   *pgx.ConnConfig // of PostgreSQL
	file      os.FileInfo     // of SQLite, as it was opened
	described *sqldb.Tables
	// ofLearners says that this is one of the databases of learners beside the main one.
	ofLearners bool
}

// SQLite settings. Sixteen MiB of page cache per connection gave the speed of 64;
// the map makes point reads as fast as the C driver's. Letting the log grow to 32 MiB before it is copied into the file, instead
// of 4, gave a tenth more durable installs: pages that change often are copied, and the file is synced, an eighth as often.
const (
	pageCacheKiB = 16 << 10
	walPages     = 8192
	mmapBytes    = 2<<30 - 64<<10 // the most that SQLite takes; only what is read is ever in memory
	readers      = 4
	busyTimeout  = 10 * time.Second
)

// Open opens the database at where: a postgres:// address or the path of a SQLite file, which is
// made when it is not there. Pending migrations are applied.
func Open(ctx context.Context, where string, now clock.Clock, options ...Option) (*Store, error) {
	s := &Store{clock: now}
	for _, change := range options {
		change(s)
	}
	if s.history != nil {
		if err := s.history.load(); err != nil {
			return nil, err
		}
	}
	return s, s.open(ctx, where, s.migrate)
}

// OpenAsIs opens a database that is there without changing it, also one at an older schema, of which only what
// Snapshot and Schema give can be relied on.
func OpenAsIs(ctx context.Context, where string, now clock.Clock) (*Store, error) {
	s := &Store{clock: now}
	if !isAddress(where) {
		if _, err := os.Stat(where); err != nil {
			return nil, fmt.Errorf("store: there is no database at %s", where)
		}
	}
	if err := s.open(ctx, where, func(context.Context) error { return nil }); err != nil {
		return nil, err
	}
	v, err := s.Schema(ctx)
	if err == nil {
		err = v.refuseNewer()
	}
	if err == nil && v.Current == 0 {
		err = errors.New("store: the database is empty")
	}
	if err == nil {
		err = s.refuseHalfMoved(ctx, s.reads)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func isAddress(where string) bool {
	return strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://")
}

func (s *Store) open(ctx context.Context, where string, migrate func(context.Context) error) error {
	if isAddress(where) {
		return s.openPostgres(ctx, where, migrate)
	}
	return s.openSQLite(ctx, where, migrate)
}

func (s *Store) openPostgres(ctx context.Context, dsn string, migrate func(context.Context) error) error {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		// The address may hold a password, so the driver's own words are kept back.
		return errors.New("store: the PostgreSQL address cannot be read")
	}
	if !strings.Contains(dsn, "connect_timeout") {
		config.ConnectTimeout = sqldb.ConnectPatience
	}
	s.address = config
	db := sql.OpenDB(&connector{config: config, history: s.history})
	db.SetMaxOpenConns(32)
	db.SetMaxIdleConns(16)
	db.SetConnMaxIdleTime(5 * time.Minute)
	s.engine, s.described, s.reads, s.writes, s.Queries = sqldb.Postgres, &sqldb.Tables{Engine: sqldb.Postgres}, db, db, queriesOf(db)
	s.search, s.searchDDL = fulltext.TSVector{}, fulltext.TSVectorSchema
	if err := s.openReplicas(); err != nil {
		return err
	}
	if err := migrate(ctx); err != nil || s.replicas == nil {
		return err
	}
	s.lookAtReplicas(ctx)
	return nil
}

// settle tells a new connection what sqldb.ServerPatience says, as far as the server knows it.
func settle(ctx context.Context, conn *pgx.Conn) error {
	for _, setting := range sqldb.ServerPatience {
		var refused *pgconn.PgError
		if _, err := conn.Exec(ctx, setting); err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	return nil
}

func (s *Store) openSQLite(ctx context.Context, path string, migrate func(context.Context) error) error {
	if s.replicas != nil {
		return errors.New("store: replicas are standbys of PostgreSQL, and this store is a file")
	}
	if err := keepPrivate(path); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	s.engine, s.described, s.path = sqldb.SQLite, &sqldb.Tables{Engine: sqldb.SQLite}, path
	s.search, s.searchDDL = fulltext.FTS5{}, fulltext.FTS5Schema
	var err error
	if s.writes, err = openFile(path, 1, false); err != nil {
		return err
	}
	if err := migrate(ctx); err != nil {
		return err
	}
	if s.reads, err = openFile(path, readers, true); err != nil {
		return err
	}
	if s.file, err = os.Stat(path); err != nil {
		return err
	}
	s.Queries = queriesOf(&sqldb.Prepared{Prepare: s.reads.PrepareContext, Admit: s.history.admit})
	s.group, err = newGroupWriter(ctx, s)
	return err
}

func openFile(path string, conns int, readOnly bool) (*sql.DB, error) {
	q := url.Values{}
	for _, pragma := range []string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), // first: the others may have to wait
		"journal_mode(WAL)",
		"synchronous(FULL)",
		fmt.Sprintf("cache_size(-%d)", pageCacheKiB),
		fmt.Sprintf("mmap_size(%d)", mmapBytes),
		"temp_store(MEMORY)",
		fmt.Sprintf("wal_autocheckpoint(%d)", walPages),
		"secure_delete(1)", // what is deleted is overwritten, in the file's free pages too
	} {
		q.Add("_pragma", pragma)
	}
	if readOnly {
		q.Add("_pragma", "query_only(1)")
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// Engine names the engine in use.
func (s *Store) Engine() sqldb.Engine { return s.engine }

// Search is the engine's full-text index.
func (s *Store) Search() fulltext.Index { return s.search }

// Write runs fn in one transaction. A nil answer means that everything fn did and saw is on disk; an error
// means that nothing of it is, except that after an Unreachable whose outcome is Unknown nobody knows. fn may run more
// than once and must not do anything but use tx.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) (err error) {
	ctx, span := tracing.Start(ctx, "transaction")
	defer func() { span.End(err); s.ended.count(err) }()
	return metered(ctx, fn, func(fn func(*Tx) error) error { return s.transact(ctx, fn) })
}

func (s *Store) transact(ctx context.Context, fn func(tx *Tx) error) (err error) {
	if err := s.history.admit(ctx); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, sqldb.Patience(ctx, sqldb.SoonWrite, sqldb.LongWrite))
	defer cancel()
	guarded, ended := s.fenced(ctx, fn)
	defer func() { ended(err) }()
	whole := func(tx *Tx) error {
		if err := guarded(tx); err != nil {
			return err
		}
		return tx.WriteGrown()
	}
	if s.group != nil {
		return sqldb.Reach(ctx, s.group.write(within, whole))
	}
	for attempt := 0; ; attempt++ {
		tx, err := s.writeOnce(within, whole)
		err = sqldb.Reach(ctx, err)
		if sqldb.IsUnknown(err) {
			return s.settleOutcome(ctx, tx, err)
		}
		if attempt < 5 && sqldb.IsTransient(err) && within.Err() == nil {
			continue
		}
		return err
	}
}

func (s *Store) writeOnce(ctx context.Context, fn func(tx *Tx) error) (*Tx, error) {
	turn := s.history.now()
	t, err := s.writes.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer t.Rollback() // does nothing after Commit
	tx := s.begin(ctx, t, s.clock())
	if err := fn(tx); err != nil {
		return tx, err
	}
	if !tx.base.Wrote {
		if err := s.writeSomething(ctx, t); err != nil {
			return tx, err
		}
	}
	if err := t.Commit(); err != nil {
		return tx, err
	}
	if !s.history.acknowledge(tx.base.Proof, turn) {
		return tx, &sqldb.LostCommit{Cause: errors.New("another server is the database now")}
	}
	tx.runHooks()
	return tx, nil
}

// Scrub makes what was deleted unreadable as far as this side can: on SQLite, whose deleted rows are overwritten in the file,
// it copies the write-ahead log into the file and empties it, waiting a while for readers. On PostgreSQL it vacuums the tables
// that an erasure touches.
func (s *Store) Scrub(ctx context.Context) error {
	if s.engine == sqldb.Postgres {
		for _, table := range Registry {
			if !table.Erase {
				continue
			}
			if _, err := s.writes.ExecContext(ctx, `VACUUM `+table.Name); err != nil {
				return fmt.Errorf("store: vacuum of %s: %w", table.Name, err)
			}
		}
		return nil
	}
	db, err := openFile(s.path, 1, false)
	if err != nil {
		return err
	}
	defer db.Close()
	var busy, frames, copied int
	if err := sqldb.ScanOne(ctx, db, `PRAGMA wal_checkpoint(TRUNCATE)`, nil, &busy, &frames, &copied); err != nil {
		return err
	}
	if busy != 0 {
		return errors.New("store: the write-ahead log is in use and could not be emptied; it is overwritten with the next writes")
	}
	return nil
}

// Check learns whether the database can be written now, by writing.
func (s *Store) Check(ctx context.Context) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.base.Q.ExecContext(tx.base.Ctx, `UPDATE counter SET value = value WHERE name = 'item'`)
		return err
	})
}

// Close waits for writes under way and closes the database.
func (s *Store) Close() error {
	if s.group != nil {
		s.group.close()
	}
	err := errors.Join(s.reads.Close(), s.replicas.close())
	if s.writes != s.reads {
		err = errors.Join(err, s.writes.Close())
	}
	return err
}
