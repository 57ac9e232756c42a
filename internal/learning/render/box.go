package render

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"stoa/internal/learning/notes"
)

// kindBox is a box of documentation tools, see notes.BoxHead.
var kindBox = ast.NewNodeKind("NoteBox")

type box struct {
	ast.BaseBlock
	notes.BoxHead
	read bool // its options are
}

func (*box) Kind() ast.NodeKind   { return kindBox }
func (*box) Dump(_ []byte, _ int) {}

type boxParser struct{}

const (
	inBox     = 4 // columns by which the text of a box of MkDocs is indented
	mostBoxes = 8 // in one another
)

func (boxParser) Trigger() []byte { return []byte{'!', '?', ':', '`', '~'} }

// Open takes the head of a box. One of MkDocs has something indented in the line below, or after an empty one.
func (boxParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	trimmed := strings.TrimSpace(string(line))
	head, ok := notes.ReadFence(trimmed)
	if !ok {
		head, ok = notes.ReadBoxHead(trimmed)
	}
	inColumns := head.Colons == 0 && head.Fence == ""
	if !ok || pc.BlockIndent() >= inBox || openBoxes(pc) >= mostBoxes || !inColumns && !blockName(head.Name) || inColumns && !indentedBelow(reader) {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return &box{BoxHead: head}, parser.HasChildren
}

// openBoxes counts the boxes that the next one would stand in.
func openBoxes(pc parser.Context) (n int) {
	for _, b := range pc.OpenedBlocks() {
		if b.Node.Kind() == kindBox {
			n++
		}
	}
	return n
}

// indentedBelow reports whether the text of a box follows its head.
func indentedBelow(reader text.Reader) bool {
	_, segment := reader.PeekLine()
	for rest := reader.Source()[segment.Stop:]; len(rest) > 0; {
		line, more, _ := bytes.Cut(rest, []byte("\n"))
		if len(bytes.TrimSpace(line)) > 0 {
			return bytes.HasPrefix(line, []byte("    ")) || bytes.HasPrefix(line, []byte("\t"))
		}
		rest = more
	}
	return false
}

// Continue keeps a box open: one of MkDocs while its lines are indented, another until a line of colons that ends no box within it.
func (boxParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	b := node.(*box)
	line, _ := reader.PeekLine()
	if b.Fence != "" {
		return b.continueFence(reader, line)
	}
	if b.Colons > 0 {
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) < 3 || len(bytes.Trim(trimmed, ":")) > 0 || !innermost(b, pc) {
			return parser.Continue | parser.HasChildren
		}
		reader.AdvanceToEOL()
		return parser.Close
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return parser.Continue | parser.HasChildren
	}
	indent, padding := 0, 0
	for indent < len(line) && padding < inBox && (line[indent] == ' ' || line[indent] == '\t') {
		if padding++; line[indent] == '\t' {
			padding = inBox
		}
		indent++
	}
	if padding < inBox {
		return parser.Close
	}
	reader.Advance(indent)
	return parser.Continue | parser.HasChildren
}

// continueFence keeps a box open that is written as a fence, and reads the options at its head.
func (b *box) continueFence(reader text.Reader, line []byte) parser.State {
	trimmed := strings.TrimSpace(string(line))
	if strings.HasPrefix(trimmed, b.Fence) && strings.Trim(trimmed, b.Fence[:1]) == "" {
		reader.AdvanceToEOL()
		return parser.Close
	}
	if key, value, ok := notes.BoxOption(trimmed); ok && !b.read {
		switch key {
		case "title":
			b.Title = value
		case "collapse":
			b.Folded = value == "closed"
		}
		reader.AdvanceToEOL()
	} else if trimmed != "" {
		b.read = true
	}
	return parser.Continue | parser.HasChildren
}

// innermost reports whether no other box with colons is open within one.
func innermost(b *box, pc parser.Context) bool {
	opened := pc.OpenedBlocks()
	for i := len(opened) - 1; i >= 0; i-- {
		if in, ok := opened[i].Node.(*box); ok && in.Colons > 0 {
			return in == b
		}
	}
	return true
}

func (boxParser) Close(_ ast.Node, _ text.Reader, _ parser.Context) {}
func (boxParser) CanInterruptParagraph() bool                       { return true }
func (boxParser) CanAcceptIndentedLine() bool                       { return false }

// box makes a callout.
func (w *writer) box(b *box, depth int) *Element {
	out := element("callout").with("type", b.Name)
	if b.Folded {
		out.with("fold", "-")
	}
	title := &Element{Tag: "title"}
	if b.Title != "" {
		title.Children = []Node{b.Title}
	}
	out.Children = append(out.Children, title)
	out.Children = append(out.Children, w.siblings(b.FirstChild(), depth+1)...)
	return out
}
