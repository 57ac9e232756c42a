package graph

import (
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"stoa/internal/learning/notes"
)

// node is a document in memory. The pointer stays the same over all versions of the document.
type node struct {
	rec        Record
	names      map[string]int
	clean, dir string
	depth      int
	words      []string // of the title, sorted
	wordHashes []uint32
	targets    []*node        // per link of rec, nil where unresolved
	out        map[*node]bool // notes it links to
	in         map[*node]bool // notes that link to it
	open       int            // links that name no note
	near       []*node        // notes it is most like
	apart      bool           // no subject to learn
	index      bool           // mainly leads to others
	defines    bool           // says what its subject is
	least      minima
	sketch     []uint64 // the buckets it is in
}

func newNode() *node { return &node{out: map[*node]bool{}, in: map[*node]bool{}} }

// set makes the node stand for a record.
func (n *node) set(r Record) {
	n.rec = r
	n.names = claims(&n.rec)
	n.clean = cleanPath(r.Path)
	n.dir = path.Dir(n.clean)
	n.depth = strings.Count(n.clean, "/") + strings.Count(path.Base(n.clean), ".")
	n.words = n.words[:0]
	notes.Tokens(r.Title, func(w string) bool {
		n.words = append(n.words, w)
		return len(n.words) < 32
	})
	slices.Sort(n.words)
	n.words = slices.Compact(n.words)
	n.wordHashes = n.wordHashes[:0]
	for _, w := range n.words {
		n.wordHashes = append(n.wordHashes, wordHash(w))
	}
	n.least, n.sketch = sketch(r.Terms)
	n.classify()
}

func (n *node) concept() *AtomRecord { return &n.rec.Atoms[0] }

// atom finds the atom that a link with a heading means: that section, else the concept.
func (n *node) atom(heading string) string {
	if heading != "" {
		for i := range n.rec.Atoms {
			if a := &n.rec.Atoms[i]; !a.Part && a.Heading == heading {
				return a.ID
			}
		}
	}
	return n.concept().ID
}

func wordHash(w string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(w))
	return h.Sum32()
}

// hashTerms turns words into the sorted numbers a Record keeps.
func hashTerms(words []string) []uint32 {
	list := make([]uint32, len(words))
	for i, w := range words {
		list[i] = wordHash(w)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
