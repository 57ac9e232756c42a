package graph

import (
	"path"
	"strconv"
	"strings"
	"time"

	"stoa/internal/learning/notes"
)

// reading is what one document became.
type reading struct {
	record     Record
	atoms      []Atom
	spans      []EvidenceSpan
	superseded []Superseded
	removed    []string
	temporal   []TemporalEdge
	spanIDs    map[[2]int]string
}

// read makes the record, atoms and spans of a document. It reads the Library and changes nothing.
func (l *Library) read(u upsert, at time.Time) *reading {
	old := l.docs[u.id]
	if u.hash == "" && old != nil { // moved, its text is not at hand: ids and spans stay
		r := old.rec
		r.Path = u.doc.Path
		return &reading{record: r}
	}
	doc := u.parsed
	if doc == nil {
		doc = parse(u.doc)
	}
	r := &reading{spanIDs: map[[2]int]string{}}
	rec := &r.record
	*rec = Record{DocumentID: u.id, Path: u.doc.Path, Hash: u.hash, Version: 1, Title: doc.Title, Names: doc.Names, FrontID: doc.ID, Created: doc.Created, Genre: doc.Genre, Order: doc.Order, Terms: hashTerms(doc.Terms), Folded: doc.Folded}
	if rec.Created.IsZero() {
		rec.Created, rec.Guessed = u.doc.Modified.UTC(), true
	}
	previous := map[string]*AtomRecord{}
	if old != nil {
		rec.Version = old.rec.Version
		if old.rec.Hash != u.hash {
			rec.Version++
		}
		if rec.Guessed && old.rec.Guessed { // files are touched; what was seen first is nearest to the truth
			rec.Created = oldest(old.rec.Created, rec.Created)
		}
		for i := range old.rec.Atoms {
			previous[old.rec.Atoms[i].ID] = &old.rec.Atoms[i]
		}
	}
	r.atomsOf(l.owner, doc, u, previous, at)
	if old != nil {
		for i := range old.rec.Atoms {
			if _, left := previous[old.rec.Atoms[i].ID]; left {
				r.removed = append(r.removed, old.rec.Atoms[i].ID)
			}
		}
	}
	for i := range doc.Links {
		k := &doc.Links[i]
		rec.Links = append(rec.Links, LinkRecord{
			Keys: keys(rec.Path, *k), Heading: notes.Fold(k.Heading), Kind: k.Kind, Inverse: k.Inverse, Label: k.Label, Confidence: k.Confidence,
			Section: k.Section, Position: rounded(k.Position), Cue: k.Cue, Plain: k.Plain, Span: r.span(k.Statement, k.Snippet, u, doc.Language, at),
		})
	}
	rec.Links = append(rec.Links, byPathLinks(rec)...)
	r.spanIDs = nil
	return r
}

func (r *reading) atomsOf(owner string, doc *notes.Document, u upsert, previous map[string]*AtomRecord, at time.Time) {
	rec := &r.record
	for _, a := range doc.Atoms {
		key := stableKey(u.id, a.Key)
		kept := AtomRecord{ID: AtomID(owner, key), Key: a.Key, Heading: notes.Fold(a.Title), Hash: hash(a.Title + "\x00" + a.Content), Version: 1, Created: at, Updated: at, Part: a.Representation != notes.Text}
		if before := previous[kept.ID]; before != nil {
			kept.Created, kept.Updated, kept.Version = before.Created, before.Updated, before.Version
			if before.Hash != kept.Hash {
				archived := archivedID(kept.ID, before.Version)
				r.superseded = append(r.superseded, Superseded{AtomID: kept.ID, Version: before.Version, ArchivedID: archived})
				held := temporal(ValidityWindow, archived, kept.ID, u.hash, before.Updated)
				held.ValidTo, held.IsActive = at, false
				r.temporal = append(r.temporal, temporal(Supersedes, kept.ID, archived, u.hash, at), held)
				kept.Version++
				kept.Updated = at
			}
			delete(previous, kept.ID)
		}
		kept.Span = r.span(a.Span, a.Snippet, u, doc.Language, at)
		atom := Atom{
			ID: kept.ID, StableKey: key, DocumentID: u.id, SourcePath: u.doc.Path, Title: a.Title, Content: a.Content, Representation: a.Representation,
			EvidenceSpans: []string{kept.Span}, CreatedAt: kept.Created, UpdatedAt: kept.Updated,
			Metadata: Metadata{SectionPath: a.Path, Version: kept.Version, SourceHash: u.hash, Language: doc.Language}, Role: Section,
		}
		if a.Language != "" {
			atom.Metadata.Language = a.Language
		}
		switch {
		case len(rec.Atoms) == 0:
			atom.Role = Concept
		case kept.Part:
			atom.Role, atom.Parent = Part, rec.Atoms[a.Section].ID
			if kept.Version == 1 && kept.Created.Equal(at) {
				r.temporal = append(r.temporal, temporal(DerivedFrom, kept.ID, atom.Parent, u.hash, at))
			}
		default:
			atom.Parent = rec.Atoms[0].ID
		}
		rec.Atoms = append(rec.Atoms, kept)
		r.atoms = append(r.atoms, atom)
	}
}

// span makes an evidence span, once per range.
func (r *reading) span(s notes.Span, snippet string, u upsert, language string, at time.Time) string {
	at2 := [2]int{s.Start, s.End}
	if id, ok := r.spanIDs[at2]; ok {
		return id
	}
	id := digest("evs_", u.id, u.hash, strconv.Itoa(s.Start), strconv.Itoa(s.End))
	r.spanIDs[at2] = id
	r.spans = append(r.spans, EvidenceSpan{
		ID: id, DocumentID: u.id, SourcePath: u.doc.Path, Language: language, StartOffset: s.Start, EndOffset: s.End, StartLine: s.StartLine, EndLine: s.EndLine,
		Snippet: snippet, SourceHash: u.hash, CreatedAt: at,
	})
	return id
}

func temporal(kind TemporalKind, source, target, hash string, at time.Time) TemporalEdge {
	return TemporalEdge{ID: digest("tmp_", string(kind), source, target), Source: source, Target: target, Kind: kind, ValidFrom: at, SourceDocumentHash: hash, IsActive: true}
}

// byPathLinks says what the place of a note says: the note that a dotted name or a folder stands under comes before it.
func byPathLinks(rec *Record) []LinkRecord {
	clean := cleanPath(rec.Path)
	base := path.Base(clean)
	var up []string
	if i := strings.LastIndexByte(base, '.'); i > 0 && !strings.Contains(base, " ") {
		up = append(up, "/"+path.Join(path.Dir(clean), base[:i]))
	}
	if dir := path.Dir(clean); dir != "." && len(up) == 0 {
		if indexNames[base] {
			dir = path.Dir(dir)
		}
		if dir != "." {
			up = append(up, "/"+dir, "/"+dir+"/"+path.Base(dir))
		}
	}
	if len(up) == 0 {
		return nil
	}
	return []LinkRecord{{Keys: up, Kind: notes.Sequence, Inferred: true, Span: rec.Atoms[0].Span}}
}
