package notes

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPhraseSet compares the set with a search for every wording, in texts made of the wordings' own words.
func TestPhraseSet(t *testing.T) {
	list := []string{"see", "see also", "based on", "is an extension of", "an extension", "on", "s'appuie sur", "z. b."}
	set := phrases(list...)
	words := strings.Fields(strings.Join(list, " ") + " x alsos es")
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 20_000 {
		var some []string
		for range rng.IntN(6) {
			some = append(some, words[rng.IntN(len(words))])
		}
		text := tail(plainWords(strings.Join(some, " ")), 3+rng.IntN(40))
		want := slices.ContainsFunc(list, func(w string) bool { return strings.Contains(text, " "+w+" ") })
		if set.in(text) != want {
			t.Fatalf("%q: %v, a search says %v", text, !want, want)
		}
		if want {
			found++
		}
	}
	if found < 2000 || found > 19_000 {
		t.Fatalf("%d of the texts hold a wording: the test tells nothing", found)
	}
}
