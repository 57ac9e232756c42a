//go:build linux

package faults

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"stoa/internal/dbtest"
)

// town is three nodes on one database, with a wire between each and it.
type town struct {
	db       *dbtest.Server
	database string
	nodes    []*node
}

const nodes = 3

func build(t *testing.T) *town {
	t.Helper()
	w := &town{db: dbtest.NewServer(t), database: "stoa"}
	w.query(t, "postgres", func(db *sql.DB) error {
		_, err := db.ExecContext(t.Context(), `CREATE DATABASE stoa`)
		return err
	})
	data := filepath.Join(t.TempDir(), "data")
	stoa(t, lines("base", templates), "import", "-", "--data", data, "--database", w.db.Address(w.database))
	for n := range nodes {
		wire := startProxy(t, w.db.Port)
		s := newNode(t, n, data, wire.address(w.database))
		s.wire = wire
		w.nodes = append(w.nodes, s)
	}
	for _, s := range w.nodes {
		eventually(t, recovery, "a node is up", func() error { return s.healthy(t.Context()) })
	}
	return w
}

func (w *town) query(t *testing.T, database string, ask func(*sql.DB) error) {
	t.Helper()
	db, err := sql.Open("pgx", w.db.Address(database))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := ask(db); err != nil {
		t.Fatal(err)
	}
}

// inspect looks into the database itself for what only half happened.
func (w *town) inspect(t *testing.T) {
	t.Helper()
	w.query(t, w.database, func(db *sql.DB) error { return agree(t, db) })
}

// agree reports rows that contradict each other.
func agree(t *testing.T, db *sql.DB) error {
	t.Helper()
	for what, query := range map[string]string{
		"items whose installs were counted differently": `SELECT COUNT(*) FROM engagement e WHERE e.installs <>
			(SELECT COUNT(*) FROM audit_event a WHERE a.action = 'template.installed' AND a.item_id = (SELECT item_id FROM item i WHERE i.seq = e.seq))`,
		"members and items whose installs and uninstalls do not add up": `SELECT COUNT(*) FROM (
			SELECT owner, item_id, SUM(CASE WHEN action = 'template.installed' THEN 1 ELSE -1 END) AS n FROM audit_event
			WHERE action IN ('template.installed', 'template.uninstalled') GROUP BY owner, item_id) x
			WHERE n <> (SELECT COUNT(*) FROM installation i WHERE i.user_id = x.owner AND i.item_id = x.item_id)`,
		"keys without an answer":    `SELECT COUNT(*) FROM idempotency WHERE answer = '' AND LENGTH(packed) = 0`,
		"submissions without a key": `SELECT COUNT(*) FROM submission s WHERE s.user_id <> '' AND NOT EXISTS (SELECT 1 FROM idempotency k WHERE k.target_id = s.submission_id)`,
		"things submitted twice":    `SELECT COUNT(*) FROM (SELECT item_id FROM submission WHERE user_id <> '' GROUP BY user_id, item_id HAVING COUNT(*) > 1) x`,
		"submissions without a done transfer": `SELECT COUNT(*) FROM submission s WHERE s.user_id <> '' AND NOT EXISTS
			(SELECT 1 FROM transfer_job j WHERE j.submission_id = s.submission_id AND j.status = 'done')`,
		"sessions and their keys that differ": `SELECT (SELECT COUNT(*) FROM study_session) - (SELECT COUNT(*) FROM idempotency WHERE route = 'session.execute')`,
		"members whose sums differ from their sessions": `SELECT COUNT(*) FROM (SELECT user_id, COUNT(*) AS n FROM study_session GROUP BY user_id) s
			WHERE n <> (SELECT SUM(sessions) FROM study_sum u WHERE u.user_id = s.user_id AND u.width = 0)`,
		"sessions and audit events that differ": `SELECT (SELECT COUNT(*) FROM study_session) - (SELECT COUNT(*) FROM audit_event WHERE action = 'learning.session_executed')`,
	} {
		var n int
		if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	return nil
}

// others are all nodes but one.
func (w *town) others(n int) (out []*node) {
	for _, s := range w.nodes {
		if s.n != n {
			out = append(out, s)
		}
	}
	return out
}

// answers asks a node for something that needs the database, until it is answered.
func answers(t *testing.T, s *node, token string, most time.Duration) {
	t.Helper()
	eventually(t, most, "a node answers from the database", func() error {
		r := s.call(t.Context(), "GET", "/api/member/installations?limit=1", token, "", nil)
		if r.err != nil {
			return r.err
		}
		if r.problem != "" {
			t.Error(r.problem)
		}
		return expect(r, 200)
	})
}

func member(t *testing.T, ctx context.Context, s *node, name string) string {
	t.Helper()
	r := s.call(ctx, "POST", "/api/signup", "", "", m{"user_id": name, "password": password})
	if r.status() != 200 {
		t.Fatalf("sign-up: %v %v", r.err, r.Reply)
	}
	return r.Str("data.token")
}
