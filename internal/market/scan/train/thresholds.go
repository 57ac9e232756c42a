package train

import (
	"math/rand/v2"
	"slices"
	"strings"

	"stoa/internal/market/scan/model"
)

// What the thresholds are chosen for, on publishers that were left out: the share of ordinary texts of any kind, and of
// real templates, skills and configurations, that may be flagged. It is the upper bound over drawn publishers that must
// stay below, not the mean.
const (
	balancedAll, balancedReal = .020, .016
	strictAll, strictReal     = .060, .058
	shrink                    = 1500 // ordinary texts of a language that weigh as much as all other languages
	draws                     = 200
	upper                     = .95 // of the draws stay below
)

// lengthShifts are added to the thresholds of short, of middling and of long texts. They are few and round, as what was
// read off the left-out publishers must hold for others: what is published is seldom short, so short texts may be
// flagged sooner while templates and skills are flagged later.
var lengthShifts = [model.LengthClasses]float64{-.8, 0, .4}

// less returns a score less what belongs to the length of its text.
func (s Scored) less(score float64) float64 { return score - lengthShifts[model.LengthClass(s.Bytes)] }

// isPublished is true of texts as they are published.
func isPublished(kind string) bool {
	return strings.HasSuffix(kind, "_template") || strings.HasSuffix(kind, "_skill") || strings.HasSuffix(kind, "_config")
}

// thresholds returns those of each language: all languages together are held to the bound, and each is drawn to the
// threshold at which it has the mean that belongs to the bound.
func thresholds(scored []Scored) map[string]model.Threshold {
	var all, published []Scored
	for _, s := range scored {
		if s.Label == 0 {
			all = append(all, s)
			if isPublished(s.Kind) {
				published = append(published, s)
			}
		}
	}
	balanced := languages(all, published, balancedAll, balancedReal, func(s Scored) float64 { return s.less(s.Score) })
	strict := languages(all, published, strictAll, strictReal, func(s Scored) float64 { return s.less(s.Strict) })
	out := map[string]model.Threshold{}
	for lang := range balanced {
		out[lang] = model.Threshold{Balanced: balanced[lang], Strict: min(strict[lang], balanced[lang]-.1)}
	}
	return out
}

func languages(all, published []Scored, share, shareReal float64, score func(Scored) float64) map[string]float64 {
	global := max(bound(all, score, share), bound(published, score, shareReal))
	above := 0
	for _, s := range all {
		if score(s) >= global {
			above++
		}
	}
	mean := float64(above) / float64(max(len(all), 1))
	out := map[string]float64{"other": global}
	for _, lang := range []string{"en", "ja", "zh"} {
		var own []float64
		for _, s := range all {
			if s.Lang == lang {
				own = append(own, score(s))
			}
		}
		part := float64(len(own)) / float64(len(own)+shrink)
		out[lang] = part*quantile(own, mean) + (1-part)*global
	}
	return out
}

// bound returns the score that at most the given share of the texts reaches, in most drawings of publishers with
// replacement: publishers differ more than texts do, so they are what is drawn.
func bound(texts []Scored, score func(Scored) float64, share float64) float64 {
	byPublisher := map[string][]float64{}
	var names []string
	for _, t := range texts {
		p := Publisher(t.Source)
		if byPublisher[p] == nil {
			names = append(names, p)
		}
		byPublisher[p] = append(byPublisher[p], score(t))
	}
	if len(names) == 0 {
		return 0
	}
	slices.Sort(names)
	random := rand.New(rand.NewPCG(uint64(len(texts)), 3))
	limits := make([]float64, draws)
	for i := range limits {
		var drawn []float64
		for range names {
			drawn = append(drawn, byPublisher[names[random.IntN(len(names))]]...)
		}
		limits[i] = quantile(drawn, share)
	}
	return quantile(limits, 1-upper)
}

// quantile gives the score that the given share of the scores reaches or passes; it sorts them.
func quantile(scores []float64, share float64) float64 {
	if len(scores) == 0 {
		return 0
	}
	slices.Sort(scores)
	return scores[max(len(scores)-1-int(share*float64(len(scores))), 0)] + 1e-6
}
