//go:build linux

package faults

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"
)

const clients = 6

func expect(r reply, status int) error {
	if r.status() != status {
		return errors.Join(fmt.Errorf("answered %d", r.status()), r.err)
	}
	return nil
}

// A node that is killed takes nothing with it: the others go on, and what it had acknowledged is there.
func TestKilledNode(t *testing.T) {
	t.Parallel()
	w := build(t)
	l := startLoad(t, w.nodes, clients, 1)
	l.progress(t, 50, time.Minute)
	for range 2 {
		w.nodes[0].kill()
		l.progress(t, 50, time.Minute)
		w.nodes[0].start(t)
		l.progress(t, 50, time.Minute)
	}
	l.settle(t)
	w.inspect(t)
}

// While the database restarts or is away, every request is refused in time and in the words of the contract, and the
// nodes recover by themselves.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	w := build(t)
	token := member(t, t.Context(), w.nodes[0], "ada")
	l := startLoad(t, w.nodes, clients, 2)
	l.progress(t, 50, time.Minute)
	w.db.Crash() // and at once again
	w.db.Start(t)
	l.progress(t, 50, time.Minute)

	w.db.Crash()
	away := time.Now()
	l.refusals(t, 100, time.Minute)
	for _, s := range w.nodes {
		for path, in := range map[string]any{
			"/api/templates/install": m{"template_id": "base/1"}, "/api/knowledge/session/execute": m{}, "/api/templates/submit": m{"template_id": "ada/x", "prompt": "You wait."},
			"/api/login": m{"user_id": "ada", "password": password}, "/api/signup": m{"user_id": "bob", "password": password},
			"/api/knowledge/query": m{"query": "what is a limit"}, "/api/health": nil, "/api/member/tasks": nil, "/api/templates?query=fault": nil,
		} {
			method := "POST"
			if in == nil {
				method = "GET"
			}
			r := s.call(t.Context(), method, path, token, "", in)
			if err := expect(r, 503); err != nil || r.problem != "" {
				t.Errorf("%s %s: %v %s", method, path, err, r.problem)
			}
			if r.took > 5*time.Second {
				t.Errorf("%s took %s", path, r.took)
			}
		}
	}
	for time.Since(away) < outage {
		l.refusals(t, 20, time.Minute)
	}
	w.db.Start(t)
	for _, s := range w.nodes {
		answers(t, s, token, recovery)
	}
	l.progress(t, 50, time.Minute)
	l.settle(t)
	w.inspect(t)
}

// A network that is cut, by resetting or by silence, ends requests in time; healed, they are answered again.
func TestCutNetwork(t *testing.T) {
	t.Parallel()
	w := build(t)
	token := member(t, t.Context(), w.nodes[0], "ada")
	l := startLoad(t, w.nodes, clients, 3)
	for name, state := range map[string]wire{"cut": cut, "silent": silent} {
		l.progress(t, 30, time.Minute)
		s := w.nodes[1]
		s.wire.set(state)
		began := time.Now()
		r := s.call(t.Context(), "POST", "/api/templates/install", token, "", m{"template_id": "base/1"})
		if err := expect(r, 503); err != nil || r.problem != "" {
			t.Errorf("%s: %v %s", name, err, r.problem)
		}
		t.Logf("%s: refused after %s", name, time.Since(began).Round(time.Millisecond))
		for _, other := range w.others(1) {
			answers(t, other, token, 10*time.Second) // what the lost node held is let go
			r := other.call(t.Context(), "POST", "/api/templates/install", token, "", m{"template_id": "base/1"})
			if err := expect(r, 200); err != nil {
				t.Errorf("%s: another node: %v", name, err)
			}
		}
		s.wire.set(whole)
		answers(t, s, token, recovery)
	}
	l.settle(t)
	w.inspect(t)
}

// A node that is paused holds nobody up for long, another takes over the background work that it held, and what it does
// when it goes on is not done twice.
func TestPausedNode(t *testing.T) {
	t.Parallel()
	w := build(t)
	for _, s := range w.others(2) {
		s.kill()
	}
	alone := time.Now()
	var holder string
	eventually(t, 2*leaseTerm, "the node that is left does the sweeps", func() error {
		name, until := w.sweeper(t)
		if holder = name; until.Add(-leaseTerm).Before(alone) {
			return errors.New("the lease has not been prolonged since")
		}
		return nil
	})
	for _, s := range w.others(2) {
		s.start(t)
		eventually(t, recovery, "a node is up", func() error { return s.healthy(t.Context()) })
	}
	w.nodes[2].client.Timeout = 2 * time.Second // so that clients get away from it, and try elsewhere what it may still do
	l := startLoad(t, w.nodes, clients, 4)
	l.progress(t, 50, time.Minute)
	w.nodes[2].pause()
	began := time.Now()
	eventually(t, pause, "another node does the sweeps", func() error {
		if name, _ := w.sweeper(t); name == holder {
			return errors.New("the paused node still has the lease")
		}
		return nil
	})
	t.Logf("another node did the sweeps after %s", time.Since(began).Round(time.Second))
	for time.Since(began) < pause {
		l.progress(t, 5, time.Minute)
	}
	w.nodes[2].resume()
	l.progress(t, 50, time.Minute)
	if name, _ := w.sweeper(t); name == holder {
		t.Error("the node that was paused took its lease back from one that lives")
	}
	l.settle(t)
	w.inspect(t)
}

// Times of these tests.
const (
	outage    = 20 * time.Second // of the database
	pause     = time.Minute      // of a node
	leaseTerm = 30 * time.Second // as the application has it
)

// sweeper tells which node holds the lease of the sweeps, and until when.
func (w *town) sweeper(t *testing.T) (holder string, until time.Time) {
	t.Helper()
	var micros int64
	w.query(t, w.database, func(db *sql.DB) error {
		err := db.QueryRowContext(t.Context(), `SELECT holder, until FROM lease WHERE job = 'sweep'`).Scan(&holder, &micros)
		if errors.Is(err, sql.ErrNoRows) { // nobody has swept yet
			return nil
		}
		return err
	})
	return holder, time.UnixMicro(micros)
}
