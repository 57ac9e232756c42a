package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// Every table of the live schema has an entry, every entry has its table and its owner's column, and a column that names a
// member is declared as such.
func TestRegistryIsTheSchema(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		live := liveColumns(t, s)
		known := map[string]store.TableInfo{}
		for _, info := range store.Registry {
			if _, twice := known[info.Name]; twice {
				t.Errorf("%s has two entries", info.Name)
			}
			known[info.Name] = info
			if info.Area == "" || info.Kept == "" || info.Bound == "" {
				t.Errorf("%s: its area, its time or its bound is missing", info.Name)
			}
			if (info.Erase || info.Export) && info.Owner == "" {
				t.Errorf("%s is erased or exported without an owner's column", info.Name)
			}
		}
		for table, columns := range live {
			info, ok := known[table]
			if !ok {
				t.Errorf("table %s has no entry in store.Registry", table)
				continue
			}
			for _, column := range []string{"user_id", "owner"} {
				if slices.Contains(columns, column) && info.Owner == "" {
					t.Errorf("%s has a column %s, and its entry names no owner", table, column)
				}
			}
			if info.Owner != "" && !slices.Contains(columns, info.Owner) {
				t.Errorf("%s has no column %s", table, info.Owner)
			}
		}
		for name := range known {
			if live[name] == nil && name != "unfinished_move" && name != "item_search" {
				t.Errorf("%s has an entry and is no table", name)
			}
		}
		snapshot, err := s.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer snapshot.Close()
		for _, table := range snapshot.Tables {
			if !known[table.Name].Backup {
				t.Errorf("%s is backed up and its entry says no", table.Name)
			}
			delete(live, table.Name)
		}
		for table := range live {
			if known[table].Backup {
				t.Errorf("%s should be backed up and is not", table)
			}
		}
	})
}

// What members add at a rate alone and what is never removed says why it may grow.
func TestWhatGrowsSaysWhy(t *testing.T) {
	stored := []string{"quota.drafts", "quota.draft-bytes", "quota.pending-submissions", "quota.package-bytes", "quota.notes", "quota.note-bytes", "quota.note-sections", "quota.sessions"}
	for _, info := range store.Registry {
		capped := strings.Contains(info.Bound, "one of") || strings.Contains(info.Bound, " of a ") || !strings.Contains(info.Bound, "quota.")
		for _, name := range strings.FieldsFunc(info.Bound, func(r rune) bool { return strings.ContainsRune(",; ", r) }) {
			capped = capped || slices.Contains(stored, name)
		}
		kept := strings.HasPrefix(info.Kept, "until") || strings.HasPrefix(info.Kept, "for ever")
		switch {
		case kept && !capped && info.Grows == "":
			t.Errorf("%s: members add rows at a rate (%s), they stay %s, and nothing says why", info.Name, info.Bound, info.Kept)
		case !kept && info.Grows != "":
			t.Errorf("%s: says why it grows, and is kept %s", info.Name, info.Kept)
		}
	}
}

// liveColumns gives the columns of every table that the database has, without what belongs to a full-text table.
func liveColumns(t *testing.T, s *store.Store) map[string][]string {
	t.Helper()
	query := `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`
	if s.Engine() == sqldb.Postgres {
		query = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()`
	}
	rows, err := s.Querier().QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	live := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(table, "item_search") || table == "item_search_state" {
			live[table] = append(live[table], column)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return live
}
