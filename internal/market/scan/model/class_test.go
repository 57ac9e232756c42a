package model

import (
	"strings"
	"testing"
)

func TestClassOfText(t *testing.T) {
	prose := strings.Repeat("we meet at the station. ", 10)
	for _, x := range []struct {
		text string
		want Class
	}{
		{"translate this", Short},
		{prose, Middle},
		{strings.Repeat(prose, 10), Long},
		{"# role\n## rules\n- be kind", Structured},
		{"#1 of the list\n#2 of it", Short},
		{"run\n```\nls\n```", Structured},
		{"a\n# one heading", Short},
		{"---\nname: x\ndescription: helps\n---\n# x", Front},
		{"<!-- by us -->\n---\ndescription: helps\n---", Front},
		{"costs --- description: none", Short},
	} {
		if got := ClassOf([]byte(x.text)); got != x.want {
			t.Errorf("%.40q is of class %d, not %d", x.text, got, x.want)
		}
	}
	// What comes in several windows is of the same class as in one.
	var f form
	whole := "# a\n" + prose + "\n## b\n" + prose
	f.read([]byte(whole[:len(prose)]))
	f.read([]byte(whole[len(prose):]))
	if f.class() != Structured {
		t.Errorf("in two windows it is of class %d", f.class())
	}
}

func TestStrictThresholdsAreLower(t *testing.T) {
	w := Default()
	for _, lang := range []string{"en", "zh", "ja", "other", "xx"} {
		for class := range ClassCount {
			if th := w.For(lang, class); th.Strict >= th.Balanced {
				t.Errorf("%s, class %d: %v", lang, class, th)
			}
		}
	}
}
