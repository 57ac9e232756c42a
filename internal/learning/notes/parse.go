package notes

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
)

// Source is a note as it was given.
type Source struct {
	// Path is where the note lies in its vault, with slashes; its base names the note when nothing in it does.
	Path     string
	Content  string
	Language string
}

// reading is a note while it is read.
type reading struct {
	doc      Document
	text     string
	body     int
	lines    lines
	headings []heading
	fences   []fence
	code     mask // code alone
	hidden   mask // code, comments, formulas
	formulas [][4]int
	cues     int    // bytes around links that may still be read
	said     []bool // per line: it states relations or properties and is no prose
}

// Parse reads a note. It never fails: what cannot be read as anything else is text.
func Parse(src Source) Document {
	r := reading{text: src.Content}
	if len(r.text) > MaxBytes {
		r.text, r.doc.Truncated = clip(r.text, MaxBytes), true
	}
	r.doc.Language = src.Language
	r.lines, r.cues = newLines(r.text), cueBytes+cueTimes*len(r.text)
	r.said = make([]bool, len(r.lines))
	yamlStart, yamlEnd, body := frontMatter(r.text)
	r.body = body
	r.headings, r.fences = blocks(r.text, r.lines, body)
	r.masks()
	base := strings.TrimSuffix(path.Base(src.Path), path.Ext(src.Path))
	r.sections(clip(valid(base), maxName))
	r.frontMatter(yamlStart, yamlEnd)
	r.parts()
	r.scan()
	if r.doc.Order == 0 {
		r.doc.Order = leadingNumber(base)
	}
	if r.doc.Genre == Unknown {
		r.doc.Genre = genre(r.doc.Tags, r.doc.Title)
	}
	r.terms()
	return r.doc
}

func (r *reading) masks() {
	for _, f := range r.fences {
		if !callout(f) {
			r.code.add(f.start, f.end)
		}
	}
	r.code.seal()
	r.hidden = mask{starts: append([]int(nil), r.code.starts...), ends: append([]int(nil), r.code.ends...)}
	r.hidden.comments(r.text, r.body, &r.code)
	r.hidden.inlineCode(r.text, r.lines, r.body, &r.code)
	r.hidden.seal()
	for at := r.body; len(r.formulas) < MaxAtoms; {
		i := strings.Index(r.text[at:], "$$")
		if i < 0 {
			break
		}
		start := at + i
		if skip := r.hidden.covers(start); skip > 0 {
			at = skip
			continue
		}
		j := strings.Index(r.text[start+2:], "$$")
		if j < 0 {
			break
		}
		at = start + j + 4
		if s, e := trim(r.text, start+2, start+2+j); e > s {
			r.formulas = append(r.formulas, [4]int{start, at, s, e})
		}
	}
	for _, f := range r.formulas {
		r.hidden.add(f[0], f[1])
	}
	r.hidden.seal()
}

// callout says whether a fence holds prose.
func callout(f fence) bool {
	_, ok := ReadFencedBox(f.info)
	return ok
}

// sections makes the root and one atom per heading.
func (r *reading) sections(base string) {
	r.doc.Title = base
	first := len(r.text)
	headings := r.headings
	if len(headings) > 0 {
		first = headings[0].start
		r.doc.Title = withoutOrder(base)
		if s, e := trim(r.text, r.body, first); headings[0].level == 1 && s >= e {
			title, name, opens := titles(base, headings)
			r.doc.Title = title
			if name != "" && name != title {
				r.doc.Names = append(r.doc.Names, name)
			}
			if opens {
				headings = headings[1:]
				first = len(r.text)
				if len(headings) > 0 {
					first = headings[0].start
				}
			}
		}
	} else {
		r.doc.Title = withoutOrder(base)
	}
	if r.doc.Title != base && !slices.Contains(r.doc.Names, base) && base != "" {
		r.doc.Names = append(r.doc.Names, base)
	}
	root := Atom{Representation: Text, Title: r.doc.Title}
	s, e := trim(r.text, r.body, first)
	content := s
	if len(headings) < len(r.headings) {
		content, _ = trim(r.text, r.headings[0].end, max(first, r.headings[0].end))
		content = min(content, e)
	}
	if content >= e { // nothing stands before the first section: the outline speaks for the note
		var outline []string
		for _, h := range headings {
			if len(outline) < 40 {
				outline = append(outline, h.title)
			}
		}
		root.Content = strings.Join(outline, "\n")
		if len(headings) > 0 {
			e = max(e, headings[0].end)
			s, e = trim(r.text, s, e)
		}
	} else {
		root.Content = valid(r.text[content:e])
	}
	r.place(&root, s, e)
	r.doc.Atoms = append(r.doc.Atoms, root)
	r.headed(headings)
}

