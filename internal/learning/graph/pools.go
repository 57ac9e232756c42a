package graph

import (
	"math"
	"slices"

	"stoa/internal/learning/notes"
)

// A vault has habits: links under one label ("Constructions:", "Lemmas used:") tend to go the same way, whatever the
// label's language, and so do the links of one genre of note, in lists as in prose. Each link votes for its habits with
// what its features say; the mean of the votes, drawn to zero while they are few, is added to all links of the habit.
// Votes are whole numbers, so that the sum does not depend on the order in which notes came.
const (
	voteUnit   = 1024.0 // votes per unit of log odds
	voteBound  = 2.0    // of one link, in log odds
	votePrior  = 6      // links at zero that a label begins with
	voteGain   = 3.0    // times the mean
	voteMost   = 3.0    // bound of what a label adds, in log odds
	voteStep   = 0.25   // what it adds is a multiple of this: small changes leave the other links of the label alone
	proseCount = 0.5    // of the gain, for prose: it links for many reasons
)

type pool struct {
	sum, n int
	adds   float64
}

// share is what one pair of notes votes for a label.
type share struct {
	label  string
	sum, n int
}

// habits gives the pools a link is in: its label's, if a line has one, and that of its note's genre.
func habits(from *node, r *LinkRecord) []string {
	if r.Label == "" || r.Label[0] == '#' {
		return []string{"#" + string(from.rec.Genre), r.Label}
	}
	return []string{"@" + string(from.rec.Genre), r.Label}
}

// leaning gives what a link's habits add to its log odds.
func (l *Library) leaning(from *node, r *LinkRecord) float64 {
	sum := 0.0
	for _, h := range habits(from, r) {
		if p := l.pools[h]; p != nil {
			sum += p.adds
		}
	}
	return clamp(sum, voteMost)
}

func (p *pool) weigh(label string) bool {
	gain := voteGain
	if label == "" || label[0] == '#' {
		gain *= proseCount
	}
	z := clamp(gain*float64(p.sum)/voteUnit/float64(p.n+votePrior), voteMost)
	old := p.adds
	p.adds = math.Round(z/voteStep) * voteStep
	return p.adds != old
}

// repool renews the votes of the pairs in work, and puts into work all pairs of labels whose weight changed.
func (l *Library) repool(work map[group]bool) {
	seen := map[*pool]string{}
	for g := range work {
		if g.b == nil || g.alike {
			continue
		}
		for _, s := range l.shares[g] {
			p := l.pools[s.label]
			p.sum -= s.sum
			p.n -= s.n
			seen[p] = s.label
		}
		delete(l.shares, g)
		shares := votes(g.a, g.b, nil)
		if shares = votes(g.b, g.a, shares); len(shares) == 0 {
			continue
		}
		l.shares[g] = slices.Clip(shares)
		for _, s := range shares {
			p := l.pools[s.label]
			if p == nil {
				p = &pool{}
				l.pools[s.label] = p
			}
			p.sum += s.sum
			p.n += s.n
			seen[p] = s.label
		}
	}
	weighed := map[string]bool{} // labels whose weight changed
	for p, label := range seen {
		if p.n == 0 {
			delete(l.pools, label)
			continue
		}
		if p.weigh(label) {
			weighed[label] = true
		}
	}
	if len(weighed) == 0 {
		return
	}
	for g, shares := range l.shares {
		if slices.ContainsFunc(shares, func(s share) bool { return weighed[s.label] }) {
			work[g] = true
		}
	}
}

// votes adds what the links from one note to another say of their labels.
func votes(from, to *node, into []share) []share {
	if !from.out[to] {
		return into
	}
	for i, t := range from.targets {
		r := &from.rec.Links[i]
		if t != to || r.Kind != notes.None {
			continue
		}
		v := describe(from, to)
		vote := int(math.Round(clamp(v.odds(&weights), voteBound) * voteUnit))
		for _, h := range habits(from, r) {
			at := slices.IndexFunc(into, func(s share) bool { return s.label == h })
			if at < 0 {
				into = append(into, share{label: h})
				at = len(into) - 1
			}
			into[at].sum += vote
			into[at].n++
		}
	}
	return into
}
