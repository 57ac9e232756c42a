package units

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain gives the words of inline Markdown: links by their text, without emphasis, tags of HTML, comments, footnote
// marks, block names, images, and roles of documentation tools. Formulas keep their dollars and code its backticks.
func Plain(text string) string {
	if !strings.ContainsAny(text, "[]*_=`~<>&%^$\\:{!") {
		return strings.TrimSpace(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	plainInto(&b, text, 0)
	return strings.TrimSpace(collapse(b.String()))
}

// plainInto writes the words of text. Texts of links are links themselves at most three deep.
func plainInto(b *strings.Builder, text string, depth int) {
	for i := 0; i < len(text); {
		n, out := mark(text, i)
		if n == 0 {
			b.WriteByte(text[i])
			i++
			continue
		}
		if depth < 3 && out != "" && text[i] == '[' {
			plainInto(b, out, depth+1)
		} else {
			b.WriteString(out)
		}
		i += n
	}
}

// How far the end of a mark is looked for, so that many that never end cost no more than their number. The end of a formula
// is looked for byte by byte.
const (
	longestMark    = 64 << 10
	longestFormula = 4 << 10
	longestRole    = 32
	// longestShortcode is that of a shortcode with its arguments.
	longestShortcode = 1 << 10
)

// escapedBrackets gives the words between \( and \), which are no formula; "" when it is one.
func escapedBrackets(rest string) string {
	if !strings.HasPrefix(rest, `\(`) {
		return ""
	}
	words, _, closed := strings.Cut(rest[2:min(len(rest), 82)], `\)`)
	if !closed || strings.ContainsFunc(words, func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' && r != '-' }) || len(words) < 4 {
		return ""
	}
	return words
}

// mark reads the mark at an offset: how many bytes it has and what stands for it; 0 if there is none.
func mark(text string, i int) (int, string) {
	rest := text[i:min(len(text), i+longestMark)]
	switch rest[0] {
	case '`':
		if n := strings.IndexByte(rest[1:], '`'); n > 0 {
			return n + 2, rest[:n+2]
		}
	case '$':
		if n := formulaEnd(rest[:min(len(rest), longestFormula)]); n > 0 {
			return n, rest[:n]
		}
	case '\\':
		if n := strings.Index(rest[:min(len(rest), longestFormula)], `\]`); n > 2 && rest[1] == '[' && strings.ContainsAny(rest[2:n], `\^=`) {
			return n + 2, "$$" + strings.TrimSpace(rest[2:n]) + "$$" // a formula in a line
		}
		if len(rest) > 1 && strings.IndexByte("*_[]#`~<>!.-+|$", rest[1]) >= 0 {
			return 2, rest[1:2]
		}
		if words := escapedBrackets(rest); words != "" {
			return len(words) + 4, "(" + words + ")"
		}
	case '!':
		if n, _, ok := link(rest[1:]); ok {
			return n + 1, ""
		}
	case '[':
		if strings.HasPrefix(rest, "[^") {
			if n := strings.IndexByte(rest, ']'); n > 2 && n < 60 {
				return n + 1, ""
			}
		}
		if n, out, ok := link(rest); ok {
			return n, out
		}
	case '*', '_', '~', '=':
		return emphasis(text, i)
	case '<':
		return tag(rest)
	case '&':
		if n := strings.IndexByte(rest, ';'); n > 1 && n < 10 {
			if out := html.UnescapeString(rest[:n+1]); out != rest[:n+1] {
				return n + 1, strings.ReplaceAll(out, "\u00a0", " ")
			}
		}
	case '%':
		if strings.HasPrefix(rest, "%%") {
			if n := strings.Index(rest[2:], "%%"); n >= 0 {
				return n + 4, ""
			}
		}
	case '^':
		if n := blockName(rest); n > 0 && (i == 0 || text[i-1] == ' ' || text[i-1] == '\n') {
			return n, ""
		}
	case ':':
		return role(rest)
	case '{':
		for _, mark := range [][2]string{{"{{<", ">}}"}, {"{{%", "%}}"}} { // a shortcode of Hugo
			if !strings.HasPrefix(rest, mark[0]) {
				continue
			}
			if n := strings.Index(rest[:min(len(rest), longestShortcode)], mark[1]); n > 0 {
				return n + len(mark[1]), ""
			}
		}
		if strings.HasPrefix(rest, "{#") || strings.HasPrefix(rest, "{.") || strings.HasPrefix(rest, "{:") {
			if n := strings.IndexByte(rest, '}'); n > 0 && n < 80 {
				return n + 1, ""
			}
		}
	}
	return 0, ""
}

// formulaEnd gives the length of the formula between dollars that a text begins with, 0 if there is none.
func formulaEnd(s string) int {
	open := 1
	if strings.HasPrefix(s, "$$") {
		open = 2
	}
	if len(s) <= open || open == 1 && (s[1] == ' ' || s[1] == '\n') {
		return 0
	}
	for i := open; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], "$$"[:open]):
			if open == 1 && (s[i-1] == ' ' || i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9') {
				return 0 // prices
			}
			return i + open
		}
	}
	return 0
}

const (
	longestTarget = 1002 // bytes of a link between double brackets
	deepestLabel  = 12   // brackets in a link's text
)

