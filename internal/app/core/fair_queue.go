package core

import (
	"context"
	"slices"
	"sync"
)

// FairQueue bounds how much is done at a time, and shares the places fairly between members: a
// task waits for the tasks under way and for at most one further task of each other member, however many those have sent.
//
// It is start-time fair queueing with tasks of equal cost (Goyal, Vin, Cheng 1996): a task's tag is the later of the virtual
// time at which it came and the tag after its member's last task; the lowest tag is next, and the virtual time is the tag of
// the task that started last.
type FairQueue struct {
	mu      sync.Mutex
	free    int
	now     int            // virtual time
	next    map[string]int // the tag of the next task of a member, where it is later than now
	waiting []*waitingTask
}

type waitingTask struct {
	tag     int
	started chan struct{} // closed when the task has a place
}

// NewFairQueue makes a queue for so many tasks at a time, at least one.
func NewFairQueue(places int) *FairQueue {
	return &FairQueue{free: max(1, places), next: map[string]int{}}
}

// Acquire waits for a place, which Release gives back. The member "" is the server's own work.
func (q *FairQueue) Acquire(ctx context.Context, member string) error {
	if err := ctx.Err(); err != nil {
		return err // whoever has gone takes no place that nobody would give back
	}
	q.mu.Lock()
	w := &waitingTask{tag: max(q.now, q.next[member]), started: make(chan struct{})}
	q.next[member] = w.tag + 1
	if q.free > 0 { // nobody waits while a place is free
		q.free--
		q.start(w)
		q.mu.Unlock()
		return nil
	}
	// After those with the same tag, who came first.
	at, _ := slices.BinarySearchFunc(q.waiting, w.tag+1, func(o *waitingTask, tag int) int { return o.tag - tag })
	q.waiting = slices.Insert(q.waiting, at, w)
	q.mu.Unlock()
	select {
	case <-w.started:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	} else { // the place came at the same moment
		q.pass()
	}
	return ctx.Err()
}

// Release gives a place back.
func (q *FairQueue) Release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pass()
}

// pass gives a place to the next task, or keeps it free.
func (q *FairQueue) pass() {
	if len(q.waiting) == 0 {
		q.free++
		return
	}
	w := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.start(w)
}

func (q *FairQueue) start(w *waitingTask) {
	close(w.started)
	q.now = max(q.now, w.tag)
	for member, tag := range q.next {
		if tag <= q.now {
			delete(q.next, member)
		}
	}
}
