//go:build linux

package faults

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stoa/tests/faults/checker"
)

const (
	fillDisk  = 11
	slowDisk  = 12
	stepClock = 13
)

// kinds are the faults that upset chooses from, by -kinds.
var kinds = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, fillDisk, slowDisk, stepClock}

func init() {
	flag.Func("kinds", "faults of TestPatroni by number, as in 6,7,9; all without it", func(text string) error {
		kinds = nil
		for part := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n > stepClock {
				return fmt.Errorf("%q is no kind from 0 to %d", part, stepClock)
			}
			kinds = append(kinds, n)
		}
		return nil
	})
}

// upset takes something away at random and gives it back.
func (p *patroni) upset(t *testing.T, r *rand.Rand, nodes []*node, kinds []int) string {
	t.Helper()
	var m *member3
	eventually(t, time.Minute, "there is a leader", func() error {
		if m = p.leader(t); m == nil {
			return errors.New("none says so")
		}
		return nil
	})
	moments := func(least, most int) { time.Sleep(time.Duration(least+r.IntN(most-least)) * time.Millisecond) } // how long is the fault itself
	away := func(wires ...*proxy) {                                                                             // silent or cut, as the lot falls
		state := []wire{cut, silent}[r.IntN(2)]
		for _, w := range wires {
			w.set(state)
		}
	}
	back := func(wires ...*proxy) {
		for _, w := range wires {
			w.set(whole)
		}
	}
	other := p.members[(slices.Index(p.members, m)+1)%len(p.members)]
	switch kind := kinds[r.IntN(len(kinds))]; kind {
	case 0:
		_ = m.cmd.Process.Kill()
		m.signal(syscall.SIGKILL)
		moments(500, 15_000)
		p.restart(t, m)
		return "kill the primary and its Patroni"
	case 1:
		m.signal(syscall.SIGKILL)
		return "kill the primary"
	case 2:
		_ = m.cmd.Process.Signal(syscall.SIGSTOP)
		moments(12_000, 25_000)
		_ = m.cmd.Process.Signal(syscall.SIGCONT)
		return "pause the primary's Patroni"
	case 3:
		m.signal(syscall.SIGSTOP)
		moments(1000, 20_000)
		m.signal(syscall.SIGCONT)
		return "pause the primary"
	case 4:
		s := nodes[r.IntN(len(nodes))]
		s.pause()
		_ = m.cmd.Process.Kill()
		m.signal(syscall.SIGKILL)
		moments(500, 10_000)
		p.restart(t, m)
		s.resume()
		return "pause a node, kill the primary and its Patroni"
	case 6:
		away(m.keys)
		moments(5000, 25_000)
		back(m.keys)
		return "cut the primary's Patroni from etcd"
	case 7:
		away(m.peers)
		moments(1000, 8000)
		back(m.peers)
		return "cut the primary from its standbys"
	case 8:
		away(m.clients)
		moments(1000, 8000)
		back(m.clients)
		return "cut the clients from the primary"
	case 9:
		away(m.keys, m.peers, m.clients)
		moments(5000, 25_000)
		back(m.keys, m.peers, m.clients)
		return "cut the primary from everything"
	case 10:
		away(m.keys)
		_ = other.cmd.Process.Kill()
		other.signal(syscall.SIGKILL)
		moments(5000, 20_000)
		back(m.keys)
		p.restart(t, other)
		return "cut the primary's Patroni from etcd and kill a standby with its Patroni"
	case fillDisk:
		free := m.fill(t)
		moments(1000, 20_000)
		free()
		return "fill the primary's disk"
	case slowDisk:
		m.slow(t, time.Duration(2+r.IntN(14))*time.Second)
		return "slow the primary's disk down"
	case stepClock:
		ahead := time.Duration(5+r.IntN(3600)) * time.Second * time.Duration(1-2*r.IntN(2))
		m.step(t, ahead)
		if got, err := m.ahead(t); err == nil && (got-ahead).Abs() > 5*time.Second {
			t.Errorf("the clock was set %v ahead and is %v", ahead, got)
		}
		moments(5000, 20_000)
		m.step(t, 0)
		return "set the primary's clock " + map[bool]string{true: "forward", false: "back"}[ahead > 0]
	default:
		_ = other.cmd.Process.Kill()
		other.signal(syscall.SIGKILL)
		m.signal(syscall.SIGKILL)
		moments(500, 5000)
		p.restart(t, other)
		return "kill the primary and a standby with its Patroni"
	}
}

