package notebook

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/retrieval"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
)

// noteIndex is the index that questions about notes are answered from. It holds the notes of whoever asked lately and is
// brought in step with them before it answers.
type noteIndex struct {
	clock          clock.Clock
	index          *retrieval.Index
	most           int        // atoms
	remoteEmbedder *embedding // nil: vectors are made here

	mu     sync.Mutex
	synced map[string]*syncedNotes // by owner
	// What the diagnostics tell.
	requests, successes, failures int64
	lastAt                        time.Time
	lastError                     string
	full                          bool  // the last sync found no room
	queries, fallbacks            int64 // of everybody, since the process began
	candidates                    int
	exact                         bool
	compared                      comparisonSums
}

// syncedNotes says what of an owner's notes is in the index.
type syncedNotes struct {
	reading *NotesSnapshot
	bare    map[string]bool // ids of atoms that wait for their vectors
}

func newNoteIndex(now clock.Clock, most int, s *store.Store, c *core.Config, mask func(string) string) *noteIndex {
	x := &noteIndex{clock: now, most: most, index: retrieval.New(search.Tokens, embedderName(c), c.Embedder.Dims), synced: map[string]*syncedNotes{}}
	if c.Embedder.Model != nil {
		x.remoteEmbedder = &embedding{Embedder: c.Embedder, store: s, clock: now, mask: mask}
	}
	return x
}

// current says whether the index holds a reading whole.
func (s *syncedNotes) current(r *NotesSnapshot) bool {
	return s != nil && s.reading == r && len(s.bare) == 0
}

// differing gives the ids of all atoms of a reading that may have to be put into the index or taken out.
func (s *syncedNotes) differing(r *NotesSnapshot) iter.Seq[string] {
	if len(s.bare) > 0 {
		return (&NotesSnapshot{Atoms: r.Atoms}).differing(s.reading)
	}
	return r.differing(s.reading)
}

// sync brings the index in step with notes. Atoms whose vectors an embedder did not give are found by their words.
func (x *noteIndex) sync(ctx context.Context, readings ...*NotesSnapshot) error {
	var late error
	for _, r := range readings {
		vectors, err := x.vectorsOf(ctx, r)
		late = errors.Join(late, err)
		if err := x.syncOne(r, vectors); err != nil {
			return err
		}
	}
	return late
}

// vectorsOf asks the embedder for what the index lacks. It takes no lock while it waits.
func (x *noteIndex) vectorsOf(ctx context.Context, r *NotesSnapshot) (map[string][]float32, error) {
	if x.remoteEmbedder == nil {
		return nil, nil
	}
	var wanted []*graph.Atom
	x.mu.Lock()
	s := x.synced[r.owner]
	current := s.current(r)
	if !current {
		if s == nil {
			s = &syncedNotes{reading: &NotesSnapshot{}}
		}
		for id := range s.differing(r) {
			a, old := r.Atoms[id], s.reading.Atoms[id]
			if a != nil && (s.bare[id] || old == nil || markOf(old) != markOf(a)) {
				wanted = append(wanted, a)
			}
		}
	}
	x.mu.Unlock()
	if current {
		return nil, nil
	}
	if err := x.remoteEmbedder.forget(ctx, r); err != nil {
		return nil, err
	}
	slices.SortFunc(wanted, func(a, b *graph.Atom) int { return strings.Compare(a.ID, b.ID) })
	return x.remoteEmbedder.vectors(ctx, r.owner, wanted)
}

func markOf(a *graph.Atom) [2]string { return [2]string{a.Metadata.SourceHash, a.SourcePath} }

func (x *noteIndex) syncOne(r *NotesSnapshot, vectors map[string][]float32) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := x.synced[r.owner]; s.current(r) {
		return nil
	}
	x.requests++
	if x.index.Size()-x.held(r.owner)+len(r.Atoms) > x.most {
		x.failures++
		x.lastError, x.full = errIndexFull.Error(), true
		return errIndexFull
	}
	if x.synced[r.owner] == nil && r.Bytes+lineWeight*len(r.Atoms) >= LargeNotes {
		defer CollectOften(TightGarbage)()
	}
	x.synced[r.owner] = x.take(r, x.synced[r.owner], vectors)
	x.lastAt, x.lastError, x.full = x.clock(), "", false
	if len(x.synced[r.owner].bare) > 0 {
		x.failures++
		return nil
	}
	x.successes++
	return nil
}

// held is how many atoms of an owner the index holds.
func (x *noteIndex) held(owner string) int {
	if s := x.synced[owner]; s != nil {
		return len(s.reading.Atoms)
	}
	return 0
}

// take puts what differs from before into the index.
func (x *noteIndex) take(r *NotesSnapshot, before *syncedNotes, vectors map[string][]float32) *syncedNotes {
	if before == nil {
		before = &syncedNotes{reading: &NotesSnapshot{}}
	}
	next := &syncedNotes{reading: r, bare: map[string]bool{}}
	put := make([]retrieval.Entry, 0, indexBy)
	flush := func(least int) {
		if len(put) >= least {
			x.index.Put(put...)
			put = put[:0]
		}
	}
	var gone []string
	for id := range before.differing(r) {
		a, vector, old := r.Atoms[id], vectors[id], before.reading.Atoms[id]
		if a == nil {
			if old != nil {
				gone = append(gone, id)
			}
			continue
		}
		changed := old != a && (old == nil || markOf(old) != markOf(a))
		if x.remoteEmbedder != nil && vector == nil && (changed || before.bare[id]) {
			next.bare[id] = true
		}
		if changed || before.bare[id] && vector != nil {
			e := entryOf(r.owner, a)
			e.Vector = vector
			put = append(put, e)
			flush(indexBy)
		}
	}
	flush(1)
	x.index.Remove(gone...)
	x.relate(r, before.reading)
	return next
}

// indexBy is how many atoms or relations go into the index at a time.
const indexBy = 256

// relate puts the relations that differ into the index. Both lists are ordered by id.
func (x *noteIndex) relate(r, before *NotesSnapshot) {
	relate := make([]retrieval.Relation, 0, indexBy)
	var loose []string
	old := before.Edges
	for _, e := range r.Edges {
		if len(old) > 0 && old[0] == e {
			old = old[1:]
			continue
		}
		for len(old) > 0 && old[0].ID < e.ID {
			loose, old = append(loose, old[0].ID), old[1:]
		}
		if len(old) > 0 && old[0].ID == e.ID {
			same := old[0].Confidence == e.Confidence
			if old = old[1:]; same {
				continue
			}
		}
		relate = append(relate, retrieval.Relation{ID: e.ID, Owner: r.owner, Source: e.Source, Target: e.Target, Kind: string(e.Kind), Confidence: e.Confidence})
		if len(relate) == indexBy {
			x.index.Relate(relate...)
			relate = relate[:0]
		}
	}
	for _, e := range old {
		loose = append(loose, e.ID)
	}
	x.index.Relate(relate...)
	x.index.Unrelate(loose...)
}

// drop takes an owner's notes out again.
func (x *noteIndex) drop(owner string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := x.synced[owner]; s != nil {
		x.take(&NotesSnapshot{owner: owner}, s, nil)
		delete(x.synced, owner)
	}
}

func entryOf(owner string, a *graph.Atom) retrieval.Entry {
	return retrieval.Entry{
		AtomID: a.ID, Owner: owner, DocumentID: a.DocumentID, Title: a.Title, Content: a.Content, Evidence: a.EvidenceSpans, Version: a.Metadata.Version,
		SourceHash: a.Metadata.SourceHash, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
}
