package knowledge

import (
	"math"

	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/wire"
)

// Half-lives of the four windows of time, in microseconds: an hour, a day, a week, a month. A decaying count stands
// for the number of answers within a window (DAS3H, Choffin et al. 2019) without keeping the answers.
var halfLives = [windows]float64{3600e6, 86400e6, 7 * 86400e6, 30 * 86400e6}

const windows = 4

// history sums up a row of answers in a fixed number of values.
type history struct {
	Right, Wrong float64 // how many; a partial answer is half of each
	Fast, Slow   float64 // moving averages (0.3 and 0.1) of outcome minus expectation
	Last         float64 // latest outcome, -1 wrong to 1 right, 0 none
	Streak       float64 // answers alike until now, below zero if wrong, at most 5
	At           int64   // latest, microseconds; 0 none or unknown
	Seen, Good   [windows]float64
}

// elapsed is the microseconds since the latest answer, 0 if unknown or backwards.
func (h *history) elapsed(at int64) float64 {
	if h.At == 0 || at <= h.At {
		return 0
	}
	return float64(at) - float64(h.At)
}

func (h *history) add(o online.Outcome, expected float64, at int64) {
	h.Right += o.Y * o.Weight
	h.Wrong += (1 - o.Y) * o.Weight
	surprise := (o.Y - expected) * o.Weight
	h.Fast += 0.3 * (surprise - h.Fast)
	h.Slow += 0.1 * (surprise - h.Slow)
	h.Last = 2*o.Y - 1
	if (h.Streak >= 0) == (h.Last >= 0) {
		h.Streak = math.Min(math.Max(h.Streak+h.Last, -5), 5)
	} else {
		h.Streak = h.Last
	}
	if at == 0 {
		return
	}
	gone := h.elapsed(at)
	for i := range h.Seen {
		keep := math.Exp2(-gone / halfLives[i])
		h.Seen[i] = h.Seen[i]*keep + o.Weight
		h.Good[i] = h.Good[i]*keep + o.Y*o.Weight
	}
	h.At = max(h.At, at)
}

// timed fills the features of time: windows and the time since the latest answer.
func (h *history) timed(at int64, scale float64, x []float64, gap *float64) {
	if at == 0 || h.At == 0 {
		return
	}
	gone := h.elapsed(at)
	for i := range h.Seen {
		keep := math.Exp2(-gone / halfLives[i])
		x[2*i] += scale * math.Log1p(h.Good[i]*keep)
		x[2*i+1] += scale * math.Log1p(h.Seen[i]*keep)
	}
	*gap += scale * math.Log1p(gone/60e6) / 10
}

func (h *history) put(w *wire.Writer) {
	w.Floats(h.Right, h.Wrong, h.Fast, h.Slow, h.Last, h.Streak)
	w.Int(h.At)
	w.Floats(h.Seen[:]...)
	w.Floats(h.Good[:]...)
}

func (h *history) take(r *wire.Reader) {
	r.Floats(&h.Right, &h.Wrong, &h.Fast, &h.Slow, &h.Last, &h.Streak)
	h.At = r.Int()
	for i := range h.Seen {
		h.Seen[i] = r.Float()
	}
	for i := range h.Good {
		h.Good[i] = r.Float()
	}
	for _, v := range append(append([]float64{h.Right, h.Wrong}, h.Seen[:]...), h.Good[:]...) {
		if v < 0 {
			r.Fail()
		}
	}
	if h.At < 0 || math.Abs(h.Fast) > 1 || math.Abs(h.Slow) > 1 || math.Abs(h.Last) > 1 || math.Abs(h.Streak) > 5 {
		r.Fail()
	}
}
