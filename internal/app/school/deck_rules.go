package school

import (
	"context"
	"encoding/json"
	"time"

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
	bank    *bank
	anki.Rules
	parent []int          // by deck, the one above it; -1 is none
	of     map[string]int // by atom
}

// rules gives what a learner's decks ask for now: was is what they asked for before.
func (l *learners) rules(ctx context.Context, userID string, was *deckRules) (*deckRules, error) {
	version, text, err := l.store.DeckOptions(ctx, userID)
	if err != nil || text == "" {
		return nil, err
	}
	kept, err := l.banks.of(ctx, userID)
	if err != nil {
		return nil, err
	}
	if was != nil && was.version == version && was.bank == kept {
		return was, nil
	}
	d := &deckRules{version: version, bank: kept, of: map[string]int{}}
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
	d.parent = make([]int, len(d.Decks))
	for i := range d.Decks {
		d.parent[i] = nearest(anki.Above(d.Decks[i].Deck))
	}
	for atom, list := range kept.byAtom {
		for _, k := range list {
			if k.parsed.Origin == questions.Imported {
				if i := nearest(k.parsed.Deck); i >= 0 {
					d.of[atom] = i
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
	if i, ok := d.of[atomID]; ok {
		return d.Decks[i].Retention
	}
	return 0
}

// bounds says whether the decks of an atom bound how much is reviewed a day.
func (d *deckRules) bounds(atomID string) bool {
	if d == nil {
		return false
	}
	i, ok := d.of[atomID]
	for ; ok && i >= 0; i = d.parent[i] {
		if d.Decks[i].Reviews != nil {
			return true
		}
	}
	return false
}

// deckDay is what was done of each deck since its day began, its own cards and those of the decks below it.
type deckDay struct {
	begun, reviewed []int
	done            map[string]bool // atoms
}

// today counts what a learner did of the decks since the day of the collection began.
func (d *deckRules) today(ctx context.Context, q store.Queries, known *learnerSnapshot, now time.Time) (deckDay, error) {
	day := deckDay{begun: make([]int, len(d.Decks)), reviewed: make([]int, len(d.Decks)), done: map[string]bool{}}
	second := now.Unix() - d.DayStart
	from := time.Unix(second-second%86400+d.DayStart, 0)
	answers, err := q.AnswersIn(ctx, known.UserID, clock.Micros(from), clock.Micros(now)+1)
	for atom, n := range answers {
		day.done[atom] = true
		i, ok := d.of[atom]
		t := known.atom(atom)
		if !ok || t == nil {
			continue
		}
		counts := day.reviewed
		if n >= t.Attempts()+t.Skipped { // all its answers are of today
			counts = day.begun
		}
		for ; i >= 0; i = d.parent[i] {
			counts[i]++
		}
	}
	return day, err
}

// bind tells a view which deck each concept is of and what may still be done of it today. What was done today already may
// be done again.
func (d *deckRules) bind(v *path.View, g *curriculum, day *deckDay) {
	left := func(most *int, done int) int {
		if most == nil {
			return -1
		}
		return max(0, *most-done)
	}
	v.Decks = make([]path.Deck, len(d.Decks))
	for i := range d.Decks {
		v.Decks[i] = path.Deck{Above: d.parent[i] + 1, New: left(d.Decks[i].New, day.begun[i]), Reviews: left(d.Decks[i].Reviews, day.reviewed[i])}
	}
	for atom, i := range d.of {
		if at, ok := g.number[atom]; ok && !day.done[atom] {
			v.Concepts[at].Deck = i + 1
		}
	}
}
