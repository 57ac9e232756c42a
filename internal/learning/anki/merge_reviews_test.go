package anki

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// mergedByMaps says the same of merging review logs as mergeReviews, in the plainest way.
func mergedByMaps(kept, in []Review) []Review {
	out := slices.Clone(kept)
	type row struct{ id, card int64 }
	have, ids := map[row]bool{}, map[int64]bool{}
	for _, r := range kept {
		have[row{r.ID, r.Card}], ids[r.ID] = true, true
	}
	for _, r := range in {
		for ids[r.ID] && !have[row{r.ID, r.Card}] {
			r.ID++
		}
		if !ids[r.ID] {
			have[row{r.ID, r.Card}], ids[r.ID] = true, true
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b Review) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func TestReviewLogsAreMerged(t *testing.T) {
	log := rapid.Custom(func(t *rapid.T) []Review {
		var list []Review
		id := int64(0)
		for range rapid.IntRange(0, 30).Draw(t, "rows") {
			id += rapid.Int64Range(1, 3).Draw(t, "step")
			list = append(list, Review{ID: id, Card: rapid.Int64Range(1, 3).Draw(t, "card"), Ease: rapid.Int64Range(1, 4).Draw(t, "ease")})
		}
		return list
	})
	rapid.Check(t, func(t *rapid.T) {
		kept, in := log.Draw(t, "kept"), log.Draw(t, "in")
		before := slices.Clone(kept)
		want := mergedByMaps(kept, in)
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		var out Collection
		mergeReviews(kept, in, nil, &out)
		if !slices.Equal(out.Reviews, want) {
			t.Fatalf("%v\nwith %v\nis   %v\nnot  %v", kept, in, out.Reviews, want)
		}
		var again Collection
		mergeReviews(out.Reviews, in, nil, &again)
		if len(in) > 0 && !slices.Equal(again.Reviews, out.Reviews) {
			t.Fatalf("a second time %v, not %v", again.Reviews, out.Reviews)
		}
		if !slices.Equal(before, kept) {
			t.Fatal("what is kept was changed")
		}
	})
}

// A log that brings nothing new is not copied, and one that does is copied once.
func TestMergingReviewsNeedsLittle(t *testing.T) {
	list := make([]Review, 10_000)
	for i := range list {
		list[i] = Review{ID: int64(i) * 10, Card: int64(i % 7), Ease: 3}
	}
	var out Collection
	if n := testing.AllocsPerRun(5, func() { mergeReviews(list, list, nil, &out) }); n > 8 {
		t.Errorf("%v allocations for a log that is there", n)
	}
}
