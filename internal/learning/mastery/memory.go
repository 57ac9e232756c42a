package mastery

import (
	"math"
	"time"

	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/recall"
)

// Memory is what is known of a person's memory of one atom: enough to say how likely it is recalled and when it is due,
// with the person. Pages, plans and exports take both from here.
type Memory struct {
	card    recall.Card
	past    online.Windows
	ceiling float64
}

// Memory gives the part of the state that is about memory.
func (a *Atom) Memory() Memory { return Memory{a.Card, a.Knowledge.Windows, a.ceiling} }

// Recalled is the probability in 0..1 that it is recalled at a time; 0 if it was never reviewed or the time is unknown.
func (p *Person) Recalled(m Memory, at time.Time) float64 {
	return p.recalled(m, micros(at))
}

func (p *Person) recalled(m Memory, at int64) float64 {
	if m.card.Memory.New() || at == 0 {
		return 0
	}
	r := 1.0 // at the moment of an answer
	if at > m.card.At {
		r = p.Recall.Predict(m.card, &m.past, at).P
	}
	if m.ceiling > 0 {
		r = min(r, m.ceiling)
	}
	return r
}

// StabilityFor is the stability of a memory that falls to the wanted retention after so many days, by FSRS-6.
func StabilityFor(days, retention float64) float64 {
	one := memory.Interval(fsrs.State{Stability: 1, Difficulty: fsrs.MinDifficulty}, NewEngine(retention).retention)
	return math.Min(math.Max(days/one, fsrs.MinStability), fsrs.MaxStability)
}

var memory = fsrs.NewModel(fsrs.Default)

// DueAt is when recall falls to the wanted retention; zero if it was never reviewed.
func (p *Person) DueAt(m Memory, retention float64) time.Time {
	if m.card.Memory.New() {
		return time.Time{}
	}
	days := p.Recall.Due(m.card, &m.past, retention)
	return time.UnixMicro(min(m.card.At+int64(days*86400e6), latest)).UTC()
}
