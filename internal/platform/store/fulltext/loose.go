package fulltext

import (
	"slices"

	"stoa/internal/platform/search"
)

const (
	// looseAnchors is how many of the rarest terms decide which items the common
	// terms are counted for.
	looseAnchors = 4
	// looseWidth bounds the items for which one common term is counted.
	looseWidth = 2 * searchWidth
)

// loose adds the items that match most of the terms. Each term is asked for
// alone. A rare term answers in full; a common one is cut short and is asked
// again together with the rare ones. So what is counted is exact for items with
// a rare term; among items with common terms only, new and popular ones count.
func (r *searchRun) loose(in search.Level) error {
	matches := r.query.Loose(r.kind, in)
	tallies := map[int64]search.Tally{}
	count := func(seqs []int64, weight int) {
		for _, seq := range seqs {
			t := tallies[seq]
			tallies[seq] = search.Tally{Terms: t.Terms + 1, Weight: t.Weight + weight}
		}
	}
	type answer struct {
		match search.Match
		seqs  []int64
	}
	var rare, common []answer
	for _, m := range matches {
		seqs, capped, err := r.ask(m)
		switch {
		case err != nil:
			return err
		case capped:
			slices.Sort(seqs)
			common = append(common, answer{m, slices.Compact(seqs)})
			r.result.Capped = true
		case len(seqs) > 0:
			rare = append(rare, answer{m, seqs})
			count(seqs, search.Rarity(len(seqs), searchWidth))
		}
	}
	slices.SortStableFunc(rare, func(a, b answer) int { return len(a.seqs) - len(b.seqs) })
	var anchors []search.Term
	for _, a := range rare[:min(len(rare), looseAnchors)] {
		anchors = append(anchors, a.match.Terms...)
	}
	for _, c := range common {
		seqs := c.seqs
		if len(anchors) > 0 {
			c.match.Terms = append(c.match.Terms, search.AnyOf(anchors...))
			var err error
			if seqs, err = r.index.Match(r.ctx, r.q, c.match, r.from, looseWidth); err != nil {
				return err
			}
		}
		count(seqs, search.Rarity(searchWidth, searchWidth))
	}
	r.judge(tallies, len(matches))
	return nil
}

// judge takes the items with the highest tallies into the result.
func (r *searchRun) judge(tallies map[int64]search.Tally, terms int) {
	best := 0
	for _, t := range tallies {
		best = max(best, t.Weight)
	}
	for seq, t := range tallies {
		if 2*t.Weight < best {
			continue // less than half of what the best one has is noise
		}
		if _, known := r.at[seq]; known {
			t.Weight++ // all terms, some in the prompt, beat as many without
		}
		r.hit(seq, t.Tier(terms), t.Weight)
	}
}
