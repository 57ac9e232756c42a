package strategy

import "math"

// Probe is one item touched five to ten days ago: what the model said of its recall, and, if it was drawn, the answer.
type Probe struct {
	Predicted float64 // 0..1
	Drawn     bool
	Right     bool
}

func (p Probe) truth() float64 {
	if p.Right {
		return 1
	}
	return 0
}

// Gap is how far the answers to probes are from what the model said.
type Gap struct{ Moments }

// Add counts a probe; one that was not drawn is no evidence.
func (g *Gap) Add(p Probe) {
	if p.Drawn {
		g.Moments.Add(p.truth() - p.Predicted)
	}
}

// points is the calibration gap in percentage points with its 95 % interval.
func (g Gap) points() (gap, low, high float64) {
	if g.N < 2 {
		return 100 * g.Mean(), -100, 100
	}
	half := 1.96 * math.Sqrt(g.Variance()/float64(g.N))
	return 100 * g.Mean(), 100 * (g.Mean() - half), 100 * (g.Mean() + half)
}

// off says whether the model is surely wrong by more than five points: then its estimate is to be corrected by the
// probes and must not decide.
func (g Gap) off() bool {
	_, low, high := g.points()
	return g.N >= 12 && (low > 5 || high < -5)
}
