package month

import (
	"math"
	"math/rand/v2"
	"time"
)

// student learns by answering: an attempt teaches with a chance that falls while what it needs is not recalled. What was
// learned is recalled by the activation of its practices (Anderson's base-level learning).
type student struct {
	r                      *rand.Rand
	decay, teaches         float64
	practices              map[int][]time.Time
	needs                  map[int][]int
	guess, slip, threshold float64
	noise                  float64
	secondsEach            float64
}

func newStudent(seed uint64, needs map[int][]int) *student {
	r := rand.New(rand.NewPCG(seed, 77))
	return &student{
		r: r, decay: 0.42 + 0.14*r.Float64(), teaches: 0.45 + 0.35*r.Float64(), practices: map[int][]time.Time{}, needs: needs,
		guess: 0.08, slip: 0.06, threshold: -6.4, noise: 0.6, secondsEach: 20 + 60*r.Float64(),
	}
}

// recall is the probability that i is recalled at a time.
func (s *student) recall(i int, now time.Time) float64 {
	sum := 0.0
	for _, at := range s.practices[i] {
		sum += math.Pow(max(60, now.Sub(at).Seconds()), -s.decay)
	}
	if sum == 0 {
		return 0
	}
	return 1 / (1 + math.Exp(-(math.Log(sum)-s.threshold)/s.noise))
}

// truth is the probability of a right answer at a time.
func (s *student) truth(i int, now time.Time) float64 {
	r := s.recall(i, now)
	return r*(1-s.slip) + (1-r)*s.guess
}

// answer answers, and learns from what follows.
func (s *student) answer(i int, now time.Time) bool {
	recalled := s.r.Float64() < s.recall(i, now)
	right := s.r.Float64() < s.guess
	if recalled {
		right = s.r.Float64() >= s.slip
	}
	ready := 1.0
	for _, j := range s.needs[i] {
		ready *= 0.4 + 0.6*s.recall(j, now)
	}
	if len(s.practices[i]) > 0 || s.r.Float64() < s.teaches*ready {
		s.practices[i] = append(s.practices[i], now)
	}
	return right
}
