package strategy

import (
	"math"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"stoa/internal/learning/path"
)

// arms is the number of strategies; arm 0 is balanced, the one that others are compared with.
const arms = 3

// Evidence is what randomised sessions have shown, of one person or of many.
type Evidence struct {
	Arms [arms]Arm `json:"arms"`
	// Contrasts[a-1] compares arm a with balanced: the doubly robust score of every block.
	Contrasts [arms - 1]Moments `json:"contrasts"`
	// Spreads[a-1] is how the effect of arm a differs between persons; of one person alone it is empty.
	Spreads [arms - 1]Spread `json:"spreads,omitzero"`
}

// Arm is what one strategy's randomised sessions have shown.
type Arm struct {
	Outcome Moments   `json:"outcome"` // of sessions
	Blocks  Moments   `json:"blocks"`  // of means of blocks
	Newest  time.Time `json:"newest"`
	Drift   Drift     `json:"drift"`
	Probes  Gap       `json:"probes"`
}

// Block is what the sessions of one drawn block showed together: the unit of comparison, since sessions of a person hang
// together from day to day and a strategy is drawn once for all of them.
type Block struct {
	Strategy   path.Strategy `json:"strategy"`
	Propensity float64       `json:"propensity"`
	Outcome    Moments       `json:"outcome"`
	At         time.Time     `json:"at"` // of the newest session
}

// Running is a person's block that is under way.
type Running struct {
	Block
	Last int `json:"last"` // place of the newest session in the block
}

// Add takes one session in and answers the block that ended with it or before it. Sessions that were not randomised, the
// first of a block and those cut short add nothing.
func (o *Running) Add(r Record) (ended Block, done bool) {
	if r.Propensity <= 0 || !r.Strategy.Valid() {
		return Block{}, false
	}
	if r.InBlock <= o.Last || r.Strategy != o.Strategy {
		ended, done = o.Block, o.Outcome.N > 0
		*o = Running{}
	}
	o.Strategy, o.Propensity, o.Last = r.Strategy, r.Propensity, r.InBlock
	if r.compares() {
		o.Outcome.Add(r.Outcome)
		o.At = r.At
	}
	if r.InBlock == BlockLength-1 && !done && o.Outcome.N > 0 {
		ended, done = o.Block, true
		o.Outcome = Moments{}
	}
	return ended, done
}

// Add counts a block that ended.
func (e *Evidence) Add(b Block) {
	at, mean := index(b.Strategy), b.Outcome.Mean()
	if at < 0 || b.Outcome.N == 0 || b.Propensity <= 0 {
		return
	}
	// Augmented inverse propensity weighting: what is expected of an arm comes from the past only, and is shrunk to the
	// mean of all so that the first blocks do not make it jump.
	for a := 1; a < arms; a++ {
		score := e.expected(a) - e.expected(0)
		switch at {
		case a:
			score += (mean - e.expected(a)) / b.Propensity
		case 0:
			score -= (mean - e.expected(0)) / b.Propensity
		}
		e.Contrasts[a-1].Add(score)
	}
	arm := &e.Arms[at]
	arm.Outcome.merge(b.Outcome)
	arm.Blocks.Add(mean)
	arm.Drift.add(mean, arm.Blocks)
	if b.At.After(arm.Newest) {
		arm.Newest = b.At
	}
}

// Merge adds what others have shown, who were counted elsewhere: the scores of each were made from what was known there, and an alarm of either is one.
func (e *Evidence) Merge(o *Evidence) {
	for i := range e.Arms {
		arm, other := &e.Arms[i], &o.Arms[i]
		arm.Outcome.merge(other.Outcome)
		arm.Blocks.merge(other.Blocks)
		arm.Probes.merge(other.Probes.Moments)
		arm.Drift.Alarm = arm.Drift.Alarm || other.Drift.Alarm
		if other.Newest.After(arm.Newest) {
			arm.Newest = other.Newest
		}
	}
	for i := range e.Contrasts {
		e.Contrasts[i].merge(o.Contrasts[i])
		s, other := &e.Spreads[i], o.Spreads[i]
		s.Persons += other.Persons
		s.Sum += other.Sum
		s.Squares += other.Squares
		s.Noise += other.Noise
		s.Positive += other.Positive
	}
}

// expected is what the past lets expect of an arm.
func (e *Evidence) expected(a int) float64 {
	var all Moments
	for i := range e.Arms {
		all.merge(e.Arms[i].Outcome)
	}
	const trust = 4 // sessions that the common mean is worth
	own := e.Arms[a].Outcome
	return (own.Sum + trust*all.Mean()) / (float64(own.N) + trust)
}

// outcomes counts the randomised outcomes of all arms.
func (e *Evidence) outcomes() (n int) {
	for i := range e.Arms {
		n += e.Arms[i].Outcome.N
	}
	return n
}

// contrast is the anytime-valid interval of a strategy's outcome minus that of balanced.
func (e *Evidence) contrast(s path.Strategy) Sequence {
	a := index(s)
	if a < 1 {
		return Sequence{}
	}
	return e.Contrasts[a-1].sequence(Alpha)
}

// Drift is a Page–Hinkley test for a fall of a mean: a quarter of a deviation is tolerated, twelve are an alarm. Without a
// fall it alarms once in about three thousand values (with a tenth and five it would be once in thirty-six).
type Drift struct {
	Sum   float64 `json:"sum"`
	Least float64 `json:"least"`
	Alarm bool    `json:"alarm"`
}

// add counts a value; so far are all values including it.
func (d *Drift) add(x float64, soFar Moments) {
	sigma := math.Sqrt(soFar.Variance())
	if soFar.N < 8 || sigma == 0 {
		return
	}
	d.Sum += (soFar.Mean()-x)/sigma - 0.25
	d.Least = min(d.Least, d.Sum)
	d.Alarm = d.Alarm || d.Sum-d.Least > 12
}

// worse is the probability that strategy a's share of negative outcomes is more than ten points above balanced's, with
// Beta posteriors from a Jeffreys prior.
func (e *Evidence) worse(a int) float64 {
	beta := func(i int) distuv.Beta {
		m := e.Arms[i].Outcome
		return distuv.Beta{Alpha: float64(m.Negative) + 0.5, Beta: float64(m.N-m.Negative) + 0.5}
	}
	other, own := beta(0), beta(a)
	// Most looks are far from the question; the normal approximation tells them apart.
	switch z := (own.Mean() - other.Mean() - 0.1) / math.Sqrt(own.Variance()+other.Variance()); {
	case z < 0.8:
		return 0.5
	case z > 2.5:
		return 0.99
	}
	const steps = 50
	p := 0.0
	for i := range steps {
		// Quantiles of the one at the middle of equal shares, the tail of the other beyond them.
		q := other.Quantile((float64(i) + 0.5) / steps)
		if q+0.1 < 1 {
			p += (1 - own.CDF(q+0.1)) / steps
		}
	}
	return p
}

// rolledBack names why a strategy must not be used, or nothing: its contrast is surely below zero, its sessions go wrong
// more often, or its outcomes have fallen.
func (e *Evidence) rolledBack(s path.Strategy) string {
	a := index(s)
	if a < 1 {
		return ""
	}
	if c := e.contrast(s); c.Ready && c.High < 0 {
		return "contrast_below_zero"
	}
	if e.Arms[a].Outcome.N >= enoughPerArm && e.Arms[0].Outcome.N >= enoughPerArm && e.worse(a) > 0.9 {
		return "negative_ratio"
	}
	if e.Arms[a].Drift.Alarm {
		return "outcome_drift"
	}
	return ""
}
