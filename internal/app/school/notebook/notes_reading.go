package notebook

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
	"stoa/internal/learning/latex"
	"stoa/internal/learning/notes"
	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/path"
	"stoa/internal/learning/units"
)

// NotesSnapshot is an owner's notes at one version. It never changes.
type NotesSnapshot struct {
	owner   string
	Version int64
	Atoms   map[string]*graph.Atom
	spans   layered[*graph.EvidenceSpan]
	Written map[string][]*graph.Atom // of a document, its beginning and its sections as they stand
	Units   []*graph.Atom            // what is learned one by one, in the order of the documents, with their titles as units
	Shown   map[string]*graph.Atom   // the same by their ids
	Made    map[string]*units.Unit
	asked   sync.Map          // the questions of a unit, by its id; found when they are first asked for
	of      map[string]string // the unit that an atom belongs to
	left    []units.LeftOut
	choices map[string]bool // the member's own decisions, by atom
	lines   map[units.Reason]int
	order   []units.Pair // by the author's numbers and tables of contents
	Edges   []*graph.Edge
	Cycles  []graph.Cycle
	vaults  obsidian.Vaults // the settings of the vaults that the notes stand in
	macros  sync.Map        // latex.Macros of a document, by its id; found when they are first asked for
	Notes   int
	Bytes   int            // of their texts
	sizes   map[string]int // the same by document
	// touched are the atoms that are, were or were others in the snapshot at version follows, which this one was made from; nil
	// when it was made from none.
	touched []string
	follows int64
}

// differing gives the ids of all atoms that may be others than in an earlier snapshot of the same owner's notes.
func (r *NotesSnapshot) differing(before *NotesSnapshot) iter.Seq[string] {
	if r.touched != nil && r.follows == before.Version {
		return slices.Values(r.touched)
	}
	return func(yield func(string) bool) {
		for id := range r.Atoms {
			if !yield(id) {
				return
			}
		}
		for id := range before.Atoms {
			if r.Atoms[id] == nil && !yield(id) {
				return
			}
		}
	}
}

// newNotesSnapshot reads the notes of a library. before is the snapshot made of it last, nil for the first.
func newNotesSnapshot(l *library, before *NotesSnapshot) *NotesSnapshot {
	r := &NotesSnapshot{
		owner: l.owner, Version: l.version, choices: maps.Clone(l.choices), Edges: l.graph.Edges(), Cycles: l.graph.Cycles(), Notes: len(l.content),
	}
	r.follow(before, l.since, l.content)
	r.divide(l, before)
	l.since = map[string]*noteContent{}
	return r
}

// divide decides what of the notes is learned one by one.
func (r *NotesSnapshot) divide(l *library, before *NotesSnapshot) {
	list := l.list(before)
	r.vaults = l.vaults
	built := l.builder.Build(list, r.choices)
	r.of, r.left, r.lines, r.order = built.Of, built.Left, built.Lines, l.builder.Order()
	n := len(built.Units)
	r.Made, r.Shown, r.Units = make(map[string]*units.Unit, n), make(map[string]*graph.Atom, n), make([]*graph.Atom, 0, n)
	for i := range built.Units {
		u := &built.Units[i]
		a := r.Atoms[u.ID]
		if a == nil {
			continue
		}
		shown := before.same(r, a, u)
		if shown == nil {
			shown = r.unitAtom(a, u)
		}
		r.Made[u.ID], r.Shown[u.ID] = u, shown
		r.Units = append(r.Units, shown)
	}
	sortUnits(r.Units)
}

// MacrosOf gives the macros that the formulas of a document may use: those of its vault, and those that it defines itself.
func (r *NotesSnapshot) MacrosOf(documentID string) latex.Macros {
	if found, ok := r.macros.Load(documentID); ok {
		return found.(latex.Macros)
	}
	written := r.Written[documentID]
	if len(written) == 0 {
		return nil
	}
	macros := latex.Preamble(r.vaults.Of(written[0].SourcePath).Macros)
	for _, a := range written {
		own, _ := latex.Define(a.Content)
		macros = macros.With(own)
	}
	r.macros.Store(documentID, macros)
	return macros
}

