package catalog

import (
	"slices"
	"strings"

	"github.com/tidwall/btree"
)

// key orders items by one column, equal ones by seq.
type key struct {
	num int64
	seq uint32
}

func (k key) less(o key) bool {
	return k.num < o.num || (k.num == o.num && k.seq < o.seq)
}

// idKey is an item in order of its ID.
type idKey struct {
	id  string
	seq uint32
}

// trees keeps every item in each order a list can have. The tree of IDs is also
// the way from an ID to its seq.
type trees struct {
	ids  *btree.Map[string, uint32]
	cols [numColumns]*btree.BTreeG[key]
}

func newTrees() trees {
	t := trees{ids: btree.NewMap[string, uint32](0)}
	for c := range t.cols {
		// The index has its own lock.
		t.cols[c] = btree.NewBTreeGOptions(key.less, btree.Options{NoLocks: true})
	}
	return t
}

// move puts seq in its new place in one order.
func (t *trees) move(c column, seq uint32, from, to int64) {
	if from != to {
		t.cols[c].Delete(key{from, seq})
		t.cols[c].Set(key{to, seq})
	}
}

// loadKeys sorts keys and fills the tree of a column. A tree loaded in ascending
// order is left with half-empty nodes, and a tree loaded at random takes long; every
// second key first and the others between them gives full nodes quickly.
func (t *trees) loadKeys(c column, keys []key) {
	slices.SortFunc(keys, func(a, b key) int {
		if a.less(b) {
			return -1
		}
		return 1
	})
	for i := 0; i < len(keys); i += 2 {
		t.cols[c].Load(keys[i])
	}
	for i := 1; i < len(keys); i += 2 {
		t.cols[c].Set(keys[i])
	}
}

// loadIDs fills the tree of IDs from keys sorted by sortIDs.
func (t *trees) loadIDs(keys []idKey) {
	for i := 0; i < len(keys); i += 2 {
		t.ids.Load(keys[i].id, keys[i].seq)
	}
	for i := 1; i < len(keys); i += 2 {
		t.ids.Set(keys[i].id, keys[i].seq)
	}
}

// sortIDs orders by ID, equal IDs by seq.
func sortIDs(keys []idKey) {
	slices.SortFunc(keys, func(a, b idKey) int {
		if c := strings.Compare(a.id, b.id); c != 0 {
			return c
		}
		return int(int64(a.seq) - int64(b.seq))
	})
}

// ordering is a sort with its direction.
type ordering struct {
	byID bool
	col  column // when not byID
	desc bool
}

// position is a place in an ordering: that of one item, present or not.
type position struct {
	set bool // false: before the first item
	num int64
	id  string
	seq uint32
}

// walk visits the seqs after the position in order until visit returns false.
func (t *trees) walk(o ordering, after position, visit func(seq uint32) bool) {
	if o.byID {
		t.walkIDs(o.desc, after, visit)
		return
	}
	pivot := key{after.num, after.seq}
	step := func(k key) bool {
		if after.set && k == pivot { // the trees' own pivots are inclusive
			return true
		}
		return visit(k.seq)
	}
	tree := t.cols[o.col]
	switch {
	case after.set && o.desc:
		tree.Descend(pivot, step)
	case after.set:
		tree.Ascend(pivot, step)
	case o.desc:
		tree.Reverse(step)
	default:
		tree.Scan(step)
	}
}

func (t *trees) walkIDs(desc bool, after position, visit func(seq uint32) bool) {
	skip := after.set
	step := func(id string, seq uint32) bool {
		if skip { // only the first one visited can be the pivot itself
			skip = false
			if id == after.id {
				return true
			}
		}
		return visit(seq)
	}
	switch {
	case after.set && desc:
		t.ids.Descend(after.id, step)
	case after.set:
		t.ids.Ascend(after.id, step)
	case desc:
		t.ids.Reverse(step)
	default:
		t.ids.Scan(step)
	}
}
