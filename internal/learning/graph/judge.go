package graph

import (
	"math"

	"stoa/internal/learning/notes"
)

// NeedLabel is a judgement by hand on two notes, by their paths without folder and extension.
type NeedLabel struct {
	Before, After string
	// Needed says that Before is necessary for After; else they only have to do with each other, or not even that.
	Needed bool
}

// NeedBin are the inferred prerequisites that were stated with about the same confidence.
type NeedBin struct {
	From, To float64 // of the confidence
	Stated   int
	Mean     float64 // of the confidences
	Right    float64 // share that is right
}

// NeedFigures say how the inferred prerequisites of a library stand against judgements by hand.
type NeedFigures struct {
	Labels, Needed int
	Stated         int // labelled pairs with an inferred prerequisite
	Right          int
	Related        int // no prerequisite by the label
	Reversed       int
	Inferred       int // in the whole library
	AgainstNumbers int // inferred, against the author's numbers in one folder
	Bins           []NeedBin
}

// Precision is the share of the stated ones that are right, Recall that of the needed pairs that are stated.
func (f *NeedFigures) Precision() float64 { return float64(f.Right) / math.Max(1, float64(f.Stated)) }

// Recall is the share of the needed pairs that are stated in the right direction.
func (f *NeedFigures) Recall() float64 { return float64(f.Right) / math.Max(1, float64(f.Needed)) }

// JudgeNeeds compares the inferred prerequisites with judgements by hand.
func (l *Library) JudgeNeeds(labels []NeedLabel) NeedFigures {
	f := NeedFigures{Labels: len(labels), Bins: []NeedBin{{From: 0.6, To: 0.75}, {From: 0.75, To: 0.85}, {From: 0.85, To: 0.951}}}
	stated := map[[2]string]float64{}
	for _, e := range l.said {
		if e.Kind != notes.Prerequisite || e.Provenance != Inferred || l.broken[e.ID] {
			continue
		}
		f.Inferred++
		a, b := l.atoms[e.Source], l.atoms[e.Target]
		if a == nil || b == nil {
			continue
		}
		stated[[2]string{baseOf(a), baseOf(b)}] = e.Confidence
		if numbered(a, b) < 0 {
			f.AgainstNumbers++
		}
	}
	for _, x := range labels {
		before, after := notes.Fold(x.Before), notes.Fold(x.After)
		if x.Needed {
			f.Needed++
		}
		forth, ok := stated[[2]string{before, after}]
		back, reversed := stated[[2]string{after, before}]
		switch {
		case ok && x.Needed:
			f.Right++
			f.bin(forth, 1)
		case ok:
			f.Related++
			f.bin(forth, 0)
		case reversed && x.Needed:
			f.Reversed++
			f.bin(back, 0)
		}
	}
	f.Stated = f.Right + f.Related + f.Reversed
	return f
}

func (f *NeedFigures) bin(confidence, right float64) {
	for i := range f.Bins {
		if b := &f.Bins[i]; confidence >= b.From && confidence < b.To {
			b.Stated++
			n := float64(b.Stated)
			b.Mean += (confidence - b.Mean) / n
			b.Right += (right - b.Right) / n
		}
	}
}

// baseOf is the name of a note's file without folder and extension, folded.
func baseOf(n *node) string {
	for i := len(n.clean) - 1; i >= 0; i-- {
		if n.clean[i] == '/' {
			return n.clean[i+1:]
		}
	}
	return n.clean
}
