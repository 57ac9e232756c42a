//go:build linux

package faults

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/dbtest"
)

// work is what a server has been asked: transactions, and rows that were read.
type work struct{ transactions, rows int64 }

func workOf(t *testing.T, s *dbtest.Server) (w work) {
	t.Helper()
	db, err := sql.Open("pgx", s.Address("postgres")) // another database: asking does not count
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.QueryRowContext(t.Context(), `SELECT xact_commit + xact_rollback, tup_returned FROM pg_stat_database WHERE datname = 'stoa'`).Scan(&w.transactions, &w.rows)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// strangersRead asks for what nobody has asked for: searches, lists and items.
func strangersRead(t *testing.T, s *node, n int) {
	t.Helper()
	for i := range n {
		for _, path := range []string{
			fmt.Sprintf("/api/templates?query=template+base+%d", i), fmt.Sprintf("/api/templates/detail?template_id=base/%d&locale=ja-JP", i%templates),
			fmt.Sprintf("/api/templates?limit=%d", 1+i%50),
		} {
			if err := expect(s.call(t.Context(), "GET", path, "", "", nil), 200); err != nil {
				t.Fatal(path, err)
			}
		}
	}
}

// A replica takes the reads of strangers off the primary, goes on with them while the primary is away, and is passed over when it is itself.
func TestReadsLeaveThePrimary(t *testing.T) {
	t.Parallel()
	const asked = 200
	primary := dbtest.NewServer(t)
	primary.Exec(t, "postgres", "CREATE DATABASE stoa")
	data := filepath.Join(t.TempDir(), "data")
	stoa(t, lines("base", templates), "import", "-", "--data", data, "--database", primary.Address("stoa"))
	standby := primary.Standby(t, "standby")
	measure := func(replica string) (at, beside work) {
		s := newStopped(0, data, primary.Address("stoa"))
		s.replica = replica
		before, beforeBeside := workOf(t, primary), workOf(t, standby)
		s.start(t)
		eventually(t, recovery, "the node is up", func() error { return s.healthy(t.Context()) })
		strangersRead(t, s, asked)
		s.kill() // its backends tell what they did when they end
		ended := func(server *dbtest.Server) {
			db, err := sql.Open("pgx", server.Address("postgres"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			eventually(t, recovery, "the backends have ended", func() error {
				var n int
				err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = 'stoa'`).Scan(&n)
				if err == nil && n > 0 {
					err = fmt.Errorf("%d are there", n)
				}
				return err
			})
		}
		ended(primary)
		ended(standby)
		after, afterBeside := workOf(t, primary), workOf(t, standby)
		return work{after.transactions - before.transactions, after.rows - before.rows}, work{afterBeside.transactions - beforeBeside.transactions, afterBeside.rows - beforeBeside.rows}
	}
	alone, _ := measure("")
	with, moved := measure(standby.Address("stoa"))
	t.Logf("%d reads of strangers: the primary did %d transactions and read %d rows; with a replica %d and %d (%.0f %% and %.0f %% less), the replica did %d and %d",
		3*asked, alone.transactions, alone.rows, with.transactions, with.rows, 100-100*float64(with.transactions)/float64(alone.transactions),
		100-100*float64(with.rows)/float64(alone.rows), moved.transactions, moved.rows)
	if with.transactions > alone.transactions/2 || with.rows > alone.rows/2 || moved.rows < alone.rows/4 {
		t.Error("the reads stay with the primary")
	}

	s := newStopped(1, data, primary.Address("stoa"))
	s.replica, s.metrics = standby.Address("stoa"), fmt.Sprintf("127.0.0.1:%d", dbtest.FreePort(t))
	s.start(t)
	t.Cleanup(s.kill)
	eventually(t, recovery, "the node is up", func() error { return s.healthy(t.Context()) })
	standby.Kill()
	strangersRead(t, s, 5)
	eventually(t, recovery, "health tells of the replica", func() error {
		if said := health(t, s); !strings.Contains(said, "Replica 1 is not read from") {
			return fmt.Errorf("health says %s", said)
		}
		return nil
	})
	metrics(t, s, standby, "stoa_replica_up", "", "0")
	metrics(t, s, standby, "stoa_replica_reads_total", `,result="failed"`, "1")
	standby.Start(t)
	eventually(t, recovery, "the replica is read from", func() error {
		if said := health(t, s); strings.Contains(said, "not read from") {
			return fmt.Errorf("health says %s", said)
		}
		return nil
	})
	db, err := sql.Open("pgx", primary.Address("stoa"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	eventually(t, recovery, "the replica has everything", func() error {
		var n int
		err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_flush_lsn()`).Scan(&n)
		if err == nil && n == 0 {
			err = fmt.Errorf("it has not")
		}
		return err
	})
	primary.Kill()
	for i := 10; i < 20; i++ { // texts that are not in memory
		if err := expect(s.call(t.Context(), "GET", fmt.Sprintf("/api/templates/detail?template_id=base/%d", i), "", "", nil), 200); err != nil {
			t.Error(err)
		}
		if err := expect(s.call(t.Context(), "GET", fmt.Sprintf("/api/templates?query=say+%d", i), "", "", nil), 200); err != nil {
			t.Error(err)
		}
	}
	eventually(t, time.Minute, "health says how old it may be", func() error {
		if said := health(t, s); !strings.Contains(said, "may be") || !strings.Contains(said, `"state":"behind"`) {
			return fmt.Errorf("health says %s", said)
		}
		return nil
	})
	if r := s.call(t.Context(), "POST", "/api/signup", "", "", m{"user_id": "eve", "password": password}); !r.refused() {
		t.Errorf("a member was written while the primary was away: %d", r.status())
	}
}

// metrics waits until a metric of the replica begins with a figure.
func metrics(t *testing.T, s *node, of *dbtest.Server, name, more, figure string) {
	t.Helper()
	eventually(t, recovery, name, func() error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.metrics+"/metrics", nil)
		if err != nil {
			return err
		}
		answer, err := s.client.Do(req)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if line := fmt.Sprintf("%s{replica=\"127.0.0.1:%d\"%s} %s", name, of.Port, more, figure); err == nil && !strings.Contains(string(text), line) {
			err = fmt.Errorf("no line %s", line)
		}
		return err
	})
}

func health(t *testing.T, s *node) string {
	t.Helper()
	r := s.call(t.Context(), "GET", "/api/health", "", "", nil)
	if r.Reply == nil {
		return fmt.Sprint(r.err)
	}
	return string(r.Body)
}
