package graph

import (
	"maps"
	"slices"
	"time"

	"stoa/internal/learning/notes"
)

// Confidences of what is written: in a relation line, as a bare name, in the mere fact of a link, between sections.
const (
	sureStated   = 0.97
	surePlain    = 0.9
	sureLink     = 0.98
	sureSequence = 0.98
	sureByPath   = 0.6
	// least is the chance of a direction below which a link stays a mere reference; most bounds what is claimed.
	least = 0.6
	most  = 0.95
	// maxEvidence bounds the spans of an edge.
	maxEvidence = 8
)

// settle computes the edges of groups again, breaks cycles and notes what changed.
func (l *Library) settle(work map[group]bool, at time.Time, changes *Changes) {
	candidates := map[string]bool{} // ids whose standing may have changed
	needs := false
	var gone []string
	for g := range work {
		for _, e := range l.groups[g] {
			candidates[e.ID] = true
			delete(l.said, e.ID)
			if e.Kind == notes.Prerequisite {
				gone = append(gone, e.ID)
				needs = true
			}
		}
		delete(l.groups, g)
	}
	for g := range work {
		fresh := l.state(g)
		if len(fresh) == 0 {
			continue
		}
		l.groups[g] = fresh
		for _, e := range fresh {
			candidates[e.ID] = true
			l.said[e.ID] = e
			if e.Kind == notes.Prerequisite {
				l.needs.put(e)
				needs = true
			}
		}
	}
	for _, id := range gone {
		if _, ok := l.said[id]; !ok {
			l.needs.drop(id)
		}
	}
	if needs {
		was := l.broken
		l.cycles = l.needs.breakCycles()
		l.broken = make(map[string]bool, len(l.cycles))
		for i := range l.cycles {
			id := l.cycles[i].Broken.ID
			l.broken[id] = true
			if !was[id] {
				candidates[id] = true
			}
		}
		for id := range was {
			if !l.broken[id] {
				candidates[id] = true
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(candidates)) {
		old, stood := l.active[id]
		now, stands := l.said[id]
		stands = stands && !l.broken[id]
		switch {
		case stands && !stood:
			now.ValidFrom = at
			l.active[id] = now
			changes.Edges = append(changes.Edges, now)
		case stands:
			now.ValidFrom = old.ValidFrom
			if !sameEdge(old, now) {
				l.active[id] = now
				changes.Edges = append(changes.Edges, now)
			}
		case stood:
			delete(l.active, id)
			changes.RemovedEdges = append(changes.RemovedEdges, id)
		}
	}
	changes.Summary.RecomputedRelations = len(work)
	changes.Summary.InvalidatedEdges = len(changes.RemovedEdges)
	changes.Summary.RegeneratedEdges = len(changes.Edges)
}

func sameEdge(a, b Edge) bool {
	return a.Confidence == b.Confidence && a.Provenance == b.Provenance && a.Verdict == b.Verdict && slices.Equal(a.Evidence, b.Evidence)
}

// state gives the edges of a group.
func (l *Library) state(g group) []Edge {
	if l.docs[g.a.rec.DocumentID] != g.a || g.b != nil && l.docs[g.b.rec.DocumentID] != g.b {
		return nil
	}
	switch {
	case g.b == nil:
		return within(g.a)
	case g.alike:
		return alike(g.a, g.b)
	}
	return l.between(g.a, g.b)
}

// within relates the sections of a note: each follows the one before.
func within(n *node) []Edge {
	var list []Edge
	for i, last := 1, 0; i < len(n.rec.Atoms); i++ {
		if a := &n.rec.Atoms[i]; !a.Part {
			list = append(list, edge(notes.Sequence, n.rec.Atoms[last].ID, a.ID, Fact, sureSequence, a.Span))
			last = i
		}
	}
	return list
}

// alike relates two notes that say much of the same.
func alike(a, b *node) []Edge {
	if !slices.Contains(a.near, b) && !slices.Contains(b.near, a) {
		return nil
	}
	s := jaccard(a.rec.Terms, b.rec.Terms)
	kind := notes.Analogy
	if s >= nearlySame {
		kind = notes.Application
	}
	e := edge(kind, a.concept().ID, b.concept().ID, Inferred, max(minSimilar, min(most, s)), a.concept().Span)
	e.Evidence = append(e.Evidence, b.concept().Span)
	return []Edge{e}
}

func edge(kind notes.Kind, source, target string, p Provenance, confidence float64, span string) Edge {
	e := Edge{ID: edgeID(string(kind)+string(p[:1]), source, target), Source: source, Target: target, Kind: kind, Provenance: p, Confidence: rounded(confidence)}
	if span != "" {
		e.Evidence = []string{span}
	}
	return e
}

// between gives the edges that the links of two notes make.
func (l *Library) between(a, b *node) []Edge {
	var list []Edge
	put := func(e Edge) {
		for i := range list {
			if list[i].ID == e.ID {
				list[i].Confidence = max(list[i].Confidence, e.Confidence)
				for _, span := range e.Evidence {
					if len(list[i].Evidence) < maxEvidence && !slices.Contains(list[i].Evidence, span) {
						list[i].Evidence = append(list[i].Evidence, span)
					}
				}
				return
			}
		}
		if len(list) < maxPairEdges {
			list = append(list, e)
		}
	}
	stated := false
	links := 0 // whose meaning is not written
	for _, way := range [2][2]*node{{a, b}, {b, a}} {
		from, to := way[0], way[1]
		if !from.out[to] {
			continue
		}
		for i, t := range from.targets {
			if t != to {
				continue
			}
			r := &from.rec.Links[i]
			switch {
			case r.Inferred:
				source, target := to, from
				if r.Inverse {
					source, target = from, to
				}
				put(edge(r.Kind, source.concept().ID, target.concept().ID, Inferred, sureByPath, r.Span))
			case r.Kind == notes.None || r.Kind == notes.Reference:
				if r.Plain {
					continue
				}
				put(edge(notes.Reference, from.rec.Atoms[r.Section].ID, to.atom(r.Heading), Fact, sureLink, r.Span))
				if r.Kind == notes.None {
					links++
				}
			default:
				source, target := to, from
				if r.Inverse {
					source, target = from, to
				}
				sure := sureStated
				if r.Plain {
					sure = surePlain
				}
				if r.Confidence > 0 {
					sure = r.Confidence
				}
				stated = stated || r.Kind != notes.Sequence
				put(edge(r.Kind, source.concept().ID, target.concept().ID, Fact, sure, r.Span))
			}
		}
	}
	if links > 0 && !stated {
		if e, ok := l.inferredNeed(a, b); ok {
			put(e)
		}
	}
	return l.corrected(a, b, list)
}

// maxPairEdges bounds the edges of one pair of notes.
const maxPairEdges = 200

// corrected lets a member's judgement win.
func (l *Library) corrected(a, b *node, list []Edge) []Edge {
	c, ok := l.verdict[pairOf(a.concept().ID, b.concept().ID)]
	if !ok {
		return list
	}
	var evidence []string
	list = slices.DeleteFunc(list, func(e Edge) bool {
		if e.Kind == notes.Prerequisite {
			evidence = append(evidence, e.Evidence...)
		}
		return e.Kind == notes.Prerequisite
	})
	if c.Verdict == Unrelated {
		return list
	}
	source, target := c.Source, c.Target
	if c.Verdict == Reversed {
		source, target = target, source
	}
	e := edge(notes.Prerequisite, source, target, Fact, 1, "")
	slices.Sort(evidence)
	e.Evidence, e.Verdict = slices.Compact(evidence), c.Verdict
	return append(list, e)
}
