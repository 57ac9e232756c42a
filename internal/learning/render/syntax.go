package render

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"stoa/internal/learning/notes"
)

// The kinds of node that notes have besides those of goldmark.
var (
	kindWiki    = ast.NewNodeKind("NoteWikiLink")
	kindMath    = ast.NewNodeKind("NoteMath")
	kindFormula = ast.NewNodeKind("NoteFormula")
	kindMark    = ast.NewNodeKind("NoteHighlight")
	kindHidden  = ast.NewNodeKind("NoteComment")
)

// wiki is [[target#heading|alias]]; embed is ![[…]].
type wiki struct {
	ast.BaseInline
	embed                  bool
	target, heading, alias string
}

func (*wiki) Kind() ast.NodeKind   { return kindWiki }
func (*wiki) Dump(_ []byte, _ int) {}

// math is a formula in a line.
type math struct {
	ast.BaseInline
	body    text.Segment
	display bool
}

func (*math) Kind() ast.NodeKind   { return kindMath }
func (*math) Dump(_ []byte, _ int) {}

// fenced is a block between two marks: a formula or a comment.
type fenced struct {
	ast.BaseBlock
	kind ast.NodeKind
	end  int // where the second mark ends
}

func (f *fenced) Kind() ast.NodeKind { return f.kind }
func (*fenced) Dump(_ []byte, _ int) {}

// highlight is ==text==.
type highlight struct{ ast.BaseInline }

func (*highlight) Kind() ast.NodeKind   { return kindMark }
func (*highlight) Dump(_ []byte, _ int) {}

// hidden is a %%comment%% in a line.
type hidden struct{ ast.BaseInline }

func (*hidden) Kind() ast.NodeKind   { return kindHidden }
func (*hidden) Dump(_ []byte, _ int) {}

// newParser makes a parser of notes. It keeps nothing between notes.
func newParser() parser.Parser {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote, extension.Linkify))
	p := md.Parser()
	p.AddOptions(
		parser.WithInlineParsers(
			util.Prioritized(wikiParser{}, 90), util.Prioritized(mathParser{}, 91), util.Prioritized(highlightParser{}, 501), util.Prioritized(commentParser{}, 92),
		),
		parser.WithBlockParsers(
			util.Prioritized(fenceParser{mark: "$$", kind: kindFormula}, 650), util.Prioritized(fenceParser{mark: "%%", kind: kindHidden}, 651), util.Prioritized(boxParser{}, 652), util.Prioritized(gluedParser{}, 653),
		),
	)
	return p
}

type wikiParser struct{}

func (wikiParser) Trigger() []byte { return []byte{'[', '!'} }

// longestWiki bounds a wiki link, so that brackets that are never closed cost little.
const longestWiki = 1024

