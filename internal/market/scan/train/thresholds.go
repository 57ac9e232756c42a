package train

import (
	"slices"
	"sort"
	"strings"

	"stoa/internal/market/scan/model"
)

// What the thresholds are chosen for, on held-out sources: the share of ordinary texts of any kind, and of real
// templates, skills and configurations, that may be flagged.
const (
	balancedAll, balancedReal = .014, .010
	strictAll, strictReal     = .060, .036
	shrink                    = 150 // ordinary texts of a language that weigh as much as all other languages
)

// isPublished is true of texts as they are published.
func isPublished(kind string) bool {
	return strings.HasSuffix(kind, "_template") || strings.HasSuffix(kind, "_skill") || strings.HasSuffix(kind, "_config")
}

func thresholds(scored []Scored) map[string]model.Threshold {
	pick := func(lang string) (model.Threshold, int) {
		var all, published []float64
		for _, s := range scored {
			if s.Label == 1 || lang != "" && s.Lang != lang {
				continue
			}
			if s.Kind != "catalog_template" {
				all = append(all, s.Score)
			}
			if isPublished(s.Kind) {
				published = append(published, s.Score)
			}
		}
		return model.Threshold{
			Balanced: max(quantile(all, balancedAll), quantile(published, balancedReal)),
			Strict:   max(quantile(all, strictAll), quantile(published, strictReal)),
		}, len(all)
	}
	global, _ := pick("")
	out := map[string]model.Threshold{"other": global}
	for _, lang := range []string{"en", "ja", "zh"} {
		own, n := pick(lang)
		part := float64(n) / float64(n+shrink)
		out[lang] = model.Threshold{
			Balanced: part*own.Balanced + (1-part)*global.Balanced,
			Strict:   part*own.Strict + (1-part)*global.Strict,
		}
	}
	return out
}

// quantile gives the score that the given share of the scores reaches or passes.
func quantile(scores []float64, share float64) float64 {
	if len(scores) == 0 {
		return 0
	}
	sorted := slices.Clone(scores)
	sort.Sort(sort.Reverse(sort.Float64Slice(sorted)))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)] + 1e-6
}
