package strategy

import "math"

// Moments are count, sum and sum of squares of a quantity, and how often it was above and below zero.
type Moments struct {
	N        int     `json:"n"`
	Sum      float64 `json:"sum"`
	Squares  float64 `json:"squares"`
	Positive int     `json:"positive"`
	Negative int     `json:"negative"`
}

// Add counts one value.
func (m *Moments) Add(x float64) {
	m.N++
	m.Sum += x
	m.Squares += x * x
	switch {
	case x > 0:
		m.Positive++
	case x < 0:
		m.Negative++
	}
}

// merge adds the values of another.
func (m *Moments) merge(o Moments) {
	m.N += o.N
	m.Sum += o.Sum
	m.Squares += o.Squares
	m.Positive += o.Positive
	m.Negative += o.Negative
}

// Mean is zero of nothing.
func (m Moments) Mean() float64 {
	if m.N == 0 {
		return 0
	}
	return m.Sum / float64(m.N)
}

// Variance is the unbiased one, zero below two values.
func (m Moments) Variance() float64 {
	if m.N < 2 {
		return 0
	}
	mean := m.Mean()
	return max(0, (m.Squares-mean*m.Sum)/float64(m.N-1))
}

// PositiveRatio and NegativeRatio are shares in 0..1, zero of nothing.
func (m Moments) PositiveRatio() float64 { return ratio(m.Positive, m.N) }

// NegativeRatio is the share of values below zero.
func (m Moments) NegativeRatio() float64 { return ratio(m.Negative, m.N) }

func ratio(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// Sequence is an asymptotic confidence sequence for a mean: an interval that holds at all looks at once.
type Sequence struct {
	Low, High float64
	Ready     bool // enough values for the asymptotics
}

// Alpha is the chance that a contrast's sequence is ever wrong. With 0.05 the rule switches falsely too often once two
// contrasts are looked at; `stoa eval selection` measures what this value gives.
const (
	Alpha    = 0.01
	tightest = 40.0 // number of blocks at which the sequence is tightest
	earliest = 14   // number of blocks from which it is looked at
)

// sequence is that of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Ann. Stat. 2024, arXiv 2103.06476):
// mean ± σ·sqrt(2(tρ²+1)/(t²ρ²)·ln(sqrt(tρ²+1)/α)) with ρ² = (2 ln(1/α) + ln(1 + 2 ln(1/α)))/t*.
func (m Moments) sequence(alpha float64) Sequence {
	if m.N < 2 {
		return Sequence{Low: math.Inf(-1), High: math.Inf(1)}
	}
	t, l := float64(m.N), 2*math.Log(1/alpha)
	rho := (l + math.Log1p(l)) / tightest
	half := math.Sqrt(m.Variance()) * math.Sqrt(2*(t*rho+1)/(t*t*rho)*math.Log(math.Sqrt(t*rho+1)/alpha))
	mean := m.Mean()
	return Sequence{mean - half, mean + half, m.N >= earliest}
}
