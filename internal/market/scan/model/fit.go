package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"stoa/internal/market/scan/normal"
	"stoa/internal/market/scan/rules"
)

// Example is a labelled text, read into features.
type Example struct {
	chunks [][]uint32
	whole  []uint32
	Folded []byte
	Attack bool
	Weight float64
}

type collector struct{ chunks [][]uint32 }

// Extract reads a text into features.
func Extract(set *rules.Set, s *Scratch, text string, attack bool, weight float64) Example {
	e := Example{Folded: normal.Fold(normal.Unescape(normal.Raw([]byte(text)))).B, Attack: attack, Weight: weight}
	c := &collector{}
	d := NewDocument(&Weights{first: make([]int8, size)}, s)
	d.collect = c
	d.Window(set, e.Folded, func(rules.Match) {})
	e.chunks = c.chunks
	if len(c.chunks) > 1 {
		for _, chunk := range c.chunks {
			e.whole = append(e.whole, chunk...)
		}
		slices.Sort(e.whole)
		e.whole = slices.Compact(e.whole)
	}
	return e
}

// FitOptions are the knobs of a training run; the same ones give the same weights.
type FitOptions struct {
	Epochs int
	Rate   float64
	L2     float64
	Seed   uint64
}

// Fit trains the first model by stochastic gradient descent with per-feature rates (AdaGrad), over the chunks of
// each text and the text as a whole, in an order that depends on the seed alone.
func Fit(examples []Example, o FitOptions) *Weights {
	type item struct {
		x      []uint32
		y      float64
		weight float64
	}
	var items []item
	var total [2]float64
	for _, e := range examples {
		y, k := -1.0, 0
		if e.Attack {
			y, k = 1, 1
		}
		total[k] += e.Weight
		if e.whole != nil {
			items = append(items, item{e.whole, y, e.Weight / 2})
		}
		for _, c := range e.chunks {
			if len(c) < 8 {
				continue
			}
			w := e.Weight / float64(len(e.chunks))
			if e.whole != nil {
				w *= min(2, float64(len(e.chunks))/2)
			}
			items = append(items, item{c, y, w})
		}
	}
	sum := total[0] + total[1]
	balance := [2]float64{sum / 2 / max(total[0], 1e-9), sum / 2 / max(total[1], 1e-9)}
	mean := sum / float64(max(len(items), 1))
	w := make([]float32, size)
	g := make([]float32, size)
	var bias, biasG float64
	random := rand.New(rand.NewPCG(o.Seed, 17))
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	for range o.Epochs {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, n := range order {
			it := &items[n]
			tn, cn := 0, 0
			var tz, cz float64
			for _, x := range it.x {
				if x < textSize {
					tn++
					tz += float64(w[x])
				} else {
					cn++
					cz += float64(w[x])
				}
			}
			a, b := norms(tn, cn)
			z := bias + tz*a + cz*b
			k := 0
			if it.y > 0 {
				k = 1
			}
			slope := -it.y / (1 + math.Exp(it.y*z)) * it.weight / mean * balance[k]
			biasG += slope * slope
			bias -= o.Rate * slope / math.Sqrt(biasG+1)
			for _, x := range it.x {
				v := a
				if x >= textSize {
					v = b
				}
				d := float32(slope*v + o.L2*float64(w[x]))
				g[x] += d * d
				w[x] -= float32(o.Rate) * d / float32(math.Sqrt(float64(g[x])+1e-4))
			}
		}
	}
	return quantise(w, bias)
}

func quantise(w []float32, bias float64) *Weights {
	sizes := make([]float32, 0, len(w))
	for _, v := range w {
		if v != 0 {
			sizes = append(sizes, float32(math.Abs(float64(v))))
		}
	}
	slices.Sort(sizes)
	scale := 1e-6
	if len(sizes) > 0 {
		scale = float64(sizes[int(float64(len(sizes)-1)*.9998)]) / 127
	}
	out := &Weights{first: make([]int8, size), scale: scale, bias: bias}
	for i, v := range w {
		out.first[i] = int8(math.Round(max(-127, min(127, float64(v)/scale))))
	}
	return out
}

// Judge reads folded text with the first model.
func Judge(set *rules.Set, w *Weights, s *Scratch, folded []byte) Judged {
	d := NewDocument(w, s)
	d.Window(set, folded, func(rules.Match) {})
	return d.judge(set)
}

// FitSecond trains the second model on what the first one said of texts that it had not been trained on. The
// weights of what the rules say cannot be negative: a find never makes a text look better.
func (w *Weights) FitSecond(rows []Judged, attack []bool, weight []float64) {
	var total [2]float64
	for i, a := range attack {
		if a {
			total[1] += weight[i]
		} else {
			total[0] += weight[i]
		}
	}
	var v [judgeSize]float64
	v[judgeMax] = .5
	rate := 1.0
	for range 3000 {
		var slope [judgeSize]float64
		for i := range rows {
			x := &rows[i].whole
			z := 0.0
			for j := range x {
				z += v[j] * x[j]
			}
			y, k := -1.0, 0
			if attack[i] {
				y, k = 1, 1
			}
			s := -y / (1 + math.Exp(y*z)) * weight[i] / total[k] / 2
			for j := range x {
				slope[j] += s * x[j]
			}
		}
		for j := range v {
			l2 := .0005
			if j == judgeBias {
				l2 = 0
			}
			v[j] -= rate * (slope[j] + l2*v[j])
			if j != judgeBias && j != judgeChunks && j != judgeMentions && j != judgeMaxLong && v[j] < 0 {
				v[j] = 0
			}
		}
		rate *= .9995
	}
	w.second = v
}

// Apply gives the log-odds of the second model: of the whole, or of its worst chunk less what many chunks cost,
// as each is one more chance to be wrong.
func (w *Weights) Apply(x Judged) float64 {
	z := w.dot(&x.whole)
	for i := range x.locals {
		z = max(z, w.dot(&x.locals[i])-w.local-w.perDoubling*math.Log2(float64(x.chunks)))
	}
	return z
}

func (w *Weights) dot(x *[judgeSize]float64) float64 {
	z := 0.0
	for j := range x {
		z += w.second[j] * x[j]
	}
	return z
}

// SetLocal says how much lower than a text of its own a chunk of a longer one is held.
func (w *Weights) SetLocal(base, perDoubling float64) { w.local, w.perDoubling = base, perDoubling }

// Second gives the weights of the second model with their names, for a report.
func (w *Weights) Second() map[string]float64 {
	names := [judgeSize]string{"bias", "whole", "max", "top", "chunks", "max_long", "strong", "strong2", "some", "some2", "little", "code", "families", "mentions"}
	out := map[string]float64{}
	for i, n := range names {
		out[n] = w.second[i]
	}
	return out
}

// WithSecond gives the first model of w with the second one of another, and no thresholds.
func (w *Weights) WithSecond(other *Weights) *Weights {
	out := *w
	out.second, out.local, out.perDoubling, out.Thresholds = other.second, other.local, other.perDoubling, nil
	return &out
}
