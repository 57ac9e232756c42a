package strategy

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"stoa/internal/learning/path"
)

// personal is the probability that the strategy is better than balanced for this person: the effect of everyone as
// prior, with the variance between persons, and the person's own blocks.
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
	if in.Person != nil && in.Between > 0 {
		effect, noise := in.Person.effect(a)
		variance += in.Between // of one person's effect around everyone's
		if noise > 0 {
			share := variance / (variance + noise) // B of the shrinkage
			mean += share * (effect - mean)
			variance *= 1 - share
		}
	}
	if variance <= 0 {
		return 0
	}
	return distuv.UnitNormal.CDF(mean / math.Sqrt(variance))
}

// effect is a person's difference of mean outcomes between an arm and balanced, with its variance; zero is unknown.
func (e *Evidence) effect(a int) (effect, noise float64) {
	x, y := e.Arms[a].Blocks, e.Arms[0].Blocks
	if x.N < 2 || y.N < 2 {
		return 0, 0
	}
	return x.Mean() - y.Mean(), x.Variance()/float64(x.N) + y.Variance()/float64(y.N)
}

// Spread is the variance of a strategy's effect between persons by the method of moments: that of their effects beyond
// what their own noise explains. Persons with fewer than two blocks of either arm say nothing.
func Spread(persons []*Evidence, s path.Strategy) float64 {
	var effects Moments
	noise := 0.0
	for _, p := range persons {
		if effect, v := p.effect(index(s)); v > 0 {
			effects.Add(effect)
			noise += v
		}
	}
	if effects.N < 3 {
		return 0
	}
	return max(0, effects.Variance()-noise/float64(effects.N))
}
