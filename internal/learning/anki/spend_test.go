package anki

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"stoa/internal/learning/graph"
)

// While the cards of a package are read, its texts are in memory about once: in the collection or in the documents made of it, not
// in both, and a question that was handed over leaves nothing behind.
func TestSpentCardsAreInMemoryOnce(t *testing.T) {
	const cards, each = 80, 16 << 10
	live := func() int64 {
		runtime.GC()
		runtime.GC() // what other tests left in pools goes with the second
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var warm []graph.Document // tables and patterns that are made once
	spend := func(c *Collection, f func(i int)) {
		i := 0
		if err := SpendCards(t.Context(), c, 1<<40, func(a *Asked) error {
			warm = append(warm, a.Document)
			f(i)
			i++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	spend(deckOf(2, each), func(int) {})
	warm = nil
	before := live()
	c := deckOf(cards, each)
	texts, most := live()-before, int64(0)
	spend(c, func(i int) {
		if i%15 == 14 {
			most = max(most, live()-before)
		}
	})
	if texts < cards*each || most > texts+texts/4 {
		t.Errorf("%d KiB of texts took %d KiB", texts>>10, most>>10)
	}
	if len(warm) != cards || len(warm[cards-1].Content) < each || c.Notes[0].Fields != nil {
		t.Errorf("%d documents", len(warm))
	}
	list, err := Cards(t.Context(), deckOf(3, each), 1<<40)
	if err != nil || len(list) != 3 || list[1].Document.Content != warm[1].Content {
		t.Errorf("Cards gives others: %v", err)
	}
	runtime.KeepAlive(c)
}

func deckOf(cards, each int) *Collection {
	c := &Collection{Schema: 11, Models: []Model{{ID: 1, Name: "Basic", Fields: []string{"Front", "Back"}, Templates: []Template{{Name: "Card 1", Front: "{{Front}}", Back: "{{FrontSide}}<hr id=answer>{{Back}}"}}}}, Decks: []Deck{{ID: 1, Name: "D"}}}
	for i := range cards {
		id := int64(i + 1)
		back := strings.Repeat(fmt.Sprintf("Word%d ", i), each/len(fmt.Sprintf("Word%d ", i))+1)
		c.Notes = append(c.Notes, Note{ID: id, GUID: fmt.Sprint("g", i), Model: 1, Fields: []string{fmt.Sprintf("What is %d?", i), back}})
		c.Cards = append(c.Cards, Card{ID: id, Note: id, Deck: 1})
	}
	return c
}
