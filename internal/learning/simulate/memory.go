package simulate

import "math"

// memory is one thing in a student's memory. Times are in days.
type memory interface {
	// recall is the probability that it is recalled on a day, if it was learned.
	recall(day float64) float64
	// practise adds a share of a repetition, recalled or failed and then shown again.
	practise(day float64, recalled bool, share float64)
}

// memoryKind names how students of a world remember.
type memoryKind int

const (
	powerCurve  memoryKind = iota // FSRS-6's curve and growth
	exponential                   // the same growth, no heavy tail
	activation                    // ACT-R with decay that depends on activation (Pavlik & Anderson 2005)
	multiscale                    // stores that fade at many speeds (Mozer et al. 2009)
)

// person is what makes one student remember unlike others.
type person struct {
	last  float64 // how long memories last, 1 is usual
	decay float64 // of activation
}

func (k memoryKind) fresh(p person, effort, day float64) memory {
	switch k {
	case activation:
		m := &traces{intercept: p.decay}
		m.practise(day, true, 1)
		return m
	case multiscale:
		m := &stores{last: p.last}
		m.practise(day, false, 1)
		return m
	}
	return &curve{exponential: k == exponential, last: p.last, difficulty: min(10, 3+2.5*effort), stability: 2.3065, at: day}
}

// curve forgets by FSRS-6's power curve or by an exponential one, and grows by FSRS-6's formula for recall.
type curve struct {
	exponential      bool
	last, difficulty float64
	stability, at    float64
}

var power = math.Pow(0.9, -1/0.1542) - 1

func (m *curve) recall(day float64) float64 {
	x := (day - m.at) / (m.stability * m.last)
	if m.exponential {
		return math.Pow(0.9, x)
	}
	return math.Pow(1+power*x, -0.1542)
}

func (m *curve) practise(day float64, recalled bool, share float64) {
	if recalled {
		r, s := m.recall(day), m.stability
		m.stability += share * s * math.Exp(1.8722) * (11 - m.difficulty) * math.Pow(s, -0.1666) * math.Expm1(0.796*(1-r))
	} else {
		m.stability = max(0.1, 0.35*m.stability)
	}
	if share == 1 {
		m.at = day
	} else {
		m.at += share * (day - m.at)
	}
}

// traces are presentations whose strengths fade as powers of time; each fades the faster, the more active the thing was
// when it was presented, so that practice in one go helps little.
type traces struct {
	intercept float64
	days      []float64
	decays    []float64
	shares    []float64
}

const (
	activationScale     = 0.217  // of the decay by activation, from the article
	activationThreshold = -0.55  // with time in days: a thing seen once is recalled the next day with .9, after ten with .6
	activationNoise     = 0.255  // from the article
	shortestLag         = 1. / 9 // day: what is asked at once is no more active than after some hours
)

func (m *traces) activation(day float64) float64 {
	sum := 0.0
	for i, at := range m.days {
		sum += m.shares[i] * math.Pow(max(shortestLag, day-at), -m.decays[i])
	}
	return math.Log(sum)
}

func (m *traces) recall(day float64) float64 {
	return 1 / (1 + math.Exp((activationThreshold-m.activation(day))/activationNoise))
}

func (m *traces) practise(day float64, _ bool, share float64) {
	d := m.intercept
	if len(m.days) > 0 {
		d += activationScale * math.Exp(m.activation(day))
	}
	m.days, m.decays, m.shares = append(m.days, day), append(m.decays, d), append(m.shares, share)
}

// stores fade at speeds that differ by threes, from eight hours to two years; what is in any of them is recalled. What is
// practised goes into each as far as the faster ones have lost it, more after a recall than after a failure.
type stores struct {
	last float64
	x    [numStores]float64
	at   float64
}

const (
	numStores = 8
	firstDays = 0.35 // of the fastest store
	// stored is what a failure that is shown again puts into an empty first store, and recalledMore how much more a recall
	// does; each slower store takes slower times as much.
	stored, recalledMore, slower = 0.5, 1.6, 0.8
)

func (m *stores) recall(day float64) float64 {
	lost := 1.0
	for i, days := 0, firstDays; i < numStores; i, days = i+1, days*3 {
		lost *= 1 - m.x[i]*math.Exp(-(day-m.at)/(days*m.last))
	}
	return min(0.99, 1-lost)
}

func (m *stores) practise(day float64, recalled bool, share float64) {
	rate := stored * share
	if recalled {
		rate *= recalledMore
	}
	lost := 1.0
	for i, days := 0, firstDays; i < numStores; i, days = i+1, days*3 {
		left := m.x[i] * math.Exp(-(day-m.at)/(days*m.last))
		lost *= 1 - left
		m.x[i] = min(0.95, left+rate*lost)
		rate *= slower
	}
	m.at = day
}
