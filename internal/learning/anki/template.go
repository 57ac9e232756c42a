package anki

import (
	"strings"
)

// Anki's templates: {{Field}}, {{filter:Field}}, {{#Field}}…{{/Field}}, {{^Field}}…{{/Field}}.

// card is a card while its two sides are written.
type card struct {
	fields map[string]string
	filled map[string]bool
	number int // of the cloze that is asked; 0 in cards without
	front  string
	asking bool // the side with the question is written
	left   *budget
	// hidden are the answers of the gaps that the side has.
	hidden []string
}

const (
	longestSide  = 1 << 20 // bytes of a side that are written
	deepestBlock = 20
)

// side writes a template.
func (c *card) side(template string) string {
	var b strings.Builder
	c.write(&b, template, 0)
	return b.String()
}

func (c *card) write(b *strings.Builder, template string, depth int) {
	for template != "" && b.Len() < longestSide && c.left.take(1) {
		before, rest, ok := strings.Cut(template, "{{")
		c.left.take(len(before))
		b.WriteString(before)
		if !ok {
			return
		}
		tag, after, ok := strings.Cut(rest, "}}")
		if !ok {
			return
		}
		template = after
		tag = strings.TrimSpace(tag)
		if tag == "" {
			continue
		}
		switch tag[0] {
		case '#', '^':
			name := strings.TrimSpace(tag[1:])
			inner, tail := block(after, name)
			c.left.take(len(inner))
			template = tail
			if c.has(name) == (tag[0] == '#') && depth < deepestBlock {
				c.write(b, inner, depth+1)
			}
		case '/', '!':
		default:
			b.WriteString(c.value(tag))
		}
	}
}

// block cuts what stands before the end of a condition.
func block(s, name string) (inner, rest string) {
	depth := 0
	for at := 0; ; {
		i := strings.Index(s[at:], "{{")
		if i < 0 {
			return s, ""
		}
		i += at
		end := strings.Index(s[i:], "}}")
		if end < 0 {
			return s, ""
		}
		tag := strings.TrimSpace(s[i+2 : i+end])
		at = i + end + 2
		switch {
		case len(tag) > 1 && (tag[0] == '#' || tag[0] == '^') && strings.TrimSpace(tag[1:]) == name:
			depth++
		case len(tag) > 1 && tag[0] == '/' && strings.TrimSpace(tag[1:]) == name:
			if depth == 0 {
				return s[:i], s[at:]
			}
			depth--
		}
	}
}

func (c *card) has(name string) bool {
	if n, ok := strings.CutPrefix(name, "c"); ok && c.number > 0 {
		if _, is := c.fields[name]; !is && n == itoa(c.number) {
			return true
		}
	}
	return c.filled[name]
}

// value writes a field with its filters, which stand before it from the last to the first.
func (c *card) value(tag string) string {
	if tag == "FrontSide" {
		c.left.take(len(c.front))
		return c.front
	}
	parts := strings.Split(tag, ":")
	text, known := c.fields[strings.TrimSpace(parts[len(parts)-1])]
	if !known {
		return ""
	}
	c.left.take(len(text))
	for k := len(parts) - 2; k >= 0; k-- {
		switch filter := strings.TrimSpace(parts[k]); {
		case filter == "cloze", filter == "cloze-only":
			if !c.left.take(len(text)) {
				return ""
			}
			list := pieces(text)
			c.hidden = append(c.hidden, answers(list, c.number)...)
			if c.asking {
				text = asked(list, c.number)
			} else {
				text = whole(list)
			}
		case filter == "type" || strings.HasPrefix(filter, "tts"):
			return "" // a box to type in, a voice
		case filter == "hint":
			if c.asking {
				return "" // shown when it is asked for
			}
		}
	}
	return text
}
