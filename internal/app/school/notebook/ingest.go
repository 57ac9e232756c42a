package notebook

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/notes"
	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// IngestDocument is a note as it is sent.
type IngestDocument struct {
	DocumentID string   `json:"documentId"`
	SourcePath string   `json:"sourcePath"`
	Content    string   `json:"content"`
	Language   string   `json:"language"`
	UpdatedAt  string   `json:"updatedAt"`
	CreatedAt  string   `json:"createdAt"`
	Aliases    []string `json:"identityAliases"`
}

// DeletedDocument names a note that is gone.
type DeletedDocument struct {
	DocumentID string `json:"documentId"`
	SourcePath string `json:"sourcePath"`
}

// IngestOperation is one change of a note.
type IngestOperation struct {
	Op       string         `json:"op"`
	Document IngestDocument `json:"document"`
	From     string         `json:"fromDocumentId"`
}

// IngestInput is what has changed among a learner's notes.
type IngestInput struct {
	UserID      string            `json:"user_id"`
	Documents   []IngestDocument  `json:"documents"`
	Deleted     []DeletedDocument `json:"deletedDocuments"`
	Operations  []IngestOperation `json:"operations"`
	Incremental *bool             `json:"incremental"`
	Recompute   *bool             `json:"recomputeRelations"`
	Mode        string            `json:"relationRecomputeMode"`
	IngestedAt  string            `json:"ingestedAt"`
	TimeZone    string            `json:"timeZone"` // of the days that schedules in the notes name
	HeaderKey   string            `json:"-"`        // Idempotency-Key
}

// EdgeTime is since when a relation holds, and until when where it holds no more.
type EdgeTime struct {
	From string `json:"validFrom"`
	To   string `json:"validTo,omitempty"`
}

// RelationEdge is a relation as it is shown.
type RelationEdge struct {
	ID         string   `json:"id"`
	Source     string   `json:"sourceAtomId"`
	Target     string   `json:"targetAtomId"`
	Kind       string   `json:"relationKind"`
	Provenance string   `json:"provenance"`
	Confidence float64  `json:"confidence"`
	Evidence   []string `json:"evidenceSpanIds"`
	Temporal   EdgeTime `json:"temporal"`
}

// KnowledgeAtom is an atom as it is shown.
type KnowledgeAtom struct {
	ID             string       `json:"id"`
	StableKey      string       `json:"stableKey"`
	DocumentID     string       `json:"documentId"`
	SourcePath     string       `json:"sourcePath"`
	Title          string       `json:"title"`
	Content        string       `json:"content"`
	Representation string       `json:"representationType"`
	Keywords       []string     `json:"keywords"`
	EvidenceSpans  []string     `json:"evidenceSpanIds"`
	CreatedAt      string       `json:"createdAt"`
	UpdatedAt      string       `json:"updatedAt"`
	Metadata       AtomMetadata `json:"metadata"`
}

// AtomMetadata is where in its note an atom stands.
type AtomMetadata struct {
	SectionPath []string `json:"sectionPath"`
	Version     int      `json:"version"`
	SourceHash  string   `json:"sourceHash"`
	Language    string   `json:"language"`
}

// EvidenceSpan is a place in a note as it is shown.
type EvidenceSpan struct {
	ID          string `json:"id"`
	DocumentID  string `json:"documentId"`
	SourcePath  string `json:"sourcePath"`
	Language    string `json:"language"`
	StartOffset int    `json:"startOffset"`
	EndOffset   int    `json:"endOffset"`
	StartLine   int    `json:"startLine"`
	EndLine     int    `json:"endLine"`
	Snippet     string `json:"snippet"`
	SourceHash  string `json:"sourceHash"`
	CreatedAt   string `json:"createdAt"`
}

// TemporalEdge says that one atom took the place of another.
type TemporalEdge struct {
	ID        string `json:"id"`
	Source    string `json:"sourceAtomId"`
	Target    string `json:"targetAtomId"`
	Kind      string `json:"edgeKind"`
	ValidFrom string `json:"validFrom"`
	ValidTo   string `json:"validTo,omitempty"`
	Hash      string `json:"sourceDocumentHash"`
	IsActive  bool   `json:"isActive"`
}

