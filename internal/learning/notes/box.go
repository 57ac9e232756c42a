package notes

import (
	"regexp"
	"strings"
)

// BoxHead is the first line of a box of documentation tools: !!! note "Title" of MkDocs, whose text is indented below it, or
// :::note, ::: {.theorem title="Lagrange"} and :::{prf:theorem} Lagrange, which colons end.
type BoxHead struct {
	Name, Title string // the name is lower-cased
	Colons      int    // 0 for a box of MkDocs
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
