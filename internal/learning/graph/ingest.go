package graph

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa/internal/learning/notes"
)

// Ingest takes documents in and gives everything that changed.
func (l *Library) Ingest(b Batch) Changes {
	at := b.At.UTC()
	var out Changes
	plan := l.plan(b)
	most := b.MaxAtoms
	if most > 0 {
		most = max(most, l.count) // what is there already may be created again
	}
	parsed, tooMany := l.readAll(plan, most, at)
	if tooMany > 0 {
		return Changes{TooManyAtoms: tooMany}
	}
	var swaps []swap
	for _, id := range plan.deleted {
		n := l.docs[id]
		swaps = append(swaps, swap{id: id})
		out.RemovedRecords = append(out.RemovedRecords, id)
		for i := range n.rec.Atoms {
			out.RemovedAtoms = append(out.RemovedAtoms, n.rec.Atoms[i].ID)
		}
		out.Staleness = append(out.Staleness, Staleness{DocumentID: id, SourcePath: n.rec.Path, Status: Deleted, PreviousHash: n.rec.Hash, PreviousVersion: n.rec.Version})
	}
	atoms, spans := 0, 0
	for _, r := range parsed {
		atoms, spans = atoms+len(r.atoms), spans+len(r.spans)
	}
	out.Atoms, out.Spans = slices.Grow(out.Atoms, atoms), slices.Grow(out.Spans, spans)
	for i, r := range parsed {
		u := plan.upserts[i]
		s := Staleness{DocumentID: u.id, SourcePath: r.record.Path, Status: New, CurrentHash: r.record.Hash, CurrentVersion: r.record.Version}
		if old := l.docs[u.id]; old != nil {
			s.Status, s.PreviousHash, s.PreviousVersion = Updated, old.rec.Hash, old.rec.Version
			if old.rec.Path != r.record.Path {
				s.MovedFrom = old.rec.Path
			}
			if old.rec.Hash == r.record.Hash {
				s.Status = Unchanged // it only moved
			}
		}
		out.Staleness = append(out.Staleness, s)
		out.Records = append(out.Records, r.record)
		out.Atoms = append(out.Atoms, r.atoms...)
		out.Spans = append(out.Spans, r.spans...)
		out.Superseded = append(out.Superseded, r.superseded...)
		out.RemovedAtoms = append(out.RemovedAtoms, r.removed...)
		out.Temporal = append(out.Temporal, r.temporal...)
		swaps = append(swaps, swap{id: u.id, record: &r.record})
		r.atoms, r.spans = nil, nil // out has them
	}
	for _, id := range plan.unchanged {
		r := &l.docs[id].rec
		out.Staleness = append(out.Staleness, Staleness{DocumentID: id, SourcePath: r.Path, Status: Unchanged, PreviousHash: r.Hash, CurrentHash: r.Hash, PreviousVersion: r.Version, CurrentVersion: r.Version})
	}
	slices.SortStableFunc(out.Staleness, func(a, b Staleness) int { return strings.Compare(a.SourcePath, b.SourcePath) })
	mode := b.Mode
	if mode == Auto || mode == NoRecompute || mode == "" {
		mode = Incremental
		if 2*len(swaps) > len(l.docs)+len(swaps) {
			mode = Full
		}
	}
	edges := l.apply(swaps, b.Mode == Full, at)
	out.Edges, out.RemovedEdges, out.Ended, out.At, out.Summary = edges.Edges, edges.RemovedEdges, edges.Ended, at, edges.Summary
	out.Summary.Ingested, out.Summary.Changed, out.Summary.Deleted, out.Summary.Mode = len(b.Documents), len(parsed), len(plan.deleted), mode
	l.total(&out)
	return out
}

