package school

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/notes"
	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/path"
	"stoa/internal/learning/units"
)

// notesSnapshot is an owner's notes at one version. It never changes.
type notesSnapshot struct {
	owner   string
	version int64
	atoms   map[string]*graph.Atom
	spans   layered[*graph.EvidenceSpan]
	written map[string][]*graph.Atom // of a document, its beginning and its sections as they stand
	units   []*graph.Atom            // what is learned one by one, in the order of the documents, with their titles as units
	shown   map[string]*graph.Atom   // the same by their ids
	made    map[string]*units.Unit
	asked   sync.Map          // the questions of a unit, by its id; found when they are first asked for
	of      map[string]string // the unit that an atom belongs to
	left    []units.LeftOut
	choices map[string]bool // the member's own decisions, by atom
	lines   map[units.Reason]int
	order   []units.Pair // by the author's numbers and tables of contents
	edges   []*graph.Edge
	cycles  []graph.Cycle
	notes   int
	bytes   int            // of their texts
	sizes   map[string]int // the same by document
	// touched are the atoms that are, were or were others in the snapshot at version follows, which this one was made from; nil
	// when it was made from none.
	touched []string
	follows int64
}

// differing gives the ids of all atoms that may be others than in an earlier snapshot of the same owner's notes.
func (r *notesSnapshot) differing(before *notesSnapshot) iter.Seq[string] {
	if r.touched != nil && r.follows == before.version {
		return slices.Values(r.touched)
	}
	return func(yield func(string) bool) {
		for id := range r.atoms {
			if !yield(id) {
				return
			}
		}
		for id := range before.atoms {
			if r.atoms[id] == nil && !yield(id) {
				return
			}
		}
	}
}

// newNotesSnapshot reads the notes of a library. before is the snapshot made of it last, nil for the first.
func newNotesSnapshot(l *library, before *notesSnapshot) *notesSnapshot {
	r := &notesSnapshot{
		owner: l.owner, version: l.version, choices: maps.Clone(l.choices), edges: l.graph.Edges(), cycles: l.graph.Cycles(), notes: len(l.content),
	}
	r.follow(before, l.since, l.content)
	r.divide(l, before)
	l.since = map[string]*noteContent{}
	return r
}

// divide decides what of the notes is learned one by one.
func (r *notesSnapshot) divide(l *library, before *notesSnapshot) {
	list := l.list(before)
	built := l.builder.Build(list, r.choices)
	r.of, r.left, r.lines, r.order = built.Of, built.Left, built.Lines, l.builder.Order()
	n := len(built.Units)
	r.made, r.shown, r.units = make(map[string]*units.Unit, n), make(map[string]*graph.Atom, n), make([]*graph.Atom, 0, n)
	for i := range built.Units {
		u := &built.Units[i]
		a := r.atoms[u.ID]
		if a == nil {
			continue
		}
		shown := before.same(r, a, u)
		if shown == nil {
			shown = r.unitAtom(a, u)
		}
		r.made[u.ID], r.shown[u.ID] = u, shown
		r.units = append(r.units, shown)
	}
	sortUnits(r.units)
}

// same gives the atom that an earlier snapshot shows for a unit, when it would be the same; r may be nil.
func (r *notesSnapshot) same(now *notesSnapshot, a *graph.Atom, u *units.Unit) *graph.Atom {
	if r == nil || r.atoms[a.ID] != a || len(u.Sections) == 0 {
		return nil
	}
	was := r.made[u.ID]
	if was == nil || was.Title != u.Title || len(was.Sections) != len(u.Sections) || &was.Sections[0] != &u.Sections[0] {
		return nil
	}
	return r.shown[u.ID]
}

// sortUnits sorts units by path and key. They come by path, so that mostly only those of one note are put in order.
func sortUnits(list []*graph.Atom) {
	inOrder := func(a, b *graph.Atom) int {
		return cmp.Or(cmp.Compare(a.SourcePath, b.SourcePath), cmp.Compare(a.StableKey, b.StableKey))
	}
	for i := 0; i < len(list); {
		k := i + 1
		for k < len(list) && list[k].SourcePath == list[i].SourcePath {
			k++
		}
		if k < len(list) && list[k].SourcePath < list[i].SourcePath {
			slices.SortFunc(list, inOrder)
			return
		}
		slices.SortFunc(list[i:k], inOrder)
		i = k
	}
}

