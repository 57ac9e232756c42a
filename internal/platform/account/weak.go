package account

import (
	_ "embed" // common.txt
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed common.txt
var commonText string

// commonWords are the words of common.txt; longestWord is the length of the longest, in bytes.
var commonWords = sync.OnceValues(func() (words map[string]bool, longest int) {
	words = map[string]bool{}
	for row := range strings.Lines(commonText) {
		if strings.HasPrefix(row, "#") {
			continue
		}
		for _, word := range strings.Fields(row) {
			words[word], longest = true, max(longest, len(word))
		}
	}
	return words, longest
})

// walks are rows of keys and orders that people run a finger along.
var walks = func() (both []string) {
	for _, walk := range []string{
		"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop[]", "asdfghjkl;", "zxcvbnm,./", "qwertzuiop", "azertyuiop", "!@#$%^&*()_+",
		"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p", "qazwsxedcrfvtgbyhnujmikolp", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0", "qweasdzxc", "a1b2c3d4e5f6g7", "147258369", "aabbccddeeffgg", "112233445566778899",
	} {
		runes := []rune(walk)
		for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
			runes[i], runes[j] = runes[j], runes[i]
		}
		both = append(both, walk, string(runes))
	}
	return both
}()

const (
	leastDistinct = 5 // different characters of a password
	leastParts    = 6 // see parts
	wordParts     = 2 // what a common word counts
	leastWalk     = 4 // characters of a walk that count as one part
)

// Problems of a password that is long enough.
const (
	TooRepetitive = "repeats too few characters; take more different ones"
	TooCommon     = "is among the first that are tried; take several words that do not belong together"
)

// Weak says what makes a password easy to guess, "" for nothing. own are words that say nothing about it, such as its
// member's id.
func Weak(password string, own ...string) string {
	text := strings.Join(strings.Fields(strings.ToLower(password)), " ")
	distinct := map[rune]bool{}
	for _, r := range text {
		distinct[r] = true
	}
	if len(text) < MinPasswordLength || len(distinct) < leastDistinct {
		return TooRepetitive
	}
	if unit := repeated(text); len(unit) < len(text) && len(unit) < MinPasswordLength/2 {
		return TooRepetitive
	}
	if parts(text, own) < leastParts {
		return TooCommon
	}
	return ""
}

// repeated returns the shortest text that s is a repetition of, its last time perhaps not whole.
func repeated(s string) string {
	for n := 1; n <= len(s)/2; n++ {
		if s[n:] == s[:len(s)-n] {
			return s[:n]
		}
	}
	return s
}

// parts is the least number of guesses' parts that a text is made of: a common word counts two, a walk over the keys or up
// to four digits one, any other character one, a blank nothing.
func parts(text string, own []string) int {
	words, longest := commonWords()
	for _, word := range own {
		longest = max(longest, len(word))
	}
	variants := []string{text, plainLetters(text, 'i'), plainLetters(text, 'l')}
	best := make([]int, len(text)+1)
	for i := range len(text) {
		best[i+1] = math.MaxInt
	}
	for i, r := range text {
		reach := func(n, cost int) { best[i+n] = min(best[i+n], best[i]+cost) }
		cost := 1
		if r == ' ' {
			cost = 0
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		reach(size, cost)
		for n := leastWalk; i+n <= len(text) && walked(text[i:i+n]); n++ {
			reach(n, 1)
		}
		for n := 2; n <= leastWalk && i+n <= len(text) && digits(text[i:i+n]); n++ {
			reach(n, 1)
		}
		for n := 3; n <= longest && i+n <= len(text); n++ {
			for _, v := range variants {
				if words[v[i:i+n]] || isOwn(v[i:i+n], own) {
					reach(n, wordParts)
				}
			}
		}
	}
	return best[len(text)]
}

func isOwn(word string, own []string) bool {
	for _, o := range own {
		if strings.EqualFold(word, o) {
			return true
		}
	}
	return false
}

// walked reports whether s is a piece of a walk, or one character again and again.
func walked(s string) bool {
	if strings.Count(s, s[:1]) == len(s) {
		return true
	}
	for _, walk := range walks {
		if strings.Contains(walk, s) {
			return true
		}
	}
	return false
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// plainLetters puts letters for the digits and signs that people write in their place; one is the letter for 1.
// Its length is that of the text.
func plainLetters(text string, one byte) string {
	out := []byte(text)
	for i, c := range out {
		switch c {
		case '0':
			out[i] = 'o'
		case '1', '!', '|':
			out[i] = one
		case '3':
			out[i] = 'e'
		case '4', '@':
			out[i] = 'a'
		case '5', '$':
			out[i] = 's'
		case '7':
			out[i] = 't'
		case '8':
			out[i] = 'b'
		}
	}
	return string(out)
}
