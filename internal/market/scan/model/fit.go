package model

import (
	"context"
	"math"
	"math/bits"
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
	Fold   int // 0..31: examples of one fold are left out together; Always marks those that are never left out
}

// Folds that are none.
const (
	Always = 31
	Nobody = 30 // no example has this fold: leaving it out leaves nothing out
)

type collector struct{ chunks [][]uint32 }

// maxChunks bounds how many chunks of one text are trained on; of longer texts some are drawn.
const maxChunks = 8

// Extractor reads labelled texts into features.
type Extractor struct {
	set     *rules.Set
	scratch *Scratch
	doc     *Document
	blank   *Weights
}

// NewExtractor returns an extractor that uses the given rules and groups of words.
func NewExtractor(set *rules.Set, groups *Groups) *Extractor {
	s := NewScratch()
	blank := &Weights{first: make([]int8, size), groups: groups}
	return &Extractor{set: set, scratch: s, blank: blank, doc: newDocument(blank, s)}
}

// Extract reads a text into features.
func (x *Extractor) Extract(text string, attack bool, weight float64, fold int) Example {
	e := Example{Folded: normal.Fold(normal.Unescape(normal.Raw([]byte(text)))).B, Attack: attack, Weight: weight, Fold: fold}
	c := &collector{}
	x.doc.Reset(x.blank, x.scratch)
	x.doc.collect = c
	x.doc.Window(x.set, e.Folded, func(rules.Match) {})
	e.chunks = c.chunks
	if len(c.chunks) > 1 {
		for _, chunk := range c.chunks {
			e.whole = append(e.whole, chunk...)
		}
		slices.Sort(e.whole)
		e.whole = slices.Clip(slices.Compact(e.whole))
	}
	if !attack && len(e.chunks) > maxChunks {
		random := rand.New(rand.NewPCG(uint64(len(text)), 5))
		random.Shuffle(len(e.chunks), func(i, j int) { e.chunks[i], e.chunks[j] = e.chunks[j], e.chunks[i] })
		e.chunks = slices.Clone(e.chunks[:maxChunks])
	}
	return e
}

// Spread says for each feature in which folds it occurs in ordinary texts, and in which in attacks.
type Spread [2][]uint32

// NewSpread counts the folds of every feature.
func NewSpread(examples []Example) Spread {
	s := Spread{make([]uint32, size), make([]uint32, size)}
	for i := range examples {
		of := s[side(examples[i].Attack)]
		for _, c := range examples[i].chunks {
			for _, x := range c {
				of[x] |= 1 << examples[i].Fold
			}
		}
	}
	return s
}

// FitOptions are the settings of a training run; the same ones give the same weights.
type FitOptions struct {
	Epochs int
	Rate   float64
	L2     float64
	Seed   uint64
	Folds  int     // in the attacks of how many folds a feature must occur to speak for an attack; the same of ordinary texts
	Mean   int     // the weights are the mean of those after so many last passes
	Keep   float64 // share of the features of a text that are shown at a time, so that no few ones decide
}

type cell struct{ w, g float32 }

type fitter struct {
	o       FitOptions
	cells   []cell
	bias, g float64
	may     [2][]uint64 // features that may speak for an ordinary text, and for an attack
	random  uint64
	shown   []uint32
}

// show returns the features of a text that are shown this time.
func (f *fitter) show(xs []uint32) []uint32 {
	if f.o.Keep >= 1 {
		return xs
	}
	f.shown = f.shown[:0]
	limit := uint64(f.o.Keep * 256)
	for i, x := range xs {
		if i%8 == 0 {
			f.random ^= f.random << 13
			f.random ^= f.random >> 7
			f.random ^= f.random << 17
		}
		if f.random>>(i%8*8)&255 < limit {
			f.shown = append(f.shown, x)
		}
	}
	return f.shown
}

func (f *fitter) speaks(side int, x uint32) bool { return f.may[side][x>>6]&(1<<(x&63)) != 0 }

// sum returns the log-odds of a set of features and what one of each family is worth.
func (f *fitter) sum(xs []uint32) (float64, [families]float64) {
	var t tally
	for _, x := range xs {
		t.add(x, f.cells[x].w)
	}
	return f.bias + t.sum(), t.norms()
}

