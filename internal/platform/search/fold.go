package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Format numbers the meaning of the tokens. It is stored with every indexed
// document; raise it when a change here makes old index rows answer wrongly, so
// that a running installation can tell which documents to index again.
const Format = 1

const (
	// maxText is how many bytes of one text are read; the rest is not indexed.
	maxText = 64 << 10
	// maxToken is how many runes of one word are kept. Longer words are cut
	// alike in index and query, so they still find each other.
	maxToken = 64
)

// Fold brings a text to the form in which spelling variants are equal:
// compatibility forms and widths (Ｆｕｌｌ, ﾊﾝｶｸ), case, accents on Latin and
// Greek letters, Hebrew and Arabic vowel points, Russian ё, and characters that
// are not seen (soft hyphen, joiners, variation selectors). Folding a folded
// text changes nothing.
func Fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	text = strings.ToValidUTF8(text, " ")
	text = norm.NFKD.String(text)
	// Lower case after folding, because x/text folds Cherokee to and fro.
	text = norm.NFKD.String(strings.ToLower(cases.Fold().String(text)))
	return norm.NFKC.String(strip(text))
}

// strip drops the marks and invisible characters that Fold ignores from a
// decomposed text.
func strip(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	var base rune
	for _, r := range text {
		switch {
		case r == '\u200b': // zero width space separates words
			r = ' '
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
			continue
		case unicode.Is(unicode.Mn, r):
			if unpointed(base, r) {
				continue
			}
		default:
			base = r
		}
		out.WriteRune(r)
	}
	return out.String()
}

// unpointed tells whether a mark is dropped from its base letter. Marks that
// make another letter (Japanese voicing, Devanagari vowels, Russian й) stay.
func unpointed(base, mark rune) bool {
	return unicode.In(base, unicode.Latin, unicode.Greek, unicode.Hebrew, unicode.Arabic) ||
		base == 'е' && mark == '\u0308'
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// clip cuts a text to at most limit bytes without splitting a character.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// clipRunes cuts a word to at most limit runes.
func clipRunes(word string, limit int) string {
	if len(word) <= limit {
		return word
	}
	n := 0
	for i := range word {
		if n == limit {
			return word[:i]
		}
		n++
	}
	return word
}
