package graph

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Library is the graph of one owner in memory. It is not safe for concurrent use. When what Ingest returned cannot be
// stored, drop the Library and Open it again.
type Library struct {
	owner   string
	docs    map[string]*node // by document id
	paths   map[string]string
	names   nameIndex
	wants   map[string]map[*node]bool // notes with a link that looks a name up
	likes   *buckets
	pools   map[string]*pool
	groups  map[group][]*Edge        // what is said, before cycles are broken
	atoms   map[string]*node         // concept atom → its document
	verdict map[[2]string]Correction // of the member
	checks  map[[2]string]Correction // of a language model; they are of linked notes
	said    map[string]*Edge         // by id, before cycles are broken
	cycles  []Cycle
	broken  map[string]bool // those of said that do not hold
	sorted  []*Edge         // those that hold, by id; nil before somebody asked
	needs   *needs          // the prerequisites among them
	shares  map[group][]share
	open    int // links that name no note
	count   int // atoms
}

// group is what edges are recomputed together: those a document makes by itself (b nil), those of a pair by links, or
// those of a pair by likeness. a's id is the smaller.
type group struct {
	a, b  *node
	alike bool
}

// Open builds the Library of an owner from its records and corrections. Owner is part of every atom's id: give all
// owners different ones. Edges that it finds are in Edges; their ValidFrom is zero.
func Open(owner string, records []Record, corrections []Correction) *Library {
	l := &Library{
		owner: owner, docs: map[string]*node{}, paths: map[string]string{}, names: nameIndex{}, wants: map[string]map[*node]bool{},
		likes: newBuckets(), pools: map[string]*pool{}, groups: map[group][]*Edge{}, atoms: map[string]*node{},
		verdict: map[[2]string]Correction{}, checks: map[[2]string]Correction{}, broken: map[string]bool{},
		said: map[string]*Edge{}, needs: newNeeds(), shares: map[group][]share{},
	}
	for _, c := range corrections {
		l.keep(c)
	}
	boundRecords(records)
	replace := make([]swap, 0, len(records))
	for i := range records {
		if len(records[i].Atoms) > 0 {
			replace = append(replace, swap{id: records[i].DocumentID, record: &records[i]})
		}
	}
	l.apply(replace, false, time.Time{})
	return l
}

// Edges gives every relation that holds, ordered by id. They must not be changed, and the Library changes none of them
// either: what is different later is another Edge.
func (l *Library) Edges() []*Edge {
	if l.sorted != nil {
		return slices.Clip(l.sorted)
	}
	list := make([]*Edge, 0, len(l.said)-len(l.broken))
	for id, e := range l.said {
		if !l.broken[id] {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *Edge) int { return strings.Compare(a.ID, b.ID) })
	l.sorted = list
	return slices.Clip(list)
}

// resort brings the sorted relations in step after those of ids, which are sorted, have changed. The list that was given out stays.
func (l *Library) resort(ids []string) {
	if l.sorted == nil {
		return
	}
	rest, list := l.sorted, make([]*Edge, 0, len(l.sorted)+len(ids))
	for _, id := range ids {
		i, found := slices.BinarySearchFunc(rest, id, func(e *Edge, id string) int { return strings.Compare(e.ID, id) })
		list, rest = append(list, rest[:i]...), rest[i:]
		if found {
			rest = rest[1:]
		}
		if e := l.said[id]; e != nil && !l.broken[id] {
			list = append(list, e)
		}
	}
	l.sorted = append(list, rest...)
}

// Cycles gives the cycles of prerequisites and where they were broken.
func (l *Library) Cycles() []Cycle { return slices.Clone(l.cycles) }

// Records gives what Open needs to build the Library again, ordered by document.
func (l *Library) Records() []Record {
	ids := slices.Sorted(maps.Keys(l.docs))
	list := make([]Record, len(ids))
	for i, id := range ids {
		list[i] = l.docs[id].rec
	}
	return list
}

// EachRecord gives the records in no order, without copies. They must not be changed.
func (l *Library) EachRecord(yield func(*Record) bool) {
	for _, n := range l.docs {
		if !yield(&n.rec) {
			return
		}
	}
}

// RecordOf gives the record of a document, nil when there is none. It must not be changed.
func (l *Library) RecordOf(documentID string) *Record {
	if n := l.docs[documentID]; n != nil {
		return &n.rec
	}
	return nil
}

// DocumentOf gives the id of the document that a concept stands in; "" for what is no concept of this Library.
func (l *Library) DocumentOf(atomID string) string {
	if n := l.atoms[atomID]; n != nil {
		return n.rec.DocumentID
	}
	return ""
}

