package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Table is a table with its columns and the columns of its primary key, each in their order.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
	Key     []string `json:"key"`
}

// Column is a column. Type is PostgreSQL's word, in small letters, on both engines.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Nullable bool   `json:"nullable,omitempty"`
}

// Schema tells at which schema the database is; 0 when it has none.
func (s *Store) Schema(ctx context.Context) (Schema, error) {
	current, err := s.schemaOf(ctx, s.reads)
	return Schema{Current: current, Newest: NewestSchema()}, err
}

func (s *Store) schemaOf(ctx context.Context, q Querier) (version int64, err error) {
	if there, err := s.hasTable(ctx, q, "goose_db_version"); err != nil || !there {
		return 0, err
	}
	err = scanOne(ctx, q, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version`, nil, &version)
	return version, err
}

func (s *Store) hasTable(ctx context.Context, q Querier, name string) (bool, error) {
	query := `SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = ?1`
	if s.engine == Postgres {
		query = `SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = $1`
	}
	var n int
	if err := scanOne(ctx, q, query, []any{name}, &n); err != nil {
		return false, fmt.Errorf("store: the database cannot be read: %w", err)
	}
	return n > 0, nil
}

// tables describes the tables of a backup that this schema has, by name.
func (s *Store) tables(ctx context.Context, q Querier) ([]Table, error) {
	var all []Table
	for _, name := range backupTables() {
		t, err := s.table(ctx, q, name)
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

// table describes one table; without columns when there is none of the name.
func (s *Store) table(ctx context.Context, q Querier, name string) (Table, error) {
	query := `SELECT name, lower(type), "notnull" = 0 AND pk = 0, pk FROM pragma_table_info(?1) ORDER BY cid`
	if s.engine == Postgres {
		query = `SELECT c.column_name, c.data_type, c.is_nullable = 'YES', COALESCE(k.ordinal_position, 0)
			FROM information_schema.columns c
			LEFT JOIN information_schema.table_constraints t
				ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.constraint_type = 'PRIMARY KEY'
			LEFT JOIN information_schema.key_column_usage k
				ON k.constraint_schema = t.constraint_schema AND k.constraint_name = t.constraint_name AND k.table_name = t.table_name AND k.column_name = c.column_name
			WHERE c.table_schema = current_schema() AND c.table_name = $1 ORDER BY c.ordinal_position`
	}
	t := Table{Name: name}
	keys := map[int]string{}
	err := scanAll(ctx, q, query, []any{name}, func(rows *sql.Rows) error {
		var c Column
		var key int
		err := rows.Scan(&c.Name, &c.Type, &c.Nullable, &key)
		t.Columns = append(t.Columns, c)
		if key > 0 {
			keys[key] = c.Name
		}
		return err
	})
	for i := range len(keys) {
		t.Key = append(t.Key, keys[i+1])
	}
	return t, err
}

// names are the table's columns for a SELECT or an INSERT.
func (t Table) names() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}
