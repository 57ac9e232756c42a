package mastery

import (
	"fmt"
	"math"
	"testing"

	"stoa/internal/learning/mastery/online"
)

// Nothing is told of fewer than ten people; more people who answered rightly make it easier, and more people make it surer.
func TestSharedEase(t *testing.T) {
	secret := []byte("secret")
	for people := range int64(LeastSharing) {
		if got := SharedEase(secret, "a", people, people); got != (online.Belief{}) {
			t.Errorf("%d people: %v", people, got)
		}
	}
	few, many := SharedEase(secret, "a", 10, 2), SharedEase(secret, "a", 1000, 200)
	if few.Mean >= 0 || many.Mean >= 0 || many.Var >= few.Var || few.Var >= 1 {
		t.Errorf("a fifth right: %v of 10, %v of 1,000", few, many)
	}
	if want := online.Logit(.2) - online.Logit(.65); math.Abs(many.Mean-want) > .1 {
		t.Errorf("of 1,000 people %v, not %.2f", many, want)
	}
	if easy := SharedEase(secret, "a", 1000, 950); easy.Mean <= 1 {
		t.Errorf("nineteen in twenty right: %v", easy)
	}
	if SharedEase(secret, "a", 1000, 200) != many {
		t.Error("who asks again gets other noise")
	}
}

// What one person adds changes the chance of anything that is told by a factor of at most e: over many secrets, the share of
// them by which the number of right answers seems to be above a bound, with and without one right answer.
func TestSharedEaseIsPrivate(t *testing.T) {
	const secrets = 20000
	above := func(right int64, bound float64) float64 {
		n := 0
		for i := range secrets {
			if float64(right)+laplace(fmt.Append(nil, i), "a", 20, right) > bound {
				n++
			}
		}
		return float64(n) / secrets
	}
	for _, bound := range []float64{8, 9.5, 10, 10.5, 11, 13} {
		with, without := above(11, bound), above(10, bound)
		if with > math.E*without*1.1 || 1-without > math.E*(1-with)*1.1 {
			t.Errorf("above %.1f: %.4f with, %.4f without", bound, with, without)
		}
	}
	if with, without := above(11, 10.5), above(10, 10.5); with < 1.5*without {
		t.Errorf("one answer does not matter at all: %.4f with, %.4f without", with, without)
	}
}

// The figures of one secret are those that are in learners' logs: the noise, the two answers of the usual rate and the bounds of rates.
func TestSharedEaseOfOneSecret(t *testing.T) {
	for _, c := range []struct {
		people, right  int64
		mean, variance float64
	}{
		{10, 2, -0.762611529284, 0.389351456906},
		{10, 10, 0.260983932267, 0.887768143977},
		{40, 26, -0.076431194953, 0.109564740636},
		{400, 399, 2.198221848816, 0.054690777708},
		{1000, 200, -1.989370545794, 0.006262754816},
	} {
		if got := SharedEase([]byte("secret"), "a", c.people, c.right); math.Abs(got.Mean-c.mean) > 1e-9 || math.Abs(got.Var-c.variance) > 1e-9 {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// The noise is Laplace's of scale 1: its mean is 0, its mean distance from 0 is 1, and it is as often below 0 as above.
func TestNoise(t *testing.T) {
	const draws = 40000
	sum, distance, below := 0.0, 0.0, 0
	for i := range draws {
		x := laplace([]byte("secret"), fmt.Sprint(i), 20, 5)
		sum, distance = sum+x, distance+math.Abs(x)
		if x < 0 {
			below++
		}
	}
	if mean, away, half := sum/draws, distance/draws, float64(below)/draws; math.Abs(mean) > .03 || math.Abs(away-1) > .02 || math.Abs(half-.5) > .01 {
		t.Errorf("mean %.4f, distance %.4f, below 0 %.4f", mean, away, half)
	}
}

// A person's usual time is a mean over at most ten answers; other states are refused.
func TestStatesOfTempo(t *testing.T) {
	for _, c := range []struct {
		answers float64
		refused bool
	}{{0, false}, {known, false}, {-1, true}, {known + 1, true}} {
		p := NewPerson()
		p.tempo.Answers = c.answers
		if _, err := DecodePerson(p.Encode()); (err != nil) != c.refused {
			t.Errorf("%v answers: %v", c.answers, err)
		}
	}
}