// link reads a link or a wikilink and gives its text.
func link(s string) (int, string, bool) {
	if strings.HasPrefix(s, "[[") {
		n := strings.Index(s[:min(len(s), longestTarget)], "]]")
		if n < 0 {
			return 0, "", false
		}
		inner := s[2:n]
		target, shown, bar := strings.Cut(inner, "|")
		if !bar {
			note, heading, _ := strings.Cut(target, "#")
			shown = note
			if note == "" || heading != "" && !strings.HasPrefix(heading, "^") && note == "" {
				shown = strings.TrimLeft(heading, "#^")
			}
		} else if strings.HasPrefix(shown, "dendron://") {
			shown = target // [[Shown|dendron://vault/note]]
		}
		return n + 2, strings.TrimSuffix(strings.TrimSpace(shown), `\`), true
	}
	if s == "" || s[0] != '[' {
		return 0, "", false
	}
	depth, i := 0, 0
	for ; i < len(s) && i < 2000; i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if depth++; depth > deepestLabel {
				return 0, "", false
			}
		case ']':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	if i+1 >= len(s) || depth != 0 || s[i+1] != '(' && s[i+1] != '[' {
		return 0, "", false
	}
	closing := byte(')')
	if s[i+1] == '[' {
		closing = ']'
	}
	open, j := 0, i+1
	for ; j < len(s) && j < i+2000; j++ {
		switch s[j] {
		case s[i+1]:
			open++
		case closing:
			open--
		}
		if open == 0 {
			return j + 1, s[1:i], true
		}
	}
	return 0, "", false
}

// emphasis drops runs of * _ ~ = that mark words; an underscore within a word or an equals sign alone marks none.
func emphasis(text string, i int) (int, string) {
	c := text[i]
	n := 1
	for i+n < len(text) && text[i+n] == c {
		n++
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+n:])
	spaced := (i == 0 || unicode.IsSpace(before)) && (i+n == len(text) || unicode.IsSpace(after))
	switch {
	case spaced || n > 3:
		return n, text[i : i+n]
	case (c == '=' || c == '~') && n != 2:
		return n, text[i : i+n]
	case c == '=' && (operator(before) || operator(after)):
		return n, text[i : i+n]
	case c == '_' && i > 0 && i+n < len(text) && wordRune(before) && wordRune(after):
		return n, text[i : i+n]
	case c == '*' && n == 1 && i > 0 && i+n < len(text) && unicode.IsDigit(before) && unicode.IsDigit(after):
		return n, text[i : i+n]
	}
	return n, ""
}

func operator(r rune) bool { return strings.ContainsRune("=<>!+-", r) }

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// tag drops a tag or comment of HTML; a break becomes a blank. An address in angle brackets stays.
func tag(s string) (int, string) {
	if strings.HasPrefix(s, "<!--") {
		if n := strings.Index(s, "-->"); n > 0 {
			return n + 3, ""
		}
	}
	if len(s) < 3 || s[1] != '/' && (s[1]|0x20 < 'a' || s[1]|0x20 > 'z') {
		return 0, ""
	}
	n := strings.IndexByte(s, '>')
	if n < 0 || n > 600 || strings.IndexByte(s[1:n], '<') >= 0 {
		return 0, ""
	}
	name := strings.FieldsFunc(s[1:n], func(r rune) bool { return r == ' ' || r == '/' || r == '\n' || r == '\t' })
	if len(name) == 0 || strings.Contains(name[0], ":") || strings.Contains(name[0], "@") {
		return 0, ""
	}
	if !htmlNames[strings.ToLower(name[0])] && !strings.Contains(name[0], "-") && s[1] != '/' && s[n-1] != '/' && !strings.Contains(s[:n], `="`) && !camel.MatchString(name[0]) {
		return 0, "" // Vec<T>, <your name>
	}
	if strings.EqualFold(name[0], "br") || strings.EqualFold(name[0], "p") || strings.EqualFold(name[0], "div") {
		return n + 1, " "
	}
	return n + 1, ""
}

var htmlNames = set("a", "abbr", "article", "aside", "audio", "b", "big", "blockquote", "br", "button", "caption", "center", "cite", "code", "col", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "embed",
	"figcaption", "figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "i", "iframe", "img", "input", "ins", "kbd", "label", "li", "link", "main", "mark", "meta", "nav", "object",
	"ol", "p", "param", "picture", "pre", "q", "rp", "rt", "ruby", "s", "samp", "script", "section", "small", "source", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "tfoot",
	"th", "thead", "tr", "tt", "u", "ul", "var", "video", "path", "g", "rect", "circle")

// camel is the name of a component of a page: <infoBox>.
var camel = regexp.MustCompile(`^[a-z]+[A-Z]`)

// blockName gives the length of ^name at the end of a line, 0 if there is none.
func blockName(s string) int {
	i := 1
	for i < len(s) && (s[i] == '-' || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z') {
		i++
	}
	if i > 1 && (i == len(s) || s[i] == '\n') {
		return i
	}
	return 0
}

// role drops :name:`value` of Sphinx, MyST and d2lbook; of code and terms the value stays.
func role(s string) (int, string) {
	n := strings.Index(s[:min(len(s), longestRole)], ":`")
	if n < 2 || n > 24 || strings.ContainsAny(s[1:n], " \n") {
		return 0, ""
	}
	end := strings.IndexByte(s[n+2:], '`')
	if end < 0 {
		return 0, ""
	}
	value := s[n+2 : n+2+end]
	switch name := s[1:n]; name {
	case "term", "code", "func", "class", "meth", "mod", "math", "doc", "abbr", "attr", "obj":
		value, _, _ = strings.Cut(value, " <")
		return n + end + 3, value
	}
	return n + end + 3, ""
}

// collapse makes one blank of several on a line.
func collapse(s string) string {
	if !strings.Contains(s, "  ") && !strings.Contains(s, " \n") && !strings.Contains(s, "\t") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	return strings.Join(lines, "\n")
}

// Weight is how much a text says: its letters and digits, those of scripts without blanks counted twice.
func Weight(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				n++
			}
		case Dense(r):
			n += 2
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			n++
		}
	}
	return n
}

// Dense reports whether a character belongs to a script written without blanks.
func Dense(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}
