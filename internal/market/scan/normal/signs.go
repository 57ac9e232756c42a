package normal

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// The signs of characters that a reader does not see.
const (
	SignTags       = "unicode_tags"        // letters of the tags block
	SignSelectors  = "variation_selectors" // runs of variation selectors, which can carry bytes
	SignBidi       = "bidi_override"       // direction overrides in text that has no right-to-left letter
	SignInvisible  = "invisible_in_words"  // zero-width characters inside words
	SignLookalikes = "mixed_scripts"       // words that mix Latin with letters that only look Latin
)

// Sign is one place where hidden characters stand.
type Sign struct {
	Kind string
	At   int // byte offset in the source
	Len  int
}

// Signs finds hidden characters by their presence alone, the first of each kind, and opens what they carry.
// It reads bytes that are not folded.
func Signs(t Text, add func(Sign), piece func(kind string, p Text)) {
	if !slices.ContainsFunc(t.B, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return
	}
	seen := map[string]int{}
	note := func(kind string, i, n, need int) {
		seen[kind]++
		if seen[kind] == need {
			add(Sign{kind, int(t.At[i]), n})
		}
	}
	rtl := false
	var before rune
	word, mixed := 0, 0 // kinds of letter in the current word
	turned := 0         // end of the last override
	for i := 0; i < len(t.B); {
		r, size := utf8.DecodeRune(t.B[i:])
		switch {
		case r < utf8.RuneSelf:
			if isLetter(byte(r)) {
				word |= 1
			} else {
				word = 0
			}
		case 0x590 <= r && r <= 0x8ff:
			rtl = true
		case 0xe0020 <= r && r <= 0xe007e:
			j, p := tags(t, i)
			// A flag is an emoji followed by a few tags.
			if before != 0x1f3f4 || len(p.B) > 6 {
				note(SignTags, i, j-i, 1)
				piece(SignTags, p)
			}
			i, before = j, r
			continue
		case isSelector(r):
			j, p := selectors(t, i)
			if len(p.B) >= 4 {
				note(SignSelectors, i, j-i, 1)
				piece(SignSelectors, p)
			}
			i, before = j, r
			continue
		case r == 0x202e || r == 0x202d || r == 0x2066 || r == 0x2067 || r == 0x2068:
			if !rtl {
				note(SignBidi, i, size, 1)
			}
			if r == 0x202e && i >= turned { // one within another is read with it, so that no byte is copied twice
				var p Text
				p, turned = override(t, i+size)
				piece(SignBidi, p)
			}
		case r == 0x200b || r == 0x200c || r == 0x2060 || r == 0xfeff && i > 0 || r == 0x180e || r == 0xad || r == 0x200d || 0x2061 <= r && r <= 0x2064:
			if next, _ := utf8.DecodeRune(t.B[i+size:]); needsNoJoiner(before) && needsNoJoiner(next) {
				note(SignInvisible, i, size, 3)
			}
			i += size
			continue
		case 0x370 <= r && r < 0x530:
			if word&1 != 0 && word&2 == 0 {
				if mixed++; mixed == 3 {
					note(SignLookalikes, i, size, 1)
				}
			}
			word |= 2
		default:
			word = 0
		}
		before = r
		i += size
	}
}

// needsNoJoiner tells whether a letter is of a script that is written without invisible characters.
func needsNoJoiner(r rune) bool {
	return isCJK(r) || r < 0x530 && unicode.IsLetter(r) || 0xac00 <= r && r <= 0xd7a3
}

func isSelector(r rune) bool { return 0xfe00 <= r && r <= 0xfe0f || 0xe0100 <= r && r <= 0xe01ef }

func tags(t Text, i int) (int, Text) {
	w := newBuilder(64)
	for i < len(t.B) {
		r, size := utf8.DecodeRune(t.B[i:])
		if r < 0xe0000 || r > 0xe007f {
			break
		}
		if r >= 0xe0020 && r < 0xe007f {
			w.byte(byte(r-0xe0000), t.At[i])
		}
		i += size
	}
	return i, w.text(t.At[i])
}

func selectors(t Text, i int) (int, Text) {
	w := newBuilder(64)
	for i < len(t.B) {
		r, size := utf8.DecodeRune(t.B[i:])
		switch {
		case 0xfe00 <= r && r <= 0xfe0f:
			w.byte(byte(r-0xfe00), t.At[i])
		case 0xe0100 <= r && r <= 0xe01ef:
			w.byte(byte(r-0xe0100+16), t.At[i])
		default:
			return i, w.text(t.At[i])
		}
		i += size
	}
	return i, w.text(t.At[i])
}

// override returns the text after a right-to-left override, as it is drawn, and where it ends.
func override(t Text, i int) (Text, int) {
	j := i
	for j < len(t.B) && t.B[j] != '\n' {
		if t.B[j] == 0xe2 && j+2 < len(t.B) && t.B[j+1] == 0x80 && t.B[j+2] == 0xac {
			break
		}
		j++
	}
	return reverse(t.Slice(i, j)), j
}

// reverse turns a text round, rune by rune.
func reverse(t Text) Text {
	w := newBuilder(len(t.B))
	for j := len(t.B); j > 0; {
		_, size := utf8.DecodeLastRune(t.B[:j])
		j -= size
		w.copy(t, j, j+size)
	}
	return w.text(end(t))
}