// each calls f for 0..n-1 on all processors and comes back when all are done.
func each(n int, f func(int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	wait.Wait()
}

// upsert is a document to be read, with the id it has.
type upsert struct {
	id  string
	doc Document
	// hash of the content; parsed is set when the id had to be looked for in the note.
	hash   string
	parsed *notes.Document
}

type plan struct {
	upserts   []upsert
	deleted   []string
	unchanged []string
}

// plan decides for every document of a batch whether it is new, changed, moved or gone, and under which id.
func (l *Library) plan(b Batch) plan {
	var p plan
	gone := map[string]bool{}
	for _, r := range b.Deleted {
		if id := l.id(r); id != "" {
			gone[id] = true
		}
	}
	moved := map[string]string{} // new path → id
	for _, m := range b.Moves {
		if id := l.id(m.Ref); id != "" && m.To != "" {
			moved[m.To] = id
		}
	}
	docs := b.Documents
	hashes := make([]string, len(docs))
	each(len(docs), func(i int) { hashes[i] = hash(docs[i].Content) })
	here := make(map[string]bool, len(docs))
	for _, d := range docs {
		here[d.Path] = true
	}
	missing := map[string][]string{}
	if b.Whole {
		missing = l.vanished(b.Root, here, gone)
	}
	early := &parsedEarly{docs: make([]*notes.Document, len(docs)), ids: make([]string, len(docs)), done: make([]bool, len(docs))} // whose id is in the note, if anywhere
	each(len(docs), func(i int) {
		if d := docs[i]; d.ID == "" && l.paths[d.Path] == "" && moved[d.Path] == "" && len(missing[hashes[i]]) == 0 {
			early.parse(i, d)
		}
	})
	last := map[string]int{} // id → index in upserts: the last of one id counts
	taken := map[string]bool{}
	for i, d := range docs {
		u := upsert{id: d.ID, doc: d, hash: hashes[i]}
		if u.id == "" {
			u.id = moved[d.Path]
			delete(moved, d.Path)
		}
		if u.id == "" {
			u.id = l.paths[d.Path]
		}
		if same := missing[u.hash]; u.id == "" && len(same) > 0 && strings.TrimSpace(d.Content) != "" {
			u.id = same[0]
			missing[u.hash] = same[1:]
		}
		if u.id == "" {
			if u.id, u.parsed = early.of(i, d); u.id == "" || taken[u.id] || l.docs[u.id] != nil && !gone[u.id] && l.docs[u.id].rec.Path != d.Path {
				u.id = d.Path
			}
		}
		if u.id == "" {
			u.id = digest("doc_", u.hash)
		}
		delete(gone, u.id)
		taken[u.id] = true
		l.addUpsert(&p, last, u)
	}
	for to, id := range moved { // moves without content
		n := l.docs[id]
		if n == nil || gone[id] || taken[id] || n.rec.Path == to {
			continue
		}
		delete(gone, id)
		p.upserts = append(p.upserts, upsert{id: id, doc: Document{ID: id, Path: to}, hash: ""})
	}
	for id := range gone {
		p.deleted = append(p.deleted, id)
	}
	slices.Sort(p.deleted)
	return p
}

// vanished gives the ids of the documents below root that are not here any more, by hash, and notes that they are gone.
func (l *Library) vanished(root string, here, gone map[string]bool) map[string][]string {
	missing := map[string][]string{}
	for id, n := range l.docs {
		if !here[n.rec.Path] && strings.HasPrefix(n.rec.Path, root) {
			gone[id] = true
			missing[n.rec.Hash] = append(missing[n.rec.Hash], id)
		}
	}
	for h := range missing {
		slices.Sort(missing[h])
	}
	return missing
}

// addUpsert puts a document into a plan, in place of an earlier one of the same id; last says where those are.
func (l *Library) addUpsert(p *plan, last map[string]int, u upsert) {
	i, again := last[u.id]
	old := l.docs[u.id]
	switch {
	case again:
		p.upserts[i] = u
	case old != nil && old.rec.Hash == u.hash && old.rec.Path == u.doc.Path:
		p.unchanged = append(p.unchanged, u.id)
	default:
		last[u.id] = len(p.upserts)
		p.upserts = append(p.upserts, u)
	}
}

func (l *Library) id(r Ref) string {
	if r.ID != "" && l.docs[r.ID] != nil {
		return r.ID
	}
	return l.paths[r.Path]
}

func parse(d Document) *notes.Document {
	if d.Given != nil {
		return d.Given()
	}
	parsed := notes.Parse(notes.Source{Path: d.Path, Content: d.Content, Language: d.Language})
	return &parsed
}

// oldest is the earlier of two times, of which either may be unknown.
func oldest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
