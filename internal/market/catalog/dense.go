package catalog

import (
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// dense is a result set as plain bits: one load tells membership, where a
// compressed set searches in its containers.
type dense struct {
	words []uint64
}

func (d *dense) has(seq uint32) bool {
	w := seq / 64
	return int(w) < len(d.words) && d.words[w]>>(seq%64)&1 != 0
}

var densePool = sync.Pool{New: func() any { return new(dense) }}

// denseStep is how many words may be cleared for one step of a walk expected,
// so that writing the bits out costs less than it saves.
const denseStep = 4

// asDense writes set out for a walk of about so many steps; nil if that would not
// pay, because the walk is short or the seqs are spread too far. The result goes
// back to densePool.
func asDense(set *roaring.Bitmap, steps int) *dense {
	size := set.DenseSize()
	if size > uint64(steps)*denseStep {
		return nil
	}
	d := densePool.Get().(*dense)
	if uint64(cap(d.words)) < size {
		d.words = make([]uint64, size)
	}
	d.words = d.words[:size]
	clear(d.words)
	set.WriteDenseTo(d.words)
	return d
}
