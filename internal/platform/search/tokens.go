package search

import (
	"math"
	"unicode/utf8"
)

// Tokens returns what the index stores for a text: every word with its stem,
// compounds both joined and in parts, and for Chinese, Japanese and Korean runs
// every character and every pair of neighbours. Each token appears once, in
// order of first appearance. Tokens hold letters, digits and the marks that
// belong to letters, nothing else, so they may stand bare in a match expression
// of either engine. Only the first 64 KiB of the text are read.
func Tokens(text string) []string {
	set := newTokenSet(math.MaxInt)
	set.addText(text)
	return set.list
}

// tokenSet collects distinct tokens in order until its budget is spent.
type tokenSet struct {
	seen   map[string]struct{}
	list   []string
	budget int      // bytes still allowed
	marks  []string // each token is stored once behind each of these
}

// tokenCost is what a token costs in an index besides its own bytes.
const tokenCost = 10

func newTokenSet(budget int) *tokenSet {
	return &tokenSet{seen: map[string]struct{}{}, budget: budget, marks: []string{""}}
}

// add appends a token unless it is known or the budget is spent. A token known
// from a narrower level is known on the wider ones.
func (s *tokenSet) add(token string) {
	cost := len(s.marks) * (len(token) + tokenCost)
	if token == "" || s.budget < cost {
		return
	}
	if _, ok := s.seen[token]; ok {
		return
	}
	s.seen[token] = struct{}{}
	for _, mark := range s.marks {
		s.list = append(s.list, mark+token)
	}
	s.budget -= cost
}

func (s *tokenSet) addText(text string) {
	for _, u := range segment(Fold(clip(text, maxText))) {
		s.addUnit(u)
	}
}

func (s *tokenSet) addUnit(u unit) {
	if u.cjk {
		for _, gram := range grams(u.text, 1) {
			s.add(gram)
		}
		for _, gram := range grams(u.text, 2) {
			s.add(gram)
		}
		return
	}
	s.addWord(u.text)
	for _, part := range u.parts {
		s.addWord(part)
	}
}

func (s *tokenSet) addWord(word string) {
	s.add(word)
	s.add(stem(word))
}

// grams returns the n-character slices of a run, in order; a mark stays with
// its character.
func grams(run string, n int) []string {
	var starts []int
	for i, r := range run {
		if isCJK(r) || i == 0 {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(run))
	if len(starts) <= n {
		return nil
	}
	out := make([]string, 0, len(starts)-n)
	for i := range len(starts) - n {
		out = append(out, run[starts[i]:starts[i+n]])
	}
	return out
}

// runeCount is the length of a word in characters.
func runeCount(word string) int { return utf8.RuneCountInString(word) }
