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
