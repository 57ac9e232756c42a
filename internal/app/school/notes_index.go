package school

import (
	"context"
	"errors"
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
}

// syncedNotes says what of an owner's notes is in the index.
type syncedNotes struct {
	reading *notesSnapshot
	atoms   map[string]string // id → hash and version
	bare    map[string]bool   // ids of atoms that wait for their vectors
	edges   map[string]bool
}

func newNoteIndex(now clock.Clock, most int, s *store.Store, c *core.Config, mask func(string) string) *noteIndex {
	x := &noteIndex{clock: now, most: most, index: retrieval.New(search.Tokens, embedderName(c), c.Embedder.Dims), synced: map[string]*syncedNotes{}}
	if c.Embedder.Model != nil {
		x.remoteEmbedder = &embedding{Embedder: c.Embedder, store: s, clock: now, mask: mask}
	}
	return x
}

// current says whether the index holds a reading whole.
func (s *syncedNotes) current(r *notesSnapshot) bool {
	return s != nil && s.reading == r && len(s.bare) == 0
}

// sync brings the index in step with notes. Atoms whose vectors an embedder did not give are found by their words.
func (x *noteIndex) sync(ctx context.Context, readings ...*notesSnapshot) error {
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
func (x *noteIndex) vectorsOf(ctx context.Context, r *notesSnapshot) (map[string][]float32, error) {
	if x.remoteEmbedder == nil {
		return nil, nil
	}
	var wanted []*graph.Atom
	x.mu.Lock()
	s := x.synced[r.owner]
	current := s.current(r)
	if !current {
		for id, a := range r.atoms {
			if s == nil || s.bare[id] || s.atoms[id] != markOf(a) {
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

func markOf(a *graph.Atom) string { return a.Metadata.SourceHash + a.SourcePath }

func (x *noteIndex) syncOne(r *notesSnapshot, vectors map[string][]float32) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := x.synced[r.owner]; s.current(r) {
		return nil
	}
	x.requests++
	if x.index.Size()-x.held(r.owner)+len(r.atoms) > x.most {
		x.failures++
		x.lastError, x.full = errIndexFull.Error(), true
		return errIndexFull
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
		return len(s.atoms)
	}
	return 0
}

// take puts what differs from before into the index.
func (x *noteIndex) take(r *notesSnapshot, before *syncedNotes, vectors map[string][]float32) *syncedNotes {
	if before == nil {
		before = &syncedNotes{}
	}
	next := &syncedNotes{reading: r, atoms: make(map[string]string, len(r.atoms)), bare: map[string]bool{}, edges: make(map[string]bool, len(r.edges))}
	var put []retrieval.Entry
	for id, a := range r.atoms {
		mark, vector := markOf(a), vectors[id]
		next.atoms[id] = mark
		changed := before.atoms[id] != mark
		if x.remoteEmbedder != nil && vector == nil && (changed || before.bare[id]) {
			next.bare[id] = true
		}
		if changed || before.bare[id] && vector != nil {
			e := entryOf(r.owner, a)
			e.Vector = vector
			put = append(put, e)
		}
	}
	x.index.Put(put...)
	var gone []string
	for id := range before.atoms {
		if _, there := next.atoms[id]; !there {
			gone = append(gone, id)
		}
	}
	x.index.Remove(gone...)
	var relate []retrieval.Relation
	for i := range r.edges {
		e := &r.edges[i]
		next.edges[e.ID] = true
		if !before.edges[e.ID] {
			relate = append(relate, retrieval.Relation{ID: e.ID, Owner: r.owner, Source: e.Source, Target: e.Target, Kind: string(e.Kind), Confidence: e.Confidence})
		}
	}
	x.index.Relate(relate...)
	var loose []string
	for id := range before.edges {
		if !next.edges[id] {
			loose = append(loose, id)
		}
	}
	x.index.Unrelate(loose...)
	return next
}

// drop takes an owner's notes out again.
func (x *noteIndex) drop(owner string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := x.synced[owner]; s != nil {
		x.take(&notesSnapshot{owner: owner}, s, nil)
		delete(x.synced, owner)
	}
}

func entryOf(owner string, a *graph.Atom) retrieval.Entry {
	return retrieval.Entry{
		AtomID: a.ID, Owner: owner, DocumentID: a.DocumentID, Title: a.Title, Content: a.Content, Evidence: a.EvidenceSpans, Version: a.Metadata.Version,
		SourceHash: a.Metadata.SourceHash, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
}
