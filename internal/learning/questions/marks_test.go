package questions

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// markForms says the same as marksIn, in the plainest way; its bounded repetitions make it slow.
var markForms = regexp.MustCompile("\\*\\*([^*\n]{2,80}?)\\*\\*|__([^_\n]{2,80}?)__|\\[\\[([^\\]\n]{2,120}?)\\]\\]|`([^`\n]{1,60}?)`|<mark[^>\n]*>([^<\n]{2,80})</mark>")

func TestMarkedWordsAreThoseOfTheExpression(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"*", "**", "_", "__", "[", "[[", "]", "]]", "`", "<mark>", "<mark class=x>", "<mark", ">", "</mark>", "<", "\n", "a", "ab", " ", "日本", "\xff", "!", strings.Repeat("x", 59), strings.Repeat("é", 79), strings.Repeat("y", 118),
	})
	rapid.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "raw"), "")
		var want [][]int
		for _, m := range markForms.FindAllStringSubmatchIndex(raw, mostMarks) {
			for g := 1; g <= 5; g++ {
				if m[2*g] >= 0 {
					want = append(want, []int{m[0], m[1], m[2*g], m[2*g+1]})
				}
			}
		}
		var got [][]int
		for _, m := range marksIn(raw) {
			got = append(got, []int{m.from, m.to, m.inner, m.end})
		}
		if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Fatalf("%q: %v, the expression %v", raw, got, want)
		}
	})
}
