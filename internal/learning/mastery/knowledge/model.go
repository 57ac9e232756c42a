package knowledge

import (
	"math"

	"stoa/internal/learning/mastery/online"
)

// Question is all that an answer touches. Atoms and Traces go together, one for each atom the question asks for, at
// least one; Item is nil when the atom itself is asked. Key and ItemKey are hashes of the names.
type Question struct {
	Core    *Core
	Person  *Person
	Atoms   []*Atom
	Traces  []*Trace
	Item    *Item
	Key     uint64  // of the atoms together
	ItemKey uint64  // 0 without an item
	At      int64   // microseconds, 0 unknown
	Memory  float64 // logarithm of retrievability, 0 or less; 0 unknown
}

// The places of the head's features.
const (
	fOne = iota
	fElo
	fPersonRight
	fPersonWrong
	fRight
	fWrong
	fMetRight
	fMetWrong
	fMetLast
	fPersonFast
	fPersonSlow
	fFast
	fSlow
	fLast
	fPersonLast
	fStreak
	fPersonStreak
	fSameAtom
	fSameItem
	fItemRate
	fItemNew
	fAtomRate
	fDoubt
	fMemory
	fGap
	fPersonGap
	fWindows       // two of each window, of the atom
	fPersonWindows = fWindows + 2*online.WindowCount
	features       = fPersonWindows + 2*online.WindowCount
)

// Work is room for one prediction. One serves any number of questions, one at a time.
type Work struct {
	x       [features]float64
	levels  []online.Term // of the Elo system
	own     []online.Term // the head's weights that belong to atom or item
	usual   signs         // what the atom's questions say on average, where none is named
	mean    float64       // what their weights add to the logit on average
	scratch online.Scratch
	platt   online.Scratch
	elo     online.Sum
	sum     online.Sum
	final   online.Sum
	line    [2]float64
	Prediction
}

// Prediction is what is expected of an answer.
type Prediction struct {
	P     float64 // probability that it is correct
	Logit float64 // of P
	Var   float64 // variance of the abilities and levels behind it, logit scale
	Elo   float64 // probability by the levels alone
}

// Predict says how likely the answer is correct. Nothing changes.
func (w *Work) Predict(q *Question) Prediction {
	w.sumLevels(q)
	w.fill(q)
	w.sum = q.Core.head.Sum(w.x[:], &w.scratch)
	own := online.SumOf(w.own)
	w.sum.Mean += own.Mean + w.mean
	w.sum.Var += own.Var
	w.line = [2]float64{1, w.sum.Logit()}
	w.final = q.Core.calibre.Sum(w.line[:], &w.platt)
	w.Prediction = Prediction{P: w.final.P(), Logit: w.final.Logit(), Elo: w.elo.P(), Var: w.elo.Var}
	return w.Prediction
}

// Learn takes the outcome of a question in. It predicts first; that prediction is the answer.
func (w *Work) Learn(q *Question, o online.Outcome) Prediction {
	for _, t := range q.Traces {
		t.Idle(q.At)
	}
	p := w.Predict(q)
	before := q.Item.signs()
	q.Core.calibre.Learn(&w.platt, nil, w.final, o)
	q.Core.head.Learn(&w.scratch, w.own, w.sum, o)
	online.Learn(w.levels, w.elo, o)
	q.Person.Ability.Widen(personDrift, personVariance)
	for _, t := range q.Traces {
		t.Ability.Widen(traceDrift, traceVariance)
	}
	expected := p.Elo
	q.Person.add(o, expected, q.At)
	q.Person.lastAtom, q.Person.lastItem = q.Key, q.ItemKey
	for i, t := range q.Traces {
		t.add(o, expected, q.At)
		t.meet(q.ItemKey, o)
		q.Atoms[i].add(o)
	}
	if q.Item != nil {
		q.Item.add(o)
		q.Atoms[0].answered(before, q.Item)
	}
	return p
}

// Fading is how far the logit of P moves for each unit of Question.Memory, never against memory.
func (c *Core) Fading() float64 {
	return math.Max(0, c.head.Mean[fMemory]) * math.Max(0, c.calibre.Mean[1])
}

func (w *Work) sumLevels(q *Question) {
	share := 1 / float64(len(q.Atoms))
	w.levels = append(w.levels[:0], online.Term{Belief: &q.Core.Level, X: 1}, online.Term{Belief: &q.Person.Ability, X: 1})
	for i := range q.Atoms {
		w.levels = append(w.levels, online.Term{Belief: &q.Traces[i].Ability, X: share}, online.Term{Belief: &q.Atoms[i].Ease, X: share})
	}
	if q.Item != nil {
		w.levels = append(w.levels, online.Term{Belief: &q.Item.Ease, X: 1})
	}
	w.elo = online.SumOf(w.levels)
	w.usual = signs{}
	if q.Item != nil {
		return
	}
	for _, a := range q.Atoms {
		s := a.usual
		if len(a.Items) == 0 && q.Person.lastItem != 0 {
			s.fresh = 1 // whoever is asked questions meets a new one here
		}
		w.usual.addScaled(s, share)
	}
	w.elo.Mean += w.usual.ease
}

func (w *Work) fill(q *Question) {
	w.x = [features]float64{fOne: 1, fElo: w.elo.Logit(), fDoubt: w.elo.Var, fMemory: q.Memory}
	w.own = w.own[:0]
	x, p := &w.x, q.Person
	x[fPersonRight], x[fPersonWrong] = math.Log1p(p.Right), math.Log1p(p.Wrong)
	x[fPersonFast], x[fPersonSlow] = p.Fast, p.Slow
	x[fPersonLast], x[fPersonStreak] = p.Last, p.Streak/5
	x[fSameAtom] = same(p.lastAtom, q.Key)
	x[fSameItem] = same(p.lastItem, q.ItemKey)
	p.timed(q.At, 1, x[fPersonWindows:], &x[fPersonGap])
	share := 1 / float64(len(q.Atoms))
	for i, t := range q.Traces {
		a := q.Atoms[i]
		right, wrong := math.Log1p(t.Right), math.Log1p(t.Wrong)
		x[fRight] += share * right
		x[fWrong] += share * wrong
		x[fFast] += share * t.Fast
		x[fSlow] += share * t.Slow
		x[fLast] += share * t.Last
		x[fStreak] += share * t.Streak / 5
		x[fAtomRate] += share * a.rate()
		m := t.expects(q, a)
		x[fMetRight] += share * m.right
		x[fMetWrong] += share * m.wrong
		x[fMetLast] += share * m.last
		t.timed(q.At, share, x[fWindows:fPersonWindows], &x[fGap])
		for k, v := range [atomWeights]float64{wBias: 1, wRight: right, wWrong: wrong, wElo: x[fElo], wFast: t.Fast} {
			if v != 0 {
				w.own = append(w.own, online.Term{Belief: &a.weights[k], X: share * v})
			}
		}
	}
	x[fItemRate], x[fItemNew], w.mean = w.usual.rate, w.usual.fresh, 0
	if q.Item != nil {
		s := q.Item.signs()
		x[fItemRate], x[fItemNew] = s.rate, s.fresh
	}
	for k, v := range [itemWeights]float64{iBias: 1, iElo: x[fElo], iLast: x[fLast], iPersonLast: p.Last, iRight: x[fRight]} {
		switch {
		case q.Item == nil:
			w.mean += w.usual.weights[k] * v
		case v != 0:
			w.own = append(w.own, online.Term{Belief: &q.Item.weights[k], X: v})
		}
	}
}

func same(a, b uint64) float64 {
	if a != 0 && a == b {
		return 1
	}
	return 0
}
