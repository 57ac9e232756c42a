package recall_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/recall"
)

const hour = int64(3600e6)

// Half a day makes another day, as fsrs-rs rounds.
func TestAnotherDay(t *testing.T) {
	var s online.Scratch
	p, c, past := recall.NewPerson(), recall.Card{}, online.Windows{}
	if c.AnotherDay(0) || p.Predict(c, &past, 0).P != 0 {
		t.Error("what was never learned is predicted")
	}
	for i, step := range []struct {
		hours                int64
		predicted            bool
		elapsed              float64
		days, lapses, repeat uint32
	}{{0, false, 0, 0, 0, 0}, {11, false, 11. / 24, 0, 0, 1}, {13, true, 1, 1, 1, 0}, {1, false, 1. / 24, 1, 1, 1}, {60, true, 2.5, 2, 2, 0}, {-90, false, 0, 2, 2, 1}} {
		at := c.At + step.hours*hour
		if i == 0 {
			at = 1e15
		} else if e := c.Elapsed(at); math.Abs(e-step.elapsed) > 1e-9 {
			t.Errorf("review %d: %v days", i, e)
		}
		if _, ok := p.Review(&c, &past, fsrs.Again, at, &s); ok != step.predicted || c.Days != step.days || c.Lapses != step.lapses || c.Today != step.repeat {
			t.Errorf("review %d: %v, %+v", i, ok, c)
		}
	}
	if c.At != 1e15+85*hour {
		t.Error("time ran backwards and was believed")
	}
}

// A new person is FSRS-6; whatever the history, predictions are probabilities and reviews are due within bounds.
func TestLaws(t *testing.T) {
	var s online.Scratch
	rapid.Check(t, func(t *rapid.T) {
		p := recall.NewPerson()
		cards, past := make([]recall.Card, 3), make([]online.Windows, 3)
		at := int64(1.7e15)
		for i := range rapid.IntRange(1, 60).Draw(t, "reviews") {
			k := rapid.IntRange(0, 2).Draw(t, "card")
			c := &cards[k]
			at += rapid.Int64Range(-40, 4000).Draw(t, "hours") * hour
			g := fsrs.Grade(rapid.IntRange(1, 4).Draw(t, "grade"))
			q, ok := p.Review(c, &past[k], g, at, &s)
			past[k].Add(online.Outcome{Y: float64(min(g-1, 1)), Weight: 1}, at)
			if ok && !(q.P > 0 && q.P < 1) {
				t.Fatalf("review %d: %v", i, q.P)
			}
			plain, due := c.Interval(0.9), p.Due(*c, &past[k], 0.9)
			if !(due >= plain/4-1e-9 && due <= math.Min(plain*4, fsrs.MaxStability)+1e-9) {
				t.Fatalf("due in %v days, by FSRS-6 in %v", due, plain)
			}
		}
	})
	p, c, past := recall.NewPerson(), recall.Card{}, online.Windows{}
	p.Review(&c, &past, fsrs.Good, 1e15, &s)
	past.Add(online.Outcome{Y: 1, Weight: 1}, 1e15)
	for _, days := range []int64{1, 5, 100} {
		q := p.Predict(c, &past, 1e15+days*24*hour)
		if r := c.Retrievability(1e15 + days*24*hour); math.Abs(q.P-r) > 2e-4 {
			t.Errorf("after %d days a new person is expected to recall with %v, by FSRS-6 with %v", days, q.P, r)
		}
	}
	for retention, want := range map[float64]float64{0.9: 2.3065, 0.8: c.Interval(0.8)} {
		if due := p.Due(c, &past, retention); math.Abs(due/want-1) > 0.01 {
			t.Errorf("the first right answer is due after %v days, by FSRS-6 after %v", due, want)
		}
	}
}
