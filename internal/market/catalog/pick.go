package catalog

import "github.com/RoaringBitmap/roaring/v2"

// Costs of the two plans, in steps of a walk; measured, see BenchmarkPlan.
const (
	rowCost = 3 // reading one row's column and comparing it
	idCost  = 6 // the same for an ID, which lies elsewhere in memory
)

// pick returns the first k seqs of a set of the given size after a position, in order.
//
// A walk along the order meets a member every count/size steps, so large sets are
// walked and small ones collected. If members cluster far from the position the
// walk gives up after half as many steps again as collecting would have cost, which
// chance alone hardly ever needs: the worst case is 2.5 times the better plan.
func (s *state) pick(set *roaring.Bitmap, size int, o ordering, after position, k int) []uint32 {
	if size == 0 {
		return nil
	}
	collect := size * rowCost
	if o.byID {
		collect = size * idCost
	}
	expected := s.rows.count / size * k
	if set == nil || expected <= collect {
		if seqs, ok := s.walkSet(set, o, after, k, expected, collect*3/2+k); ok {
			return seqs
		}
	}
	if o.byID {
		return s.firstByID(set, o.desc, after, k)
	}
	return s.firstByColumn(set, o, after, k)
}

// walkSet walks the order, expecting to take so many steps and taking at most
// budget; false if that was not enough.
func (s *state) walkSet(set *roaring.Bitmap, o ordering, after position, k, expected, budget int) ([]uint32, bool) {
	seqs := make([]uint32, 0, min(k, s.rows.count))
	steps := 0
	member := func(uint32) bool { return true }
	if set != nil {
		member = set.Contains
		if d := asDense(set, expected); d != nil {
			defer densePool.Put(d)
			member = d.has
		}
	}
	s.trees.walk(o, after, func(seq uint32) bool {
		if steps++; steps > budget {
			return false
		}
		if member(seq) {
			seqs = append(seqs, seq)
		}
		return len(seqs) < k
	})
	return seqs, steps <= budget
}

// firstByColumn selects from all members by their column.
func (s *state) firstByColumn(set *roaring.Bitmap, o ordering, after position, k int) []uint32 {
	before := key.less
	if o.desc {
		before = func(a, b key) bool { return b.less(a) }
	}
	top := topK[key]{k: k, before: before}
	pivot := key{after.num, after.seq}
	s.eachMember(set, func(seq uint32, p *page) {
		at := key{p.cols[o.col][seq%pageSize], seq}
		if !after.set || before(pivot, at) {
			top.push(at)
		}
	})
	keys := top.sorted()
	seqs := make([]uint32, len(keys))
	for i, k := range keys {
		seqs[i] = k.seq
	}
	return seqs
}

// firstByID selects from all members by ID.
func (s *state) firstByID(set *roaring.Bitmap, desc bool, after position, k int) []uint32 {
	before := func(a, b idKey) bool { return a.id < b.id }
	if desc {
		before = func(a, b idKey) bool { return b.id < a.id }
	}
	top := topK[idKey]{k: k, before: before}
	pivot := idKey{id: after.id}
	s.eachMember(set, func(seq uint32, p *page) {
		at := idKey{p.recs[seq%pageSize].id, seq}
		if !after.set || before(pivot, at) {
			top.push(at)
		}
	})
	keys := top.sorted()
	seqs := make([]uint32, len(keys))
	for i, k := range keys {
		seqs[i] = k.seq
	}
	return seqs
}

// eachMember visits the members of a set by seq, with their pages, all of
// which are live rows.
func (s *state) eachMember(set *roaring.Bitmap, visit func(seq uint32, p *page)) {
	var (
		buf  [256]uint32
		it   = set.ManyIterator()
		p    *page
		have = ^uint32(0) // number of page p; no page has this number
	)
	for n := it.NextMany(buf[:]); n > 0; n = it.NextMany(buf[:]) {
		for _, seq := range buf[:n] {
			if num := seq >> pageBits; num != have {
				p, have = s.rows.pages[num], num
			}
			visit(seq, p)
		}
	}
}