// same gives the atom that an earlier snapshot shows for a unit, when it would be the same; r may be nil.
func (r *NotesSnapshot) same(now *NotesSnapshot, a *graph.Atom, u *units.Unit) *graph.Atom {
	if r == nil || r.Atoms[a.ID] != a || len(u.Sections) == 0 {
		return nil
	}
	was := r.Made[u.ID]
	if was == nil || was.Title != u.Title || len(was.Sections) != len(u.Sections) || &was.Sections[0] != &u.Sections[0] {
		return nil
	}
	return r.Shown[u.ID]
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
func (r *NotesSnapshot) unitAtom(a *graph.Atom, u *units.Unit) *graph.Atom {
	if u.Title == a.Title && len(u.Sections) == 1 && u.Sections[0].AtomID == a.ID && len(a.EvidenceSpans) <= unitSpans {
		return a // as it is with a card, of which there are tens of thousands
	}
	shown := *a
	shown.Title = u.Title
	shown.EvidenceSpans = nil
	for i := range u.Sections {
		if at := r.Atoms[u.Sections[i].AtomID]; at != nil && len(shown.EvidenceSpans) < unitSpans {
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

// Ground is what a learner can read: the notes of everybody and their own. It never changes.
type Ground struct{ Shared, Own *NotesSnapshot }

// ground gives the notes as they are now, without what plans need of them.
func (a *Service) ground(ctx context.Context, userID string) (Ground, error) {
	shared, err := a.Notes.Of(core.SharedOwner).Read(ctx)
	if err != nil {
		return Ground{}, err
	}
	own, err := a.Notes.Of(userID).Read(ctx)
	return Ground{shared, own}, err
}

// found gives an atom as it is shown: what is learned of it with the unit's title and passages.
func (g Ground) found(id string) *graph.Atom {
	for _, r := range []*NotesSnapshot{g.Own, g.Shared} {
		if a := cmp.Or(r.Shown[id], r.Atoms[id]); a != nil {
			return a
		}
	}
	return nil
}

// Curriculum is what a learner can learn: the notes of everybody and their own. It never changes.
type Curriculum struct {
	Ground
	Bank       *Bank // the learner's questions
	Units      []*graph.Atom
	Number     map[string]int // of a unit
	Needs      [][]path.Link
	Divergence []path.Edge
	Unmet      []path.Concept // every unit as nobody has met it yet
	Views      sync.Pool      // of *path.View over the units, so that plans do not fill the memory
	Level      []int          // the longest way from a unit that needs nothing
	// before and after are, by unit, the units that its author put next to it, and authors all of them in order, one list
	// for each book or folder.
	before, after, Authors [][]int
}

// keptCurricula bounds how many learners' grounds are in memory at a time.
const keptCurricula = 256

// Curriculum gives what a learner can learn now. Those without notes of their own share one.
func (a *Service) Curriculum(ctx context.Context, userID string) (*Curriculum, error) {
	read, err := a.ground(ctx, userID)
	if err != nil {
		return nil, err
	}
	kept, err := a.Banks.Of(ctx, userID)
	if err != nil {
		return nil, err
	}
	key := userID
	if read.Own.Version == 0 && kept.version == 0 {
		key = core.SharedOwner
	}
	if g, ok := a.curricula.GetIfPresent(key); ok && g.Shared == read.Shared && g.Own.Version == read.Own.Version && g.Bank.version == kept.version {
		return g, nil
	}
	g := newCurriculum(read, kept)
	a.curricula.Set(key, g)
	return g, nil
}

func newCurriculum(read Ground, kept *Bank) *Curriculum {
	shared, own := read.Shared, read.Own
	g := &Curriculum{Ground: read, Bank: kept}
	g.Units = kept.open(append(append(g.Units, shared.Units...), own.Units...))
	g.Number = make(map[string]int, len(g.Units))
	for i, a := range g.Units {
		g.Number[a.ID] = i
	}
	g.Needs = make([][]path.Link, len(g.Units))
	g.readAuthorOrder()
	for _, r := range []*NotesSnapshot{shared, own} {
		for _, e := range r.Edges {
			g.add(r, e)
		}
	}
	for i, a := range g.Units {
		if a.Role != graph.Section {
			continue
		}
		if parent, ok := g.Number[a.Parent]; ok {
			g.need(i, parent, sequenceHold)
		}
		if i == 0 {
			continue
		}
		if before := g.Units[i-1]; before.DocumentID == a.DocumentID && before.Role == graph.Section {
			g.need(i, i-1, sequenceHold)
		}
	}
	g.authorOrder()
	g.levels()
	g.Unmet = make([]path.Concept, len(g.Units))
	for i, a := range g.Units {
		c := &g.Unmet[i]
		c.ID, c.Prerequisites, c.Evidence = a.ID, g.Needs[i], a.EvidenceSpans
		for _, r := range []*NotesSnapshot{shared, own} {
			if u := r.Made[a.ID]; u != nil {
				c.Letters = u.Weight
				c.Placed = u.Given
			}
		}
		c.Placed = c.Placed || len(g.Needs[i]) > 0 || len(g.after[i]) > 0
		(&path.Belief{}).Fill(c)
	}
	g.estimateEarly()
	return g
}

// readAuthorOrder reads the order in which the authors put the units.
func (g *Curriculum) readAuthorOrder() {
	g.before, g.after = make([][]int, len(g.Units)), make([][]int, len(g.Units))
	for _, r := range []*NotesSnapshot{g.Shared, g.Own} {
		for _, p := range r.order {
			from, ok := g.Number[p.Before]
			to, also := g.Number[p.After]
			if ok && also && from != to {
				g.before[to] = append(g.before[to], from)
				g.after[from] = append(g.after[from], to)
			}
		}
	}
}

// authorPut says whether the author put one unit before another, within mostAuthorSteps.
func (g *Curriculum) authorPut(first, second int) bool {
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
func (g *Curriculum) estimateEarly() {
	in, out := make([]float64, len(g.Units)), make([]float64, len(g.Units))
	for _, r := range []*NotesSnapshot{g.Shared, g.Own} {
		for _, e := range r.Edges {
			from, ok := g.unitOf(r, e.Source)
			to, also := g.unitOf(r, e.Target)
			if e.Kind == notes.Reference && ok && also && from != to {
				out[from]++
				in[to]++
			}
		}
	}
	for i, needs := range g.Needs {
		for _, l := range needs {
			in[l.To] += 2
			out[i] += 2
		}
	}
	for i := range g.Unmet {
		g.Unmet[i].Early = (1 + in[i]) / (2 + in[i] + out[i])
	}
}

// add records what a relation between two atoms says of the units that they belong to.
func (g *Curriculum) add(r *NotesSnapshot, e *graph.Edge) {
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
		g.Divergence = append(g.Divergence, path.Edge{From: from, To: to, Kind: string(e.Kind), Confidence: e.Confidence, Evidence: e.Evidence})
	}
}

// unitOf gives the number of the unit that an atom belongs to.
func (g *Curriculum) unitOf(r *NotesSnapshot, atomID string) (int, bool) {
	i, ok := g.Number[r.of[atomID]]
	return i, ok
}

// need says that one unit needs another; of what is said twice the surer counts.
func (g *Curriculum) need(unit, other int, weight float64) {
	for k := range g.Needs[unit] {
		if l := &g.Needs[unit][k]; l.To == other {
			l.Weight = max(l.Weight, weight)
			return
		}
	}
	g.Needs[unit] = append(g.Needs[unit], path.Link{To: other, Weight: weight})
}

// authorOrder works out the order in which the authors put the notes, one list for each book or folder, so that every unit
// comes after what it needs. An order is no prerequisite: what stands before may not be needed, and locks nothing.
func (g *Curriculum) authorOrder() {
	all, numbered := make([]int, len(g.Units)), 0
	group := make([]int, len(g.Units)) // of units that are put before or after each other, by the smallest number
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
	needs := make([][]int, len(g.Units))
	for i, links := range g.Needs {
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
			at = len(g.Authors)
			place[root(i)] = at
			g.Authors = append(g.Authors, nil)
		}
		g.Authors[at] = append(g.Authors[at], i)
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
func (g *Curriculum) levels() {
	g.Level = make([]int, len(g.Units))
	open := make([]int, len(g.Units))
	next := make([][]int, len(g.Units))
	var ready []int
	comes := func(first, then int) {
		next[first] = append(next[first], then)
		open[then]++
	}
	for i, needs := range g.Needs {
		for _, l := range needs {
			comes(l.To, i)
		}
	}
	for _, order := range g.Authors {
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
			g.Level[j] = max(g.Level[j], g.Level[i]+1)
			if open[j]--; open[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
}

// Atom gives an atom of either by its id; one that a unit goes by has the unit's title.
func (g *Curriculum) Atom(id string) *graph.Atom {
	if i, ok := g.Number[id]; ok {
		return g.Units[i]
	}
	if a := g.Own.Atoms[id]; a != nil {
		return a
	}
	return g.Shared.Atoms[id]
}

// Span gives an evidence span of either by its id.
func (g Ground) Span(id string) *graph.EvidenceSpan {
	if s := g.Own.spans.get(id); s != nil {
		return s
	}
	return g.Shared.spans.get(id)
}
