package retrieval

import (
	"fmt"
	"math"
)

// Tried is what one of two backends said to a question. Ratios are 0..1.
type Tried struct {
	Evidence, Paths, Valid float64 // shares of the hits, 0 without hits
	LatencyMs              float64
	Failed                 bool // another backend had to answer for it
}

// Preference is which of two backends answered better.
type Preference string

// The preferences of the contract.
const (
	Left  Preference = "left"
	Right Preference = "right"
	Tie   Preference = "tie"
)

const (
	preferMargin = .035 // less is a tie
	slowest      = 1000 // ms; from there on time counts for nothing
)

// worth weighs an answer (field facts 5.5).
func (t *Tried) worth() float64 {
	w := .42*t.Evidence + .23*t.Paths + .25*t.Valid + .10*(1-min(1, max(0, t.LatencyMs)/slowest))
	if t.Failed {
		w -= .2
	}
	return w
}

// Prefer compares two answers to one question and says why.
func Prefer(left, right Tried) (Preference, string) {
	a, b := left.worth(), right.worth()
	p := Tie
	switch {
	case math.Abs(a-b) < preferMargin:
	case a > b:
		p = Left
	default:
		p = Right
	}
	return p, fmt.Sprintf("%s: left %.3f, right %.3f, by evidence, relation paths, validity and time", p, a, b)
}
