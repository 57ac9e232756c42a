package render

import (
	"regexp"
	"strings"
)

// Texts of questions: what is asked and answered is plain where it is compared, and shown as it was written.

// blank stands for what is asked; held stands for it while Markdown is parsed, to which it is a sign of emphasis.
const (
	blank = "____"
	held  = "\uE0F1"
	// drawnBlank is a blank within a formula.
	drawnBlank = `\underline{\hspace{2em}}`
)

// Text gives the tree of a text whose marks were taken off before: its lines, formulas, code in backticks and files of a
// collection. Every other sign is what it is.
func Text(source string, o Options) []Node {
	s := scanner{w: &writer{o: o, left: MaxNodes}, dollars: true, backticks: true}
	list := s.scan(strings.ToValidUTF8(clip(source, longestHTML), " "))
	if len(list) == 0 {
		return []Node{}
	}
	return []Node{&Element{Tag: "p", Children: list}}
}

// Markdown gives the tree of a question's or an answer's Markdown.
func Markdown(source string, o Options) []Node {
	body, _ := Note(strings.ReplaceAll(clip(source, longestHTML), blank, held), o)
	if body == nil {
		return []Node{}
	}
	free(body)
	return body
}

// Card gives the tree of the HTML of a side of an Anki card, with its formulas and sounds.
func Card(source string, o Options) []Node {
	source = cardFormulas.ReplaceAllStringFunc(strings.ToValidUTF8(clip(source, longestHTML), " "), func(formula string) string {
		return cardTags.ReplaceAllString(formula, " ")
	})
	w := &writer{o: o, left: MaxNodes, card: true}
	return []Node{&Element{Tag: "div", Children: w.html(source)}}
}

// cardFormulas are formulas of a card, in which tags are none; cardTags are the tags in them.
var (
	cardFormulas = regexp.MustCompile(`(?s)\\\(.+?\\\)|\\\[.+?\\\]|\[\$\$?\].+?\[/\$\$?\]|\[latex\].+?\[/latex\]`)
	cardTags     = regexp.MustCompile(`<(?:/?(?:br|div|p|span|b|i|u|font|em|strong|anki-mathjax)\b[^>]*)>`)
)

// free puts the blanks of a tree back in their places.
func free(list []Node) {
	for i, n := range list {
		switch n := n.(type) {
		case string:
			list[i] = strings.ReplaceAll(n, held, blank)
		case *Element:
			if n.Tag == "math" && len(n.Children) == 1 {
				if tex, ok := n.Children[0].(string); ok {
					n.Children[0] = strings.ReplaceAll(tex, held, drawnBlank)
				}
				continue
			}
			free(n.Children)
		}
	}
}

// scanner finds formulas, code and files in a text.
type scanner struct {
	w                  *writer
	dollars, backticks bool
	depth              int
}

// marks are what a scanner looks for, the longer before the shorter.
var marks = []struct{ open, end, tag string }{
	{"```", "\n```", "pre"},
	{"`", "`", "code"},
	{"$$", "$$", "display"},
	{"$", "$", "math"},
	{`\(`, `\)`, "math"},
	{`\[`, `\]`, "display"},
	{"[$$]", "[/$$]", "display"},
	{"[$]", "[/$]", "math"},
	{"[latex]", "[/latex]", "latex"},
	{"![](<", ">)", "file"},
	{"[sound:", "]", "file"},
}

func (s scanner) scan(text string) []Node {
	var list []Node
	from := 0
	for at := 0; at < len(text); {
		if !strings.ContainsRune("`$\\[!", rune(text[at])) {
			at++
			continue
		}
		n, found := s.mark(text, at)
		if n == 0 {
			at++
			continue
		}
		if s.w.left--; s.w.left < 0 {
			break
		}
		if from < at {
			list = append(list, text[from:at])
		}
		list = append(list, found...)
		at += n
		from = at
	}
	if from < len(text) {
		list = append(list, text[from:])
	}
	return list
}

// mark reads what stands at an offset: its length, 0 when it is text, and what becomes of it.
func (s scanner) mark(text string, at int) (int, []Node) {
	rest := text[at:]
	for _, m := range marks {
		if !strings.HasPrefix(rest, m.open) || m.open[0] == '`' && !s.backticks || m.open[0] == '$' && !s.dollars {
			continue
		}
		inner := rest[len(m.open):]
		end := strings.Index(inner[:min(len(inner), longestHTML)], m.end)
		if end <= 0 || m.open == "$" && !dollars(inner, end) {
			continue
		}
		length := len(m.open) + end + len(m.end)
		inner = inner[:end]
		switch m.tag {
		case "pre":
			language, code, ok := strings.Cut(inner, "\n")
			if !ok {
				continue
			}
			return length, []Node{element("pre", code+"\n").with("language", clip(strings.TrimSpace(language), 40))}
		case "code":
			return length, []Node{element("code", inner)}
		case "file":
			return length, []Node{s.w.picture(inner, "", "")}
		case "latex":
			return length, s.latex(inner)
		}
		formula := s.w.formula(strings.ReplaceAll(inner, blank, drawnBlank))
		if formula == nil {
			return length, nil
		}
		if m.tag == "display" {
			formula.with("display", "1")
		}
		return length, []Node{formula}
	}
	return 0, nil
}

// dollars says whether a dollar and the next one stand around a formula, as in Parse of mathParser.
func dollars(inner string, end int) bool {
	after := byte(0)
	if end+1 < len(inner) {
		after = inner[end+1]
	}
	return !strings.ContainsAny(inner[:1], " \t\n") && !strings.ContainsAny(inner[end-1:end], " \t\\") && (after < '0' || after > '9') && !strings.Contains(inner[:end], "\n\n")
}

// latex reads what Anki would have had LaTeX draw: a text with formulas, or one formula.
func (s scanner) latex(inner string) []Node {
	if trimmed := strings.TrimSpace(inner); strings.HasPrefix(trimmed, `\begin{`) {
		if formula := s.w.formula(strings.ReplaceAll(trimmed, blank, drawnBlank)); formula != nil {
			return []Node{formula.with("display", "1")}
		}
		return nil
	}
	if s.depth > 0 {
		return []Node{inner}
	}
	return scanner{w: s.w, dollars: true, depth: 1}.scan(inner)
}
