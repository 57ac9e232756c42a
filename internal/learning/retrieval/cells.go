package retrieval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Up to exactUpTo atoms of an owner, a query looks at every vector: 4,000 of 256 bytes take about a millisecond, and
// nothing is missed. Beyond, vectors are kept in cells around centres (an inverted file: Jégou, Douze, Schmid 2011) and a
// query looks at the nearest cells alone. Chosen over a graph index (HNSW), because an atom is added and taken out by one
// append and one removal, memory is four bytes per atom, and the same atoms give the same cells.
const (
	exactUpTo = 4096
	// probes is the share of cells a query looks at, at least minProbes.
	probeShare = 0.12
	minProbes  = 8
	rounds     = 6
	perCell    = 24 // vectors per centre that centres are learnt from
)

type cells struct {
	centres []int8
	norms   []float32
	dims    int
	lists   [][]int32
	of      map[int32]int32
	builtAt int
}

// part makes cells when a shard outgrew looking at everything, and again whenever it has doubled.
func (s *shard) part() {
	n := len(s.at)
	if n <= exactUpTo || s.cells != nil && n < 2*s.cells.builtAt {
		return
	}
	k := int(math.Sqrt(float64(n)))
	places := make([]int32, 0, n)
	for at := range int32(len(s.items)) {
		if s.live(at) {
			places = append(places, at)
		}
	}
	slices.SortFunc(places, func(a, b int32) int {
		if s.items[a].ID < s.items[b].ID {
			return -1
		}
		return 1
	})
	c := &cells{dims: s.dims, builtAt: n, of: make(map[int32]int32, n)}
	r := rand.New(rand.NewPCG(uint64(k), 20260301))
	sample := slices.Clone(places)
	r.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
	sample = sample[:min(len(sample), k*perCell)]
	for _, at := range sample[:k] {
		c.centres = append(c.centres, s.vector(at)...)
		c.norms = append(c.norms, s.norms[at])
	}
	for range rounds {
		sums := make([]float32, k*s.dims)
		for _, at := range sample {
			cell := c.nearest(s.vector(at), s.norms[at])
			if s.norms[at] == 0 {
				continue
			}
			sum := sums[cell*s.dims : (cell+1)*s.dims]
			for i, f := range s.vector(at) {
				sum[i] += float32(f) / s.norms[at]
			}
		}
		for cell := range k {
			if q := quantize(sums[cell*s.dims:(cell+1)*s.dims], s.dims); norm(q) > 0 {
				copy(c.centre(cell), q)
				c.norms[cell] = norm(q)
			}
		}
	}
	c.lists = make([][]int32, k)
	s.cells = c
	for _, at := range places {
		c.add(s, at)
	}
}

func (c *cells) centre(i int) []int8 { return c.centres[i*c.dims : (i+1)*c.dims] }

func (c *cells) nearest(v []int8, n float32) int {
	best, at := math.Inf(-1), 0
	for i := range c.norms {
		if d := cosine(v, c.centre(i), n, c.norms[i]); d > best {
			best, at = d, i
		}
	}
	return at
}

func (c *cells) add(s *shard, at int32) {
	cell := int32(c.nearest(s.vector(at), s.norms[at]))
	if was, ok := c.of[at]; ok {
		if was == cell {
			return
		}
		c.remove(at)
	}
	c.of[at] = cell
	c.lists[cell] = append(c.lists[cell], at)
}

func (c *cells) remove(at int32) {
	cell, ok := c.of[at]
	if !ok {
		return
	}
	delete(c.of, at)
	list := c.lists[cell]
	if i := slices.Index(list, at); i >= 0 {
		list[i] = list[len(list)-1]
		c.lists[cell] = list[:len(list)-1]
	}
}

// near gives the places worth looking at for a vector.
func (c *cells) near(v []int8, n float32) []int32 {
	order := make([]int, len(c.norms))
	score := make([]float64, len(c.norms))
	for i := range order {
		order[i], score[i] = i, cosine(v, c.centre(i), n, c.norms[i])
	}
	slices.SortFunc(order, func(a, b int) int {
		if score[a] != score[b] {
			if score[a] > score[b] {
				return -1
			}
			return 1
		}
		return a - b
	})
	var places []int32
	for _, i := range order[:min(len(order), max(minProbes, int(probeShare*float64(len(order)))))] {
		places = append(places, c.lists[i]...)
	}
	return places
}
