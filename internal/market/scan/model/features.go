package model

import (
	"math"
	"unicode/utf8"

	"stoa/internal/market/scan/rules"
)

const (
	textBits    = 20
	textSize    = 1 << textBits
	conceptBits = 14
	conceptSize = 1 << conceptBits
	groupBits   = 18
	groupStart  = textSize + conceptSize
	size        = groupStart + 1<<groupBits
	wordStart   = textSize / 2 // words lie in the upper half of the text features, characters in the lower

	chunkBytes   = 640 // folded bytes after which a chunk ends with the sentence
	chunkMost    = 960
	passageBytes = 100
	passageMost  = 280

	// Only what is not plainly ordinary is looked at in passages, and only what of these is not is kept.
	chunkGate   = -2
	passageGate = -1

	maxConcepts = 10 // different ones in a sentence that are paired
)

func mix(x uint64) uint64 {
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

func textIndex(kind, x uint64) uint32 {
	x ^= kind << 59
	return uint32((x ^ x>>29) * 0x9e3779b97f4a7c15 >> (65 - textBits))
}

func wordIndex(kind, x uint64) uint32 { return wordStart + textIndex(kind, x) }

// The families of features, each with a norm of its own.
const (
	familyChars = iota
	familyWords
	familyConcepts
	familyGroups
	families
)

func family(x uint32) int {
	switch {
	case x < wordStart:
		return familyChars
	case x < textSize:
		return familyWords
	case x < groupStart:
		return familyConcepts
	}
	return familyGroups
}

func conceptIndex(x uint64) uint32 {
	return textSize + uint32(mix(x)>>(64-conceptBits))
}

// textFeatures gives the hashed words and characters of folded text: one, two and three words, three to five
// characters, and one to four of Han and kana. read gets the hash of each word, and 0 where words do not follow one another.
func textFeatures(b []byte, add func(uint32), read func(word uint64)) {
	var last [5]uint64 // runes, the newest first
	var words [2]uint64
	word, inWord := uint64(0), false
	cjk := 0 // length of the current run of Han and kana
	push := func(r uint64) {
		last[4], last[3], last[2], last[1], last[0] = last[3], last[2], last[1], last[0], r
	}
	endWord := func() {
		if !inWord {
			return
		}
		add(wordIndex(1, word))
		if words[0] != 0 {
			add(wordIndex(2, word*31+words[0]))
			if words[1] != 0 {
				add(wordIndex(3, (word*31+words[0])*31+words[1]))
			}
		}
		words[1], words[0] = words[0], word
		read(word)
		word, inWord = 0, false
	}
	apart := func() {
		words = [2]uint64{}
		read(0)
	}
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			i++
			if '0' <= c && c <= '9' {
				c = '0'
			}
			if 'a' <= c && c <= 'z' || c == '0' || c == '_' || c == '\'' {
				word = mix(word ^ uint64(c)<<1 | 1)
				inWord = true
			} else {
				endWord()
				if c == '\n' {
					apart()
				}
			}
			cjk = 0
			push(uint64(c))
			grams(&last, add)
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		i += n
		push(uint64(r))
		if r >= 0x3001 && r <= 0x9fff || r >= 0x20000 {
			endWord()
			apart()
			if r < 0x3020 { // punctuation
				cjk = 0
				continue
			}
			cjk++
			if r >= 0x3400 {
				add(textIndex(4, last[0]))
			}
			if cjk > 1 {
				add(textIndex(4, last[0]|last[1]<<20))
			}
			if cjk > 2 {
				add(textIndex(4, last[0]|last[1]<<20|last[2]<<40))
			}
			if cjk > 3 {
				add(textIndex(5, last[0]|last[1]<<16|last[2]<<32|last[3]<<48))
			}
			continue
		}
		cjk = 0
		word = mix(word ^ uint64(r)<<1 | 1)
		inWord = true
		grams(&last, add)
	}
	endWord()
}

func grams(last *[5]uint64, add func(uint32)) {
	three := last[0] | last[1]<<16 | last[2]<<32
	add(textIndex(6, three))
	four := three | last[3]<<48
	add(textIndex(7, four))
	add(textIndex(8, four*31+last[4]))
}

// conceptFeatures gives the concepts of a sentence, alone, in pairs with and without their order, and in threes.
func conceptFeatures(hits []rules.Hit, add func(uint32)) {
	var order [maxConcepts]uint64
	n := 0
	var seen uint64
	for _, h := range hits {
		if seen&(1<<h.Concept) != 0 {
			continue
		}
		seen |= 1 << h.Concept
		order[n] = uint64(h.Concept) + 1
		if n++; n == maxConcepts {
			break
		}
	}
	for i := range n {
		a := order[i]
		add(conceptIndex(a))
		for j := i + 1; j < n; j++ {
			b := order[j]
			lo, hi := min(a, b), max(a, b)
			add(conceptIndex(1<<40 | a<<8 | b))
			add(conceptIndex(2<<40 | lo<<8 | hi))
			for k := j + 1; k < n; k++ {
				c := order[k]
				l, m, h := sort3(a, b, c)
				add(conceptIndex(3<<40 | l<<16 | m<<8 | h))
			}
		}
	}
}

func sort3(a, b, c uint64) (uint64, uint64, uint64) {
	if a > b {
		a, b = b, a
	}
	if b > c {
		b, c = c, b
	}
	if a > b {
		a, b = b, a
	}
	return a, b, c
}

// tally sums the weights of the features of a text.
type tally struct {
	n [families]int
	z [families]float32
}

func (t *tally) add(x uint32, z float32) {
	f := family(x)
	t.n[f]++
	t.z[f] += z
}

func (t *tally) text() int { return t.n[familyChars] + t.n[familyWords] }

// norms returns what one feature of each family is worth.
func (t *tally) norms() (v [families]float64) {
	v[familyChars] = 1 / math.Sqrt(float64(t.n[familyChars])+8)
	v[familyWords] = 1 / math.Sqrt(float64(t.n[familyWords])+4)
	v[familyConcepts] = 1 / math.Sqrt(float64(t.n[familyConcepts])+4)
	v[familyGroups] = 1 / math.Sqrt(float64(t.n[familyGroups])+4)
	return v
}

// sum returns the sum over the families.
func (t *tally) sum() float64 {
	v, z := t.norms(), 0.0
	for f := range families {
		z += float64(t.z[f]) * v[f]
	}
	return z
}
