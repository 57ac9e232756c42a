package normal

import (
	"bytes"
	"html"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Unescape resolves JSON and JavaScript escapes, HTML entities and percent escapes in place. A backslash
// before anything else stays. The answer is t itself when it holds none.
func Unescape(t Text) Text {
	if !bytes.ContainsAny(t.B, `\&%`) {
		return t
	}
	w := newBuilder(len(t.B))
	changed := false
	for i := 0; i < len(t.B); {
		var r rune
		n := 0
		switch t.B[i] {
		case '\\':
			r, n = backslash(t.B[i:])
		case '&':
			r, n = entity(t.B[i:])
		case '%':
			if k := percents(t.B[i:]); k > 0 {
				for j := i; j < i+k; j += 3 {
					w.byte(unhex(t.B[j+1])<<4|unhex(t.B[j+2]), t.At[j])
				}
				i, changed = i+k, true
				continue
			}
		}
		if n == 0 {
			w.byte(t.B[i], t.At[i])
			i++
			continue
		}
		w.string(string(r), t.At[i])
		i, changed = i+n, true
	}
	if !changed {
		return t
	}
	return w.text(end(t))
}

func backslash(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case 'n', 'r':
		if len(b) > 2 && isLetter(b[2]) && len(b) > 3 && b[3] == ':' { // C:\new
			return 0, 0
		}
		return '\n', 2
	case 't':
		return '\t', 2
	case '"', '\'', '/':
		return rune(b[1]), 2
	case 'u':
		if len(b) > 2 && b[2] == '{' {
			if j := bytes.IndexByte(b[:min(len(b), 12)], '}'); j > 3 {
				if v, err := strconv.ParseUint(string(b[3:j]), 16, 21); err == nil && v > 0 {
					return rune(v), j + 1
				}
			}
			return 0, 0
		}
		v, ok := hexRune(b, 2, 4)
		if !ok || v == 0 {
			return 0, 0
		}
		if utf16.IsSurrogate(v) && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if low, ok := hexRune(b, 8, 4); ok {
				if full := utf16.DecodeRune(v, low); full != utf8.RuneError {
					return full, 12
				}
			}
		}
		return v, 6
	case 'U':
		if v, ok := hexRune(b, 2, 8); ok && v > 0 && v <= utf8.MaxRune {
			return v, 10
		}
	case 'x':
		if v, ok := hexRune(b, 2, 2); ok && v > 0 {
			return v, 4
		}
	}
	return 0, 0
}

func hexRune(b []byte, from, digits int) (rune, bool) {
	if len(b) < from+digits {
		return 0, false
	}
	var v rune
	for _, c := range b[from : from+digits] {
		if !isHex(c) {
			return 0, false
		}
		v = v<<4 | rune(unhex(c))
	}
	return v, true
}

func entity(b []byte) (r rune, n int) {
	j := bytes.IndexByte(b[:min(len(b), 12)], ';')
	if j < 3 {
		return 0, 0
	}
	s := string(b[:j+1])
	u := html.UnescapeString(s)
	if u == s {
		return 0, 0
	}
	r, size := utf8.DecodeRuneInString(u)
	if size != len(u) {
		return 0, 0
	}
	return r, j + 1
}

// percents counts the bytes of a run of percent escapes that decodes to printable UTF-8.
func percents(b []byte) int {
	n := 0
	var decoded []byte
	for n+2 < len(b) && n < 3*4096 && b[n] == '%' && isHex(b[n+1]) && isHex(b[n+2]) {
		decoded = append(decoded, unhex(b[n+1])<<4|unhex(b[n+2]))
		n += 3
	}
	if n == 0 || !utf8.Valid(decoded) {
		return 0
	}
	for _, c := range decoded {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return 0
		}
	}
	return n
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
