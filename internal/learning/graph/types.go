package graph

import (
	"time"

	"stoa/internal/learning/notes"
)

// Provenance says whether a relation is written in a source or was inferred.
type Provenance string

// The provenances of the contract.
const (
	Fact     Provenance = "fact"
	Inferred Provenance = "inferred"
)

// Role is what an atom is in its note.
type Role string

// The roles. Prerequisites hold between concepts.
const (
	Concept Role = "concept" // the root of a note: stands for what the note is about
	Section Role = "section"
	Part    Role = "part" // code, a formula, a diagram
)

// Atom is the unit that mastery is kept on. Its ID is a digest of owner and StableKey and survives edits and moves.
type Atom struct {
	ID             string               `json:"id"`
	StableKey      string               `json:"stableKey"` // document id :: lower-cased section path (:: type ordinal)
	DocumentID     string               `json:"documentId"`
	SourcePath     string               `json:"sourcePath"`
	Title          string               `json:"title"`
	Content        string               `json:"content"`
	Representation notes.Representation `json:"representationType"`
	EvidenceSpans  []string             `json:"evidenceSpanIds"`
	CreatedAt      time.Time            `json:"createdAt"`
	UpdatedAt      time.Time            `json:"updatedAt"`
	Metadata       Metadata             `json:"metadata"`
	Role           Role                 `json:"role"`
	// Parent is the concept of a section, the section or concept of a part, "" for a concept.
	Parent string `json:"parentAtomId,omitempty"`
}

// Metadata is the contract's metadata of an atom.
type Metadata struct {
	SectionPath []string `json:"sectionPath"`
	Version     int      `json:"version"` // from 1, one more whenever title or content change
	SourceHash  string   `json:"sourceHash"`
	Language    string   `json:"language"`
}

// EvidenceSpan is where in a source something stands. Offsets are bytes of the document with SourceHash, EndOffset
// exclusive; lines count from 1. Its ID names the bytes: another version of the document has other spans.
type EvidenceSpan struct {
	ID          string    `json:"id"`
	DocumentID  string    `json:"documentId"`
	SourcePath  string    `json:"sourcePath"`
	Language    string    `json:"language"`
	StartOffset int       `json:"startOffset"`
	EndOffset   int       `json:"endOffset"`
	StartLine   int       `json:"startLine"`
	EndLine     int       `json:"endLine"`
	Snippet     string    `json:"snippet"`
	SourceHash  string    `json:"sourceHash"`
	CreatedAt   time.Time `json:"createdAt"`
}

// Edge is a relation between two atoms. Confidence (0..1, four decimals) of a fact says how plainly it is written, that
// of an inferred prerequisite is the chance that its direction is right. ValidFrom is zero when the edge is older than
// the Library in memory: keep what is stored.
type Edge struct {
	ID         string      `json:"id"`
	Source     string      `json:"sourceAtomId"`
	Target     string      `json:"targetAtomId"`
	Kind       notes.Kind  `json:"relationKind"`
	Provenance Provenance  `json:"provenance"`
	Confidence float64     `json:"confidence"`
	Evidence   []string    `json:"evidenceSpanIds"`
	ValidFrom  time.Time   `json:"validFrom"`
	Verdict    VerdictKind `json:"verdict,omitempty"` // of the member's correction that made it
	Checked    VerdictKind `json:"checked,omitempty"` // what a language model said of an inferred prerequisite
}

// Holds reports whether a prerequisite is to be relied on: not when a language model found otherwise.
func (e *Edge) Holds() bool { return e.Checked != Reversed && e.Checked != Unrelated }

// TemporalKind is what a temporal edge says.
type TemporalKind string

// The temporal kinds of the contract that ingest makes.
const (
	Supersedes     TemporalKind = "supersedes"
	DerivedFrom    TemporalKind = "derived_from"
	ValidityWindow TemporalKind = "validity_window"
)

// TemporalEdge says how versions hang together: an atom supersedes its own earlier version, whose id is
// ArchivedID(atom, version), a part derives from its section, and a version that is no longer current held for a time.
type TemporalEdge struct {
	ID                 string       `json:"id"`
	Source             string       `json:"sourceAtomId"`
	Target             string       `json:"targetAtomId"`
	Kind               TemporalKind `json:"edgeKind"`
	ValidFrom          time.Time    `json:"validFrom"`
	ValidTo            time.Time    `json:"validTo,omitzero"` // of a version that is no longer current
	SourceDocumentHash string       `json:"sourceDocumentHash"`
	IsActive           bool         `json:"isActive"`
}

// Document is a source as it is ingested.
type Document struct {
	// ID names the document for good; empty takes the one it has, by its path, else that of its front matter, else its path.
	ID       string
	Path     string
	Content  string
	Language string
	// Modified is when the file was last changed; used as a creation time where the note names none. May be zero.
	Modified time.Time
	// Given replaces parsing: concept graphs and decks come read. Content is then hashed only. It is asked when the document's
	// turn has come, since what is read takes several times the memory of the text.
	Given func() *notes.Document
}

