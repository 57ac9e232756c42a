package notes

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// maxFrontMatter bounds the front matter that is read, in bytes: YAML takes more time than text.
const maxFrontMatter = 64 << 10

// frontMatter finds the YAML at the beginning of a note, or Hugo's TOML between lines of "+++", and gives its end: the offset of the body.
// A block that is no mapping is still no part of the body.
func frontMatter(text string) (yamlStart, yamlEnd, body int) {
	start := 0
	if strings.HasPrefix(text, "\uFEFF") {
		start = len("\uFEFF")
	}
	rest := text[start:]
	line, after, found := strings.Cut(rest, "\n")
	fence := strings.TrimRight(line, " \t\r")
	if !found || fence != "---" && fence != "+++" {
		return start, start, start
	}
	from := len(text) - len(after)
	for at := from; at < len(text) && at-from <= maxFrontMatter; {
		end := strings.IndexByte(text[at:], '\n')
		next := len(text)
		if end >= 0 {
			next = at + end + 1
		}
		if l := strings.TrimRight(text[at:next], " \t\r\n"); l == fence || l == "..." && fence == "---" {
			return from, at, next
		}
		at = next
	}
	return start, start, start
}

// property is one value of the front matter.
type property struct {
	key    string
	values []value
}

// value is a scalar with the line of the YAML block it stands on, from 1.
type value struct {
	text string
	line int
}

// tomlPair is a key with its value in TOML. What notes have there, strings, dates and lists on a line, is written as in YAML.
var tomlPair = regexp.MustCompile(`(?m)^([\w-]+)[ \t]*=[ \t]*`)

// properties reads a front matter block: scalars and lists of scalars, nested mappings flattened one level. Broken
// YAML gives what can be read line by line, for a stray colon in a title must not cost the relations of a note.
func properties(block string) []property {
	if strings.TrimSpace(block) == "" || strings.Contains(block, "&") && strings.Contains(block, "*") {
		return loose(block) // anchors and aliases can be made to explode; notes do not need them
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(valid(block)), &root); err != nil || len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		return loose(block)
	}
	var list []property
	pairs := root.Content[0].Content
	for i := 0; i+1 < len(pairs) && len(list) < 200; i += 2 {
		list = append(list, property{key: Fold(pairs[i].Value), values: scalars(pairs[i+1], 0, nil)})
	}
	return list
}

// scalars flattens a node. A wikilink that is not quoted is YAML for a list in a list, [[A]], and is put together again.
func scalars(n *yaml.Node, depth int, into []value) []value {
	if depth > 4 || len(into) > 500 {
		return into
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag != "!!null" {
			into = append(into, value{valid(n.Value), n.Line}) // "\0" between quotes is a NUL
		}
	case yaml.SequenceNode:
		if n.Style&yaml.FlowStyle != 0 && len(n.Content) == 1 && n.Content[0].Kind == yaml.SequenceNode && n.Content[0].Style&yaml.FlowStyle != 0 {
			var parts []string
			for _, c := range n.Content[0].Content {
				if c.Kind == yaml.ScalarNode {
					parts = append(parts, valid(c.Value))
				}
			}
			return append(into, value{"[[" + strings.Join(parts, ", ") + "]]", n.Line})
		}
		for _, c := range n.Content {
			into = scalars(c, depth+1, into)
		}
	case yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			into = scalars(n.Content[i], depth+1, into)
		}
	}
	return into
}

// loose reads "key: value" and "- value" lines.
func loose(block string) []property {
	var list []property
	for i, line := range strings.Split(block, "\n") {
		if len(list) >= 200 {
			break
		}
		text := strings.TrimSpace(valid(line))
		if item, ok := strings.CutPrefix(text, "- "); ok && len(list) > 0 {
			last := &list[len(list)-1]
			last.values = append(last.values, value{strings.Trim(item, `"' `), i + 1})
			continue
		}
		key, rest, ok := strings.Cut(text, ":")
		if !ok || key == "" || len(key) > 60 || strings.HasPrefix(text, "#") {
			continue
		}
		p := property{key: Fold(key)}
		if rest = strings.Trim(rest, `"' `); rest != "" {
			p.values = []value{{rest, i + 1}}
		}
		list = append(list, p)
	}
	return list
}

// dateLayouts are the ways notes write dates. Between day and month first, day first is tried before: with it a month
// above 12 is refused and the other order follows.
var dateLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-01-02", "2006/01/02 15:04:05", "2006/01/02", "2006.01.02", "20060102150405", "200601021504", "20060102",
	"02/01/2006 15:04:05", "02/01/2006 15:04", "02/01/2006", "01/02/2006 15:04:05", "01/02/2006", "02.01.2006 15:04", "02.01.2006",
	"2006年1月2日", "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "Monday, January 2, 2006", "2006-1-2", "2006-01",
}

// date reads a date in one of the usual ways, or a number of seconds or milliseconds since 1970. Years outside
// 1970..2200 are no dates of notes.
func date(s string) time.Time {
	s = strings.Trim(strings.TrimSpace(s), "[]\"'")
	if len(s) < 6 || len(s) > 40 {
		return time.Time{}
	}
	var number int64
	if _, err := fmt.Sscanf(s, "%d", &number); err == nil && strings.Trim(s, "0123456789") == "" {
		switch len(s) {
		case 13:
			return sane(time.UnixMilli(number).UTC())
		case 9, 10:
			return sane(time.Unix(number, 0).UTC())
		}
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			if t = sane(t.UTC()); !t.IsZero() {
				return t
			}
		}
	}
	return time.Time{}
}

func sane(t time.Time) time.Time {
	if t.Year() < 1970 || t.Year() > 2200 {
		return time.Time{}
	}
	return t
}

var (
	createdKeys = words("created", "date created", "created at", "creation date", "created_at", "date_created", "date", "erstellt", "创建", "创建时间", "创建日期", "建立时间", "作成日", "作成日時", "作成")
	updatedKeys = words("updated", "modified", "updated at", "updated_at", "date modified", "last modified", "lastmod", "date_modified", "更新", "更新时间", "修改时间", "更新日", "更新日時")
	orderKeys   = words("nav_order", "order", "weight", "sidebar_position", "position", "index", "chapter", "lesson", "顺序", "序号", "順序")
	aliasKeys   = words("aliases", "alias", "別名", "别名")
	tagKeys     = words("tags", "tag", "keywords", "标签", "標籤", "タグ")
	genreKeys   = words("type", "kind", "category", "类型", "種類")
)

func words(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[Fold(w)] = true
	}
	return m
}
