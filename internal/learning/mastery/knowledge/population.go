package knowledge

import (
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

// Put writes the atom.
func (a *Atom) Put(w *wire.Writer) {
	a.Ease.Put(w)
	for _, b := range a.weights {
		b.Put(w)
	}
	a.put(w)
}

// Take reads the atom.
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

// Item is what is known of one question over all people.
type Item struct {
	Ease    online.Belief
	weights [itemWeights]online.Belief
	tally
}

// NewItem has no answers yet.
func NewItem() *Item {
	i := &Item{Ease: online.Belief{Var: itemVariance}}
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
	i.Ease.Take(r)
	for k := range i.weights {
		i.weights[k].Take(r)
	}
	i.take(r)
}
