package stoa

import (
	"slices"
	"strings"
	"testing"
)

func TestNewsOf(t *testing.T) {
	text := "# Changelog\n\nWords before.\n\n## 2.0.0\n\n### New in brief\n\n- **One.** Read [the page](docs/one.md)\n  and `run` it.\n- Two.\n\n### Fixed\n\n- Three.\n\n## 1.0.0\n\n- Four.\n"
	version, points := newsOf(text)
	if want := []string{"One. Read the page and run it.", "Two."}; version != "2.0.0" || !slices.Equal(points, want) {
		t.Errorf("%q: %q", version, points)
	}
	_, after, _ := strings.Cut(text, "## 1.0.0")
	if version, points := newsOf("# Changelog\n\n## 1.0.0" + after); version != "1.0.0" || !slices.Equal(points, []string{"Four."}) {
		t.Errorf("%q: %q", version, points)
	}
}

func TestTheProgramKnowsItsNews(t *testing.T) {
	if version, points := News(); version == "" || len(points) == 0 || strings.Contains(strings.Join(points, ""), "](") {
		t.Errorf("%q: %q", version, points)
	}
}
