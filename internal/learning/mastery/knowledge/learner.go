package knowledge

import (
	"math"
	"slices"

	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/wire"
)

// Variances of the beliefs before anything is seen, and what each answer adds to them because people learn between
// answers. Logit scale: 1 is the spread of people that item response models usually assume.
const (
	personVariance = 1.0
	traceVariance  = 0.5
	atomVariance   = 1.0
	itemVariance   = 1.0
	personDrift    = 0.005
	traceDrift     = 0.015
	dailyDrift     = 0.002 // of a person's atom, per day without an answer
)

// Person is what is known of one person over all atoms.
type Person struct {
	Ability online.Belief
	history
	lastAtom, lastItem uint64 // hashes, 0 none
}

// NewPerson is one of whom nothing has been seen.
func NewPerson() *Person { return &Person{Ability: online.Belief{Var: personVariance}} }

// Put writes the person.
func (p *Person) Put(w *wire.Writer) {
	p.Ability.Put(w)
	p.put(w)
	w.Uint(p.lastAtom)
	w.Uint(p.lastItem)
}

// Take reads the person.
func (p *Person) Take(r *wire.Reader) {
	p.Ability.Take(r)
	p.take(r)
	p.lastAtom, p.lastItem = r.Uint(), r.Uint()
}

// remembered is how many questions of one atom a person's record keeps apart, the latest ones.
const remembered = 8

// Trace is what is known of one person and one atom.
type Trace struct {
	Ability online.Belief // beyond the person's own
	history
	items []met
}

// met is a question that the person answered before.
type met struct {
	item               uint64
	right, wrong, last float64
}

// NewTrace is an atom on which the person has not answered yet.
func NewTrace() *Trace { return &Trace{Ability: online.Belief{Var: traceVariance}} }

// Idle widens the belief for the time in which nothing was seen. Learn does it by itself; whoever predicts for a later
// moment does it on a Clone.
func (t *Trace) Idle(at int64) {
	t.Ability.Widen(dailyDrift*math.Min(t.Elapsed(at)/online.HalfLives[1], 3650), traceVariance)
}

// Clone is a trace of its own.
func (t *Trace) Clone() *Trace {
	c := *t
	c.items = slices.Clone(t.items)
	return &c
}

func (t *Trace) met(item uint64) met {
	for _, m := range t.items {
		if m.item == item && item != 0 {
			return m
		}
	}
	return met{}
}

// expects is how often the question was answered right and wrong, in logarithms, or where none is named what that is on average over the
// questions of the atom.
func (t *Trace) expects(q *Question, a *Atom) (m met) {
	if q.Item != nil {
		m = t.met(q.ItemKey)
		m.right, m.wrong = math.Log1p(m.right), math.Log1p(m.wrong)
		return m
	}
	if len(a.Items) == 0 {
		return m
	}
	share := 1 / float64(len(a.Items))
	for _, one := range t.items {
		m.right += share * math.Log1p(one.right)
		m.wrong += share * math.Log1p(one.wrong)
		m.last += share * one.last
	}
	return m
}

func (t *Trace) meet(item uint64, o online.Outcome) {
	if item == 0 {
		return
	}
	m := t.met(item)
	kept := t.items[:0]
	for _, x := range t.items {
		if x.item != item {
			kept = append(kept, x)
		}
	}
	if len(kept) == remembered {
		kept = kept[:copy(kept, kept[1:])]
	}
	t.items = append(kept, met{item, m.right + o.Y*o.Weight, m.wrong + (1-o.Y)*o.Weight, 2*o.Y - 1})
}

// Put writes the trace.
func (t *Trace) Put(w *wire.Writer) {
	t.Ability.Put(w)
	t.put(w)
	w.Uint(uint64(len(t.items)))
	for _, m := range t.items {
		w.Uint(m.item)
		w.Floats(m.right, m.wrong, m.last)
	}
}

// Take reads the trace.
func (t *Trace) Take(r *wire.Reader) {
	t.Ability.Take(r)
	t.take(r)
	for range r.Count(remembered) {
		m := met{item: r.Uint()}
		r.Floats(&m.right, &m.wrong, &m.last)
		if m.right < 0 || m.wrong < 0 || m.item == 0 {
			r.Fail()
		}
		t.items = append(t.items, m)
	}
}
