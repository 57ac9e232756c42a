package path

import (
	"math/rand/v2"
	"testing"
)

// TestDecksBoundPlans: no plan holds more new or more reviewed concepts of a deck, with those of the decks below it, than it
// allows, whatever the strategy and gates; what was put in focus is not bound.
func TestDecksBoundPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 77))
	bound, beyond, asked := 0, 0, 0
	for n := range 5000 {
		v := viewOf(20+r.IntN(60), r)
		for i := range 1 + r.IntN(4) {
			v.Decks = append(v.Decks, Deck{Above: r.IntN(i + 1), New: r.IntN(5) - 1, Reviews: r.IntN(5) - 1})
		}
		for i := range v.Concepts {
			v.Concepts[i].Deck = r.IntN(len(v.Decks) + 1)
			if n%2 == 0 {
				v.Concepts[i].Evidence = nil
			}
		}
		q := Request{Strategy: Strategies[r.IntN(3)], Context: []Context{Unknown, Stable, Improving, Regressing}[r.IntN(4)], Limit: 1 + r.IntN(30), Brief: true}
		if r.IntN(4) == 0 {
			q.Limit, q.Minutes = 0, 5+60*r.Float64()
		}
		free := *v
		free.Decks = make([]Deck, len(v.Decks))
		for d := range free.Decks {
			free.Decks[d] = Deck{New: -1, Reviews: -1}
		}
		for d := range v.Decks {
			count := func(p Plan, fresh bool) int {
				in := map[int]bool{}
				for _, a := range p.Actions {
					if (v.Concepts[a.Concept].Attempts == 0) == fresh && v.in(a.Concept, d+1) {
						in[a.Concept] = true
					}
				}
				return len(in)
			}
			for _, fresh := range []bool{true, false} {
				left := v.Decks[d].left(fresh)
				if left < 0 {
					continue
				}
				if got := count(Make(v, q), fresh); got > left {
					t.Fatalf("plan %d (%+v): %d of deck %d, which allows %d (new: %v)", n, q, got, d, left, fresh)
				}
				bound++
				if count(Make(&free, q), fresh) > left {
					beyond++
				}
			}
		}
		i := r.IntN(len(v.Concepts))
		if s := newScorer(v, DefaultHorizon, nil); s.shut(i) && !s.settled(i) && !s.locked(i) {
			asked++
			if len(Make(v, Request{Focus: []int{i}}).Actions) == 0 {
				t.Fatalf("plan %d: %d was asked for and is in no plan", n, i)
			}
		}
	}
	if beyond < bound/10 || asked < 100 {
		t.Errorf("%d bounds, %d of them would have been passed, %d asked for: too few to show anything", bound, beyond, asked)
	}
}
