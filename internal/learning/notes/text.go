package notes

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold makes names comparable: NFC, lower case, runs of white space as one blank.
func Fold(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' {
			plain = false
			break
		}
	}
	if !plain {
		s = norm.NFC.String(valid(s))
	}
	return strings.Join(strings.Fields(strings.ToLower(s)), " ")
}

// Tokens calls yield with the folded words of a text in order, until it says no: runs of letters and digits of two
// characters or more, and of scripts without blanks (Han, Kana, Hangul, Thai) every pair of neighbours.
func Tokens(s string, yield func(string) bool) {
	s = Fold(s)
	start, previous := -1, -1 // beginnings of the word, of the neighbour without blanks
	flush := func(end int) bool {
		from := start
		start = -1
		if from < 0 || utf8.RuneCountInString(s[from:end]) < 2 {
			return true
		}
		return yield(s[from:end])
	}
	for i, r := range s {
		switch {
		case dense(r):
			if !flush(i) {
				return
			}
			if previous >= 0 && !yield(s[previous:i+utf8.RuneLen(r)]) {
				return
			}
			previous = i
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		default:
			if !flush(i) {
				return
			}
		}
		previous = -1
	}
	flush(len(s))
}

func dense(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// Words gives the first distinct tokens of the texts, at most limit, in order.
func Words(limit int, texts ...string) []string {
	seen := make(map[string]bool, limit)
	list := make([]string, 0, 16)
	for _, text := range texts {
		Tokens(text, func(t string) bool {
			if len(t) <= 64 && !seen[t] {
				seen[t] = true
				list = append(list, strings.Clone(t))
			}
			return len(list) < limit
		})
		if len(list) >= limit {
			break
		}
	}
	return list
}

// Keywords gives the first words of an atom. They are as many bytes as a short text itself, so nothing keeps them.
func Keywords(title, content string) []string {
	return Words(maxKeywords, title, clip(content, 16<<10))
}

// clip cuts s to at most n bytes at a character's border.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// lines finds lines by offset.
type lines []int

func newLines(text string) lines {
	l := make(lines, 1, 16+len(text)/40)
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			l = append(l, i+1)
		}
	}
	return l
}

// at gives the index of the line an offset is on.
func (l lines) at(offset int) int { return sort.SearchInts(l, offset+1) - 1 }

// end gives where a line ends, its newline excluded.
func (l lines) end(i int, text string) int {
	e := len(text)
	if i+1 < len(l) {
		e = l[i+1]
	}
	for e > l[i] && (text[e-1] == '\n' || text[e-1] == '\r') {
		e--
	}
	return e
}

func (l lines) span(start, end int) Span {
	last := end
	if last > start {
		last--
	}
	return Span{Start: start, End: end, StartLine: l.at(start) + 1, EndLine: l.at(last) + 1}
}

// trim moves the ends of a range over white space.
func trim(text string, start, end int) (int, int) {
	for start < end && blank(text[start]) {
		start++
	}
	for end > start && blank(text[end-1]) {
		end--
	}
	return start, end
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// valid gives a text that every store takes: what is no UTF-8, and NUL, as U+FFFD, as CommonMark has it.
func valid(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
