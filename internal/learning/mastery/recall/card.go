package recall

import (
	"math"

	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/wire"
)

// Card is one person's memory of one thing.
type Card struct {
	Memory fsrs.State
	At     int64  // latest review, microseconds since 1970 UTC
	Days   uint32 // reviews on another day than the one before
	Lapses uint32 // of those, the ones that failed
	Today  uint32 // reviews within the day of the latest
}

// Model is FSRS-6 with the published defaults, the only one there is.
var memory = fsrs.NewModel(fsrs.Default)

const day = 86400e6 // microseconds

// Elapsed is the days since the latest review, as FSRS sees them. fsrs-rs rounds to whole days; so less than half a day
// is the same day, and from there on it is one day at least. Between, fractions count, so that no clock or time zone
// makes a jump. Time that runs backwards is no time.
func (c Card) Elapsed(at int64) float64 {
	days := math.Max(0, float64(at-c.At)/day)
	if days >= 0.5 {
		return math.Max(days, 1)
	}
	return days
}

// AnotherDay says whether a review at this moment asks the memory over a night. Only such reviews are predicted and
// learned from.
func (c Card) AnotherDay(at int64) bool { return !c.Memory.New() && c.Elapsed(at) >= 1 }

// Retrievability is FSRS-6's own probability of recall, without the person's head.
func (c Card) Retrievability(at int64) float64 {
	return memory.Retrievability(c.Memory, c.Elapsed(at))
}

// Interval is FSRS-6's own number of days from the latest review until recall falls to retention.
func (c Card) Interval(retention float64) float64 { return memory.Interval(c.Memory, retention) }

func (c *Card) review(g fsrs.Grade, at int64) {
	if c.AnotherDay(at) {
		c.Days = up(c.Days)
		c.Today = 0
		if g == fsrs.Again {
			c.Lapses = up(c.Lapses)
		}
	} else if !c.Memory.New() {
		c.Today = up(c.Today)
	}
	c.Memory = memory.Next(c.Memory, g, c.Elapsed(at))
	c.At = max(c.At, at)
}

// Give takes a memory as another program left it with a review. The person's own model learns nothing of it.
func (c *Card) Give(s fsrs.State, at int64) {
	if c.AnotherDay(at) {
		c.Days = up(c.Days)
	}
	c.Memory, c.At, c.Today = s, max(c.At, at), 0
}

func up(n uint32) uint32 { return min(n, math.MaxUint32-1) + 1 }

// Put writes the card.
func (c Card) Put(w *wire.Writer) {
	w.Floats(c.Memory.Stability, c.Memory.Difficulty)
	w.Int(c.At)
	w.Uint(uint64(c.Days))
	w.Uint(uint64(c.Lapses))
	w.Uint(uint64(c.Today))
}

// Take reads it.
func (c *Card) Take(r *wire.Reader) {
	r.Floats(&c.Memory.Stability, &c.Memory.Difficulty)
	c.At = r.Int()
	for _, p := range []*uint32{&c.Days, &c.Lapses, &c.Today} {
		*p = uint32(r.Count(math.MaxUint32))
	}
	if !c.Memory.Valid() {
		r.Fail()
	}
}
