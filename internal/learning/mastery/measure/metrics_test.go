package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestScore(t *testing.T) {
	f := score([]Scored{{0.9, true}, {0.8, true}, {0.8, false}, {0.3, false}})
	for _, c := range []struct{ got, want float64 }{
		{f.AUC, 3.5 / 4},
		{f.Mean, 0.5},
		{f.LogLoss, -(math.Log(0.9) + math.Log(0.8) + math.Log(0.2) + math.Log(0.7)) / 4},
		{f.ECE, (0.1 + 0.6 + 0.3) / 4},
		{f.Brier, (0.01 + 0.04 + 0.64 + 0.09) / 4},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%v, not %v", c.got, c.want)
		}
	}
	if f := score(nil); f.N != 0 || f.AUC != 0.5 || f.LogLoss != 0 {
		t.Errorf("of nothing: %+v", f)
	}
	if f := score([]Scored{{0, true}, {1, true}}); math.IsInf(f.LogLoss, 0) || f.AUC != 0.5 {
		t.Errorf("sure and wrong: %+v", f)
	}
}

// AUC is the share of pairs in the right order.
func TestAUC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Scored {
			return Scored{float64(rapid.IntRange(0, 6).Draw(t, "p")) / 6, rapid.Bool().Draw(t, "y")}
		}), 2, 40).Draw(t, "scored")
		pairs, ordered := 0.0, 0.0
		for _, a := range s {
			for _, b := range s {
				if a.Y && !b.Y {
					pairs++
					switch {
					case a.P > b.P:
						ordered++
					case a.P == b.P:
						ordered += 0.5
					}
				}
			}
		}
		if want := ordered / pairs; pairs > 0 && math.Abs(auc(s)-want) > 1e-12 {
			t.Fatalf("%v, not %v", auc(s), want)
		}
	})
}

// The numbers of the field facts, section 2.3.
func TestEarlierRule(t *testing.T) {
	for _, right := range []bool{true, false} {
		e := &earlier{map[pair]float64{}}
		if p := e.next(&Answer{Right: right}); p != 0.5 {
			t.Errorf("at first %v", p)
		}
		if p, want := e.next(&Answer{}), map[bool]float64{true: 0.608, false: 0.378}[right]; p != want {
			t.Errorf("after right=%v: %v, not %v", right, p, want)
		}
	}
	e := &earlier{map[pair]float64{}}
	for range 100 {
		e.next(&Answer{Right: true})
	}
	if p := e.next(&Answer{}); p != 0.99 {
		t.Errorf("the highest is %v", p)
	}
}

// Answers made by known parameters bring the grid near them, and the fit predicts as well as the truth does.
func TestBKTFindsItsParameters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	truth := bktParameters{first: 0.3, learn: 0.1, guess: 0.18, slip: 0.06}
	var log []Answer
	for user := range 800 {
		known := r.Float64() < truth.first
		for range 12 {
			a := Answer{user: user, Right: r.Float64() < truth.guess}
			if known {
				a.Right = r.Float64() >= truth.slip
			}
			log = append(log, a)
			known = known || r.Float64() < truth.learn
		}
	}
	fitted := &bkt{make([]bktParameters, 2), map[pair]float64{}}
	fitted.train(log[:6000])
	got := fitted.skills[0]
	if math.Abs(got.guess-truth.guess) > 0.08 || math.Abs(got.slip-truth.slip) > 0.08 || math.Abs(got.first-truth.first) > 0.2 || math.Abs(got.learn-truth.learn) > 0.06 {
		t.Errorf("%+v", got)
	}
	loss := func(b *bkt) float64 {
		var s []Scored
		for i := range log[6000:] {
			a := &log[6000+i]
			s = append(s, Scored{b.next(a), a.Right})
		}
		return score(s).LogLoss
	}
	if ours, best := loss(fitted), loss(&bkt{[]bktParameters{truth}, map[pair]float64{}}); ours > best+0.005 {
		t.Errorf("log loss %.4f, by the truth %.4f", ours, best)
	}
	if untrained := fitted.skills[1]; untrained.first != 0.5 {
		t.Errorf("a skill without answers has %+v", untrained)
	}
}

func TestHoldOut(t *testing.T) {
	one := make([]Answer, 10)
	for i := range one {
		one[i].User = "only"
	}
	if train, test := holdOut(one); len(train) != 8 || len(test) != 2 {
		t.Errorf("one person: %d and %d", len(train), len(test))
	}
	if train, test := holdOut(one[:1]); len(train) != 0 || len(test) != 1 {
		t.Errorf("one answer: %d and %d", len(train), len(test))
	}
}
