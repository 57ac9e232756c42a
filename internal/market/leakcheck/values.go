package leakcheck

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Values are the values that stood in credential positions of an input.
type Values struct {
	seen    map[string]bool
	raw     needles // as they are written: base64 depends on the case
	folded  needles // in lower case
	squeeze needles // letters and digits alone, in lower case
}

// Collect returns the values that stand in credential positions of decoded JSON sections.
func Collect(sections map[string]any) *Values {
	v := &Values{seen: map[string]bool{}}
	each(sections, place{}, func(text string, p place) {
		at := p.evidence()
		if at == nothing || stands(text) {
			return
		}
		text = strings.TrimSpace(text)
		if _, rest, ok := strings.Cut(text, " "); ok && slices.Contains([]string{"bearer", "basic", "token"}, strings.ToLower(text[:len(text)-len(rest)-1])) {
			text = strings.TrimSpace(rest)
		}
		for _, text := range append(pieces(text), text) {
			if telling(text, at) {
				v.add(text)
			}
		}
	})
	return v
}

// pieces returns what may be the secret of an address: its password, and what was drawn of its path and parameters.
func pieces(text string) []string {
	_, rest, ok := strings.Cut(text, "://")
	if !ok || strings.ContainsAny(text, " \n") {
		return nil
	}
	var out []string
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		if _, password, ok := strings.Cut(authority[:i], ":"); ok {
			out = append(out, password)
		}
	}
	for _, p := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/?&=#@", r) }) {
		if drawn(p) || len(p) == 36 && strings.Count(p, "-") == 4 {
			out = append(out, p)
		}
	}
	return out
}

// longRun reports whether a value holds a run of at least n letters and digits.
func longRun(v string, n int) bool {
	return slices.ContainsFunc(strings.FieldsFunc(v, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), func(w string) bool { return len(w) >= n })
}

// telling reports whether a value can be searched for anywhere without meeting it by chance: a plain word cannot.
func telling(v string, at evidence) bool {
	if len(v) > 8192 || strings.Contains(v, "://") {
		return false
	}
	digits, letters, blanks, others, turns := 0, 0, 0, 0, 0
	last := 0
	for _, r := range v {
		kind := 0
		switch {
		case unicode.IsDigit(r):
			digits++
			kind = 1
		case unicode.IsLetter(r):
			letters++
			kind = 2
		case unicode.IsSpace(r):
			blanks++
		default:
			others++
		}
		if kind != last {
			turns++
		}
		last = kind
	}
	n := utf8.RuneCountInString(v)
	if at == unlisted {
		return n >= 16 && blanks == 0 && digits >= 3 && turns >= 6 && !strings.ContainsAny(v, "/.:@")
	}
	switch {
	case blanks > 0:
		return n >= 24 && digits > 0
	case digits > 0 && letters > 0:
		return n >= 7
	case letters == 0:
		return n >= 9
	case others > 0 && longRun(v, 24):
		return true
	case others > 0:
		return n >= 10 && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz-_. ") != ""
	}
	return n >= 20
}

func (v *Values) add(value string) {
	if v.seen[value] {
		return
	}
	v.seen[value] = true
	if plain := string(unescape([]byte(value))); plain != value {
		v.add(plain)
	}
	lower := strings.ToLower(value)
	v.folded.add(lower, "as it was")
	v.folded.add(reversed(lower), "turned round")
	v.folded.add(percent(value), "escaped")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			coded := enc.EncodeToString([]byte(strings.Repeat("-", shift) + value))
			from, to := (shift*8+5)/6, (len(value)+shift)*8/6
			if to-from >= minNeedle {
				v.raw.add(coded[from:to], "in base64")
			}
		}
	}
	v.squeeze.add(hex.EncodeToString([]byte(value)), "in hexadecimal")
	if coded := squeeze(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(value))); len(coded) > minNeedle {
		v.squeeze.add(coded[:len(coded)-1], "in base32")
	}
	bare := squeeze(value)
	if len(bare) < 10 {
		return
	}
	middle := len(bare) / 2
	first, second := bare[:middle], bare[middle:]
	v.squeeze.add(bare, "with other signs between its characters")
	v.squeeze.add(reversed(bare), "turned round")
	v.squeeze.add(second+first, "with its halves changed")
	v.squeeze.add(reversed(first)+reversed(second), "with its halves turned round")
	v.squeeze.add(reversed(second)+first, "with its halves changed")
	v.squeeze.add(second+reversed(first), "with its halves changed")
}

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

func percent(value string) string {
	var b strings.Builder
	for i := range len(value) {
		b.WriteByte('%')
		b.WriteString(hex.EncodeToString([]byte{value[i]}))
	}
	return b.String()
}

// minNeedle is the least length of what is searched for, in bytes.
const minNeedle = 7

// needles are texts that are searched for at once, by their first bytes.
type needles struct {
	starts map[[minNeedle]byte][]needle
	first  [1 << 16]bool
}

type needle struct{ text, how string }

func (n *needles) add(text, how string) {
	if len(text) < minNeedle {
		return
	}
	if n.starts == nil {
		n.starts = map[[minNeedle]byte][]needle{}
	}
	start := [minNeedle]byte([]byte(text[:minNeedle]))
	n.starts[start] = append(n.starts[start], needle{text, how})
	n.first[uint16(text[0])<<8|uint16(text[1])] = true
}

// in returns how a needle stands in a text, "" when none does.
func (n *needles) in(text []byte) string {
	for i := 0; i+minNeedle <= len(text); i++ {
		if !n.first[uint16(text[i])<<8|uint16(text[i+1])] {
			continue
		}
		for _, needle := range n.starts[[minNeedle]byte(text[i:i+minNeedle])] {
			if i+len(needle.text) <= len(text) && string(text[i:i+len(needle.text)]) == needle.text {
				return needle.how
			}
		}
	}
	return ""
}
