package school

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/cards"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/latex"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/render"
	"stoa/internal/platform/errs"
)

// NoteInput asks for a note, or for the part of it that is learned as one.
type NoteInput struct {
	UserID     string `json:"user_id"`
	DocumentID string `json:"documentId"`
	// AtomID names a unit: its sections alone are shown.
	AtomID string `json:"atomId"`
	// QuestionID names a question of AtomID whose evidence is marked.
	QuestionID string `json:"questionId"`
	// Start is where in the text to go on, in bytes, as Next of an earlier answer said.
	Start int `json:"start"`
}

// NoteLink is a note that links to another.
type NoteLink struct {
	DocumentID string `json:"documentId"`
	Title      string `json:"title"`
}

// LearnedUnit is something that is learned of a note, and where the learner stands with it.
type LearnedUnit struct {
	AtomID       string   `json:"atomId"`
	Title        string   `json:"title"`
	Anchor       string   `json:"anchor"` // where in the note it begins
	State        string   `json:"state"`
	Mastery      *float64 `json:"masteryProbability"` // nil was never studied
	NextReviewAt string   `json:"nextReviewAt"`
	Questions    int      `json:"questions"`
}

// NoteView is a note as a page shows it.
type NoteView struct {
	DocumentID string        `json:"documentId"`
	Path       string        `json:"sourcePath"`
	Title      string        `json:"title"`
	Shared     bool          `json:"shared"`
	Body       []render.Node `json:"body"`
	Marked     bool          `json:"marked"` // the evidence of the question stands in it
	Next       int           `json:"next"`   // where the rest begins; 0 when there is none
	LeftOut    bool          `json:"leftOut"`
	Backlinks  []NoteLink    `json:"backlinks"`
	Learned    []LearnedUnit `json:"learned"`
}

// mostBacklinks bounds the notes that are named as linking to a note.
const mostBacklinks = 200

// GetKnowledgeNote answers a note that the learner may read as a tree, with what links to it and what was learned of it.
func (a *School) GetKnowledgeNote(ctx context.Context, c core.Caller, in NoteInput) (NoteView, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return NoteView{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return NoteView{}, err
	}
	if in.AtomID == "" && in.DocumentID == "" {
		return NoteView{}, errs.Invalid("documentId", "name a documentId or an atomId")
	}
	if in.AtomID != "" {
		atom := g.Atom(in.AtomID)
		if atom == nil {
			return NoteView{}, learner.ErrNoAtom("atomId", in.AtomID)
		}
		in.DocumentID = atom.DocumentID
	}
	r := g.Own
	if len(r.Written[in.DocumentID]) == 0 {
		r = g.Shared
	}
	atoms := r.Written[in.DocumentID]
	if len(atoms) == 0 {
		return NoteView{}, errs.New(errs.NotFound, "There is no such note of yours.").With("documentId", in.DocumentID)
	}
	out := NoteView{
		DocumentID: in.DocumentID, Path: atoms[0].SourcePath, Title: atoms[0].Title, Shared: r == g.Shared,
		Backlinks: backlinks(r, in.DocumentID), Learned: []LearnedUnit{},
	}
	if u := r.Made[in.AtomID]; u != nil {
		out.Title = u.Title
		part := make([]*graph.Atom, 0, len(u.Sections))
		for i := range u.Sections {
			if at := r.Atoms[u.Sections[i].AtomID]; at != nil {
				part = append(part, at)
			}
		}
		atoms = part
	}
	links, err := a.LinksOf(ctx, r, in.DocumentID, out.Path)
	if err != nil {
		return NoteView{}, err
	}
	writeNote(g, &out, in, atoms, links, r.MacrosOf(in.DocumentID))
	if out.Learned, err = a.learnedOf(ctx, g, userID, in.DocumentID); err != nil {
		return NoteView{}, err
	}
	return out, nil
}

