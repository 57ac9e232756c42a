package simulate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"stoa/internal/learning/path"
)

// policy chooses the next concepts out of what the tutor believes.
type policy interface {
	next(t *tutor, n int) []step
	answered(concept int, right bool)
}

// step is one action of a session.
type step struct {
	concept int
	kind    path.Kind
}

// baselines are the fixed policies that the strategies are measured against. fsrs_* review what FSRS-6 says is due at a
// retention, of what counts as learned, most forgotten first, and go on with what is new in an order; anki_* take
// whatever was asked once for learned.
var baselines = []string{
	"random", "topological", "weakest_first", "zpdes",
	"fsrs70_topological", "fsrs80_topological", "fsrs85_topological", "fsrs90_topological",
	"fsrs70_author", "fsrs80_author", "fsrs85_author", "fsrs90_author",
	"anki80_topological", "anki90_topological", "anki80_author", "anki90_author",
}

func newPolicy(name string, r *rand.Rand) policy {
	switch name {
	case "random":
		return fixed{func(t *tutor, n int) []int { return r.Perm(len(t.view.Concepts))[:min(n, len(t.view.Concepts))] }}
	case "topological":
		return fixed{func(t *tutor, n int) []int { return inOrder(t, t.order, n) }}
	case "weakest_first":
		return fixed{func(t *tutor, n int) []int { return weakest(t, n, r) }}
	case "zpdes":
		return &zpdes{r: r, history: map[int][]bool{}, weight: map[int]float64{}}
	}
	var kind, order string
	var percent int
	if _, err := fmt.Sscanf(name, "%4s%d_%s", &kind, &percent, &order); err == nil {
		return fixed{(&scheduled{float64(percent) / 100, kind == "anki", order == "author"}).choose}
	}
	return planned{strategy: path.Strategy(name)}
}

// fixed is a policy that remembers nothing but what the tutor does.
type fixed struct {
	choose func(t *tutor, n int) []int
}

func (f fixed) next(t *tutor, n int) []step { return steps(t, f.choose(t, n)) }
func (fixed) answered(int, bool)            {}

func steps(t *tutor, concepts []int) []step {
	out := make([]step, len(concepts))
	for k, i := range concepts {
		out[k] = step{i, path.Quiz}
		if t.practice[i].Attempts() == 0 {
			out[k].kind = path.Explain
		}
	}
	return out
}

// planned is a strategy of internal/learning/path.
type planned struct{ strategy path.Strategy }

func (p planned) next(t *tutor, n int) []step {
	plan := path.Make(&t.view, path.Request{Brief: true, Strategy: p.strategy, Limit: n, Context: path.ContextOf(t.deltas)})
	out := make([]step, len(plan.Actions))
	for k := range plan.Actions {
		out[k] = step{plan.Actions[k].Concept, plan.Actions[k].Kind}
	}
	return out
}
func (planned) answered(int, bool) {}

// mastered is what the baselines take for learned.
const mastered = 0.8

// inOrder goes along an order, each concept until it counts as learned, and never back.
func inOrder(t *tutor, order []int, n int) (out []int) {
	for _, i := range order {
		if t.view.Concepts[i].Mastery < mastered {
			if out = append(out, i); len(out) == n {
				return out
			}
		}
	}
	return fillUp(t, out, n)
}

// fillUp adds the concepts least likely recalled, for a policy that has nothing left to do.
func fillUp(t *tutor, out []int, n int) []int {
	for _, i := range byRecall(t, func(*path.Concept) bool { return true }) {
		if len(out) >= n {
			break
		}
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// byRecall sorts the concepts that fit by what is believed to be recalled now, least first.
func byRecall(t *tutor, fits func(*path.Concept) bool) []int {
	var out []int
	known := make([]float64, len(t.view.Concepts))
	for i := range t.view.Concepts {
		c := &t.view.Concepts[i]
		if fits(c) {
			known[i] = t.practice[i].Held(t.model, t.view.Now)
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(known[a], known[b]) })
	return out
}

// weakest takes the lowest mastery first (OATutor's rule), forgetting counted in, ties by lot.
func weakest(t *tutor, n int, r *rand.Rand) []int {
	perm := r.Perm(len(t.view.Concepts))
	known := make([]float64, len(perm))
	for i := range t.view.Concepts {
		known[i] = t.practice[i].Held(t.model, t.view.Now)
	}
	slices.SortStableFunc(perm, func(a, b int) int { return cmp.Compare(known[a], known[b]) })
	return perm[:min(n, len(perm))]
}

// scheduled reviews what is due at a retention, most forgotten first, and goes on with what is new in an order.
type scheduled struct {
	retention float64
	whatever  bool // was asked once counts as learned
	author    bool // the author's order, else that of the tutor's graph
}

func (p *scheduled) choose(t *tutor, n int) (out []int) {
	day := t.view.Now.Sub(start).Hours() / 24
	recall := make([]float64, len(t.cards))
	for i, card := range t.cards {
		if card.New() || !p.whatever && t.view.Concepts[i].Mastery < mastered {
			continue
		}
		if recall[i] = scheduler.Retrievability(card, max(0, day-t.last[i])); recall[i] <= p.retention {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(recall[a], recall[b]) })
	if len(out) >= n {
		return out[:n]
	}
	order := t.order
	if p.author {
		order = t.author
	}
	for _, i := range order {
		if len(out) == n {
			return out
		}
		if fresh := t.cards[i].New(); (fresh || !p.whatever && t.view.Concepts[i].Mastery < mastered) && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return fillUp(t, out, n)
}

// zpdes is the bandit of Clement et al. (JEDM 2015) on the outer fringe: weights follow learning progress, the mean of
// the newer half of the last answers minus that of the older half.
type zpdes struct {
	r       *rand.Rand
	history map[int][]bool
	weight  map[int]float64
}

const (
	zpdesWindow  = 4
	zpdesKeep    = 0.7
	zpdesExplore = 0.2
)

func (z *zpdes) next(t *tutor, n int) []step { return steps(t, z.choose(t, n)) }

func (z *zpdes) choose(t *tutor, n int) (out []int) {
	var zone []int
	for i := range t.view.Concepts {
		c := &t.view.Concepts[i]
		open := c.Mastery < 0.9
		for _, l := range c.Prerequisites {
			open = open && t.view.Concepts[l.To].Mastery >= 0.7
		}
		if open {
			zone = append(zone, i)
		}
	}
	for len(out) < n && len(zone) > 0 {
		total := 0.0
		for _, i := range zone {
			total += z.of(i)
		}
		u := z.r.Float64()
		at := len(zone) - 1
		for k, i := range zone {
			if u -= (1-zpdesExplore)*z.of(i)/total + zpdesExplore/float64(len(zone)); u < 0 {
				at = k
				break
			}
		}
		out = append(out, zone[at])
		zone = slices.Delete(zone, at, at+1)
	}
	return fillUp(t, out, n)
}

func (z *zpdes) of(i int) float64 {
	if w, ok := z.weight[i]; ok {
		return max(0.01, w)
	}
	return 0.5
}

func (z *zpdes) answered(i int, right bool) {
	h := append(z.history[i], right)
	if len(h) > zpdesWindow {
		h = h[1:]
	}
	z.history[i] = h
	mean := func(ys []bool) float64 {
		k := 0
		for _, y := range ys {
			if y {
				k++
			}
		}
		return float64(k) / float64(max(1, len(ys)))
	}
	half := len(h) / 2
	progress := mean(h[half:]) - mean(h[:half])
	z.weight[i] = zpdesKeep*z.of(i) + (1-zpdesKeep)*max(0, progress)
}
