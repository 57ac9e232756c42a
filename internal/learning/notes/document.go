package notes

import "time"

// Bounds on what is taken of one note. What lies beyond is left out, never an error.
const (
	// MaxBytes is how much of a note is read; the rest is ignored.
	MaxBytes = 8 << 20
	// MaxAtoms bounds the atoms of a note.
	MaxAtoms = 2000
	// MaxLinks bounds the links of a note.
	MaxLinks = 10000
	// maxKeywords is the number of distinct tokens that are an atom's keywords.
	maxKeywords = 48
	// maxSnippet bounds a span's snippet in bytes.
	maxSnippet = 280
	// maxName bounds a title, alias or link target in bytes.
	maxName = 512
	// maxDepth bounds nested quotes and lists on one line.
	maxDepth = 32
)

// Representation is what an atom is written in.
type Representation string

// The representations of the contract.
const (
	Text    Representation = "text"
	Code    Representation = "code"
	Formula Representation = "formula"
	Mermaid Representation = "mermaid"
)

// Kind is what a relation between two notes means.
type Kind string

// The kinds of relation of the contract. None marks a link whose meaning is not written.
const (
	None         Kind = ""
	Prerequisite Kind = "prerequisite"
	Analogy      Kind = "analogy"
	Contrast     Kind = "contrast"
	Causal       Kind = "causal"
	Application  Kind = "application"
	Reference    Kind = "reference"
	Sequence     Kind = "sequence"
)

// Span is a range of bytes of the note as it was given, End exclusive, with the lines it touches, counted from 1.
type Span struct {
	Start, End         int
	StartLine, EndLine int
}

// Atom is a piece of a note.
type Atom struct {
	// Key tells the atom from the others of its note and survives edits of its text: "" for the root, the lower-cased
	// section path joined by " / " for a section, and that with type and ordinal for code, formulas and diagrams. Equal
	// paths get an ordinal too.
	Key            string
	Representation Representation
	// Title is the note's title for the root, else the heading; parts carry their section's title.
	Title string
	// Path holds the headings from the outermost to this section's own; empty for the root.
	Path []string
	// Content is the text without the surrounding blank lines; of a fence, what stands between its marks.
	Content string
	// Language is the info word of a code fence.
	Language string
	Span     Span
	Snippet  string
	// Section is the index of the section (or root) that a part belongs to; of a section, its own index.
	Section int
	// Level is 0 for the root, 1..6 for sections, and that of their section for parts.
	Level int
}

// Link is a mention of another note.
type Link struct {
	// Target is the name or path as it is written, without heading and alias. Alternate is the other side of a bar, for
	// [[alias|target]] and [[target|alias]] look alike.
	Target, Alternate, Heading string
	// Embed is set for ![[…]], Plain for names in a relation line that are not marked as links.
	Embed, Plain bool
	// Path is set for Markdown links, whose targets are paths relative to the note.
	Path bool
	// FrontMatter is set for relations of the front matter.
	FrontMatter bool
	// Kind is None unless the note says what the link means. Inverse then says that the relation goes from this note to
	// the other: a prerequisite, say, whose dependent is the other note.
	Kind    Kind
	Inverse bool
	// Label is the folded wording that governs the link: of its relation line, of its front matter key, or else of the
	// heading above it, marked with "#". Known or not, links of one label in a vault tend to mean the same.
	Label string
	// Cue is what the words around a link in prose say of it.
	Cue Cue
	// Confidence is given by sources that say how sure they are, else 0.
	Confidence float64
	Span       Span
	// Statement is the whole line that says what the link means; for others, the line it stands on.
	Statement Span
	Snippet   string
	// Section is the index of the atom the link stands in.
	Section int
	// Position is where in the note the link stands, 0 at the beginning and 1 at the end.
	Position float64
}

// Genre is what sort of note it is, as far as its tags, type or title say.
type Genre string

// Genres, in the order in which they are usually learnt.
const (
	Unknown    Genre = ""
	Overview   Genre = "overview"
	Definition Genre = "definition"
	Statement  Genre = "statement"
	Example    Genre = "example"
	Exercise   Genre = "exercise"
)

// Document is a note, read.
type Document struct {
	// ID is the front matter's id, or "".
	ID string
	// Title is the front matter's title, else the file's name without a number that only orders it, else, where files have
	// names for machines, a heading of the first level that opens the note.
	Title string
	// Names are further names: aliases, the opening heading.
	Names []string
	// Created and Updated are what the note says of itself; zero when it says nothing.
	Created, Updated time.Time
	Tags             []string
	Genre            Genre
	Language         string
	// Order is a number the note gives itself among its siblings (nav_order, weight, "03 Title"); NaN-free, 0 if none.
	Order float64
	Atoms []Atom
	Links []Link
	// Folded counts the links beyond MaxLinks, which are not among Links.
	Folded int
	// Terms are the distinct tokens of what the note says, without its relation lines, at most MaxTerms.
	Terms []string
	// Truncated says that a bound cut the note short.
	Truncated bool
}

// MaxTerms bounds Document.Terms.
const MaxTerms = 160
