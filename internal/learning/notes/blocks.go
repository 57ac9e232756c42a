package notes

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// heading is a heading of the note itself, not of a quote or a list in it.
type heading struct {
	level      int
	title      string
	start, end int // of its lines
}

// fence is a code block with its marks.
type fence struct {
	info               string
	start, end         int // of all its lines
	bodyStart, bodyEnd int
	indented           bool
}

// attributeList is what says how a page draws a heading: "{ .card }".
var attributeList = regexp.MustCompile(`\s*\{:?\s*[.#][^{}]*\}$`)

var glued = regexp.MustCompile(`^#{2,6}\pL`)

// GluedHeading gives the level of a heading without a blank behind its signs, "##Name", or 0. One sign alone begins a tag.
func GluedHeading(line []byte) int {
	if !glued.Match(line) {
		return 0
	}
	return len(line) - len(bytes.TrimLeft(line, "#"))
}

// blocks finds headings and code. Only goldmark's block structure is used; links and formulas are read from the
// bytes, because notes write them in ways that CommonMark does not know.
func blocks(source string, ls lines, body int) ([]heading, []fence) {
	shallow := Flatten([]byte(source))
	for i := 0; i < body; i++ { // front matter is no Markdown
		if shallow[i] != '\n' {
			shallow[i] = ' '
		}
	}
	for i := range ls {
		line := shallow[ls[i]:ls.end(i, source)]
		if t := bytes.TrimSpace(line); len(t) == 1 && (t[0] == '=' || t[0] == '-') {
			t[0] = 'x' // a lone sign in a formula underlines nothing
		} else if level := GluedHeading(line); level > 0 {
			line[level-1] = ' '
		}
	}
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	root := p.Parse(text.NewReader(shallow))
	var headings []heading
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			if l := h.Lines(); l.Len() > 0 {
				first, last := l.At(0), l.At(l.Len()-1)
				line := ls.at(first.Start)
				end := ls.end(ls.at(max(first.Start, last.Stop-1)), source)
				if text := strings.TrimLeft(source[ls[line]:end], " "); !strings.HasPrefix(text, "#") { // underlined
					if next := ls.at(max(first.Start, last.Stop-1)) + 1; next < len(ls) {
						end = ls.end(next, source)
					}
				}
				level := h.Level
				if first.Start > 1 && source[first.Start-1] == '#' {
					level++ // its last sign was taken for a blank
				}
				title := strings.TrimSpace(strings.TrimRight(source[first.Start:last.Stop], " \t\r\n"))
				headings = append(headings, heading{level, plain(title), ls[line], end})
			}
		}
	}
	var fences []fence
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if f, ok := fenced(source, ls, n); ok {
				fences = append(fences, f)
			}
		case *ast.CodeBlock:
			if l := n.Lines(); l.Len() > 0 {
				start, end := ls[ls.at(l.At(0).Start)], l.At(l.Len()-1).Stop
				fences = append(fences, fence{start: start, end: end, bodyStart: start, bodyEnd: end, indented: true})
			}
		}
		return ast.WalkContinue, nil
	})
	return withText(headings, source), fences
}

const (
	outlineLeast = 6 // headings with nothing below them that make an outline
	sayingWords  = 4 // of a heading that says something
	sayingRunes  = 12
)

// withText gives the headings of a note. Some people write all that they know as headings, one below the other: then those
// with nothing below them are content of the one above.
func withText(headings []heading, source string) []heading {
	var kept []heading
	saying, texts := 0, 0
	for i, h := range headings {
		next := len(source)
		if i+1 < len(headings) {
			next = headings[i+1].start
		}
		switch {
		case strings.TrimSpace(source[min(h.end, next):next]) != "":
			texts++
			kept = append(kept, h)
		case i == 0 || i+1 < len(headings) && headings[i+1].level > h.level:
			kept = append(kept, h)
		case !strings.HasSuffix(h.title, "?") && (len(strings.Fields(h.title)) >= sayingWords || !strings.Contains(h.title, " ") && utf8.RuneCountInString(h.title) >= sayingRunes):
			saying++
		}
	}
	if bare := len(headings) - len(kept); bare >= outlineLeast && 4*texts <= len(headings) && 2*saying >= bare {
		return kept
	}
	return headings
}

