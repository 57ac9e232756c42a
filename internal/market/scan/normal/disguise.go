package normal

import (
	"unicode"
	"unicode/utf8"
)

// spaced joins letters that stand apart: s p a c e d, d.o.t.t.e.d, w_i_t_h, 字 字. More than one separator is a space.
func spaced(t Text) (Text, bool) {
	if !lonely(t.B) {
		return Text{}, false
	}
	w := newBuilder(len(t.B))
	joined := 0
	for i := 0; i < len(t.B); {
		j, letters := apart(t.B, i)
		if letters < 5 {
			_, size := utf8.DecodeRune(t.B[i:])
			w.copy(t, i, i+size)
			i += size
			continue
		}
		joined += letters
		for k := i; k < j; {
			_, size := utf8.DecodeRune(t.B[k:])
			w.copy(t, k, k+size)
			k += size
			gap := k
			for gap < j && separator(t.B[gap]) {
				gap++
			}
			if gap-k > 1 {
				w.byte(' ', t.At[k])
			}
			k = gap
		}
		i = j
	}
	return w.text(end(t)), joined >= 8
}

// lonely tells whether five letters in a row stand alone between separators.
func lonely(b []byte) bool {
	n, last := 0, 0
	for i := 0; i+2 < len(b); i++ {
		if !separator(b[i]) || separator(b[i+1]) {
			continue
		}
		size := 1
		if b[i+1] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(b[i+1:])
		}
		if j := i + 1 + size; j < len(b) && separator(b[j]) {
			if i-last > 5 {
				n = 0
			}
			last = j
			if n++; n >= 5 {
				return true
			}
		}
	}
	return false
}

func separator(c byte) bool {
	switch c {
	case ' ', '.', '-', '_', '*', '|', '/', '~', ',', '+', '\t', '\n', ':':
		return true
	}
	return false
}

// apart measures a run of single letters with separators between them that begins at i.
func apart(b []byte, i int) (end, letters int) {
	if i > 0 && (isLetter(b[i-1]) || isDigit(b[i-1])) {
		return i, 0
	}
	j := i
	for j < len(b) {
		r, size := utf8.DecodeRune(b[j:])
		if unicode.IsSpace(r) || letters == 0 && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		k := j + size
		gap := 0
		for k+gap < len(b) && gap < 4 && separator(b[k+gap]) {
			gap++
		}
		if gap == 0 {
			if k < len(b) {
				if next, _ := utf8.DecodeRune(b[k:]); unicode.IsLetter(next) || unicode.IsDigit(next) {
					break // a word: it does not belong to the run
				}
			}
			letters++
			end = k
			return end, letters
		}
		letters++
		end = k
		j = k + gap
	}
	return end, letters
}

// leet reads digits as letters in words that mix both.
func leet(t Text) (Text, bool) {
	n := 0
	for i := 1; i < len(t.B); i++ { // a letter beside what can stand for one
		if a, b := t.B[i-1], t.B[i]; isLetter(a) != isLetter(b) && leetLetter(a) && leetLetter(b) {
			n++
		}
	}
	if n < 2 {
		return Text{}, false
	}
	w := newBuilder(len(t.B))
	mixed, words := 0, 0
	for i := 0; i < len(t.B); {
		if !leetLetter(t.B[i]) {
			w.byte(t.B[i], t.At[i])
			i++
			continue
		}
		j, digits, letters := i, 0, 0
		for j < len(t.B) && leetLetter(t.B[j]) {
			if isLetter(t.B[j]) {
				letters++
			} else {
				digits++
			}
			j++
		}
		if letters > 0 {
			words++
		}
		is := letters > 0 && digits > 0 && j-i >= 2 && j-i <= 20 && digits <= letters*3
		if is {
			mixed++
		}
		for ; i < j; i++ {
			c := t.B[i]
			if is {
				c = unleet(c)
			}
			w.byte(c, t.At[i])
		}
	}
	return w.text(end(t)), mixed >= 2 && mixed*5 >= words
}

func leetLetter(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '@' || c == '$' || c == '!' || c == '|'
}

func unleet(c byte) byte {
	switch c {
	case '0':
		return 'o'
	case '1', '!', '|':
		return 'i'
	case '3':
		return 'e'
	case '4', '@':
		return 'a'
	case '5', '$':
		return 's'
	case '6', '9':
		return 'g'
	case '7':
		return 't'
	case '8':
		return 'b'
	case '2':
		return 'z'
	}
	return c
}

// misspelt puts the inner letters of keywords in their order.
func misspelt(t Text) (Text, bool) {
	var w *builder
	copied, fixed, words := 0, 0, 0
	var lower, sorted [24]byte
	for i := 0; i < len(t.B); {
		if !isLetter(t.B[i]) {
			i++
			continue
		}
		j := i
		for j < len(t.B) && isLetter(t.B[j]) {
			j++
		}
		words++
		if n := j - i; n >= 5 && n <= 16 {
			for k := range n {
				lower[k] = t.B[i+k] | 0x20
			}
			if scrambled[string(lower[:n])] == "" {
				if word, ok := scrambled[string(signature(lower[:n], sorted[:0]))]; ok {
					if w == nil {
						w = newBuilder(len(t.B))
					}
					w.copy(t, copied, i)
					for k := range n {
						w.byte(word[k], t.At[i+k])
					}
					copied = j
					fixed++
				}
			}
		}
		i = j
	}
	if fixed < 2 && (fixed < 1 || words > 40) {
		return Text{}, false
	}
	w.copy(t, copied, len(t.B))
	return w.text(end(t)), true
}