func (wikiParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	embed := bytes.HasPrefix(line, []byte("![["))
	begin := 2
	if embed {
		begin = 3
	} else if !bytes.HasPrefix(line, []byte("[[")) {
		return nil
	}
	line = line[:min(len(line), longestWiki)]
	n := bytes.Index(line[begin:], []byte("]]"))
	if n <= 0 {
		return nil
	}
	inner := string(line[begin : begin+n])
	if strings.ContainsAny(inner, "[\n") {
		return nil
	}
	w := &wiki{embed: embed}
	target, alias, _ := strings.Cut(inner, "|")
	w.alias = strings.TrimSpace(alias)
	target, w.heading, _ = strings.Cut(strings.TrimSuffix(target, `\`), "#")
	w.target = strings.TrimSpace(target)
	w.heading = strings.TrimSpace(w.heading[strings.LastIndexByte(w.heading, '#')+1:])
	if w.target == "" && w.heading == "" {
		return nil
	}
	block.Advance(begin + n + 2)
	return w
}

type mathParser struct{}

// longestFormula is how far the end of a formula is looked for in a line, so that signs that are never closed cost little.
const longestFormula = 8 << 10

func (mathParser) Trigger() []byte { return []byte{'$', '\\'} }

// Parse reads $x$ and $$x$$ within a paragraph, and \(x\) and \[x\] in a line. As elsewhere, a dollar before or after a
// blank, or before a digit, is a dollar.
func (mathParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if line[0] == '\\' {
		return bracketed(line, segment, block)
	}
	mark := 1
	if len(line) > 1 && line[1] == '$' {
		mark = 2
	}
	rest := line[mark:min(len(line), longestFormula)]
	if len(rest) == 0 || mark == 1 && (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n') {
		return nil
	}
	for i := 1; i < len(rest); i++ {
		if rest[i-1] == '\\' && (i < 2 || rest[i-2] != '\\') || rest[i] != '$' {
			continue
		}
		end := i + mark
		if mark == 2 && (i+1 >= len(rest) || rest[i+1] != '$') {
			continue
		}
		if mark == 1 && (rest[i-1] == ' ' || rest[i-1] == '\t') {
			return nil
		}
		if mark == 1 && end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
			return nil
		}
		block.Advance(mark + end)
		return &math{display: mark == 2, body: text.NewSegment(segment.Start+mark, segment.Start+mark+i)}
	}
	return nil
}

// bracketed reads \(x\) and \[x\]. In Markdown these are brackets as well: what stands between must have a sign of a
// formula, or be as short as the name of one.
func bracketed(line []byte, segment text.Segment, block text.Reader) ast.Node {
	end := `\)`
	if bytes.HasPrefix(line, []byte(`\[`)) {
		end = `\]`
	} else if !bytes.HasPrefix(line, []byte(`\(`)) {
		return nil
	}
	line = line[:min(len(line), longestFormula)]
	n := bytes.Index(line[2:], []byte(end))
	if n <= 0 || !bytes.ContainsAny(line[2:2+n], `\^_=+<>{}|`) && len(bytes.TrimSpace(line[2:2+n])) > 2 || line[2] >= '0' && line[2] <= '9' && n < 3 {
		return nil
	}
	block.Advance(n + 4)
	return &math{display: end == `\]`, body: text.NewSegment(segment.Start+2, segment.Start+2+n)}
}

type commentParser struct{}

func (commentParser) Trigger() []byte { return []byte{'%'} }

func (commentParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if !bytes.HasPrefix(line, []byte("%%")) {
		return nil
	}
	n := bytes.Index(line[2:], []byte("%%"))
	if n < 0 {
		return nil
	}
	block.Advance(n + 4)
	return &hidden{}
}

type highlightParser struct{}

func (highlightParser) Trigger() []byte { return []byte{'='} }

func (highlightParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 2, highlightMarks{})
	if node == nil || node.OriginalLength != 2 || before == '=' {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

type highlightMarks struct{}

func (highlightMarks) IsDelimiter(b byte) bool                   { return b == '=' }
func (highlightMarks) CanOpenCloser(o, c *parser.Delimiter) bool { return o.Char == c.Char }
func (highlightMarks) OnMatch(int) ast.Node                      { return &highlight{} }

// fenceParser reads blocks that begin with a mark at the beginning of a line and end with it at the end of one.
type fenceParser struct {
	mark string
	kind ast.NodeKind
}

func (p fenceParser) Trigger() []byte { return []byte{p.mark[0]} }

func (p fenceParser) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	blank := util.TrimLeftSpaceLength(line)
	if blank > 3 || !bytes.HasPrefix(line[blank:], []byte(p.mark)) {
		return nil, parser.NoChildren
	}
	begin := segment.Start + blank + len(p.mark)
	n := bytes.Index(reader.Source()[begin:], []byte(p.mark))
	if n < 0 {
		return nil, parser.NoChildren
	}
	block := &fenced{kind: p.kind, end: begin + n + len(p.mark)}
	if block.end <= segment.Stop { // on one line: a block when nothing follows
		if !util.IsBlank(reader.Source()[block.end:segment.Stop]) {
			return nil, parser.NoChildren
		}
	}
	block.Lines().Append(text.NewSegment(begin, min(segment.Stop, begin+n)))
	reader.AdvanceToEOL()
	return block, parser.NoChildren
}

func (p fenceParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	_, segment := reader.PeekLine()
	block := node.(*fenced)
	if segment.Start >= block.end {
		return parser.Close
	}
	if stop := min(segment.Stop, block.end-len(p.mark)); stop > segment.Start {
		block.Lines().Append(text.NewSegment(segment.Start, stop))
	}
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (fenceParser) Close(ast.Node, text.Reader, parser.Context) {}
func (fenceParser) CanInterruptParagraph() bool                 { return true }
func (fenceParser) CanAcceptIndentedLine() bool                 { return false }

// gluedParser reads headings without a blank behind their signs, as learning/notes does.
type gluedParser struct{}

func (gluedParser) Trigger() []byte { return []byte{'#'} }

func (gluedParser) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	level := notes.GluedHeading(line)
	if level == 0 {
		return nil, parser.NoChildren
	}
	heading := ast.NewHeading(level)
	heading.Lines().Append(text.NewSegment(segment.Start+level, segment.Start+len(bytes.TrimRight(line, " \t\r\n"))))
	reader.AdvanceToEOL()
	return heading, parser.NoChildren
}

func (gluedParser) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }

func (gluedParser) Close(ast.Node, text.Reader, parser.Context) {}

func (gluedParser) CanInterruptParagraph() bool { return true }

func (gluedParser) CanAcceptIndentedLine() bool { return false }
