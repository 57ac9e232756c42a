package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	longLine  = 160 // characters of a line that is not divided
	pieceLine = 240 // characters of a piece without the end of a sentence
	goesOn    = "↳ "
	quotes    = `"""`
)

// rendering is a section as lines, and where its items begin.
type rendering struct {
	lines   []string
	anchors []anchor
	limit   int
	cut     bool
}

// anchor is the first line of an item, or of what stands around the items. Anchors of one id are compared
// with each other.
type anchor struct {
	id   place
	line int
}

// place tells items apart: the members of the section, and those of its "entries".
type place struct {
	kind byte
	name string
}

const (
	noPlace  = 0
	top      = 't' // the section
	topEnd   = '}'
	item     = 'i'
	entry    = 'e' // an item below "entries"
	entryEnd = ']'
)

// below is the place of a member of what stands at p.
func (p place) below(name string) place {
	switch {
	case p.kind == top:
		return place{item, name}
	case p == place{item, entries}:
		return place{entry, name}
	}
	return place{}
}

// end is the place of the closing bracket, where items stand before it.
func (p place) end() place {
	switch {
	case p.kind == top:
		return place{kind: topEnd}
	case p == place{item, entries}:
		return place{kind: entryEnd}
	}
	return place{}
}

func render(v side, limit int) *rendering {
	r := &rendering{limit: limit}
	if v.ok {
		r.value(v.value, "", "", "", place{kind: top})
	}
	return r
}

// preview is the first lines.
func (r *rendering) preview() ([]string, bool) {
	if len(r.lines) > PreviewLines {
		return slices.Clone(r.lines[:PreviewLines]), true
	}
	return append([]string{}, r.lines...), r.cut
}

func (r *rendering) line(parts ...string) {
	if len(r.lines) == r.limit {
		r.cut = true
		return
	}
	r.lines = append(r.lines, strings.Join(parts, ""))
}

// mark notes that the next line begins the part at p.
func (r *rendering) mark(p place) {
	if p.kind != noPlace {
		r.anchors = append(r.anchors, anchor{p, len(r.lines)})
	}
}

// value writes v with its name before and its comma behind.
func (r *rendering) value(v any, indent, name, comma string, at place) {
	if r.cut {
		return
	}
	r.mark(at)
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			r.line(indent, name, "{}", comma)
			return
		}
		r.line(indent, name, "{")
		names := slices.Sorted(maps.Keys(v))
		for i, key := range names {
			r.value(v[key], indent+"  ", quote(clip(show(key), longLine))+": ", commaAfter(i, len(names)), at.below(key))
		}
		r.mark(at.end())
		r.line(indent, "}", comma)
	case []any:
		if len(v) == 0 {
			r.line(indent, name, "[]", comma)
			return
		}
		r.line(indent, name, "[")
		for i, item := range v {
			if r.cut {
				return
			}
			r.value(item, indent+"  ", "", commaAfter(i, len(v)), place{})
		}
		r.line(indent, "]", comma)
	case string:
		r.text(v, indent, name, comma)
	case json.Number:
		r.line(indent, name, clip(string(v), longLine), comma)
	default:
		r.line(indent, name, fmt.Sprint(nilIsNull(v)), comma)
	}
}

func commaAfter(i, n int) string {
	if i+1 < n {
		return ","
	}
	return ""
}

func nilIsNull(v any) any {
	if v == nil {
		return "null"
	}
	return v
}

func (r *rendering) text(s, indent, name, comma string) {
	if !strings.Contains(s, "\n") && utf8.RuneCountInString(s) <= longLine {
		r.line(indent, name, quote(s), comma)
		return
	}
	mark := quotes
	if n := strings.Count(s, "\n"); n > 0 && n == strings.Count(s, "\r\n") && n == strings.Count(s, "\r") {
		s, mark = strings.ReplaceAll(s, "\r\n", "\n"), quotes+" CRLF"
	}
	r.line(indent, name, mark)
	for line := range prose(s) {
		if r.cut {
			return
		}
		r.line(indent, "  ", line)
	}
	r.line(indent, quotes, comma)
}

// quote writes a JSON string with invisible characters escaped.
func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		b = []byte(`"` + strings.ToValidUTF8(s, "\uFFFD") + `"`)
	}
	return mapInvisible(string(b), func(r rune) string {
		if r > 0xffff {
			r -= 0x10000
			return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// prose gives the lines of a text, long ones divided.
func prose(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(s, "\n") {
			mark := ""
			for {
				piece := line[:breakAt(line)]
				if !yield(mark + visible(piece)) {
					return
				}
				line = line[len(piece):]
				if line == "" {
					break
				}
				mark = goesOn
			}
		}
	}
}

// breakAt says where a line is divided: behind the first end of a sentence, when it is long.
func breakAt(line string) int {
	if len(line) <= longLine || utf8.RuneCountInString(line[:min(len(line), 4*longLine+4)]) <= longLine {
		return len(line)
	}
	n, ended := 0, false
	for i, r := range line {
		wide := strings.ContainsRune("。！？", r)
		switch {
		case ended && r != ' ' && n > 1, n == pieceLine:
			return i
		case wide:
			return i + utf8.RuneLen(r)
		case r == ' ':
			ended = ended || i > 0 && strings.IndexByte(".!?;", line[i-1]) >= 0
		default:
			ended = false
		}
		n++
	}
	return len(line)
}

// visible writes what cannot be seen as ⟨U+202E⟩, so that two different texts never look the same.
func visible(s string) string {
	if strings.ContainsAny(s, "⟨↳") {
		s = strings.NewReplacer("⟨U+", "⟨U+27E8⟩U+", goesOn, "⟨U+21B3⟩ ").Replace(s)
	}
	return show(s)
}

// show is for names and lines: invisible characters as ⟨U+202E⟩.
func show(s string) string {
	return mapInvisible(s, func(r rune) string { return fmt.Sprintf("⟨U+%04X⟩", r) })
}

// mapInvisible replaces controls, format characters and line separators. The tab stays, and the joiner that
// emoji are made with.
func mapInvisible(s string, replace func(rune) string) string {
	var b *strings.Builder
	from := 0
	for i, r := range s {
		if r >= ' ' && r < 0x7f || r == '\t' || r == '\u200d' || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			continue
		}
		if b == nil {
			b = new(strings.Builder)
		}
		b.WriteString(s[from:i])
		b.WriteString(replace(r))
		from = i + utf8.RuneLen(r)
	}
	if b == nil {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// clip cuts a text to at most n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
