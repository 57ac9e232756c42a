package notes

import (
	"strings"
	"testing"
)

// The bound on links holds however they are laid out, and a note that is cut by it says so.
func TestLinksAreBounded(t *testing.T) {
	n := MaxLinks + 5000
	for name, text := range map[string]string{
		"in one line":       strings.Repeat("[[a]] ", n),
		"a line each":       strings.Repeat("[[a]]\n", n),
		"a labelled line":   "Requires: " + strings.Repeat("[[a]], ", n),
		"names in one line": "Requires: " + strings.Repeat("abc, ", n),
		"in a list":         "---\nrequires:\n" + strings.Repeat("  - \"[[a]]\"\n", n) + "---\ntext\n",
		"in one value":      "---\nrequires: \"" + strings.Repeat("[[a]] ", 60) + "\"\n---\n" + strings.Repeat("[[a]] ", n),
	} {
		d := Parse(Source{Path: "n.md", Content: text})
		if len(d.Links) > MaxLinks {
			t.Errorf("%s: %d links", name, len(d.Links))
		}
		if !d.Truncated && len(d.Links) == MaxLinks {
			t.Errorf("%s: it does not say that it was cut", name)
		}
	}
}
