package train

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stoa/internal/market/scan/model"
)

// drawnScores are scores of publishers that differ, as real ones do: some look more like attacks than others.
func drawnScores(seed uint64) (scored []Scored) {
	random := rand.New(rand.NewPCG(seed, 1))
	kinds := []string{"benign_template", "benign_skill", "overdefense", "benign_prompt", "text_about_injection"}
	for publisher := range 60 {
		off := random.NormFloat64()
		for range 80 {
			s := Scored{Fold: publisher % FoldCount, Class: model.Class(random.IntN(int(model.ClassCount))), Script: []string{"en", "zh", "ja", "other"}[random.IntN(4)]}
			s.Source, s.Kind = fmt.Sprintf("p%d/x", publisher), kinds[publisher%len(kinds)]
			s.Balanced = off + 2*random.NormFloat64() + float64(s.Class)
			s.Strict = s.Balanced
			if publisher%6 == 5 {
				s.Label, s.Kind = 1, "override"
				s.Balanced, s.Strict = s.Balanced+4, s.Strict+4
			}
			scored = append(scored, s)
		}
	}
	return scored
}

func TestThresholdsKeepTheirBounds(t *testing.T) {
	for seed := range uint64(5) {
		scored := drawnScores(seed)
		bare := slices.Clone(scored)
		w := &model.Weights{Thresholds: thresholds(scored)}
		less := func() {
			for i, s := range scored {
				limit := w.For(s.Script, s.Class)
				scored[i].Balanced, scored[i].Strict = s.Balanced-limit.Balanced, s.Strict-limit.Strict
			}
		}
		less()
		move(w, scored)
		for i, s := range scored { // the scores moved with the thresholds
			limit := w.For(s.Script, s.Class)
			if d := bare[i].Balanced - limit.Balanced - s.Balanced; d > 1e-9 || d < -1e-9 {
				t.Fatalf("a score is %g off its threshold", d)
			}
		}
		for _, l := range allBounded {
			for mode, may := range []float64{l.balanced, l.strict} {
				flagged := clusters{}
				for _, s := range scored {
					if s.Label == 0 && l.is(s.Kind) {
						flagged.add(Publisher(s.Source), []float64{s.Balanced, s.Strict}[mode] >= 0)
					}
				}
				if high := flagged.bounded().High; high > may {
					t.Errorf("seed %d: up to %.4f are flagged, and %.4f may be", seed, high, may)
				}
			}
		}
		for lang, of := range w.Thresholds {
			for class, limit := range of {
				if limit.Strict >= limit.Balanced {
					t.Errorf("seed %d: %s, class %d: %v", seed, lang, class, limit)
				}
			}
		}
	}
}