// Correct takes a judgement on two concepts and gives what it changes. A judgement on atoms that are no concepts of this
// Library is kept and counts when they come.
func (l *Library) Correct(c Correction, at time.Time) Changes {
	l.keep(c)
	return l.judge(c, at)
}

func (l *Library) keep(c Correction) {
	if c.Texts != "" {
		l.checks[pairOf(c.Source, c.Target)] = c
	} else {
		l.verdict[pairOf(c.Source, c.Target)] = c
	}
}

// Withdraw takes back what a member or a model said of two concepts.
func (l *Library) Withdraw(source, target string, at time.Time) Changes {
	c := Correction{Source: source, Target: target}
	delete(l.verdict, pairOf(source, target))
	delete(l.checks, pairOf(source, target))
	return l.judge(c, at)
}

func (l *Library) judge(c Correction, at time.Time) Changes {
	a, b := l.atoms[c.Source], l.atoms[c.Target]
	changes := Changes{Summary: Summary{Mode: Incremental}}
	if a != nil && b != nil && a != b {
		g := pairGroup(a, b)
		l.settle(map[group]bool{g: true}, at, &changes)
	}
	l.total(&changes)
	return changes
}

func (l *Library) total(c *Changes) {
	c.Cycles = l.Cycles()
	c.Summary.ActiveAtoms, c.Summary.ActiveEdges = l.count, len(l.said)-len(l.broken)
	c.Summary.UnresolvedLinks, c.Summary.BrokenEdges = l.open, len(l.broken)
	for _, n := range l.docs {
		c.Summary.FoldedLinks += n.rec.Folded
	}
}

func pairOf(a, b string) [2]string {
	if a > b {
		a, b = b, a
	}
	return [2]string{a, b}
}

func pairGroup(a, b *node) group {
	if byDocument(a, b) > 0 {
		a, b = b, a
	}
	return group{a: a, b: b}
}

// swap puts a record in the place of a document's; nil takes the document out.
type swap struct {
	id     string
	record *Record
}

// apply changes documents and everything that follows from it, and gives the edges that changed.
func (l *Library) apply(swaps []swap, full bool, at time.Time) Changes {
	var changes Changes
	x := swapped{outNames: map[string]map[string]bool{}, inNames: map[string][]claim{}, changed: make([]*node, 0, len(swaps)), leaving: map[*node]bool{}}
	for _, s := range swaps {
		l.swap(s, &x)
	}
	for _, s := range swaps { // a path given twice belongs to the last
		if s.record != nil {
			l.paths[s.record.Path] = s.id
		}
	}
	l.names.change(x.outNames, x.inNames)
	changed, leaving := x.changed, x.leaving
	dirty := map[*node]bool{}
	for _, n := range changed {
		dirty[n] = true
	}
	for name := range x.outNames {
		for n := range l.wants[name] {
			dirty[n] = true
		}
	}
	for name := range x.inNames {
		for n := range l.wants[name] {
			dirty[n] = true
		}
	}
	if full {
		for _, n := range l.docs {
			dirty[n] = true
		}
	}
	touched := map[*node]bool{} // notes whose features or links changed
	for _, n := range changed {
		touched[n] = true
	}
	work := map[group]bool{}
	for n := range dirty {
		l.connect(n, leaving[n], touched, work)
	}
	if full {
		maps.Copy(touched, dirty)
	}
	for n := range touched {
		for m := range n.out {
			work[pairGroup(n, m)] = true
		}
		for m := range n.in {
			work[pairGroup(n, m)] = true
		}
	}
	for _, n := range changed {
		work[group{a: n}] = true
		for m := range l.judgedWith(n) {
			work[pairGroup(n, m)] = true
		}
	}
	l.compare(changed, x.outLikes, x.inLikes, leaving, full, work)
	for n := range leaving {
		delete(l.docs, n.rec.DocumentID)
	}
	l.repool(work)
	l.settle(work, at, &changes)
	return changes
}

// swapped is what swaps leave behind: names and sketches that notes had and have, the notes that changed, those that leave.
type swapped struct {
	outNames          map[string]map[string]bool
	inNames           map[string][]claim
	outLikes, inLikes []placing
	changed           []*node
	leaving           map[*node]bool
}

