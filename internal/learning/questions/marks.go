package questions

import (
	"strings"
	"unicode/utf8"
)

// form is a way in which authors mark words.
type form struct {
	open, close string
	stops       string // what cannot stand inside
	least, most int    // characters inside
	attributes  bool   // between open and a ">" may stand more
}

var (
	linked = &form{open: "[[", close: "]]", stops: "]\n", least: 2, most: 120}
	coded  = &form{open: "`", close: "`", stops: "`\n", least: 1, most: 60}
	// forms are told apart by their first byte, "*" and "_" for bold and "<" for a highlight.
	forms = map[byte]*form{
		'*': {open: "**", close: "**", stops: "*\n", least: 2, most: 80},
		'_': {open: "__", close: "__", stops: "_\n", least: 2, most: 80},
		'[': linked,
		'`': coded,
		'<': {open: "<mark", close: "</mark>", stops: "<\n", least: 2, most: 80, attributes: true},
	}
)

// mostMarks are looked at in one text.
const mostMarks = 24

// markedPlace is where marked words stand: with their marks from..to, without them inner..end.
type markedPlace struct {
	form                 *form
	from, to, inner, end int
}

// marksIn finds the marked words of a text from left to right. What follows a mark that is never closed is looked through once,
// however many such marks there are.
func marksIn(raw string) (list []markedPlace) {
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
	for i := 0; i < len(raw) && len(list) < mostMarks; {
		n := strings.IndexAny(raw[i:], "*_[`<")
		if n < 0 {
			break
		}
		i += n
		f := forms[raw[i]]
		place, ok := f.at(raw, i, upTo)
		if !ok {
			i++
			continue
		}
		list = append(list, place)
		i = place.to
	}
	return list
}

// at reads a mark that begins at a place. upTo tells where one of some bytes stands next, len(raw) when none does.
func (f *form) at(raw string, from int, upTo func(from int, stops string) int) (p markedPlace, ok bool) {
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
	return markedPlace{f, from, end + len(f.close), inner, end}, true
}
