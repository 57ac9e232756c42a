package render

import (
	"strings"

	"stoa/internal/learning/notes"
)

const (
	// deepestEmbed bounds notes within notes.
	deepestEmbed = 4
	// mostEmbedded bounds the bytes of other notes that one tree holds.
	mostEmbedded = MaxBytes
)

// embedding is what the writers of a note and of those within it share.
type embedding struct {
	open  []string // the places that are being written, the note itself first
	bytes int      // of other notes so far
}

// embed puts another note, a section or a block of it where it is referred to. What is within itself, too deep or too
// long is a link that says so.
func (w *writer) embed(found Target, heading string, label Node) Node {
	out := element("embed").with("note", found.DocumentID).with("title", clip(found.Title, 200))
	if heading != "" {
		out.with("goto", Anchor(heading))
	}
	if w.embeds == nil {
		w.embeds = &embedding{open: []string{w.o.DocumentID + "#"}}
	}
	place := found.DocumentID + "#" + heading
	for _, open := range w.embeds.open {
		if open == place || open == found.DocumentID+"#" { // the whole note is being written: every part of it is
			return out.with("why", "cycle")
		}
	}
	text, links, ok := w.o.Links.Embed(found.DocumentID)
	if ok && heading != "" {
		text, ok = section(text, heading)
	}
	if !ok {
		return &Element{Tag: "a", Attr: out.Attr, Children: []Node{label}}
	}
	if len(w.embeds.open) > deepestEmbed || w.embeds.bytes+len(text) > mostEmbedded {
		return out.with("why", "bounds")
	}
	w.embeds.bytes += len(text)
	w.embeds.open = append(w.embeds.open, place)
	inner := &writer{o: Options{Links: links, DocumentID: found.DocumentID}, left: w.left, embeds: w.embeds}
	out.Children = inner.parse(text)
	w.left = inner.left
	w.embeds.open = w.embeds.open[:len(w.embeds.open)-1]
	moved(out.Children, found.DocumentID)
	return out
}

// moved makes a part of another note fit into this one: its places have no names here, and its links to itself lead there.
func moved(list []Node, documentID string) {
	for _, n := range list {
		e, ok := n.(*Element)
		if !ok {
			continue
		}
		delete(e.Attr, "id")
		if e.Tag == "a" && e.Attr["goto"] != "" && e.Attr["note"] == "" {
			e.with("note", documentID)
		}
		moved(e.Children, documentID)
	}
}

// section gives the part of a text that a heading, or a block's name with its ^, stands for.
func section(text, heading string) (string, bool) {
	if name, ok := strings.CutPrefix(heading, "^"); ok {
		return blockOf(text, name)
	}
	want := notes.Fold(strings.TrimSpace(heading))
	level, from, fence := 0, -1, ""
	at := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		start := at
		at += len(line)
		if mark := fenceOf(line); mark != "" && (fence == "" || fence == mark) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
		}
		n := len(line) - len(strings.TrimLeft(line, "#"))
		if fence != "" || n == 0 || n > 6 || len(line) == n || line[n] != ' ' {
			continue
		}
		if from >= 0 && n <= level {
			return text[from:start], true
		}
		if from < 0 && notes.Fold(strings.TrimSpace(line[n:])) == want {
			level, from = n, start
		}
	}
	if from < 0 {
		return "", false
	}
	return text[from:], true
}

func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// blockOf gives the paragraph, or the item of a list, that ends with ^name; where the name stands alone, the block before it.
func blockOf(text, name string) (string, bool) {
	if !blockName(name) {
		return "", false
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		rest, ok := strings.CutSuffix(strings.TrimRight(line, " \r"), "^"+name)
		if !ok || rest != "" && !strings.HasSuffix(rest, " ") {
			continue
		}
		end := i + 1
		if strings.TrimSpace(rest) == "" {
			for i > 0 && strings.TrimSpace(lines[i-1]) == "" {
				i--
			}
			end = i
			i--
		}
		begin := i
		for begin > 0 && strings.TrimSpace(lines[begin-1]) != "" && !item(lines[begin]) {
			begin--
		}
		if begin < 0 {
			return "", false
		}
		return strings.Join(lines[begin:end], "\n"), true
	}
	return "", false
}

func item(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
}
