package store

import (
	"slices"
	"stoa/internal/platform/search"
)

// loose adds the items that match most of the terms. Each term is asked for
// alone. A rare term answers in full; a common one is cut short and is instead
// tested on what the others found. So the count of an item is exact, while an
// item that only has common terms may be missed unless it is new or popular.
func (r *searchRun) loose(matches []search.Match) error {
	if len(matches) == 0 {
		return nil
	}
	counts := map[int64]int{}
	var common []search.Match
	var rest []int64 // newest and most popular items of the common terms
	for _, m := range matches {
		seqs, capped, err := r.ask(m)
		if err != nil {
			return err
		}
		if capped {
			common = append(common, m)
			rest = append(rest, seqs...)
			r.result.Capped = true
			continue
		}
		for _, seq := range seqs {
			counts[seq]++
		}
	}
	pool := rest
	if len(counts) > 0 {
		pool = bestCounted(counts, searchWidth)
	}
	slices.Sort(pool)
	pool = slices.Compact(pool)
	for _, m := range common {
		seqs, err := r.test(m, pool[:min(len(pool), 2*searchWidth)])
		if err != nil {
			return err
		}
		for _, seq := range seqs {
			counts[seq]++
		}
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	for seq, n := range counts {
		// An item with less than half of what the best one has is noise.
		if 2*n >= most {
			r.hit(seq, search.TierLoose, n)
		}
	}
	return nil
}

// bestCounted returns the n items with the highest counts, newer ones first
// among equals.
func bestCounted(counts map[int64]int, n int) []int64 {
	seqs := make([]int64, 0, len(counts))
	for seq := range counts {
		seqs = append(seqs, seq)
	}
	slices.SortFunc(seqs, func(a, b int64) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return int(b - a)
	})
	return seqs[:min(len(seqs), n)]
}
