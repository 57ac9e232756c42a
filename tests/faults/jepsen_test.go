//go:build linux

package faults

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestHistory lets clients work while one part after another is taken away at random, and judges what they saw.
// The usual run gives it twenty seconds; -duration and -seed change that.
func TestHistory(t *testing.T) {
	t.Parallel()
	seed := *seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d -duration %s", seed, *duration)
	w := build(t)
	r := rand.New(rand.NewPCG(seed, 0))
	l := startLoad(t, w.nodes, 8, seed)
	did := map[string]int{}
	for began := time.Now(); time.Since(began) < *duration; {
		l.progress(t, int64(20+r.IntN(60)), 2*time.Minute) // without faults, so that there is always something to lose
		name := w.upset(t, r)
		did[name]++
		if testing.Verbose() {
			t.Logf("%6.1fs %s", time.Since(began).Seconds(), name)
		}
	}
	l.settle(t)
	w.inspect(t)
	t.Logf("faults: %v", did)
}

// upset takes one part away for a while and gives it back.
func (w *town) upset(t *testing.T, r *rand.Rand) string {
	t.Helper()
	s := w.nodes[r.IntN(len(w.nodes))]
	moments := func(most int) { time.Sleep(time.Duration(100+r.IntN(most)) * time.Millisecond) } // how long is the fault itself
	switch r.IntN(7) {
	case 0:
		s.kill()
		moments(1500)
		s.start(t)
		return "kill a node"
	case 1:
		s.pause()
		moments(7000)
		s.resume()
		return "pause a node"
	case 2:
		s.wire.set(cut)
		moments(2000)
		s.wire.set(whole)
		return "cut a node off"
	case 3:
		s.wire.set(silent)
		moments(10_000)
		s.wire.set(whole)
		return "silence between a node and the database"
	case 4:
		w.db.Crash()
		w.db.Start(t)
		return "restart the database"
	case 5:
		w.db.Crash()
		moments(4000)
		w.db.Start(t)
		return "stop the database"
	default: // two at once
		other := w.nodes[(s.n+1)%len(w.nodes)]
		s.pause()
		other.kill()
		moments(2000)
		w.db.Crash()
		w.db.Start(t)
		other.start(t)
		s.resume()
		return "pause a node, kill another, restart the database"
	}
}
