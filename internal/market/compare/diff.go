package compare

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Text is the unified diff of two texts, such as the prompts of two versions, in the same rendering as the
// prose of a section: at most DiffLines lines, nil when they are equal. More than 20,000 lines are not
// compared: the answer is the two file names alone.
func Text(before, after, name string) []string {
	if before == after {
		return nil
	}
	b, a := renderText(before), renderText(after)
	if b.cut || a.cut {
		return []string{"--- before/" + show(name), "+++ after/" + show(name)}
	}
	lines, _ := unified(show(name), b, a)
	return lines
}

func renderText(s string) *rendering {
	r := &rendering{limit: renderLines, anchors: []anchor{{id: place{kind: top}}}}
	if s == "" {
		return r
	}
	for line := range prose(s) {
		if r.line(line); r.cut {
			break
		}
	}
	return r
}

// unified is the diff of two renderings, at most DiffLines lines, and whether there are more.
func unified(file string, before, after *rendering) ([]string, bool) {
	b, a := newDocument(before), newDocument(after)
	edits := align(b, a)
	text, err := udiff.ToUnified("before/"+file, "after/"+file, b.text, edits, ContextLines)
	if err != nil || text == "" {
		return []string{}, false
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > DiffLines {
		return slices.Clone(lines[:DiffLines]), true
	}
	return lines, false
}

// document is a rendering as one text, and the byte ranges of its parts.
type document struct {
	text  string
	parts []part
	ids   map[place]bool
}

type part struct {
	id         place
	start, end int
}

func newDocument(r *rendering) document {
	d := document{ids: make(map[place]bool, len(r.anchors))}
	offsets := make([]int, len(r.lines)+1)
	var b strings.Builder
	for i, line := range r.lines {
		b.WriteString(line)
		b.WriteByte('\n')
		offsets[i+1] = b.Len()
	}
	d.text = b.String()
	for i, a := range r.anchors {
		end := len(r.lines)
		if i+1 < len(r.anchors) {
			end = r.anchors[i+1].line
		}
		d.parts = append(d.parts, part{a.id, offsets[a.line], offsets[end]})
		d.ids[a.id] = true
	}
	return d
}

// align compares part by part: parts of one id with each other, the others are new or gone. Both
// documents are in the order of their names, so one pass is enough.
func align(before, after document) []udiff.Edit {
	var edits []udiff.Edit
	i, j := 0, 0
	for i < len(before.parts) || j < len(after.parts) {
		switch {
		case i < len(before.parts) && !after.ids[before.parts[i].id]:
			edits = append(edits, udiff.Edit{Start: before.parts[i].start, End: before.parts[i].end})
			i++
		case j < len(after.parts) && !before.ids[after.parts[j].id]:
			at := len(before.text)
			if i < len(before.parts) {
				at = before.parts[i].start
			}
			edits = append(edits, udiff.Edit{Start: at, End: at, New: after.text[after.parts[j].start:after.parts[j].end]})
			j++
		default:
			b, a := before.parts[i], after.parts[j]
			for _, e := range udiff.Lines(before.text[b.start:b.end], after.text[a.start:a.end]) {
				edits = append(edits, udiff.Edit{Start: e.Start + b.start, End: e.End + b.start, New: e.New})
			}
			i++
			j++
		}
	}
	return edits
}
