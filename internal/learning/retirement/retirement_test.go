package retirement

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func random(t *rapid.T) *Answers {
	var a Answers
	for range rapid.IntRange(0, 30).Draw(t, "answers") {
		a.Add(rapid.Float64Range(0, 1).Draw(t, "expected"), rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "right"))
	}
	return &a
}

// The odds against a good question do not grow on average while it is one, whatever was answered before: that is why looking often does
// no harm.
func TestOddsAreAMartingale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, expected := random(t), rapid.Float64Range(0, 1).Draw(t, "next")
		for _, bad := range [][]explanation{tooEasy, tooHard, contrary} {
			odds := func(a *Answers) float64 { return math.Exp(a.logLikelihood(bad) - a.logLikelihood(good)) }
			mean := 0.0
			for _, right := range []float64{0, 1} {
				after := *before
				after.Add(expected, right)
				mean += math.Exp(after.logLikelihood(good)-before.logLikelihood(good)) * odds(&after)
			}
			if was := odds(before); math.Abs(mean-was) > 1e-9*max(1, was) {
				t.Fatalf("odds %g, on average %g after another answer", was, mean)
			}
		}
	})
}

// answered draws answers of a question to a learner who is expected to know more and less.
func answered(r *rand.Rand, n int, chance func(expected float64) float64) (a Answers, found int, v Verdict) {
	for i := range n {
		expected := 0.3 + 0.65*r.Float64()
		right := 0.0
		if r.Float64() < chance(expected) {
			right = 1
		}
		a.Add(expected, right)
		if now := a.Judge(); now.Reason != "" && found == 0 {
			found, v = i+1, now
		}
	}
	return a, found, v
}

func TestJudge(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 18))
	const questions = 400
	for _, c := range []struct {
		name   string
		reason Reason
		chance func(expected float64) float64
		most   float64 // share that may be proposed: Ville's bound holds for all good questions together, not for each difficulty
	}{
		{"good", "", func(p float64) float64 { return p }, 0.05},
		{"easy", "", func(p float64) float64 { return p / (p + (1-p)/math.E) }, 0.2},
		{"hard", "", func(p float64) float64 { return p / (p + (1-p)*math.E) }, 0.25},
		{"always right", TooEasy, func(float64) float64 { return 0.99 }, 0},
		{"always wrong", TooHard, func(float64) float64 { return 0.02 }, 0},
		{"the other way round", Contrary, func(p float64) float64 { return 1 - p }, 0},
	} {
		proposed, right := 0, 0
		for range questions {
			_, found, v := answered(r, 30, c.chance)
			if found > 0 {
				proposed++
			}
			if v.Reason == c.reason {
				right++
			}
			if found > 0 && (found < Fewest || v.Answers != v.More.Answers+v.Less.Answers || v.Odds < enough) {
				t.Fatalf("%s: %+v after %d", c.name, v, found)
			}
		}
		switch share := float64(proposed) / questions; {
		case c.reason == "" && share > c.most:
			t.Errorf("%s: %.3f proposed", c.name, share)
		case c.reason != "" && (share < 0.9 || right < proposed*8/10):
			t.Errorf("%s: %.3f proposed, %d for that reason", c.name, share, right)
		}
	}
	var none, some Answers
	if v := none.Judge(); v != (Verdict{}) {
		t.Errorf("of no answers: %+v", v)
	}
	some.Add(math.NaN(), 0.5)
	some.Add(2, 1)
	some.Put(99, 2, 0)
	if v := some.Judge(); v.Answers != 3 || v.Right != 2.5 || v.Reason != "" {
		t.Errorf("%+v", v)
	}
}
