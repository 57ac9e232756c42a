package path

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"
)

// A plan keeps nothing of the memory that it was worked out in, and nothing in it depends on what stood there before.
func TestPlansShareNoMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	text := func(p Plan) string {
		b, err := json.Marshal(p)
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	request := func(n int) Request { return Request{Strategy: Strategies[n%len(Strategies)], Context: Improving} }
	var views []*View
	var plans []Plan
	var want []string
	for n := range 24 {
		views = append(views, viewOf(1+r.IntN(300), r))
		plans = append(plans, Make(views[n], request(n)))
		want = append(want, text(plans[n]))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n, v := range views {
				if text(Make(v, request(n))) != want[n] {
					t.Errorf("plan %d comes out otherwise later", n)
				}
			}
		})
	}
	all.Wait()
	for n, p := range plans {
		if text(p) != want[n] {
			t.Errorf("plan %d was changed by later ones", n)
		}
	}
}
