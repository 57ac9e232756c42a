package anki

import "encoding/json"

// Collection is what an .apkg or .colpkg holds. Columns and messages that mean nothing here are kept as they came, so that
// a collection that is read and written again in its own schema is the same.
type Collection struct {
	Schema  int    // 11 or 18; 0 when it was made here
	Col     Header // the one row of col
	Models  []Model
	Decks   []Deck
	Options []Options
	Notes   []Note
	Cards   []Card
	Reviews []Review
	Config  []Setting // schema 18
	Tags    []TagRow  // schema 18
	Graves  []Grave
	Media   []Media
}

// Header holds the columns of col beside the models and decks. Created is the day from which due days of reviews count,
// in seconds since 1970; Modified and SchemaModified in ms. Conf and Tags are JSON of schema 11.
type Header struct {
	Created, Modified, SchemaModified, Dirty, USN, LastSync int64
	Conf, Tags                                              string
}

// Model is a note type. Raw is its JSON in schema 11, Config its message in schema 18.
type Model struct {
	ID            int64
	Name          string
	Fields        []string
	Templates     []Template
	CSS           string
	Cloze         bool
	Modified, USN int64
	Raw           json.RawMessage
	Config        []byte
	FieldConfigs  [][]byte
}

// Template makes a card of a note.
type Template struct {
	Name, Front, Back string
	Modified, USN     int64
	Config            []byte
}

// Deck is a deck; its parts are joined by "::".
type Deck struct {
	ID            int64
	Name          string
	Modified, USN int64
	Raw           json.RawMessage
	Common, Kind  []byte
}

// Options are the settings of some decks.
type Options struct {
	ID            int64
	Name          string
	Modified, USN int64
	Raw           json.RawMessage
	Config        []byte
}

// Setting is a row of the table config of schema 18.
type Setting struct {
	Key           string
	USN, Modified int64
	Value         []byte
}

// TagRow is a row of the table tags of schema 18.
type TagRow struct {
	Tag       string
	USN       int64
	Collapsed int64
	Config    []byte
}

// Grave says that something was deleted.
type Grave struct{ ID, Type, USN int64 }

// Media is a file that fields name. Digest and Size are set once its bytes are kept.
type Media struct {
	Name, Digest string
	Size         int64
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
	Sort     string   // the field that Anki sorts by, without HTML; "" when it was made here
	Checksum int64    // of the first field
	Flags    int64
	Data     string
}

// Card is a side of a note that is asked, with its state; the members are Anki's columns.
type Card struct {
	ID, Note, Deck, Ord, Modified, USN, Type, Queue, Due, Interval, Factor, Reps, Lapses, Left, OriginalDue, OriginalDeck, Flags int64
	Data                                                                                                                         string
}

// Queues of cards.
const (
	Suspended   = -1
	BuriedByDay = -2
	BuriedHere  = -3
)

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

// remember writes the state of FSRS into a card's data and leaves what else stands there.
func remember(data string, stability, difficulty float64) string {
	all := map[string]json.RawMessage{}
	if data != "" && json.Unmarshal([]byte(data), &all) != nil {
		return data
	}
	for name, v := range map[string]float64{"s": stability, "d": difficulty} {
		text, err := json.Marshal(v)
		if err != nil {
			return data // not a number: then there is no state to keep
		}
		all[name] = text
	}
	text, err := json.Marshal(all)
	if err != nil {
		return data
	}
	return string(text)
}
