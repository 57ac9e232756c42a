//go:build linux

package faults

import (
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
	w.db.kill() // and at once again
	w.db.start(t)
	l.progress(t, 50, time.Minute)

	w.db.kill()
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
	w.db.start(t)
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

// A node that is paused holds nobody up for long, and what it does when it goes on is not done twice.
func TestPausedNode(t *testing.T) {
	t.Parallel()
	w := build(t)
	w.nodes[2].client.Timeout = 2 * time.Second // so that clients get away from it, and try elsewhere what it may still do
	l := startLoad(t, w.nodes, clients, 4)
	l.progress(t, 50, time.Minute)
	w.nodes[2].pause()
	began := time.Now()
	for time.Since(began) < 7*time.Second { // longer than the database lets a transaction stand idle
		l.progress(t, 5, time.Minute)
	}
	w.nodes[2].resume()
	l.progress(t, 50, time.Minute)
	l.settle(t)
	w.inspect(t)
}