const (
	// sequenceHold is how surely a section needs the one before it in its note.
	sequenceHold = 0.3
)

// unitSpans bounds the passages that are named as evidence of a unit.
const unitSpans = 8

// unitAtom is the atom that a unit goes by, with the unit's title and the passages of all its sections.
func (r *notesSnapshot) unitAtom(a *graph.Atom, u *units.Unit) *graph.Atom {
	if u.Title == a.Title && len(u.Sections) == 1 && u.Sections[0].AtomID == a.ID && len(a.EvidenceSpans) <= unitSpans {
		return a // as it is with a card, of which there are tens of thousands
	}
	shown := *a
	shown.Title = u.Title
	shown.EvidenceSpans = nil
	for i := range u.Sections {
		if at := r.atoms[u.Sections[i].AtomID]; at != nil && len(shown.EvidenceSpans) < unitSpans {
			shown.EvidenceSpans = append(shown.EvidenceSpans, at.EvidenceSpans...)
		}
	}
	if len(shown.EvidenceSpans) == 0 {
		shown.EvidenceSpans = a.EvidenceSpans
	}
	return &shown
}

// prepare reads a note's text for its units, once for as long as it and the settings of its vault stay the same.
func (c *noteContent) prepare(r *graph.Record, vault obsidian.Settings) *units.Prepared {
	if p := c.prepared; p != nil && p.Path == r.Path && p.Title == r.Title && p.Vault == vault {
		return p
	}
	n := units.Note{ID: r.DocumentID, Path: r.Path, Title: r.Title, Names: r.Names, Genre: r.Genre, Order: r.Order, Vault: vault, Given: given(r)}
	for i := range c.Atoms {
		if a := &c.Atoms[i]; a.Role != graph.Part {
			n.Atoms = append(n.Atoms, units.Atom{ID: a.ID, Title: a.Title, Depth: len(a.Metadata.SectionPath), Content: a.Content})
		}
	}
	c.prepared = units.Prepare(n)
	return c.prepared
}

// given reports whether a document came from a deck or a concept graph rather than as a note.
func given(r *graph.Record) bool {
	return strings.HasPrefix(r.DocumentID, "anki:") || r.Path == r.DocumentID && strings.Contains(r.Path, "#") && !strings.HasSuffix(strings.ToLower(r.Path), ".md")
}

// bound gives an atom with the spans that hold something. A note of which only the title or nothing is written has none:
// what is said of it rests on nothing.
func bound(a *graph.Atom) *graph.Atom {
	if len(a.EvidenceSpans) == 0 || strings.TrimSpace(a.Content) != "" {
		return a
	}
	empty := *a
	empty.EvidenceSpans = nil
	return &empty
}

// ground is what a learner can read: the notes of everybody and their own. It never changes.
type ground struct{ shared, own *notesSnapshot }

// ground gives the notes as they are now, without what plans need of them.
func (a *School) ground(ctx context.Context, userID string) (ground, error) {
	shared, err := a.notes.of(core.SharedOwner).read(ctx)
	if err != nil {
		return ground{}, err
	}
	own, err := a.notes.of(userID).read(ctx)
	return ground{shared, own}, err
}

// found gives an atom as it is shown: what is learned of it with the unit's title and passages.
func (g ground) found(id string) *graph.Atom {
	for _, r := range []*notesSnapshot{g.own, g.shared} {
		if a := cmp.Or(r.shown[id], r.atoms[id]); a != nil {
			return a
		}
	}
	return nil
}

// curriculum is what a learner can learn: the notes of everybody and their own. It never changes.
type curriculum struct {
	ground
	bank       *bank // the learner's questions
	units      []*graph.Atom
	number     map[string]int // of a unit
	needs      [][]path.Link
	divergence []path.Edge
	unmet      []path.Concept // every unit as nobody has met it yet
	views      sync.Pool      // of *path.View over the units, so that plans do not fill the memory
	level      []int          // the longest way from a unit that needs nothing
	// before and after are, by unit, the units that its author put next to it, and authors all of them in order, one list
	// for each book or folder.
	before, after, authors [][]int
}

