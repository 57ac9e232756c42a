package store

import (
	"context"
	"fmt"

	"stoa/internal/platform/store/sqldb"
)

// Schema tells at which schema the database is; 0 when it has none.
func (s *Store) Schema(ctx context.Context) (Schema, error) {
	current, err := s.schemaOf(ctx, s.reads)
	return Schema{Current: current, Newest: NewestSchema()}, err
}

func (s *Store) schemaOf(ctx context.Context, q sqldb.Querier) (version int64, err error) {
	if there, err := s.hasTable(ctx, q, "goose_db_version"); err != nil || !there {
		return 0, err
	}
	err = sqldb.ScanOne(ctx, q, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version`, nil, &version)
	return version, err
}

func (s *Store) hasTable(ctx context.Context, q sqldb.Querier, name string) (bool, error) {
	query := `SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = ?1`
	if s.engine == sqldb.Postgres {
		query = `SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = $1`
	}
	var n int
	if err := sqldb.ScanOne(ctx, q, query, []any{name}, &n); err != nil {
		return false, fmt.Errorf("store: the database cannot be read: %w", err)
	}
	return n > 0, nil
}

// tables describes the tables of a backup that this schema has, by name.
func (s *Store) tables(ctx context.Context, q sqldb.Querier) ([]sqldb.Table, error) {
	var all []sqldb.Table
	for _, name := range backupTables() {
		t, err := s.described.Table(ctx, q, name)
		switch {
		case err != nil:
			return nil, err
		case len(t.Columns) == 0:
			continue // a later schema's
		case len(t.Key) == 0:
			return nil, fmt.Errorf("store: table %s has no primary key", name)
		}
		all = append(all, t)
	}
	return all, nil
}
