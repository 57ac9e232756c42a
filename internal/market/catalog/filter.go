package catalog

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// A result set is a bitmap, or nil for every item there is. Sets of one part are
// the index's own bitmaps: never change a set.

var nothing = roaring.New()

// scope is what a query may see: its parts are intersected to make a result set.
type scope struct {
	visible *roaring.Bitmap            // nil: everything
	ranked  *roaring.Bitmap            // nil: no search
	text    *roaring.Bitmap            // nil: no text filter
	whole   []uint32                   // items whose whole id a text filter names
	owner   *roaring.Bitmap            // nil: whoever's
	filters [numFacets]*roaring.Bitmap // nil: no filter on this facet
}

// scope resolves the parts of q; ranked is the set of q.Ranked where it is needed.
func (s *state) scope(q *Query, ranked *roaring.Bitmap) scope {
	sc := scope{visible: s.visible(q.Viewer), ranked: ranked}
	if ranked != nil && sc.visible == nil {
		sc.visible = s.public // all items; a search may still name removed ones
	}
	f := &q.Filter
	s.textScope(f, &sc)
	set := func(in dim, text string) {
		if text == "" {
			return
		}
		if sc.filters[in] = s.dict.lookup(in, text); sc.filters[in] == nil {
			sc.filters[in] = nothing
		}
	}
	set(dimCategory, f.Category)
	set(dimTag, f.Tag)
	set(dimMaintainer, f.Maintainer)
	set(dimSourceChannel, f.SourceChannel)
	set(dimRiskLevel, f.RiskLevel)
	set(dimReviewLabel, f.ReviewLabel)
	set(dimWarningFlag, f.WarningFlag)
	set(dimPackType, f.PackType)
	if f.Owner != "" {
		if sc.owner = s.by[f.Owner]; sc.owner == nil {
			sc.owner = nothing
		}
	}
	if f.Featured != nil {
		set(dimFeatured, flagText(*f.Featured))
	}
	return sc
}

// visible is the set of items viewer may see.
func (s *state) visible(viewer string) *roaring.Bitmap {
	if s.hidden == 0 {
		return nil
	}
	if own := s.own[viewer]; own != nil { // no owner is called "", see fill
		return roaring.Or(s.public, own)
	}
	return s.public
}

// result intersects all parts of the scope but the filter on one facet;
// numFacets leaves none out.
func (sc *scope) result(without dim) *roaring.Bitmap {
	parts := make([]*roaring.Bitmap, 0, 4)
	if sc.visible != nil {
		parts = append(parts, sc.visible)
	}
	if sc.ranked != nil {
		parts = append(parts, sc.ranked)
	}
	if sc.text != nil {
		parts = append(parts, sc.text)
	}
	if sc.owner != nil {
		parts = append(parts, sc.owner)
	}
	for d, f := range sc.filters {
		if f != nil && dim(d) != without {
			parts = append(parts, f)
		}
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	// Smallest first: each step costs about as much as its smaller side.
	slices.SortFunc(parts, func(a, b *roaring.Bitmap) int {
		return int(a.GetCardinality()) - int(b.GetCardinality())
	})
	set := roaring.And(parts[0], parts[1])
	for _, p := range parts[2:] {
		set.And(p)
	}
	return set
}

// size is the number of items in a result set.
func (s *state) size(set *roaring.Bitmap) int {
	if set == nil {
		return s.rows.count
	}
	return int(set.GetCardinality())
}

// seqSet makes a result set of search results; numbers never given out are dropped.
func seqSet(seqs []int64) *roaring.Bitmap {
	sorted := make([]uint32, 0, len(seqs))
	for _, n := range seqs {
		if seq, ok := checkSeq(n); ok {
			sorted = append(sorted, seq)
		}
	}
	slices.Sort(sorted) // bitmaps are built fastest in order
	return roaring.BitmapOf(sorted...)
}
