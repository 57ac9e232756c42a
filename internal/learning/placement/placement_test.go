package placement

import (
	"math/rand/v2"
	"testing"

	"stoa/internal/learning/path"
)

// student is somebody who knows a part of a curriculum, mostly with what it needs.
type student struct {
	view  *path.View
	place Place
	knows []bool
}

func newStudent(r *rand.Rand, n int) *student {
	s := &student{view: &path.View{Concepts: make([]path.Concept, n)}, knows: make([]bool, n), place: Place{make([]int, n), make([]int, n)}}
	areas := 1 + n/40
	ability := make([]float64, areas)
	for a := range ability {
		ability[a] = r.Float64()
	}
	for i := range n {
		s.place.Area[i] = i * areas / n
		first := 0
		for j := range i {
			if s.place.Area[j] != s.place.Area[i] {
				first = j + 1
			}
		}
		knows := r.Float64() < 0.2+0.75*ability[s.place.Area[i]]
		for range r.IntN(3) {
			if i == first {
				break
			}
			j := first + r.IntN(i-first)
			s.view.Concepts[i].Prerequisites = append(s.view.Concepts[i].Prerequisites, path.Link{To: j, Weight: 0.6 + 0.37*r.Float64()})
			s.place.Level[i] = max(s.place.Level[i], s.place.Level[j]+1)
			if !s.knows[j] && r.Float64() > 0.05 {
				knows = false
			}
		}
		s.knows[i] = knows
	}
	return s
}

func (s *student) answer(r *rand.Rand, i int) {
	c := &s.view.Concepts[i]
	right := r.Float64() < 0.08
	if s.knows[i] {
		right = r.Float64() < 0.93
	}
	c.Attempts, c.LastOutcome, c.Mastery = 1, path.Incorrect, 0.1
	if right {
		c.LastOutcome, c.Mastery = path.Correct, 0.9
	}
}

// TestPlacement places simulated people: what is said to be known is, as often as is said, and it is far more than what was
// asked.
func TestPlacement(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 4))
	said, held, known, found, stated := 0, 0, 0, 0, 0.0
	for range 60 {
		s := newStudent(r, 120)
		asked := map[int]bool{}
		for range Most {
			i, ok := s.place.Next(s.view)
			if !ok {
				break
			}
			if asked[i] {
				t.Fatalf("%d is asked twice", i)
			}
			asked[i] = true
			s.answer(r, i)
		}
		for i, sign := range Implied(s.view) {
			if asked[i] {
				t.Fatalf("%d was asked and is implied", i)
			}
			if sign.P >= 0.8 {
				said++
				stated += sign.P
				if s.knows[i] {
					held++
				}
			}
		}
		for i, k := range s.knows {
			if k && !asked[i] {
				known++
				if Implied(s.view)[i].P >= 0.5 {
					found++
				}
			}
		}
	}
	share, mean := float64(held)/float64(said), stated/float64(said)
	t.Logf("%d said to be known with %.3f, %.3f are; %.3f of what is known and was not asked is found", said, mean, share, float64(found)/float64(known))
	if said < 60 || share < mean-0.05 || share < 0.85 {
		t.Errorf("%d said with %.3f, %.3f right", said, mean, share)
	}
}

// TestNextEnds: of nothing there is nothing to ask, and what is all known or all in vain is not asked to the end.
func TestNextEnds(t *testing.T) {
	if i, ok := (Place{}).Next(&path.View{}); ok {
		t.Errorf("%d of nothing", i)
	}
	r := rand.New(rand.NewPCG(1, 2))
	s := newStudent(r, 30)
	for i := range s.view.Concepts {
		s.view.Concepts[i].Attempts, s.view.Concepts[i].Mastery = 1, 0.9
	}
	if i, ok := s.place.Next(s.view); ok {
		t.Errorf("%d is asked though all were", i)
	}
}
