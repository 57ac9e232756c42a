package sqldb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Tables describes the tables of a database.
type Tables struct {
	Engine Engine
	kept   sync.Map // by name
}

// Known describes a table, once for as long as the store is open.
func (d *Tables) Known(ctx context.Context, q Querier, name string) (Table, error) {
	if t, ok := d.kept.Load(name); ok {
		return t.(Table), nil
	}
	t, err := d.Table(ctx, q, name)
	if err == nil && len(t.Key) == 0 {
		err = fmt.Errorf("store: there is no table %s with a primary key", name)
	}
	if err == nil {
		d.kept.Store(name, t)
	}
	return t, err
}

// KeyOf reads a primary key as it was taken down.
func (t Table) KeyOf(texts []string) ([]any, error) {
	if len(texts) != len(t.Key) {
		return nil, fmt.Errorf("store: the key of %s has %d parts, not %d", t.Name, len(t.Key), len(texts))
	}
	key := make([]any, len(texts))
	for i, text := range texts {
		key[i] = text
		if c := t.column(t.Key[i]); c.Number() {
			var n int64
			if _, err := fmt.Sscan(text, &n); err != nil {
				return nil, err
			}
			key[i] = n
		}
	}
	return key, nil
}

func (t Table) column(name string) Column {
	return t.Columns[slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })]
}

// Number tells whether the column holds whole numbers.
func (c Column) Number() bool { return c.Type == typeBigint || c.Type == typeInt }

// Where is the condition on a primary key whose first part is the parameter of a number.
func (t Table) Where(first int) string {
	parts := make([]string, len(t.Key))
	for i, name := range t.Key {
		parts[i] = fmt.Sprintf("%s = $%d", name, first+i)
	}
	return ` WHERE ` + strings.Join(parts, " AND ")
}

// Values reads a row that image gave.
func (t Table) Values(line json.RawMessage) ([]any, error) {
	if len(line) == 0 {
		return make([]any, len(t.Columns)), nil
	}
	var r RowReader
	return r.Read(nil, line, t)
}

// Table is a table with its columns and the columns of its primary key, each in their order.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
	Key     []string `json:"key"`
}

// Column is a column. Type is PostgreSQL's word, in small letters, on both engines; "" when the table does not have the column any more.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Nullable bool   `json:"nullable,omitempty"`
}

// Table describes one table; without columns when there is none of the name.
func (d *Tables) Table(ctx context.Context, q Querier, name string) (Table, error) {
	query := `SELECT name, lower(type), "notnull" = 0 AND pk = 0, pk FROM pragma_table_info(?1) ORDER BY cid`
	if d.Engine == Postgres {
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
	err := ScanAll(ctx, q, query, []any{name}, func(rows *sql.Rows) error {
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

// Names are the table's columns for a SELECT or an INSERT.
func (t Table) Names() string { return strings.Join(t.names(), ", ") }

func (t Table) names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}
