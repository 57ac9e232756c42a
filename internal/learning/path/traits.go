package path

import (
	"math"
	"math/bits"
	"slices"
)

// Traits is what the evidence says of one person as a learner: how long memories last against FSRS-6's defaults, whether
// forgetting has a heavy tail (power) or none (exponential), how likely an attempt teaches, and how much that depends on
// the prerequisites being known. Two posteriors over small grids, kept as log likelihoods, so that it is a plain value:
// the same evidence gives the same Traits, and it can be stored. The zero value is the prior.
type Traits struct {
	// Memory (by shape, then factor) and Learn (by rate, then gate, then faults) are log likelihoods of the evidence.
	Memory [shapes * memoryFactors]float64      `json:"memory"`
	Learn  [learnRates * gates * faults]float64 `json:"learn"`
	// Reviews and Attempts count the evidence.
	Reviews  int `json:"reviews"`
	Attempts int `json:"attempts"`
	// Recent are the last answers, a bit each, 1 for a right one, the newest lowest; RecentCount how many there are.
	Recent      uint32 `json:"recent,omitempty"`
	RecentCount int    `json:"recentCount,omitempty"`
	Pace        Pace   `json:"pace,omitzero"`
}

// recentAnswers is how many answers say how it goes of late.
const recentAnswers = 30

// answered takes an answer into the last ones.
func (t *Traits) answered(right bool) {
	t.Recent <<= 1
	if right {
		t.Recent |= 1
	}
	t.Recent &= 1<<recentAnswers - 1
	t.RecentCount = min(t.RecentCount+1, recentAnswers)
}

// RecentSuccess is the share of right answers among the last ones, and how many these are.
func (t *Traits) RecentSuccess() (share float64, of int) {
	if t.RecentCount == 0 {
		return 0, 0
	}
	return float64(bits.OnesCount32(t.Recent)) / float64(t.RecentCount), t.RecentCount
}

const (
	memoryFactors = 13 // e^(-1.8) … e^(1.8) in steps of 0.3
	factorShift   = 2  // grid steps of the curve tables per factor step
	learnRates    = 7
	gates         = 5
	faults        = 4
	guess, slip   = 0.15, 0.08
)

var (
	rates = [learnRates]float64{0.05, 0.1, 0.18, 0.3, 0.45, 0.62, 0.8}
	// fault is how often something that looks ready is blocked by what the graph lacks or has turned round.
	fault = [faults]float64{0.03, 0.12, 0.35, 0.65}
)

func factor(k int) float64 { return gridStep * factorShift * float64(k-memoryFactors/2) }

// memoryPrior: log factors are normal around 0 with deviation 0.6, and both shapes are as likely.
func memoryPrior(k int) float64 { z := factor(k) / 0.6; return -z * z / 2 }

// learnPrior: about a third of attempts teach; that prerequisites matter fully is as likely as that they do not matter;
// a faulty graph is rarer than a good one.
func learnPrior(r, f int) float64 {
	z := math.Log(rates[r]/0.3) / 0.7
	return -z*z/2 - float64(f)*math.Ln2
}

// review adds one answer to something learned: elapsed and stability in days (stability by FSRS-6 defaults), mastery
// the probability that it had been learned at all, right the answer.
func (t *Traits) review(elapsed, stability, mastery float64, right bool) {
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

// Try is an attempt at something perhaps unknown, as it stood before it.
type Try struct {
	Mastery   float64
	Readiness float64 // of its prerequisites, 0..1
	Effort    float64 // 1 is usual
	Failures  int     // wrong answers in a row before it
	Days      float64 // since the last attempt
}

// attempt adds the result of an attempt: recall is the probability that what it taught is recalled when the answer is
// given (1 for an answer at once), right the answer.
func (t *Traits) attempt(a Try, recall float64, right bool) {
	if a.Mastery > 0.8 {
		return
	}
	t.Attempts++
	i := 0
	for _, rate := range rates {
		for g := range gates {
			for _, f := range fault {
				l := teaching(rate, rate*gate(g), f, a.Readiness, a.Effort, a.Failures, 0)
				t.Learn[i] += math.Log(answer((a.Mastery+(1-a.Mastery)*l)*recall, right))
				i++
			}
		}
	}
	settle(t.Learn[:])
}

func gate(g int) float64 { return float64(g) / (gates - 1) }

// forgiven is the number of days that halves what failures say, since the missing thing may have been learned.
const forgiven = 7

// teaching is the probability that an attempt teaches: rate − gated·(1−readiness) over effort, times the probability that
// nothing unknown stands in the way, which by Bayes falls with every failure in a row, from the prior fault. What looks
// locked may not be, however many prerequisites it is said to miss, since what a graph says of one concept is often wrong
// as a whole: readiness is never taken for less than a part of fault.
func teaching(rate, gated, fault, readiness, effort float64, failures int, days float64) float64 {
	p := min(0.95, max(0.005, rate-gated*(1-max(readiness, 0.05+0.3*fault)))/effort)
	if failures > 0 {
		n := float64(failures)
		if days > 0 {
			n *= math.Exp2(-days / forgiven)
		}
		free := (1 - fault) * math.Exp(n*math.Log1p(-min(0.9, p)))
		p *= free / (free + fault)
	}
	return p
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
	// Something that looks ready is blocked with probability fault.
	fault float64
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
	i := 0
	for r, rate := range rates {
		for g := range gates {
			for f, wrong := range fault {
				w := math.Exp(t.Learn[i] + learnPrior(r, f))
				i++
				total += w
				m.rate += w * rate
				m.gated += w * rate * gate(g)
				m.fault += w * wrong
			}
		}
	}
	m.rate /= total
	m.gated /= total
	m.fault /= total
	return m
}

// teaches is the probability that an attempt teaches what is not known, by the readiness of its prerequisites in 0..1,
// its effort (1 is usual), the wrong answers in a row and the days since the last of them.
func (m *Model) teaches(readiness, effort float64, failures int, days float64) float64 {
	return teaching(m.rate, m.gated, m.fault, readiness, effort, failures, days)
}

// Gating is the posterior mean in 0..1 of how much learning depends on known prerequisites.
func (m *Model) Gating() float64 { return m.gated / m.rate }

// Fault is the posterior mean in 0..1 of how often something that looks ready is not: how far the graph is off.
func (m *Model) Fault() float64 { return m.fault }