// DocumentStaleness is what an ingest found of a note.
type DocumentStaleness struct {
	DocumentID      string `json:"documentId"`
	SourcePath      string `json:"sourcePath"`
	Status          string `json:"status"`
	PreviousHash    string `json:"previousHash,omitempty"`
	CurrentHash     string `json:"currentHash"`
	PreviousVersion int    `json:"previousVersion,omitempty"`
	CurrentVersion  int    `json:"currentVersion"`
}

// BrokenCycle is a cycle of prerequisites and the relation that was left out of it.
type BrokenCycle struct {
	EdgeIDs    []string `json:"edgeIds"`
	EdgeID     string   `json:"edgeId"`
	Source     string   `json:"sourceAtomId"`
	Target     string   `json:"targetAtomId"`
	Titles     []string `json:"titles"` // of source and target
	Confidence float64  `json:"confidence"`
}

// IngestSummary counts what an ingest did.
type IngestSummary struct {
	Ingested    int     `json:"ingestedDocuments"`
	Changed     int     `json:"changedDocuments"`
	Deleted     int     `json:"deletedDocuments"`
	Atoms       int     `json:"activeAtoms"`
	Edges       int     `json:"activeRelationEdges"`
	Recomputed  int     `json:"recomputedDynamicRelations"`
	Invalidated int     `json:"invalidatedRelationEdges"`
	Regenerated int     `json:"regeneratedRelationEdges"`
	Mode        string  `json:"resolvedRelationRecomputeMode"`
	LatencyMs   float64 `json:"relationRecomputeLatencyMs"`
	Unresolved  int     `json:"unresolvedLinks"`
	Folded      int     `json:"foldedLinks"`
	Broken      int     `json:"brokenCycles"`
	Truncated   bool    `json:"truncated"`
}

// IngestResult is what came of an ingest. Each list holds the first shownOfIngest, that of atoms no more than shownBytes of text.
type IngestResult struct {
	UserID    string              `json:"userId"`
	Atoms     []KnowledgeAtom     `json:"atoms"`
	Spans     []EvidenceSpan      `json:"evidenceSpans"`
	Edges     []RelationEdge      `json:"relationEdges"`
	Temporal  []TemporalEdge      `json:"temporalEdges"`
	Staleness []DocumentStaleness `json:"staleness"`
	Cycles    []BrokenCycle       `json:"cycles"`
	Summary   IngestSummary       `json:"summary"`
}

// An answer lists so many of each kind, and atoms with so many bytes of text together: it is kept for its idempotency key.
const (
	shownOfIngest = 500
	shownBytes    = 512 << 10
)

// Weight is about how much the notes of a request take: a section has much beside its text, and nearly each begins a line.
func (in *IngestInput) Weight() (n int) {
	for i := range in.Documents {
		n += len(in.Documents[i].Content) + lineWeight*strings.Count(in.Documents[i].Content, "\n")
	}
	for i := range in.Operations {
		n += len(in.Operations[i].Document.Content) + lineWeight*strings.Count(in.Operations[i].Document.Content, "\n")
	}
	return n
}

// syncPatience bounds how long an ingest waits for the embedder; what is left comes with the next question or ingest.
const syncPatience = 10 * time.Second

// SyncIndex brings the index over notes in step with what a learner can learn. That it cannot is told by its check.
func (a *Service) SyncIndex(ctx context.Context, userID string) {
	ctx, cancel := context.WithTimeout(ctx, syncPatience)
	defer cancel()
	g, err := a.ground(ctx, userID)
	if err == nil {
		err = a.NoteIndex.sync(ctx, g.Shared, g.Own)
	}
	if err != nil {
		a.Log.Warn("ingest: the index over notes is behind", "user", userID, "error", err)
	}
}

// RoomFor refuses notes beyond the member's quotas before they are read. What takes the place of a note counts for the difference.
func (a *Service) RoomFor(ctx context.Context, userID string, in IngestInput) error {
	kept, err := a.Notes.Of(userID).Read(ctx)
	if err != nil {
		return err
	}
	old := kept.bytesOf(in)
	count, size := 0, 0
	add := func(d *IngestDocument) {
		was, there := old[d.DocumentID]
		if d.DocumentID == "" {
			was, there = old[CleanPath(d.SourcePath)]
		}
		if !there {
			count++
		}
		size += max(len(d.Content)-was, 0)
	}
	for i := range in.Documents {
		add(&in.Documents[i])
	}
	for i := range in.Operations {
		if op := &in.Operations[i]; op.Document.Content != "" {
			add(&op.Document)
		}
	}
	if err := a.CheckQuota(ctx, a.Store.Queries, userID, core.QuotaNotes, int64(kept.Notes), int64(count)); err != nil {
		return err
	}
	return a.CheckQuota(ctx, a.Store.Queries, userID, core.QuotaNoteBytes, int64(kept.Bytes), int64(size))
}

