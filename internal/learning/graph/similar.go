package graph

import (
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
	maxBucket = 48
	// maxSimilar is how many alike notes a note is related to.
	maxSimilar = 6
	// minTerms is how many words a note needs to be compared.
	minTerms = 8
)

// sketch gives the buckets of a set of words.
func sketch(terms []uint32) []uint64 {
	if len(terms) < minTerms {
		return nil
	}
	var least [bands * rowsPerBand]uint64
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
	buckets := make([]uint64, bands)
	for b := range buckets {
		x := uint64(b)
		for r := range rowsPerBand {
			x = mix(x*31 + least[b*rowsPerBand+r])
		}
		buckets[b] = x
	}
	return buckets
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
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// buckets holds the notes of each bucket, sorted by document id.
type buckets map[uint64][]*node

func byDocument(a, b *node) int { return strings.Compare(a.rec.DocumentID, b.rec.DocumentID) }

// change takes notes out of and into buckets, and gives every note that shares a bucket that changed.
func (x buckets) change(out, in map[uint64][]*node, touched map[*node]bool) {
	for bucket, gone := range out {
		set := make(map[*node]bool, len(gone))
		for _, n := range gone {
			set[n] = true
		}
		x.touch(bucket, touched)
		if x[bucket] = slices.DeleteFunc(x[bucket], func(n *node) bool { return set[n] }); len(x[bucket]) == 0 {
			delete(x, bucket)
		}
		x.touch(bucket, touched)
	}
	for bucket, come := range in {
		x.touch(bucket, touched)
		x[bucket] = append(x[bucket], come...)
		slices.SortFunc(x[bucket], byDocument)
		x.touch(bucket, touched)
	}
}

func (x buckets) touch(bucket uint64, touched map[*node]bool) {
	list := x[bucket]
	for _, n := range list[:min(len(list), maxBucket+1)] {
		touched[n] = true
	}
}

// nearest gives the notes that are most like n.
func (x buckets) nearest(n *node) []*node {
	type scored struct {
		n *node
		s float64
	}
	var list []scored
	seen := map[*node]bool{n: true}
	for _, bucket := range n.sketch {
		members := x[bucket]
		members = members[:min(len(members), maxBucket)]
		if _, listed := slices.BinarySearchFunc(members, n, byDocument); !listed {
			continue // a crowd: its first members stand for it, and do not see the others either
		}
		for _, m := range members {
			if seen[m] {
				continue
			}
			seen[m] = true
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
