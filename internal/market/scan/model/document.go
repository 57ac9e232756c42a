package model

import (
	"math"
	"slices"

	"stoa/internal/market/scan/rules"
)

// Document gathers what the model needs to know of one text, window by window, in bounded memory.
type Document struct {
	weights *Weights
	scratch *Scratch

	seen     []uint64 // features of the document
	whole    tally
	chunk    tally
	sumZ     float64 // of all chunks
	top      [3]float64
	chunks   int
	form     form
	finds    map[int]int // per rule
	mentions int
	locals   []local // the worst chunks

	// TopAt is where the worst chunk begins in the window that Window was last called with, or -1 when it is in
	// an earlier one.
	TopAt   int
	collect *collector // when training
}

type mark struct {
	at    int
	index uint32
}

// Scratch is the memory that all documents of one scan share.
type Scratch struct {
	stamp [size / 64]uint64 // features of the current chunk
	set   []uint32          // the same as a list, to clear them
	rules rules.Scratch
	marks []mark
	spots []spot
	finds map[int]int // of a chunk
	spare []*Document
}

// Document begins a text, in the memory of one that is done with if there is any.
func (s *Scratch) Document(w *Weights) *Document {
	if n := len(s.spare); n > 0 {
		d := s.spare[n-1]
		s.spare = s.spare[:n-1]
		d.Reset(w, s)
		return d
	}
	return newDocument(w, s)
}

// Keep takes back a document that is done with.
func (s *Scratch) Keep(d *Document) {
	if len(s.spare) < 4 {
		s.spare = append(s.spare, d)
	}
}

type spot struct {
	at, rule int
	mention  bool
}

// local is what the second model sees of one chunk, as if it stood alone.
type local struct {
	x       [judgeSize]float64
	rank    float64
	passage bool // a part of a chunk
}

const maxLocals = 8

// NewScratch makes the memory for one scan: some tens of kilobytes.
func NewScratch() *Scratch { return &Scratch{finds: map[int]int{}} }

// newDocument begins a text.
func newDocument(w *Weights, s *Scratch) *Document {
	d := &Document{seen: make([]uint64, size/64), finds: map[int]int{}}
	d.Reset(w, s)
	return d
}

// Reset makes d a new document, for its memory to be used again.
func (d *Document) Reset(w *Weights, s *Scratch) {
	seen, finds, locals := d.seen, d.finds, d.locals[:0]
	clear(seen)
	clear(finds)
	*d = Document{weights: w, scratch: s, seen: seen, finds: finds, locals: locals, top: [3]float64{-9, -9, -9}, TopAt: -1}
}

// Window reads folded text that continues the document; found gets what the rules find in it.
func (d *Document) Window(set *rules.Set, b []byte, found func(rules.Match)) {
	d.form.read(b)
	marks, spots := d.scratch.marks[:0], d.scratch.spots[:0]
	d.TopAt = -1
	set.Match(b, &d.scratch.rules, func(hits []rules.Hit) {
		conceptFeatures(hits, func(x uint32) { marks = append(marks, mark{hits[0].Start, x}) })
	}, func(m rules.Match) {
		if m.Mention {
			d.mentions++
			spots = append(spots, spot{m.Start, m.Rule, true})
		} else {
			d.finds[m.Rule]++
			spots = append(spots, spot{m.Start, m.Rule, false})
		}
		found(m)
	})
	d.scratch.marks, d.scratch.spots = marks, spots
	for i := 0; i < len(b); {
		j := chunkEnd(b, i, chunkBytes, chunkMost)
		n := 0
		for n < len(marks) && marks[n].at < j {
			n++
		}
		mentions := d.scratch.findsIn(spots, i, j)
		z, judged := d.readChunk(set, i, b[i:j], marks[:n], mentions)
		if judged && j-i > passageMost && (z > chunkGate || len(d.scratch.finds) > 0) {
			d.passages(set, i, b[i:j], marks[:n], spots)
		}
		marks = marks[n:]
		i = j
	}
}

// Telling returns the stretch of the chunk at the given byte that looks most like an attack: the words that decided.
func (d *Document) Telling(b []byte, at int) (from, to int) {
	end := chunkEnd(b[at:], 0, chunkBytes, chunkMost) + at
	from, to = at, end
	best := math.Inf(-1)
	for i := at; i < end; {
		j := i + chunkEnd(b[i:end], 0, passageBytes/2, passageBytes)
		d.scratch.next()
		var t tally
		d.weights.groups.features(b[i:j], func(x uint32) {
			if d.scratch.first(x) {
				t.add(x, float32(d.weights.first[x]))
			}
		})
		if z := t.sum(); t.text() >= 8 && z > best {
			best, from, to = z, i, j
		}
		i = j
	}
	return from, to
}

