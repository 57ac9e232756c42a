package questions

import (
	"strings"
	"testing"
)

// A table whose cells hold long runs of backticks becomes a note of about its own size: the fences around its sections are as long as
// the cells within ask for, and no longer.
func TestTablesOfBackticks(t *testing.T) {
	var b strings.Builder
	b.WriteString("question,answer\nfirst," + strings.Repeat("`", 20_000) + "\n")
	for range 2000 {
		b.WriteString("a,b\n")
	}
	b.WriteString("last,```` and ```\n")
	note, ok := NoteOfTable("x.csv", b.String())
	if !ok || len(note) > 8*b.Len() {
		t.Fatalf("%v: %d bytes of %d", ok, len(note), b.Len())
	}
	sections := strings.Split(note, "\n\n## ")
	for i, section := range sections {
		_, inner, _ := strings.Cut(section, "\n\n")
		fence := inner[:len(inner)-len(strings.TrimLeft(inner, "`"))]
		if len(fence) < 3 || strings.Count(inner, fence) != 2 {
			t.Errorf("section %d is not closed by its fence of %d", i, len(fence))
		}
	}
	if n := len(sections); n != 2002/perSection+1 {
		t.Errorf("%d sections", n)
	}
}
