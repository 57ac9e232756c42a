package app

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"stoa/internal/learning/graph"
	"stoa/internal/learning/notes"
	"stoa/internal/learning/path"
)

// reading is an owner's notes at one version. It never changes.
type reading struct {
	owner   string
	version int64
	atoms   map[string]*graph.Atom
	spans   map[string]*graph.EvidenceSpan
	units   []*graph.Atom // what is learned one by one, in the order of the documents
	edges   []graph.Edge
	cycles  []graph.Cycle
	notes   int
	bytes   int // of their texts
}

// A note that is long and has sections is learned section by section, any other as one.
const (
	longNote     = 6000 // bytes
	fewSections  = 3
	sequenceHold = 0.3 // how surely a section needs the one before it
)

func newReading(owner string, version int64, g *graph.Library, content map[string]*noteContent) *reading {
	r := &reading{
		owner: owner, version: version, atoms: map[string]*graph.Atom{}, spans: map[string]*graph.EvidenceSpan{},
		edges: g.Edges(), cycles: g.Cycles(), notes: len(content),
	}
	for _, c := range content {
		var sections []*graph.Atom
		size := 0
		for i := range c.Atoms {
			a := &c.Atoms[i]
			r.atoms[a.ID] = a
			size += len(a.Content)
			r.bytes += len(a.Content)
			if a.Role == graph.Concept {
				r.units = append(r.units, a)
			}
			if a.Role == graph.Section {
				sections = append(sections, a)
			}
		}
		if size >= longNote && len(sections) >= fewSections {
			r.units = append(r.units, sections...)
		}
		for i := range c.Spans {
			r.spans[c.Spans[i].ID] = &c.Spans[i]
		}
	}
	for i := range r.edges {
		e := &r.edges[i]
		for _, end := range []string{e.Source, e.Target} { // it holds since both ends are as they are
			if a := r.atoms[end]; a != nil && a.UpdatedAt.After(e.ValidFrom) {
				e.ValidFrom = a.UpdatedAt
			}
		}
	}
	slices.SortFunc(r.units, func(a, b *graph.Atom) int {
		return cmp.Or(cmp.Compare(a.SourcePath, b.SourcePath), cmp.Compare(a.StableKey, b.StableKey))
	})
	return r
}

// ground is what a learner can learn: the notes of everybody and their own. It never changes.
type ground struct {
	shared, own *reading
	units       []*graph.Atom
	number      map[string]int // of a unit
	needs       [][]path.Link
	divergence  []path.Edge
	unmet       []path.Concept // every unit as nobody has met it yet
	views       sync.Pool      // of *path.View over the units, so that plans do not fill the memory
	level       []int          // the longest way from a unit that needs nothing
}

// keptGrounds bounds how many learners' grounds are in memory at a time.
const keptGrounds = 256

// ground gives what a learner can learn now. Those without notes of their own share one.
func (a *App) ground(ctx context.Context, userID string) (*ground, error) {
	shared, err := a.notes.of(everybody).read(ctx)
	if err != nil {
		return nil, err
	}
	own, err := a.notes.of(userID).read(ctx)
	if err != nil {
		return nil, err
	}
	key := userID
	if own.version == 0 {
		key = everybody
	}
	if g, ok := a.grounds.GetIfPresent(key); ok && g.shared == shared && g.own.version == own.version {
		return g, nil
	}
	g := newGround(shared, own)
	a.grounds.Set(key, g)
	return g, nil
}

func newGround(shared, own *reading) *ground {
	g := &ground{shared: shared, own: own}
	g.units = append(append(g.units, shared.units...), own.units...)
	g.number = make(map[string]int, len(g.units))
	for i, a := range g.units {
		g.number[a.ID] = i
	}
	g.needs = make([][]path.Link, len(g.units))
	for _, r := range []*reading{shared, own} {
		for i := range r.edges {
			g.add(&r.edges[i])
		}
	}
	for i, a := range g.units {
		if parent, ok := g.number[a.Parent]; ok && a.Role == graph.Section {
			g.needs[i] = append(g.needs[i], path.Link{To: parent, Weight: sequenceHold})
		}
	}
	g.levels()
	g.unmet = make([]path.Concept, len(g.units))
	for i, a := range g.units {
		c := &g.unmet[i]
		c.ID, c.Prerequisites, c.Evidence = a.ID, g.needs[i], a.EvidenceSpans
		neverMet.Fill(c)
	}
	return g
}

func (g *ground) add(e *graph.Edge) {
	from, ok := g.number[e.Source]
	to, also := g.number[e.Target]
	if !ok || !also {
		return
	}
	switch e.Kind {
	case notes.Prerequisite:
		g.needs[to] = append(g.needs[to], path.Link{To: from, Weight: e.Confidence})
	case notes.Sequence:
		if g.units[to].Role == graph.Section && g.units[from].Role == graph.Section {
			g.needs[to] = append(g.needs[to], path.Link{To: from, Weight: sequenceHold})
		}
	case notes.Analogy, notes.Application, notes.Contrast, notes.Causal:
		g.divergence = append(g.divergence, path.Edge{From: from, To: to, Kind: string(e.Kind), Confidence: e.Confidence, Evidence: e.Evidence})
	}
}

// levels works out the longest way to each unit, in the order in which nothing comes before what it needs.
func (g *ground) levels() {
	g.level = make([]int, len(g.units))
	open := make([]int, len(g.units))
	next := make([][]int, len(g.units))
	var ready []int
	for i, needs := range g.needs {
		open[i] = len(needs)
		for _, l := range needs {
			next[l.To] = append(next[l.To], i)
		}
		if len(needs) == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		for _, j := range next[i] {
			g.level[j] = max(g.level[j], g.level[i]+1)
			if open[j]--; open[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
}

// atom gives an atom of either by its id.
func (g *ground) atom(id string) *graph.Atom {
	if a := g.own.atoms[id]; a != nil {
		return a
	}
	return g.shared.atoms[id]
}

// span gives an evidence span of either by its id.
func (g *ground) span(id string) *graph.EvidenceSpan {
	if s := g.own.spans[id]; s != nil {
		return s
	}
	return g.shared.spans[id]
}