func fenced(source string, ls lines, n *ast.FencedCodeBlock) (fence, bool) {
	var f fence
	l := n.Lines()
	switch {
	case n.Info != nil:
		f.info = strings.TrimSpace(valid(source[n.Info.Segment.Start:n.Info.Segment.Stop]))
		f.start = ls[ls.at(n.Info.Segment.Start)]
	case l.Len() > 0:
		f.start = ls[max(0, ls.at(l.At(0).Start)-1)]
	default:
		return f, false
	}
	if l.Len() == 0 {
		f.end = ls.end(ls.at(f.start), source)
		f.bodyStart, f.bodyEnd = f.end, f.end
		return f, true
	}
	first, last := ls.at(l.At(0).Start), ls.at(max(l.At(0).Start, l.At(l.Len()-1).Stop-1))
	f.bodyStart, f.bodyEnd = ls[first], ls.end(last, source)
	f.end = f.bodyEnd
	if closing := last + 1; closing < len(ls) {
		text := strings.TrimLeft(source[ls[closing]:ls.end(closing, source)], " \t>")
		if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
			f.end = ls.end(closing, source)
		}
	}
	return f, true
}

// Flatten gives a copy of the same length in which no line opens more than maxDepth quotes and lists, so that the tree
// stays shallow.
func Flatten(source []byte) []byte {
	out := bytes.Clone(source)
	marks, prefix := 0, true
	for i, c := range out {
		switch {
		case c == '\n':
			marks, prefix = 0, true
		case !prefix:
		case c == '>' || c == '-' || c == '*' || c == '+' || c == '.' || c == ')':
			if marks++; marks > maxDepth && c != '*' && c != '-' || marks > 200 {
				out[i] = ' '
			}
		case c == ' ' || c == '\t' || c >= '0' && c <= '9':
		default:
			prefix = false
		}
	}
	return out
}

// What HTML in a heading only says how it looks.
var (
	lineBreak  = regexp.MustCompile(`(?i)\s*<br\s*/?>\s*`)
	markedLink = regexp.MustCompile(`!?\[([^\[\]]+)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)`)
	inlineTag  = regexp.MustCompile(`(?i)</?(?:b|i|u|em|strong|small|span|font|center|mark)(?:\s[^<>]*)?>|<a\s[^<>]*>|</a>`)
)

// plain takes emphasis, link marks and anchors off a heading.
func plain(title string) string {
	title = attributeList.ReplaceAllString(valid(title), "")
	if strings.Contains(title, "<") {
		title = strings.TrimSpace(inlineTag.ReplaceAllString(lineBreak.ReplaceAllString(title, " "), ""))
	}
	if strings.Contains(title, "](") {
		title = markedLink.ReplaceAllString(title, "$1")
	}
	if strings.ContainsAny(title, "[") {
		marks, _ := scanLinks(title, 0, len(title), &mask{}, len(title))
		for _, f := range marks {
			name := f.Target
			if f.Alternate != "" {
				name = f.Alternate
			}
			if name != "" && len(name) < f.end-f.start {
				title = strings.Replace(title, title[f.start:f.end], name, 1)
				break
			}
		}
	}
	return clip(strings.TrimSpace(unmarked(title)), maxName)
}

// unmarked takes marks off the ends of a title that belong to nothing else in it: those around the whole of it, and single ones.
// "`go build` and caches" keeps both of its marks.
func unmarked(title string) string {
	const marks = "*_`"
	for {
		title = strings.Trim(title, " \t")
		if title == "" {
			return ""
		}
		first, last := title[:1], title[len(title)-1:]
		inner := strings.Trim(title, first)
		switch {
		case strings.Contains(marks, first) && !strings.Contains(inner, first):
			title = inner
		case strings.Contains(marks, last) && !strings.Contains(strings.TrimRight(title, last), last):
			title = strings.TrimRight(title, last)
		default:
			return title
		}
	}
}
