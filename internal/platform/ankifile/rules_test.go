package ankifile

import (
	"encoding/json"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"stoa/internal/learning/anki"
)

func float(m message, number int, x float32) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, protowire.Number(number), protowire.Fixed32Type), math.Float32bits(x))
}

// TestRules: both schemas say the same of their decks: what is set for a deck goes before its options, filtered decks and
// decks without cards ask for nothing, and what makes no sense is not said.
func TestRules(t *testing.T) {
	decks := []anki.Deck{{ID: 2, Name: "A"}, {ID: 3, Name: "A::B"}, {ID: 4, Name: "Filtered"}, {ID: 5, Name: "Empty"}, {ID: 6, Name: "Odd"}}
	cards := []anki.Card{{Deck: 3}, {Deck: 4, OriginalDeck: 3}, {Deck: 6}}
	old := &anki.Collection{Schema: 11, Col: anki.Header{Created: 1_500_000_000}, Decks: append([]anki.Deck(nil), decks...), Cards: cards, Options: []anki.Options{
		{ID: 7, Raw: json.RawMessage(`{"new":{"perDay":7},"rev":{"perDay":0},"desiredRetention":0.92}`)},
		{ID: 8, Raw: json.RawMessage(`{"new":{"perDay":-3},"rev":{"perDay":1e12},"desiredRetention":"x"}`)},
	}}
	for i, raw := range []string{`{"conf":7,"dyn":0}`, `{"conf":7,"dyn":0,"newLimit":2,"reviewLimit":null,"desiredRetention":85}`, `{"dyn":1}`, `{"conf":7}`, `{"conf":8}`} {
		old.Decks[i].Raw = json.RawMessage(raw)
	}
	now := &anki.Collection{Schema: 18, Col: old.Col, Decks: append([]anki.Deck(nil), decks...), Cards: cards, Options: []anki.Options{
		{ID: 7, Config: float(message{}.num(9, 7), 37, 0.92)}, {ID: 8, Config: float(message{}.num(9, 1<<40).num(10, 1<<50), 37, float32(math.NaN()))},
	}}
	for i, kind := range []message{
		message{}.inner(1, message{}.num(1, 7)), message{}.inner(1, float(message{}.num(1, 7).num(7, 2), 10, 0.85)), message{}.inner(2, message{}.num(1, 1)),
		message{}.inner(1, message{}.num(1, 7)), message{}.inner(1, message{}.num(1, 8)),
	} {
		now.Decks[i].Kind = kind
	}
	const want = `{"dayStart":9600,"decks":[{"deck":"A","retention":0.92,"new":7,"reviews":0},{"deck":"A::B","retention":0.85,"new":2,"reviews":0}]}`
	for _, c := range []*anki.Collection{old, now} {
		got, err := json.Marshal(Rules(c))
		if err != nil || string(got) != want {
			t.Errorf("schema %d: %s, %v", c.Schema, got, err)
		}
	}
	for _, broken := range [][]byte{nil, {0xff}, {0x4a}, []byte("{}")} {
		Rules(&anki.Collection{Decks: []anki.Deck{{ID: 1, Name: "x", Kind: broken}}, Cards: cards, Options: []anki.Options{{ID: 1, Config: broken}}})
	}
}
