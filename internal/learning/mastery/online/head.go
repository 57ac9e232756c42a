package online

import (
	"math"

	"stoa/internal/learning/mastery/wire"
)

// Head is a logistic model whose weights are believed in together, with all their covariances: features that say
// nearly the same do not count twice. Its size is fixed when it is made.
type Head struct {
	Mean []float64
	cov  []float64 // n×n, symmetric
	// noise is added to each variance at every outcome, up to prior: what was learned long ago is trusted less.
	noise, prior float64
}

// NewHead starts from mean, each weight with variance prior and independent of the others.
func NewHead(mean []float64, prior, noise float64) *Head {
	n := len(mean)
	h := &Head{Mean: append([]float64(nil), mean...), cov: make([]float64, n*n), noise: noise, prior: prior}
	for i := range n {
		h.cov[i*n+i] = prior
	}
	return h
}

// Scratch is room for one prediction and the lesson after it. One may serve many heads, one at a time.
type Scratch struct {
	used []int     // places of x that are not zero
	gain []float64 // cov·x
	live []int     // places of gain that are not zero
}

// Sum is the logit for x. The scratch keeps what Learn needs.
func (h *Head) Sum(x []float64, s *Scratch) (sum Sum) {
	n := len(h.Mean)
	if cap(s.gain) < n {
		s.gain = make([]float64, n)
	}
	s.gain, s.used, s.live = s.gain[:n], s.used[:0], s.live[:0]
	for i, v := range x {
		if v != 0 {
			s.used = append(s.used, i)
			sum.Mean += h.Mean[i] * v
		}
	}
	for i := range n {
		row, g := h.cov[i*n:i*n+n], 0.0
		for _, j := range s.used {
			g += row[j] * x[j]
		}
		s.gain[i] = g
		if g != 0 {
			s.live = append(s.live, i)
			sum.Var += g * x[i]
		}
	}
	sum.Var = math.Max(sum.Var, 0)
	return sum
}

// Learn moves the head, and the terms that were added to its sum, by the outcome. The scratch must be that of the Sum.
func (h *Head) Learn(s *Scratch, terms []Term, sum Sum, o Outcome) {
	surprise, information := sum.step(o)
	n := len(h.Mean)
	for _, i := range s.live {
		h.Mean[i] += s.gain[i] * surprise
		row, g := h.cov[i*n:i*n+n], s.gain[i]
		for _, j := range s.live {
			row[j] -= g * s.gain[j] * information // in this order the two halves stay equal to the last bit
		}
	}
	for i := range n {
		if v := &h.cov[i*n+i]; *v < h.prior {
			*v = math.Max(*v, 1e-12) + h.noise
		}
	}
	learn(terms, surprise, information)
}

// Put writes the head: its means and half of its covariances.
func (h *Head) Put(w *wire.Writer) {
	n := len(h.Mean)
	w.Floats(h.Mean...)
	for i := range n {
		w.Floats(h.cov[i*n+i : i*n+n]...)
	}
}

// Take reads into a head of the same size.
func (h *Head) Take(r *wire.Reader) {
	n := len(h.Mean)
	for i := range n {
		h.Mean[i] = r.Float()
	}
	for i := range n {
		for j := i; j < n; j++ {
			h.cov[i*n+j] = r.Float()
			h.cov[j*n+i] = h.cov[i*n+j]
		}
		if h.cov[i*n+i] <= 0 {
			r.Fail()
		}
	}
}
