package graph

import (
	"testing"

	"stoa/internal/learning/notes"
)

// TestUnknownWordings infers prerequisites from the relation lines of a whole vault whose wordings are hidden, and compares
// them with what these wordings mean. No weight was fitted on this vault.
func TestUnknownWordings(t *testing.T) {
	l, typed := mathwiki(t, sameLabel)
	before := map[[2]*node]bool{}
	for _, s := range typed {
		first, then := s.from, s.to
		if s.y {
			first, then = then, first
		}
		before[[2]*node{first, then}] = true
	}
	stated, right, reversed, confidence := 0, 0, 0, 0.0
	var high, highRight int // stated at about .9
	for _, e := range l.Edges() {
		if e.Kind != notes.Prerequisite || e.Provenance != Inferred {
			continue
		}
		a, b := l.atoms[e.Source], l.atoms[e.Target]
		stated++
		confidence += e.Confidence
		if e.Confidence >= 0.875 {
			high++
			if before[[2]*node{a, b}] {
				highRight++
			}
		}
		switch {
		case before[[2]*node{a, b}]:
			right++
		case before[[2]*node{b, a}]:
			reversed++
		}
	}
	share, mean := float64(right)/float64(stated), confidence/float64(stated)
	t.Logf("%d stated with %.3f, %.3f right, %.3f reversed, the rest only related", stated, mean, share, float64(reversed)/float64(stated))
	t.Logf("%d stated with .875 and more, %.3f of them right", high, float64(highRight)/float64(max(1, high)))
	if stated < 500 || share < 0.80 || float64(reversed) > 0.08*float64(stated) || share < mean-0.05 || share > mean+0.10 {
		t.Errorf("%d stated with %.3f: %.3f right, %d reversed", stated, mean, share, reversed)
	}
}
