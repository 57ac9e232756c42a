package mastery

import (
	"math"
	"time"

	"github.com/cespare/xxhash/v2"

	"stoa/internal/learning/mastery/knowledge"
	"stoa/internal/learning/mastery/online"
)

// Engine computes. It holds no state of anybody, only room to work in: use one per goroutine.
type Engine struct {
	retention float64
	wanted    func(atomID string) float64
	work      knowledge.Work
	scratch   online.Scratch
	question  knowledge.Question
	ids       []string
}

// DefaultRetention is the recall at which a review is due unless a person chooses otherwise. With it more is retained a
// month after than with .85 or .9, for the same number of actions (docs/strategies.md).
const DefaultRetention = 0.8

// NewEngine takes the recall at which a review is due, kept within 0.7 and 0.97 as Anki does; 0 is DefaultRetention.
func NewEngine(retention float64) *Engine {
	if !(retention > 0) {
		retention = DefaultRetention
	}
	return &Engine{retention: math.Min(math.Max(retention, 0.7), 0.97)}
}

// Want lets atoms be due at a recall of their own: wanted gives it, 0 for those that have none.
func (e *Engine) Want(wanted func(atomID string) float64) { e.wanted = wanted }

// due is the recall at which an atom is due.
func (e *Engine) due(atomID string) float64 {
	if e.wanted != nil {
		if r := e.wanted(atomID); r > 0 {
			return r
		}
	}
	return e.retention
}

// Estimate is what is known of one person and one atom at a moment.
type Estimate struct {
	MasteryProbability float64    `json:"masteryProbability"` // that a usual question on it is answered correctly
	Interval90         [2]float64 `json:"interval90"`         // of that probability, for what is not known of person and atom
	Retrievability     float64    `json:"retrievability"`     // that it is recalled; 0 if never reviewed
	Stability          float64    `json:"stability"`          // days until FSRS-6 expects 0.9; 0 if never reviewed
	Difficulty         float64    `json:"difficulty"`         // FSRS-6's, 1 to 10; 0 if never reviewed
	NextReviewAt       time.Time  `json:"nextReviewAt"`       // when recall falls to the wanted retention; zero if never reviewed
}

// Update is what an observation did.
type Update struct {
	Expected      float64 // probability of a right answer to this very question, before the answer was seen
	Before, After Estimate
}

// Observe takes one observation in: it changes the population, the person and the rows of the observation's atoms, and
// of nothing else. Estimates before and after are of AtomID at the observation's own time. It fails, with nothing
// changed, if the observation names no atom or an unknown outcome.
func (e *Engine) Observe(p *Population, l *Learner, o Observation) (u Update, err error) {
	if err := o.check(); err != nil {
		return u, err
	}
	u.Before = e.Estimate(p, l, o.AtomID, o.At, 0)
	u.Expected = e.Learn(p, l, o)
	u.After = e.Estimate(p, l, o.AtomID, o.At, 0)
	return u, nil
}

// Learn is Observe without the estimates and the check: what it costs to keep the states in step, as when they are
// rebuilt from the log. It gives Update.Expected.
func (e *Engine) Learn(p *Population, l *Learner, o Observation) float64 {
	before := e.Estimate(p, l, o.AtomID, o.At, 0)
	expected := e.learn(p, l, o)
	a := l.Atoms[o.AtomID]
	a.shift *= shiftKept
	if o.Outcome != Skipped {
		a.ceiling = 0
	}
	after := e.Estimate(p, l, o.AtomID, o.At, 0)
	wrongWay := online.Logit(before.MasteryProbability) - online.Logit(after.MasteryProbability)
	switch o.Outcome {
	case Correct:
		a.shift += max(wrongWay, 0)
	case Incorrect, Skipped:
		a.shift += min(wrongWay, 0)
		if before.Retrievability > 0 {
			a.ceiling = before.Retrievability
		}
	}
	a.shift = min(max(a.shift, -mostShift), mostShift)
	return expected
}

// Hold keeps the law over several answers that came together: before is the mastery shown ahead of them all, right says
// whether those to this atom were all right or all wrong. What the answers to other atoms moved the wrong way since is held.
func (e *Engine) Hold(p *Population, l *Learner, atomID string, at time.Time, before float64, right bool) {
	a := l.Atoms[atomID]
	if a == nil {
		return
	}
	wrongWay := online.Logit(before) - online.Logit(e.Estimate(p, l, atomID, at, 0).MasteryProbability)
	if right == (wrongWay > 0) {
		a.shift = min(max(a.shift+wrongWay, -mostShift), mostShift)
	}
}

// The law of what is shown: a right answer never lowers it and a wrong one never raises it. The models alone do not keep
// it, since an answer also teaches them about the person, the atom and its first and later attempts. What they move the
// wrong way is held in Atom.shift, of which each later answer lets go a part.
const (
	shiftKept = 0.7
	mostShift = 6.0
)

