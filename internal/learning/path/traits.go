package path

import (
	"math"
	"slices"
)

// Traits is what the evidence says of one person as a learner: how long memories last against FSRS-6's defaults, whether
// forgetting has a heavy tail (power) or none (exponential), how likely an attempt teaches, and how much that depends on
// the prerequisites being known. Two posteriors over small grids, kept as log likelihoods, so that it is a plain value:
// the same evidence gives the same Traits, and it can be stored. The zero value is the prior.
type Traits struct {
	// Memory (by shape, then factor) and Learn (by rate, then gate) are log likelihoods of the evidence so far.
	Memory [shapes * memoryFactors]float64 `json:"memory"`
	Learn  [learnRates * gates]float64     `json:"learn"`
	// Reviews and Attempts count the evidence.
	Reviews  int `json:"reviews"`
	Attempts int `json:"attempts"`
}

const (
	memoryFactors = 13 // e^(-1.8) … e^(1.8) in steps of 0.3
	factorShift   = 2  // grid steps of the curve tables per factor step
	learnRates    = 7
	gates         = 5
	guess, slip   = 0.15, 0.08
)

var rates = [learnRates]float64{0.05, 0.1, 0.18, 0.3, 0.45, 0.62, 0.8}

func factor(k int) float64 { return gridStep * factorShift * float64(k-memoryFactors/2) }

// memoryPrior: log factors are normal around 0 with deviation 0.6, and both shapes are as likely.
func memoryPrior(k int) float64 { z := factor(k) / 0.6; return -z * z / 2 }

// learnPrior: about a third of attempts teach; that prerequisites matter fully is as likely as that they do not matter.
func learnPrior(r int) float64 { z := math.Log(rates[r]/0.3) / 0.8; return -z * z / 2 }

// Review takes in one answer to something learned: elapsed and stability in days (stability by FSRS-6 defaults), mastery
// the probability that it had been learned at all, right the answer.
func (t *Traits) Review(elapsed, stability, mastery float64, right bool) {
	// Below about two hours nothing is forgotten under any hypothesis, so the answer says nothing of memory.
	if elapsed < 0.08 || stability <= 0 || mastery < 0.3 {
		return
	}
	t.Reviews++
	u := math.Log(elapsed / stability)
	for s := range shapes {
		for k := range memoryFactors {
			r := tableAt(s, u-factor(k))
			t.Memory[s*memoryFactors+k] += math.Log(answer(mastery*r, right))
		}
	}
	settle(t.Memory[:])
}

// Attempt takes in what an attempt at something perhaps unknown led to: mastery before it, readiness of its
// prerequisites and effort then, recall the probability that what was learned is recalled at the next answer, and that
// answer.
func (t *Traits) Attempt(mastery, readiness, effort, recall float64, right bool) {
	if mastery > 0.8 {
		return
	}
	t.Attempts++
	for r := range learnRates {
		for g := range gates {
			l := learning(rates[r], gate(g), readiness, effort)
			t.Learn[r*gates+g] += math.Log(answer((mastery+(1-mastery)*l)*recall, right))
		}
	}
	settle(t.Learn[:])
}

func gate(g int) float64 { return float64(g) / (gates - 1) }

// learning is the probability that an attempt teaches.
func learning(rate, gate, readiness, effort float64) float64 {
	return min(0.95, rate*(1-gate*(1-readiness))/effort)
}

func answer(known float64, right bool) float64 {
	p := known*(1-slip) + (1-known)*guess
	if right {
		return p
	}
	return 1 - p
}

func tableAt(shape int, u float64) float64 {
	x := (u - gridLow) / gridStep
	if x <= 0 {
		return 1
	}
	i := min(int(x), gridLen-1)
	return baseCurves[shape][i]
}

// settle keeps the largest log likelihood at zero, so that years of evidence do not run out of digits.
func settle(v []float64) {
	top := slices.Max(v)
	for i := range v {
		v[i] = max(v[i]-top, -50)
	}
}

// Model is what Traits foretell, worked out once for many questions.
type Model struct {
	curve
	// An attempt teaches with probability rate − gated·(1−readiness), over effort.
	rate, gated float64
}

// Model works the posterior means out.
func (t *Traits) Model() *Model {
	m := &Model{}
	var weights [shapes * memoryFactors]float64
	total := 0.0
	for i := range weights {
		weights[i] = math.Exp(t.Memory[i] + memoryPrior(i%memoryFactors))
		total += weights[i]
	}
	for i, w := range weights {
		if w /= total; w < 1e-4 {
			continue
		}
		table, shift := &baseCurves[i/memoryFactors], factorShift*(i%memoryFactors-memoryFactors/2)
		for j := range gridLen {
			m.at[j] += w * table[min(max(j-shift, 0), gridLen-1)]
		}
	}
	total = 0
	for r := range learnRates {
		for g := range gates {
			w := math.Exp(t.Learn[r*gates+g] + learnPrior(r))
			total += w
			m.rate += w * rates[r]
			m.gated += w * rates[r] * gate(g)
		}
	}
	m.rate /= total
	m.gated /= total
	return m
}

// Teaches is the probability that an attempt teaches what is not known, by the readiness of its prerequisites in 0..1
// and its effort (1 is usual).
func (m *Model) Teaches(readiness, effort float64) float64 {
	return min(0.95, max(0.005, m.rate-m.gated*(1-readiness))/effort)
}

// Gating is the posterior mean in 0..1 of how much learning depends on known prerequisites.
func (m *Model) Gating() float64 { return m.gated / m.rate }

// Recall is the probability that something learned is recalled after the days elapsed, by its stability in days.
func (m *Model) Recall(elapsed, stability float64) float64 { return m.recall(elapsed, stability) }
