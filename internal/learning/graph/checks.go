package graph

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"stoa/internal/learning/notes"
)

// doubtedByModel is what an inferred prerequisite is stated with that a language model found to be none, below what locks
// anything. It is set by hand: no model's answers were measured. One that a model confirms keeps its confidence for the same reason.
const doubtedByModel = 0.2

// TextsOf names the texts of two notes by the hashes of their files.
func TextsOf(source, target string) string {
	sum := sha256.Sum256([]byte(source + "\x00" + target))
	return hex.EncodeToString(sum[:12])
}

// Seen turns a judgement to the direction in which a relation stands.
func (v VerdictKind) Seen(same bool) VerdictKind {
	switch {
	case same:
	case v == Confirmed:
		return Reversed
	case v == Reversed:
		return Confirmed
	}
	return v
}

// checked lets what a model said weigh the inferred prerequisites of a pair.
func (l *Library) checked(a, b *node, list []Edge) []Edge {
	c, ok := l.checks[pairOf(a.concept().ID, b.concept().ID)]
	if !ok || c.Texts != TextsOf(l.hashOf(c.Source), l.hashOf(c.Target)) {
		return list
	}
	for i := range list {
		e := &list[i]
		if e.Kind != notes.Prerequisite || e.Provenance != Inferred {
			continue
		}
		if e.Checked = c.Verdict.Seen(e.Source == c.Source); !e.Holds() {
			e.Confidence = doubtedByModel
		}
	}
	return list
}

func (l *Library) hashOf(atomID string) string {
	if n := l.atoms[atomID]; n != nil {
		return n.rec.Hash
	}
	return ""
}

// Judgeable gives the inferred prerequisites between concepts, those of a note together.
func Judgeable(edges []*Edge) []*Edge {
	list := slices.DeleteFunc(slices.Clone(edges), func(e *Edge) bool { return e.Kind != notes.Prerequisite || e.Provenance != Inferred })
	slices.SortFunc(list, func(a, b *Edge) int { return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.ID, b.ID)) })
	return list
}
