package catalog

import "github.com/RoaringBitmap/roaring/v2"

// tally is a value with its number of items in some set.
type tally struct {
	value uint32
	count int
}

// Costs of counting, in nanoseconds by order of magnitude; see BenchmarkFacets.
const (
	rowTally     = 80 // looking through the terms of one row
	postingTally = 1  // one item of a value's bitmap, in an intersection count
	valueTally   = 60 // one value at all
)

// facets counts the values of every facet.
func (s *state) facets(sc *scope, viewer string) []Facet {
	var plain, single []dim // facets without and with a filter of their own
	for d := range numFacets {
		if sc.filters[d] == nil {
			plain = append(plain, d)
		} else {
			single = append(single, d)
		}
	}
	var counted [numFacets]*topK[tally]
	s.tally(sc.result(numFacets), plain, &counted)
	for _, d := range single {
		s.tally(sc.result(d), []dim{d}, &counted)
	}
	out := make([]Facet, numFacets)
	for d, top := range counted {
		out[d].Name = facetNames[d]
		for _, t := range top.sorted() {
			out[d].Values = append(out[d].Values, FacetValue{s.shown(t.value, viewer), t.count})
		}
	}
	return out
}

// tally counts, for each facet given, how many members of set carry each value,
// by the cheaper way: through the rows of the set or through the bitmaps of the values.
func (s *state) tally(set *roaring.Bitmap, dims []dim, out *[numFacets]*topK[tally]) {
	before := func(a, b tally) bool {
		if a.count != b.count {
			return a.count > b.count
		}
		return s.dict.values[a.value].key < s.dict.values[b.value].key
	}
	viaValues := 0
	for _, d := range dims {
		out[d] = &topK[tally]{k: FacetValues, before: before}
		viaValues += valueTally*len(s.dict.byKey[d]) + postingTally*s.rows.count
	}
	if set != nil && s.size(set)*rowTally < viaValues {
		s.tallyRows(set, out, dims)
		return
	}
	for _, d := range dims {
		for _, id := range s.dict.byKey[d] {
			bits := s.dict.values[id].bits
			n := bits.GetCardinality()
			if set != nil {
				n = bits.AndCardinality(set)
			}
			if n > 0 {
				out[d].push(tally{id, int(n)})
			}
		}
	}
}

func (s *state) tallyRows(set *roaring.Bitmap, out *[numFacets]*topK[tally], dims []dim) {
	var wanted [numDims]bool
	for _, d := range dims {
		wanted[d] = true
	}
	counts := make([]uint32, len(s.dict.values))
	met := make([]uint32, 0, 256) // values with a count
	s.eachMember(set, func(seq uint32, p *page) {
		for _, id := range p.recs[seq%pageSize].terms {
			t := &s.dict.terms[id]
			if !wanted[t.dim] {
				continue
			}
			if counts[t.value]++; counts[t.value] == 1 {
				met = append(met, t.value)
			}
		}
	})
	for _, id := range met {
		out[s.dict.values[id].dim].push(tally{id, int(counts[id])})
	}
}

// shown is the spelling of a value for viewer. If no public item ever carried the
// value, the viewer's own item does, and its spelling is no secret to the viewer.
func (s *state) shown(id uint32, viewer string) string {
	v := &s.dict.values[id]
	if v.shown != "" || s.own[viewer] == nil {
		return v.shown
	}
	mine := roaring.And(v.bits, s.own[viewer])
	if mine.IsEmpty() {
		return v.key
	}
	p, i := s.rows.at(mine.Minimum())
	for _, term := range p.recs[i].terms {
		if t := &s.dict.terms[term]; t.dim == v.dim && t.value == id {
			return t.text
		}
	}
	return v.key
}
