package anki

import (
	"html"
	"path"
	"slices"
	"strings"
)

// Plain takes the HTML off a field: breaks become lines, \(…\) and \[…\] become $…$ and $$…$$, pictures and sounds
// ![](name), clozes their answers.
func Plain(field string) string { return textOf(whole(pieces(field)), nil) }

// files are the names of the files that a card shows, each once.
type files struct {
	names []string
	known map[string]bool
}

func (f *files) add(name string) {
	if f == nil || f.known[name] {
		return
	}
	if f.known == nil {
		f.known = map[string]bool{}
	}
	f.known[name] = true
	f.names = append(f.names, name)
}

// textOf writes HTML as Markdown and tells the names of the files that it shows.
func textOf(field string, media *files) string {
	var b strings.Builder
	hidden := ""     // a style or a script, until its end
	comments := true // false when no further one ends
	for i := 0; i < len(field); {
		if field[i] != '<' {
			next := strings.IndexByte(field[i:], '<')
			if next < 0 {
				next = len(field) - i
			}
			if hidden == "" {
				sounds(&b, field[i:i+next], media)
			}
			i += next
			continue
		}
		end := strings.IndexByte(field[i:], '>')
		if comments && strings.HasPrefix(field[i:], "<!--") {
			if n := strings.Index(field[i:], "-->"); n > 0 {
				end = n + 2
			} else {
				comments = false
			}
		}
		if end < 0 {
			if hidden == "" {
				b.WriteString(field[i:])
			}
			break
		}
		raw := field[i+1 : i+end]
		tag := strings.ToLower(strings.Trim(raw, "/ "))
		name, _, _ := strings.Cut(tag, " ")
		switch {
		case hidden != "":
			if name == hidden && strings.HasPrefix(raw, "/") {
				hidden = ""
			}
		case name == "style" || name == "script":
			hidden = name
		case name == "img":
			if source := attribute(raw, "src"); source != "" {
				b.WriteString(shown(source, media))
			}
		case slices.Contains([]string{"br", "div", "p", "li", "tr", "ul", "ol", "h1", "h2", "h3", "hr", "pre"}, name):
			b.WriteByte('\n')
		}
		i += end + 1
	}
	text := html.UnescapeString(b.String())
	return strings.TrimSpace(fewBlank(formulas.Replace(text)))
}

var formulas = strings.NewReplacer(`\(`, "$", `\)`, "$", `\[`, "$$", `\]`, "$$", "[$]", "$", "[/$]", "$", "[$$]", "$$", "[/$$]", "$$", "[latex]", "", "[/latex]", "", "\u00a0", " ", "\x00", "")

// fewBlank leaves at most one empty line between others.
func fewBlank(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line != "" || len(out) > 0 && out[len(out)-1] != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// sounds writes text with each [sound:name] as Markdown.
func sounds(b *strings.Builder, text string, media *files) {
	for {
		before, after, ok := strings.Cut(text, "[sound:")
		if ok {
			name, rest, closed := strings.Cut(after, "]")
			if closed {
				b.WriteString(before)
				b.WriteString(shown(html.UnescapeString(name), media))
				text = rest
				continue
			}
		}
		b.WriteString(text)
		return
	}
}

// shown refers to a file of the collection. Addresses of other places are left out.
func shown(name string, media *files) string {
	name = strings.TrimSpace(html.UnescapeString(name))
	if !MediaName(name) {
		return ""
	}
	media.add(name)
	return "![](<" + name + ">)"
}

// MediaName reports whether a name is that of a file in Anki's one folder of media: no path, nothing that a system or a
// page reads in another way.
func MediaName(name string) bool {
	return name != "" && len(name) <= 255 && name == path.Base(name) && name != "." && name != ".." && !strings.ContainsAny(name, "/\\:<>\"|?*\x00\r\n\t") && !strings.HasPrefix(name, "-")
}

// attribute reads an attribute of a tag.
func attribute(tag, name string) string {
	low := strings.ToLower(tag)
	for at := 0; at < len(low); {
		i := strings.Index(low[at:], name)
		if i < 0 {
			return ""
		}
		i += at
		rest := strings.TrimLeft(tag[i+len(name):], " ")
		if value, ok := strings.CutPrefix(rest, "="); ok && i > 0 && (low[i-1] == ' ' || low[i-1] == '"' || low[i-1] == '\'' || low[i-1] == '\n') {
			value = strings.TrimLeft(value, " ")
			if value == "" {
				return ""
			}
			if q := value[0]; q == '"' || q == '\'' {
				inner, _, _ := strings.Cut(value[1:], string(q))
				return inner
			}
			inner, _, _ := strings.Cut(value, " ")
			return strings.TrimSuffix(inner, "/")
		}
		at = i + len(name)
	}
	return ""
}
