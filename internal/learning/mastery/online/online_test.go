package online_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/wire"
)

// The head finds the weights that made the outcomes, and its covariance says how far off it may be.
func TestHeadLearns(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	truth := []float64{-0.5, 1.2, 0.3, 0}
	var s online.Scratch
	inside, asked := 0, 0
	for range 20 {
		h := online.NewHead(make([]float64, 4), 1, 0)
		x := make([]float64, 4)
		for range 3000 {
			z := 0.0
			for i := range x {
				x[i] = r.NormFloat64()
				if i == 0 {
					x[i] = 1
				}
				z += truth[i] * x[i]
			}
			x[3] = x[1] + 0.05*r.NormFloat64() // nearly says what another says
			o := online.Outcome{Weight: 1}
			if r.Float64() < online.Sigmoid(z) {
				o.Y = 1
			}
			h.Learn(&s, nil, h.Sum(x, &s), o)
		}
		for _, probe := range [][]float64{{1, 0, 0, 0}, {0, 1, 0, 1}, {0, 0, 1, 0}} {
			sum, want := h.Sum(probe, &s), probe[0]*truth[0]+probe[1]*truth[1]+probe[2]*truth[2]
			asked++
			if math.Abs(sum.Mean-want) < 1.645*math.Sqrt(sum.Var) {
				inside++
			}
			if math.Abs(sum.Mean-want) > 0.3 {
				t.Errorf("%v: %v, not %v", probe, sum.Mean, want)
			}
		}
	}
	if inside < asked*3/4 {
		t.Errorf("only %d of %d within the 90 %% interval", inside, asked)
	}
}

// A single belief and a head of one weight are the same thing.
func TestBeliefIsAHeadOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, h := online.Belief{Mean: 0.3, Var: 0.7}, online.NewHead([]float64{0.3}, 0.7, 0)
		var s online.Scratch
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			x := rapid.Float64Range(-3, 3).Draw(t, "x")
			o := online.Outcome{Y: rapid.Float64Range(0, 1).Draw(t, "y"), Weight: rapid.Float64Range(0, 1).Draw(t, "weight")}
			terms := []online.Term{{Belief: &b, X: x}}
			online.Learn(terms, online.SumOf(terms), o)
			h.Learn(&s, nil, h.Sum([]float64{x}, &s), o)
			one := h.Sum([]float64{1}, &s)
			if math.Abs(one.Mean-b.Mean) > 1e-9 || math.Abs(one.Var-b.Var) > 1e-9 {
				t.Fatalf("%+v and %+v", one, b)
			}
		}
	})
}

// The mixture's loss is at most ln n above the best expert's, but for what is shared at each step.
func TestMixtureRegret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := online.NewMixture(3)
		var ours float64
		experts := make([]float64, 3)
		steps := rapid.IntRange(1, 300).Draw(t, "steps")
		for range steps {
			p := rapid.SliceOfN(rapid.Float64Range(0.001, 0.999), 3, 3).Draw(t, "p")
			o := online.Outcome{Weight: 1}
			if rapid.Bool().Draw(t, "y") {
				o.Y = 1
			}
			loss := func(p float64) float64 { return -math.Log(math.Abs(1 - o.Y - p)) }
			ours += loss(m.P(p))
			for i := range p {
				experts[i] += loss(p[i])
			}
			m.Learn(p, o)
		}
		if best := min(experts[0], experts[1], experts[2]); ours > best+math.Log(3)+1.1e-4*float64(steps) {
			t.Fatalf("lost %v, the best %v", ours, best)
		}
	})
}

// MOVING-AVG by hand: x = 1.2 → 1.2 + 0.3(1 - 0.76852).
func TestMovingAverage(t *testing.T) {
	m := online.NewMovingAverage()
	m.Learn(online.Outcome{Y: 1, Weight: 1})
	if math.Abs(m.X-1.269443) > 1e-6 {
		t.Error(m.X)
	}
}

// A head that is read back goes on as the one that was written.
func TestHeadBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	h := online.NewHead([]float64{0, 1, 0, 0, 0}, 0.1, 1e-9)
	var s online.Scratch
	for range 100 {
		x := []float64{1, r.NormFloat64(), 0, r.NormFloat64(), 0} // the last is never seen
		h.Learn(&s, nil, h.Sum(x, &s), online.Outcome{Y: float64(r.IntN(2)), Weight: 1})
	}
	var w wire.Writer
	h.Put(&w)
	again := online.NewHead(make([]float64, 5), 0.1, 1e-9)
	reader := wire.Reader{B: w.B}
	again.Take(&reader)
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		x := []float64{1, r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		a := h.Sum(x, &s)
		h.Learn(&s, nil, a, online.Outcome{Y: 1, Weight: 1})
		b := again.Sum(x, &s)
		if a != b {
			t.Fatal(a, b)
		}
		again.Learn(&s, nil, b, online.Outcome{Y: 1, Weight: 1})
	}
}
