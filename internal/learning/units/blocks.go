package units

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/learning/notes"
)

// Kind is what a block of Markdown is.
type Kind uint8

// The kinds of block.
const (
	Paragraph Kind = iota
	List
	Table
	Code
	Math
	Quote
	Callout  // a box with a type and perhaps a title: > [!note], :::note, ```ad-note, ```{note}
	Terms    // a definition list: "Term" and below it ": meaning"
	Footnote // [^1]: text
	Ignored  // comments, queries of the editor, tables of contents; Why says which
)

// Block is a piece of a section. Start and End are bytes of the text it was read from.
type Block struct {
	Kind       Kind
	Start, End int
	// Lines of a paragraph, a quote or a footnote without their marks.
	Lines []Line
	// Name is the language of code, the type of a callout, the label of a footnote; lower-cased.
	Name string
	// Title is that of a callout.
	Title string
	// Text is the body of code, a formula or a callout.
	Text string
	// Items of a list; Ordered says that it is numbered.
	Items   []Item
	Ordered bool
	// Rows of a table, the header first.
	Rows [][]string
	// Inner are the blocks of a callout or a quote. Their offsets count in Text.
	Inner []Block
	// Why is the reason of an ignored block.
	Why Reason
}

// Line is a line of a block.
type Line struct {
	Text       string
	Start, End int
}

// Item is an item of a list.
type Item struct {
	Line
	Level int // 0 for the outermost
	Task  bool
}

// maxInner bounds callouts within callouts.
const maxInner = 4

// Blocks splits the text of a section, which holds no headings.
func Blocks(text string) []Block { return scan(text, 0) }

type scanner struct {
	text  string
	lines []Line
	out   []Block
	depth int
}

func scan(text string, depth int) []Block {
	s := scanner{text: text, depth: depth, lines: make([]Line, 0, strings.Count(text, "\n")+1)}
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		next := len(text)
		if end >= 0 {
			next = at + end + 1
		}
		s.lines = append(s.lines, Line{strings.TrimRight(text[at:next], "\r\n"), at, next})
		at = next
	}
	for i := 0; i < len(s.lines); {
		i = s.block(i)
	}
	return s.out
}

// block reads the block that begins at line i and gives the line after it.
func (s *scanner) block(i int) int {
	line := s.lines[i].Text
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "" || rule(trimmed):
		return i + 1
	case fenceOf(trimmed) > 0:
		return s.fence(i, trimmed)
	case strings.HasPrefix(trimmed, "%%"):
		return s.ignored(i, "%%", "%%", Comment)
	case strings.HasPrefix(trimmed, "<!--"):
		return s.ignored(i, "<!--", "-->", Comment)
	case diagram.MatchString(trimmed):
		return s.ignored(i, "<", "</", Markup)
	case strings.HasPrefix(trimmed, "<style"), strings.HasPrefix(trimmed, "<script"), strings.HasPrefix(trimmed, "<head>"):
		return s.ignored(i, trimmed[:5], "</"+trimmed[1:5], Markup)
	case strings.HasPrefix(trimmed, "$$"):
		return s.math(i, trimmed, "$$", "$$")
	case strings.HasPrefix(trimmed, `\[`):
		return s.math(i, trimmed, `\[`, `\]`)
	case strings.HasPrefix(trimmed, `\begin{`) && strings.IndexByte(trimmed, '}') > 0:
		name := trimmed[len(`\begin`) : strings.IndexByte(trimmed, '}')+1]
		return s.math(i, trimmed, `\begin`+name, `\end`+name)
	case strings.HasPrefix(trimmed, ":::"):
		return s.directive(i, trimmed)
	case boxHead(trimmed):
		return s.admonition(i, trimmed)
	case strings.HasPrefix(trimmed, ">"):
		return s.quote(i)
	case i+1 < len(s.lines) && strings.Contains(trimmed, "|") && delimiterRow(s.lines[i+1].Text):
		return s.table(i)
	case s.itemAt(line) > 0:
		return s.list(i)
	case strings.HasPrefix(trimmed, "[^") && strings.Contains(trimmed, "]:"):
		return s.footnote(i, trimmed)
	case i+1 < len(s.lines) && definitionLine(s.lines[i+1].Text):
		return s.terms(i)
	}
	return s.paragraph(i)
}

