package graph

import (
	"time"

	"stoa/internal/learning/notes"
)

// Record is what a Library keeps of one document, besides its text: enough to build the graph again. It is plain data
// and keeps its meaning as JSON.
type Record struct {
	DocumentID string       `json:"id"`
	Path       string       `json:"path"`
	Hash       string       `json:"hash"`
	Version    int          `json:"version"`
	Title      string       `json:"title"`
	Names      []string     `json:"names,omitempty"`
	FrontID    string       `json:"frontId,omitempty"`
	Created    time.Time    `json:"created,omitzero"`
	Guessed    bool         `json:"guessed,omitempty"` // Created is the file's time
	Genre      notes.Genre  `json:"genre,omitempty"`
	Order      float64      `json:"order,omitempty"`
	Terms      []uint32     `json:"terms,omitempty"` // hashed words of what the note says, sorted
	Atoms      []AtomRecord `json:"atoms"`
	Links      []LinkRecord `json:"links,omitempty"`
	Folded     int          `json:"folded,omitempty"` // further links, which are counted alone
}

// AtomRecord is what is kept of an atom.
type AtomRecord struct {
	ID      string    `json:"id"`
	Key     string    `json:"key"`
	Heading string    `json:"heading,omitempty"` // folded; what a link's heading is compared with
	Hash    string    `json:"hash"`
	Version int       `json:"version"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	Span    string    `json:"span"`
	Part    bool      `json:"part,omitempty"`
}

// LinkRecord is what is kept of a link.
type LinkRecord struct {
	Keys       []string   `json:"keys"` // names to look up, the likeliest first
	Heading    string     `json:"heading,omitempty"`
	Kind       notes.Kind `json:"kind,omitempty"`
	Inverse    bool       `json:"inverse,omitempty"`
	Label      string     `json:"label,omitempty"`
	Span       string     `json:"span,omitempty"` // id of the evidence
	Section    int        `json:"section,omitempty"`
	Position   float64    `json:"position,omitempty"`
	Confidence float64    `json:"confidence,omitempty"` // of a written relation; 0 takes the usual one
	Cue        notes.Cue  `json:"cue,omitempty"`        // of a link in prose
	Plain      bool       `json:"plain,omitempty"`
	Inferred   bool       `json:"inferred,omitempty"` // of the path alone
}
