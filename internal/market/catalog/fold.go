package catalog

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold maps strings that strings.EqualFold calls equal to one key. Values already
// in lower-case ASCII, nearly all of them, come back without a copy.
func fold(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || (c >= 'A' && c <= 'Z') {
			return strings.Map(foldRune, s)
		}
	}
	return s
}

// foldRune picks one rune of each case-folding orbit. The lower case of the
// smallest member keeps ASCII letters lower-case and the choice unique.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r)
	}
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	return unicode.ToLower(least)
}