// headed makes an atom of each heading.
func (r *reading) headed(headings []heading) {
	var stack []heading
	seen := map[string]int{}
	for i, h := range headings {
		if len(r.doc.Atoms) >= MaxAtoms {
			r.doc.Truncated = true
			break
		}
		for len(stack) > 0 && stack[len(stack)-1].level >= h.level {
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, h)
		end := len(r.text)
		if i+1 < len(headings) {
			end = headings[i+1].start
		}
		a := Atom{Representation: Text, Title: h.title, Level: h.level, Section: len(r.doc.Atoms)}
		folded := make([]string, len(stack))
		for k, open := range stack {
			a.Path = append(a.Path, open.title)
			folded[k] = strings.ReplaceAll(Fold(open.title), " / ", "/")
		}
		a.Key = strings.Join(folded, " / ")
		if seen[a.Key]++; seen[a.Key] > 1 {
			a.Key = fmt.Sprintf("%s ~%d", a.Key, seen[a.Key])
		}
		if cs, ce := trim(r.text, min(h.end, end), end); ce > cs {
			a.Content = valid(r.text[cs:ce])
		}
		s, e := trim(r.text, h.start, end)
		r.place(&a, s, e)
		r.doc.Atoms = append(r.doc.Atoms, a)
	}
}

// place fills in where an atom stands and its keywords.
func (r *reading) place(a *Atom, start, end int) {
	start = min(start, end)
	a.Span = r.lines.span(start, end)
	a.Snippet = valid(clip(r.text[start:end], maxSnippet))
}

// parts makes the atoms of code, diagrams and formulas, in the order they stand.
func (r *reading) parts() {
	type part struct {
		Atom
		start, end int
	}
	var list []part
	for _, f := range r.fences {
		info, _, _ := strings.Cut(f.info, " ")
		info = strings.ToLower(strings.Trim(info, "{}."))
		switch {
		case f.indented, callout(f), info == "dataview", info == "dataviewjs", info == "query", info == "tasks":
			continue // queries of the editor say nothing of the subject
		}
		s, e := trim(r.text, f.bodyStart, f.bodyEnd)
		if e <= s {
			continue
		}
		a := Atom{Representation: Code, Language: clip(info, 40), Content: valid(r.text[s:e])}
		if info == "mermaid" {
			a.Representation = Mermaid
		}
		list = append(list, part{a, f.start, f.end})
	}
	for _, f := range r.formulas {
		list = append(list, part{Atom{Representation: Formula, Content: valid(r.text[f[2]:f[3]])}, f[0], f[1]})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].start < list[j].start })
	ordinals := map[string]int{}
	sections := len(r.doc.Atoms)
	for _, p := range list {
		if len(r.doc.Atoms) >= MaxAtoms {
			r.doc.Truncated = true
			break
		}
		a := p.Atom
		a.Section = sectionAt(r.doc.Atoms[:sections], p.start)
		section := r.doc.Atoms[a.Section]
		a.Title, a.Path, a.Level = section.Title, section.Path, section.Level
		key := section.Key + " :: " + string(a.Representation)
		ordinals[key]++
		a.Key = fmt.Sprintf("%s %d", key, ordinals[key])
		r.place(&a, p.start, p.end)
		r.doc.Atoms = append(r.doc.Atoms, a)
	}
}

// sectionAt finds the section an offset is in.
func sectionAt(sections []Atom, offset int) int {
	i := sort.Search(len(sections), func(i int) bool { return i > 0 && sections[i].Span.Start > offset })
	return max(0, i-1)
}

// terms collects what the note talks about, from its prose.
func (r *reading) terms() {
	texts := []string{r.doc.Title}
	budget := 64 << 10
	for i := r.lines.at(r.body); i < len(r.lines) && budget > 0; i++ {
		start, end := max(r.lines[i], r.body), r.lines.end(i, r.text)
		if r.said[i] || end <= start || r.code.covers(start) > 0 {
			continue
		}
		texts = append(texts, clip(r.text[start:end], budget))
		budget -= end - start
	}
	r.doc.Terms = Words(MaxTerms, texts...)
}