// keptCurricula bounds how many learners' grounds are in memory at a time.
const keptCurricula = 256

// curriculum gives what a learner can learn now. Those without notes of their own share one.
func (a *School) curriculum(ctx context.Context, userID string) (*curriculum, error) {
	read, err := a.ground(ctx, userID)
	if err != nil {
		return nil, err
	}
	kept, err := a.banks.of(ctx, userID)
	if err != nil {
		return nil, err
	}
	key := userID
	if read.own.version == 0 && kept.version == 0 {
		key = core.SharedOwner
	}
	if g, ok := a.curricula.GetIfPresent(key); ok && g.shared == read.shared && g.own.version == read.own.version && g.bank.version == kept.version {
		return g, nil
	}
	g := newCurriculum(read, kept)
	a.curricula.Set(key, g)
	return g, nil
}

func newCurriculum(read ground, kept *bank) *curriculum {
	shared, own := read.shared, read.own
	g := &curriculum{ground: read, bank: kept}
	g.units = kept.open(append(append(g.units, shared.units...), own.units...))
	g.number = make(map[string]int, len(g.units))
	for i, a := range g.units {
		g.number[a.ID] = i
	}
	g.needs = make([][]path.Link, len(g.units))
	g.readAuthorOrder()
	for _, r := range []*notesSnapshot{shared, own} {
		for _, e := range r.edges {
			g.add(r, e)
		}
	}
	for i, a := range g.units {
		if a.Role != graph.Section {
			continue
		}
		if parent, ok := g.number[a.Parent]; ok {
			g.need(i, parent, sequenceHold)
		}
		if i == 0 {
			continue
		}
		if before := g.units[i-1]; before.DocumentID == a.DocumentID && before.Role == graph.Section {
			g.need(i, i-1, sequenceHold)
		}
	}
	g.authorOrder()
	g.levels()
	g.unmet = make([]path.Concept, len(g.units))
	for i, a := range g.units {
		c := &g.unmet[i]
		c.ID, c.Prerequisites, c.Evidence = a.ID, g.needs[i], a.EvidenceSpans
		for _, r := range []*notesSnapshot{shared, own} {
			if u := r.made[a.ID]; u != nil {
				c.Letters = u.Weight
				c.Placed = u.Given
			}
		}
		c.Placed = c.Placed || len(g.needs[i]) > 0 || len(g.after[i]) > 0
		(&path.Belief{}).Fill(c)
	}
	g.estimateEarly()
	return g
}

// readAuthorOrder reads the order in which the authors put the units.
func (g *curriculum) readAuthorOrder() {
	g.before, g.after = make([][]int, len(g.units)), make([][]int, len(g.units))
	for _, r := range []*notesSnapshot{g.shared, g.own} {
		for _, p := range r.order {
			from, ok := g.number[p.Before]
			to, also := g.number[p.After]
			if ok && also && from != to {
				g.before[to] = append(g.before[to], from)
				g.after[from] = append(g.after[from], to)
			}
		}
	}
}

// authorPut says whether the author put one unit before another, within mostAuthorSteps.
func (g *curriculum) authorPut(first, second int) bool {
	seen := map[int]bool{second: true}
	stack := []int{second}
	for steps := 0; len(stack) > 0 && steps < mostAuthorSteps; steps++ {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, j := range g.before[i] {
			if j == first {
				return true
			}
			if !seen[j] {
				seen[j] = true
				stack = append(stack, j)
			}
		}
	}
	return false
}

const mostAuthorSteps = 2000

// estimateEarly fills in how early the units seem to come of which no prerequisite is known: what many notes link to
// comes before what links to many.
func (g *curriculum) estimateEarly() {
	in, out := make([]float64, len(g.units)), make([]float64, len(g.units))
	for _, r := range []*notesSnapshot{g.shared, g.own} {
		for _, e := range r.edges {
			from, ok := g.unitOf(r, e.Source)
			to, also := g.unitOf(r, e.Target)
			if e.Kind == notes.Reference && ok && also && from != to {
				out[from]++
				in[to]++
			}
		}
	}
	for i, needs := range g.needs {
		for _, l := range needs {
			in[l.To] += 2
			out[i] += 2
		}
	}
	for i := range g.unmet {
		g.unmet[i].Early = (1 + in[i]) / (2 + in[i] + out[i])
	}
}

