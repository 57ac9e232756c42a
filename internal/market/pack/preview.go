package pack

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// preview shows the start of a value: up to 12 lines of a text, up to 24 of anything else as indented JSON.
// Lines are cut at 240 characters; what lies behind the last line is not looked at.
func preview(v any) (lines []string, truncated bool) {
	if text, ok := v.(string); ok {
		return previewText(text)
	}
	p := printer{left: jsonLines}
	p.value("", v, "")
	p.flush()
	return p.lines, p.truncated
}

func previewText(text string) (lines []string, truncated bool) {
	lines = []string{}
	for line := range strings.Lines(text) {
		if len(lines) == textLines {
			return lines, true
		}
		line = strings.TrimRight(line, "\r\n")
		short := cut(line, maxLineRunes)
		truncated = truncated || short != line
		lines = append(lines, short)
	}
	return lines, truncated
}

// printer writes indented JSON and stops after a number of lines.
type printer struct {
	lines     []string
	line      strings.Builder
	left      int
	truncated bool
}

// flush ends the line being written, and tells whether there may be another.
func (p *printer) flush() bool {
	if p.line.Len() > 0 {
		if p.left == 0 {
			p.truncated = true
			return false
		}
		text := p.line.String()
		short := cut(text, maxLineRunes)
		p.truncated = p.truncated || short != text
		p.lines = append(p.lines, short)
		p.line.Reset()
		p.left--
	}
	return p.left > 0
}

// value writes v behind what is on the line already; tail follows its last character.
func (p *printer) value(indent string, v any, tail string) bool {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			p.line.WriteString("{}" + tail)
			return p.flush()
		}
		return p.block(indent, "{", "}"+tail, len(v), func(yield func(head string, v any) bool) {
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if !yield(quote(key)+": ", v[key]) {
					return
				}
			}
		})
	case []any:
		if len(v) == 0 {
			p.line.WriteString("[]" + tail)
			return p.flush()
		}
		return p.block(indent, "[", "]"+tail, len(v), func(yield func(head string, v any) bool) {
			for _, item := range v {
				if !yield("", item) {
					return
				}
			}
		})
	case string:
		p.line.WriteString(quote(bounded(v)) + tail)
	default:
		p.line.WriteString(scalar(v) + tail)
	}
	return p.flush()
}

func (p *printer) block(indent, head, tail string, n int, members func(func(string, any) bool)) bool {
	p.line.WriteString(head)
	if !p.flush() {
		p.truncated = true
		return false
	}
	inner, i, ok := indent+"  ", 0, true
	members(func(name string, v any) bool {
		comma := ","
		if i++; i == n {
			comma = ""
		}
		p.line.WriteString(inner + name)
		ok = p.value(inner, v, comma)
		return ok
	})
	if !ok {
		p.truncated = true
		return false
	}
	p.line.WriteString(indent + tail)
	return p.flush()
}

// bounded cuts a text that would be cut on its line anyway, before it is quoted.
func bounded(s string) string {
	if len(s) > 8*maxLineRunes {
		return strings.ToValidUTF8(s[:8*maxLineRunes], "") + "…"
	}
	return s
}

func quote(s string) string { return scalar(s) }

func scalar(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "?" // not a value of JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}
