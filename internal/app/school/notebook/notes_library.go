package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"stoa/internal/learning/graph"
	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/units"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// libraries keep the notes of their owners in memory, in step with the store: whatever another node has changed is taken
// over before an answer is given. Notes that nobody asked for lately are dropped and read again.
type libraries struct {
	store *store.Store
	mu    sync.Mutex
	kept  *otter.Cache[string, *library]
}

// keptLibraries bounds how many owners' notes are in memory at a time.
const keptLibraries = 512

// newLibraries tells dropped of every owner whose notes are no longer in memory.
func newLibraries(s *store.Store, dropped func(owner string)) *libraries {
	return &libraries{store: s, kept: otter.Must(&otter.Options[string, *library]{
		MaximumSize: keptLibraries, OnDeletion: func(e otter.DeletionEvent[string, *library]) { dropped(e.Key) },
	})}
}

// Of gives the place of an owner's notes.
func (l *libraries) Of(owner string) *library {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lib, ok := l.kept.GetIfPresent(owner); ok {
		return lib
	}
	lib := &library{owner: owner, store: l.store}
	l.kept.Set(owner, lib)
	return lib
}

// library is one owner's notes. One change at a time; readers get the current snapshot.
type library struct {
	owner string
	store *store.Store
	Took  atomic.Int64 // µs that the last ingest took, 0 before this process had one

	mu      sync.Mutex
	version int64 // of the notes in graph
	graph   *graph.Library
	verdict map[[2]string]graph.Correction
	choices map[string]bool         // what the member included (true) or left out, by atom
	content map[string]*noteContent // by document
	reading *NotesSnapshot          // made of them when it is asked for
	last    *NotesSnapshot          // the one made last; what did not change since is taken from it
	since   map[string]*noteContent // what the documents that changed since were then, nil for new ones; nil when that is not known
	listed  []*units.Prepared       // the notes of last, in their order
	builder units.Builder           // of its units
	vaults  obsidian.Vaults         // settings among the notes of listed
}

// noteContent is what is kept of a document besides its record.
type noteContent struct {
	Atoms []graph.Atom         `json:"atoms"`
	Spans []graph.EvidenceSpan `json:"spans"`
	path  string
	// length is that of its texts, once it was asked for.
	length int
	// prepared is the text in blocks, made when it is first asked for.
	prepared *units.Prepared
	// bound are the atoms as they are shown, written those that stand in the note; see bind.
	bound, written []*graph.Atom
}

// bytes is the length of its texts.
func (c *noteContent) bytes() int {
	if c.length == 0 {
		for i := range c.Atoms {
			c.length += len(c.Atoms[i].Content)
		}
	}
	return c.length
}

// share has texts that stand in several places of a document and its record, as ids and names do, in memory once.
func (c *noteContent) share(r *graph.Record) {
	seen := map[string]string{}
	once := func(texts ...*string) {
		for _, text := range texts {
			if same, ok := seen[*text]; ok {
				*text = same
			} else {
				seen[*text] = *text
			}
		}
	}
	once(&r.DocumentID, &r.Path, &r.Hash, &r.Title, &c.path)
	for i := range r.Names {
		once(&r.Names[i])
	}
	for i := range r.Atoms {
		a := &r.Atoms[i]
		once(&a.ID, &a.Key, &a.Heading, &a.Hash, &a.Span)
	}
	for i := range r.Links {
		once(&r.Links[i].Span)
	}
	for i := range c.Atoms {
		a := &c.Atoms[i]
		once(&a.ID, &a.StableKey, &a.DocumentID, &a.SourcePath, &a.Title, &a.Content, &a.Metadata.SourceHash, &a.Metadata.Language, &a.Parent)
		for k := range a.EvidenceSpans {
			once(&a.EvidenceSpans[k])
		}
	}
	for i := range c.Spans {
		s := &c.Spans[i]
		once(&s.ID, &s.DocumentID, &s.SourcePath, &s.Language, &s.Snippet, &s.SourceHash)
	}
}