// add records what a relation between two atoms says of the units that they belong to.
func (g *curriculum) add(r *notesSnapshot, e *graph.Edge) {
	from, ok := g.unitOf(r, e.Source)
	to, also := g.unitOf(r, e.Target)
	if !ok || !also || from == to {
		return
	}
	switch e.Kind {
	case notes.Prerequisite:
		if e.Provenance == graph.Inferred && g.authorPut(to, from) {
			return // what was inferred never stands against the author's order
		}
		if e.Holds() {
			g.need(to, from, e.Confidence)
		}
	case notes.Analogy, notes.Application, notes.Contrast, notes.Causal:
		g.divergence = append(g.divergence, path.Edge{From: from, To: to, Kind: string(e.Kind), Confidence: e.Confidence, Evidence: e.Evidence})
	}
}

// unitOf gives the number of the unit that an atom belongs to.
func (g *curriculum) unitOf(r *notesSnapshot, atomID string) (int, bool) {
	i, ok := g.number[r.of[atomID]]
	return i, ok
}

// need says that one unit needs another; of what is said twice the surer counts.
func (g *curriculum) need(unit, other int, weight float64) {
	for k := range g.needs[unit] {
		if l := &g.needs[unit][k]; l.To == other {
			l.Weight = max(l.Weight, weight)
			return
		}
	}
	g.needs[unit] = append(g.needs[unit], path.Link{To: other, Weight: weight})
}

// authorOrder works out the order in which the authors put the notes, one list for each book or folder, so that every unit
// comes after what it needs. An order is no prerequisite: what stands before may not be needed, and locks nothing.
func (g *curriculum) authorOrder() {
	all, numbered := make([]int, len(g.units)), 0
	group := make([]int, len(g.units)) // of units that are put before or after each other, by the smallest number
	for i := range all {
		all[i], group[i] = i, i
	}
	root := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	for to, list := range g.before {
		for _, from := range list {
			a, b := root(from), root(to)
			group[max(a, b)] = min(a, b)
			numbered++
		}
	}
	if numbered == 0 {
		return
	}
	needs := make([][]int, len(g.units))
	for i, links := range g.needs {
		for _, l := range links {
			needs[i] = append(needs[i], l.To)
		}
	}
	place := map[int]int{} // of a group's list
	for _, i := range inOrder(inOrder(all, g.before), needs) {
		if len(g.before[i])+len(g.after[i]) == 0 {
			continue
		}
		at, ok := place[root(i)]
		if !ok {
			at = len(g.authors)
			place[root(i)] = at
			g.authors = append(g.authors, nil)
		}
		g.authors[at] = append(g.authors[at], i)
	}
}

// inOrder gives the elements of list so that each comes after those named for it, else as they stand in the list. Cycles
// are cut where they close.
func inOrder(list []int, after [][]int) []int {
	seen := make([]bool, len(list))
	out := make([]int, 0, len(list))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, j := range after[i] {
			visit(j)
		}
		out = append(out, i)
	}
	for _, i := range list {
		visit(i)
	}
	return out
}

// levels works out the longest way to each unit, in the order in which nothing comes before what it needs.
func (g *curriculum) levels() {
	g.level = make([]int, len(g.units))
	open := make([]int, len(g.units))
	next := make([][]int, len(g.units))
	var ready []int
	comes := func(first, then int) {
		next[first] = append(next[first], then)
		open[then]++
	}
	for i, needs := range g.needs {
		for _, l := range needs {
			comes(l.To, i)
		}
	}
	for _, order := range g.authors {
		for k := 1; k < len(order); k++ {
			comes(order[k-1], order[k])
		}
	}
	for i, n := range open {
		if n == 0 {
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

// atom gives an atom of either by its id; one that a unit goes by has the unit's title.
func (g *curriculum) atom(id string) *graph.Atom {
	if i, ok := g.number[id]; ok {
		return g.units[i]
	}
	if a := g.own.atoms[id]; a != nil {
		return a
	}
	return g.shared.atoms[id]
}

// span gives an evidence span of either by its id.
func (g ground) span(id string) *graph.EvidenceSpan {
	if s := g.own.spans.get(id); s != nil {
		return s
	}
	return g.shared.spans.get(id)
}
