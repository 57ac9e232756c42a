package path

import "iter"

// queue gives candidates in order, and sorts only as far as it is asked: a plan takes few of many.
type queue struct {
	heap []*candidate // the rest; the first is the next
	out  []*candidate // those that came already
}

func newQueue(all []*candidate) *queue {
	q := &queue{heap: all}
	for i := len(all)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
	return q
}

func (q *queue) len() int { return len(q.heap) + len(q.out) }

// at gives the candidate at a place of the order.
func (q *queue) at(i int) *candidate {
	for len(q.out) <= i {
		last := len(q.heap) - 1
		q.out = append(q.out, q.heap[0])
		q.heap[0] = q.heap[last]
		q.heap = q.heap[:last]
		q.sink(0)
	}
	return q.out[i]
}

// from gives the candidates from a place on.
func (q *queue) from(i int) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		for ; i < q.len(); i++ {
			if !yield(q.at(i)) {
				return
			}
		}
	}
}

func (q *queue) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(q.heap) {
			return
		}
		if right := child + 1; right < len(q.heap) && before(q.heap[right], q.heap[child]) < 0 {
			child = right
		}
		if before(q.heap[i], q.heap[child]) <= 0 {
			return
		}
		q.heap[i], q.heap[child] = q.heap[child], q.heap[i]
		i = child
	}
}
