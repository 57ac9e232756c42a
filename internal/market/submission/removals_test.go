package submission

import (
	"testing"

	"pgregory.net/rapid"
)

// What stands anywhere in a tree is found, in disguise too, at a place that is there; what stands nowhere is not.
func TestWhatWasToGoIsFoundWhereverItStands(t *testing.T) {
	word := rapid.StringMatching(`[a-m]{3,8}`)
	rapid.Check(t, func(t *rapid.T) {
		what := rapid.StringMatching(`[n-z]{3,8}`).Draw(t, "what")
		var tree func(depth int) any
		tree = func(depth int) any {
			switch rapid.IntRange(0, 3+depth/3).Draw(t, "shape") {
			case 0:
				out := map[string]any{}
				for range rapid.IntRange(0, 3).Draw(t, "keys") {
					out[word.Draw(t, "key")] = tree(depth + 1)
				}
				return out
			case 1:
				var out []any
				for range rapid.IntRange(0, 3).Draw(t, "items") {
					out = append(out, tree(depth+1))
				}
				return out
			case 2:
				return rapid.Bool().Draw(t, "flag")
			}
			return word.Draw(t, "text")
		}
		// Their names have none of the letters of what is looked for: "son" stands in personas.
		sections := map[string]any{"leaf": tree(0), "idea": tree(0)}
		if place, found := Holds(sections, what); found {
			t.Fatalf("%q was found at %s and stands nowhere", what, place)
		}
		said := rapid.SampledFrom([]string{what, "so " + what + ".", "\u200b" + what, what[:1] + "\u200b" + what[1:]}).Draw(t, "said")
		sections["added"] = rapid.SampledFrom([]any{said, map[string]any{said: true}, []any{"x", map[string]any{"deep": []any{said}}}}).Draw(t, "where")
		place, found := Holds(sections, what)
		if !found || place[:5] != "added" {
			t.Fatalf("%q was found at %q (%v), and stands in added", what, place, found)
		}
		if again, found := Holds(sections, place); !found || again != place {
			t.Fatalf("the path %s was found at %q (%v)", place, again, found)
		}
	})
}
