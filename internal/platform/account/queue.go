package account

import (
	"context"
	"errors"
	"sync"
)

// How many may wait for a place of a Hasher, in all and from one source.
const (
	waitingAll    = 256
	waitingSource = 32
)

// ErrBusy says that too many wait for a place already.
var ErrBusy = errors.New("account: too many passwords are being checked")

// queue hands a number of places to those who wait, to each source in turn: however many wait from one source, another
// waits for one of them at most.
type queue struct {
	mu      sync.Mutex
	free    int
	waiting int
	sources map[string]*line
	turns   []*line // those with somebody waiting, whose turn is next first
}

type line struct {
	source string
	wait   []chan struct{}
}

func newQueue(places int) *queue {
	return &queue{free: max(1, places), sources: map[string]*line{}}
}

// enter waits for a place, which leave gives back. ErrBusy when too many wait.
func (q *queue) enter(ctx context.Context, source string) error {
	if err := ctx.Err(); err != nil {
		return err // whoever has gone takes no place that nobody would give back
	}
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return nil
	}
	l := q.sources[source]
	if q.full(l) {
		q.mu.Unlock()
		return ErrBusy
	}
	if l == nil {
		l = &line{source: source}
		q.sources[source] = l
		q.turns = append(q.turns, l)
	}
	turn := make(chan struct{}, 1)
	l.wait = append(l.wait, turn)
	q.waiting++
	q.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		q.leaveLine(l, turn)
		return ctx.Err()
	}
}

// full reports whether nobody else may wait in a line, which is nil where nobody waits. The lock is held.
func (q *queue) full(l *line) bool {
	return q.waiting >= waitingAll || l != nil && len(l.wait) >= waitingSource
}

// leaveLine takes a place in a line back; when the turn came meanwhile it goes to the next.
func (q *queue) leaveLine(l *line, turn chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range l.wait {
		if other == turn {
			l.wait = append(l.wait[:i], l.wait[i+1:]...)
			q.waiting--
			q.tidy(l)
			return
		}
	}
	q.next()
}

func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next()
}

// next gives a place to the first of the line whose turn it is, or keeps it free.
func (q *queue) next() {
	if len(q.turns) == 0 {
		q.free++
		return
	}
	l := q.turns[0]
	l.wait[0] <- struct{}{}
	l.wait = l.wait[1:]
	q.waiting--
	q.turns = append(q.turns[1:], l)
	q.tidy(l)
}

// tidy forgets a line without anybody in it.
func (q *queue) tidy(l *line) {
	if len(l.wait) > 0 {
		return
	}
	delete(q.sources, l.source)
	for i, other := range q.turns {
		if other == l {
			q.turns = append(q.turns[:i], q.turns[i+1:]...)
			return
		}
	}
}
