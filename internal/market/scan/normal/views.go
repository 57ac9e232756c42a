package normal

import (
	"bytes"
	"unicode/utf8"
)

// Kinds of views: other readings of the same text.
const (
	ViewBase64   = "base64"
	ViewHex      = "hex"
	ViewRot13    = "rot13"
	ViewReversed = "reversed"
	ViewTurned   = "upside_down"
	ViewLeet     = "leetspeak"
	ViewSpaced   = "spaced_letters"
	ViewHyphens  = "split_words"
	ViewTypos    = "swapped_letters"
	ViewFields   = "joined_fields"
)

// Views gives the other readings that a text invites. Most texts invite none. Each reading is found in one pass.
func Views(t Text, view func(kind string, p Text)) {
	encoded(t, view)
	rotated(t, view)
	turned(t, view)
	if p, ok := spaced(t); ok {
		view(ViewSpaced, p)
	}
	if p, ok := leet(t); ok {
		view(ViewLeet, p)
	}
	if p, ok := misspelt(t); ok {
		view(ViewTypos, p)
	}
	if p, ok := hyphens(t); ok {
		view(ViewHyphens, p)
	}
	if p, ok := fields(t); ok {
		view(ViewFields, p)
	}
}

// lines gives the lines of a text, short neighbours together.
func lines(t Text, do func(Text)) {
	from := 0
	for i := 0; i < len(t.B); i++ {
		if t.B[i] == '\n' && i-from > 400 || i-from > 8192 {
			do(t.Slice(from, i))
			from = i
		}
	}
	do(t.Slice(from, len(t.B)))
}

// turned reads text made of upside-down letters, which stands from right to left.
func turned(t Text, view func(string, Text)) {
	if bytes.IndexByte(t.B, 0xc9) < 0 && bytes.IndexByte(t.B, 0xca) < 0 && bytes.IndexByte(t.B, 0xc7) < 0 {
		return
	}
	lines(t, func(line Text) {
		n := 0
		w := newBuilder(len(line.B))
		for i := 0; i < len(line.B); {
			r, size := utf8.DecodeRune(line.B[i:])
			if x, ok := turnedLike[r]; ok {
				if r >= utf8.RuneSelf {
					n++
				}
				w.string(string(x), line.At[i])
			} else {
				w.copy(line, i, i+size)
			}
			i += size
		}
		if n >= 4 && n*8 >= len(line.B)/2 {
			view(ViewTurned, reverse(w.text(end(line))))
		}
	})
}

// hyphens joins words that are cut by hyphens, where many are.
func hyphens(t Text) (Text, bool) {
	if bytes.Count(t.B, []byte("-"))*160 < len(t.B) {
		return Text{}, false
	}
	w := newBuilder(len(t.B))
	cut, words := 0, 0
	for i, c := range t.B {
		if isLetter(c) && (i == 0 || !isLetter(t.B[i-1])) {
			words++
		}
		inner := i > 0 && i+1 < len(t.B) && isLetter(t.B[i-1]) && isLetter(t.B[i+1])
		if c == '-' && inner {
			cut++
			continue
		}
		w.byte(c, t.At[i])
	}
	return w.text(end(t)), cut >= 3 && cut*8 >= words
}

// fields joins the values of lines "key: value" and the halves of strings that are added up.
func fields(t Text) (Text, bool) {
	if bytes.Count(t.B, []byte(": ")) < 2 && !bytes.Contains(t.B, []byte(" + ")) {
		return Text{}, false
	}
	w := newBuilder(len(t.B))
	n, total := 0, 0
	for i := 0; i < len(t.B); {
		j := bytes.IndexByte(t.B[i:], '\n')
		if j < 0 {
			j = len(t.B)
		} else {
			j += i
		}
		total++
		from := value(t.B[i:j])
		if from > 0 {
			n++
		}
		to := j
		for from > 0 && to > i+from && (t.B[to-1] == '"' || t.B[to-1] == '\'' || t.B[to-1] == ',' || t.B[to-1] == '\r') {
			to--
		}
		w.copy(t, i+from, max(to, i+from))
		w.byte(' ', t.At[min(j, len(t.B))])
		i = j + 1
	}
	added := bytes.Count(t.B, []byte(`" + "`)) + bytes.Count(t.B, []byte(`' + '`))
	if added >= 2 {
		p := w.text(end(t))
		for _, mark := range []string{`" + "`, `' + '`} {
			p = without(p, mark)
		}
		return p, true
	}
	return w.text(end(t)), n >= 2 && n*3 >= total*2
}

// value is where the value begins in a line "  - key: value", or 0.
func value(line []byte) int {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '-' || line[i] == '\t' || line[i] == '"' || line[i] == '#') {
		i++
	}
	key := i
	for i < len(line) && i-key < 40 && (isLetter(line[i]) || isDigit(line[i]) || line[i] == '_' || line[i] == '-' || line[i] == '.') {
		i++
	}
	if i == key {
		return 0
	}
	if i < len(line) && line[i] == '"' {
		i++
	}
	if i+1 >= len(line) || line[i] != ':' || line[i+1] != ' ' {
		return 0
	}
	i++
	for i < len(line) && (line[i] == ' ' || line[i] == '"' || line[i] == '\'' || line[i] == '|' || line[i] == '>') {
		i++
	}
	return i
}

func without(t Text, mark string) Text {
	w := newBuilder(len(t.B))
	for i := 0; i < len(t.B); {
		if bytes.HasPrefix(t.B[i:], []byte(mark)) {
			i += len(mark)
			continue
		}
		w.byte(t.B[i], t.At[i])
		i++
	}
	return w.text(end(t))
}
