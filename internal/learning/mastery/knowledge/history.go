package knowledge

import (
	"math"

	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/wire"
)

// history sums up a row of answers in a fixed number of values.
type history struct {
	Right, Wrong float64 // how many; a partial answer is half of each
	Fast, Slow   float64 // moving averages (0.3 and 0.1) of outcome minus expectation
	Last         float64 // latest outcome, -1 wrong to 1 right, 0 none
	Streak       float64 // answers alike until now, below zero if wrong, at most 5
	online.Windows
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
	h.Add(o, at)
}

// timed fills the features of time: windows and the time since the latest answer.
func (h *history) timed(at int64, scale float64, x []float64, gap *float64) {
	if at == 0 || h.At == 0 {
		return
	}
	gone := h.Elapsed(at)
	for i := range h.Seen {
		seen, good := h.Count(i, gone)
		x[2*i] += scale * math.Log1p(good)
		x[2*i+1] += scale * math.Log1p(seen)
	}
	*gap += scale * math.Log1p(gone/60e6) / 10
}

func (h *history) put(w *wire.Writer) {
	w.Floats(h.Right, h.Wrong, h.Fast, h.Slow, h.Last, h.Streak)
	h.Put(w)
}

func (h *history) take(r *wire.Reader) {
	r.Floats(&h.Right, &h.Wrong, &h.Fast, &h.Slow, &h.Last, &h.Streak)
	h.Take(r)
	if h.Right < 0 || h.Wrong < 0 || math.Abs(h.Fast) > 1 || math.Abs(h.Slow) > 1 || math.Abs(h.Last) > 1 || math.Abs(h.Streak) > 5 {
		r.Fail()
	}
}