func (s *scanner) add(b Block, from, to int) int {
	b.Start, b.End = s.lines[from].Start, s.lines[to-1].End
	for b.End > b.Start && (s.text[b.End-1] == '\n' || s.text[b.End-1] == '\r') {
		b.End--
	}
	s.out = append(s.out, b)
	return to
}

// begins reports whether a line begins another block than a paragraph.
func (s *scanner) begins(i int) bool {
	t := strings.TrimSpace(s.lines[i].Text)
	return t == "" || rule(t) || fenceOf(t) > 0 || strings.HasPrefix(t, ">") || strings.HasPrefix(t, ":::") || boxHead(t) || strings.HasPrefix(t, "$$") || strings.HasPrefix(t, "%%") ||
		strings.HasPrefix(t, "<!--") || strings.HasPrefix(t, `\begin{`) || strings.HasPrefix(t, `\[`) || s.itemAt(s.lines[i].Text) > 0 ||
		i+1 < len(s.lines) && strings.Contains(t, "|") && delimiterRow(s.lines[i+1].Text)
}

func (s *scanner) paragraph(i int) int {
	from := i
	for i++; i < len(s.lines) && !s.begins(i); i++ {
	}
	return s.add(Block{Kind: Paragraph, Lines: slices.Clip(slices.Clone(s.lines[from:i]))}, from, i)
}

// diagram begins an element of HTML that a tool draws.
var diagram = regexp.MustCompile(`^<(?:div|pre)\s+class=["']?(?:mermaid|plantuml|graphviz)\b`)

func (s *scanner) ignored(i int, open, closing string, why Reason) int {
	from := i
	rest := strings.TrimSpace(s.lines[i].Text)[len(open):]
	if k := strings.Index(rest, closing); k >= 0 { // it ends on its own line
		if tail := strings.TrimSpace(rest[k+len(closing):]); len(tail) > 1 {
			return s.paragraph(i)
		}
		return s.add(Block{Kind: Ignored, Why: why}, from, i+1)
	}
	for i++; i < len(s.lines); i++ {
		if strings.Contains(s.lines[i].Text, closing) {
			return s.add(Block{Kind: Ignored, Why: why}, from, i+1)
		}
	}
	return s.paragraph(from) // never closed: it hides nothing
}

func (s *scanner) math(i int, trimmed, open, closing string) int {
	from := i
	if k := strings.Index(trimmed[len(open):], closing); k >= 0 {
		if len(open)+k+len(closing) < len(strings.TrimRight(trimmed, " .,;。，")) { // text goes on after it
			return s.paragraph(i)
		}
		return s.add(Block{Kind: Math, Text: strings.TrimSpace(trimmed[len(open) : len(open)+k])}, from, i+1)
	}
	for i++; i < len(s.lines); i++ {
		if strings.Contains(s.lines[i].Text, closing) {
			body := s.text[s.lines[from].Start:s.lines[i].End]
			body = strings.TrimSpace(body[strings.Index(body, open)+len(open):])
			if k := strings.LastIndex(body, closing); k >= 0 {
				body = body[:k]
			}
			return s.add(Block{Kind: Math, Text: strings.TrimSpace(body)}, from, i+1)
		}
	}
	return s.paragraph(from)
}

// fenceOf gives the length of the run of backticks or tildes that opens a code block, or 0.
func fenceOf(trimmed string) int {
	for _, c := range []byte("`~") {
		n := 0
		for n < len(trimmed) && trimmed[n] == c {
			n++
		}
		if n >= 3 && (c == '~' || strings.IndexByte(trimmed[n:], '`') < 0) {
			return n
		}
	}
	return 0
}

func (s *scanner) fence(i int, trimmed string) int {
	from, n := i, fenceOf(trimmed)
	info := strings.TrimSpace(trimmed[n:])
	end := len(s.lines)
	for i++; i < len(s.lines); i++ {
		t := strings.TrimSpace(s.lines[i].Text)
		if fenceOf(t) >= n && t[0] == trimmed[0] && strings.Trim(t, t[:1]) == "" {
			end = i
			break
		}
	}
	body := ""
	if from+1 < end {
		body = s.text[s.lines[from+1].Start:s.lines[end-1].End]
	}
	return s.add(s.fenced(info, body), from, min(end+1, len(s.lines)))
}