// Status of a document after an ingest.
type Status string

// The statuses of the contract.
const (
	New       Status = "new"
	Unchanged Status = "unchanged"
	Updated   Status = "updated"
	Deleted   Status = "deleted"
)

// Staleness is what an ingest found of one document.
type Staleness struct {
	DocumentID      string `json:"documentId"`
	SourcePath      string `json:"sourcePath"`
	Status          Status `json:"status"`
	PreviousHash    string `json:"previousHash,omitempty"`
	CurrentHash     string `json:"currentHash"`
	PreviousVersion int    `json:"previousVersion,omitempty"`
	CurrentVersion  int    `json:"currentVersion"`
	// MovedFrom is the earlier path of a document that kept its id.
	MovedFrom string `json:"movedFrom,omitempty"`
}

// Mode says how much of the inference is done again.
type Mode string

// The modes of the contract. Incremental and full give the same graph; full also does what is unchanged again. With none
// only what is written becomes relations of the documents given.
const (
	Auto        Mode = "auto"
	NoRecompute Mode = "none"
	Incremental Mode = "incremental"
	Full        Mode = "full"
)

// Batch is one ingest.
type Batch struct {
	Documents []Document
	Deleted   []Ref
	Moves     []Move
	// Whole says that Documents is all there is: whatever else the Library holds below Root has been deleted, and a
	// document that vanished here and appeared there with the same bytes has moved.
	Whole bool
	Root  string
	Mode  Mode
	At    time.Time
	// MaxAtoms is how many atoms the Library may then hold; 0 is no bound. A batch that would bring more changes nothing,
	// and reading ends as soon as it is known.
	MaxAtoms int
}

// Ref names a document by id or path.
type Ref struct{ ID, Path string }

// Move gives a document a new path; its ids stay.
type Move struct {
	Ref
	To string
}

// Summary is the contract's summary of an ingest, without its latency.
type Summary struct {
	Ingested            int  `json:"ingestedDocuments"`
	Changed             int  `json:"changedDocuments"`
	Deleted             int  `json:"deletedDocuments"`
	ActiveAtoms         int  `json:"activeAtoms"`
	ActiveEdges         int  `json:"activeRelationEdges"`
	RecomputedRelations int  `json:"recomputedDynamicRelations"`
	InvalidatedEdges    int  `json:"invalidatedRelationEdges"`
	RegeneratedEdges    int  `json:"regeneratedRelationEdges"`
	Mode                Mode `json:"resolvedRelationRecomputeMode"`
	UnresolvedLinks     int  `json:"unresolvedLinks"`
	BrokenEdges         int  `json:"brokenEdges"`
	FoldedLinks         int  `json:"foldedLinks"` // counted, without edges of their own
}

// Changes is what an ingest changed; written to the store in one transaction it brings the store in step.
type Changes struct {
	Staleness []Staleness
	// Records to keep, and the documents whose records are gone.
	Records        []Record
	RemovedRecords []string
	// Atoms of changed documents: all of them, for their evidence has moved even where their text has not.
	Atoms []Atom
	// Superseded are the atoms among them whose text changed, with the version that is no longer current.
	Superseded []Superseded
	// RemovedAtoms left the active set.
	RemovedAtoms []string
	Spans        []EvidenceSpan
	Edges        []Edge   // new or changed
	RemovedEdges []string // ids
	// Ended are the removed edges as they were; At is when they ended.
	Ended    []Edge
	At       time.Time
	Temporal []TemporalEdge
	// Cycles is every cycle the graph has now, not only new ones.
	Cycles  []Cycle
	Summary Summary
	// TooManyAtoms is set when Batch.MaxAtoms was exceeded: how many there would be at least.
	TooManyAtoms int
}

// Superseded names a version of an atom that is no longer current.
type Superseded struct {
	AtomID     string
	Version    int
	ArchivedID string
}

// VerdictKind is a member's judgement on a relation.
type VerdictKind string

// The verdicts.
const (
	Confirmed VerdictKind = "confirmed" // the source is a prerequisite of the target
	Reversed  VerdictKind = "reversed"  // the target is a prerequisite of the source
	Unrelated VerdictKind = "unrelated" // neither needs the other
	Unsure    VerdictKind = "unsure"    // of a language model
)

// Correction is a judgement on two concepts. A member's wins over everything written or inferred. A language model's, which
// has Texts, makes no relation: it only weighs an inferred prerequisite, while both notes are as the model read them.
type Correction struct {
	Source  string      `json:"sourceAtomId"`
	Target  string      `json:"targetAtomId"`
	Verdict VerdictKind `json:"verdict"`
	Texts   string      `json:"texts,omitempty"` // TextsOf what the model read
}

// Cycle is one among prerequisites. Edges are its edge ids in order; Broken is the weakest, which no longer counts.
type Cycle struct {
	Edges  []string `json:"edges"`
	Broken Edge     `json:"broken"`
}
