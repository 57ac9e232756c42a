package catalog

import (
	"math"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"stoa/internal/market/ranking"
)

// maxSeq bounds Entry.Seq: bitmaps hold 32-bit numbers.
const maxSeq = math.MaxUint32

// Index is the catalog in memory. Its methods are safe for concurrent use;
// queries share a lock that every change takes alone for about a microsecond.
type Index struct {
	mu      sync.RWMutex
	s       *state
	gen     uint64 // changes so far; guarded by mu like all of this
	content uint64 // those of them that were not counters only
}

// New returns an empty index.
func New() *Index { return &Index{s: newState()} }

// Upsert adds the item or replaces the one with the same Seq. Counters never go
// back: those the index knows are merged with the ones given. If another Seq held
// the ID it is removed. An entry without ID or with a Seq out of range is ignored.
func (x *Index) Upsert(e Entry) {
	seq, ok := checkSeq(e.Seq)
	if !ok || e.ID == "" {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if other, ok := x.s.trees.ids.Get(e.ID); ok && other != seq {
		x.s.remove(other)
	}
	x.s.upsert(seq, &e)
	x.changed()
}

// Remove forgets an item; an unknown seq is no error.
func (x *Index) Remove(seq int64) {
	n, ok := checkSeq(seq)
	if !ok {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.s.remove(n) {
		x.changed()
	}
}

// SetEngagement raises an item's counters to the absolute values given. Values
// arriving late or twice change nothing; an unknown seq is ignored, its Upsert
// will bring the counters along.
func (x *Index) SetEngagement(seq int64, e Engagement) {
	n, ok := checkSeq(seq)
	if !ok {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.s.raise(n, e) {
		x.gen++
	}
}

// SetRanking sets what an item's ranking is made of. An unknown seq is ignored, its Upsert will bring that along.
func (x *Index) SetRanking(seq int64, c ranking.Counts) {
	n, ok := checkSeq(seq)
	if !ok {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.s.stand(n, c) {
		x.gen++
	}
}

// Get returns the item with the ID, whoever may see it: ask Entry.VisibleTo.
// The slices of the entry are the caller's own.
func (x *Index) Get(id string) (Entry, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	seq, ok := x.s.trees.ids.Get(id)
	if !ok {
		return Entry{}, false
	}
	return x.s.entry(seq)
}

// Look is Get for those who need no more than an item's place in a list, of what the viewer may see.
func (x *Index) Look(id, viewer string) (Hit, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n, ok := x.s.trees.ids.Get(id)
	if !ok {
		return Hit{}, false
	}
	p, i := x.s.rows.at(n)
	if r := &p.recs[i]; r.private && (viewer == "" || x.s.text(r, dimOwner) != viewer) {
		return Hit{}, false
	}
	return x.s.hit(n), true
}

// BySeq is Get by seq.
func (x *Index) BySeq(seq int64) (Entry, bool) {
	n, ok := checkSeq(seq)
	if !ok {
		return Entry{}, false
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.s.entry(n)
}

// Texts visits the words that items are known by: folded ids and titles, categories, tags and authors.
func (x *Index) Texts(visit func(text string) bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, p := range x.s.rows.pages {
		if !visit(p.textOf(textNames).text) {
			return
		}
	}
	for _, d := range []dim{dimCategory, dimTag, dimMaintainer} {
		for key := range x.s.dict.byKey[d] {
			if !visit(key) {
				return
			}
		}
	}
}

// Popular returns the seqs of the n most installed public items, most installed first.
func (x *Index) Popular(n int) []int64 {
	if n <= 0 {
		return nil
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make([]int64, 0, min(n, x.s.rows.count))
	x.s.trees.walk(ordering{col: colInstalls, desc: true}, position{}, func(seq uint32) bool {
		if x.s.hidden == 0 || x.s.public.Contains(seq) {
			out = append(out, int64(seq))
		}
		return len(out) < n
	})
	return out
}

// Len returns the number of items, private ones included.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.s.rows.count
}

// Generation grows with every change that an answer could show. Two equal
// values mean that every query still has the answer it had.
func (x *Index) Generation() uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.gen
}

// ContentGeneration grows like Generation, but not with counters: totals and facet
// counts of a query stay the same while it does, and may be kept that long.
func (x *Index) ContentGeneration() uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.content
}

// changed notes a change of items.
func (x *Index) changed() {
	x.gen++
	x.content++
}

func checkSeq(seq int64) (uint32, bool) {
	return uint32(seq), seq > 0 && seq <= maxSeq
}

// state is the content of an Index; whoever uses it holds the lock.
type state struct {
	rows   rows
	dict   *dict
	trees  trees
	public *roaring.Bitmap            // items everyone sees
	own    map[string]*roaring.Bitmap // private items by owner
	by     map[string]*roaring.Bitmap // all items by owner
	hidden int                        // private items
}

func newState() *state {
	return &state{
		rows:   rows{pages: map[uint32]*page{}},
		dict:   newDict(),
		trees:  newTrees(),
		public: roaring.New(),
		own:    map[string]*roaring.Bitmap{},
		by:     map[string]*roaring.Bitmap{},
	}
}
