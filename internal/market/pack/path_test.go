package pack

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPaths(t *testing.T) {
	for text, want := range map[string]string{
		"personas":                         "personas",
		`providers["openai/gpt-4.1"].key`:  `providers["openai/gpt-4.1"].key`,
		`providers["simple"].key[0][12]`:   "providers.simple.key[0][12]",
		"personas.entries.園丁.tools":        "personas.entries.園丁.tools",
		`a["with \"quotes\" and ]"]["\n"]`: `a["with \"quotes\" and ]"]["\n"]`,
		`a[""]`:                            `a[""]`,
		"a.b c":                            `a["b c"]`,
	} {
		p, err := ParsePath(text)
		if err != nil || p.String() != want {
			t.Errorf("%s: %s, %v", text, p, err)
		}
	}
	for _, text := range []string{"", ".", "a.", "a..b", "a[", "a[]", "a[-1]", "a[01]", "a[1.0]", `a["x]`, `a["x"`, "a]b", "[0]", "a[9999999999]", "a[0]b", "\xff"} {
		if p, err := ParsePath(text); err == nil && p.String() == text {
			t.Errorf("%q was taken for a path", text)
		}
	}
}

func anyPath() *rapid.Generator[Path] {
	return rapid.Custom(func(t *rapid.T) Path {
		section := rapid.SampledFrom(profileSections).Draw(t, "section")
		p := Path{{Key: &section}}
		for range rapid.IntRange(0, 6).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "index") {
				p = append(p, Step{Index: rapid.IntRange(0, 1000).Draw(t, "i")})
				continue
			}
			key := rapid.String().Draw(t, "key")
			p = append(p, Step{Key: &key})
		}
		return p
	})
}

func TestPathsAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPath().Draw(t, "path")
		again, err := ParsePath(p.String())
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if diff := cmp.Diff(p, again); diff != "" {
			t.Fatalf("%s: %s", p, diff)
		}
	})
}

func FuzzPath(f *testing.F) {
	f.Add(`a["b"][0].c`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			return
		}
		if again, err := ParsePath(p.String()); err != nil || again.String() != p.String() {
			t.Fatalf("%q: %q, %v", text, p, err)
		}
	})
}
