package pack

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the tree shown before a submission.
const (
	maxTreeNodes   = 2_000
	treeDepth      = 4
	shallowDepth   = 2 // of providers and plugins, whose insides are technical
	maxLabelRunes  = 80
	jsonLines      = 24
	textLines      = 12
	maxLineRunes   = 240
	maxPreviewByte = 512 << 10 // of all previews together
)

// Kinds of nodes.
const (
	kindObject = "object"
	kindList   = "list"
	kindScalar = "scalar"
)

// Section is one section of the selection_tree.
type Section struct {
	Name             string   `json:"name"`
	Label            string   `json:"label"`
	Path             string   `json:"path"`
	Kind             string   `json:"kind"`
	Items            []*Node  `json:"items"`
	ItemsNotListed   int      `json:"items_not_listed"`
	PreviewLines     []string `json:"preview_lines"`
	PreviewTruncated bool     `json:"preview_truncated"`
}

// Node is one value that can be selected by its path.
type Node struct {
	Path              string   `json:"path"`
	Label             string   `json:"label"`
	Kind              string   `json:"kind"`
	Children          []*Node  `json:"children"`
	ChildrenNotListed int      `json:"children_not_listed"`
	PreviewLines      []string `json:"preview_lines"`
	PreviewTruncated  bool     `json:"preview_truncated"`
}

// SelectionTree lays sections out for choosing. It shows values, so it must be given redacted sections. The upper
// levels of all sections are listed before the lower ones of any, up to 2,000 nodes in all.
func SelectionTree(sections map[string]any) []Section {
	t := tree{nodes: maxTreeNodes, preview: maxPreviewByte}
	names := slices.Sorted(maps.Keys(sections))
	out := make([]Section, len(names))
	var level []open
	for i, name := range names {
		v := sections[name]
		out[i] = Section{Name: name, Label: titled(name), Path: name, Kind: kindOf(v), Items: []*Node{}}
		out[i].PreviewLines, out[i].PreviewTruncated = t.show(v)
		depth := treeDepth
		if name == SectionProviders || name == SectionPlugins {
			depth = shallowDepth
		}
		level = append(level, open{value: v, path: name, depth: depth, children: &out[i].Items, left: &out[i].ItemsNotListed})
	}
	for len(level) > 0 {
		var next []open
		for _, o := range level {
			next = append(next, t.list(o)...)
		}
		level = next
	}
	return out
}

type tree struct {
	nodes   int // that may still be listed
	preview int // bytes of previews that may still be written
}

// open is a value whose members are to be listed.
type open struct {
	value    any
	path     string
	depth    int
	children *[]*Node
	left     *int
}

// list makes the nodes below one value and gives those to be opened next.
func (t *tree) list(o open) []open {
	if o.depth == 0 {
		return nil
	}
	var next []open
	add := func(path, label string, v any) {
		if t.nodes == 0 {
			*o.left++
			return
		}
		t.nodes--
		n := &Node{Path: path, Label: label, Kind: kindOf(v), Children: []*Node{}}
		n.PreviewLines, n.PreviewTruncated = t.show(v)
		*o.children = append(*o.children, n)
		next = append(next, open{value: v, path: path, depth: o.depth - 1, children: &n.Children, left: &n.ChildrenNotListed})
	}
	switch v := o.value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			add(AppendKey(o.path, key), titled(key), v[key])
		}
	case []any:
		for i, item := range v {
			add(AppendIndex(o.path, i), itemLabel(item, i), item)
		}
	}
	return next
}

// show renders a preview within what is left for previews.
func (t *tree) show(v any) (lines []string, truncated bool) {
	lines, truncated = preview(v)
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	if size > t.preview {
		return []string{}, true
	}
	t.preview -= size
	return lines, truncated
}

func kindOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return kindObject
	case []any:
		return kindList
	}
	return kindScalar
}

// itemLabel names an item of a list by what it calls itself.
func itemLabel(v any, i int) string {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"name", "id", "type", "plugin_id", "slug", "role"} {
			if text, ok := v[key].(string); ok && strings.TrimSpace(text) != "" {
				return cut(oneLine(text), maxLabelRunes)
			}
		}
	case string:
		if strings.TrimSpace(v) != "" {
			return cut(oneLine(v), maxLabelRunes)
		}
	}
	return "#" + strconv.Itoa(i+1)
}

// titled writes snake_case in title case; other keys, which are names, stay as they are.
func titled(key string) string {
	if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return cut(oneLine(key), maxLabelRunes)
	}
	words := strings.FieldsFunc(key, func(r rune) bool { return r == '_' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return cut(strings.Join(words, " "), maxLabelRunes)
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	i := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i] + "…"
}