// passages judges short stretches of a chunk alone: in a chunk of ordinary text a sentence drowns.
func (d *Document) passages(set *rules.Set, at int, b []byte, marks []mark, spots []spot) {
	s := d.scratch
	m := 0
	for i := 0; i < len(b); {
		j := chunkEnd(b, i, passageBytes, passageMost)
		from := m
		for m < len(marks) && marks[m].at < at+j {
			m++
		}
		mentions := s.findsIn(spots, at+i, at+j)
		s.next()
		var t tally
		w := d.weights.first
		add := func(x uint32) {
			if s.first(x) {
				t.add(x, float32(w[x]))
			}
		}
		d.weights.groups.features(b[i:j], add)
		for _, k := range marks[from:m] {
			add(k.index)
		}
		if z := d.weights.score(t); z > passageGate || len(s.finds) > 0 {
			d.keepLocal(set, z, t.text(), mentions, true)
		}
		i = j
	}
}

// findsIn counts what the rules found between two bytes, and returns how many were mentions.
func (s *Scratch) findsIn(spots []spot, from, to int) (mentions int) {
	clear(s.finds)
	for _, x := range spots {
		switch {
		case x.at < from || x.at >= to:
		case x.mention:
			mentions++
		default:
			s.finds[x.rule]++
		}
	}
	return mentions
}

// next forgets the features of the chunk before.
func (s *Scratch) next() {
	for _, x := range s.set {
		s.stamp[x>>6] = 0
	}
	s.set = s.set[:0]
}

// first tells whether a feature is new in the chunk, and remembers it.
func (s *Scratch) first(x uint32) bool {
	word, bit := &s.stamp[x>>6], uint64(1)<<(x&63)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	s.set = append(s.set, x)
	return true
}

// chunkEnd ends a chunk that begins at i with the sentence after least bytes, or after most.
func chunkEnd(b []byte, i, least, most int) int {
	if len(b)-i <= most {
		return len(b)
	}
	for j := i + least; j < i+most; j++ {
		if b[j] == '\n' || b[j] == '.' && b[j+1] == ' ' || b[j] == 0x82 && b[j-1] == 0x80 && b[j-2] == 0xe3 {
			return j + 1
		}
	}
	j := i + most
	for j > i+least && b[j] >= 0x80 && b[j] < 0xc0 {
		j--
	}
	return j
}

func (d *Document) readChunk(set *rules.Set, at int, b []byte, marks []mark, mentions int) (z float64, judged bool) {
	s := d.scratch
	s.next()
	d.chunk = tally{}
	var sparse []uint32
	w, seen := d.weights.first, d.seen
	add := func(x uint32) {
		if !s.first(x) {
			return
		}
		z := float32(w[x])
		d.chunk.add(x, z)
		if seen[x>>6]&(1<<(x&63)) == 0 {
			seen[x>>6] |= 1 << (x & 63)
			d.whole.add(x, z)
		}
		if d.collect != nil {
			sparse = append(sparse, x)
		}
	}
	d.weights.groups.features(b, add)
	for _, m := range marks {
		add(m.index)
	}
	if d.collect != nil {
		d.collect.chunks = append(d.collect.chunks, slices.Clone(sparse))
		return 0, false
	}
	if d.chunk.text() < 8 && len(s.finds) == 0 {
		return 0, false
	}
	z = d.weights.score(d.chunk)
	d.chunks++
	d.sumZ += z
	if z > d.top[0] {
		d.TopAt = at
	}
	d.keepLocal(set, z, d.chunk.text(), mentions, false)
	for i := range d.top {
		if z > d.top[i] {
			copy(d.top[i+1:], d.top[i:])
			d.top[i] = z
			break
		}
	}
	return z, true
}

// Empty tells whether there was too little text to judge.
func (d *Document) Empty() bool { return d.whole.text() < 8 }

// keepLocal keeps a chunk or a passage, with what the rules found in it, when it is among the worst.
func (d *Document) keepLocal(set *rules.Set, z float64, features, mentions int, passage bool) {
	x := judge(set, view{
		whole: z, top: [3]float64{z, z, z}, mean: z, chunks: 1, features: features, finds: d.scratch.finds, mentions: mentions, front: d.form.front,
	})
	rank := z + 2*x[judgeStrong] + x[judgeSome]
	if len(d.locals) < maxLocals {
		d.locals = append(d.locals, local{x, rank, passage})
		return
	}
	least := 0
	for i := range d.locals {
		if d.locals[i].rank < d.locals[least].rank {
			least = i
		}
	}
	if rank > d.locals[least].rank {
		d.locals[least] = local{x, rank, passage}
	}
}

// Class is that of what was read so far.
func (d *Document) Class() Class { return d.form.class() }

// Score is how much a document looks like an attack, as a log-odds.
func (d *Document) Score(set *rules.Set) float64 { return d.weights.apply(d.judge(set)) }
