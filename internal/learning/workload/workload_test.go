package workload

import (
	"math/rand/v2"
	"testing"
)

// More recall costs more reviews, twice the cards cost twice as many, and a sample says about what all of them do.
func TestReviewsPerDay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	var cards []Card
	for range 900 {
		cards = append(cards, Card{1 + 40*r.Float64(), 1 + 9*r.Float64(), 20 * r.Float64()})
	}
	before := 0.0
	for _, retention := range []float64{0.80, 0.82, 0.84, 0.86, 0.88, 0.90, 0.92} {
		n := ReviewsPerDay(cards, retention, 30)
		if n <= before {
			t.Errorf("%v reviews a day at %v, %v below it", n, retention, before)
		}
		before = n
	}
	once, thrice := ReviewsPerDay(cards, 0.9, 30), ReviewsPerDay(append(append(append([]Card{}, cards...), cards...), cards...), 0.9, 30)
	if thrice < 2.8*once || thrice > 3.2*once {
		t.Errorf("%v for the cards, %v for thrice as many", once, thrice)
	}
	if ReviewsPerDay(nil, 0.9, 30) != 0 || ReviewsPerDay(cards, 0.9, 0) != 0 {
		t.Error("nothing costs something")
	}
}