// TestPatroni takes parts of a cluster away under load, one after another, and judges what clients saw.
func TestPatroni(t *testing.T) {
	if *failovers == 0 {
		t.Skip("make failover runs this")
	}
	seed := *seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d -failovers %d", seed, *failovers)
	r := rand.New(rand.NewPCG(seed, 2))
	p := startPatroni(t, true)
	kinds := p.kindsHere(t)
	address := fmt.Sprintf("postgres://postgres:change-me-1@127.0.0.1:%d/stoa?sslmode=disable&connect_timeout=2", p.balance)
	p.query(t, `CREATE DATABASE stoa`)
	data := filepath.Join(t.TempDir(), "data")
	stoa(t, lines("base", templates), "import", "-", "--data", data, "--database", address)
	var all []*node
	for n := range nodes {
		all = append(all, newNode(t, n, data, address))
	}
	l := startLoad(t, all, 8, seed)
	did, outages, takenBack, rebuilt := map[string]int{}, []time.Duration{}, 0, 0
	for range *failovers {
		l.progress(t, 40, 2*time.Minute)
		rebuilt += p.whole(t)
		from := time.Since(l.began)
		name := p.upset(t, r, all, kinds)
		if l.stalls(20, time.Minute) {
			if p.removeStaleSync(t) { // the new leader's time was cut short, and what an operator would do follows
				takenBack++
				t.Logf("%s: then a former leader took the lead back (patroni/patroni#2779); this outage is not counted", name)
				if slices.ContainsFunc(all, func(s *node) bool { return strings.Contains(s.health(), "stoa accept-loss") }) {
					t.Log(stoa(t, "", "accept-loss", "--reason", "Patroni went back to an older timeline", "--data", data, "--database", address))
				}
				l.progress(t, 20, 2*time.Minute)
				continue
			}
		}
		l.progress(t, 20, 2*time.Minute)
		outage := l.silence(from)
		outages = append(outages, outage)
		did[name]++
		t.Logf("%6.1fs %s: nothing acknowledged for %.1f s", time.Since(l.began).Seconds(), name, outage.Seconds())
	}
	l.settle(t)
	l.keep(t, seed)
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := agree(t, db); err != nil {
		t.Fatal(err)
	}
	slices.Sort(outages)
	if takenBack > *failovers/5 {
		t.Errorf("the lead was taken back %d times", takenBack)
	}
	t.Logf("faults %v, lead taken back %d times, servers rebuilt %d, acknowledged %d, outages: median %.1f s, p95 %.1f s, longest %.1f s", did, takenBack, rebuilt, l.acked.Load(), outages[len(outages)/2].Seconds(),
		outages[min(len(outages)-1, len(outages)*95/100)].Seconds(), outages[len(outages)-1].Seconds())
}

// silence is the longest time since a moment in which nothing was acknowledged.
func (l *load) silence(from time.Duration) (longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ends []time.Duration
	for _, op := range l.history {
		if op.Outcome == checker.OK && op.End >= from && writes(op.Kind) {
			ends = append(ends, op.End)
		}
	}
	slices.Sort(ends)
	for _, end := range ends {
		longest, from = max(longest, end-from), end
	}
	return longest
}

func writes(k checker.Kind) bool {
	return k == checker.Install || k == checker.Uninstall || k == checker.Submit || k == checker.Withdraw || k == checker.Execute
}

// keep writes the history down, one operation a line.
func (l *load) keep(t *testing.T, seed uint64) {
	t.Helper()
	if *histories == "" {
		return
	}
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	for _, op := range l.history {
		if err := lines.Encode(op); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(*histories, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*histories, fmt.Sprintf("failover-%d.jsonl", seed)), text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
