package notes

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scan walks the lines of the body for links, statements, inline properties and tags.
func (r *reading) scan() {
	sections := 0
	for _, a := range r.doc.Atoms {
		if a.Representation == Text {
			sections++
		}
	}
	var pending governing // a label whose list follows on the next lines
	for i := r.lines.at(min(r.body, max(0, len(r.text)-1))); i < len(r.lines) && len(r.text) > 0; i++ {
		start, end := max(r.lines[i], r.body), r.lines.end(i, r.text)
		if end <= start {
			if pending.empty++; pending.empty > 1 {
				pending = governing{}
			}
			continue
		}
		if r.hidden.covers(start) >= end {
			continue
		}
		if len(r.doc.Links) >= MaxLinks {
			_, more := scanLinks(r.text, start, end, &r.hidden, 0)
			r.doc.Folded += more
			r.doc.Truncated = true
			continue
		}
		section := sectionAt(r.doc.Atoms[:sections], start)
		pending = r.line(i, start, end, section, pending)
	}
}

// governing is a label over links: where it stands and what it says.
type governing struct {
	word string
	meaning
	line  int // of the label, -1 for a heading
	list  bool
	empty int
}

func (r *reading) line(i, start, end, section int, pending governing) governing {
	line := r.text[start:end]
	atom := r.doc.Atoms[section]
	marks, more := scanLinks(r.text, start, end, &r.hidden, max(1, MaxLinks-len(r.doc.Links)))
	r.doc.Folded += more
	r.doc.Truncated = r.doc.Truncated || more > 0
	g := governing{line: i}
	item := listItem(line)
	word, rest, labelled := label(line)
	switch {
	case labelled:
		g.word, g.meaning = meaningOf(word)
		if !r.property(i, g.word, strings.TrimSpace(line[rest:]), section) && len(marks) == 0 && g.kind != None && g.kind != Reference {
			r.plainLinks(i, start+rest, end, section, g)
		}
		if g.kind != None || len(marks) > 0 && marks[0].start-start-rest <= 2 {
			r.said[i] = true
		}
		if strings.TrimSpace(line[rest:]) == "" && len(marks) == 0 {
			g.list = true
			r.tags(line, section)
			return g // the list after it
		}
		if len(marks) > 0 && marks[0].start < start+rest || g.kind == None && len(marks) > 0 && marks[0].start-start-rest > 2 {
			labelled = false // "See [[A]]: …", or prose with a colon in it
		}
	case pending.list && item && pending.word != "":
		g, labelled = pending, true
		g.empty = 0
		if g.kind != None {
			r.said[i] = true
			if len(marks) == 0 && g.kind != Reference {
				r.plainLinks(i, start+itemStart(line), end, section, g)
			}
		}
	default:
		if folded, m, ok := opening(line); ok && len(marks) > 0 && !r.prose(marks, end) {
			g.word, g.meaning, labelled = folded, m, true
			r.said[i] = true
		}
	}
	if !labelled {
		folded, m := meaningOf(atom.Title)
		g = governing{word: "#", line: -1}
		if section > 0 {
			g.word = "#" + folded
			if item || len(marks) > 0 && strings.TrimSpace(r.text[start:marks[0].start]) == "" {
				g.meaning = m
			}
			if m.kind == Prerequisite && item && len(marks) == 0 && start > atom.Span.Start {
				r.plainLinks(i, start+itemStart(line), end, section, governing{word: g.word, meaning: m})
			}
		}
	}
	for _, f := range marks {
		f.Kind, f.Inverse, f.Label = g.kind, g.inverse, clip(g.word, 80)
		from := start
		if g.line >= 0 && g.line != i {
			from = f.start // a list item: the statement is the item itself
		}
		r.link(f, from, end, section)
	}
	r.tags(line, section)
	if pending.list && (item || labelled && g.line == pending.line) {
		pending.empty = 0
		return pending
	}
	return governing{}
}

// prose reports that more is said after the first link than a relation line does: "Based on [[A]], which …, one does …".
func (r *reading) prose(marks []found, end int) bool {
	said, at := 0, marks[0].end
	for _, m := range append(marks[1:], found{start: end}) {
		for _, c := range r.text[min(at, m.start):m.start] {
			switch {
			case c > 0x2e80:
				said += 2
			case unicode.IsLetter(c):
				said++
			}
		}
		at = m.end
	}
	return said > maxAside
}

