package path

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueueSorts: asked to any place, a queue gives what sorting gives.
func TestQueueSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []candidate
		for i := range rapid.IntRange(0, 60).Draw(t, "n") {
			k := candidate{concept: i}
			k.rank, k.score = rapid.IntRange(0, 3).Draw(t, "rank"), float64(rapid.IntRange(0, 5).Draw(t, "score"))
			all = append(all, k)
		}
		var want []*candidate
		for i := range all {
			want = append(want, &all[i])
		}
		slices.SortFunc(want, before)
		q := newQueue(all, new([]int32))
		for rank := range 5 {
			if place := q.after(rank); place > 0 && want[place-1].rank > rank || place < len(want) && want[place].rank <= rank {
				t.Fatalf("rank %d ends at %d", rank, place)
			}
		}
		for range 5 {
			if i := rapid.IntRange(0, 80).Draw(t, "place"); i < len(want) && q.at(i) != want[i] {
				t.Fatalf("place %d", i)
			}
		}
		if got := slices.Collect(q.from(0)); !slices.Equal(got, want) || q.len() != len(want) {
			t.Fatal("not the order that sorting gives")
		}
	})
}