// bytesOf gives how many bytes those notes have that a request names, by the id or path that it names them by.
func (r *NotesSnapshot) bytesOf(in IngestInput) map[string]int {
	named := map[string]bool{}
	for i := range in.Documents {
		named[cmp.Or(in.Documents[i].DocumentID, CleanPath(in.Documents[i].SourcePath))] = true
	}
	for i := range in.Operations {
		named[cmp.Or(in.Operations[i].Document.DocumentID, CleanPath(in.Operations[i].Document.SourcePath))] = true
	}
	old := map[string]int{}
	scan := false
	for name := range named { // most notes are named by a path that is their id too
		if list := r.Written[name]; len(list) > 0 && list[0].SourcePath == name {
			old[name] = r.sizes[name]
		} else {
			scan = true
		}
	}
	if !scan {
		return old
	}
	clear(old)
	for id, size := range r.sizes {
		if named[id] {
			old[id] += size
		}
		if list := r.Written[id]; len(list) > 0 && list[0].SourcePath != id && named[list[0].SourcePath] {
			old[list[0].SourcePath] += size
		}
	}
	return old
}

// CheckNotes refuses what an ingest brought beyond the quotas, in the transaction that keeps it: of two at once that each find
// room, only one has it. The library's lock is held, and its content is that from before.
func (a *Service) CheckNotes(tx *store.Tx, lib *library, sections int, changes graph.Changes) error {
	if changes.TooManyAtoms > 0 {
		return a.CheckQuota(tx.Context(), tx.Queries, lib.owner, core.QuotaNoteSections, int64(sections), int64(changes.TooManyAtoms-sections))
	}
	notes, bytes, added := len(lib.content), 0, 0
	for _, c := range lib.content {
		bytes += c.bytes()
	}
	fresh := contents(changes)
	was := 0 // bytes of what is replaced or goes
	for id, c := range fresh {
		added += c.bytes()
		if old := lib.content[id]; old != nil {
			was += old.bytes()
		} else {
			notes++
		}
	}
	for _, id := range changes.RemovedRecords {
		if old := lib.content[id]; old != nil {
			notes--
			was += old.bytes()
		}
	}
	before := len(lib.content)
	if err := a.CheckQuota(tx.Context(), tx.Queries, lib.owner, core.QuotaNotes, int64(before), int64(notes-before)); err != nil {
		return err
	}
	return a.CheckQuota(tx.Context(), tx.Queries, lib.owner, core.QuotaNoteBytes, int64(bytes), int64(added-was))
}

// MostSections is how many sections a member's notes may have.
func (a *Service) MostSections(ctx context.Context, owner string) (int, error) {
	limit, bounded, err := a.QuotaOf(ctx, a.Store.Queries, owner, core.QuotaNoteSections)
	if err != nil || bounded {
		return int(limit), err
	}
	return math.MaxInt, nil
}

// StoreNotes writes a batch of changed notes, and shows them.
func (a *Service) StoreNotes(ctx context.Context, c core.Caller, owner string, batch graph.Batch, key core.IdempotencyKey) (IngestResult, error) {
	var out IngestResult
	if found, err := a.Replay(ctx, key, &out); found || err != nil {
		return out, err
	}
	began := time.Now()
	lib := a.Notes.Of(owner)
	_, err := lib.Change(ctx, func(g *graph.Library) (graph.Changes, []schooldb.Correction) {
		return g.Ingest(batch), nil
	}, func(tx *store.Tx, changes graph.Changes) error {
		if err := key.Reserve(tx, ""); err != nil {
			return err
		}
		if batch.MaxAtoms > 0 {
			if err := a.CheckNotes(tx, lib, batch.MaxAtoms, changes); err != nil {
				return err
			}
		}
		out = IngestView(owner, changes)
		lib.Title(out.Cycles, changes)
		took := time.Since(began).Microseconds()
		lib.Took.Store(took)
		out.Summary.LatencyMs = float64(took) / 1000
		if len(changes.Records)+len(changes.RemovedRecords) > 0 {
			if err := tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
				Owner: owner, Action: "knowledge.ingested", Status: "done",
				Detail: map[string]any{"documents": len(changes.Records), "deleted": len(changes.RemovedRecords)},
			})); err != nil {
				return err
			}
		}
		return key.Store(tx, out)
	})
	if errors.Is(err, core.ErrReplay) {
		return out, core.RequireReplay(a.Replay(ctx, key, &out))
	}
	return out, err
}

