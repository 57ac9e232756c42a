package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// searchMigration is the version at which the engine's own full-text tables are made.
const searchMigration = 2

// migrate brings the schema up to date. Migrations go forward only; a store that a newer binary has
// changed is refused.
func (s *Store) migrate(ctx context.Context) error {
	provider, err := s.migrationProvider()
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	current, newest, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("store: the database cannot be reached: %w", err)
	}
	if current > newest {
		return fmt.Errorf("store: this database is at schema %d and this binary knows %d: use a newer stoa", current, newest)
	}
	if current == newest {
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("store: migrating: %w", err)
	}
	return nil
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
		all = append(all, goose.NewGoMigration(version, &goose.GoFunc{RunTx: script(s.dialect(string(text)))}, nil))
	}
	all = append(all, goose.NewGoMigration(searchMigration, &goose.GoFunc{RunTx: script(strings.Join(s.searchDDL, ";\n"))}, nil))

	dialect := goose.DialectSQLite3
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(all...)}
	if s.engine == Postgres {
		dialect = goose.DialectPostgres
		// Several nodes may start at once; one migrates, the others wait.
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider(dialect, s.writes, nil, options...)
}

// dialect drops what only PostgreSQL needs: SQLite compares text bytewise anyway.
func (s *Store) dialect(text string) string {
	if s.engine == SQLite {
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
