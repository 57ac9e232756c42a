package apitest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/platform/store"
)

// Tables are the tables whose rows a request may change, other than the request records and the
// throttle, which note every request and every login.
var Tables = []string{
	"account", "session", "sign_in_link", "preference", "counter", "item", "item_text", "item_version", "artifact", "engagement",
	"submission", "import_draft", "transfer_job", "idempotency", "trial", "installation", "audit_event", "notification",
}

// Rows writes out tables, or parts such as "trial WHERE user_id = 'bob'", so that a test can see whether
// anything has changed.
func (s *Server) Rows(t testing.TB, tables ...string) string {
	t.Helper()
	if len(tables) == 0 {
		tables = Tables
	}
	var out strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&out, "%s\n", table)
		s.rows(t, &out, table)
	}
	return out.String()
}

func (s *Server) rows(t testing.TB, out *strings.Builder, table string) {
	t.Helper()
	rows, err := s.Store.Querier().QueryContext(context.Background(), `SELECT * FROM `+table+` ORDER BY 1, 2`)
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
			if strings.HasPrefix(columns[i], "chain_") {
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

// Count counts the rows of a query such as "installation WHERE user_id = 'ada'".
func (s *Server) Count(t testing.TB, from string) int {
	t.Helper()
	rows, err := s.Store.Querier().QueryContext(context.Background(), `SELECT COUNT(*) FROM `+from)
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
