package fulltext

import (
	"context"
	"slices"
	"strings"

	"stoa/internal/platform/search"
	"stoa/internal/platform/store/sqldb"
)

// searchWidth is how many of the newest matches of one question are read.
const searchWidth = 500

// searchWindow is how many of the newest items a query of several common words looks at; a variable
// so that a test can do with fewer items.
var searchWindow int64 = 100_000

// Search answers a query from an index: it walks the query's tiers until they
// end or 500 hits are found, and adds items that match some of the terms if none
// matches all of them outside of the prompts. The number and the size of the
// questions to the engine are bounded, whatever the index holds. Lookup returns
// what ranking needs of an item, and false for one that must not be found.
func Search(
	ctx context.Context, q sqldb.Querier, index Index, query search.Query, kind search.Kind,
	lookup func(seq int64) (search.Candidate, bool),
) (search.Result, error) {
	run := searchRun{ctx: ctx, q: q, index: index, query: query, kind: kind, lookup: lookup, at: map[int64]int{}}
	if err := run.window(); err != nil {
		return search.Result{}, err
	}
	if err := run.chains(query.Plan(kind)); err != nil {
		return search.Result{}, err
	}
	if len(run.result.Hits) == 0 {
		if err := run.chains(query.Relaxed(kind)); err != nil {
			return search.Result{}, err
		}
	}
	if !search.Telling(run.result.Hits) {
		if err := run.loose(search.InDescription); err != nil {
			return search.Result{}, err
		}
	}
	if len(run.result.Hits) == 0 {
		if err := run.loose(search.InBody); err != nil {
			return search.Result{}, err
		}
	}
	search.Rank(run.result.Hits)
	return run.result, nil
}

// SearchForgiving answers a query, and where that finds little, what it was meant to be as well. words gives the vocabulary;
// it is not asked before it is needed.
func SearchForgiving(
	ctx context.Context, q sqldb.Querier, index Index, text string, kind search.Kind,
	lookup func(seq int64) (search.Candidate, bool), words func() *search.Vocabulary,
) (search.Result, error) {
	asked, err := Search(ctx, q, index, search.ParseQuery(text), kind, lookup)
	if err != nil || search.Telling(asked.Hits) {
		return asked, err
	}
	corrected := words().Correct(text)
	query := search.ParseQuery(corrected)
	if query.Empty() {
		return asked, nil
	}
	meant, err := Search(ctx, q, index, query, kind, lookup)
	if err != nil {
		return asked, err
	}
	out := search.Joined(asked, meant)
	named, err := mayName(ctx, q, index, text, corrected, kind, lookup)
	if named {
		out.Corrected = corrected
	}
	return out, err
}

// mayName tells whether whoever asks may be told the corrected words: the vocabulary has words of items that they do not see, so
// each must be found by itself among those that they do.
func mayName(
	ctx context.Context, q sqldb.Querier, index Index, text, corrected string, kind search.Kind, lookup func(seq int64) (search.Candidate, bool),
) (bool, error) {
	typed := strings.Fields(search.Fold(text))
	for word := range strings.FieldsSeq(corrected) {
		if slices.Contains(typed, word) {
			continue
		}
		seen, err := Search(ctx, q, index, search.ParseQuery(word), kind, lookup)
		if err != nil || len(seen.Hits) == 0 {
			return false, err
		}
	}
	return true, nil
}

// searchRun is one search on its way.
type searchRun struct {
	ctx    context.Context
	q      sqldb.Querier
	index  Index
	query  search.Query
	kind   search.Kind
	lookup func(seq int64) (search.Candidate, bool)
	at     map[int64]int // where an item is among the hits; hidden for none
	from   int64         // the oldest item that questions look at; 0 for all
	result search.Result
}

// hidden is the place of an item that must not be found.
const hidden = -1

// window bounds what a query of several common words costs in a very large index. Finding where long
// lists meet costs in proportion to the lists; a query with a rare word has a short one and is asked in
// full, one of common words alone is asked of the newest items and of the popular ones.
func (r *searchRun) window() error {
	terms := r.query.Loose(r.kind, search.InBody)
	if len(terms) < 2 {
		return nil
	}
	newest, err := Seqs(r.ctx, r.q, `SELECT coalesce(max(seq), 0) FROM item_search_state`)
	if err != nil || newest[0] <= searchWindow {
		return err
	}
	for _, term := range terms {
		seqs, err := r.index.Match(r.ctx, r.q, term, 0, searchWidth)
		if err != nil || len(seqs) < searchWidth {
			return err
		}
	}
	r.from = newest[0] - searchWindow
	return nil
}

// chains walks the chains of a plan until there are hits enough.
func (r *searchRun) chains(chains [][]search.Step) error {
	for _, chain := range chains {
		if err := r.chain(chain); err != nil {
			return err
		}
		if len(r.result.Hits) >= searchWidth {
			return nil
		}
	}
	return nil
}

// chain asks the best and the widest question of a chain, and those between only
// if the widest finds something that the best did not.
func (r *searchRun) chain(chain []search.Step) error {
	best, widest := chain[0], chain[len(chain)-1]
	full, _, err := r.step(best)
	if err != nil || full || len(chain) == 1 {
		return err // a full answer is enough: the wider ones only go on
	}
	full, fresh, err := r.step(widest)
	if err != nil || !full && fresh == 0 {
		return err
	}
	for _, step := range chain[1 : len(chain)-1] {
		if full, _, err = r.step(step); err != nil || full {
			return err
		}
	}
	return nil
}

// step asks one question and takes its hits. It tells whether the answer was full
// and how many items in it were new or got into a better tier.
func (r *searchRun) step(step search.Step) (full bool, fresh int, err error) {
	seqs, full, err := r.ask(step.Match)
	for _, seq := range seqs {
		if r.hit(seq, step.Tier, 0) {
			fresh++
		}
	}
	return full, fresh, err
}

// ask puts a question to the engine. When more may match than the answer holds, what popular items
// match is added to the newest, so that they are not lost behind them. It tells whether the answer is
// full; one of a window may be incomplete without being full.
func (r *searchRun) ask(m search.Match) (seqs []int64, full bool, err error) {
	seqs, err = r.index.Match(r.ctx, r.q, m, r.from, searchWidth)
	full = len(seqs) >= searchWidth
	if err != nil || !full && r.from == 0 {
		return seqs, false, err
	}
	r.result.Capped = true
	popular, err := r.index.MatchPopular(r.ctx, r.q, m)
	return append(seqs, popular...), full, err
}

// hit takes an item into the result or lifts it into a better tier; it tells
// whether it did.
func (r *searchRun) hit(seq int64, tier search.Tier, weight int) bool {
	at, known := r.at[seq]
	if known && (at == hidden || r.result.Hits[at].Tier <= tier) {
		return false
	}
	c, ok := r.lookup(seq)
	switch {
	case !ok:
		r.at[seq] = hidden
	case known:
		r.result.Hits[at] = r.query.Judge(seq, tier, weight, c)
	default:
		r.at[seq] = len(r.result.Hits)
		r.result.Hits = append(r.result.Hits, r.query.Judge(seq, tier, weight, c))
	}
	return ok
}
