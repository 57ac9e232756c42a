package model

import (
	"slices"

	"stoa/internal/market/scan/rules"
)

// Document gathers what the model needs to know of one text, window by window, in bounded memory.
type Document struct {
	weights *Weights
	scratch *Scratch

	seen        []uint64 // features of the document
	textN, conN int
	textZ, conZ float64
	chunk       tally
	chunkSeen   []uint32
	top         [3]float64
	chunks      int
	finds       map[int]int // per rule
	mentions    int

	collect *collector // when training
}

type tally struct {
	textN, conN int
	textZ, conZ float64
}

type mark struct {
	at    int
	index uint32
}

// Scratch is the memory that all documents of one scan share.
type Scratch struct {
	stamp []uint32
	now   uint32
	rules rules.Scratch
	marks []mark
}

// NewScratch makes the memory for one scan: about a megabyte.
func NewScratch() *Scratch { return &Scratch{stamp: make([]uint32, size)} }

// NewDocument begins a text.
func NewDocument(w *Weights, s *Scratch) *Document {
	return &Document{weights: w, scratch: s, seen: make([]uint64, size/64), finds: map[int]int{}, top: [3]float64{-9, -9, -9}}
}

// Window reads folded text that continues the document; found gets what the rules find in it.
func (d *Document) Window(set *rules.Set, b []byte, found func(rules.Match)) {
	marks := d.scratch.marks[:0]
	set.Match(b, &d.scratch.rules, func(hits []rules.Hit) {
		conceptFeatures(hits, func(x uint32) { marks = append(marks, mark{hits[0].Start, x}) })
	}, func(m rules.Match) {
		if m.Mention {
			d.mentions++
		} else {
			d.finds[m.Rule]++
		}
		found(m)
	})
	d.scratch.marks = marks
	for i := 0; i < len(b); {
		j := chunkEnd(b, i)
		n := 0
		for n < len(marks) && marks[n].at < j {
			n++
		}
		d.readChunk(b[i:j], marks[:n])
		marks = marks[n:]
		i = j
	}
}

func chunkEnd(b []byte, i int) int {
	if len(b)-i <= chunkMost {
		return len(b)
	}
	for j := i + chunkBytes; j < i+chunkMost; j++ {
		if b[j] == '\n' || b[j] == '.' && b[j+1] == ' ' || b[j] == 0x82 && b[j-1] == 0x80 && b[j-2] == 0xe3 {
			return j + 1
		}
	}
	j := i + chunkMost
	for j > i+chunkBytes && b[j] >= 0x80 && b[j] < 0xc0 {
		j--
	}
	return j
}

func (d *Document) readChunk(b []byte, marks []mark) {
	s := d.scratch
	if s.now++; s.now == 0 {
		clear(s.stamp)
		s.now = 1
	}
	d.chunk = tally{}
	var sparse []uint32
	now, stamp, w, seen := s.now, s.stamp, d.weights.first, d.seen
	add := func(x uint32) {
		if stamp[x] == now {
			return
		}
		stamp[x] = now
		z := float64(w[x])
		fresh := seen[x>>6]&(1<<(x&63)) == 0
		if fresh {
			seen[x>>6] |= 1 << (x & 63)
		}
		if x < textSize {
			d.chunk.textN++
			d.chunk.textZ += z
			if fresh {
				d.textN++
				d.textZ += z
			}
		} else {
			d.chunk.conN++
			d.chunk.conZ += z
			if fresh {
				d.conN++
				d.conZ += z
			}
		}
		if d.collect != nil {
			sparse = append(sparse, x)
		}
	}
	textFeatures(b, add)
	for _, m := range marks {
		add(m.index)
	}
	if d.collect != nil {
		d.collect.chunks = append(d.collect.chunks, slices.Clone(sparse))
		return
	}
	if d.chunk.textN < 8 {
		return
	}
	z := d.weights.score(d.chunk)
	d.chunks++
	for i := range d.top {
		if z > d.top[i] {
			copy(d.top[i+1:], d.top[i:])
			d.top[i] = z
			break
		}
	}
}

// Empty tells whether there was too little text to judge.
func (d *Document) Empty() bool { return d.textN < 8 }

// Score is how much a document looks like an attack, as a log-odds.
func (d *Document) Score(set *rules.Set) float64 {
	f := d.judge(set)
	z := 0.0
	for i, w := range d.weights.second {
		z += w * f[i]
	}
	return z
}
