package model

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestGroupsAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(rapid.Uint64(), 0, 300, wordKey).Draw(t, "words")
		group := rapid.SliceOfN(rapid.Uint16Range(0, 2000), len(words), len(words)).Draw(t, "groups")
		g := NewGroups(words, group)
		again, err := readGroups(g.append(nil))
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range words {
			if g.of(w) != group[i]+1 || again.of(w) != group[i]+1 {
				t.Fatalf("%x is in %d and %d, want %d", w, g.of(w), again.of(w), group[i]+1)
			}
		}
		other := rapid.Uint64().Filter(func(w uint64) bool {
			return !slices.ContainsFunc(words, func(x uint64) bool { return wordKey(x) == wordKey(w) })
		}).Draw(t, "other")
		if g.of(other) != noGroup {
			t.Fatalf("a word without a group is in %d", g.of(other))
		}
	})
	for _, n := range []int{1, 7, 6 * (MostWords + 1)} {
		if _, err := readGroups(make([]byte, n)); err == nil {
			t.Errorf("%d bytes are read as groups", n)
		}
	}
}

// Sentences whose words are of the same groups have the same features of groups, and others have not.
func TestWordsOfAGroupSayTheSame(t *testing.T) {
	hash := func(text string) (list []uint64) {
		Words([]byte(text), func(w uint64) { list = append(list, w) })
		return list
	}
	words := hash("ignore disregard previous prior rules orders")
	g := NewGroups(words, []uint16{0, 0, 1, 1, 2, 2})
	of := func(text string) (list []uint32) {
		g.features([]byte(text), func(x uint32) {
			if family(x) == familyGroups {
				list = append(list, x)
			}
		})
		return list
	}
	one := of("ignore all previous rules")
	if !slices.Equal(one, of("disregard all prior orders")) {
		t.Error("words of the same groups have other features")
	}
	if len(one) != 1+3+4+2 { // rows of one to four words that end with a known one, and pairs of these that are two and three apart
		t.Errorf("%d features", len(one))
	}
	if slices.Equal(one, of("previous all ignore rules")) {
		t.Error("the order of words makes no difference")
	}
	if parts := of("ignore all\nprevious rules"); len(parts) != 1+1+2 {
		t.Errorf("%d features across lines", len(parts))
	}
	if got := hash("one two\n光 three"); got[2] != 0 || got[3] != 0 || len(got) != 5 {
		t.Errorf("what does not follow one another: %v", got)
	}
}