// fenced reads what a fence holds: code, a box of prose, or something that belongs to the editor.
func (s *scanner) fenced(info, body string) Block {
	name, _, _ := strings.Cut(info, " ")
	if head, ok := notes.ReadFencedBox(info); ok {
		return s.box(head.Name, head.Title, body)
	}
	directive := strings.HasPrefix(name, "{") && !strings.HasPrefix(name, "{.")
	name = strings.ToLower(strings.Trim(name, "{}.,"))
	switch {
	case tocNames[name]:
		return Block{Kind: Ignored, Why: Navigation}
	case queryNames[name]:
		return Block{Kind: Ignored, Why: Query}
	case name == "math" || name == "latex" && directive:
		return Block{Kind: Math, Text: strings.TrimSpace(body)}
	}
	return Block{Kind: Code, Name: name, Text: strings.TrimRight(body, "\r\n")}
}

// box makes a callout. Options that stand before its text (title:, :class:) are not part of it.
func (s *scanner) box(name, title, body string) Block {
	b := Block{Kind: Callout, Name: strings.ToLower(name), Title: strings.TrimSpace(title)}
	for {
		line, rest, more := strings.Cut(body, "\n")
		key, value, option := notes.BoxOption(line)
		if !option {
			break
		}
		if key == "title" {
			b.Title = value
		}
		if body = rest; !more {
			break
		}
	}
	b.Text = strings.TrimSpace(body)
	if s.depth < maxInner {
		b.Inner = scan(b.Text, s.depth+1)
	}
	return b
}

func (s *scanner) directive(i int, trimmed string) int {
	from := i
	head, ok := notes.ReadBoxHead(trimmed)
	if !ok {
		return i + 1 // a stray end
	}
	depth, end := 1, len(s.lines)
	for i++; i < len(s.lines); i++ {
		t := strings.TrimSpace(s.lines[i].Text)
		if !strings.HasPrefix(t, ":::") {
			continue
		}
		if strings.Trim(t, ":") == "" {
			depth--
		} else {
			depth++
		}
		if depth == 0 {
			end = i
			break
		}
	}
	body := ""
	if from+1 < end {
		body = s.text[s.lines[from+1].Start:s.lines[end-1].End]
	}
	b := s.box(head.Name, head.Title, body)
	if tocNames[head.Name] {
		b = Block{Kind: Ignored, Why: Navigation}
	}
	return s.add(b, from, min(end+1, len(s.lines)))
}

// boxHead reports whether a line begins a box of MkDocs.
func boxHead(trimmed string) bool {
	if !strings.HasPrefix(trimmed, "!!!") && !strings.HasPrefix(trimmed, "???") {
		return false
	}
	_, ok := notes.ReadBoxHead(trimmed)
	return ok
}

// admonition takes a box of MkDocs: what is indented below its first line.
func (s *scanner) admonition(i int, trimmed string) int {
	head, _ := notes.ReadBoxHead(trimmed)
	from, end, outer := i, i+1, indentOf(s.lines[i].Text)
	var body strings.Builder
	for i++; i < len(s.lines); i++ {
		line := s.lines[i].Text
		if strings.TrimSpace(line) == "" {
			body.WriteByte('\n')
			continue
		}
		if indentOf(line) < outer+4 {
			break
		}
		body.WriteString(dedent(line, outer+4))
		body.WriteByte('\n')
		end = i + 1
	}
	if end == from+1 {
		return s.paragraph(from) // nothing stands in it
	}
	return s.add(s.box(head.Name, head.Title, body.String()), from, end)
}

