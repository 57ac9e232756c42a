package online

import (
	"math"

	"stoa/internal/learning/mastery/wire"
)

// Belief is a normal distribution over one weight or ability, on the logit scale.
type Belief struct{ Mean, Var float64 }

// Widen adds variance (drift), up to limit.
func (b *Belief) Widen(by, limit float64) {
	if b.Var < limit {
		b.Var = math.Min(limit, b.Var+by)
	}
}

// Put writes the belief.
func (b Belief) Put(w *wire.Writer) { w.Floats(b.Mean, b.Var) }

// Take reads it.
func (b *Belief) Take(r *wire.Reader) {
	r.Floats(&b.Mean, &b.Var)
	if b.Var < 0 {
		r.Fail()
	}
}

// Term is a belief and the value it is multiplied with in a sum.
type Term struct {
	*Belief
	X float64
}

// Sum is a logit that is not known for certain.
type Sum struct{ Mean, Var float64 }

// SumOf adds terms, which are taken as independent.
func SumOf(terms []Term) (s Sum) {
	for _, t := range terms {
		s.Mean += t.Mean * t.X
		s.Var += t.Var * t.X * t.X
	}
	return s
}

// Logit is the logit of the expected probability: the mean drawn towards zero by what is not known (MacKay 1992,
// the probit approximation).
func (s Sum) Logit() float64 { return s.Mean / math.Sqrt(1+math.Pi/8*s.Var) }

// P is the expected probability.
func (s Sum) P() float64 { return Sigmoid(s.Logit()) }

// Outcome is what was seen: y from 0 to 1, and how much it counts (1 is a plain answer).
type Outcome struct{ Y, Weight float64 }

// step is the surprise and the information of an outcome for a sum, already divided by the narrowing.
func (s Sum) step(o Outcome) (surprise, information float64) {
	p := s.P()
	h := math.Max(p*(1-p), 1e-6) * o.Weight
	narrowed := 1 + h*s.Var
	return (o.Y - p) * o.Weight / narrowed, h / narrowed
}

// Learn moves every term by the outcome that followed their sum.
func Learn(terms []Term, s Sum, o Outcome) {
	surprise, information := s.step(o)
	learn(terms, surprise, information)
}

func learn(terms []Term, surprise, information float64) {
	for _, t := range terms {
		g := t.Var * t.X
		t.Mean += g * surprise
		t.Var = math.Max(t.Var-g*g*information, 1e-12)
	}
}

// Sigmoid is 1/(1+e^-x).
func Sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Logit is ln(p/(1-p)); p is kept within 1e-4 of 0 and 1.
func Logit(p float64) float64 {
	p = math.Min(math.Max(p, 1e-4), 1-1e-4)
	return math.Log(p / (1 - p))
}
