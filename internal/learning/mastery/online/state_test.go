package online_test

import (
	"math"
	"testing"

	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/wire"
)

const day = int64(86400e6)

// Counts halve in an hour, a day, a week and a month; what comes without a time or out of order counts and moves no clock back.
func TestWindows(t *testing.T) {
	var w online.Windows
	w.Add(online.Outcome{Y: 1, Weight: 1}, 0)
	if w != (online.Windows{}) {
		t.Errorf("an answer without a time left %+v", w)
	}
	if got := w.Elapsed(5 * day); got != 0 {
		t.Errorf("%v since no answer at all", got)
	}
	w.Add(online.Outcome{Y: 1, Weight: 1}, 10*day)
	w.Add(online.Outcome{Y: 0.5, Weight: 0.5}, 11*day)
	w.Add(online.Outcome{Y: 0, Weight: 1}, 8*day)
	if w.At != 11*day || w.Elapsed(9*day) != 0 || w.Elapsed(11*day) != 0 || w.Elapsed(18*day) != float64(7*day) {
		t.Errorf("at %d, %v", w.At, w.Elapsed(18*day))
	}
	for i, days := range []float64{1. / 24, 1, 7, 30} {
		seen, good := w.Count(i, float64(7*day))
		left, later := math.Exp2(-1/days), math.Exp2(-7/days)
		if want := (left + 1.5) * later; math.Abs(seen-want) > 1e-12 {
			t.Errorf("window %d: %v seen, not %v", i, seen, want)
		}
		if want := (left + 0.25) * later; math.Abs(good-want) > 1e-12 {
			t.Errorf("window %d: %v right, not %v", i, good, want)
		}
	}
}

// By hand: experts of .8 and .4 that were trusted alike are trusted 2 to 1 after it came true, but for what all are given back.
func TestMixtureByHand(t *testing.T) {
	m := online.NewMixture(2)
	p := []float64{0.8, 0.4}
	if got := m.P(p); math.Abs(got-0.6) > 1e-12 {
		t.Error(got)
	}
	m.Learn(p, online.Outcome{Y: 1, Weight: 1})
	if want := (1-1e-4)*2/3 + 1e-4/2; math.Abs(m.Weights[0]-want) > 1e-12 {
		t.Error(m.Weights, want)
	}
	m = online.NewMixture(2)
	m.Learn([]float64{0, 1}, online.Outcome{Y: 1, Weight: 1})
	if want := (1-1e-4)*1e-6/1 + 1e-4/2; math.Abs(m.Weights[0]-want) > 1e-9 {
		t.Errorf("who was sure and wrong keeps %v, not %v", m.Weights[0], want)
	}
}

// Drift widens a belief up to a limit, and never one that is wider already.
func TestWiden(t *testing.T) {
	for _, c := range []struct{ is, by, limit, want float64 }{{0.2, 0.1, 1, 0.3}, {0.95, 0.1, 1, 1}, {2, 0.1, 1, 2}} {
		b := online.Belief{Var: c.is}
		if b.Widen(c.by, c.limit); math.Abs(b.Var-c.want) > 1e-12 {
			t.Errorf("%+v: %v", c, b.Var)
		}
	}
}

// What was learned long ago is trusted less: each outcome adds the noise to every variance below the prior.
func TestHeadForgets(t *testing.T) {
	var s online.Scratch
	plain, noisy := online.NewHead([]float64{0}, 0.5, 0), online.NewHead([]float64{0}, 0.5, 0.01)
	for range 3 {
		for _, h := range []*online.Head{plain, noisy} {
			h.Learn(&s, nil, h.Sum([]float64{1}, &s), online.Outcome{Y: 1, Weight: 1})
		}
	}
	a, b := plain.Sum([]float64{1}, &s).Var, noisy.Sum([]float64{1}, &s).Var
	if !(a < b && b < 0.5) || math.Abs(b-a) > 0.031 {
		t.Errorf("%v without noise, %v with", a, b)
	}
}

type state interface {
	Put(*wire.Writer)
	Take(*wire.Reader)
}

// States come back as they were written, and what no outcomes lead to is refused.
func TestStates(t *testing.T) {
	mixture := func(w ...float64) *online.Mixture { return &online.Mixture{Weights: w} }
	windows := func(change func(w *online.Windows)) *online.Windows {
		w := &online.Windows{At: 5, Seen: [online.WindowCount]float64{3, 2, 1, 4}, Good: [online.WindowCount]float64{1, 2, 0, 3}}
		change(w)
		return w
	}
	for name, c := range map[string]struct {
		is, into state
		refused  bool
	}{
		"belief":                 {&online.Belief{Mean: -1.5, Var: 0.25}, &online.Belief{}, false},
		"belief without doubt":   {&online.Belief{Mean: 2}, &online.Belief{}, false},
		"belief below no doubt":  {&online.Belief{Mean: 2, Var: -0.1}, &online.Belief{}, true},
		"mixture":                {mixture(0.7, 0.3), mixture(0, 0), false},
		"mixture of nothing":     {mixture(1, 0), mixture(0, 0), true},
		"mixture of less":        {mixture(1.2, -0.2), mixture(0, 0), true},
		"mixture of too much":    {mixture(0.7, 0.31), mixture(0, 0), true},
		"mixture of too little":  {mixture(0.7, 0.29), mixture(0, 0), true},
		"windows":                {windows(func(*online.Windows) {}), &online.Windows{}, false},
		"windows of nothing":     {&online.Windows{}, &online.Windows{}, false},
		"windows seen less":      {windows(func(w *online.Windows) { w.Seen[3] = -1 }), &online.Windows{}, true},
		"windows right less":     {windows(func(w *online.Windows) { w.Good[0] = -1 }), &online.Windows{}, true},
		"windows before 1970":    {windows(func(w *online.Windows) { w.At = -1 }), &online.Windows{}, true},
		"head with no variance":  {online.NewHead([]float64{0}, 0, 0), online.NewHead([]float64{0}, 1, 0), false},
		"head of another's size": {online.NewHead([]float64{0, 1, 2}, 1, 0), online.NewHead([]float64{0}, 1, 0), true},
	} {
		var w, again wire.Writer
		c.is.Put(&w)
		r := wire.Reader{B: w.B}
		c.into.Take(&r)
		err := r.Close()
		if (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
		if c.into.Put(&again); !c.refused && string(again.B) != string(w.B) {
			t.Errorf("%s: %x became %x", name, w.B, again.B)
		}
	}
}

// A head with a variance of zero or less where it has learned is refused.
func TestHeadWithoutVariance(t *testing.T) {
	for _, variance := range []float64{1, 0, -0.5} {
		var w wire.Writer
		w.Uint(2)
		w.Floats(0.1, 0.2)            // means
		w.Floats(0.5, 0.01, variance) // the lower triangle
		r := wire.Reader{B: w.B}
		online.NewHead([]float64{0, 0}, 1, 0).Take(&r)
		if err := r.Close(); (err != nil) != (variance <= 0) {
			t.Errorf("%v: %v", variance, err)
		}
	}
}
