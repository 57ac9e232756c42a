package graph

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"stoa/internal/learning/notes"
	"stoa/internal/platform/errs"
)

// Bounds on concept graphs.
const (
	MaxConcepts     = 100_000
	MaxConceptEdges = 1_000_000
)

// ConceptFile is a file of a concept graph: CSV, JSON, or pairs without a header.
type ConceptFile struct {
	Path    string
	Content []byte
}

// Concepts reads the files of one concept graph, which may keep concepts and edges apart, as documents: one per concept,
// named graph#concept. Edges say their meaning by their columns:
//
//   - concept, prerequisite [, reason, confidence]: as metacademy writes them;
//   - source, target [, kind, confidence]: the source comes before the target, as in our own edges;
//   - two columns without a header: a concept and its prerequisite, as AL-CPL writes them (.preqs).
//
// JSON has {"nodes":[{id,title,content,prerequisites}],"edges":[{source,target,kind,confidence}]}, or the nodes alone.
// Evidence of an edge is its row. The error is an *errs.Error that names the file and the row.
func Concepts(graph string, files []ConceptFile) ([]Document, error) {
	g := &conceptGraph{name: graph, concepts: map[string]*concept{}}
	for _, f := range files {
		var err error
		if text := bytes.TrimLeft(f.Content, " \t\r\n\uFEFF"); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
			err = g.json(f)
		} else {
			err = g.csv(f)
		}
		if err != nil {
			return nil, err
		}
	}
	return g.documents(), nil
}

type conceptGraph struct {
	name     string
	concepts map[string]*concept
	order    []*concept
	edges    int
}

type concept struct {
	key, title, content string
	path                string
	span                notes.Span
	links               []notes.Link
}

func (g *conceptGraph) concept(key string) *concept {
	folded := notes.Fold(key)
	c := g.concepts[folded]
	if c == nil {
		c = &concept{key: key, span: notes.Span{StartLine: 1, EndLine: 1}}
		g.concepts[folded] = c
		g.order = append(g.order, c)
	}
	return c
}

func (g *conceptGraph) edge(before, after string, kind notes.Kind, sure float64, reason string, span notes.Span, snippet string) {
	g.concept(before)
	c := g.concept(after)
	g.edges++
	c.links = append(c.links, notes.Link{
		Target: before, Kind: kind, Label: "prerequisite", Confidence: sure, Span: span, Statement: span, Snippet: strings.TrimSpace(clipText(snippet+" "+reason, 280)),
	})
}

func clipText(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	return s
}

func (g *conceptGraph) bounded(file string) error {
	if len(g.order) > MaxConcepts || g.edges > MaxConceptEdges {
		return errs.Newf(errs.InvalidRequest, "%s: more than %d concepts or %d edges; part the graph", path.Base(file), MaxConcepts, MaxConceptEdges)
	}
	return nil
}

// columns are the words by which headers name what a column holds.
var columns = map[string][]string{
	"before":  {"prerequisite", "prereq", "requires", "required", "depends_on", "source", "from", "before", "parent", "前置", "先修", "前提"},
	"after":   {"concept", "dependent", "target", "to", "after", "child", "概念", "知识点"},
	"title":   {"title", "name", "label", "标题", "名称"},
	"id":      {"id", "concept", "key", "tag"},
	"content": {"content", "text", "summary", "description", "definition", "内容", "描述"},
	"reason":  {"reason", "note", "why", "evidence", "comment"},
	"sure":    {"confidence", "weight", "probability", "score", "strength"},
	"kind":    {"kind", "relation", "relationkind", "relation_kind", "type"},
}

// column finds the first word of a kind that a header has; -1 if none.
func column(header []string, kind string) int {
	for _, word := range columns[kind] {
		if i := slices.Index(header, word); i >= 0 {
			return i
		}
	}
	return -1
}

