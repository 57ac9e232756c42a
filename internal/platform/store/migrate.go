package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"

	"stoa/internal/platform/store/sqldb"
)

//go:embed migrations/*.sql
var migrations embed.FS

// onlyPostgres ends the names of migrations that other engines have no use for.
const onlyPostgres = ".postgres.sql"

// searchMigration is the version at which the engine's own full-text tables are made.
const searchMigration = 2

// migrate brings the schema up to date. Migrations go forward only; a store that a newer binary has
// changed is refused.
func (s *Store) migrate(ctx context.Context) error {
	provider, v, err := s.versions(ctx)
	if err == nil {
		err = s.refuseHalfMoved(ctx, s.writes)
	}
	if err != nil || v.Current == v.Newest {
		return err
	}
	unlock, err := s.lockMigrations(ctx)
	if err != nil {
		return fmt.Errorf("store: migrating: %w", err)
	}
	defer unlock()
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("store: migrating: %w", err)
	}
	return nil
}

// migrationLock is the advisory lock of whoever migrates: a number that no other program is likely to use.
const migrationLock = 0x73746f61_6d696772 // "stoamigr"

// lockMigrations lets one node at a time migrate; several may start at once. The lock belongs to a transaction, not to a
// session: behind a pooler in transaction mode a session has no connection of its own, and nobody would release its lock.
func (s *Store) lockMigrations(ctx context.Context) (unlock func(), err error) {
	if s.engine != sqldb.Postgres {
		return func() {}, nil // one process owns the file
	}
	tx, err := s.writes.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	unlock = func() { _ = tx.Rollback() } // it changed nothing
	for _, statement := range []string{
		"SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0",
		fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", migrationLock),
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			unlock()
			return nil, err
		}
	}
	return unlock, nil
}

// Schema says at which schema a database is and which is the newest that this binary knows.
type Schema struct {
	Current int64 `json:"current"`
	Newest  int64 `json:"newest"`
}

// Chained tells whether the audit log is a chain at this schema.
func (v Schema) Chained() bool { return v.Current >= chainSchema }

// ErrTooNew says that a newer binary has changed the database.
var ErrTooNew = errors.New("use a newer stoa")

// refuseNewer refuses a schema that this binary does not know.
func (v Schema) refuseNewer() error {
	if v.Current > v.Newest {
		return fmt.Errorf("store: this database is at schema %d and this binary knows %d: %w", v.Current, v.Newest, ErrTooNew)
	}
	return nil
}

// versions gives the schema of the database, refusing one that is too new.
func (s *Store) versions(ctx context.Context) (*goose.Provider, Schema, error) {
	provider, err := s.migrationProvider()
	if err != nil {
		return nil, Schema{}, fmt.Errorf("store: %w", err)
	}
	var v Schema
	if v.Current, v.Newest, err = provider.GetVersions(ctx); err != nil {
		return nil, v, fmt.Errorf("store: the database cannot be reached: %w", err)
	}
	return provider, v, v.refuseNewer()
}

// MigrationsAfter names the migrations that come after a schema, in their order.
func MigrationsAfter(schema int64) (names []string) {
	files, _ := fs.Glob(migrations, "migrations/*.sql") // the pattern is well formed
	for _, name := range files {
		name = strings.TrimPrefix(name, "migrations/")
		if version, err := goose.NumericComponent(name); err == nil && version > schema {
			name, _, _ = strings.Cut(name, ".")
			names = append(names, name)
		}
	}
	return names
}

// NewestSchema is the newest schema that this binary knows.
func NewestSchema() int64 {
	newest := int64(searchMigration)
	files, _ := fs.Glob(migrations, "migrations/*.sql") // the pattern is well formed
	for _, name := range files {
		if version, err := goose.NumericComponent(strings.TrimPrefix(name, "migrations/")); err == nil {
			newest = max(newest, version)
		}
	}
	return newest
}

func (s *Store) migrationProvider() (*goose.Provider, error) {
	var all []*goose.Migration
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		version, err := goose.NumericComponent(strings.TrimPrefix(name, "migrations/"))
		if err != nil {
			return nil, err
		}
		var run goose.GoFunc // does nothing
		if s.engine == sqldb.Postgres || !strings.HasSuffix(name, onlyPostgres) {
			run.RunTx = script(dialect(s.engine, string(text)))
		}
		all = append(all, goose.NewGoMigration(version, &run, nil))
	}
	all = append(all, goose.NewGoMigration(searchMigration, &goose.GoFunc{RunTx: script(strings.Join(s.searchDDL, ";\n"))}, nil))

	dialect := goose.DialectSQLite3
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(all...)}
	if s.engine == sqldb.Postgres {
		dialect = goose.DialectPostgres
	}
	return goose.NewProvider(dialect, s.writes, nil, options...)
}

// dialect drops what only PostgreSQL needs: SQLite compares text bytewise anyway.
func dialect(engine sqldb.Engine, text string) string {
	if engine == sqldb.SQLite {
		return strings.ReplaceAll(text, ` COLLATE "C"`, "")
	}
	return text
}

func script(text string) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, text)
		return err
	}
}
