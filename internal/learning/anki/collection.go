package anki

import (
	"encoding/json"
	"time"
)

// Collection is what an .apkg or .colpkg holds, without media and settings.
type Collection struct {
	Created time.Time // the day from which due days of reviews count
	Models  []Model
	Decks   []Deck
	Notes   []Note
	Cards   []Card
	Reviews []Review
}

// Model is a note type.
type Model struct {
	ID        int64
	Name      string
	Fields    []string
	Templates []Template
	CSS       string
	Cloze     bool
	// Raw is the note type as the legacy formats write it; kept so that it goes back as it came.
	Raw json.RawMessage
}

// Template makes a card of a note.
type Template struct{ Name, Front, Back string }

// Deck is a deck; its parts are joined by "::".
type Deck struct {
	ID   int64
	Name string
}

// Note holds the texts of one or more cards.
type Note struct {
	ID       int64 // when it was made, in ms since 1970
	GUID     string
	Model    int64
	Modified int64 // s
	USN      int64
	Tags     []string
	Fields   []string // HTML
	Flags    int64
	Data     string
}

// Card is a side of a note that is asked, with its state; the members are Anki's columns.
type Card struct {
	ID, Note, Deck, Ord, Modified, USN, Type, Queue, Due, Interval, Factor, Reps, Lapses, Left, OriginalDue, OriginalDeck, Flags int64
	Data                                                                                                                         string
}

// Review is a row of the review log. Intervals are days, or seconds when negative; Factor is ease in thousandths, or
// difficulty since FSRS.
type Review struct {
	ID, Card, USN, Ease, Interval, LastInterval, Factor, Millis, Type int64
}

// Types of reviews.
const (
	Learning    = 0
	Reviewing   = 1
	Relearning  = 2
	Filtered    = 3
	Manual      = 4
	Rescheduled = 5
)

// Memory gives the state that FSRS in Anki kept with a card: stability in days, difficulty 1..10. False when there is none.
func (c Card) Memory() (stability, difficulty float64, ok bool) {
	var data struct {
		S *float64 `json:"s"`
		D *float64 `json:"d"`
	}
	if json.Unmarshal([]byte(c.Data), &data) != nil || data.S == nil || data.D == nil || *data.S <= 0 {
		return 0, 0, false
	}
	return *data.S, *data.D, true
}

func memory(stability, difficulty float64) string {
	text, err := json.Marshal(map[string]float64{"s": stability, "d": difficulty})
	if err != nil {
		return "" // not a number: then there is no state to keep
	}
	return string(text)
}
