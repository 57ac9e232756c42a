package path

import "iter"

// queue gives candidates in order, and sorts only as far as it is asked: a plan takes few of many.
type queue struct {
	all   []candidate
	ranks []run // those of rank 0, 1, …
}

// run are the candidates of one rank, by their number: a heap of pointers would be work for the collector with each exchange.
type run struct {
	all  []candidate
	n    int
	heap []int32      // the rest; once one is out, the first is the next
	out  []*candidate // those that came already
}

// newQueue works in memory.
func newQueue(all []candidate, memory *[]int32) *queue {
	q := &queue{all: all}
	for i := range all {
		for len(q.ranks) <= all[i].rank {
			q.ranks = append(q.ranks, run{all: all})
		}
		q.ranks[all[i].rank].n++
	}
	rest := space(memory, len(all))[:len(all)]
	for i := range q.ranks {
		r := &q.ranks[i]
		r.heap, rest = rest[:0:r.n], rest[r.n:]
	}
	for i := range all {
		r := &q.ranks[all[i].rank]
		r.heap = append(r.heap, int32(i))
	}
	return q
}

func (q *queue) len() int { return len(q.all) }

// after is the place behind everything of a rank and those before it.
func (q *queue) after(rank int) (place int) {
	for i := range q.ranks[:min(rank+1, len(q.ranks))] {
		place += q.ranks[i].n
	}
	return place
}

// at gives the candidate at a place of the order.
func (q *queue) at(place int) *candidate {
	rank := 0
	for ; place >= q.ranks[rank].n; rank++ {
		place -= q.ranks[rank].n
	}
	return q.ranks[rank].at(place)
}

// from gives the candidates from a place on.
func (q *queue) from(place int) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		for ; place < len(q.all); place++ {
			if !yield(q.at(place)) {
				return
			}
		}
	}
}

func (r *run) at(i int) *candidate {
	if len(r.out) == 0 {
		for k := len(r.heap)/2 - 1; k >= 0; k-- {
			r.sink(k)
		}
	}
	for len(r.out) <= i {
		last := len(r.heap) - 1
		r.out = append(r.out, &r.all[r.heap[0]])
		r.heap[0] = r.heap[last]
		r.heap = r.heap[:last]
		r.sink(0)
	}
	return r.out[i]
}

func (r *run) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(r.heap) {
			return
		}
		if right := child + 1; right < len(r.heap) && r.less(right, child) {
			child = right
		}
		if !r.less(child, i) {
			return
		}
		r.heap[i], r.heap[child] = r.heap[child], r.heap[i]
		i = child
	}
}

func (r *run) less(i, j int) bool { return before(&r.all[r.heap[i]], &r.all[r.heap[j]]) < 0 }
