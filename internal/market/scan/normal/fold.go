package normal

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold lowers case and width, drops accents, marks, emoji and what cannot be seen, replaces letters that only look
// Latin inside Latin words, writes traditional Han characters as simplified ones, and makes white space one space:
// or one newline where a paragraph or a list entry begins. White space beside a CJK character goes.
func Fold(t Text) Text {
	f := folder{w: newBuilder(len(t.B)), skeleton: cyrillicIsDisguise(t.B)}
	for i := 0; i < len(t.B); {
		c := t.B[i]
		if c < utf8.RuneSelf {
			switch {
			case 'A' <= c && c <= 'Z':
				f.put(c+'a'-'A', t.At[i])
			case c > ' ' && c != 0x7f:
				f.put(c, t.At[i])
			case c == '\n':
				f.space++
				f.lines++
			case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
				f.space++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(t.B[i:])
		f.rune(r, t.At[i])
		i += size
	}
	return f.w.text(end(t))
}

type folder struct {
	w        *builder
	space    int // pending white space
	lines    int // newlines in it
	cjk      bool
	last     rune
	skeleton bool
}

// flush writes the pending white space before something at offset at.
func (f *folder) flush(next rune, at int32) {
	if f.space == 0 {
		return
	}
	lines := f.lines
	f.space, f.lines = 0, 0
	if len(f.w.b) == 0 {
		return
	}
	if lines > 1 || lines == 1 && bullet(next) {
		f.w.byte('\n', at)
	} else if !f.cjk && !isCJK(next) {
		f.w.byte(' ', at)
	}
}

func bullet(r rune) bool {
	switch r {
	case '-', '*', '#', '>', '|', '+', '`', '•', '【', '[', '<', '"', '{', '}':
		return true
	}
	return '0' <= r && r <= '9'
}

func (f *folder) put(c byte, at int32) {
	f.flush(rune(c), at)
	f.w.byte(c, at)
	f.cjk = false
	f.last = rune(c)
}

func (f *folder) rune(r rune, at int32) {
	switch {
	case isCJK(r):
		if s, ok := simplified[r]; ok {
			r = s
		}
		if 0x30a1 <= r && r <= 0x30f6 { // no fold between kana: they carry meaning
			f.emit(r, at)
			return
		}
		f.emit(r, at)
		return
	case 0xac00 <= r && r <= 0xd7a3:
		f.emit(r, at)
		return
	case r == 0x3002:
		f.emit('。', at)
		return
	case ignorable(r):
		return
	case unicode.IsSpace(r) || r == 0x3164 || r == 0x2800 || r == 0x115f || r == 0x1160:
		f.space++
		if r == 0x2028 || r == 0x2029 || r == 0x85 {
			f.lines++
		}
		return
	}
	if s, ok := lookalike(r, f.last, f.skeleton); ok {
		f.ascii(s, at)
		return
	}
	if d := norm.NFKD.PropertiesString(string(r)).Decomposition(); d != nil {
		for _, x := range string(d) {
			if unicode.Is(unicode.Mn, x) && x != 0x3099 && x != 0x309a {
				continue
			}
			if x < utf8.RuneSelf {
				if x == ' ' {
					f.space++
				} else {
					f.put(byte(unicode.ToLower(x)), at)
				}
				continue
			}
			if (x == 0x3099 || x == 0x309a) && f.compose(x) {
				continue
			}
			f.emit(unicode.ToLower(x), at)
		}
		return
	}
	switch {
	case unicode.Is(unicode.Mn, r):
		if r == 0x3099 || r == 0x309a {
			f.compose(r)
		}
	case unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) && r > 0x1000 || r == utf8.RuneError:
		if s, ok := pictured(r); ok {
			f.ascii(s, at)
			return
		}
		f.space++
	case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Co, r):
	default:
		f.emit(unicode.ToLower(r), at)
	}
}

func (f *folder) ascii(s string, at int32) {
	for i := range len(s) {
		f.put(s[i], at)
	}
}

func (f *folder) emit(r rune, at int32) {
	cjk := isCJK(r)
	f.flush(r, at)
	if s, ok := punctuation[r]; ok {
		f.w.byte(s, at)
		f.cjk, f.last = true, r
		return
	}
	f.w.string(string(r), at)
	f.cjk, f.last = cjk, r
}

// compose joins a half-width kana with the voicing mark after it.
func (f *folder) compose(mark rune) bool {
	r, size := utf8.DecodeLastRune(f.w.b)
	s := norm.NFC.String(string([]rune{r, mark}))
	if utf8.RuneCountInString(s) != 1 || len(f.w.b) == 0 {
		return false
	}
	at := f.w.at[len(f.w.at)-size]
	f.w.b, f.w.at = f.w.b[:len(f.w.b)-size], f.w.at[:len(f.w.at)-size]
	f.w.string(s, at)
	return true
}

// isCJK is true of Han and kana and the punctuation written with them.
func isCJK(r rune) bool {
	return 0x4e00 <= r && r <= 0x9fff || 0x3041 <= r && r <= 0x30ff || 0x3400 <= r && r <= 0x4dbf ||
		0x3001 <= r && r <= 0x301f || 0x20000 <= r && r <= 0x3ffff || 0xf900 <= r && r <= 0xfaff
}

// ignorable is true of what is drawn as nothing: Default_Ignorable_Code_Point and other format controls.
func ignorable(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad || r == 0x34f || r == 0x61c || r == 0x17b4 || r == 0x17b5 || 0x180b <= r && r <= 0x180f,
		0x200b <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f,
		0xfe00 <= r && r <= 0xfe0f, r == 0xfeff, r == 0xffa0, 0xfff0 <= r && r <= 0xfffb,
		0x1bca0 <= r && r <= 0x1bca3, 0x1d173 <= r && r <= 0x1d17a, 0xe0000 <= r && r <= 0xe0fff:
		return true
	}
	return false
}

// String folds a word of a pattern the way that texts are folded.
func String(s string) string { return string(Fold(Raw([]byte(s))).B) }
