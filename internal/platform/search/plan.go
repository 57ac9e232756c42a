package search

import "math/bits"

// Tier says how good a match is. Smaller is better.
type Tier int

// The tiers, best first. A hit carries the best tier it reached.
const (
	TierExact             Tier = iota // a title or id equal to the query
	TierTitle                         // all terms in the titles
	TierKeywords                      // all terms in titles and keywords
	TierDescription                   // all terms in those and the descriptions
	TierTitlePrefix                   // as TierTitle, words may go on
	TierMost                          // all terms but one of three or more, prompts not counted
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

// Plan returns the questions of a query by the letter, as chains. The steps of a
// chain go from the best tier to the widest, and each answer holds the ones
// before it, so who asks may skip what an answer makes needless.
func (q Query) Plan(kind Kind) [][]Step {
	var chains [][]Step
	if len(q.exact) > 0 {
		var whole Term
		for _, token := range q.exact {
			whole.forms = append(whole.forms, []string{token})
		}
		chains = append(chains, []Step{{TierExact, Match{Kind: kind, Terms: []Term{whole}, In: InTitle}}})
	}
	return append(chains, tiers(kind, q.terms)...)
}

// Relaxed returns the chains of a query without its request phrases; there are
// none if it has no such phrases.
func (q Query) Relaxed(kind Kind) [][]Step { return tiers(kind, q.core) }

func tiers(kind Kind, terms []Term) [][]Step {
	if len(terms) == 0 {
		return nil
	}
	step := func(tier Tier, in Level, prefix bool) Step {
		return Step{tier, Match{Kind: kind, Terms: terms, In: in, Prefix: prefix}}
	}
	chains := [][]Step{{
		step(TierTitle, InTitle, false),
		step(TierKeywords, InKeywords, false),
		step(TierDescription, InDescription, false),
		step(TierBody, InBody, false),
	}}
	if len(AnyOf(terms...).prefixes) > 0 {
		chains = append(chains, []Step{
			step(TierTitlePrefix, InTitle, true),
			step(TierKeywordsPrefix, InKeywords, true),
			step(TierDescriptionPrefix, InDescription, true),
		})
	}
	return chains
}

// Loose returns one question per term, for the answer by most terms matched; it
// is nil for a query of a single term.
func (q Query) Loose(kind Kind, in Level) []Match {
	terms := q.core
	if len(terms) == 0 {
		terms = q.terms
	}
	if len(terms) < 2 {
		return nil
	}
	matches := make([]Match, len(terms))
	for i, term := range terms {
		matches[i] = Match{Kind: kind, Terms: []Term{term}, In: in, Prefix: true}
	}
	return matches
}

// Tally adds up which terms of a loose question an item matched.
type Tally struct {
	Terms  int // how many
	Weight int // the same by Rarity
}

// Tier is what the tally is worth among so many terms.
func (t Tally) Tier(terms int) Tier {
	if terms > 2 && t.Terms >= terms-1 {
		return TierMost
	}
	return TierLoose
}

// Rarity is the weight of a term with so many matches out of a full width: 1
// for a common one, 1 more for every halving. A rare word says more about what
// is wanted.
func Rarity(matches, width int) int {
	return bits.Len(uint(width / max(matches, 1)))
}
