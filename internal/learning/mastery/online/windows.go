package online

import (
	"math"

	"stoa/internal/learning/mastery/wire"
)

// HalfLives of the windows of time, in microseconds: an hour, a day, a week, a month. A decaying count stands for the
// number of answers within a window (DAS3H, Choffin et al. 2019) without keeping the answers.
var HalfLives = [WindowCount]float64{3600e6, 86400e6, 7 * 86400e6, 30 * 86400e6}

// WindowCount is how many windows there are.
const WindowCount = 4

// Windows count a row of answers over windows of time.
type Windows struct {
	At   int64 // latest, microseconds since 1970 UTC; 0 none or unknown
	Seen [WindowCount]float64
	Good [WindowCount]float64 // of those, the right ones; a partial answer is half of one
}

// Elapsed is the microseconds since the latest answer, 0 if unknown or backwards.
func (w *Windows) Elapsed(at int64) float64 {
	if w.At == 0 || at <= w.At {
		return 0
	}
	return float64(at) - float64(w.At)
}

// Add counts an answer. One without a time stands in no window.
func (w *Windows) Add(o Outcome, at int64) {
	if at == 0 {
		return
	}
	gone := w.Elapsed(at)
	for i := range w.Seen {
		keep := math.Exp2(-gone / HalfLives[i])
		w.Seen[i] = w.Seen[i]*keep + o.Weight
		w.Good[i] = w.Good[i]*keep + o.Y*o.Weight
	}
	w.At = max(w.At, at)
}

// Count is what a window still has at a moment that lies elapsed microseconds after the latest answer.
func (w *Windows) Count(i int, elapsed float64) (seen, good float64) {
	keep := math.Exp2(-elapsed / HalfLives[i])
	return w.Seen[i] * keep, w.Good[i] * keep
}

// Put writes the windows.
func (w *Windows) Put(to *wire.Writer) {
	to.Int(w.At)
	to.Floats(w.Seen[:]...)
	to.Floats(w.Good[:]...)
}

// Take reads them.
func (w *Windows) Take(r *wire.Reader) {
	w.At = r.Int()
	for _, counts := range []*[WindowCount]float64{&w.Seen, &w.Good} {
		for i := range counts {
			if counts[i] = r.Float(); counts[i] < 0 {
				r.Fail()
			}
		}
	}
	if w.At < 0 {
		r.Fail()
	}
}
