package graph

import (
	"math"
	"slices"
	"strings"

	"stoa/internal/learning/notes"
)

// The direction of a link whose meaning is not written is the sign of a weighted sum of what is known of the two notes:
// positive when the note that is linked comes before the one that links it. All features but the last are odd: they
// change their sign when the notes change places, and are 0 when a side does not know.
const (
	fCreated    = iota // the linked note is older: the sign of the difference
	fCreatedFar        // the same, growing with the distance in time
	fLength            // its title has fewer words
	fGenre             // it defines what the other states, states what the other exercises
	fIn                // more notes link to it
	fMention           // its title's words occur in the other's text, and not the reverse
	fOrder             // it has the smaller number in the same folder
	fDepth             // its path is shorter
	fAncestor          // it lies above the other in the hierarchy
	fLink              // 1: that there is a link
	features
)

// vector holds the features of one link.
type vector [features]float64

// weights of the first features are fitted, by ridge regression under the sign that the feature is meant to have, on
// mathwiki with and without dates, AL-CPL and metacademy; TestWeights fits them again. None of these has numbers, folders
// or hierarchies, and one vault's habit of linking is no other's: the last four are set by hand, low.
var weights = vector{0.74, 0.47, 0.39, 0.77, 0.34, 2.11, 1, 0.2, 0.8, 0.3}

// fitted is how many of the weights are.
const fitted = fOrder

// genreRank is the order in which genres are usually learnt; 0 says nothing.
var genreRank = map[notes.Genre]int{notes.Definition: 1, notes.Statement: 2, notes.Example: 3, notes.Exercise: 4}

// describe gives the features of a link from one note to another.
func describe(from, to *node) vector {
	var v vector
	if a, b := from.rec.Created, to.rec.Created; !a.IsZero() && !b.IsZero() {
		days := a.Sub(b).Hours() / 24
		v[fCreated] = sign(days)
		v[fCreatedFar] = math.Tanh(days / 60)
	}
	v[fLength] = clamp(float64(len(from.words)-len(to.words))/4, 1)
	if a, b := genreRank[from.rec.Genre], genreRank[to.rec.Genre]; a > 0 && b > 0 {
		v[fGenre] = sign(float64(a - b))
	}
	if from.dir == to.dir && from.rec.Order > 0 && to.rec.Order > 0 {
		v[fOrder] = sign(from.rec.Order - to.rec.Order)
	}
	v[fDepth] = clamp(float64(from.depth-to.depth)/2, 1)
	switch {
	case above(to.clean, from.clean):
		v[fAncestor] = 1
	case above(from.clean, to.clean):
		v[fAncestor] = -1
	}
	v[fIn] = clamp(math.Log(float64(1+len(to.in))/float64(1+len(from.in)))/2, 1.5)
	switch ab, ba := mentions(from, to), mentions(to, from); {
	case ab && !ba:
		v[fMention] = 1
	case ba && !ab:
		v[fMention] = -1
	}
	v[fLink] = 1
	return v
}

// odds gives the log odds that the linked note comes first.
func (v *vector) odds(w *vector) float64 {
	z := 0.0
	for i := range v {
		z += v[i] * w[i]
	}
	return z
}

func chance(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func clamp(x, bound float64) float64 { return math.Max(-bound, math.Min(bound, x)) }

// mentions says whether a's text has all words of b's title.
func mentions(a, b *node) bool {
	if len(b.wordHashes) == 0 {
		return false
	}
	for _, h := range b.wordHashes {
		if _, ok := slices.BinarySearch(a.rec.Terms, h); !ok {
			return false
		}
	}
	return true
}

// above says whether path a lies above b, by folders or by dots.
func above(a, b string) bool {
	return len(a) > 0 && len(b) > len(a) && strings.HasPrefix(b, a) && (b[len(a)] == '/' || b[len(a)] == '.')
}