func (g *conceptGraph) csv(f ConceptFile) error {
	text := f.Content
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	first, _, _ := bytes.Cut(text, []byte("\n"))
	for _, c := range []byte{'\t', ';'} {
		if bytes.IndexByte(first, c) >= 0 && bytes.IndexByte(first, ',') < 0 {
			r.Comma = rune(c)
		}
	}
	var header []string
	before, after := 1, 0
	starts := lineStarts(text)
	for row := 0; ; row++ {
		from := int(r.InputOffset())
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return g.bounded(f.Path)
		}
		if err != nil {
			return errs.Wrap(errs.InvalidRequest, fmt.Sprintf("%s, row %d: this is no CSV", path.Base(f.Path), row+1), err)
		}
		if err := g.bounded(f.Path); err != nil {
			return err
		}
		if row == 0 {
			for _, name := range record {
				header = append(header, strings.Trim(notes.Fold(strings.TrimPrefix(name, "\uFEFF")), `"`))
			}
			b, a := column(header, "before"), column(header, "after")
			id := column(header, "id")
			switch {
			case b >= 0 && a >= 0:
				before, after = b, a
				continue
			case id >= 0:
				before, after = -1, id
				continue
			case len(record) != 2:
				return errs.Newf(errs.InvalidRequest, "%s: the header names no columns we know; use source,target or concept,prerequisite", path.Base(f.Path))
			case strings.HasSuffix(f.Path, ".pairs"):
				return errs.Newf(errs.InvalidRequest, "%s: pairs say nothing of which are prerequisites; give the .preqs file", path.Base(f.Path))
			}
			header = nil
		}
		span := rowSpan(starts, text, from, int(r.InputOffset()))
		snippet := clipText(strings.ToValidUTF8(string(text[span.Start:span.End]), "\uFFFD"), 240)
		field := func(i int) string {
			if i < 0 || i >= len(record) {
				return ""
			}
			return strings.TrimSpace(strings.ToValidUTF8(record[i], "\uFFFD"))
		}
		key := field(after)
		if key == "" {
			continue
		}
		if before < 0 {
			c := g.concept(key)
			c.title, c.content, c.path, c.span = field(column(header, "title")), field(column(header, "content")), f.Path, span
			continue
		}
		if field(before) == "" {
			continue
		}
		sure, err := confidence(field(column(header, "sure")))
		if err != nil {
			return errs.Newf(errs.InvalidRequest, "%s, row %d: a confidence is a number from 0 to 1", path.Base(f.Path), row+1)
		}
		kind, ok := relation(field(column(header, "kind")))
		if !ok {
			continue
		}
		g.edge(field(before), key, kind, sure, "", span, snippet)
	}
}

// relation reads a kind; the empty one is a prerequisite. A row that says there is no relation has none.
func relation(word string) (notes.Kind, bool) {
	switch k := notes.Kind(notes.Fold(word)); k {
	case "", "prereq", "requires", "depends_on":
		return notes.Prerequisite, true
	case notes.Prerequisite, notes.Analogy, notes.Contrast, notes.Causal, notes.Application, notes.Reference, notes.Sequence:
		return k, true
	case "none", "unrelated", "0":
		return notes.None, false
	}
	return notes.Reference, true
}

func confidence(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		return 0, errors.New("out of range")
	}
	return max(f, 1e-4), nil // 0 would mean that nothing is said
}

func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func rowSpan(starts []int, text []byte, from, to int) notes.Span {
	for from < to && (text[from] == '\n' || text[from] == '\r') {
		from++
	}
	for to > from && (text[to-1] == '\n' || text[to-1] == '\r') {
		to--
	}
	line := func(at int) int { return sort.SearchInts(starts, at+1) }
	return notes.Span{Start: from, End: to, StartLine: line(from), EndLine: line(max(from, to-1))}
}

// jsonNode and jsonEdge take the names that graph exports use.
type jsonNode struct {
	ID, Key, Concept                       any
	Title, Name, Label                     string
	Content, Text, Description, Summary    string
	Prerequisites, Prereqs, Requires, Deps []any
}

type jsonEdge struct {
	Source, From, Prerequisite, Target, To, Concept any
	Kind, Relation, Type                            string
	Confidence, Weight                              *float64
	Reason                                          string
}

