//go:build linux

package faults

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/dbtest"
	"stoa/tests/faults/checker"
)

// pair is a primary and a standby that follows it, and three nodes that know both.
type pair struct {
	primary, standby *dbtest.Server
	nodes            []*node
	data             string
}

// buildPair starts them. With synchronous a commit is answered when the standby has it, and not before.
func buildPair(t *testing.T, synchronous bool) *pair {
	t.Helper()
	first := dbtest.NewServer(t) // made without a standby, which could not confirm anything yet
	first.Exec(t, "postgres", "CREATE DATABASE stoa")
	p := &pair{primary: first, data: filepath.Join(t.TempDir(), "data")}
	stoa(t, lines("base", templates), "import", "-", "--data", p.data, "--database", first.Address("stoa"))
	if synchronous {
		first.Set(t, "synchronous_standby_names", "*") // the standby has it too, once it is the primary
	}
	p.standby = first.Standby(t, "standby")
	address := fmt.Sprintf("postgres://stoa@127.0.0.1:%d,127.0.0.1:%d/stoa?sslmode=disable&connect_timeout=2&target_session_attrs=read-write", p.primary.Port, p.standby.Port)
	for n := range nodes {
		p.nodes = append(p.nodes, newNode(t, n, p.data, address))
	}
	for _, s := range p.nodes {
		eventually(t, recovery, "a node is up", func() error { return s.healthy(t.Context()) })
	}
	return p
}

// replace lets the standby take over, and the server that was primary follow it.
func (p *pair) replace(t *testing.T) {
	t.Helper()
	p.standby.Promote(t)
	p.primary, p.standby = p.standby, p.primary
	p.standby.Follow(t, p.primary, "standby")
}

// upset takes the primary away in one of several ways.
func (p *pair) upset(t *testing.T, r *rand.Rand, how int) string {
	t.Helper()
	moments := func(most int) { time.Sleep(time.Duration(100+r.IntN(most)) * time.Millisecond) } // how long is the fault itself
	switch how % 3 {
	case 0:
		p.primary.Kill()
		moments(1000)
		p.replace(t)
		return "kill the primary"
	case 1: // it comes back to a cluster that has another, and has not heard of that
		p.primary.Pause()
		moments(500)
		p.standby.Promote(t)
		old := p.primary
		p.primary, p.standby = p.standby, old
		moments(500)
		old.Resume()
		moments(1000)
		old.Follow(t, p.primary, "standby")
		return "pause the primary while the standby takes over"
	default:
		s := p.nodes[r.IntN(len(p.nodes))]
		s.pause()
		p.primary.Kill()
		moments(500)
		p.replace(t)
		s.resume()
		return "pause a node and kill the primary"
	}
}

// TestFailover lets a standby take over three times under load: nothing that was acknowledged is lost and nothing is there twice.
func TestFailover(t *testing.T) {
	t.Parallel()
	seed := *seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	p := buildPair(t, true)
	l := startLoad(t, p.nodes, 6, seed)
	for i := range 3 {
		l.progress(t, 40, 2*time.Minute)
		began := time.Now()
		name := p.upset(t, r, i)
		l.progress(t, 1, time.Minute)
		t.Logf("%s: acknowledged again after %.1f s", name, time.Since(began).Seconds())
	}
	l.settle(t)
	db, err := sql.Open("pgx", p.primary.Address("stoa"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := agree(t, db); err != nil {
		t.Fatal(err)
	}
}

// TestALossIsNamed takes over with a standby that is behind, as an asynchronous one may be: the checker finds what is lost, so it can find
// it, and every node has found it before and refused to go on.
func TestALossIsNamed(t *testing.T) {
	t.Parallel()
	p := buildPair(t, false)
	l := startLoad(t, p.nodes, 4, 1)
	l.progress(t, 40, 2*time.Minute)
	p.standby.Kill()
	l.progress(t, 40, 2*time.Minute)
	p.primary.Kill()
	p.standby.Start(t)
	p.standby.Promote(t)
	for _, s := range p.nodes {
		eventually(t, 30*time.Second, "the loss is named", func() error {
			r := s.call(t.Context(), "GET", "/api/health", "", "", nil)
			if r.Reply == nil || !strings.Contains(string(r.Body), "acknowledged changes are missing") {
				return fmt.Errorf("node %d: %+v", s.n, r.Reply)
			}
			return nil
		})
	}
	refused := l.acked.Load()
	l.refusals(t, 20, time.Minute)
	if n := l.acked.Load(); n != refused {
		t.Errorf("%d were acknowledged by nodes that had lost some", n-refused)
	}
	said := stoa(t, "", "accept-loss", "--reason", "a test", "--data", p.data, "--database", p.standby.Address("stoa"))
	if !strings.Contains(said, "acknowledged changes are missing") {
		t.Errorf("accept-loss says %q", said)
	}
	l.end()
	for _, s := range p.nodes {
		eventually(t, recovery, "the node goes on", func() error { return s.healthy(t.Context()) })
	}
	for _, c := range l.retired {
		if c.token != "" {
			c.only = new(int)
			c.listInstalled(t.Context())
		}
	}
	lost := 0
	for _, v := range checker.Check(l.history, checker.Bounds{Session: time.Minute, Answer: time.Hour}) {
		if v.Rule == checker.RuleLost {
			lost++
		}
	}
	if lost == 0 {
		t.Error("the checker finds nothing lost")
	}
	t.Logf("the checker finds %d lost effects", lost)
}
