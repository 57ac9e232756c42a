package strategy

import "gonum.org/v1/gonum/mat"

// State is what a session's outcome may be expected from, before it.
type State struct {
	MeanMastery float64 // 0..1
	Frontier    float64 // concepts of the outer fringe
	Due         float64 // due items
	Minutes     float64 // of the session
	Gap         float64 // days since the last session
}

const features = 6

func (s State) features() *mat.VecDense {
	return mat.NewVecDense(features, []float64{1, s.MeanMastery, s.Frontier / 10, s.Due / 10, s.Minutes / 30, s.Gap / 7})
}

// Expectation is a ridge regression of outcomes on the state, updated one session at a time. What an outcome is beyond
// it is value-added: free of the ceiling (gains fall as mastery rises, so that every raw trend looks like a decline).
type Expectation struct {
	Squares [features * features]float64 `json:"squares"`
	Sums    [features]float64            `json:"sums"`
	N       int                          `json:"n"`
}

// ridge pulls coefficients to zero as strongly as this many sessions would.
const ridge = 3.0

// ValueAdded is the outcome minus what the past let expect, and then takes the session in.
func (e *Expectation) ValueAdded(s State, outcome float64) float64 {
	x := s.features()
	beyond := outcome - e.predict(x)
	for i := range features {
		for j := range features {
			e.Squares[i*features+j] += x.AtVec(i) * x.AtVec(j)
		}
		e.Sums[i] += x.AtVec(i) * outcome
	}
	e.N++
	return beyond
}

func (e *Expectation) predict(x *mat.VecDense) float64 {
	if e.N == 0 {
		return 0
	}
	a := mat.NewSymDense(features, nil)
	for i := range features {
		for j := i; j < features; j++ {
			a.SetSym(i, j, e.Squares[i*features+j])
		}
		a.SetSym(i, i, a.At(i, i)+ridge)
	}
	// The intercept is not pulled, or the first outcomes would all look good.
	a.SetSym(0, 0, e.Squares[0]+1e-6)
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return 0
	}
	var b mat.VecDense
	if chol.SolveVecTo(&b, mat.NewVecDense(features, append([]float64(nil), e.Sums[:]...))) != nil {
		return 0
	}
	return mat.Dot(&b, x)
}
