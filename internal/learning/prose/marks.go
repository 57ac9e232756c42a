package prose

import (
	"strings"
	"unicode/utf8"
)

// Form is a way in which authors mark words.
type Form struct {
	open, close string
	stops       string // what cannot stand inside
	least, most int    // characters inside
	attributes  bool   // between open and a ">" may stand more
	single      *Form  // the form with one sign, where this one has two
	Italic      bool
}

// Linked and Coded are the forms of links and of code.
var (
	Linked = &Form{open: "[[", close: "]]", stops: "]\n", least: 2, most: 120}
	Coded  = &Form{open: "`", close: "`", stops: "`\n", least: 1, most: 60}
	// forms are told apart by their first byte, "*" and "_" for bold and italics and "<" for a highlight.
	forms = map[byte]*Form{
		'*': {open: "**", close: "**", stops: "*\n", least: 2, most: 80, single: &Form{open: "*", close: "*", stops: "\n*", least: 3, most: 60, Italic: true}},
		'_': {open: "__", close: "__", stops: "_\n", least: 2, most: 80, single: &Form{open: "_", close: "_", stops: "\n_", least: 3, most: 60, Italic: true}},
		'[': Linked,
		'`': Coded,
		'<': {open: "<mark", close: "</mark>", stops: "<\n", least: 2, most: 80, attributes: true},
	}
)

// mostMarks are looked at in one text.
const mostMarks = 24

// Mark is where a marked text stands: with its marks From..To, without them Inner..End.
type Mark struct {
	Form                 *Form
	From, To, Inner, End int
}

// Marks finds the marked words of a text from left to right. What follows a mark that is never closed is looked through once,
// however many such marks there are.
func Marks(raw string) (list []Mark) {
	next := map[string]int{} // where one of some bytes stands next, looked for once
	upTo := func(from int, stops string) int {
		if at, known := next[stops]; known && at >= from {
			return at
		}
		at := len(raw)
		if n := strings.IndexAny(raw[from:], stops); n >= 0 {
			at = from + n
		}
		next[stops] = at
		return at
	}
	formula, counted := false, 0 // whether a place lies within a formula, by the dollars before it
	for i := 0; i < len(raw) && len(list) < mostMarks; {
		n := strings.IndexAny(raw[i:], "*_[`<")
		if n < 0 {
			break
		}
		i += n
		formula, counted = formula != (strings.Count(raw[counted:i], "$")%2 == 1), i
		f := forms[raw[i]]
		place, ok := f.at(raw, i, upTo)
		if !ok && f.single != nil && !formula {
			place, ok = f.single.at(raw, i, upTo)
			ok = ok && place.alone(raw)
		}
		if !ok {
			i++
			continue
		}
		list = append(list, place)
		i = place.To
	}
	return list
}

// alone reports whether a text in italics has its signs at the ends of words, and no more of them.
func (m *Mark) alone(raw string) bool {
	sign := raw[m.From]
	edge := func(i int) bool {
		return i < 0 || i >= len(raw) || raw[i] != sign && !isWord(raw[i])
	}
	return edge(m.From-1) && edge(m.To) && raw[m.Inner] != ' ' && raw[m.End-1] != ' ' && !strings.ContainsAny(raw[m.Inner:m.End], "*_`[")
}

// isWord reports whether a byte is a letter or a digit of ASCII; other letters stand beside marks in texts without blanks.
func isWord(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

// at reads a mark that begins at a place. upTo tells where one of some bytes stands next, len(raw) when none does.
func (f *Form) at(raw string, from int, upTo func(from int, stops string) int) (p Mark, ok bool) {
	if !strings.HasPrefix(raw[from:], f.open) {
		return p, false
	}
	inner := from + len(f.open)
	if f.attributes {
		if inner = upTo(inner, ">\n"); inner == len(raw) || raw[inner] != '>' {
			return p, false
		}
		inner++
	}
	end := upTo(inner, f.stops)
	if end-inner > f.most*utf8.UTFMax || !strings.HasPrefix(raw[end:], f.close) {
		return p, false
	}
	if n := utf8.RuneCountInString(raw[inner:end]); n < f.least || n > f.most {
		return p, false
	}
	return Mark{f, from, end + len(f.close), inner, end}, true
}
