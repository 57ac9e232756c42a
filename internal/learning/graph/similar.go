package graph

import (
	"cmp"
	"slices"
	"strings"
)

// Notes that talk about the same are found without comparing all with all: minimum hashing (Broder 1997) puts a note
// into one bucket per band, and only notes that share a bucket are compared, by the Jaccard index of their words. With
// rows per band r and b bands, a pair of similarity s meets with chance 1-(1-s^r)^b: 0.94 at 0.4, 0.17 at 0.15.
const (
	bands       = 16
	rowsPerBand = 2
	// minSimilar is where two notes begin to count as alike.
	minSimilar = 0.32
	// alikeness from which on a relation is application rather than analogy, as in the field facts.
	nearlySame = 0.5
	// maxBucket bounds the notes of a bucket that are compared: of those that come first by id.
	maxBucket = 32
	// maxSimilar is how many alike notes a note is related to.
	maxSimilar = 6
	// minTerms is how many words a note needs to be compared.
	minTerms = 8
)

// minima are the least hashes of a set of words; the share of equal ones estimates how alike two sets are.
type minima [bands * rowsPerBand]uint64

// sketch gives the minima and the buckets of a set of words.
func sketch(terms []uint32) (least minima, in []uint64) {
	if len(terms) < minTerms {
		return least, nil
	}
	for i := range least {
		least[i] = ^uint64(0)
	}
	for _, t := range terms {
		x := mix(uint64(t) + 1)
		for i := range least {
			x = mix(x + 0x9E3779B97F4A7C15)
			least[i] = min(least[i], x)
		}
	}
	for b := range bands {
		x := uint64(b)
		for r := range rowsPerBand {
			x = mix(x*31 + least[b*rowsPerBand+r])
		}
		in = append(in, x)
	}
	return least, in
}

// likely says whether two sets may be alike: at a likeness of minSimilar, 10 of 32 minima agree on the average, and
// fewer than 5 once in 60 times.
func likely(a, b *minima) bool {
	equal := 0
	for i := range a {
		if a[i] == b[i] {
			equal++
		}
	}
	return equal >= 5
}

// mix scatters bits: the finisher of SplitMix64 (Steele, Lea, Flood 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// jaccard is the share of common numbers in two sorted sets.
func jaccard(a, b []uint32) float64 {
	if len(a) == 0 || len(b) == 0 || 3*min(len(a), len(b)) < max(len(a), len(b)) {
		return 0 // below minSimilar whatever they hold
	}
	common, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		if x == y {
			common++
		}
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// buckets holds the notes of each bucket, sorted by document id. Nearly every bucket has one note, which needs no list.
type buckets struct {
	alone map[uint64]*node
	crowd map[uint64][]*node
}

func newBuckets() *buckets { return &buckets{map[uint64]*node{}, map[uint64][]*node{}} }

// of gives the notes of a bucket; one is where a single one may stand.
func (x *buckets) of(bucket uint64, one *[1]*node) []*node {
	if n := x.alone[bucket]; n != nil {
		one[0] = n
		return one[:]
	}
	return x.crowd[bucket]
}

func (x *buckets) put(bucket uint64, list []*node) {
	delete(x.alone, bucket)
	if len(list) > 1 {
		x.crowd[bucket] = list
		return
	}
	delete(x.crowd, bucket)
	if len(list) == 1 {
		x.alone[bucket] = list[0]
	}
}

// placing is a note in a bucket.
type placing struct {
	bucket uint64
	note   *node
}

func byDocument(a, b *node) int { return strings.Compare(a.rec.DocumentID, b.rec.DocumentID) }

// change takes notes out of and into buckets. It puts the notes that shared or share a bucket with one of them into
// seen, and into again those whose company in a crowded bucket is another than it was.
func (x *buckets) change(out, in []placing, seen, again map[*node]bool) {
	byBucket := func(a, b placing) int { return cmp.Compare(a.bucket, b.bucket) }
	slices.SortStableFunc(out, byBucket)
	slices.SortStableFunc(in, byBucket)
	for len(out)+len(in) > 0 {
		bucket := ^uint64(0)
		for _, list := range [][]placing{out, in} {
			if len(list) > 0 {
				bucket = min(bucket, list[0].bucket)
			}
		}
		x.changeOne(bucket, front(&out, bucket), front(&in, bucket), seen, again)
	}
}

// front takes what is in a bucket from the front of a sorted list.
func front(list *[]placing, bucket uint64) (here []placing) {
	n := 0
	for n < len(*list) && (*list)[n].bucket == bucket {
		n++
	}
	here, *list = (*list)[:n], (*list)[n:]
	return here
}

func (x *buckets) changeOne(bucket uint64, gone, come []placing, seen, again map[*node]bool) {
	look := func(list []*node, crowded bool) {
		for _, n := range list[:min(len(list), maxBucket)] {
			seen[n] = true
			if crowded {
				again[n] = true
			}
		}
	}
	var one [1]*node
	list := x.of(bucket, &one)
	var set map[*node]bool
	if len(gone) > 0 {
		set = make(map[*node]bool, len(gone))
		for _, p := range gone {
			set[p.note] = true
		}
	}
	if len(gone) == len(come) && !slices.ContainsFunc(come, func(p placing) bool { return !set[p.note] }) {
		look(list, false)
		return
	}
	crowded := len(list)+len(come) > maxBucket
	look(list, crowded)
	list = slices.DeleteFunc(list, func(n *node) bool { return set[n] })
	for _, p := range come {
		list = append(list, p.note)
	}
	slices.SortFunc(list, byDocument)
	look(list, crowded)
	x.put(bucket, list)
}

// nearest gives the notes that are most like n.
func (x *buckets) nearest(n *node) []*node {
	type scored struct {
		n *node
		s float64
	}
	var list []scored
	seen := map[*node]bool{n: true}
	var one [1]*node
	for _, bucket := range n.sketch {
		members := x.of(bucket, &one)
		members = members[:min(len(members), maxBucket)]
		if _, listed := slices.BinarySearchFunc(members, n, byDocument); !listed {
			continue // a crowd: its first members stand for it, and do not see the others either
		}
		for _, m := range members {
			if seen[m] {
				continue
			}
			seen[m] = true
			if !likely(&n.least, &m.least) {
				continue
			}
			if s := jaccard(n.rec.Terms, m.rec.Terms); s >= minSimilar {
				list = append(list, scored{m, s})
			}
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		if a.s != b.s {
			return -int(sign(a.s - b.s))
		}
		return byDocument(a.n, b.n)
	})
	list = list[:min(len(list), maxSimilar)]
	near := make([]*node, len(list))
	for i := range list {
		near[i] = list[i].n
	}
	return near
}

// rounded cuts a confidence to four decimals.
func rounded(x float64) float64 {
	return float64(int64(x*1e4+0.5)) / 1e4
}