// writeNote makes the tree of a part of a note's text.
func writeNote(g *notebook.Curriculum, out *NoteView, in NoteInput, atoms []*graph.Atom, links render.Links, macros latex.Macros) {
	text, places := notebook.NoteSource(atoms)
	start := max(0, min(in.Start, len(text)))
	end := partEnd(text, start)
	o := render.Options{Links: links, DocumentID: in.DocumentID, Macros: macros}
	if q := evidenceOf(g, in); q != nil {
		if at, ok := places[q.AtomID]; ok && q.End > q.Start {
			o.MarkStart, o.MarkEnd = at+q.Start-start, at+q.End-start
		}
	}
	body, cut := render.Note(text[start:end], o)
	out.Body, out.LeftOut = body, cut
	if out.Body == nil {
		out.Body = []render.Node{}
	}
	if end < len(text) {
		out.Next = end
	}
	out.Marked = o.MarkEnd > 0 && o.MarkStart < end-start
}

// evidenceOf gives where the answer to the question stands that is asked about, or nil.
func evidenceOf(g *notebook.Curriculum, in NoteInput) *cards.EvidenceRange {
	if in.QuestionID == "" || in.AtomID == "" {
		return nil
	}
	for _, q := range g.Questions(in.AtomID) {
		if q.ID == in.QuestionID {
			at := cards.EvidenceRange(q.Evidence)
			return &at
		}
	}
	if k := g.Bank.ByID[in.QuestionID]; k != nil && k.Parsed.State == questions.Proposed && k.AtomID == in.AtomID {
		if q, ok := g.Quoted(k.Parsed); ok {
			at := cards.EvidenceRange(q.Evidence)
			return &at
		}
	}
	return nil
}

// partEnd says where the part of a text ends that begins at start: before a heading, else after a paragraph, else after a
// line, where one is near.
func partEnd(text string, start int) int {
	if len(text)-start <= render.MaxBytes {
		return len(text)
	}
	part := text[start : start+render.MaxBytes]
	for _, mark := range []string{"\n\n## ", "\n\n", "\n", " "} {
		if at := strings.LastIndex(part, mark); at > len(part)/2 {
			return start + at + 1
		}
	}
	return start + len(strings.ToValidUTF8(part, ""))
}

// backlinks gives the notes of the same owner that link to one, by title.
func backlinks(r *notebook.NotesSnapshot, documentID string) []NoteLink {
	mine := map[string]bool{}
	for _, a := range r.Written[documentID] {
		mine[a.ID] = true
	}
	seen := map[string]bool{documentID: true}
	list := []NoteLink{}
	for i := range r.Edges {
		e := r.Edges[i]
		from := r.Atoms[e.Source]
		if !mine[e.Target] || from == nil || seen[from.DocumentID] || e.Provenance == graph.Inferred {
			continue
		}
		seen[from.DocumentID] = true
		list = append(list, NoteLink{from.DocumentID, r.Written[from.DocumentID][0].Title})
	}
	slices.SortFunc(list, func(a, b NoteLink) int {
		return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.DocumentID, b.DocumentID))
	})
	return list[:min(len(list), mostBacklinks)]
}

// learnedOf gives what is learned of a note.
func (a *School) learnedOf(ctx context.Context, g *notebook.Curriculum, userID, documentID string) ([]LearnedUnit, error) {
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return nil, err
	}
	now := a.Clock()
	stand, err := learner.UnitStates(g, known, now)
	if err != nil {
		return nil, err
	}
	list := []LearnedUnit{}
	for i, unit := range g.Units {
		if unit.DocumentID != documentID || len(list) == mostBacklinks {
			continue
		}
		anchor := ""
		if path := unit.Metadata.SectionPath; len(path) > 0 {
			anchor = render.Anchor(path[len(path)-1])
		}
		learned := LearnedUnit{AtomID: unit.ID, Title: unit.Title, Anchor: anchor, State: stand[i].State, Questions: len(g.Questions(unit.ID))}
		learned.Mastery, _, _, learned.NextReviewAt = stand[i].Figures()
		list = append(list, learned)
	}
	return list, nil
}
