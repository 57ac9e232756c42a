package measure

import (
	"math"

	"stoa/internal/learning/mastery/online"
)

// tracer is a model of answers: it is shown the train part first, then predicts each answer before it is shown it.
type tracer interface {
	train(answers []Answer)
	next(a *Answer) float64 // predicts, then learns
}

// through lets a model that learns online go through the train part.
func through(t tracer, answers []Answer) {
	for i := range answers {
		t.next(&answers[i])
	}
}

func value(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

// mean is the share of right answers so far: of all (AVG), or of the item, drawn to that of all by five answers.
type mean struct {
	byItem   bool
	right, n float64
	items    [][2]float64
}

func (m *mean) train(a []Answer) { through(m, a) }

func (m *mean) next(a *Answer) float64 {
	p := (m.right + 0.5) / (m.n + 1)
	m.right, m.n = m.right+value(a.Right), m.n+1
	if !m.byItem {
		return p
	}
	i := &m.items[a.item]
	p = (i[0] + 5*p) / (i[1] + 5)
	i[0], i[1] = i[0]+value(a.Right), i[1]+1
	return p
}

type pair struct{ user, skill int }

// earlier is the update rule of the earlier implementation (field facts 2.3), its mastery read as a probability: 0.5 at
// first, confidence 0.7 as none is given.
type earlier struct{ m map[pair]float64 }

func (e *earlier) train(a []Answer) { through(e, a) }

func (e *earlier) next(a *Answer) float64 {
	k := pair{a.user, a.skill}
	m, ok := e.m[k]
	if !ok {
		m = 0.5
	}
	after := m - m*(0.22+0.08*(1-0.7))
	if a.Right {
		after = m + (1-m)*(0.16+0.08*0.7)
	}
	e.m[k] = math.Round(min(max(after, 0.01), 0.99)*1e6) / 1e6
	return m
}

// plainElo rates people and items: θ += K(y-p), K = 1/(1+0.05n) (Pelánek 2016).
type plainElo struct{ users, items []rating }

type rating struct{ value, n float64 }

func (e *plainElo) train(a []Answer) { through(e, a) }

func (e *plainElo) next(a *Answer) float64 {
	u, i := &e.users[a.user], &e.items[a.item]
	p := online.Sigmoid(u.value - i.value)
	d := value(a.Right) - p
	u.value += d / (1 + 0.05*u.n)
	i.value -= d / (1 + 0.05*i.n)
	u.n, i.n = u.n+1, i.n+1
	return p
}

// pfa is Performance Factors Analysis (Pavlik et al. 2009) with logarithmic counts: ease, worth of a right and of a
// wrong answer for each skill; AdaGrad, five passes over the train part, then online.
type pfa struct {
	skills  [][3]float64
	squares [][3]float64
	counts  map[pair][2]float64
}

func (f *pfa) train(a []Answer) {
	for range 5 {
		clear(f.counts)
		through(f, a)
	}
}

func (f *pfa) next(a *Answer) float64 {
	k := pair{a.user, a.skill}
	c := f.counts[k]
	x := [3]float64{1, math.Log1p(c[0]), math.Log1p(c[1])}
	w, g := &f.skills[a.skill], &f.squares[a.skill]
	z := 0.0
	for i := range x {
		z += w[i] * x[i]
	}
	p := online.Sigmoid(z)
	for i := range x {
		d := (value(a.Right) - p) * x[i]
		if g[i] += d * d; g[i] > 0 {
			w[i] += 0.15 * d / math.Sqrt(g[i]+1e-8)
		}
	}
	if a.Right {
		c[0]++
	} else {
		c[1]++
	}
	f.counts[k] = c
	return p
}
