// Package workload foretells how many reviews a wanted recall costs.
package workload

import (
	"math/rand/v2"

	"stoa/internal/learning/mastery/fsrs"
)

// Card is something that is remembered: FSRS-6's stability and difficulty, and the days since it was reviewed.
type Card struct {
	Stability, Difficulty, Elapsed float64
}

// FirstStability is that of something just learned, in days.
var FirstStability = fsrs.Default[2]

const (
	mostCards = 1000 // that are followed; more are a sample
	followed  = 8000 // lives of cards, at least draws of each
	draws     = 4
	within    = 1.0 // days that a lapse takes until it is asked again
)

// ReviewsPerDay is the mean number of reviews a day over so many days when each card is reviewed as soon as its recall has
// fallen to retention. The same cards give the same number.
func ReviewsPerDay(cards []Card, retention float64, days float64) float64 {
	if len(cards) == 0 || days <= 0 {
		return 0
	}
	m := fsrs.NewModel(fsrs.Default)
	step := max(1, len(cards)/mostCards)
	reviews, lives := 0, 0
	each := max(draws, followed/len(cards))
	for at := 0; at < len(cards); at += step {
		for life := range each {
			r := rand.New(rand.NewPCG(uint64(at), uint64(life)))
			c := cards[at]
			s, now, last := fsrs.State{Stability: max(c.Stability, fsrs.MinStability), Difficulty: min(max(c.Difficulty, 1), 10)}, 0.0, -c.Elapsed
			for {
				due := max(now, last+max(within, m.Interval(s, retention)))
				if due >= days {
					break
				}
				grade := fsrs.Good
				if r.Float64() >= m.Retrievability(s, due-last) {
					grade = fsrs.Again
				}
				s = m.Next(s, grade, due-last)
				now, last = due, due
				reviews++
			}
			lives++
		}
	}
	return float64(reviews) / float64(lives) * float64(len(cards)) / days
}
