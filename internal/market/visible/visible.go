// Package visible says which characters of a text a person sees as what they are, and writes the others so that they can
// be seen: as \u and four hex digits, which JSON reads as the same text.
package visible

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Plain reports whether a character is shown as what it is: it is no control but newline and tab, turns no direction and
// is drawn as something.
func Plain(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f:
		return true
	case r < 0xa0:
		return false
	}
	return !unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) &&
		r != 0x034f && r != 0x2800 && r != 0x180e && (r < 0xe0000 || r > 0xe0fff)
}

// Joins reports whether r belongs to the character before it, as in emoji and in the scripts that join letters.
func Joins(last, r rune) bool {
	return (r == 0x200c || r == 0x200d || r == 0xfe0e || r == 0xfe0f) && last >= 0xa0 && Plain(last) || r == 0x200d && last == 0xfe0f
}

// Escape writes a character as JSON does.
func Escape(r rune) string {
	if a, b := utf16.EncodeRune(r); a != utf8.RuneError {
		return fmt.Sprintf(`\u%04x\u%04x`, a, b)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Line writes a text for one line of output: no newline in it begins another.
func Line(s string) string {
	var out strings.Builder
	last := rune(0)
	for _, r := range s {
		if r != '\n' && r != '\t' && Plain(r) || Joins(last, r) {
			out.WriteRune(r)
		} else {
			out.WriteString(Escape(r))
		}
		last = r
	}
	return out.String()
}

// Marked writes a line of a text that is to be read closely: every character that cannot be seen is written out, also one
// that belongs to the character before it, and so is every byte that is no UTF-8.
func Marked(line string) string {
	var out strings.Builder
	for len(line) > 0 {
		r, n := utf8.DecodeRuneInString(line)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, `\x%02x`, line[0])
		case Plain(r):
			out.WriteRune(r)
		default:
			out.WriteString(Escape(r))
		}
		line = line[n:]
	}
	return out.String()
}

// Hidden counts the characters of texts that cannot be seen.
type Hidden map[rune]int

// Add counts those of a text; a byte order mark at its beginning and characters that belong to the one before are left out.
func (h Hidden) Add(text string) {
	last := rune(0)
	for i, r := range text {
		if !Plain(r) && !Joins(last, r) && r != '\r' && (i > 0 || r != 0xfeff) {
			h[r]++
		}
		last = r
	}
}

// Lines returns the characters by code point, each with its number, such as "3 × U+200B".
func (h Hidden) Lines() []string {
	runes := make([]rune, 0, len(h))
	for r := range h {
		runes = append(runes, r)
	}
	slices.Sort(runes)
	out := make([]string, len(runes))
	for i, r := range runes {
		out[i] = fmt.Sprintf("%d × %U", h[r], r)
	}
	return out
}
