package online

import (
	"math"

	"stoa/internal/learning/mastery/wire"
)

// MovingAverage is the tracker of open-spaced-repetition's benchmark (MOVING-AVG): p = σ(x); x += 0.3(y - p); x starts at
// 1.2. It knows nothing of cards or time and yet beats most models over many people.
type MovingAverage struct{ X float64 }

// NewMovingAverage starts at the published 1.2, which is 0.77.
func NewMovingAverage() MovingAverage { return MovingAverage{1.2} }

// P is the predicted probability.
func (m MovingAverage) P() float64 { return Sigmoid(m.X) }

// Learn takes an outcome in.
func (m *MovingAverage) Learn(o Outcome) { m.X += 0.3 * o.Weight * (o.Y - m.P()) }

// Mixture trusts several predictors in the measure of how well they have predicted (Hedge with the logarithmic loss,
// which is Bayes' rule over experts): its total loss is at most ln(number of experts) above the best one's, but for the
// small share that is given back to all at each step so that another may come out best later.
type Mixture struct{ Weights []float64 } // sum 1

// share is given back to all experts at every outcome (fixed share, Herbster and Warmuth 1998).
const share = 1e-4

// NewMixture trusts n experts alike.
func NewMixture(n int) Mixture {
	m := Mixture{make([]float64, n)}
	for i := range m.Weights {
		m.Weights[i] = 1 / float64(n)
	}
	return m
}

// P mixes the experts' probabilities.
func (m Mixture) P(p []float64) (mixed float64) {
	for i, w := range m.Weights {
		mixed += w * p[i]
	}
	return mixed
}

// Learn moves trust to the experts who gave the outcome the higher probability.
func (m Mixture) Learn(p []float64, o Outcome) {
	total := 0.0
	for i := range m.Weights {
		q := math.Min(math.Max(p[i], 1e-6), 1-1e-6)
		m.Weights[i] *= math.Exp(o.Weight * (o.Y*math.Log(q) + (1-o.Y)*math.Log(1-q)))
		total += m.Weights[i]
	}
	for i := range m.Weights {
		m.Weights[i] = (1-share)*m.Weights[i]/total + share/float64(len(m.Weights))
	}
}

// Put writes the trust.
func (m Mixture) Put(w *wire.Writer) { w.Floats(m.Weights...) }

// Take reads it into a mixture of the same size.
func (m Mixture) Take(r *wire.Reader) {
	total := 0.0
	for i := range m.Weights {
		if m.Weights[i] = r.Float(); m.Weights[i] <= 0 {
			r.Fail()
		}
		total += m.Weights[i]
	}
	if math.Abs(total-1) > 1e-6 {
		r.Fail()
	}
}
