package search

import (
	"slices"
	"strings"
)

const (
	// maxQuery is how many bytes of a query are read.
	maxQuery = 1 << 10
	// maxTerms is how many terms of a query are asked for.
	maxTerms = 16
)

// Query is what somebody searches, parsed once and rendered for either engine.
// The zero Query finds nothing.
type Query struct {
	terms []Term              // by the letter
	core  []Term              // without request phrases; nil if that changes nothing
	exact []string            // tokens of a title or id equal to the whole query
	marks map[string]struct{} // words and pairs, for title coverage
	ends  []string            // beginnings of words, for title coverage by prefix
}

// Term is one condition of a query. It holds if any of its forms holds.
type Term struct {
	forms    [][]string // a form holds if all its tokens are present
	prefixes []string   // beginnings of words that also satisfy the term
}

// AnyOf is a term that holds if any of the terms holds.
func AnyOf(terms ...Term) Term {
	var union Term
	for _, term := range terms {
		union.forms = append(union.forms, term.forms...)
		union.prefixes = append(union.prefixes, term.prefixes...)
	}
	return union
}

// ParseQuery reads at most 1 KiB of text into at most 16 terms. English stop
// words are dropped when other terms remain. Every word of two characters or
// more may be the beginning of a longer one.
func ParseQuery(text string) Query {
	text = clip(text, maxQuery)
	units := segment(Fold(text))
	q := Query{marks: map[string]struct{}{}}
	for _, token := range []string{exactToken(text), idToken(text)} {
		if token != "" {
			q.exact = append(q.exact, token)
		}
	}
	var core []Term
	for _, u := range withoutStops(units) {
		q.terms = append(q.terms, u.terms()...)
		if !u.cjk {
			core = append(core, u.terms()...)
			continue
		}
		for _, stretch := range essence(u.text) {
			core = append(core, unit{text: stretch, cjk: true}.terms()...)
		}
	}
	q.terms, core = distinct(q.terms), distinct(core)
	if len(core) > 0 && len(core) < len(q.terms) {
		q.core = core
	}
	for _, u := range units {
		u.mark(q.marks)
	}
	for _, term := range q.terms {
		q.ends = append(q.ends, term.prefixes...)
	}
	return q
}

// Empty tells whether the query has nothing to search for.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// withoutStops drops English stop words if anything else remains.
func withoutStops(units []unit) []unit {
	isStop := func(u unit) bool { return !u.cjk && stopWords[u.text] }
	if !slices.ContainsFunc(units, func(u unit) bool { return !isStop(u) }) {
		return units
	}
	return slices.DeleteFunc(slices.Clone(units), isStop)
}

// terms are the conditions for a unit: pairs of neighbours for a run of several
// characters, the character itself for a single one, one term for a word.
func (u unit) terms() []Term {
	if u.cjk {
		pairs := grams(u.text, 2)
		if len(pairs) == 0 {
			pairs = []string{u.text}
		}
		terms := make([]Term, len(pairs))
		for i, pair := range pairs {
			terms[i] = Term{forms: [][]string{{pair}}}
		}
		return terms
	}
	var term Term
	if u.text != "" {
		term.forms = append(term.forms, []string{stem(u.text)})
	}
	if len(u.parts) > 0 && !u.named {
		parts := make([]string, len(u.parts))
		for i, part := range u.parts {
			parts[i] = stem(part)
		}
		term.forms = append(term.forms, parts)
	}
	if !u.named && runeCount(u.text) >= minPrefix {
		term.prefixes = []string{clipRunes(u.text, maxPrefix)}
	}
	return []Term{term}
}

// distinct drops repeated terms and all beyond the limit.
func distinct(terms []Term) []Term {
	seen := map[string]bool{}
	kept := terms[:0]
	for _, term := range terms {
		var key strings.Builder
		for _, form := range term.forms {
			key.WriteString(strings.Join(form, " ") + "|")
		}
		if seen[key.String()] || len(kept) == maxTerms {
			continue
		}
		seen[key.String()] = true
		kept = append(kept, term)
	}
	return kept
}
