package model

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Groups tells for the common words in which group each is: words of one group stand in the same company ("ignore",
// "disregard"), so what is learned of one holds for the others.
type Groups struct {
	slots []slot // by the low bits of the key; where one is taken, in the next free one
	count int
}

type slot struct {
	key   uint32
	group uint16 // from 1; 0: free
}

const (
	groupSlots = 1 << 16
	// MostWords is how many words have a group at most.
	MostWords = groupSlots / 2
	noGroup   = 0xffff // of a word that has none
)

// wordKey is the part of a word's hash that is kept.
func wordKey(word uint64) uint32 { return uint32(word >> 32) }

// NewGroups puts words, by their hashes, into groups, which are counted from 0.
func NewGroups(words []uint64, group []uint16) *Groups {
	g := &Groups{slots: make([]slot, groupSlots)}
	for i, w := range words {
		g.put(wordKey(w), group[i]+1)
	}
	return g
}

func (g *Groups) put(key uint32, group uint16) {
	at := key % groupSlots
	for g.slots[at].group != 0 {
		if g.slots[at].key == key {
			return
		}
		at = (at + 1) % groupSlots
	}
	g.slots[at] = slot{key, group}
	g.count++
}

func (g *Groups) of(word uint64) uint16 {
	key := wordKey(word)
	for at := key % groupSlots; ; at = (at + 1) % groupSlots {
		switch s := g.slots[at]; {
		case s.group == 0:
			return noGroup
		case s.key == key:
			return s.group
		}
	}
}

// append writes the groups: differences of the sorted keys, then the groups.
func (g *Groups) append(b []byte) []byte {
	list := make([]slot, 0, g.count)
	for _, s := range g.slots {
		if s.group != 0 {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b slot) int { return int(int64(a.key) - int64(b.key)) })
	last := uint32(0)
	for _, s := range list {
		b = binary.BigEndian.AppendUint32(b, s.key-last)
		last = s.key
	}
	for _, s := range list {
		b = binary.BigEndian.AppendUint16(b, s.group)
	}
	return b
}

// readGroups reads what append wrote.
func readGroups(b []byte) (*Groups, error) {
	n := len(b) / 6
	if len(b) != n*6 || n > MostWords {
		return nil, errors.New("the groups of words are cut short")
	}
	g := &Groups{slots: make([]slot, groupSlots)}
	key := uint32(0)
	for i := range n {
		key += binary.BigEndian.Uint32(b[4*i:])
		g.put(key, binary.BigEndian.Uint16(b[4*n+2*i:]))
	}
	return g, nil
}

// company is what has been read of a line: the groups of its last words, the newest first, 0 before the first.
type company struct {
	groups *Groups
	last   [5]uint64
}

func groupIndex(kind, x uint64) uint32 {
	return groupStart + uint32(mix(x^kind*0x9e3779b97f4a7c15)>>(64-groupBits))
}

// read gives the features of the groups that end with a word that has one: one to four in a row, and pairs with one to three words between them.
func (c *company) read(word uint64, add func(uint32)) {
	if word == 0 {
		c.last = [5]uint64{}
		return
	}
	copy(c.last[1:], c.last[:4])
	g := uint64(c.groups.of(word))
	if c.last[0] = g; g == noGroup {
		return
	}
	run := uint64(0)
	for i, x := range c.last[:4] {
		if x == 0 {
			break
		}
		run = run*0x9e3779b97f4a7c15 + x
		add(groupIndex(uint64(i), run))
	}
	for _, x := range c.last[2:] {
		if x != 0 && x != noGroup {
			add(groupIndex(4, g|x<<16))
		}
	}
}

// features gives all features of folded text but those of the rules.
func (g *Groups) features(b []byte, add func(uint32)) {
	c := company{groups: g}
	textFeatures(b, add, func(word uint64) { c.read(word, add) })
}

// Words gives the hashes of the words of folded text, 0 where words do not follow one another.
func Words(folded []byte, read func(word uint64)) { textFeatures(folded, func(uint32) {}, read) }
