package online

import (
	"math"

	"stoa/internal/learning/mastery/wire"
)

// Head is a logistic model whose weights are believed in together, with all their covariances: features that say
// nearly the same do not count twice. Its size is fixed when it is made.
type Head struct {
	Mean []float64
	cov  []float64 // the lower triangle, row by row
	// noise is added to each variance at every outcome, up to prior: what was learned long ago is trusted less.
	noise, prior float64
	reach        int // features from here on have never been seen; their rows hold nothing but the prior
}

// NewHead starts from mean, each weight with variance prior and independent of the others. Features that are often
// absent belong at the end, where they cost nothing until they come.
func NewHead(mean []float64, prior, noise float64) *Head {
	n := len(mean)
	h := &Head{Mean: append([]float64(nil), mean...), cov: make([]float64, n*(n+1)/2), noise: noise, prior: prior}
	for i := range n {
		h.cov[i*(i+1)/2+i] = prior
	}
	return h
}

// Scratch is room for one prediction and the lesson after it. One may serve many heads, one at a time.
type Scratch struct{ gain []float64 } // cov·x

// Sum is the logit for x, which has a value for each weight. The scratch keeps what Learn needs.
func (h *Head) Sum(x []float64, s *Scratch) (sum Sum) {
	n := len(x)
	for n > h.reach && x[n-1] == 0 {
		n--
	}
	if cap(s.gain) < len(h.Mean) {
		s.gain = make([]float64, len(h.Mean))
	}
	x, s.gain = x[:n], s.gain[:n]
	clear(s.gain)
	at := 0
	for i, v := range x {
		row, gain, left := h.cov[at:at+i], s.gain[:i], x[:i]
		g := h.cov[at+i] * v
		for j, c := range row {
			g += c * left[j]
			gain[j] += c * v
		}
		s.gain[i] = g
		at += i + 1
	}
	for i, v := range x {
		sum.Mean += h.Mean[i] * v
		sum.Var += s.gain[i] * v
	}
	sum.Var = math.Max(sum.Var, 0)
	return sum
}

// Learn moves the head, and the terms that were added to its sum, by the outcome. The scratch must be that of the Sum.
func (h *Head) Learn(s *Scratch, terms []Term, sum Sum, o Outcome) {
	surprise, information := sum.step(o)
	h.reach = max(h.reach, len(s.gain))
	at := 0
	for i, g := range s.gain {
		h.Mean[i] += g * surprise
		row, gain, c := h.cov[at:at+i+1], s.gain[:i+1], g*information
		for j := range row {
			row[j] -= c * gain[j]
		}
		if v := &row[i]; *v < h.prior {
			*v = math.Max(*v, 1e-12) + h.noise
		}
		at += i + 1
	}
	learn(terms, surprise, information)
}

// Put writes the head.
func (h *Head) Put(w *wire.Writer) {
	w.Uint(uint64(h.reach))
	w.Floats(h.Mean...)
	w.Floats(h.cov[:h.reach*(h.reach+1)/2]...)
}

// Take reads into a new head of the same size.
func (h *Head) Take(r *wire.Reader) { h.TakeFirst(r, len(h.Mean)) }

// TakeFirst reads a head that had only the first n features: the others are as if they had never been seen.
func (h *Head) TakeFirst(r *wire.Reader, n int) {
	h.reach = r.Count(n)
	for i := range n {
		h.Mean[i] = r.Float()
	}
	at := 0
	for i := range h.reach {
		for j := range i + 1 {
			h.cov[at+j] = r.Float()
		}
		if h.cov[at+i] <= 0 {
			r.Fail()
		}
		at += i + 1
	}
}