// indentOf counts the columns before a line's first sign; a tab has four.
func indentOf(line string) (n int) {
	for _, c := range []byte(line) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// dedent takes columns off the beginning of a line that has at least as many.
func dedent(line string, columns int) string {
	for columns > 0 && line != "" {
		if line[0] == '\t' {
			columns -= 3
		}
		columns, line = columns-1, line[1:]
	}
	return line
}

func (s *scanner) quote(i int) int {
	from := i
	var body strings.Builder
	for ; i < len(s.lines); i++ {
		t := strings.TrimSpace(s.lines[i].Text)
		if !strings.HasPrefix(t, ">") {
			break
		}
		t = strings.TrimPrefix(t[1:], " ")
		if i > from && strings.HasPrefix(t, "[!") {
			break // another callout
		}
		body.WriteString(t)
		body.WriteByte('\n')
	}
	text := body.String()
	b := Block{Kind: Quote}
	if head, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(head, "[!") && strings.Contains(head, "]") {
		name, title, _ := strings.Cut(head[2:], "]")
		name, _, _ = strings.Cut(name, "|")
		b.Kind, b.Name, b.Title = Callout, strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(strings.TrimLeft(title, "+-"))
		text = rest
	}
	b.Text = strings.TrimSpace(text)
	if s.depth < maxInner {
		b.Inner = scan(b.Text, s.depth+1)
	}
	return s.add(b, from, i)
}

func (s *scanner) table(i int) int {
	from := i
	b := Block{Kind: Table}
	for ; i < len(s.lines); i++ {
		t := strings.TrimSpace(s.lines[i].Text)
		if !strings.Contains(t, "|") {
			break
		}
		if i != from+1 {
			b.Rows = append(b.Rows, cells(t))
		}
	}
	return s.add(b, from, i)
}

// cells splits a row of a table; a bar that is escaped or stands in code, a formula or a wikilink splits nothing.
func cells(row string) []string {
	row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
	var list []string
	start, code, math, link := 0, false, false, 0
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '`':
			code = !code
		case '$':
			math = !math
		case '[':
			link++
		case ']':
			link = max(0, link-1)
		case '|':
			if !code && !math && link < 2 {
				list = append(list, strings.TrimSpace(row[start:i]))
				start = i + 1
			}
		}
	}
	return append(list, strings.TrimSpace(row[start:]))
}

func delimiterRow(line string) bool {
	t := strings.TrimSpace(line)
	return strings.Contains(t, "-") && strings.Contains(t, "|") && strings.Trim(t, "|:- \t") == ""
}

var (
	// blockProperty is a line behind an item that Logseq keeps of it, and itemHeading the sign of one that is a heading there.
	blockProperty = regexp.MustCompile(`^\s*(?:background-color|collapsed|id|heading|created-at|updated-at|query-[a-z-]+|card-[a-z-]+|hl-[a-z]+|ls-type|logseq\.[\w.-]+)::(?:\s|$)`)
	itemHeading   = regexp.MustCompile(`^#{1,6}\s+`)
)

func (s *scanner) list(i int) int {
	from := i
	b := Block{Kind: List}
	var indents []int
	blank := false
	for ; i < len(s.lines); i++ {
		line := s.lines[i].Text
		if strings.TrimSpace(line) == "" {
			if blank {
				break
			}
			blank = true
			continue
		}
		at := s.itemAt(line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		if at == 0 {
			if blank && indent < 2 || rule(strings.TrimSpace(line)) || strings.HasPrefix(strings.TrimSpace(line), ">") && indent < 2 || fenceOf(strings.TrimSpace(line)) > 0 && indent < 2 {
				break
			}
			if !blank && indent == 0 && leavesList(s.lines[i-1].Text, line) {
				break
			}
			last := &b.Items[len(b.Items)-1]
			if blockProperty.MatchString(line) {
				last.End = s.lines[i].End
				continue
			}
			last.Text, last.End = last.Text+"\n"+strings.TrimSpace(line), s.lines[i].End
			blank = false
			continue
		}
		blank = false
		for len(indents) > 0 && indents[len(indents)-1] >= indent && (indents[len(indents)-1] > indent || len(b.Items) > 0) {
			indents = indents[:len(indents)-1]
		}
		item := Item{Line: Line{itemHeading.ReplaceAllString(strings.TrimSpace(line[at:]), ""), s.lines[i].Start, s.lines[i].End}, Level: len(indents)}
		indents = append(indents, indent)
		if len(b.Items) == 0 {
			b.Ordered = strings.TrimLeft(line, " \t")[0] >= '0' && strings.TrimLeft(line, " \t")[0] <= '9'
		}
		if t := item.Text; len(t) > 3 && t[0] == '[' && t[2] == ']' && t[3] == ' ' {
			item.Task, item.Text = strings.IndexByte(" xX-/><", t[1]) >= 0, strings.TrimSpace(t[3:]) // other signs of themes mark ideas and quotations
		}
		b.Items = append(b.Items, item)
	}
	for i > from+1 && strings.TrimSpace(s.lines[i-1].Text) == "" {
		i--
	}
	return s.add(b, from, i)
}

// leavesList reports whether a line without indentation behind a list goes on after it: the item was not wrapped, since it is
// short and has no full stop, and the line begins as a sentence does. An item that only names something has its meaning there.
func leavesList(item, line string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, "_")) // it may be in emphasis
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(item))
	parted := strings.ContainsAny(item, ":：=") || strings.Contains(item, " - ") || strings.Contains(item, " – ")
	return Weight(item) >= 8 && Weight(item) < 45 && !strings.ContainsRune(",，、:：*", last) && parted && (unicode.IsUpper(first) || Dense(first))
}

