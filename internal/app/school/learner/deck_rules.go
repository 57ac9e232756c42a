package learner

import (
	"context"
	"encoding/json"
	"time"

	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/path"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// deckRules are what the options of a learner's imported decks ask of study, and which deck each atom is of. They never
// change; nil are none.
type deckRules struct {
	version int64 // of the collection
	bank    *notebook.Bank
	anki.Rules
	Parent []int          // by deck, the one above it; -1 is none
	Of     map[string]int // by atom
}

// Rules gives what a learner's decks ask for now: was is what they asked for before.
func (l *learners) Rules(ctx context.Context, userID string, was *deckRules) (*deckRules, error) {
	version, text, err := l.store.DeckOptions(ctx, userID)
	if err != nil || text == "" {
		return nil, err
	}
	kept, err := l.Banks.Of(ctx, userID)
	if err != nil {
		return nil, err
	}
	if was != nil && was.version == version && was.bank == kept {
		return was, nil
	}
	d := &deckRules{version: version, bank: kept, Of: map[string]int{}}
	if err := json.Unmarshal([]byte(text), &d.Rules); err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i := range d.Decks {
		at[d.Decks[i].Deck] = i
	}
	nearest := func(deck string) int { // options of a deck below without any are those of the one above
		for ; deck != ""; deck = anki.Above(deck) {
			if i, ok := at[deck]; ok {
				return i
			}
		}
		return -1
	}
	d.Parent = make([]int, len(d.Decks))
	for i := range d.Decks {
		d.Parent[i] = nearest(anki.Above(d.Decks[i].Deck))
	}
	for atom, list := range kept.ByAtom {
		for _, k := range list {
			if k.Parsed.Origin == questions.Imported {
				if i := nearest(k.Parsed.Deck); i >= 0 {
					d.Of[atom] = i
				}
				break
			}
		}
	}
	return d, nil
}

// retention is the recall that the deck of an atom asks for; 0 is none.
func (d *deckRules) retention(atomID string) float64 {
	if d == nil {
		return 0
	}
	if i, ok := d.Of[atomID]; ok {
		return d.Decks[i].Retention
	}
	return 0
}

// Bounds says whether the decks of an atom bound how much is reviewed a day.
func (d *deckRules) Bounds(atomID string) bool {
	if d == nil {
		return false
	}
	i, ok := d.Of[atomID]
	for ; ok && i >= 0; i = d.Parent[i] {
		if d.Decks[i].Reviews != nil {
			return true
		}
	}
	return false
}

// DeckDay is what was done of each deck since its day began, its own cards and those of the decks below it.
type DeckDay struct {
	Begun, Reviewed []int
	done            map[string]bool // atoms
}

// Today counts what a learner did of the decks since the day of the collection began.
func (d *deckRules) Today(ctx context.Context, q store.Queries, known *Snapshot, now time.Time) (DeckDay, error) {
	day := DeckDay{Begun: make([]int, len(d.Decks)), Reviewed: make([]int, len(d.Decks)), done: map[string]bool{}}
	second := now.Unix() - d.DayStart
	from := time.Unix(second-second%86400+d.DayStart, 0)
	answers, err := q.AnswersIn(ctx, known.UserID, clock.Micros(from), clock.Micros(now)+1)
	for atom, n := range answers {
		day.done[atom] = true
		i, ok := d.Of[atom]
		t := known.Atom(atom)
		if !ok || t == nil {
			continue
		}
		counts := day.Reviewed
		if n >= t.Attempts()+t.Skipped { // all its answers are of today
			counts = day.Begun
		}
		for ; i >= 0; i = d.Parent[i] {
			counts[i]++
		}
	}
	return day, err
}

// Bind tells a view which deck each concept is of and what may still be done of it today. What was done today already may
// be done again.
func (d *deckRules) Bind(v *path.View, g *notebook.Curriculum, day *DeckDay) {
	left := func(most *int, done int) int {
		if most == nil {
			return -1
		}
		return max(0, *most-done)
	}
	v.Decks = make([]path.Deck, len(d.Decks))
	for i := range d.Decks {
		v.Decks[i] = path.Deck{Above: d.Parent[i] + 1, New: left(d.Decks[i].New, day.Begun[i]), Reviews: left(d.Decks[i].Reviews, day.Reviewed[i])}
	}
	for atom, i := range d.Of {
		if at, ok := g.Number[atom]; ok && !day.done[atom] {
			v.Concepts[at].Deck = i + 1
		}
	}
}
