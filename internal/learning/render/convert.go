package render

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"stoa/internal/learning/latex"
	"stoa/internal/learning/notes"
)

const (
	// MaxBytes bounds the text that is turned into a tree at once.
	MaxBytes = 256 << 10
	// MaxNodes bounds the tree; what follows is left out.
	MaxNodes = 40_000
	// maxDepth bounds how deep elements stand in each other; what is deeper is left out.
	maxDepth = 64
)

// Options are what a tree is made with.
type Options struct {
	Links Links
	// DocumentID is the note that is shown, so that it is not put into itself.
	DocumentID string
	// MarkStart and MarkEnd are the bytes of the text that are to be marked, End exclusive.
	MarkStart, MarkEnd int
	// Macros are those that the author of the text defines elsewhere; those that its own formulas define come to them.
	Macros latex.Macros
}

// Note gives the tree of a note's text, and whether a bound cut it short.
func Note(source string, o Options) (body []Node, cut bool) {
	if len(source) > MaxBytes {
		source, cut = source[:MaxBytes], true
	}
	source = strings.ToValidUTF8(source, " ")
	w := &writer{o: o, left: MaxNodes}
	body = w.parse(source)
	return body, cut || w.left < 0
}

// parse makes the nodes of a text.
func (w *writer) parse(source string) []Node {
	w.src = []byte(source)
	return w.children(newParser().Parse(text.NewReader(bounded(notes.Flatten(w.src)))), 0)
}

// mostMarks bounds the signs of emphasis in one paragraph: the time that a parser needs grows with their square.
const mostMarks = 4000

// bounded blanks further signs of emphasis in a text that is parsed; they are shown as they stand.
func bounded(text []byte) []byte {
	marks, blank := 0, true // so far in the paragraph; nothing yet in the line
	for i, c := range text {
		switch {
		case c == '\n':
			if blank {
				marks = 0
			}
			blank = true
			continue
		case blank && (c == '-' || c == '*' || c == '+') && i+2 < len(text) && text[i+1] == ' ' && text[i+2] > ' ':
			marks = 0 // an item of a list begins
		case c == '*' || c == '_' || c == '~' || c == '=':
			if marks++; marks > mostMarks {
				text[i] = ' '
			}
		}
		blank = blank && (c == ' ' || c == '\t')
	}
	return text
}

// writer makes a tree.
type writer struct {
	src    []byte
	o      Options
	left   int        // nodes that there is room for
	skip   int        // text before this offset is left out
	embeds *embedding // of the notes within
	card   bool       // the text is that of a card of Anki, with its own signs of formulas and sounds
}

// formula makes a formula with its author's macros expanded; nil for one that only defines some.
func (w *writer) formula(tex string) *Element {
	if defined, rest := latex.Define(tex); len(defined) > 0 {
		w.o.Macros = w.o.Macros.With(defined)
		if tex = rest; strings.TrimSpace(rest) == "" {
			return nil
		}
	}
	return element("math", w.o.Macros.Expand(strings.TrimSpace(tex)))
}

// element makes an element of a node's children.
func (w *writer) element(tag string, n ast.Node, depth int) *Element {
	return &Element{Tag: tag, Children: w.children(n, depth+1)}
}

// children gives the nodes that the children of a node become.
func (w *writer) children(n ast.Node, depth int) []Node {
	return w.siblings(n.FirstChild(), depth)
}

// siblings gives what a node and those after it become.
func (w *writer) siblings(first ast.Node, depth int) []Node {
	if depth > maxDepth {
		return nil
	}
	tags := openTags{}
	for n := first; n != nil; n = n.NextSibling() {
		if w.left--; w.left < 0 {
			break
		}
		if raw, ok := n.(*ast.RawHTML); ok {
			tags.read(string(raw.Segments.Value(w.src)), w.o.Links)
			continue
		}
		tags.add(w.node(n, depth)...)
	}
	return tags.all()
}

func (w *writer) node(n ast.Node, depth int) []Node {
	if n.Type() == ast.TypeInline {
		return w.inline(n, depth)
	}
	return w.block(n, depth)
}

