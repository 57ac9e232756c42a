package path

import (
	"math"

	"stoa/internal/learning/mastery/fsrs"
)

// What the expectation of a review needs of FSRS-6: the formulas of internal/learning/mastery/fsrs with its default
// weights, written in logarithms of stability, since a plan needs them for every concept there is.
var (
	w            = fsrs.Default
	initialAgain = w[0]
	initialGood  = w[2]
	saturation   = w[9]
	spacing      = w[10]
	decay        = w[20]
)

// powerFactor makes the power curve 0.9 at t = S.
var powerFactor = math.Pow(0.9, -1/decay) - 1

// grown is the stability in days after a successful recall at retrievability r (FSRS-6, grade good).
func grown(s, d, r float64) float64 {
	return math.Exp(grownLog(math.Log(s), d, r))
}

var growthFactor = math.Exp(w[8])

// grownLog is grown in logarithms of days.
func grownLog(logS, d, r float64) float64 {
	return logS + math.Log1p(growthFactor*(11-d)*math.Exp(-saturation*logS)*math.Expm1(spacing*(1-r)))
}

// lapsed is the stability in days after a failed recall at retrievability r (FSRS-6).
func lapsed(s, d, r float64) float64 {
	v := w[11] * math.Expm1(w[13]*math.Log1p(s)) * math.Exp(w[14]*(1-r)-w[12]*math.Log(d))
	return max(fsrs.MinStability, min(v, s/math.Exp(w[17]*w[18])))
}

// Curves are kept on a logarithmic grid of elapsed time over stability, whose step is also the step of the grid of
// personal memory factors: a person whose memories last twice as long reads the same table a few entries earlier, so a
// mixture over factors is a sum of shifted tables and costs no power function per concept.
const (
	gridStep = 0.15 // ln units
	gridLow  = -6.0
	gridLen  = 101 // up to e^9
)

const (
	powerShape = iota
	exponentialShape
	shapes
)

var baseCurves = func() (c [shapes][gridLen]float64) {
	for i := range gridLen {
		x := math.Exp(gridLow + gridStep*float64(i))
		c[powerShape][i] = math.Pow(1+powerFactor*x, -decay)
		c[exponentialShape][i] = math.Pow(0.9, x)
	}
	return c
}()

// curve is the probability that something learned is recalled, by elapsed time over stability.
type curve struct{ at [gridLen]float64 }

func (c *curve) recall(elapsed, stability float64) float64 {
	if stability <= 0 {
		return 0
	}
	return c.recallLog(elapsed, math.Log(stability))
}

func (c *curve) recallLog(elapsed, logS float64) float64 {
	if elapsed <= 0 {
		return 1
	}
	u := (math.Log(elapsed) - logS - gridLow) / gridStep
	switch {
	case u <= 0:
		// Below e^-6 of the stability the curve is a straight line from 1.
		return 1 - (1-c.at[0])*math.Exp(u*gridStep)
	case u >= gridLen-1:
		return c.at[gridLen-1]
	}
	i := int(u)
	return c.at[i] + (u-float64(i))*(c.at[i+1]-c.at[i])
}
