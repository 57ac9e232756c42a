package train

import (
	"context"
	"math/rand/v2"

	"stoa/internal/market/scan/model"
)

const (
	groupMost   = 1000 // groups of words
	groupWords  = 16   // and at least so many words for each
	groupPasses = 12
	groupFrom   = 20000 // the groups begin with words among so many of the commonest
)

// wordGroups puts the common words of texts into groups by the company that they stand in. It sees no labels.
func wordGroups(ctx context.Context, texts []Text, seed uint64) (*model.Groups, error) {
	v, err := vocabularyOf(ctx, texts)
	if err != nil {
		return nil, err
	}
	vectors, err := v.vectors(ctx, seed)
	if err != nil {
		return nil, err
	}
	of, err := nearest(ctx, vectors, min(groupMost, len(v.words)/groupWords+1), seed)
	if err != nil {
		return nil, err
	}
	return model.NewGroups(v.words, of), nil
}

// nearest groups vectors of length one by the direction of their means (spherical k-means).
func nearest(ctx context.Context, vectors []float32, count int, seed uint64) ([]uint16, error) {
	random := rand.New(rand.NewPCG(seed, 4))
	n := len(vectors) / vectorSize
	at := func(list []float32, i int) []float32 { return list[i*vectorSize:][:vectorSize] }
	means := make([]float32, count*vectorSize)
	of := make([]uint16, n)
	if n == 0 {
		return of, nil
	}
	for c := range count {
		copy(at(means, c), at(vectors, random.IntN(min(n, groupFrom))))
	}
	for range groupPasses {
		sums := make([]float32, len(means))
		for i := range n {
			if i%1000 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			v, best := at(vectors, i), float32(-2)
			for c := range count {
				if z := dot(v, at(means, c)); z > best {
					best, of[i] = z, uint16(c)
				}
			}
			for d, x := range at(sums, int(of[i])) {
				at(sums, int(of[i]))[d] = x + v[d]
			}
		}
		for c := range count {
			if sum := at(sums, c); dot(sum, sum) > 0 { // an empty group stays where it is
				unit(sum)
				copy(at(means, c), sum)
			}
		}
	}
	return of, nil
}
