package search

// Tier says how good a match is. Smaller is better.
type Tier int

// The tiers, best first. A hit carries the best tier it reached.
const (
	TierExact             Tier = iota // a title or id equal to the query
	TierTitle                         // all terms in the titles
	TierKeywords                      // all terms in titles and keywords
	TierDescription                   // all terms in those and the descriptions
	TierTitlePrefix                   // as TierTitle, words may go on
	TierBody                          // all terms anywhere
	TierKeywordsPrefix                // as TierKeywords, words may go on
	TierDescriptionPrefix             // as TierDescription, words may go on
	TierLoose                         // some of the terms
)

// Step is one question of a plan and what an answer to it is worth.
type Step struct {
	Tier  Tier
	Match Match
}

// Plan returns the questions of a query by the letter, best tier first.
func (q Query) Plan(facets []string) []Step {
	var steps []Step
	if len(q.exact) > 0 {
		steps = append(steps, Step{TierExact, Match{Facets: facets, Exact: q.exact}})
	}
	return append(steps, q.tiers(q.terms, facets)...)
}

// Relaxed returns the questions of a query without its request phrases, or nil
// if it has none.
func (q Query) Relaxed(facets []string) []Step { return q.tiers(q.core, facets) }

func (q Query) tiers(terms []Term, facets []string) []Step {
	if len(terms) == 0 {
		return nil
	}
	prefix := false
	for _, term := range terms {
		prefix = prefix || term.prefix != ""
	}
	var steps []Step
	add := func(tier Tier, in Column, byPrefix bool) {
		if byPrefix && !prefix {
			return
		}
		steps = append(steps, Step{tier, Match{Facets: facets, Terms: terms, In: in, Prefix: byPrefix}})
	}
	add(TierTitle, Title, false)
	add(TierKeywords, Title|Keywords, false)
	add(TierDescription, Title|Keywords|Description, false)
	add(TierTitlePrefix, Title, true)
	add(TierBody, Everywhere, false)
	add(TierKeywordsPrefix, Title|Keywords, true)
	add(TierDescriptionPrefix, Title|Keywords|Description, true)
	return steps
}

// Loose returns one question per term, for the answer by most terms matched; it
// is nil for a query of a single term. The body is left out: long prompts hold
// some of any words.
func (q Query) Loose(facets []string) []Match {
	terms := q.core
	if len(terms) == 0 {
		terms = q.terms
	}
	if len(terms) < 2 {
		return nil
	}
	matches := make([]Match, len(terms))
	for i, term := range terms {
		matches[i] = Match{Facets: facets, Terms: []Term{term}, In: Title | Keywords | Description, Prefix: true}
	}
	return matches
}
