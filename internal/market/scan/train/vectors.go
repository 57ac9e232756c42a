package train

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"stoa/internal/market/scan/model"
)

// How vectors of words are trained: skip-grams with negative sampling (Mikolov et al. 2013).
const (
	vectorSize   = 64
	vectorLeast  = 6 // times that a word must occur
	vectorPasses = 4
	vectorWindow = 3 // words on each side, at most
	vectorOthers = 5 // words drawn for each that stands there
	vectorRate   = .05
	vectorOften  = 1e-4 // share of all words from which on a word is passed over now and then
	vectorTable  = 3e6
)

// vocabulary is the common words of some texts, and the texts as their indexes; -1 parts what does not follow one another.
type vocabulary struct {
	words []uint64 // by their hashes, the commonest first
	count []int
	total float64
	texts [][]int32
}

func vocabularyOf(ctx context.Context, texts []Text) (*vocabulary, error) {
	count := map[uint64]int{}
	read := make([][]uint64, len(texts))
	for i, t := range texts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		model.Words(folded(t.Text), func(word uint64) {
			read[i] = append(read[i], word)
			count[word]++
		})
	}
	delete(count, 0)
	v := &vocabulary{texts: make([][]int32, len(texts))}
	for word, n := range count {
		if n >= vectorLeast {
			v.words = append(v.words, word)
		}
	}
	slices.SortFunc(v.words, func(a, b uint64) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	v.words = v.words[:min(len(v.words), model.MostWords)]
	index := map[uint64]int32{}
	for i, word := range v.words {
		index[word] = int32(i)
		v.count = append(v.count, count[word])
		v.total += float64(count[word])
	}
	for i, words := range read {
		for _, word := range words {
			if n, ok := index[word]; ok {
				v.texts[i] = append(v.texts[i], n)
			} else if word == 0 {
				v.texts[i] = append(v.texts[i], -1)
			}
		}
	}
	return v, nil
}

// vectors gives each word of the vocabulary a vector of length one: words that stand in the same company have like ones.
// The same texts and seed give the same vectors.
func (v *vocabulary) vectors(ctx context.Context, seed uint64) ([]float32, error) {
	t := &skipGrams{random: rand.New(rand.NewPCG(seed, 2)), of: make([]float32, len(v.words)*vectorSize), beside: make([]float32, len(v.words)*vectorSize)}
	for i := range t.of {
		t.of[i] = (t.random.Float32() - .5) / vectorSize
	}
	keep := make([]float64, len(v.words))
	for i, n := range v.count {
		share := float64(n) / v.total
		keep[i] = math.Sqrt(vectorOften / share)
		for range int(math.Pow(share, .75)*vectorTable) + 1 {
			t.others = append(t.others, int32(i))
		}
	}
	for pass := range vectorPasses {
		for n, text := range v.texts {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			done := (float64(pass) + float64(n)/float64(len(v.texts))) / vectorPasses
			t.rate = float32(max(vectorRate*(1-done), vectorRate/100))
			for _, word := range text {
				if word < 0 {
					t.learn()
				} else if t.random.Float64() < keep[word] {
					t.line = append(t.line, word)
				}
			}
			t.learn()
		}
	}
	for i := range v.words {
		unit(t.of[i*vectorSize : (i+1)*vectorSize])
	}
	return t.of, nil
}

// skipGrams are vectors in training: a word is to be like its neighbours, and unlike words that are drawn.
type skipGrams struct {
	random     *rand.Rand
	of, beside []float32 // a vector of each word as itself, and as a neighbour
	others     []int32   // words by how often they are drawn
	rate       float32
	line       []int32
	step       [vectorSize]float32
}

// learn makes a step for each word of the line and each of its neighbours, and begins another line.
func (t *skipGrams) learn() {
	for i, word := range t.line {
		reach := 1 + t.random.IntN(vectorWindow)
		v := t.of[int(word)*vectorSize:][:vectorSize]
		for j := max(0, i-reach); j <= min(len(t.line)-1, i+reach); j++ {
			if j == i {
				continue
			}
			clear(t.step[:])
			t.pair(v, t.line[j], 1)
			for range vectorOthers {
				if other := t.others[t.random.IntN(len(t.others))]; other != t.line[j] {
					t.pair(v, other, 0)
				}
			}
			for d := range v {
				v[d] += t.step[d]
			}
		}
	}
	t.line = t.line[:0]
}

// pair makes a step for one word that stands beside another, or that does not.
func (t *skipGrams) pair(v []float32, word int32, is float32) {
	u := t.beside[int(word)*vectorSize:][:vectorSize]
	slope := (is - float32(1/(1+math.Exp(-float64(dot(v, u)))))) * t.rate
	for d := range v {
		t.step[d] += slope * u[d]
		u[d] += slope * v[d]
	}
}

func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func unit(v []float32) {
	if length := math.Sqrt(float64(dot(v, v))); length > 0 {
		for i := range v {
			v[i] /= float32(length)
		}
	}
}
