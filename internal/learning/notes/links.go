package notes

import (
	"net/url"
	"strings"
)

// found is a link as it stands in the text.
type found struct {
	Link
	start, end int // of the whole mark, in the text
}

// scanLinks finds the links of text[start:end), one line, that no masked range covers. Beyond the first most they are counted
// alone.
func scanLinks(text string, start, end int, m *mask, most int) (list []found, more int) {
	add := func(f found) {
		if len(list) < most {
			list = append(list, f)
		} else {
			more++
		}
	}
	for at := start; at < end; {
		i := strings.IndexByte(text[at:end], '[')
		if i < 0 {
			break
		}
		at += i
		if skip := m.covers(at); skip > 0 {
			at = skip
			continue
		}
		if at > start && text[at-1] == '\\' {
			at++
			continue
		}
		embed := at > start && text[at-1] == '!'
		if at+1 < end && text[at+1] == '[' {
			if f, ok := wikilink(text, at, end); ok {
				f.Embed = embed
				if embed {
					f.start--
				}
				add(f)
				at = f.end
				continue
			}
		} else if f, ok := markdownLink(text, at, end); ok {
			at = f.end
			if !embed && f.Target != "" {
				add(f)
			}
			continue
		}
		at++
	}
	return list, more
}

// maxMark bounds the bytes of one link, so that many brackets that are never closed cost little.
const maxMark = 1024

func wikilink(text string, at, end int) (found, bool) {
	limit := min(end, at+maxMark)
	n := strings.Index(text[at+2:limit], "]]")
	if n <= 0 {
		return found{}, false
	}
	inner := text[at+2 : at+2+n]
	if strings.Contains(inner, "[[") {
		return found{}, false
	}
	f := found{start: at, end: at + n + 4}
	left, right, bar := strings.Cut(inner, "|")
	left = strings.TrimSuffix(left, `\`) // a bar inside a table is escaped
	f.Target, f.Heading = split(left)
	if bar {
		other, heading := split(right)
		f.Alternate = other
		if heading != "" && f.Heading == "" {
			f.Heading = heading
		}
	}
	return f, f.Target != "" || f.Alternate != ""
}

// split parts a wikilink's target from its heading and takes off what only Dendron's vault prefix and Obsidian's block
// marks add.
func split(s string) (target, heading string) {
	s = strings.TrimSpace(valid(s))
	if rest, ok := strings.CutPrefix(s, "dendron://"); ok {
		if _, name, ok := strings.Cut(rest, "/"); ok {
			s = name
		}
	}
	target, heading, _ = strings.Cut(s, "#")
	heading, _, _ = strings.Cut(strings.TrimLeft(heading, "#"), ",")
	heading, _, _ = strings.Cut(heading, ":#")
	return clip(strings.TrimSpace(target), maxName), clip(strings.TrimSpace(heading), maxName)
}

// markdownLink reads [text](target "title"). Links to anything but notes give an empty target.
func markdownLink(text string, at, end int) (found, bool) {
	limit := min(end, at+maxMark)
	depth, i := 0, at
	for ; i < limit; i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	if i+1 >= limit || text[i+1] != '(' {
		return found{}, false
	}
	limit = min(end, i+maxMark)
	open, j := 0, i+1
	for ; j < limit; j++ {
		switch text[j] {
		case '\\':
			j++
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 {
			break
		}
	}
	if j >= limit {
		return found{}, false
	}
	f := found{start: at, end: j + 1}
	target := strings.TrimSpace(text[i+2 : j])
	if strings.HasPrefix(target, "<") && strings.Contains(target, ">") {
		target = target[1:strings.IndexByte(target, '>')]
	} else if cut := strings.IndexAny(target, " \t"); cut >= 0 && strings.ContainsAny(target[cut:], `"'`) {
		target = target[:cut]
	}
	path, heading, _ := strings.Cut(target, "#")
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	if decoded, err := url.PathUnescape(heading); err == nil {
		heading = decoded
	}
	path = valid(path)
	lower := strings.ToLower(path)
	note := strings.HasSuffix(lower, ".md") || strings.HasSuffix(lower, ".markdown") || strings.HasSuffix(lower, ".mdx")
	if !note || strings.Contains(path, "://") || strings.HasPrefix(lower, "mailto:") {
		return f, true
	}
	f.Target, f.Heading, f.Path = clip(path, maxName), clip(strings.TrimSpace(valid(heading)), maxName), true
	f.Alternate = ""
	return f, true
}

// plainNames parts "Group, Ring and Field" into names. Only short lists of short names count: a sentence is no list.
func plainNames(rest string) []string {
	if len(rest) > 300 || strings.ContainsAny(rest, ".!?。！？$`<>{}=") {
		return nil
	}
	parts := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(",;，、；・/|", r) })
	if len(parts) > 12 {
		return nil
	}
	var names []string
	for _, p := range parts {
		p = strings.Trim(p, " \t*_~\"'“”()[]")
		if p == "" || len(p) > 80 || len(strings.Fields(p)) > 6 {
			continue
		}
		names = append(names, p)
	}
	return names
}