// swap puts one record in the place of a document's.
func (l *Library) swap(s swap, x *swapped) {
	n := l.docs[s.id]
	if n == nil {
		if s.record == nil {
			return
		}
		n = newNode()
		l.docs[s.id] = n
	} else {
		for name := range n.names {
			if x.outNames[name] == nil {
				x.outNames[name] = map[string]bool{}
			}
			x.outNames[name][s.id] = true
		}
		for _, b := range n.sketch {
			x.outLikes = append(x.outLikes, placing{b, n})
		}
		l.unwant(n)
		delete(l.atoms, n.concept().ID)
		l.count -= len(n.rec.Atoms)
		if l.paths[n.rec.Path] == s.id {
			delete(l.paths, n.rec.Path)
		}
	}
	x.changed = append(x.changed, n)
	if s.record == nil {
		x.leaving[n] = true
		return
	}
	n.set(*s.record)
	l.paths[n.rec.Path] = s.id
	l.atoms[n.concept().ID] = n
	l.count += len(n.rec.Atoms)
	for name, rank := range n.names {
		x.inNames[name] = append(x.inNames[name], claim{s.id, rank})
	}
	for _, b := range n.sketch {
		x.inLikes = append(x.inLikes, placing{b, n})
	}
	l.want(n)
}

// judgedWith gives the notes that corrections name together with n. There are few corrections.
func (l *Library) judgedWith(n *node) map[*node]bool {
	with := map[*node]bool{}
	if len(l.verdict) == 0 {
		return with
	}
	id := n.concept().ID
	for pair := range l.verdict {
		for i, other := range pair {
			if pair[1-i] == id && other != id && l.atoms[other] != nil {
				with[l.atoms[other]] = true
			}
		}
	}
	return with
}

func (l *Library) want(n *node) {
	for i := range n.rec.Links {
		for _, key := range n.rec.Links[i].Keys {
			if l.wants[key] == nil {
				l.wants[key] = map[*node]bool{}
			}
			l.wants[key][n] = true
		}
	}
}

func (l *Library) unwant(n *node) {
	for i := range n.rec.Links {
		for _, key := range n.rec.Links[i].Keys {
			delete(l.wants[key], n)
			if len(l.wants[key]) == 0 {
				delete(l.wants, key)
			}
		}
	}
}

// connect resolves the links of a note again. Notes at either end of a link that is new or gone are touched, and the
// pairs that were linked are work.
func (l *Library) connect(n *node, leaving bool, touched map[*node]bool, work map[group]bool) {
	l.open -= n.open
	n.open = 0
	old := n.out
	n.out, n.targets = map[*node]bool{}, make([]*node, len(n.rec.Links))
	if leaving {
		n.targets = nil
	}
	for i := range n.targets {
		t := l.find(n, n.rec.Links[i].Keys)
		if n.targets[i] = t; t == nil {
			if !n.rec.Links[i].Plain && !n.rec.Links[i].Inferred {
				n.open++
			}
			continue
		}
		if t != n {
			n.out[t] = true
		}
	}
	l.open += n.open
	for t := range old {
		work[pairGroup(n, t)] = true
		if !n.out[t] {
			delete(t.in, n)
			touched[n], touched[t] = true, true
		}
	}
	for t := range n.out {
		if !old[t] {
			t.in[n] = true
			touched[n], touched[t] = true, true
		}
	}
	if leaving {
		for from := range n.in {
			work[pairGroup(n, from)] = true
		}
	}
}

// compare finds for every note whose neighbourhood changed the notes it is like.
func (l *Library) compare(changed []*node, out, in []placing, leaving map[*node]bool, full bool, work map[group]bool) {
	seen, again := map[*node]bool{}, map[*node]bool{}
	l.likes.change(out, in, seen, again)
	for _, n := range changed {
		again[n] = true
	}
	for n := range seen {
		if again[n] {
			continue
		}
		// The notes it is compared with are the same but for what the changed ones say now.
		if len(changed) > fewChanged || slices.ContainsFunc(changed, func(c *node) bool {
			return slices.Contains(n.near, c) || likely(&n.least, &c.least) && jaccard(n.rec.Terms, c.rec.Terms) >= minSimilar
		}) {
			again[n] = true
		}
	}
	if full {
		for _, n := range l.docs {
			again[n] = true
		}
	}
	for n := range again {
		was := n.near
		n.near = nil
		if !leaving[n] {
			n.near = l.likes.nearest(n)
		}
		for _, m := range append(was, n.near...) {
			g := pairGroup(n, m)
			g.alike = true
			work[g] = true
		}
	}
}

// fewChanged is up to how many changed notes it pays to ask whom they concern.
const fewChanged = 32
