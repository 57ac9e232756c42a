package search

import (
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// Bounds of a vocabulary.
const (
	minSpelled    = 4       // letters of a word that may be misspelled
	maxSpelled    = 24      // longer ones are names
	twoErrors     = 7       // letters from which on a word may hold two errors
	maxVocabulary = 200_000 // words
	maxCorrected  = 3       // words of a query
)

// Vocabulary is the words that items are known by: of titles, ids, keywords and authors. It finds what a misspelled English word
// was meant to be. It is not changed once it is made.
type Vocabulary struct {
	counts map[string]int
	stems  map[string]bool
	byLen  [maxSpelled + 3][]spelled // by their number of letters
}

// spelled is a word with the set of its letters.
type spelled struct {
	word    string
	letters uint32
}

// lettersOf is the set of a word's letters, a bit for each. An error changes two of them at most.
func lettersOf(word string) (set uint32) {
	for i := range len(word) {
		set |= 1 << (word[i] - 'a')
	}
	return set
}

// NewVocabulary reads the words of texts.
func NewVocabulary(texts iter.Seq[string]) *Vocabulary {
	v := &Vocabulary{counts: map[string]int{}, stems: map[string]bool{}}
	for text := range texts {
		for _, u := range segment(Fold(text)) {
			if u.cjk {
				continue
			}
			v.add(u.text)
			for _, part := range u.parts {
				v.add(part)
			}
		}
	}
	for word := range v.counts {
		v.byLen[len(word)] = append(v.byLen[len(word)], spelled{word, lettersOf(word)})
		v.stems[stem(word)] = true
	}
	for _, list := range v.byLen {
		slices.SortFunc(list, func(a, b spelled) int { return strings.Compare(a.word, b.word) })
	}
	return v
}

func (v *Vocabulary) add(word string) {
	if len(word) < minSpelled-1 || len(word) >= len(v.byLen) || !latin(word) {
		return
	}
	if _, known := v.counts[word]; known || len(v.counts) < maxVocabulary {
		v.counts[strings.Clone(word)]++ // the text itself may be a page of names
	}
}

// Correct is a query with its misspelled words as they are in the vocabulary; "" when there is nothing to correct. A word that
// the vocabulary holds, also in another form, is right.
func (v *Vocabulary) Correct(query string) string {
	var out []string
	corrected := 0
	for i, u := range segment(Fold(clip(query, maxQuery))) {
		if i == maxTerms {
			break
		}
		word := u.text
		if corrected < maxCorrected {
			if meant := v.meant(u); meant != "" {
				word = meant
				corrected++
			}
		}
		out = append(out, word)
	}
	if corrected == 0 {
		return ""
	}
	return strings.Join(out, " ")
}

// meant is the nearest word of the vocabulary; "" when the word is right or nothing is near.
func (v *Vocabulary) meant(u unit) string {
	word := u.text
	if u.cjk || u.named || len(u.parts) > 1 || len(word) < minSpelled || len(word) > maxSpelled || !latin(word) || stopWords[word] || v.knows(word) {
		return ""
	}
	limit := 1
	if len(word) >= twoErrors {
		limit = 2
	}
	best, bestRank, letters := "", 0, lettersOf(word)
	for n := len(word) - limit; n <= len(word)+limit; n++ {
		for _, candidate := range v.byLen[n] {
			if bits.OnesCount32(candidate.letters^letters) > 2*limit {
				continue
			}
			known := candidate.word
			d := distance(word, known, limit)
			if d > limit {
				continue
			}
			// Errors are rare in first letters; what many items have is meant more often.
			rank := -1000 * d
			if known[0] == word[0] {
				rank += 500
			}
			rank += min(v.counts[known], 100)
			if best == "" || rank > bestRank {
				best, bestRank = known, rank
			}
		}
	}
	return best
}

// knows tells whether a word, or another form of it, is in the vocabulary.
func (v *Vocabulary) knows(word string) bool { return v.stems[stem(word)] }

func latin(word string) bool { return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" }

// distance is how many letters must be put in, taken out, changed or swapped with their neighbour to make b of a; more than
// limit when it is more than that.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	var rows [3][maxSpelled + 4]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, before := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(row[j-1]+1, above[j]+1, above[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
	}
	return rows[len(a)%3][len(b)]
}

// Telling tells whether hits suffice without partial ones: one by title or keywords, or a few that rest on more than the
// prompts.
func Telling(hits []Hit) bool {
	few := 3
	for _, hit := range hits {
		switch hit.Tier {
		case TierExact, TierTitle, TierKeywords, TierTitlePrefix:
			return true
		case TierDescription, TierKeywordsPrefix, TierDescriptionPrefix:
			few--
		}
	}
	return few <= 0
}

// Joined is what a query and its corrected form found together, best first, each item once.
func Joined(asked, meant Result) Result {
	if Telling(meant.Hits) {
		asked, meant = meant, asked
	}
	out := Result{Hits: slices.Clone(asked.Hits), Capped: asked.Capped || meant.Capped}
	seen := map[int64]bool{}
	for _, hit := range out.Hits {
		seen[hit.Seq] = true
	}
	for _, hit := range meant.Hits {
		if !seen[hit.Seq] {
			out.Hits = append(out.Hits, hit)
		}
	}
	return out
}
