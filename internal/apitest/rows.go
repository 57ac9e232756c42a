package apitest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/platform/store"
)

// Rows writes out tables, or parts such as "trial WHERE user_id = 'bob'", so that a test can see whether
// anything has changed; without arguments, all whose rows no refused request changes.
func (s *Server) Rows(t testing.TB, tables ...string) string {
	t.Helper()
	if len(tables) == 0 {
		for _, table := range store.Registry {
			if table.Backup && !table.Traffic {
				tables = append(tables, table.Name)
			}
		}
	}
	var out strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&out, "%s\n", table)
		s.rows(t, &out, table)
	}
	return out.String()
}

// RowsOf writes out every row that belongs to a member, without request records.
func (s *Server) RowsOf(t testing.TB, userID string) string {
	t.Helper()
	var tables []string
	for _, table := range store.Registry {
		if table.Owner != "" && !table.Traffic {
			tables = append(tables, table.Name+" WHERE "+table.Owner+" = '"+userID+"'")
		}
	}
	return s.Rows(t, tables...)
}

func (s *Server) rows(t testing.TB, out *strings.Builder, table string) {
	t.Helper()
	for _, db := range s.stores() {
		rowsOf(t, db, out, table)
	}
}

func rowsOf(t testing.TB, db *store.Store, out *strings.Builder, table string) {
	t.Helper()
	rows, err := db.Querier().QueryContext(context.Background(), `SELECT * FROM `+table+` ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(any)
	}
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if strings.HasPrefix(columns[i], "chain_") || columns[i] == "detail_digest" {
				continue // a place in the audit chain comes by itself, after a while
			}
			fmt.Fprintf(out, " %v", *v.(*any))
		}
		out.WriteByte('\n')
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// Count counts the rows of a query such as "installation WHERE user_id = 'ada'", in all databases of the server together.
func (s *Server) Count(t testing.TB, from string) (n int) {
	t.Helper()
	for _, db := range s.stores() {
		n += countIn(t, db, from)
	}
	return n
}

func countIn(t testing.TB, db *store.Store, from string) int {
	t.Helper()
	rows, err := db.Querier().QueryContext(context.Background(), `SELECT COUNT(*) FROM `+from)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := -1
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// LockStore holds the database as another program would, until what it answers is called: nobody can write.
func (s *Server) LockStore(t testing.TB) (release func()) {
	t.Helper()
	driver, where, lock := "sqlite", "file:"+s.Database, []string{"BEGIN IMMEDIATE"}
	if s.Engine.admin != "" {
		driver, where, lock = "pgx", s.Database, []string{"BEGIN", "LOCK TABLE counter, request_trace, session, verification, quality_record, quality_state IN EXCLUSIVE MODE"}
	}
	db, err := sql.Open(driver, where)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range lock {
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	release = sync.OnceFunc(func() {
		_, err := conn.ExecContext(context.Background(), "ROLLBACK")
		if err := errors.Join(err, conn.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(release)
	return release
}

// HoldStore keeps every writer waiting while do runs, for at least so long: to be slow takes time.
func (s *Server) HoldStore(t testing.TB, least time.Duration, do func()) {
	t.Helper()
	held, done := make(chan struct{}), make(chan error)
	go func() {
		done <- s.Store.Write(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Querier().ExecContext(context.Background(), `UPDATE counter SET value = value WHERE name = 'item'`)
			close(held)
			<-time.After(least)
			return err
		})
	}()
	<-held
	do()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
