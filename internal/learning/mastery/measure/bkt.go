package measure

import (
	"math"
	"runtime"
	"sync"
)

// bkt is Bayesian Knowledge Tracing (Corbett and Anderson 1995): per skill the probabilities of knowing it at first, of
// learning it at an answer, of a guess and of a slip, chosen on a grid by the likelihood of the train part, guess and
// slip below 0.4 so that knowing stays the better state.
type bkt struct {
	skills []bktParameters
	known  map[pair]float64
}

type bktParameters struct{ first, learn, guess, slip float64 }

var (
	bktFirst = []float64{0.05, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9}
	bktLearn = []float64{0.005, 0.02, 0.05, 0.1, 0.2, 0.35}
	bktError = []float64{0.02, 0.06, 0.12, 0.18, 0.25, 0.32, 0.39}
)

// right gives the probability of a right answer, and what is known after the answer.
func (b bktParameters) step(known float64, right bool) (p, after float64) {
	p = known*(1-b.slip) + (1-known)*b.guess
	if right {
		after = known * (1 - b.slip) / p
	} else {
		after = known * b.slip / (1 - p)
	}
	return p, after + (1-after)*b.learn
}

func (b *bkt) train(answers []Answer) {
	// The answers of each skill, one row of answers after the other for each person.
	type row struct{ right []bool }
	rows := make([][]row, len(b.skills))
	at := map[pair]int{}
	for i := range answers {
		a := &answers[i]
		k := pair{a.user, a.skill}
		n, ok := at[k]
		if !ok {
			n = len(rows[a.skill])
			at[k] = n
			rows[a.skill] = append(rows[a.skill], row{})
		}
		rows[a.skill][n].right = append(rows[a.skill][n].right, a.Right)
	}
	fit := func(skill int) {
		best := math.Inf(-1)
		b.skills[skill] = bktParameters{0.5, 0.1, 0.2, 0.1}
		for _, first := range bktFirst {
			for _, learn := range bktLearn {
				for _, guess := range bktError {
					for _, slip := range bktError {
						x := bktParameters{first, learn, guess, slip}
						sum, product := 0.0, 1.0
						for _, r := range rows[skill] {
							known := first
							for _, right := range r.right {
								var p float64
								p, known = x.step(known, right)
								if !right {
									p = 1 - p
								}
								if product *= p; product < 1e-250 {
									sum, product = sum+math.Log(product), 1
								}
							}
						}
						if sum += math.Log(product); sum > best && len(rows[skill]) > 0 {
							best, b.skills[skill] = sum, x
						}
					}
				}
			}
		}
	}
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for skill := range next {
				fit(skill)
			}
		})
	}
	for skill := range b.skills {
		next <- skill
	}
	close(next)
	wg.Wait()
}

func (b *bkt) next(a *Answer) float64 {
	k := pair{a.user, a.skill}
	x := b.skills[a.skill]
	known, ok := b.known[k]
	if !ok {
		known = x.first
	}
	p, after := x.step(known, a.Right)
	b.known[k] = after
	return p
}