func (w *writer) block(n ast.Node, depth int) []Node {
	switch n := n.(type) {
	case *ast.Heading:
		e := w.element("h"+strconv.Itoa(n.Level), n, depth)
		return []Node{e.with("id", Anchor(plain(e.Children)))}
	case *ast.Paragraph:
		p := w.paragraph("p", n, depth)
		if only, ok := firstOf(p.Children).(*Element); ok && len(p.Children) == 1 && only.Tag == "embed" {
			return []Node{only}
		}
		return []Node{p}
	case *ast.TextBlock:
		return w.children(n, depth)
	case *ast.Blockquote:
		return []Node{w.quote(n, depth)}
	case *box:
		return []Node{w.box(n, depth)}
	case *ast.List:
		tag := "ul"
		if n.IsOrdered() {
			tag = "ol"
		}
		e := w.element(tag, n, depth)
		if n.IsOrdered() && n.Start != 1 {
			e.with("start", strconv.Itoa(n.Start))
		}
		return []Node{e}
	case *ast.ListItem:
		return []Node{w.paragraph("li", n, depth)}
	case *ast.ThematicBreak:
		return []Node{element("hr")}
	case *ast.FencedCodeBlock:
		return []Node{w.code(n.Lines(), string(n.Language(w.src)))}
	case *ast.CodeBlock:
		return []Node{w.code(n.Lines(), "")}
	case *ast.HTMLBlock:
		html := string(n.Lines().Value(w.src))
		if n.HasClosure() {
			html += string(n.ClosureLine.Value(w.src))
		}
		return w.html(html)
	case *fenced:
		if n.kind == kindHidden {
			return nil
		}
		if e := w.formula(string(n.Lines().Value(w.src))); e != nil {
			return []Node{w.marked(e.with("display", "1"), n.Lines())}
		}
		return nil
	case *extast.FootnoteList:
		return []Node{w.element("footnotes", n, depth)}
	case *extast.Footnote:
		return []Node{w.element("li", n, depth).with("id", "fn-"+strconv.Itoa(n.Index))}
	}
	return w.table(n, depth)
}

func (w *writer) table(n ast.Node, depth int) []Node {
	switch n := n.(type) {
	case *extast.Table:
		return []Node{w.element("table", n, depth)}
	case *extast.TableHeader, *extast.TableRow:
		return []Node{w.element("tr", n, depth)}
	case *extast.TableCell:
		tag := "td"
		if n.Parent().Kind() == extast.KindTableHeader {
			tag = "th"
		}
		e := w.element(tag, n, depth)
		if n.Alignment != extast.AlignNone {
			e.with("align", n.Alignment.String())
		}
		return []Node{e}
	}
	return w.children(n, depth)
}

func (w *writer) inline(n ast.Node, depth int) []Node {
	switch n := n.(type) {
	case *ast.Text:
		list := w.text(n.Segment, n.IsRaw())
		switch {
		case n.HardLineBreak():
			list = append(list, element("br"))
		case n.SoftLineBreak():
			list = append(list, "\n")
		}
		return list
	case *ast.String:
		return []Node{string(n.Value)}
	case *ast.CodeSpan:
		return []Node{w.element("code", n, depth)}
	case *ast.Emphasis:
		if n.Level == 2 {
			return []Node{w.element("strong", n, depth)}
		}
		return []Node{w.element("em", n, depth)}
	case *extast.Strikethrough:
		return []Node{w.element("del", n, depth)}
	case *highlight:
		return []Node{w.element("mark", n, depth)}
	case *ast.Link:
		return []Node{w.link(string(n.Destination), w.children(n, depth+1))}
	case *ast.AutoLink:
		return []Node{w.link(string(n.URL(w.src)), []Node{string(n.Label(w.src))})}
	case *ast.Image:
		alt, size := sized(plain(w.children(n, depth+1)))
		return []Node{w.picture(string(n.Destination), alt, size)}
	case *wiki:
		return []Node{w.wiki(n)}
	case *math:
		e := w.formula(string(n.body.Value(w.src)))
		if e == nil {
			return nil
		}
		if n.display {
			e.with("display", "1")
		}
		if w.within(n.body) {
			e.with("marked", "1")
		}
		return []Node{e}
	case *hidden:
		return nil
	case *extast.TaskCheckBox:
		e := element("task")
		if n.IsChecked {
			e.with("checked", "1")
		}
		return []Node{e}
	case *extast.FootnoteLink:
		at := strconv.Itoa(n.Index)
		return []Node{element("sup", element("a", at).with("goto", "fn-"+at))}
	case *extast.FootnoteBacklink:
		return nil
	}
	return w.children(n, depth)
}