// Read gives the notes as they are now.
func (l *library) Read(ctx context.Context) (*NotesSnapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.look(ctx)
}

// Release gives the notes as they are now and lets go of what only changes of them need. That is read again for the next change, or
// for the next link that is followed.
func (l *library) Release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.look(ctx); err != nil {
		return err
	}
	l.graph, l.content, l.since, l.listed, l.vaults = nil, nil, nil, nil, nil
	l.builder = units.Builder{} // it knows the notes that were let go of, and those that are read again are others to it
	return nil
}

func (l *library) look(ctx context.Context) (*NotesSnapshot, error) {
	if l.graph == nil && l.reading != nil { // let go of
		if version, _, err := l.store.NotesVersion(ctx, l.owner); err != nil || version == l.reading.Version {
			return l.reading, err
		}
	}
	if err := l.follow(ctx, l.store.Queries); err != nil {
		return nil, err
	}
	if l.reading == nil {
		l.reading = newNotesSnapshot(l, l.last)
		l.last = l.reading
	}
	return l.reading, nil
}

// follow applies what has changed in the store. The graph is rebuilt: changes of other nodes are rare.
func (l *library) follow(ctx context.Context, q store.Queries) error {
	version, emptied, err := q.NotesVersion(ctx, l.owner)
	if err != nil || (l.graph != nil && version == l.version) {
		return err
	}
	known := map[string]graph.Record{}
	if l.graph == nil || l.version < emptied {
		l.version, l.graph = 0, nil
		l.content, l.verdict, l.choices, l.since = map[string]*noteContent{}, map[[2]string]graph.Correction{}, map[string]bool{}, nil
	} else {
		for _, r := range l.graph.Records() {
			known[r.DocumentID] = r
		}
	}
	size, taken, usual := 0, 0, func() {}
	defer func() { usual() }()
	err = q.EachNoteSince(ctx, l.owner, l.version, func(n *schooldb.Note) error {
		before := size
		taken++
		if size += len(n.Record) + len(n.Content); before < LargeNotes && size >= LargeNotes {
			usual = CollectOften(TightGarbage)
		}
		return l.take(n, known)
	})
	var corrections []schooldb.Correction
	if err == nil {
		corrections, err = q.CorrectionsSince(ctx, l.owner, l.version)
	}
	if err != nil {
		if size > 0 {
			l.graph = nil // a part of what changed was taken over
		}
		return err
	}
	for _, c := range corrections {
		l.judge(c)
	}
	if l.graph != nil && taken == 0 && len(corrections) <= fewCorrections {
		for _, c := range corrections {
			l.recorrect(c)
		}
		l.version, l.reading = version, nil
		return nil
	}
	records := make([]graph.Record, 0, len(known))
	for _, id := range slices.Sorted(maps.Keys(known)) {
		records = append(records, known[id])
	}
	clear(known)
	l.graph = graph.Open(l.owner, records, slices.Collect(maps.Values(l.verdict)))
	l.version, l.reading = version, nil
	return nil
}

// fewCorrections is up to how many it is quicker to bring them into the graph than to build it again.
const fewCorrections = 32

// recorrect brings what is said of a pair into the graph, after another node or a run has changed it.
func (l *library) recorrect(c schooldb.Correction) {
	if c.Source == c.Target {
		return
	}
	at := clock.FromMicros(c.CorrectedAt)
	l.graph.Withdraw(c.Source, c.Target, at)
	for _, key := range [2][2]string{{c.Source, c.Target}, {c.Target, c.Source}} {
		if said, ok := l.verdict[key]; ok {
			l.graph.Correct(said, at)
		}
	}
}