// maxAside is how many letters a relation line has beside its links; those of Chinese and Japanese count twice.
const maxAside = 60

// link keeps a link with where it stands, or counts it.
func (r *reading) link(f found, lineStart, lineEnd, section int) {
	if len(r.doc.Links) >= MaxLinks { // one line may hold them all
		r.doc.Truncated = true
		r.doc.Folded++
		return
	}
	l := f.Link
	if l.Kind == None && !l.FrontMatter && !l.Plain && r.cues > 0 {
		line := r.lines.at(f.start)
		head := ""
		if section > 0 {
			head = Fold(r.doc.Atoms[section].Title)
		}
		r.cues -= min(f.start-max(r.lines[line], r.body), 3*cueBefore) + cueAfter
		l.Cue = cueOf(r.text, f, max(r.lines[line], r.body), max(r.lines.end(line, r.text), f.end), f.start-r.body < cueOpening, Fold(r.doc.Title), head)
	}
	l.Span = r.lines.span(f.start, f.end)
	s, e := trim(r.text, lineStart, lineEnd)
	if e-s > 2*maxSnippet { // a paragraph on one line: what is near says what is meant
		s = max(s, f.start-maxSnippet/2)
		for s > 0 && !utf8.RuneStart(r.text[s]) {
			s--
		}
		e = max(f.end, min(e, s+maxSnippet))
		for e < len(r.text) && !utf8.RuneStart(r.text[e]) {
			e++
		}
	}
	l.Statement = r.lines.span(s, e)
	l.Snippet = valid(clip(r.text[s:e], maxSnippet))
	l.Section = section
	if !l.FrontMatter {
		l.Position = float64(f.start-r.body) / float64(max(1, len(r.text)-r.body))
	}
	r.doc.Links = append(r.doc.Links, l)
}

// plainLinks takes the names of a relation line that are not marked as links. Package graph drops those that name no note.
func (r *reading) plainLinks(i, start, end, section int, g governing) {
	rest := r.text[min(start, end):end]
	if nothing(rest) {
		return
	}
	at := min(start, end)
	for _, name := range plainNames(rest) {
		if len(r.doc.Links) >= MaxLinks {
			return
		}
		from := at
		if k := strings.Index(r.text[at:end], name); k >= 0 {
			from = at + k
			at = from + len(name)
		}
		f := found{start: from, end: min(end, from+len(name))}
		f.Target, f.Plain = clip(valid(name), maxName), true
		f.Kind, f.Inverse, f.Label = g.kind, g.inverse, clip(g.word, 80)
		r.link(f, r.lines[i], end, section)
	}
}

// property takes inline properties of the note ("Date Created: …", "tags:: …") and says whether the line was one.
func (r *reading) property(i int, key, rest string, section int) bool {
	if section > 0 || len(rest) > 300 {
		return false
	}
	switch {
	case createdKeys[key] && r.doc.Created.IsZero():
		r.doc.Created = date(rest)
		r.said[i] = !r.doc.Created.IsZero()
	case updatedKeys[key] && r.doc.Updated.IsZero():
		r.doc.Updated = date(rest)
		r.said[i] = !r.doc.Updated.IsZero()
	case tagKeys[key]:
		r.said[i] = true
	case genreKeys[key] && r.doc.Genre == Unknown:
		r.doc.Genre = genre([]string{rest}, "")
		return r.doc.Genre != Unknown
	}
	return r.said[i]
}

const maxTags = 64

// tags collects #tags of the root.
func (r *reading) tags(line string, section int) {
	if section > 0 || len(line) > 1000 {
		return
	}
	for i := 0; i < len(line) && len(r.doc.Tags) < maxTags; i++ {
		if line[i] != '#' || i > 0 && line[i-1] != ' ' && line[i-1] != '\t' {
			continue
		}
		end := i + 1
		for end < len(line) {
			c, n := utf8.DecodeRuneInString(line[end:])
			if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '-' && c != '/' {
				break
			}
			end += n
		}
		if end > i+1 && end-i < 80 {
			r.doc.Tags = append(r.doc.Tags, Fold(line[i+1:end]))
		}
		i = end - 1
	}
}

