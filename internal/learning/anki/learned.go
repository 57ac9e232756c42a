package anki

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Learned is what was learned of a card elsewhere than in Anki.
type Learned struct {
	Answers []Answer // by time
	// Stability in days and Difficulty 1..10 as they are now; 0 when they are not known.
	Stability, Difficulty float64
	// Suspended says that the card is not to be asked; nil that nothing was decided.
	Suspended *bool
	// Flag is the colour that the card was given; nil that it has the one it came with.
	Flag *int64
	// Leech says that its note is to be marked as a leech's.
	Leech bool
}

// Answer is an answer that was given, to the µs. A learner may have hundreds of thousands, so that it is small.
type Answer struct {
	at    int64 // µs since 1970
	given int64 // the time of the answer in µs, times 8, and the grade
}

// NewAnswer makes an answer; grade is 1 again, 2 hard, 3 good, 4 easy.
func NewAnswer(at time.Time, grade int, took time.Duration) Answer {
	return Answer{at.UnixMicro(), took.Microseconds()<<3 | int64(grade&7)}
}

// At is when it was given.
func (a Answer) At() time.Time { return time.UnixMicro(a.at).UTC() }

// Grade is its button.
func (a Answer) Grade() int { return int(a.given & 7) }

// Took is how long it took.
func (a Answer) Took() time.Duration { return time.Duration(a.given>>3) * time.Microsecond }

// Learn adds what was learned to the cards of a collection, by card id, and returns how many cards that changed. Answers
// that are in the review log stay as they are, and a card of which nothing else was learned is not touched.
func Learn(c *Collection, learned map[int64]Learned) int {
	have, ids := map[int64]map[int64]bool{}, make(map[int64]bool, len(c.Reviews))
	for i := range c.Reviews {
		r := &c.Reviews[i]
		ids[r.ID] = true
		if _, ok := learned[r.Card]; ok {
			if have[r.Card] == nil {
				have[r.Card] = map[int64]bool{}
			}
			have[r.Card][r.ID] = true
		}
	}
	notes := make(map[int64]*Note, len(c.Notes))
	for i := range c.Notes {
		notes[c.Notes[i].ID] = &c.Notes[i]
	}
	changed := 0
	for i := range c.Cards {
		k := &c.Cards[i]
		l, ok := learned[k.ID]
		if !ok {
			continue
		}
		before := *k
		for _, a := range l.Answers {
			if !have[k.ID][a.At().UnixMilli()] {
				c.Reviews = append(c.Reviews, k.review(free(ids, a.At().UnixMilli()), a, l, dayOf(c.Col.Created)))
			}
		}
		if s := l.Suspended; s != nil && *s != (k.Queue == Suspended) {
			k.suspend(*s)
			k.USN, k.Modified = -1, max(k.Modified, lastAnswer(l))
		}
		if f := l.Flag; f != nil && *f != k.Flags&7 {
			k.Flags = k.Flags&^7 | *f&7
			k.USN = -1
		}
		if n := notes[k.Note]; l.Leech && n != nil {
			n.markLeech(lastAnswer(l))
		}
		if *k != before {
			changed++
		}
	}
	slices.SortFunc(c.Reviews, func(a, b Review) int { return cmp.Compare(a.ID, b.ID) })
	return changed
}

func lastAnswer(l Learned) int64 {
	if n := len(l.Answers); n > 0 {
		return l.Answers[n-1].At().Unix()
	}
	return 0
}

// longestInterval is the longest that Anki gives, in days.
const longestInterval = 36500

// review changes a card by an answer and gives the row of the log. The interval follows from the stability that is known
// now, also for earlier answers: what it was then is not kept.
func (k *Card) review(id int64, a Answer, l Learned, created int64) Review {
	r := Review{ID: id, Card: k.ID, USN: -1, Ease: int64(a.Grade()), LastInterval: k.Interval, Millis: a.Took().Milliseconds(), Type: Reviewing}
	if k.Type != 2 {
		r.Type, r.LastInterval = Learning, 0
	} else if a.Grade() == 1 {
		k.Lapses++
	}
	if k.OriginalDeck != 0 { // it goes back to its own deck
		k.Deck, k.OriginalDeck, k.OriginalDue = k.OriginalDeck, 0, 0
	}
	days := int64(1)
	if a.Grade() > 1 && l.Stability > 0 {
		days = int64(min(longestInterval, max(1, math.Round(l.Stability))))
	}
	k.Type, k.Interval, k.Due, k.Left = 2, days, dayOf(a.At().Unix())-created+days, 0
	if k.Queue != Suspended {
		k.Queue = 2
	}
	k.Reps++
	k.Factor = cmp.Or(k.Factor, 2500)
	k.Modified, k.USN = max(k.Modified, a.At().Unix()), -1
	if l.Stability > 0 {
		k.Data = remember(k.Data, l.Stability, l.Difficulty)
	}
	r.Interval, r.Factor = k.Interval, k.Factor
	return r
}

// suspend takes a card out of its queue, or puts it back into the one of its type.
func (k *Card) suspend(yes bool) {
	switch {
	case yes:
		k.Queue = Suspended
	case k.Type == 3: // relearning
		k.Queue = 1
	default:
		k.Queue = k.Type
	}
}
