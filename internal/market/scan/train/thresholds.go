package train

import (
	"maps"
	"math"
	"slices"
	"strings"

	"stoa/internal/market/scan/model"
)

// The bounds that the thresholds must keep, on publishers that were left out: of the ordinary texts of some kinds at most
// these shares may be flagged. It is the upper bound over drawn publishers that must stay below, not the mean.
type limit struct {
	is               func(kind string) bool
	balanced, strict float64
}

var (
	realTexts  = limit{isPublished, .013, .050}
	allBounded = []limit{
		{func(string) bool { return true }, .020, .060},
		{func(kind string) bool { return kind == "overdefense" }, .046, .12},
		{isPublished, .014, .053},
	}
)

// mayFlag is how often texts of a class may be flagged beside those of others, before thresholds move together.
// What is published is mostly of the classes after the first, so there the share is smaller.
var mayFlag = model.Thresholds{
	model.Short: {Balanced: .028, Strict: .08}, model.Middle: {Balanced: .01, Strict: .045}, model.Long: {Balanced: .01, Strict: .04},
	model.Structured: {Balanced: .01, Strict: .04}, model.Front: {Balanced: .01, Strict: .04},
}

const (
	shrinkClass = 300 // ordinary texts of a class that weigh as much as those of all classes
	shrinkCell  = 300 // and of a class in a language
)

// isPublished is true of texts as they are published.
func isPublished(kind string) bool {
	return strings.HasSuffix(kind, "_template") || strings.HasSuffix(kind, "_skill") || strings.HasSuffix(kind, "_config")
}

// thresholds returns those of each language and class at which the share of ordinary texts is flagged that mayFlag says.
// The fewer texts there are, the more they are drawn to the threshold of the class in all languages, and of all classes.
func thresholds(bare []Scored) map[string]model.Thresholds {
	out := map[string]model.Thresholds{}
	for _, lang := range []string{"en", "ja", "zh", "other"} {
		var t model.Thresholds
		for class := range t {
			may := mayFlag[class]
			t[class] = model.Threshold{
				Balanced: cell(bare, lang, model.Class(class), may.Balanced, func(s Scored) float64 { return s.Balanced }),
				Strict:   cell(bare, lang, model.Class(class), may.Strict, func(s Scored) float64 { return s.Strict }),
			}
		}
		out[lang] = t
	}
	return out
}

func cell(bare []Scored, lang string, class model.Class, share float64, score func(Scored) float64) float64 {
	var all, ofClass, own []float64
	for _, s := range bare {
		if s.Label == 1 {
			continue
		}
		all = append(all, score(s))
		if s.Class == class {
			ofClass = append(ofClass, score(s))
			if s.Script == lang {
				own = append(own, score(s))
			}
		}
	}
	z := drawn(own, drawn(ofClass, quantile(all, share), share, shrinkClass), share, shrinkCell)
	return math.Round(z*moveSteps) / moveSteps
}

// drawn is the score that a share of the texts reaches, drawn to another the more the fewer they are.
func drawn(scores []float64, to, share, shrink float64) float64 {
	part := float64(len(scores)) / (float64(len(scores)) + shrink)
	return part*quantile(scores, share) + (1-part)*to
}

// quantile gives the score that the given share of the scores reaches or passes; it sorts them.
func quantile(scores []float64, share float64) float64 {
	if len(scores) == 0 {
		return 0
	}
	slices.Sort(scores)
	return scores[max(len(scores)-1-int(share*float64(len(scores))), 0)] + 1e-6
}

// move moves the thresholds, and with them the scores that are less them, so far that the bounds hold: first those of
// all classes but short prose together, for what is published, then that of short prose.
func move(w *model.Weights, scored []Scored) {
	isShort := func(c model.Class) bool { return c == model.Short }
	for _, step := range []struct {
		moves  func(model.Class) bool
		limits []limit
	}{
		{func(c model.Class) bool { return !isShort(c) }, []limit{realTexts}},
		{isShort, allBounded},
	} {
		in := func(s Scored) bool { return step.moves(s.Class) || len(step.limits) > 1 }
		balanced := least(scored, step.limits, in, step.moves, func(s Scored) float64 { return s.Balanced }, func(l limit) float64 { return l.balanced })
		strict := least(scored, step.limits, in, step.moves, func(s Scored) float64 { return s.Strict }, func(l limit) float64 { return l.strict })
		for i := range scored {
			if step.moves(scored[i].Class) {
				scored[i].Balanced -= balanced
				scored[i].Strict -= strict
			}
		}
		for lang, t := range w.Thresholds {
			for class := range t {
				if step.moves(model.Class(class)) {
					t[class].Balanced += balanced
					t[class].Strict += strict
				}
			}
			w.Thresholds[lang] = t
		}
	}
}

const (
	moveMost  = 4 // in log-odds
	moveSteps = 64
)

// least is how far the thresholds of the texts that move must go up, or may go down, for all limits to hold.
func least(scored []Scored, limits []limit, in func(Scored) bool, moves func(model.Class) bool, score func(Scored) float64, share func(limit) float64) float64 {
	holds := func(up float64) bool {
		for _, l := range limits {
			byPublisher := map[string]Cluster{}
			for _, s := range scored {
				if s.Label == 1 || !in(s) || !l.is(s.Kind) {
					continue
				}
				z := score(s)
				if moves(s.Class) {
					z -= up
				}
				c := byPublisher[Publisher(s.Source)]
				c.Texts++
				if z >= 0 {
					c.Hits++
				}
				byPublisher[Publisher(s.Source)] = c
			}
			var list []Cluster
			for _, name := range slices.Sorted(maps.Keys(byPublisher)) {
				list = append(list, byPublisher[name])
			}
			if _, high := Drawn(list, 1); len(list) > 0 && high > share(l) {
				return false
			}
		}
		return true
	}
	low, high := -float64(moveMost), float64(moveMost)
	for high-low > 1.0/moveSteps {
		if middle := (low + high) / 2; holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
