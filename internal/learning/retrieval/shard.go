package retrieval

import (
	"slices"
	"strings"
)

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
	dims    int
	items   []item
	terms   [][]int32 // numbers of the words of each place, to find its postings again
	length  []int32
	vectors []int8 // dims per place
	norms   []float32
	at      map[string]int32
	free    []int32
	words   map[string]int32 // their numbers
	spelled []string         // by number; "" where the number is free
	unused  []int32          // numbers of words that are no longer there
	lists   [][]posting      // of each word, by place
	total   int64
	cells   *cells // nil while the shard is small enough to look at everything
}

func newShard(dims int) *shard {
	return &shard{dims: dims, at: map[string]int32{}, words: map[string]int32{}}
}

// mostWords bounds the different words of an owner. Sixteen MiB of text that people wrote have fewer; random letters of that size have
// two million, each with a list of its own. What is beyond is found by the other words of its atom and by its vector.
var mostWords = 500_000

// postings gives the atoms with a word, by place.
func (s *shard) postings(word string) []posting {
	if n, ok := s.words[word]; ok {
		return s.lists[n]
	}
	return nil
}

// number gives the number of a word, a new one where it has none yet; -1 when there are too many words.
func (s *shard) number(word string) int32 {
	if n, ok := s.words[word]; ok {
		return n
	}
	if len(s.words) >= mostWords {
		return -1
	}
	word = strings.Clone(word) // the text that it was cut from is not kept for it
	if last := len(s.unused) - 1; last >= 0 {
		n := s.unused[last]
		s.unused = s.unused[:last]
		s.words[word], s.spelled[n] = n, word
		return n
	}
	n := int32(len(s.lists))
	s.words[word] = n
	s.spelled, s.lists = append(s.spelled, word), append(s.lists, nil)
	return n
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
	words := make([]int32, 0, len(terms))
	length := 0
	for w, n := range terms {
		length += n
		word := s.number(w)
		if word < 0 {
			continue
		}
		words = append(words, word)
		list := s.lists[word]
		i, _ := slices.BinarySearchFunc(list, at, func(p posting, at int32) int { return int(p.at - at) })
		s.lists[word] = slices.Insert(list, i, posting{at, int32(n)})
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
		list := s.lists[w]
		if i, found := slices.BinarySearchFunc(list, at, func(p posting, at int32) int { return int(p.at - at) }); found {
			list = slices.Delete(list, i, i+1)
		}
		s.lists[w] = list
		if len(list) == 0 {
			delete(s.words, s.spelled[w])
			s.spelled[w], s.lists[w] = "", nil
			s.unused = append(s.unused, w)
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
