package app

import (
	"path"
	"strings"
	"testing"
)

// Names stay within the archive, each is there once, and one that is wished for again and again costs no more than another.
func TestNamesInAnArchive(t *testing.T) {
	w := &archiveWriter{used: map[string]bool{}, again: map[string]int{}}
	wishes := []string{"notes/a.md", "notes/A.md", "notes/a.md", "notes/a~2.md", "../../etc/passwd", `..\..\boot.ini`, "/abs", "C:/x", "notes/../../b", "", ".", "..", "notes/a.md/../a.md"}
	for range 20_000 {
		wishes = append(wishes, "notes/same.md")
	}
	seen := map[string]bool{}
	for _, wish := range wishes {
		name := w.name(wish)
		if folded := strings.ToLower(name); seen[folded] || strings.HasPrefix(name, "/") || strings.Contains(name, "..") || strings.Contains(name, `\`) || name != strings.TrimPrefix(path.Clean("/"+name), "/") {
			t.Fatalf("%q became %q", wish, name)
		}
		seen[strings.ToLower(name)] = true
	}
	if n := testing.AllocsPerRun(10, func() { w.name("notes/same.md") }); n > 50 {
		t.Errorf("the same name once more takes %.0f allocations", n)
	}
}