// text gives the words of a segment, with the part of it that is marked.
func (w *writer) text(s text.Segment, raw bool) []Node {
	start, stop := max(s.Start, w.skip), s.Stop
	if start >= stop {
		return nil
	}
	read := func(from, to int) string {
		words := w.src[from:to]
		if raw {
			return string(words)
		}
		return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(words))))
	}
	from, to := max(start, w.o.MarkStart), min(stop, w.o.MarkEnd)
	if from >= to {
		return []Node{read(start, stop)}
	}
	var list []Node
	if from > start {
		list = append(list, read(start, from))
	}
	list = append(list, element("evidence", read(from, to)))
	if to < stop {
		list = append(list, read(to, stop))
	}
	return list
}

// within says whether a part of a segment is to be marked.
func (w *writer) within(s text.Segment) bool {
	return max(s.Start, w.o.MarkStart) < min(s.Stop, w.o.MarkEnd)
}

// marked says of an element whether a part of its lines is to be marked.
func (w *writer) marked(e *Element, lines *text.Segments) *Element {
	for i := range lines.Len() {
		if w.within(lines.At(i)) {
			return e.with("marked", "1")
		}
	}
	return e
}

func (w *writer) code(lines *text.Segments, language string) *Element {
	return w.marked(element("pre", string(lines.Value(w.src))).with("language", clip(strings.ToLower(strings.Trim(language, "{}.")), 40)), lines)
}

// paragraph takes the mark off that names a block (^name) and gives it to the element.
func (w *writer) paragraph(tag string, n ast.Node, depth int) *Element {
	e := w.element(tag, n, depth)
	if len(e.Children) == 0 {
		return e
	}
	last, ok := e.Children[len(e.Children)-1].(string)
	if !ok {
		return e
	}
	at := strings.LastIndexByte(last, '^')
	if at < 0 || at > 0 && last[at-1] != ' ' && last[at-1] != '\n' || !blockName(last[at+1:]) {
		return e
	}
	e.Children[len(e.Children)-1] = strings.TrimRight(last[:at], " \n")
	return e.with("id", Anchor(last[at:]))
}

func blockName(s string) bool {
	for _, r := range s {
		if r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return s != "" && len(s) < 64
}

// quote makes a quotation, or a callout when it begins with [!type].
func (w *writer) quote(n *ast.Blockquote, depth int) *Element {
	first, ok := n.FirstChild().(*ast.Paragraph)
	if !ok || first.Lines().Len() == 0 {
		return w.element("blockquote", n, depth)
	}
	line := first.Lines().At(0)
	head := w.src[line.Start:line.Stop]
	end := bytes.IndexByte(head, ']')
	if !bytes.HasPrefix(head, []byte("[!")) || end < 3 || end > 40 || !blockName(string(head[2:end])) {
		return w.element("blockquote", n, depth)
	}
	out := element("callout").with("type", strings.ToLower(string(head[2:end])))
	w.skip = line.Start + end + 1
	if end+1 < len(head) && (head[end+1] == '+' || head[end+1] == '-') {
		out.with("fold", string(head[end+1]))
		w.skip++
	}
	all := w.children(first, depth+2)
	w.skip = 0
	title, rest := all, []Node(nil)
	for i, c := range all {
		if s, ok := c.(string); ok && s == "\n" {
			title, rest = all[:i], all[i+1:]
			break
		}
	}
	if s, ok := firstOf(title).(string); ok {
		title[0] = strings.TrimLeft(s, " \t")
	}
	out.Children = append(out.Children, &Element{Tag: "title", Children: title})
	if len(rest) > 0 {
		out.Children = append(out.Children, &Element{Tag: "p", Children: rest})
	}
	out.Children = append(out.Children, w.siblings(first.NextSibling(), depth+1)...)
	return out
}

func firstOf(list []Node) Node {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// plain gives the words of nodes.
func plain(list []Node) string {
	var b strings.Builder
	for _, n := range list {
		switch n := n.(type) {
		case string:
			b.WriteString(n)
		case *Element:
			b.WriteString(plain(n.Children))
		}
	}
	return b.String()
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
