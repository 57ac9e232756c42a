package core

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
)

// Whatever many members send, and give up, a member who had nothing under way waits for at most one task of each other
// member that starts after its own came, and nobody waits while a place is free.
func TestPlacesAreSharedFairly(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) { sharePlaces(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

// queuedTask is a task in the test, with the tasks of other members that have started since it came.
type queuedTask struct {
	member  string
	fresh   bool
	cancel  context.CancelFunc
	ended   chan error
	overrun map[string]int
}

func sharePlaces(t *testing.T, r *rand.Rand) {
	places := 1 + r.IntN(3)
	q := NewFairQueue(places)
	var waiting, running []*queuedTask
	busy := map[string]int{}
	settle := func() {
		synctest.Wait()
		var still []*queuedTask
		for _, w := range waiting {
			if len(w.ended) == 0 {
				still = append(still, w)
				continue
			}
			if err := <-w.ended; err != nil {
				busy[w.member]--
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				continue
			}
			running = append(running, w)
			for _, o := range waiting {
				if o != w && o.fresh && o.member != w.member {
					o.overrun[w.member]++
				}
			}
			for member, n := range w.overrun {
				if w.fresh && n > 1 {
					t.Errorf("%s waited for %d tasks of %s", w.member, n, member)
				}
			}
		}
		waiting = still
		if len(running) > places || len(running) < places && len(waiting) > 0 {
			t.Fatalf("%d run at %d places, %d wait", len(running), places, len(waiting))
		}
	}
	for range 60 {
		switch x := r.IntN(10); {
		case x < 5: // one member sends most
			member := fmt.Sprint(max(0, r.IntN(12)-7))
			ctx, cancel := context.WithCancel(t.Context())
			w := &queuedTask{member, busy[member] == 0 && q.next[member] <= q.now, cancel, make(chan error, 1), map[string]int{}}
			busy[member]++
			waiting = append(waiting, w)
			go func() { w.ended <- q.Acquire(ctx, w.member) }()
		case x < 9 && len(running) > 0:
			i := r.IntN(len(running))
			busy[running[i].member]--
			running = append(running[:i:i], running[i+1:]...)
			q.Release()
		case len(waiting) > 0:
			waiting[r.IntN(len(waiting))].cancel()
		}
		settle()
	}
	for len(running)+len(waiting) > 0 {
		running = running[1:]
		q.Release()
		settle()
	}
	if q.free != places || len(q.waiting) != 0 || len(q.next) > 5 {
		t.Errorf("at the end %d of %d places are free, %d wait", q.free, places, len(q.waiting))
	}
}

// Whoever has gone before its turn, while places are free or not, takes none away from the others.
func TestNoPlaceIsLost(t *testing.T) {
	q := NewFairQueue(2)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		if err := q.Acquire(gone, "ada"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := q.Acquire(t.Context(), "bob"); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Acquire(gone, "ada"); !errors.Is(err, context.Canceled) || q.free != 0 {
		t.Errorf("%d places are free: %v", q.free, err)
	}
	q.Release()
	q.Release()
	if q.free != 2 {
		t.Errorf("%d of 2 places are there", q.free)
	}
}
