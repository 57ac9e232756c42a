package notes

import (
	"strings"
	"testing"
)

// The bound on links holds however they are laid out, what is beyond it is counted, and a note that is cut by it says so.
func TestLinksAreBounded(t *testing.T) {
	n := MaxLinks + 5000
	for name, c := range map[string]struct {
		text string
		all  int
	}{
		"in one line":     {strings.Repeat("[[a]] ", n), n},
		"a line each":     {strings.Repeat("[[a]]\n", n), n},
		"a labelled line": {"Requires: " + strings.Repeat("[[a]], ", n), n},
		"two long lines":  {strings.Repeat("[[a]] ", n) + "\n\n" + strings.Repeat("[b](b.md) ", n), 2 * n},
		"in a list":       {"---\nrequires:\n" + strings.Repeat("  - \"[[a]]\"\n", 100) + "---\n" + strings.Repeat("[[a]] ", n), n + 100},
		"hidden ones":     {strings.Repeat("[[a]]\n", n) + "\n```\n" + strings.Repeat("[[a]]\n", n) + "```\n", n},
		"few":             {strings.Repeat("[[a]]\n", 50), 50},
	} {
		d := Parse(Source{Path: "n.md", Content: c.text})
		if len(d.Links) != min(c.all, MaxLinks) || len(d.Links)+d.Folded != c.all {
			t.Errorf("%s: %d links and %d counted, of %d", name, len(d.Links), d.Folded, c.all)
		}
		if d.Truncated != (c.all > MaxLinks) {
			t.Errorf("%s: whether it was cut: %v", name, d.Truncated)
		}
	}
}
