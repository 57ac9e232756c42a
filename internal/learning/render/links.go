package render

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"stoa/internal/learning/notes"
)

// Target is a note that a link leads to.
type Target struct{ DocumentID, Title string }

// Links finds what a note's links mean.
type Links interface {
	// Note finds a note by name, or by its path from the linking note.
	Note(target, alternate string, path bool) (Target, bool)
	// Media finds a picture, sound or film, as the page asks for it, with its media type.
	Media(target string) (name, kind string, ok bool)
	// Embed gives the text of a note that is shown within another, and what its links mean.
	Embed(documentID string) (text string, links Links, ok bool)
}

// NoLinks are those of a text that stands alone.
type NoLinks struct{}

// Note finds none.
func (NoLinks) Note(string, string, bool) (Target, bool) { return Target{}, false }

// Media finds none.
func (NoLinks) Media(string) (name, kind string, ok bool) { return "", "", false }

// Embed finds none.
func (NoLinks) Embed(string) (text string, links Links, ok bool) { return "", nil, false }

// Anchor is the id of the place that a heading, or a block's name with its ^, stands for.
func Anchor(heading string) string {
	var b strings.Builder
	b.WriteString("at-")
	for _, r := range clip(notes.Fold(strings.TrimSpace(heading)), 200) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '^' {
			b.WriteRune(r)
		} else {
			b.WriteByte('-')
		}
	}
	return b.String()
}

// link makes a link where its destination is one that a page may lead to: another note, the web, a mail address. Of
// others the words are left.
func (w *writer) link(destination string, label []Node) Node {
	a := &Element{Tag: "a", Children: label}
	if href := external(destination); href != "" {
		return a.with("href", href)
	}
	target, heading, _ := strings.Cut(destination, "#")
	target, heading = decoded(target), decoded(heading)
	switch {
	case strings.Contains(target, ":"):
		a.Tag = "span"
		return a
	case target == "" && heading != "":
		return a.with("goto", Anchor(heading))
	case target == "":
		a.Tag = "span"
		return a
	}
	if name, kind, ok := w.o.Links.Media(target); ok {
		return a.with("media", name).with("kind", kind)
	}
	return w.toNote(a, target, "", heading, true)
}

func (w *writer) toNote(a *Element, target, alternate, heading string, byPath bool) *Element {
	found, ok := w.o.Links.Note(target, alternate, byPath)
	if !ok {
		return a.with("missing", clip(target, 200))
	}
	a.with("note", found.DocumentID)
	if heading != "" {
		a.with("goto", Anchor(heading))
	}
	return a
}

// external gives the address of a link to the web or of a mail, "" for all others.
func external(destination string) string {
	u, err := url.Parse(strings.TrimSpace(destination))
	if err != nil || len(destination) > 4096 {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
		return u.String()
	case "mailto":
		return u.String()
	}
	return ""
}

func decoded(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		s = d
	}
	return clip(strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), ""), 1024)
}

// picture shows a file of the vault. A picture elsewhere on the web is a link: the page asks no other server.
func (w *writer) picture(destination, alt, size string) Node {
	if href := external(destination); href != "" {
		if alt == "" {
			alt = href
		}
		return element("a", alt).with("href", href)
	}
	target := decoded(destination)
	if name, kind, ok := w.o.Links.Media(target); ok {
		return shown(name, kind, alt, size)
	}
	if alt == "" {
		alt = path.Base(target)
	}
	return element("absent", alt).with("missing", clip(target, 200))
}

func shown(name, kind, alt, size string) *Element {
	return element("media").with("name", name).with("kind", kind).with("alt", alt).with("width", size)
}

// sized parts "words|300" into the words and the width in pixels.
func sized(alt string) (words, width string) {
	at := strings.LastIndexByte(alt, '|')
	size, _, _ := strings.Cut(alt[at+1:], "x")
	for _, r := range size {
		if r < '0' || r > '9' {
			return alt, ""
		}
	}
	if size == "" || len(size) > 4 || at < 0 && alt != size {
		return alt, ""
	}
	return alt[:max(at, 0)], size
}

func (w *writer) wiki(n *wiki) Node {
	if n.target == "" {
		label := n.alias
		if label == "" {
			label = n.heading
		}
		return element("a", label).with("goto", Anchor(n.heading))
	}
	target, alias := strings.ToValidUTF8(n.target, ""), strings.ToValidUTF8(n.alias, "")
	if n.embed {
		if name, kind, ok := w.o.Links.Media(target); ok {
			alt, size := sized(alias)
			return shown(name, kind, alt, size)
		}
		if ext := strings.ToLower(path.Ext(target)); ext != "" && ext != ".md" && len(ext) < 6 && !strings.Contains(ext, " ") {
			return element("absent", path.Base(target)).with("missing", clip(target, 200))
		}
	}
	label := alias
	if label == "" {
		label = target
		if n.heading != "" {
			label += " › " + strings.TrimPrefix(n.heading, "^")
		}
	}
	a := element("a", label)
	if n.embed {
		if found, ok := w.o.Links.Note(target, alias, false); ok {
			return w.embed(found, n.heading, label)
		}
	}
	return w.toNote(a, target, alias, n.heading, false)
}