// take puts a note in its place, and its record among those that are known.
func (l *library) take(n *schooldb.Note, known map[string]graph.Record) error {
	l.changing(n.DocumentID)
	delete(known, n.DocumentID)
	delete(l.content, n.DocumentID)
	if n.Deleted {
		return nil
	}
	// The lists have their final size at once: grown step by step, those of a note of many sections are in memory twice.
	r := graph.Record{Atoms: make([]graph.AtomRecord, 0, n.Atoms)}
	c := &noteContent{path: n.Path, Atoms: make([]graph.Atom, 0, n.Atoms), Spans: make([]graph.EvidenceSpan, 0, n.Atoms)}
	if err := errors.Join(json.Unmarshal(n.Record, &r), json.Unmarshal(n.Content, c)); err != nil {
		return err
	}
	c.share(&r)
	known[n.DocumentID], l.content[n.DocumentID] = r, c
	return nil
}

// judge notes a correction, or that it was taken back.
func (l *library) judge(c schooldb.Correction) {
	if c.Source == c.Target {
		delete(l.choices, c.Source)
		if c.Verdict != "" {
			l.choices[c.Source] = c.Verdict == choiceLearn
		}
		return
	}
	key := [2]string{c.Source, c.Target}
	delete(l.verdict, key)
	if c.Verdict != "" {
		l.verdict[key] = graph.Correction{Source: c.Source, Target: c.Target, Verdict: graph.VerdictKind(c.Verdict), Texts: c.Texts}
	}
}

// Change runs f on the notes as they are now and keeps what it changed, in one transaction with what also adds. When
// somebody else was faster it runs again.
func (l *library) Change(ctx context.Context, f func(g *graph.Library) (graph.Changes, []schooldb.Correction), also func(tx *store.Tx, c graph.Changes) error) (graph.Changes, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for attempt := 0; ; attempt++ {
		if err := l.follow(ctx, l.store.Queries); err != nil {
			return graph.Changes{}, err
		}
		before := l.version
		changes, corrections := f(l.graph)
		var version int64
		err := l.store.Write(ctx, func(tx *store.Tx) error {
			at, err := tx.LockNotes(l.owner)
			if err != nil {
				return err
			}
			if at != before {
				return errOvertaken
			}
			version = at + 1
			if err := l.keep(tx, changes, corrections, version); err != nil {
				return err
			}
			return also(tx, changes)
		})
		if err == nil {
			l.applyCommitted(changes, corrections, version)
			return changes, nil
		}
		l.graph, l.version, l.reading = nil, 0, nil // it holds what is not kept
		if !errors.Is(err, errOvertaken) || attempt == 4 {
			return graph.Changes{}, err
		}
	}
}

var errOvertaken = errors.New("app: another node changed the notes first")

// keep writes what an ingest changed.
func (l *library) keep(tx *store.Tx, changes graph.Changes, corrections []schooldb.Correction, version int64) error {
	content := contents(changes)
	for i := range changes.Records {
		r := &changes.Records[i]
		c := content[r.DocumentID]
		if c == nil {
			c = l.content[r.DocumentID] // it only moved
		}
		record, err := json.Marshal(r)
		if err != nil {
			return err
		}
		text, err := json.Marshal(c)
		if err != nil {
			return err
		}
		now := clock.Micros(tx.Now)
		n := schooldb.Note{
			Owner: l.owner, DocumentID: r.DocumentID, Changed: version, Path: r.Path, Title: r.Title, Hash: r.Hash, Version: int64(r.Version),
			Atoms: int64(len(r.Atoms)), Record: record, Content: text, CreatedAt: now, UpdatedAt: now,
		}
		if len(c.Atoms) > 0 {
			n.Language = c.Atoms[0].Metadata.Language
		}
		if err := tx.PutNote(n); err != nil {
			return err
		}
	}
	for _, id := range changes.RemovedRecords {
		if err := tx.DropNote(l.owner, id, version); err != nil {
			return err
		}
	}
	for _, t := range changes.Temporal {
		if err := tx.AddReplaced(l.owner, schooldb.Replaced{ID: t.ID, Source: t.Source, Target: t.Target, Kind: string(t.Kind), Hash: t.SourceDocumentHash, ValidFrom: clock.Micros(t.ValidFrom)}); err != nil {
			return err
		}
	}
	if len(changes.Temporal) > 0 {
		if err := tx.TrimReplaced(l.owner); err != nil {
			return err
		}
	}
	for _, c := range corrections {
		c.Owner, c.Changed, c.CorrectedAt = l.owner, version, clock.Micros(tx.Now)
		if err := tx.PutCorrection(c); err != nil {
			return err
		}
	}
	return nil
}

