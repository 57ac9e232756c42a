package strategy

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"stoa/internal/learning/path"
)

// personal is the probability that the strategy is better than balanced for this person: the effect of everyone as
// prior, with the variance between persons, and the person's own blocks. It is never surer than the contrast behind it.
func (in Inputs) personal(s path.Strategy) float64 {
	a := index(s)
	if in.Everyone == nil || a < 1 {
		return 0
	}
	everyone := in.Everyone.Contrasts[a-1]
	if everyone.N < 2 {
		return 0
	}
	mean, variance := everyone.Mean(), everyone.Variance()/float64(everyone.N)
	if between := in.Everyone.Spreads[a-1].variance(); in.Person != nil && between > 0 {
		effect, noise := in.Person.effect(a)
		variance += between // of one person's effect around everyone's
		if noise > 0 {
			share := variance / (variance + noise) // B of the shrinkage
			mean += share * (effect - mean)
			variance *= 1 - share
		}
	}
	if variance <= 0 {
		return 0
	}
	return min(1-Alpha, distuv.UnitNormal.CDF(mean/math.Sqrt(variance)))
}

// effect is a person's difference of mean outcomes between an arm and balanced, with its variance; zero is unknown.
func (e *Evidence) effect(a int) (effect, noise float64) {
	x, y := e.Arms[a].Blocks, e.Arms[0].Blocks
	if x.N < 2 || y.N < 2 {
		return 0, 0
	}
	return x.Mean() - y.Mean(), x.Variance()/float64(x.N) + y.Variance()/float64(y.N)
}

// Spread gathers how a strategy's effect differs between persons: a term per person, which changes as their blocks come.
type Spread struct {
	Persons int     `json:"persons"`
	Sum     float64 `json:"sum"`
	Squares float64 `json:"squares"`
	Noise   float64 `json:"noise"` // sum of the variances of the effects
	// Positive is for how many of them the strategy was better than balanced.
	Positive int `json:"positive"`
}

// Change takes a person's evidence before and after a block in.
func (e *Evidence) Change(before, after *Evidence) {
	for a := 1; a < arms; a++ {
		s := &e.Spreads[a-1]
		s.add(before, a, -1)
		s.add(after, a, 1)
	}
}

func (s *Spread) add(e *Evidence, a, sign int) {
	effect, noise := e.effect(a)
	if noise <= 0 {
		return // fewer than two blocks of either arm say nothing
	}
	s.Persons += sign
	s.Sum += float64(sign) * effect
	s.Squares += float64(sign) * effect * effect
	s.Noise += float64(sign) * noise
	if effect > 0 {
		s.Positive += sign
	}
}

// variance is that of the effect between persons by the method of moments: of their effects beyond what their own noise
// explains; zero of fewer than three persons.
func (s Spread) variance() float64 {
	if s.Persons < 3 {
		return 0
	}
	n := float64(s.Persons)
	return max(0, (s.Squares-s.Sum*s.Sum/n)/(n-1)-s.Noise/n)
}