// Batch puts the three ways of saying what changed into one.
func (in *IngestInput) Batch(now time.Time) (graph.Batch, error) {
	b := graph.Batch{At: TimeOr(in.IngestedAt, now), Mode: graph.Auto}
	if b.At.After(now) {
		b.At = now
	}
	switch {
	case in.Mode != "":
		b.Mode = graph.Mode(in.Mode)
	case in.Recompute != nil && !*in.Recompute:
		b.Mode = graph.NoRecompute
	case in.Incremental != nil && !*in.Incremental:
		b.Mode = graph.Full
	}
	for i, d := range in.Documents {
		if d.DocumentID == "" && d.SourcePath == "" {
			return b, errs.Invalid(FieldAt("documents", i), "needs a documentId or a sourcePath")
		}
		b.Documents = append(b.Documents, d.document())
	}
	for i, d := range in.Deleted {
		if d.DocumentID == "" && d.SourcePath == "" {
			return b, errs.Invalid(FieldAt("deletedDocuments", i), "needs a documentId or a sourcePath")
		}
		b.Deleted = append(b.Deleted, graph.Ref{ID: d.DocumentID, Path: CleanPath(d.SourcePath)})
	}
	for i, op := range in.Operations {
		d := op.Document
		if d.DocumentID == "" && d.SourcePath == "" {
			return b, errs.Invalid(FieldAt("operations", i), "needs a document with a documentId or a sourcePath")
		}
		switch op.Op {
		case "delete", "remove", "del":
			b.Deleted = append(b.Deleted, graph.Ref{ID: d.DocumentID, Path: CleanPath(d.SourcePath)})
		case "move", "rename":
			from := op.From
			if from == "" {
				from = d.DocumentID
			}
			if from == "" || d.SourcePath == "" {
				return b, errs.Invalid(FieldAt("operations", i), "a move needs fromDocumentId and the new sourcePath")
			}
			b.Moves = append(b.Moves, graph.Move{Ref: graph.Ref{ID: from}, To: CleanPath(d.SourcePath)})
			if d.Content != "" {
				moved := d.document()
				moved.ID = from
				b.Documents = append(b.Documents, moved)
			}
		default:
			b.Documents = append(b.Documents, d.document())
		}
	}
	return b, nil
}

func (d *IngestDocument) document() graph.Document {
	out := graph.Document{ID: d.DocumentID, Path: CleanPath(d.SourcePath), Content: d.Content, Language: d.Language, Modified: TimeOr(d.CreatedAt, time.Time{})}
	if out.Path == "" {
		out.Path = d.DocumentID
	}
	if out.Modified.IsZero() {
		out.Modified = TimeOr(d.UpdatedAt, time.Time{})
	}
	if note, ok := questions.NoteOfTable(out.Path, out.Content); ok {
		out.Content = note
	}
	if note, ok := obsidian.NoteOfSettings(out.Path, out.Content); ok {
		out.Content = note
	}
	return out
}

