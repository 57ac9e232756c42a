package knowledge

import (
	"maps"
	"math"
	"slices"

	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/wire"
)

// Core is what all people, atoms and questions share: the head, its calibration and the level of everything.
type Core struct {
	Level   online.Belief
	head    *online.Head
	calibre *online.Head // intercept and slope on the head's logit (Platt 1999), learned online
}

// NewCore has seen nobody: the head says what the sum of the beliefs says, less what memory has lost.
func NewCore() *Core {
	mean := make([]float64, features)
	mean[fElo], mean[fMemory] = 1, 1
	return &Core{
		Level:   online.Belief{Var: 1},
		head:    online.NewHead(mean, 0.03, 1e-10),
		calibre: online.NewHead([]float64{0, 1}, 0.1, 1e-8),
	}
}

// Put writes the core.
func (c *Core) Put(w *wire.Writer) {
	c.Level.Put(w)
	c.head.Put(w)
	c.calibre.Put(w)
}

// Take reads into a core made by NewCore.
func (c *Core) Take(r *wire.Reader) {
	c.Level.Take(r)
	c.head.Take(r)
	c.calibre.Take(r)
}

// tally is how a thing was answered by all.
type tally struct{ seen, right float64 }

func (t *tally) add(o online.Outcome) {
	t.seen += o.Weight
	t.right += o.Y * o.Weight
}

// rate is the logit of the share of right answers, drawn to 0.65 by two answers.
func (t tally) rate() float64 { return online.Logit((t.right + 1.3) / (t.seen + 2)) }

func (t tally) put(w *wire.Writer) { w.Floats(t.seen, t.right) }

func (t *tally) take(r *wire.Reader) {
	r.Floats(&t.seen, &t.right)
	if t.seen < 0 || t.right < 0 || t.right > t.seen {
		r.Fail()
	}
}

// The weights of the head that an atom has for itself.
const (
	wBias = iota
	wRight
	wWrong
	wElo
	wFast
	atomWeights
)

// Atom is what is known of one atom over all people.
type Atom struct {
	Ease    online.Belief
	weights [atomWeights]online.Belief
	tally
	Items map[string]*Item // its questions, by their ids
	usual signs            // the mean of what they say
}

// NewAtom has no answers yet.
func NewAtom() *Atom {
	a := &Atom{Ease: online.Belief{Var: atomVariance}}
	for i := range a.weights {
		a.weights[i].Var = 0.03
	}
	a.weights[wBias].Var = 0.1
	return a
}

// Item finds what is known of a question of the atom, or begins with a belief about its ease; one with a variance of 0 says nothing.
func (a *Atom) Item(id string, ease online.Belief) *Item {
	i := a.Items[id]
	if i == nil {
		if a.Items == nil {
			a.Items = map[string]*Item{}
		}
		i = newItem()
		if ease.Var > 0 {
			i.Ease = ease
		}
		a.Items[id] = i
	}
	return i
}

// answered keeps the mean over the questions when one of them says something else than before.
func (a *Atom) answered(before signs, i *Item) {
	after, n := i.signs(), float64(len(a.Items))
	if i.first {
		i.first = false
		before = a.usual
	}
	a.usual.addScaled(after, 1/n)
	a.usual.addScaled(before, -1/n)
}

// Put writes the atom without its questions.
func (a *Atom) Put(w *wire.Writer) {
	a.Ease.Put(w)
	for _, b := range a.weights {
		b.Put(w)
	}
	a.put(w)
}

// Take reads the atom without its questions.
func (a *Atom) Take(r *wire.Reader) {
	a.Ease.Take(r)
	for i := range a.weights {
		a.weights[i].Take(r)
	}
	a.take(r)
}

// The weights of the head that a question has for itself: how it is answered at all, how sharply it tells who knows the
// atom (the discrimination of item response models), what the person's and the atom's latest answers say of it, and what
// right answers to the atom do.
const (
	iBias = iota
	iElo
	iLast
	iPersonLast
	iRight
	itemWeights
)

// PutItems writes the questions, in order of their ids.
func (a *Atom) PutItems(w *wire.Writer) {
	w.Uint(uint64(len(a.Items)))
	for _, id := range slices.Sorted(maps.Keys(a.Items)) {
		w.String(id)
		a.Items[id].Put(w)
	}
	w.Floats(a.usual.ease, a.usual.rate, a.usual.fresh)
	w.Floats(a.usual.weights[:]...)
}

// TakeItems reads the questions.
func (a *Atom) TakeItems(r *wire.Reader) {
	for range r.Count(math.MaxInt32) {
		id := r.String(len(r.B))
		if len(r.B) == 0 || a.Items[id] != nil {
			r.Fail() // a count that promises more than there is, or a question twice
			return
		}
		a.Item(id, online.Belief{}).Take(r)
	}
	r.Floats(&a.usual.ease, &a.usual.rate, &a.usual.fresh)
	for k := range a.usual.weights {
		a.usual.weights[k] = r.Float()
	}
}

// Item is what is known of one question over all people.
type Item struct {
	Ease    online.Belief
	weights [itemWeights]online.Belief
	tally
	first bool // not answered yet
}

// signs are what a question says of the answer to it, whoever gives it.
type signs struct {
	ease, rate, fresh float64
	weights           [itemWeights]float64
}

func (s *signs) addScaled(b signs, by float64) {
	s.ease, s.rate, s.fresh = s.ease+by*b.ease, s.rate+by*b.rate, s.fresh+by*b.fresh
	for k, v := range b.weights {
		s.weights[k] += by * v
	}
}

// signs gives what the question says; of none it is nothing.
func (i *Item) signs() signs {
	if i == nil {
		return signs{}
	}
	s := signs{ease: i.Ease.Mean, rate: i.rate() * math.Min(1, i.seen/10), fresh: 1 / (1 + i.seen)}
	for k, b := range i.weights {
		s.weights[k] = b.Mean
	}
	return s
}

// newItem has no answers yet.
func newItem() *Item {
	i := &Item{Ease: online.Belief{Var: itemVariance}, first: true}
	for k := range i.weights {
		i.weights[k].Var = 0.03
	}
	i.weights[iBias].Var = 0.1
	return i
}

// Put writes the question.
func (i *Item) Put(w *wire.Writer) {
	i.Ease.Put(w)
	for _, b := range i.weights {
		b.Put(w)
	}
	i.put(w)
}

// Take reads the question.
func (i *Item) Take(r *wire.Reader) {
	i.first = false
	i.Ease.Take(r)
	for k := range i.weights {
		i.weights[k].Take(r)
	}
	i.take(r)
}