// frontMatter takes the properties and relations of the YAML block.
func (r *reading) frontMatter(start, end int) {
	if end <= start {
		return
	}
	first := r.lines.at(start)
	block := r.text[start:end]
	if strings.Contains(r.text[:start], "+++") {
		block = tomlPair.ReplaceAllString(block, "$1: ")
	}
	for _, p := range properties(block) {
		one := ""
		if len(p.values) > 0 {
			one = p.values[0].text
		}
		switch {
		case p.key == "id" || p.key == "uid" || p.key == "zettelid":
			if r.doc.ID == "" {
				r.doc.ID = clip(strings.TrimSpace(one), 128)
			}
		case p.key == "title" || p.key == "标题" || p.key == "タイトル":
			if one = plain(strings.TrimSpace(one)); one != "" {
				if r.doc.Title != one && r.doc.Title != "" {
					r.doc.Names = append(r.doc.Names, r.doc.Title)
				}
				r.doc.Title = one
				r.doc.Atoms[0].Title = one
			}
		case aliasKeys[p.key]:
			for _, v := range p.values {
				for _, name := range splitList(v.text, len(p.values)) {
					if len(r.doc.Names) < 64 {
						r.doc.Names = append(r.doc.Names, clip(name, maxName))
					}
				}
			}
		case createdKeys[p.key] && r.doc.Created.IsZero():
			r.doc.Created = date(one)
		case updatedKeys[p.key] && r.doc.Updated.IsZero():
			r.doc.Updated = date(one)
		case tagKeys[p.key]:
			for _, v := range p.values {
				for _, tag := range splitList(v.text, len(p.values)) {
					if len(r.doc.Tags) < maxTags {
						r.doc.Tags = append(r.doc.Tags, Fold(strings.TrimPrefix(tag, "#")))
					}
				}
			}
		case genreKeys[p.key]:
			if g := genre([]string{one}, ""); g != Unknown {
				r.doc.Genre = g
			}
		case orderKeys[p.key]:
			r.doc.Order = leadingNumber(one)
		default:
			r.stated(p, first)
		}
	}
}

// stated takes a front matter key that says a relation.
func (r *reading) stated(p property, first int) {
	word, m := meaningOf(p.key)
	for _, v := range p.values {
		if len(v.text) > 4*maxName {
			continue
		}
		line := min(len(r.lines)-1, max(0, first+v.line-1))
		start, end := r.lines[line], r.lines.end(line, r.text)
		var marks []found
		if strings.Contains(v.text, "[") {
			marks, _ = scanLinks(v.text, 0, len(v.text), &mask{}, len(v.text))
		} else if m.kind != None {
			for _, name := range splitList(v.text, len(p.values)) {
				f := found{}
				f.Target, f.Plain = clip(name, maxName), true
				marks = append(marks, f)
			}
		}
		for _, f := range marks {
			f.start, f.end = start, end
			f.Kind, f.Inverse, f.Label, f.FrontMatter = m.kind, m.inverse, clip(word, 80), true
			r.link(f, start, end, 0)
		}
	}
}

// splitList parts "a, b" when it is the only value; the items of a YAML list are taken whole.
func splitList(text string, values int) []string {
	parts := []string{text}
	if values == 1 {
		parts = strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(",，、;", c) })
	}
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(valid(p)); p != "" {
			out = append(out, p)
		}
	}
	return out
}

func listItem(line string) bool { return itemStart(line) > 0 }

// itemStart gives where the text of a list item begins, 0 if the line is none.
func itemStart(line string) int {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '>') {
		i++
	}
	mark := i
	for i < len(line) && line[i] >= '0' && line[i] <= '9' && i-mark < 9 {
		i++
	}
	switch {
	case i == mark && i < len(line) && strings.IndexByte("-*+", line[i]) >= 0, i > mark && i < len(line) && (line[i] == '.' || line[i] == ')'):
		if i++; i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			return i + 1
		}
	}
	return 0
}
