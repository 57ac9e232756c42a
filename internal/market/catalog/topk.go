package catalog

import "slices"

// topK keeps the k first of the items pushed, in the order given by before.
// It is a heap whose root is the last of those kept, so that an item that is
// not among the first costs one comparison.
type topK[T any] struct {
	k      int
	before func(a, b T) bool
	heap   []T
}

func (t *topK[T]) push(x T) {
	switch {
	case len(t.heap) < t.k:
		t.heap = append(t.heap, x)
		for i := len(t.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if !t.before(t.heap[up], t.heap[i]) {
				break
			}
			t.heap[up], t.heap[i] = t.heap[i], t.heap[up]
			i = up
		}
	case t.k > 0 && t.before(x, t.heap[0]):
		t.heap[0] = x
		t.sink()
	}
}

// sink lets the root fall to its place.
func (t *topK[T]) sink() {
	h, i := t.heap, 0
	for {
		last := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if t.before(h[last], h[c]) {
				last = c
			}
		}
		if last == i {
			return
		}
		h[i], h[last] = h[last], h[i]
		i = last
	}
}

// sorted returns the items kept, first one first, and ends the use of t.
func (t *topK[T]) sorted() []T {
	slices.SortFunc(t.heap, func(a, b T) int {
		switch {
		case t.before(a, b):
			return -1
		case t.before(b, a):
			return 1
		}
		return 0
	})
	return t.heap
}
