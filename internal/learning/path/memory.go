package path

import "math"

// FSRS-6 default parameters that the expectation of a review needs (open-spaced-repetition, published defaults).
const (
	initialAgain = 0.212
	initialGood  = 2.3065
	growth       = 1.8722 // w8
	saturation   = 0.1666 // w9
	spacing      = 0.796  // w10
	lapseScale   = 1.4835 // w11
	lapseHard    = 0.0614 // w12
	lapseStable  = 0.2629 // w13
	lapseSpacing = 1.6483 // w14
	decay        = 0.1542 // w20
)

// powerFactor makes the power curve 0.9 at t = S.
var powerFactor = math.Pow(0.9, -1/decay) - 1

// grown is the stability in days after a successful recall at retrievability r (FSRS-6, grade good).
func grown(s, d, r float64) float64 {
	return math.Exp(grownLog(math.Log(s), d, r))
}

var growthFactor = math.Exp(growth)

// grownLog is grown in logarithms of days.
func grownLog(logS, d, r float64) float64 {
	return logS + math.Log1p(growthFactor*(11-d)*math.Exp(-saturation*logS)*math.Expm1(spacing*(1-r)))
}

// lapsed is the stability in days after a failed recall at retrievability r (FSRS-6).
func lapsed(s, d, r float64) float64 {
	v := lapseScale * math.Expm1(lapseStable*math.Log1p(s)) * math.Exp(lapseSpacing*(1-r)-lapseHard*math.Log(d))
	return max(0.05, min(v, s))
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

// curve is the probability of recall by elapsed time over stability.
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