// applyCommitted applies what is now on disk.
func (l *library) applyCommitted(changes graph.Changes, corrections []schooldb.Correction, version int64) {
	for _, c := range corrections {
		l.judge(c)
	}
	for id, c := range contents(changes) {
		l.changing(id)
		l.content[id] = c
	}
	for _, r := range changes.Records {
		l.changing(r.DocumentID)
		if c := l.content[r.DocumentID]; c != nil {
			c.path = r.Path
		}
	}
	for _, id := range changes.RemovedRecords {
		l.changing(id)
		delete(l.content, id)
	}
	l.version, l.reading = version, nil
}

// changing remembers what a document was in the last snapshot, before it becomes another.
func (l *library) changing(documentID string) {
	if l.since == nil {
		return
	}
	if _, known := l.since[documentID]; !known {
		l.since[documentID] = l.content[documentID]
	}
}

// contents sorts the atoms and spans of an ingest by document.
func contents(changes graph.Changes) map[string]*noteContent {
	all := map[string]*noteContent{}
	at := func(id string) *noteContent {
		c := all[id]
		if c == nil {
			c = &noteContent{}
			all[id] = c
		}
		return c
	}
	atoms, spans := map[string]int{}, map[string]int{} // how many each document has, so that no list is longer than it needs
	for i := range changes.Atoms {
		atoms[changes.Atoms[i].DocumentID]++
	}
	for i := range changes.Spans {
		spans[changes.Spans[i].DocumentID]++
	}
	for i := range changes.Atoms {
		a := &changes.Atoms[i]
		c := at(a.DocumentID)
		if c.Atoms == nil {
			c.Atoms, c.path = make([]graph.Atom, 0, atoms[a.DocumentID]), a.SourcePath
		}
		c.Atoms = append(c.Atoms, *a)
	}
	for i := range changes.Spans {
		s := &changes.Spans[i]
		c := at(s.DocumentID)
		if c.Spans == nil {
			c.Spans = make([]graph.EvidenceSpan, 0, spans[s.DocumentID])
		}
		c.Spans = append(c.Spans, *s)
	}
	return all
}

// Title names the concepts at which cycles were broken, also those that are being imported.
func (l *library) Title(cycles []BrokenCycle, changes graph.Changes) {
	if len(cycles) == 0 {
		return
	}
	titles := map[string]string{}
	for _, cycle := range cycles {
		for _, id := range []string{cycle.Source, cycle.Target} {
			if c := l.content[l.graph.DocumentOf(id)]; c != nil {
				for i := range c.Atoms {
					titles[c.Atoms[i].ID] = c.Atoms[i].Title
				}
			}
		}
	}
	for i := range changes.Atoms {
		titles[changes.Atoms[i].ID] = changes.Atoms[i].Title
	}
	for i := range cycles {
		cycles[i].Titles = []string{titles[cycles[i].Source], titles[cycles[i].Target]}
	}
}

// NotesKept is how much of a member's notes is kept.
type NotesKept struct{ Notes, Bytes, Sections int64 }

// NotesKept counts a member's notes, their bytes and their sections.
func (a *Service) NotesKept(ctx context.Context, userID string) (NotesKept, error) {
	r, err := a.Notes.Of(userID).Read(ctx)
	if err != nil {
		return NotesKept{}, err
	}
	return NotesKept{int64(r.Notes), int64(r.Bytes), int64(len(r.Atoms))}, nil
}