// CleanPath writes a path the same way whatever system it comes from.
func CleanPath(p string) string {
	return strings.TrimPrefix(strings.ReplaceAll(p, `\`, "/"), "./")
}

// TimeOr reads a time as clients write them, or gives the other one.
func TimeOr(text string, other time.Time) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1970 && t.Year() <= 9999 {
			return t.UTC()
		}
	}
	return other
}

// FieldAt names a field of an entry of a list, for an error.
func FieldAt(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// IngestView is what is answered to an import.
func IngestView(owner string, c graph.Changes) IngestResult {
	out := IngestResult{
		UserID: owner, Atoms: []KnowledgeAtom{}, Spans: []EvidenceSpan{}, Edges: []RelationEdge{}, Temporal: []TemporalEdge{},
		Staleness: []DocumentStaleness{}, Cycles: CyclesView(c.Cycles),
	}
	s := c.Summary
	out.Summary = IngestSummary{
		Ingested: s.Ingested, Changed: s.Changed, Deleted: s.Deleted, Atoms: s.ActiveAtoms, Edges: s.ActiveEdges, Recomputed: s.RecomputedRelations,
		Invalidated: s.InvalidatedEdges, Regenerated: s.RegeneratedEdges, Mode: string(s.Mode), Unresolved: s.UnresolvedLinks, Folded: s.FoldedLinks, Broken: s.BrokenEdges,
		Truncated: max(len(c.Atoms), len(c.Spans), len(c.Edges), len(c.Temporal), len(c.Staleness)) > shownOfIngest,
	}
	size := 0
	for i := range FirstOf(c.Atoms) {
		if size += len(c.Atoms[i].Content); size > shownBytes {
			out.Summary.Truncated = true
			break
		}
		out.Atoms = append(out.Atoms, atomView(&c.Atoms[i]))
	}
	for i := range FirstOf(c.Spans) {
		out.Spans = append(out.Spans, SpanView(&c.Spans[i]))
	}
	for i := range FirstOf(c.Edges) {
		out.Edges = append(out.Edges, EdgeView(&c.Edges[i]))
	}
	out.Edges = append(out.Edges, EndedView(&c)...)
	for _, t := range FirstOf(c.Temporal) {
		out.Temporal = append(out.Temporal, TemporalEdge{t.ID, t.Source, t.Target, string(t.Kind), clock.Text(t.ValidFrom), clock.Text(t.ValidTo), t.SourceDocumentHash, t.IsActive})
	}
	for _, d := range FirstOf(c.Staleness) {
		status := string(d.Status)
		if d.MovedFrom != "" && d.Status == graph.Unchanged {
			status = "moved"
		}
		out.Staleness = append(out.Staleness, DocumentStaleness{d.DocumentID, d.SourcePath, status, d.PreviousHash, d.CurrentHash, d.PreviousVersion, d.CurrentVersion})
	}
	return out
}

// FirstOf gives as many entries of a list as an answer shows.
func FirstOf[T any](list []T) []T { return list[:min(len(list), shownOfIngest)] }

func atomView(a *graph.Atom) KnowledgeAtom {
	return KnowledgeAtom{
		a.ID, a.StableKey, a.DocumentID, a.SourcePath, a.Title, a.Content, string(a.Representation), core.NonNil(notes.Keywords(a.Title, a.Content)), core.NonNil(a.EvidenceSpans),
		clock.Text(a.CreatedAt), clock.Text(a.UpdatedAt),
		AtomMetadata{core.NonNil(a.Metadata.SectionPath), a.Metadata.Version, a.Metadata.SourceHash, a.Metadata.Language},
	}
}

// SpanView is a place in a note as it is shown.
func SpanView(s *graph.EvidenceSpan) EvidenceSpan {
	return EvidenceSpan{s.ID, s.DocumentID, s.SourcePath, s.Language, s.StartOffset, s.EndOffset, s.StartLine, s.EndLine, s.Snippet, s.SourceHash, clock.Text(s.CreatedAt)}
}

// EdgeView is a relation as it is shown.
func EdgeView(e *graph.Edge) RelationEdge {
	provenance := string(e.Provenance)
	if e.Verdict != "" {
		provenance = "corrected"
	}
	return RelationEdge{e.ID, e.Source, e.Target, string(e.Kind), provenance, e.Confidence, core.NonNil(e.Evidence), EdgeTime{From: clock.Text(e.ValidFrom)}}
}

// EndedView shows the relations that hold no more, with when they ended.
func EndedView(c *graph.Changes) []RelationEdge {
	var out []RelationEdge
	for i := range FirstOf(c.Ended) {
		e := EdgeView(&c.Ended[i])
		e.Temporal.To = clock.Text(c.At)
		out = append(out, e)
	}
	return out
}

// CyclesView are the cycles that a change broke, as they are shown.
func CyclesView(cycles []graph.Cycle) []BrokenCycle {
	out := []BrokenCycle{}
	for _, c := range FirstOf(cycles) {
		out = append(out, BrokenCycle{c.Edges, c.Broken.ID, c.Broken.Source, c.Broken.Target, []string{"", ""}, c.Broken.Confidence})
	}
	return out
}
