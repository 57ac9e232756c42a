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
	before := map[string]*Edge{} // of ids whose state may have changed: what held, nil where nothing did
	needs := l.takeOut(work, before)
	for g := range work {
		fresh := l.state(g)
		if len(fresh) == 0 {
			continue
		}
		kept := make([]*Edge, len(fresh))
		for i := range fresh {
			e := &fresh[i]
			if len(fresh) > 1 { // it is kept for itself, not with the others of its group
				own := fresh[i]
				e = &own
			}
			e.ValidFrom = at
			if old := before[e.ID]; old != nil {
				e.ValidFrom = old.ValidFrom
			} else {
				before[e.ID] = nil
			}
			kept[i], l.said[e.ID] = e, e
			if e.Kind == notes.Prerequisite {
				needs = true
				if e.Holds() {
					l.needs.put(e)
				} else {
					l.needs.drop(e.ID)
				}
			}
		}
		l.groups[g] = kept
	}
	if needs {
		l.breakAgain(before)
	}
	l.tell(before, at, changes)
	changes.Summary.RecomputedRelations = len(work)
}

// takeOut forgets what the groups said, and reports whether a prerequisite was among it.
func (l *Library) takeOut(work map[group]bool, before map[string]*Edge) (needs bool) {
	for g := range work {
		for _, e := range l.groups[g] {
			e = l.said[e.ID]
			before[e.ID] = nil
			if !l.broken[e.ID] {
				before[e.ID] = e
			}
			delete(l.said, e.ID)
			needs = needs || e.Kind == notes.Prerequisite
		}
		delete(l.groups, g)
	}
	return needs
}

// breakAgain breaks the cycles of prerequisites as they are now.
func (l *Library) breakAgain(before map[string]*Edge) {
	for id, e := range before {
		if _, said := l.said[id]; !said && (e == nil || e.Kind == notes.Prerequisite) {
			l.needs.drop(id)
		}
	}
	was := l.broken
	l.cycles = l.needs.breakCycles()
	l.broken = make(map[string]bool, len(l.cycles))
	for i := range l.cycles {
		id := l.cycles[i].Broken.ID
		l.broken[id] = true
		if _, known := before[id]; !known && !was[id] {
			before[id] = l.said[id]
		}
	}
	for id := range was {
		if _, known := before[id]; !known && !l.broken[id] {
			before[id] = nil
		}
	}
}

// tell notes what holds now and did not before, or the other way round.
func (l *Library) tell(before map[string]*Edge, at time.Time, changes *Changes) {
	ids := slices.Sorted(maps.Keys(before))
	defer l.resort(ids)
	for _, id := range ids {
		old, now := before[id], l.said[id]
		stands := now != nil && !l.broken[id]
		switch {
		case stands && old == nil:
			if !now.ValidFrom.Equal(at) { // it was broken; the old one may be in use elsewhere
				dated := *now
				dated.ValidFrom = at
				l.said[id], now = &dated, &dated
			}
			changes.Edges = append(changes.Edges, *now)
		case stands:
			if !sameEdge(old, now) {
				changes.Edges = append(changes.Edges, *now)
			}
		case old != nil:
			changes.RemovedEdges = append(changes.RemovedEdges, id)
			changes.Ended, changes.At = append(changes.Ended, *old), at
		}
	}
	changes.Summary.InvalidatedEdges = len(changes.RemovedEdges)
	changes.Summary.RegeneratedEdges = len(changes.Edges)
}

func sameEdge(a, b *Edge) bool {
	return a.Confidence == b.Confidence && a.Provenance == b.Provenance && a.Verdict == b.Verdict && a.Checked == b.Checked && slices.Equal(a.Evidence, b.Evidence)
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
	return l.corrected(a, b, l.checked(a, b, list))
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
