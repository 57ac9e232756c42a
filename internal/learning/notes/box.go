package notes

import (
	"regexp"
	"slices"
	"strings"
)

// BoxHead is the first line of a box of documentation tools: !!! note "Title" of MkDocs, whose text is indented below it, or
// :::note, ::: {.theorem title="Lagrange"} and :::{prf:theorem} Lagrange, which colons end.
type BoxHead struct {
	Name, Title string // the name is lower-cased
	Colons      int    // 0 for a box of MkDocs
	Fence       string // what begins one that is written as a fence, and ends it
	Folded      bool   // it is shown closed
}

var admonition = regexp.MustCompile(`^(!!!|\?\?\?\+?)\s+([a-zA-Z][\w-]*)(?:(?:\s+[\w-]+)*\s+"([^"]*)"|(?:\s+(?:inline|end))*)$`)

// ReadBoxHead reads a line without blanks around it.
func ReadBoxHead(line string) (head BoxHead, ok bool) {
	if !strings.HasPrefix(line, ":::") {
		m := admonition.FindStringSubmatch(line)
		if m == nil {
			return BoxHead{}, false
		}
		return BoxHead{Name: strings.ToLower(m[2]), Title: m[3], Folded: m[1] == "???"}, true
	}
	rest := strings.TrimLeft(line, ":")
	head.Colons = len(line) - len(rest)
	if rest = strings.TrimSpace(rest); rest == "" {
		return BoxHead{}, false // the end of one
	}
	head.Name, head.Title, _ = strings.Cut(rest, " ")
	if strings.HasPrefix(rest, "{.") {
		inner, _, _ := strings.Cut(rest[2:], "}")
		head.Name, head.Title, _ = strings.Cut(inner, " ")
		head.Title = strings.Trim(strings.TrimPrefix(head.Title, "title="), `"`)
	}
	head.Name = strings.ToLower(strings.Trim(head.Name, "{}."))
	if name, _, bracket := strings.Cut(head.Name, "["); bracket {
		_, title, _ := strings.Cut(rest, "[")
		head.Name = name
		head.Title, _, _ = strings.Cut(title, "]")
	}
	head.Name, head.Title = strings.TrimPrefix(head.Name, "prf:"), strings.TrimSpace(head.Title)
	return head, true
}

// fenceHead is the first line of a fence.
var fenceHead = regexp.MustCompile("^(`{3,}|~{3,})[ \\t]*([^`]*)$")

// ReadFence reads the first line of a box that is written as a fence, without blanks around it.
func ReadFence(line string) (head BoxHead, ok bool) {
	m := fenceHead.FindStringSubmatch(line)
	if m == nil {
		return BoxHead{}, false
	}
	head, ok = ReadFencedBox(m[2])
	head.Fence = m[1]
	return head, ok
}

// ReadFencedBox reads what stands behind the signs of a fence that is a box: ad-note Title of the Obsidian plug-in Admonition, and
// {prf:theorem} Title of MyST.
func ReadFencedBox(info string) (head BoxHead, ok bool) {
	name, title, _ := strings.Cut(strings.TrimSpace(info), " ")
	directive := strings.HasPrefix(name, "{") && !strings.HasPrefix(name, "{.")
	name = strings.ToLower(strings.Trim(name, "{}.,"))
	head = BoxHead{Name: strings.TrimPrefix(name, "prf:"), Title: strings.TrimSpace(title)}
	if box, ad := strings.CutPrefix(name, "ad-"); ad {
		head.Name = box
		return head, box != ""
	}
	return head, directive && slices.Contains(boxNames, head.Name)
}

// BoxOption reads a line at the head of a box that says something of the box: "title: Lagrange", ":class: tip". The key is lower-cased.
func BoxOption(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(strings.TrimLeft(strings.TrimSpace(line), ":"), ":")
	key = strings.ToLower(key)
	return key, strings.TrimSpace(value), ok && slices.Contains(boxOptions, key)
}

var (
	// boxNames are the directives of MyST that hold prose.
	boxNames   = []string{"admonition", "note", "tip", "warning", "important", "hint", "caution", "danger", "attention", "seealso", "definition", "theorem", "lemma", "proposition", "corollary", "proof", "remark", "example", "exercise", "solution", "axiom", "conjecture", "algorithm", "property", "observation", "criterion", "assumption", "question", "dropdown", "margin", "sidebar", "topic", "quote", "epigraph", "solution-start", "exercise-start", "details"}
	boxOptions = []string{"title", "collapse", "icon", "color", "class", "label", "name", "open", "nonumber", "enumerated"}
)
