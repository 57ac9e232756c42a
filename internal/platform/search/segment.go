package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unit is one stretch of a folded text that is searched as a whole: a run of
// Chinese, Japanese or Korean characters, or a word.
type unit struct {
	// text is the run, or the word with its connectors taken out ("email" for
	// "e-mail", "gpt4" for "GPT-4", "cpp" for "C++").
	text string
	// parts are the pieces of a compound word ("e", "mail"; "gpt", "4"), or nil.
	parts []string
	// cjk marks a run without spaces between its words.
	cjk bool
	// named marks a word whose signs carry its meaning ("C++", "C#", ".NET"):
	// a query for it must not settle for its parts.
	named bool
}

// maxJoined is the largest number of parts for which the joined form of a
// compound is kept: beyond it the text is a path or an address, not a word.
const maxJoined = 8

// segment cuts a folded text into units, in order.
func segment(text string) []unit {
	var units []unit
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case isCJK(r):
			end := i + span(text[i:], isCJK)
			units = append(units, unit{text: text[i:end], cjk: true})
			i = end
		case isWord(r):
			var u unit
			u, i = compound(text, i)
			units = append(units, u)
		case r == '.' && dotNet(text, i):
			units = append(units, unit{text: "dotnet", parts: []string{"net"}, named: true})
			i += len(".net")
		default:
			i += size
		}
	}
	return units
}

// compound reads the word that starts at i, following single connectors between
// letters, and returns the position behind it.
func compound(text string, i int) (unit, int) {
	start, end := i, i
	var parts []string
	for {
		end = i + span(text[i:], isWord)
		parts = append(parts, alternations(text[i:end])...)
		next := end + 1
		if next >= len(text) || !isConnector(text[end]) || dotNet(text, end) {
			break
		}
		if r, _ := utf8.DecodeRuneInString(text[next:]); !isWord(r) || isCJK(r) {
			break
		}
		i = next
	}
	if u, size, ok := signed(text[start:end], text[end:]); ok {
		return u, end + size
	}
	for k := range parts {
		parts[k] = clipRunes(parts[k], maxToken)
	}
	if len(parts) == 1 {
		return unit{text: parts[0]}, end
	}
	joined := strings.Join(parts, "")
	if len(parts) > maxJoined || utf8.RuneCountInString(joined) > maxToken {
		joined = ""
	}
	return unit{text: joined, parts: parts}, end
}

// signs may end a name and are spelled out in its token.
var signs = []struct{ written, spoken string }{{"++", "pp"}, {"#", "sharp"}, {"♯", "sharp"}}

// signed recognizes names that end in signs: C++, G++, C#, F#.
func signed(word, rest string) (unit, int, bool) {
	if len(word) > 1 && !strings.HasPrefix(rest, "++") {
		return unit{}, 0, false
	}
	word = clipRunes(word, maxToken-len("sharp"))
	if span(word, isWord) != len(word) {
		return unit{}, 0, false
	}
	for _, sign := range signs {
		if strings.HasPrefix(rest, sign.written) {
			return unit{text: word + sign.spoken, parts: []string{word}, named: true}, len(sign.written), true
		}
	}
	return unit{}, 0, false
}

// dotNet tells whether ".net" stands at i as a name of its own or at the end of
// one ("ASP.NET").
func dotNet(text string, i int) bool {
	rest, ok := strings.CutPrefix(text[i:], ".net")
	if !ok {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !isWord(r) || isCJK(r)
}

// alternations splits a word where letters and digits meet: "vue3" is found by
// "Vue 3" and the other way round.
func alternations(word string) []string {
	var parts []string
	start, digits := 0, false
	for i, r := range word {
		d := unicode.IsDigit(r)
		if i > 0 && d != digits && !unicode.IsMark(r) {
			parts = append(parts, word[start:i])
			start = i
		}
		digits = d
	}
	return append(parts, word[start:])
}

// span is the length in bytes of the prefix whose runes all satisfy in. A mark
// belongs to the letter before it.
func span(text string, in func(rune) bool) int {
	for i, r := range text {
		if !in(r) && (i == 0 || !unicode.IsMark(r)) {
			return i
		}
	}
	return len(text)
}

// isConnector tells whether a byte joins two words into a compound.
func isConnector(b byte) bool {
	return b == '-' || b == '.' || b == '_' || b == '\'' || b == '&'
}

// isWord tells whether a rune may stand in a word written with spaces.
func isWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !isCJK(r)
}

// isCJK tells whether a rune belongs to a script written without spaces between
// words (Korean is: its particles hang on the word).
func isCJK(r rune) bool {
	const prolonged = 'ー' // of no script of its own, but part of Japanese words
	return r >= 0x1100 && (r == prolonged || unicode.In(r, unicode.L, unicode.N) &&
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul))
}
