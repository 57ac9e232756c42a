package retrieval

import "slices"

// item is what is kept of an atom.
type item struct {
	ID, Document     string
	Evidence         []string
	Digest           digest
	Created, Updated int64 // µs
}

// posting is an atom with a word.
type posting struct {
	at    int32
	count int32
}

// shard is the index of one owner. Places of atoms that left are used again.
type shard struct {
	dims     int
	items    []item
	terms    [][]string // of each place, to find its postings again
	length   []int32
	vectors  []int8 // dims per place
	norms    []float32
	at       map[string]int32
	free     []int32
	postings map[string][]posting // by place
	total    int64
	cells    *cells // nil while the shard is small enough to look at everything
}

func newShard(dims int) *shard {
	return &shard{dims: dims, at: map[string]int32{}, postings: map[string][]posting{}}
}

func (s *shard) put(it item, terms map[string]int, vector []int8) {
	var at int32
	if n := len(s.free); n > 0 {
		at = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		at = int32(len(s.items))
		s.items = append(s.items, item{})
		s.terms = append(s.terms, nil)
		s.length = append(s.length, 0)
		s.vectors = append(s.vectors, make([]int8, s.dims)...)
		s.norms = append(s.norms, 0)
	}
	s.items[at] = it
	s.at[it.ID] = at
	words := make([]string, 0, len(terms))
	length := 0
	for w, n := range terms {
		words = append(words, w)
		length += n
		list := s.postings[w]
		i, _ := slices.BinarySearchFunc(list, at, func(p posting, at int32) int { return int(p.at - at) })
		s.postings[w] = slices.Insert(list, i, posting{at, int32(n)})
	}
	s.terms[at], s.length[at] = words, int32(length)
	s.total += int64(length)
	copy(s.vector(at), vector)
	s.norms[at] = norm(vector)
	if s.cells != nil {
		s.cells.add(s, at)
	}
	s.part()
}

func (s *shard) remove(id string) item {
	at := s.at[id]
	it := s.items[at]
	for _, w := range s.terms[at] {
		list := s.postings[w]
		if i, found := slices.BinarySearchFunc(list, at, func(p posting, at int32) int { return int(p.at - at) }); found {
			list = slices.Delete(list, i, i+1)
		}
		if len(list) == 0 {
			delete(s.postings, w)
		} else {
			s.postings[w] = list
		}
	}
	if s.cells != nil {
		s.cells.remove(at)
	}
	s.total -= int64(s.length[at])
	s.items[at], s.terms[at], s.length[at] = item{}, nil, 0
	delete(s.at, id)
	s.free = append(s.free, at)
	return it
}

func (s *shard) vector(at int32) []int8 { return s.vectors[int(at)*s.dims : int(at+1)*s.dims] }

// live says whether a place holds an atom.
func (s *shard) live(at int32) bool { return s.items[at].ID != "" }