func (f *fitter) step(xs []uint32, slope float64, v [families]float64) {
	f.g += slope * slope
	f.bias -= f.o.Rate * slope / math.Sqrt(f.g+1)
	l2, rate := float32(f.o.L2), float32(f.o.Rate)
	var s [families]float32
	for i := range s {
		s[i] = float32(slope * v[i])
	}
	for _, x := range xs {
		ordinary, attack := f.speaks(0, x), f.speaks(1, x)
		if !ordinary && !attack {
			continue
		}
		c := &f.cells[x]
		d := s[family(x)] + l2*c.w
		c.g += d * d
		c.w -= rate * d / float32(math.Sqrt(float64(c.g)+1e-4))
		if !attack && c.w > 0 || !ordinary && c.w < 0 {
			c.w = 0
		}
	}
}

// Fit trains the first model, on examples that x has read, by stochastic gradient descent with per-feature rates (AdaGrad). An ordinary text
// teaches with all its chunks. An attack teaches with those chunks that the model holds for the attack so far
// (noisy or), as most of a long text around an attack is ordinary. The order depends on the seed alone. Examples of
// the fold leave are not used. It ends early, with an error, when ctx does.
func (x *Extractor) Fit(ctx context.Context, examples []Example, spread Spread, leave int, o FitOptions) (*Weights, error) {
	f := &fitter{o: o, cells: make([]cell, size), random: o.Seed*2654435761 + 1}
	for side := range f.may {
		f.may[side] = make([]uint64, size/64+1)
		for x, folds := range spread[side] {
			folds &^= 1 << leave
			if x >= textSize && x < groupStart || folds>>Always != 0 || bits.OnesCount32(folds) >= o.Folds {
				f.may[side][x>>6] |= 1 << (x & 63)
			}
		}
	}
	var order []int
	var total [2]float64
	for i := range examples {
		if e := &examples[i]; e.Fold != leave {
			order = append(order, i)
			total[side(e.Attack)] += e.Weight
		}
	}
	sum := total[0] + total[1]
	balance := [2]float64{sum / 2 / max(total[0], 1e-9), sum / 2 / max(total[1], 1e-9)}
	mean := sum / float64(max(len(order), 1))
	random := rand.New(rand.NewPCG(o.Seed, 17))
	var means []float32 // of the weights after the last passes: their mean holds better than where the last step fell
	for epoch := range o.Epochs {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for i, n := range order {
			if i%1000 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			f.learn(&examples[n], examples[n].Weight/mean*balance[side(examples[n].Attack)], epoch)
		}
		if epoch >= o.Epochs-o.Mean {
			means = f.addTo(means)
		}
	}
	for i, z := range means {
		f.cells[i].w = z / float32(min(o.Mean, o.Epochs))
	}
	w := quantise(f.cells, f.bias)
	w.groups = x.blank.groups
	return w, nil
}

func (f *fitter) addTo(sum []float32) []float32 {
	if sum == nil {
		sum = make([]float32, len(f.cells))
	}
	for i := range f.cells {
		sum[i] += f.cells[i].w
	}
	return sum
}

func side(attack bool) int {
	if attack {
		return 1
	}
	return 0
}

func (f *fitter) learn(e *Example, weight float64, epoch int) {
	y := -1.0
	if e.Attack {
		y = 1
	}
	slope := func(z float64) float64 { return -y / (1 + math.Exp(y*z)) }
	if e.whole != nil {
		whole := f.show(e.whole)
		z, v := f.sum(whole)
		f.step(whole, slope(z)*weight/2, v)
	}
	n := float64(len(e.chunks))
	if e.Attack && len(e.chunks) > 1 && epoch > 0 {
		f.noisyOr(e, weight)
		return
	}
	share := weight / n
	if e.whole != nil {
		share *= min(2, n/2)
	}
	for _, c := range e.chunks {
		if len(c) < 8 && e.whole != nil {
			continue
		}
		c = f.show(c)
		z, v := f.sum(c)
		f.step(c, slope(z)*share, v)
	}
}

// noisyOr makes a step for the probability that at least one chunk is an attack.
func (f *fitter) noisyOr(e *Example, weight float64) {
	none := 1.0
	p := make([]float64, len(e.chunks))
	for i, c := range e.chunks {
		z, _ := f.sum(c)
		p[i] = 1 / (1 + math.Exp(-z))
		none *= 1 - min(p[i], .999)
	}
	pull := none / max(1-none, .02)
	for i, c := range e.chunks {
		if s := min(1, pull*p[i]); s > .005 {
			c = f.show(c)
			_, v := f.sum(c)
			f.step(c, -s*weight, v)
		}
	}
}