func (g *conceptGraph) json(f ConceptFile) error {
	var whole struct {
		Nodes, Concepts, Vertices []jsonNode
		Edges, Links, Relations   []jsonEdge
	}
	text := bytes.TrimLeft(f.Content, " \t\r\n\uFEFF")
	var err error
	if text[0] == '[' {
		err = json.Unmarshal(text, &whole.Nodes)
	} else {
		err = json.Unmarshal(text, &whole)
	}
	if err != nil {
		return errs.Wrap(errs.InvalidRequest, path.Base(f.Path)+": this is no JSON graph of nodes and edges", err)
	}
	// JSON rows have no place of their own: the evidence is the file.
	span := rowSpan(lineStarts(f.Content), f.Content, 0, len(f.Content))
	for _, n := range slices.Concat(whole.Nodes, whole.Concepts, whole.Vertices) {
		key := firstOf(word(n.ID), word(n.Key), word(n.Concept), n.Title, n.Name, n.Label)
		if key == "" {
			continue
		}
		c := g.concept(key)
		c.title, c.content, c.path, c.span = firstOf(n.Title, n.Name, n.Label), firstOf(n.Content, n.Text, n.Description, n.Summary), f.Path, span
		for _, p := range slices.Concat(n.Prerequisites, n.Prereqs, n.Requires, n.Deps) {
			if w := word(p); w != "" {
				g.edge(w, key, notes.Prerequisite, 0, "", span, key+" requires "+w)
			}
		}
		if err := g.bounded(f.Path); err != nil {
			return err
		}
	}
	for i, e := range slices.Concat(whole.Edges, whole.Links, whole.Relations) {
		before, after := firstOf(word(e.Prerequisite), word(e.Source), word(e.From)), firstOf(word(e.Concept), word(e.Target), word(e.To))
		if before == "" || after == "" {
			continue
		}
		sure := 0.0
		for _, given := range []*float64{e.Confidence, e.Weight} {
			if given != nil && sure == 0 {
				if sure = *given; !(sure >= 0 && sure <= 1) {
					return errs.Newf(errs.InvalidRequest, "%s, edge %d: a confidence is a number from 0 to 1", path.Base(f.Path), i+1)
				}
				sure = max(sure, 1e-4)
			}
		}
		kind, ok := relation(firstOf(e.Kind, e.Relation, e.Type))
		if ok {
			g.edge(before, after, kind, sure, e.Reason, span, before+" → "+after)
		}
		if err := g.bounded(f.Path); err != nil {
			return err
		}
	}
	return nil
}

// word reads an id: a string, a number, or a node with an id.
func word(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case map[string]any:
		for _, k := range []string{"id", "key", "name", "title"} {
			if w := word(v[k]); w != "" {
				return w
			}
		}
	}
	return ""
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" {
			return w
		}
	}
	return ""
}

func (g *conceptGraph) documents() []Document {
	list := make([]Document, 0, len(g.order))
	for _, c := range g.order {
		title := firstOf(c.title, strings.ReplaceAll(c.key, "_", " "))
		content := c.content
		var hashed strings.Builder
		fmt.Fprintf(&hashed, "%q %q %q", c.key, title, content)
		for i := range c.links {
			l := &c.links[i]
			fmt.Fprintf(&hashed, "\n%s %q %g %d %d", l.Kind, l.Target, l.Confidence, l.Span.Start, l.Span.End)
			l.Target = g.name + "#" + l.Target
		}
		doc := &notes.Document{Title: title, Names: []string{c.key}, Links: c.links, Terms: notes.Words(notes.MaxTerms, title, content)}
		doc.Atoms = []notes.Atom{{Representation: notes.Text, Title: title, Content: content, Span: c.span, Snippet: clipText(firstOf(content, title), 280)}}
		id := g.name + "#" + c.key
		list = append(list, Document{ID: id, Path: id, Content: hashed.String(), Given: func() *notes.Document { return doc }})
	}
	return list
}
