package rules

import (
	"sort"
	"unicode/utf8"
)

// A trie finds words at the places where words begin. It is walked again from each such place, and no word is longer
// than maxWord bytes, so the time is linear in the text.
type trie struct {
	nodes []node
	edges []edge
}

type node struct {
	first, n uint32   // its edges
	whole    []uint16 // what a word that ends here means
	stem     []uint16 // what a word that begins so means
}

type edge struct {
	b  byte
	to uint32
}

const maxWord = 64

type builder struct {
	next        map[byte]*builder
	whole, stem []uint16
}

func (b *builder) add(word string, stem bool, meaning uint16) {
	for i := range len(word) {
		if b.next == nil {
			b.next = map[byte]*builder{}
		}
		child := b.next[word[i]]
		if child == nil {
			child = &builder{}
			b.next[word[i]] = child
		}
		b = child
	}
	if stem {
		b.stem = append(b.stem, meaning)
	} else {
		b.whole = append(b.whole, meaning)
	}
}

func (b *builder) build() *trie {
	t := &trie{}
	type job struct {
		b  *builder
		at int
	}
	t.nodes = append(t.nodes, node{whole: b.whole, stem: b.stem})
	for queue := []job{{b, 0}}; len(queue) > 0; queue = queue[1:] {
		j := queue[0]
		keys := make([]int, 0, len(j.b.next))
		for k := range j.b.next {
			keys = append(keys, int(k))
		}
		sort.Ints(keys)
		t.nodes[j.at].first, t.nodes[j.at].n = uint32(len(t.edges)), uint32(len(keys))
		for _, k := range keys {
			child := j.b.next[byte(k)]
			t.edges = append(t.edges, edge{byte(k), uint32(len(t.nodes))})
			queue = append(queue, job{child, len(t.nodes)})
			t.nodes = append(t.nodes, node{whole: child.whole, stem: child.stem})
		}
	}
	return t
}

func (t *trie) child(n uint32, b byte) uint32 {
	nd := &t.nodes[n]
	for _, e := range t.edges[nd.first : nd.first+nd.n] {
		if e.b == b {
			return e.to
		}
		if e.b > b {
			break
		}
	}
	return 0
}

// walk gives the words that begin at i: each with where it ends.
func (t *trie) walk(b []byte, i int, root *[256]uint32, found func(meaning uint16, end int)) {
	n := root[b[i]]
	for j := i + 1; n != 0; j++ {
		nd := &t.nodes[n]
		for _, m := range nd.stem {
			found(m, j)
		}
		if nd.whole != nil && (j == len(b) || !wordByte(b[j]) || !latinBefore(b, j)) {
			for _, m := range nd.whole {
				found(m, j)
			}
		}
		if j == len(b) {
			return
		}
		n = t.child(n, b[j])
	}
}

// wordByte is true of bytes inside words that are written with spaces between them. Of the scripts beyond ASCII
// the Latin, Greek, Cyrillic and Hangul ones are.
func wordByte(b byte) bool { return class[b]&isWord != 0 }

const (
	isWord  = 1 << iota // ASCII letter, digit or underscore
	isBreak             // ends a sentence
)

var class = func() (c [256]byte) {
	for b := range 256 {
		switch {
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b == '_':
			c[b] |= isWord
		case b >= 0xc3 && b <= 0xd4: // lead bytes of accented Latin, Greek, Cyrillic
			c[b] |= isWord
		}
	}
	for _, b := range "\n!?" {
		c[b] |= isBreak
	}
	return c
}()

// begins tells whether a word can begin at i.
func begins(b []byte, i int) bool {
	c := b[i]
	switch {
	case c < utf8.RuneSelf:
		if class[c]&isWord == 0 {
			return c > ' '
		}
		return i == 0 || !latinBefore(b, i)
	case c < 0xc0:
		return false
	case c < 0xe0:
		return i == 0 || !latinBefore(b, i)
	case c >= 0xea && c <= 0xed: // Hangul: a word begins after something else
		return i == 0 || b[i-1] < utf8.RuneSelf || !hangulBefore(b, i)
	}
	return true
}

func latinBefore(b []byte, i int) bool {
	c := b[i-1]
	if c < utf8.RuneSelf {
		return class[c]&isWord != 0
	}
	return i >= 2 && b[i-2] >= 0xc3 && b[i-2] <= 0xd4
}

func hangulBefore(b []byte, i int) bool { return i >= 3 && b[i-3] >= 0xea && b[i-3] <= 0xed }
