package retrieval

import (
	"fmt"
	"slices"
	"testing"
)

// Beyond the bound a word has no list; what has it is found by its other words, and there is room again when others leave.
func TestWordsOfAnOwnerAreBounded(t *testing.T) {
	defer func(was int) { mostWords = was }(mostWords)
	mostWords = 50
	x := New(words, "", 0)
	for i := range 40 {
		x.Put(entry("ann", fmt.Sprint("n", i), fmt.Sprint("title", i), fmt.Sprintf("common own%d more%d", i, i)))
	}
	s := x.shards["ann"]
	if len(s.words) != mostWords || len(s.lists) != mostWords {
		t.Fatalf("%d words, %d lists", len(s.words), len(s.lists))
	}
	if n := len(s.postings("common")); n < 40 {
		t.Errorf("a word of all is found in %d of 40", n)
	}
	if n := len(s.postings("own39")); n != 0 {
		t.Errorf("a word beyond the bound has a list of %d", n)
	}
	for i := range 30 {
		x.Remove(fmt.Sprint("n", i))
	}
	x.Put(entry("ann", "late", "late", "overgrown"))
	hits, _ := x.Query(Query{Text: "overgrown", Owners: []string{"ann"}})
	if !slices.Contains(ids(hits), "late") {
		t.Errorf("no room after others left: %v", ids(hits))
	}
	for i := range 40 {
		x.Remove(fmt.Sprint("n", i))
	}
	x.Remove("late")
	if len(s.words) != 0 {
		t.Errorf("%d words of nobody", len(s.words))
	}
}