func quantise(w []cell, bias float64) *Weights {
	sizes := make([]float32, 0, len(w))
	for _, v := range w {
		if v.w != 0 {
			sizes = append(sizes, float32(math.Abs(float64(v.w))))
		}
	}
	slices.Sort(sizes)
	scale := 1e-6
	if len(sizes) > 0 {
		scale = float64(sizes[int(float64(len(sizes)-1)*.9998)]) / 127
	}
	out := &Weights{first: make([]int8, size), scale: scale, bias: bias}
	for i, v := range w {
		out.first[i] = int8(math.Round(max(-127, min(127, float64(v.w)/scale))))
	}
	return out
}

// Judge reads folded text with the first model.
func Judge(set *rules.Set, w *Weights, s *Scratch, folded []byte) Judged {
	d := s.Document(w)
	defer s.Keep(d)
	d.Window(set, folded, func(rules.Match) {})
	return d.judge(set)
}

// either marks what may speak for a text as well as against it.
var either = [judgeSize]bool{
	judgeBias: true, judgeChunks: true, judgeMentions: true, judgeMaxLong: true, judgeContrast: true, judgeShort: true, judgeShortWhole: true,
	judgeFront: true, judgeFrontMax: true, judgeDocument: true, judgeDocumentMean: true, judgeDocumentLong: true,
	judgeWholeHigh: true, judgeMaxHigh: true,
}

// FitSecond trains the second model on what the first one said of texts that it had not been trained on. It weighs the
// whole and the worst chunks apart; a text is as bad as the worst of them, and that one is what a text teaches. The
// weights of what the rules say cannot be negative: a find never makes a text look better. It ends early, with an
// error, when ctx does.
func (w *Weights) FitSecond(ctx context.Context, rows []Judged, attack []bool, weight []float64) error {
	var total [2]float64
	for i, a := range attack {
		total[side(a)] += weight[i]
	}
	w.second, w.third = [judgeSize]float64{judgeMax: .3, judgeWhole: .3}, [judgeSize]float64{judgeMax: .5, judgeBias: -1.5}
	rate := 1.0
	for range 1000 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var slope, slopeLocal [judgeSize]float64
		for i := range rows {
			z, at := w.worst(&rows[i])
			y := -1.0
			if attack[i] {
				y = 1
			}
			s := -y / (1 + math.Exp(y*z)) * weight[i] / total[side(attack[i])] / 2
			if at < 0 {
				addTo(&slope, &rows[i].Whole, s)
			} else {
				addTo(&slopeLocal, &rows[i].Locals[at], s)
			}
		}
		descend(&w.second, &slope, rate)
		descend(&w.third, &slopeLocal, rate)
		rate *= .998
	}
	return nil
}

func addTo(sum, x *[judgeSize]float64, s float64) {
	for j := range x {
		sum[j] += s * x[j]
	}
}

func descend(v, slope *[judgeSize]float64, rate float64) {
	for j := range v {
		l2 := .0005
		if j == judgeBias {
			l2 = 0
		}
		v[j] -= rate * (slope[j] + l2*v[j])
		if v[j] < 0 && !either[j] {
			v[j] = 0
		}
	}
}

// apply gives the log-odds of the second model: of the whole, or of its worst chunk.
func (w *Weights) apply(x Judged) float64 {
	z, _ := w.worst(&x)
	return z
}

// worst returns the highest log-odds and which chunk has it, -1 for the whole.
func (w *Weights) worst(x *Judged) (z float64, at int) {
	z, at = dot(&w.second, &x.Whole), -1
	for i := range x.Locals {
		if l := dot(&w.third, &x.Locals[i]); l > z {
			z, at = l, i
		}
	}
	return z, at
}

func dot(v, x *[judgeSize]float64) float64 {
	z := 0.0
	for j := range x {
		z += v[j] * x[j]
	}
	return z
}

// Second gives the weights of the second model with their names, for a report.
func (w *Weights) Second() map[string]float64 {
	names := [judgeSize]string{
		"bias", "whole", "max", "top", "chunks", "max_long",
		"strong", "strong2", "some", "some2", "little", "code", "families", "mentions", "contrast", "short", "short_whole", "ruled_whole",
		"whole_high", "max_high", "front", "front_max", "document", "document_mean", "document_long",
	}
	out := map[string]float64{}
	for i, n := range names {
		out[n], out["chunk "+n] = w.second[i], w.third[i]
	}
	return out
}

// WithSecond gives the first model of w with the second one and the thresholds of another.
func (w *Weights) WithSecond(other *Weights) *Weights {
	out := *w
	out.second, out.third, out.Thresholds = other.second, other.third, other.Thresholds
	return &out
}