// itemAt is itemText, and for a heading that is content of its section, of which there are none within boxes.
func (s *scanner) itemAt(line string) int {
	if n := len(line) - len(strings.TrimLeft(line, "#")); s.depth == 0 && n > 0 && n <= 6 && strings.HasPrefix(line[n:], " ") {
		return n + 1
	}
	return itemText(line)
}

// itemText gives where the text of a list item begins, 0 if the line is none.
func itemText(line string) int {
	i := len(line) - len(strings.TrimLeft(line, " \t"))
	mark := i
	for i < len(line) && line[i] >= '0' && line[i] <= '9' && i-mark < 9 {
		i++
	}
	bullet := i == mark && i < len(line) && strings.IndexByte("-*+", line[i]) >= 0
	number := i > mark && i < len(line) && (line[i] == '.' || line[i] == ')')
	if (bullet || number) && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t') {
		return i + 2
	}
	if i == mark && strings.HasPrefix(line[i:], "• ") {
		return i + len("• ")
	}
	return 0
}

func (s *scanner) footnote(i int, trimmed string) int {
	from := i
	name, rest, _ := strings.Cut(trimmed[2:], "]:")
	b := Block{Kind: Footnote, Name: strings.ToLower(name), Lines: []Line{{strings.TrimSpace(rest), s.lines[i].Start, s.lines[i].End}}}
	for i++; i < len(s.lines) && strings.TrimSpace(s.lines[i].Text) != "" && (s.lines[i].Text[0] == ' ' || s.lines[i].Text[0] == '\t'); i++ {
		b.Lines = append(b.Lines, s.lines[i])
	}
	return s.add(b, from, i)
}

func definitionLine(line string) bool {
	t := strings.TrimLeft(line, " ")
	return len(line)-len(t) < 4 && strings.HasPrefix(t, ": ") && strings.TrimSpace(t[2:]) != ""
}

func (s *scanner) terms(i int) int {
	from := i
	b := Block{Kind: Terms}
	for i+1 < len(s.lines) && strings.TrimSpace(s.lines[i].Text) != "" && definitionLine(s.lines[i+1].Text) {
		term := strings.TrimSpace(s.lines[i].Text)
		var meaning []string
		for i++; i < len(s.lines) && strings.TrimSpace(s.lines[i].Text) != "" && (definitionLine(s.lines[i].Text) || s.lines[i].Text[0] == ' '); i++ {
			meaning = append(meaning, strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(s.lines[i].Text, " "), ": ")))
		}
		b.Rows = append(b.Rows, []string{term, strings.Join(meaning, "\n")})
		if i+1 < len(s.lines) && strings.TrimSpace(s.lines[i].Text) == "" && i+2 < len(s.lines) && definitionLine(s.lines[i+2].Text) {
			i++
		}
	}
	return s.add(b, from, i)
}

// rule reports whether a line is a thematic break.
func rule(trimmed string) bool {
	if len(trimmed) < 3 || strings.IndexByte("-*_", trimmed[0]) < 0 {
		return false
	}
	return strings.Trim(strings.ReplaceAll(trimmed, " ", ""), trimmed[:1]) == ""
}

func set(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[w] = true
	}
	return m
}

var (
	tocNames   = set("toc", "toctree", "tableofcontents", "table-of-contents", "contents", "{toctree}", "summary-toc")
	queryNames = set("dataview", "dataviewjs", "query", "tasks", "button", "meta-bind", "meta-bind-button", "leaflet", "folder-overview", "base", "bases", "kanban", "tracker", "templater", "contributionGraph", "widgets", "search", "excalidraw", "eval_rst")
)
