package store

import (
	"context"
	"stoa/internal/platform/search"
)

const (
	// searchWidth is how many of the newest matches of one question are read.
	searchWidth = 500
	// searchPopular is how many popular items are tested beyond them.
	searchPopular = 300
)

// SearchOptions narrow and aid one search.
type SearchOptions struct {
	// Facets every hit must carry (search.Facet).
	Facets []string
	// Popular are the most installed items, best first; the first 300 are
	// tested when a question has too many answers, so that they are not lost
	// behind newer ones.
	Popular []int64
	// Lookup returns what ranking needs of an item, and false for one that
	// must not be found.
	Lookup func(seq int64) (search.Candidate, bool)
}

// Search answers a query from an index: it walks the query's tiers until they
// end or 500 hits are found, and falls back to items that match some of the
// terms if none matches all of them outside of the prompts. The number and the
// size of the questions to the engine are bounded, whatever the index holds.
func Search(ctx context.Context, q Querier, index SearchIndex, query search.Query, o SearchOptions) (search.Result, error) {
	o.Popular = o.Popular[:min(len(o.Popular), searchPopular)]
	run := searchRun{ctx: ctx, q: q, index: index, query: query, options: o, seen: map[int64]bool{}}
	if err := run.steps(query.Plan(o.Facets)); err != nil {
		return search.Result{}, err
	}
	if len(run.result.Hits) == 0 {
		if err := run.steps(query.Relaxed(o.Facets)); err != nil {
			return search.Result{}, err
		}
	}
	if !run.telling() {
		if err := run.loose(query.Loose(o.Facets)); err != nil {
			return search.Result{}, err
		}
	}
	search.Rank(run.result.Hits)
	return run.result, nil
}

// searchRun is one search on its way.
type searchRun struct {
	ctx     context.Context
	q       Querier
	index   SearchIndex
	query   search.Query
	options SearchOptions
	seen    map[int64]bool // judged already, in a better tier
	result  search.Result
}

// steps asks the questions of a plan, best tier first.
func (r *searchRun) steps(plan []search.Step) error {
	for _, step := range plan {
		seqs, capped, err := r.ask(step.Match)
		if err != nil {
			return err
		}
		r.result.Capped = r.result.Capped || capped
		for _, seq := range seqs {
			r.hit(seq, step.Tier, 0)
		}
		// A full question answers for all wider ones: they hold at least as many.
		if capped || len(r.result.Hits) >= searchWidth {
			return nil
		}
	}
	return nil
}

// ask puts one question to the engine and tells whether it was cut short.
func (r *searchRun) ask(m search.Match) (seqs []int64, capped bool, err error) {
	seqs, err = r.index.Match(r.ctx, r.q, m, nil, searchWidth)
	if err != nil || len(seqs) < searchWidth {
		return seqs, false, err
	}
	popular, err := r.test(m, r.options.Popular)
	return append(seqs, popular...), true, err
}

// test returns which of the given items match.
func (r *searchRun) test(m search.Match, within []int64) ([]int64, error) {
	if len(within) == 0 {
		return nil, nil
	}
	return r.index.Match(r.ctx, r.q, m, within, len(within))
}

// hit adds an item to the result unless it is there or must not be found.
func (r *searchRun) hit(seq int64, tier search.Tier, terms int) {
	if r.seen[seq] {
		return
	}
	r.seen[seq] = true
	if c, ok := r.options.Lookup(seq); ok {
		r.result.Hits = append(r.result.Hits, r.query.Judge(seq, tier, terms, c))
	}
}

// telling tells whether any hit rests on more than the prompts.
func (r *searchRun) telling() bool {
	for _, hit := range r.result.Hits {
		if hit.Tier != search.TierBody {
			return true
		}
	}
	return false
}
