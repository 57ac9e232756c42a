package anki

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"iter"
	"slices"
	"strings"
	"time"
)

// Observation is an answer in the review log, as mastery takes it.
type Observation struct {
	DocumentID string
	Card       int64
	At         time.Time
	// Grade is 1 again, 2 hard, 3 good, 4 easy; all but 1 are recalls.
	Grade int
	Took  time.Duration
	Type  int64
	// Interval and LastInterval are what the scheduler chose then and before; 0 when there was none.
	Interval, LastInterval time.Duration
}

// Observations gives the answers of the review log by time. Rows that are no answers (rescheduling, manual changes) and
// rows of cards that are gone are left out; they stay in the Collection.
func Observations(c *Collection) []Observation { return slices.Collect(EachObservation(c)) }

// EachObservation gives what Observations gives one by one, since a log may be far larger than all else.
func EachObservation(c *Collection) iter.Seq[Observation] {
	own := make(map[int64]*Note, len(c.Notes))
	for i := range c.Notes {
		own[c.Notes[i].ID] = &c.Notes[i]
	}
	docs := make(map[int64]string, len(c.Cards))
	for i := range c.Cards {
		if n := own[c.Cards[i].Note]; n != nil {
			docs[c.Cards[i].ID] = DocumentID(n, c.Cards[i].Ord)
		}
	}
	order := make([]int32, 0, len(c.Reviews))
	for i := range c.Reviews {
		r := &c.Reviews[i]
		if _, ok := docs[r.Card]; ok && r.Ease >= 1 && r.Ease <= 4 && r.Type != Manual && r.Type != Rescheduled {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(c.Reviews[a].ID, c.Reviews[b].ID) })
	return func(yield func(Observation) bool) {
		for _, i := range order {
			r := &c.Reviews[i]
			if !yield(Observation{
				DocumentID: docs[r.Card], Card: r.Card, At: time.UnixMilli(r.ID).UTC(), Grade: int(r.Ease), Took: time.Duration(max(0, min(r.Millis, 3_600_000))) * time.Millisecond,
				Type: r.Type, Interval: interval(r.Interval), LastInterval: interval(r.LastInterval),
			}) {
				return
			}
		}
	}
}

// Log is the answers of a review log by time, in a third of the memory of its rows.
type Log struct {
	cards []logCard
	rows  []logRow
}

type logCard struct {
	id       int64
	document string
}

type logRow struct {
	card   int32 // of cards
	answer Answer
}

// Logged is an answer with its card.
type Logged struct {
	DocumentID string
	Card       int64
	Answer
}

// LogOf reads the log of a collection, which is not needed afterwards.
func LogOf(c *Collection) Log {
	l := Log{rows: make([]logRow, 0, len(c.Reviews))}
	number := make(map[int64]int32, len(c.Cards))
	for o := range EachObservation(c) {
		n, ok := number[o.Card]
		if !ok {
			n = int32(len(l.cards))
			number[o.Card] = n
			l.cards = append(l.cards, logCard{o.Card, o.DocumentID})
		}
		l.rows = append(l.rows, logRow{n, NewAnswer(o.At, o.Grade, o.Took)})
	}
	return l
}

// Len is how many answers there are.
func (l *Log) Len() int { return len(l.rows) }

// Each gives the answers by time.
func (l *Log) Each() iter.Seq[Logged] {
	return func(yield func(Logged) bool) {
		for _, r := range l.rows {
			if k := &l.cards[r.card]; !yield(Logged{k.document, k.id, r.answer}) {
				return
			}
		}
	}
}

func interval(n int64) time.Duration {
	const century = 36525
	if n < 0 {
		return time.Duration(min(-n, century*86400)) * time.Second
	}
	return time.Duration(min(n, century)) * 24 * time.Hour
}

// Item is an atom to export.
type Item struct {
	AtomID, Deck, Front, Back string
	Tags                      []string
	Created                   time.Time
	Due                       time.Time // zero: new
	Interval                  time.Duration
	Stability, Difficulty     float64 // of FSRS; 0: unknown
	Reviews                   []Observation
}

// The note type and deck of exports.
const (
	exportModel = 1_763_700_000_001
	firstDeck   = 1_763_700_000_100
	day         = 24 * time.Hour
)

// Build makes a collection of atoms, with their whole history, that Anki can import. The same items give the same
// collection; created is the day it counts due days from. Ids are times in ms, made distinct.
func Build(items []Item, created time.Time) Collection {
	c := Collection{Col: Header{Created: created.Unix(), Modified: created.UnixMilli(), SchemaModified: created.UnixMilli()}, Models: []Model{{
		ID: exportModel, Name: "Stoa", Fields: []string{"Front", "Back"}, CSS: ".card { font-family: sans-serif; font-size: 20px; text-align: left; }",
		Templates: []Template{{Name: "Card 1", Front: "{{Front}}", Back: "{{FrontSide}}<hr id=answer>{{Back}}"}},
	}}}
	decks, used, rows := map[string]int64{}, map[int64]bool{}, map[int64]bool{}
	for _, it := range items {
		deck, ok := decks[it.Deck]
		if !ok {
			deck = firstDeck + int64(len(decks))
			decks[it.Deck] = deck
			name := it.Deck
			if name == "" {
				name = "Stoa"
			}
			c.Decks = append(c.Decks, Deck{ID: deck, Name: name})
		}
		id := free(used, max(1, it.Created.UnixMilli()))
		sum := sha256.Sum256([]byte(it.AtomID))
		n := Note{ID: id, GUID: base64.RawURLEncoding.EncodeToString(sum[:12]), Model: exportModel, Modified: it.Created.Unix(), USN: -1, Tags: it.Tags, Fields: []string{htmlOf(it.Front), htmlOf(it.Back)}}
		card := Card{ID: id, Note: id, Deck: deck, Modified: it.Created.Unix(), USN: -1, Due: int64(len(c.Notes) + 1), Factor: 0}
		for _, r := range it.Reviews {
			c.Reviews = append(c.Reviews, Review{
				ID: free(rows, r.At.UnixMilli()), Card: id, USN: -1, Ease: int64(r.Grade), Interval: days(r.Interval), LastInterval: days(r.LastInterval), Millis: r.Took.Milliseconds(), Type: r.Type,
			})
			card.Reps++
			if r.Grade == 1 && r.Type == Reviewing {
				card.Lapses++
			}
			card.Modified = max(card.Modified, r.At.Unix())
		}
		if !it.Due.IsZero() {
			card.Type, card.Queue, card.Factor = 2, 2, 2500
			card.Interval = max(1, int64(it.Interval/day))
			card.Due = int64(it.Due.Sub(created) / day)
		}
		if it.Stability > 0 {
			card.Data = remember("", it.Stability, it.Difficulty)
		}
		c.Notes, c.Cards = append(c.Notes, n), append(c.Cards, card)
	}
	return c
}

func free(used map[int64]bool, id int64) int64 {
	for used[id] {
		id++
	}
	used[id] = true
	return id
}

func days(d time.Duration) int64 {
	if d > 0 && d < day {
		return -int64(d / time.Second)
	}
	return int64(d / day)
}

// htmlOf writes plain text as a field.
func htmlOf(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "<br>").Replace(text)
}