func (e *Engine) learn(p *Population, l *Learner, o Observation) float64 {
	q := e.ask(p, l, &o)
	at, grade, tags := q.At, o.grade(l.Person.tempo), o.tags()
	for _, id := range e.ids { // memory goes by what was answered before, so it is first
		a := l.Atoms[id]
		switch {
		case o.Given != nil:
			a.Card.Give(*o.Given, at)
		case grade != 0 && at != 0:
			l.Person.Recall.Review(&a.Card, &a.Knowledge.Windows, grade, at, &e.scratch)
		}
	}
	expected := e.work.Learn(q, o.lesson())
	for _, id := range e.ids {
		a := l.Atoms[id]
		for _, name := range tags {
			a.Tags.add(name, at)
		}
		a.Observations++
		a.At = max(a.At, at)
	}
	if o.Outcome != Skipped {
		l.Person.tempo.add(o.ResponseTime)
	}
	return expected.P
}

// ask finds or makes what the observation touches.
func (e *Engine) ask(p *Population, l *Learner, o *Observation) *knowledge.Question {
	e.ids = append(e.ids[:0], o.AtomID)
next:
	for _, id := range o.AlsoAtomIDs {
		for _, other := range e.ids {
			if id == other || id == "" {
				continue next
			}
		}
		e.ids = append(e.ids, id)
	}
	q := &e.question
	*q = knowledge.Question{Core: p.Core, Person: l.Person.Knowledge, Atoms: q.Atoms[:0], Traces: q.Traces[:0], At: micros(o.At)}
	for i, id := range e.ids {
		q.Key = q.Key*31 + key(id)
		a := found(p.Atoms, id, knowledge.NewAtom)
		mine := found(l.Atoms, id, newAtom)
		q.Atoms = append(q.Atoms, a)
		q.Traces = append(q.Traces, mine.Knowledge)
		q.Memory += (lost(mine, q.At) - q.Memory) / float64(i+1) // the mean
	}
	if o.ItemID != "" {
		q.Item, q.ItemKey = q.Atoms[0].Item(o.ItemID, o.ItemEase), key(o.ItemID)
	}
	return q
}

// lost is the logarithm of retrievability: what forgetting takes from a logit. 0 if nothing is known of the memory.
func lost(a *Atom, at int64) float64 {
	if at == 0 || a.Card.Memory.New() {
		return 0
	}
	return math.Log(a.Card.Retrievability(at))
}

func found[T any](m map[string]*T, id string, made func() *T) *T {
	v := m[id]
	if v == nil {
		v = made()
		m[id] = v
	}
	return v
}

// key is a hash that is never 0.
func key(id string) uint64 { return max(xxhash.Sum64String(id), 1) }

// Expect is the probability that a question of an atom is answered right now, the difficulty that it has shown so far counted. Nothing changes.
func (e *Engine) Expect(p *Population, l *Learner, atomID, itemID string, now time.Time) float64 {
	q, mine := e.looked(p, l, atomID, micros(now))
	if i := q.Atoms[0].Items[itemID]; i != nil {
		q.Item, q.ItemKey = i, key(itemID)
	}
	return online.Sigmoid(e.work.Predict(&q).Logit + mine.shift)
}

// looked is what is asked of an atom by somebody who only looks.
func (e *Engine) looked(p *Population, l *Learner, atomID string, at int64) (knowledge.Question, *Atom) {
	mine, shared := l.Atoms[atomID], p.Atoms[atomID]
	if mine == nil {
		mine = newAtom()
	}
	if shared == nil {
		shared = knowledge.NewAtom()
	}
	trace := mine.Knowledge.Clone()
	trace.Idle(at)
	return knowledge.Question{
		Core: p.Core, Person: l.Person.Knowledge, Atoms: []*knowledge.Atom{shared}, Traces: []*knowledge.Trace{trace},
		Key: key(atomID), At: at, Memory: lost(mine, at),
	}, mine
}

// Estimate says what is known of an atom at a moment, foreseen for horizon later (0: for now). Nothing changes. Without
// a time, memory is left out of it.
func (e *Engine) Estimate(p *Population, l *Learner, atomID string, now time.Time, horizon time.Duration) (s Estimate) {
	at := micros(now)
	q, mine := e.looked(p, l, atomID, at)
	before := q.Memory
	x := e.work.Predict(&q)
	later := at
	if at != 0 && horizon > 0 {
		later = min(at+horizon.Microseconds(), latest)
	}
	logit := x.Logit + p.Core.Fading()*(lost(mine, later)-before) + mine.shift
	doubt := 1.645 * math.Sqrt(x.Var)
	s.MasteryProbability = online.Sigmoid(logit)
	s.Interval90 = [2]float64{online.Sigmoid(logit - doubt), online.Sigmoid(logit + doubt)}
	c := mine.Card
	if c.Memory.New() {
		return s
	}
	s.Stability, s.Difficulty = c.Memory.Stability, c.Memory.Difficulty
	s.Retrievability = l.Person.recalled(mine.Memory(), later)
	s.NextReviewAt = l.Person.DueAt(mine.Memory(), e.due(atomID))
	return s
}
