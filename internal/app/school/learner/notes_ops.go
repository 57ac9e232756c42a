package learner

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// NotesInput asks for a page of notes.
type NotesInput struct {
	UserID string `json:"user_id"`
	Limit  int    `json:"limit"`
	Cursor string `json:"cursor"`
}

// KnowledgeDocument is a note in a list.
type KnowledgeDocument struct {
	DocumentID string `json:"documentId"`
	SourcePath string `json:"sourcePath"`
	Title      string `json:"title"`
	Language   string `json:"language"`
	SourceHash string `json:"sourceHash"`
	Shared     bool   `json:"shared"`
	Version    int64  `json:"version"`
	Atoms      int64  `json:"atoms"`
	CreatedAt  string `json:"createdAt"`
	UpdatedAt  string `json:"updatedAt"`
}

// KnowledgeDocumentList is a page of notes.
type KnowledgeDocumentList struct {
	UserID     string              `json:"userId"`
	Total      int                 `json:"total"`
	Documents  []KnowledgeDocument `json:"documents"`
	NextCursor string              `json:"next_cursor"`
}

const usualNotes = 50

// ListKnowledgeDocuments answers the notes that a learner has, and those of everybody.
func (a *Service) ListKnowledgeDocuments(ctx context.Context, c core.Caller, in NotesInput) (KnowledgeDocumentList, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return KnowledgeDocumentList{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return KnowledgeDocumentList{}, err
	}
	var owner, after string
	if in.Cursor != "" {
		text, err := base64.RawURLEncoding.DecodeString(in.Cursor)
		part, rest, ok := strings.Cut(string(text), "\n")
		if err != nil || !ok || !core.Storable(string(text)) {
			return KnowledgeDocumentList{}, core.ErrCursor
		}
		if part == "own" {
			owner = userID
		}
		after = rest
	}
	limit := cmp.Or(in.Limit, usualNotes)
	rows, err := a.Store.Notes(ctx, userID, owner, after, limit+1)
	out := KnowledgeDocumentList{UserID: userID, Total: g.Shared.Notes + g.Own.Notes, Documents: []KnowledgeDocument{}}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		part := "own"
		if last.Owner == core.SharedOwner {
			part = "shared"
		}
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(part + "\n" + last.DocumentID))
	}
	for _, n := range rows {
		out.Documents = append(out.Documents, KnowledgeDocument{
			n.DocumentID, n.Path, n.Title, n.Language, n.Hash, n.Owner == core.SharedOwner, n.Version, n.Atoms, clock.Text(clock.FromMicros(n.CreatedAt)), clock.Text(clock.FromMicros(n.UpdatedAt)),
		})
	}
	return out, err
}

// CorrectRelationInput is a learner's word on two concepts.
type CorrectRelationInput struct {
	UserID  string `json:"user_id"`
	Source  string `json:"sourceAtomId"`
	Target  string `json:"targetAtomId"`
	Verdict string `json:"verdict"`
}

// RelationCorrection is what a correction changed.
type RelationCorrection struct {
	UserID      string                  `json:"userId"`
	Source      string                  `json:"sourceAtomId"`
	Target      string                  `json:"targetAtomId"`
	Verdict     string                  `json:"verdict"`
	CorrectedAt string                  `json:"correctedAt"`
	Edges       []notebook.RelationEdge `json:"edges"`
	Cycles      []notebook.BrokenCycle  `json:"cycles"`
}

var verdicts = map[string]graph.VerdictKind{"prerequisite": graph.Confirmed, "reverse": graph.Reversed, "unrelated": graph.Unrelated, "automatic": ""}

// MostCorrections is of how many pairs of concepts a learner may say what is right, what they took back included: other nodes must
// learn of that too.
const MostCorrections = 10_000

// CorrectKnowledgeRelation puts a prerequisite among a learner's own notes right.
func (a *Service) CorrectKnowledgeRelation(ctx context.Context, c core.Caller, in CorrectRelationInput) (RelationCorrection, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RelationCorrection{}, err
	}
	lib := a.Notes.Of(userID)
	r, err := lib.Read(ctx)
	if err != nil {
		return RelationCorrection{}, err
	}
	for field, id := range map[string]string{"sourceAtomId": in.Source, "targetAtomId": in.Target} {
		if at := r.Atoms[id]; at == nil || at.Role != graph.Concept {
			return RelationCorrection{}, errs.Invalid(field, "names no concept of your own notes")
		}
	}
	if in.Source == in.Target {
		return RelationCorrection{}, errs.Invalid("targetAtomId", "must be another concept than the source")
	}
	out := RelationCorrection{UserID: userID, Source: in.Source, Target: in.Target, Verdict: in.Verdict, Edges: []notebook.RelationEdge{}}
	verdict, now := verdicts[in.Verdict], a.Clock()
	_, err = lib.Change(ctx, func(g *graph.Library) (graph.Changes, []schooldb.Correction) {
		said := []schooldb.Correction{{Source: in.Source, Target: in.Target, Verdict: string(verdict)}, {Source: in.Target, Target: in.Source}}
		if verdict == "" {
			return g.Withdraw(in.Source, in.Target, now), said
		}
		return g.Correct(graph.Correction{Source: in.Source, Target: in.Target, Verdict: verdict}, now), said
	}, func(tx *store.Tx, changes graph.Changes) error {
		kept, err := tx.CountCorrections(ctx, userID, false)
		if err == nil && kept > 2*MostCorrections {
			err = errs.Newf(errs.QuotaExceeded, "You have corrected %d pairs of concepts already.", MostCorrections).With("kind", "corrections").With("limit", MostCorrections)
		}
		if err != nil {
			return err
		}
		out.CorrectedAt, out.Cycles, out.Edges = clock.Text(tx.Now), notebook.CyclesView(changes.Cycles), []notebook.RelationEdge{}
		lib.Title(out.Cycles, changes)
		for i := range notebook.FirstOf(changes.Edges) {
			out.Edges = append(out.Edges, notebook.EdgeView(&changes.Edges[i]))
		}
		out.Edges = append(out.Edges, notebook.EndedView(&changes)...)
		return tx.AddEvent(core.NewAuditEvent(tx, c.As(userID), core.AuditEntry{Owner: userID, Action: "knowledge.relation_corrected", Target: in.Target, Status: in.Verdict}))
	})
	return out, err
}

// GraphInput asks for the graph, whole or around a concept.
type GraphInput struct {
	UserID string `json:"user_id"`
	Focus  string `json:"focusAtomId"`
	Limit  int    `json:"limit"`
	Cursor string `json:"cursor"`
}

// GraphNode is a concept and where the learner stands with it.
type GraphNode struct {
	AtomID         string    `json:"atomId"`
	Title          string    `json:"title"`
	DocumentID     string    `json:"documentId"`
	State          string    `json:"state"`
	Mastery        *float64  `json:"masteryProbability"` // nil was never studied, and so are the next two
	Interval       []float64 `json:"interval90"`
	Retrievability *float64  `json:"retrievability"`
	NextReviewAt   string    `json:"nextReviewAt"`
	Uncertain      bool      `json:"uncertain"`
	Level          int       `json:"level"`
	// Implied is the probability that something never studied is known, as answers on what needs it say.
	Implied *float64 `json:"impliedProbability"`
}

// GraphEdge is a relation between two concepts.
type GraphEdge struct {
	ID         string  `json:"edgeId"`
	Source     string  `json:"sourceAtomId"`
	Target     string  `json:"targetAtomId"`
	Kind       string  `json:"relationKind"`
	Provenance string  `json:"provenance"`
	Confidence float64 `json:"confidence"`
	Checked    string  `json:"checked"` // what a language model said of an inferred prerequisite
}

// GraphCounts counts concepts by where the learner stands.
type GraphCounts struct {
	Concepts      int `json:"concepts"`
	Prerequisites int `json:"prerequisites"`
	Mastered      int `json:"mastered"`
	Learning      int `json:"learning"`
	Ready         int `json:"ready"`
	Locked        int `json:"locked"`
	Due           int `json:"due"`
	Uncertain     int `json:"uncertain"`
	Implied       int `json:"implied"` // never studied, and known by what was answered
}

// KnowledgeGraph is what there is to learn and where the learner stands.
type KnowledgeGraph struct {
	UserID      string      `json:"userId"`
	GeneratedAt string      `json:"generatedAt"`
	Nodes       []GraphNode `json:"nodes"`
	Edges       []GraphEdge `json:"edges"`
	Counts      GraphCounts `json:"counts"`
	Truncated   bool        `json:"truncated"`
	NextCursor  string      `json:"next_cursor"`
	// Cycles are those among prerequisites in the learner's own notes, each with the edge that is left out for it.
	Cycles []notebook.BrokenCycle `json:"cycles"`
}

const (
	usualNodes   = 400
	uncertainGap = 0.4 // width of the interval
)

// GetKnowledgeGraph answers what there is to learn and where the learner stands: all of it counted, the units shown
// that come first, those at hand before those far off.
func (a *Service) GetKnowledgeGraph(ctx context.Context, c core.Caller, in GraphInput) (KnowledgeGraph, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return KnowledgeGraph{}, err
	}
	var after notebook.GraphCursor
	if in.Cursor != "" {
		if after, err = notebook.ParseGraphCursor(in.Cursor); err != nil {
			return KnowledgeGraph{}, err
		}
	}
	now, err := after.Moment(a.Clock())
	if err != nil {
		return KnowledgeGraph{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return KnowledgeGraph{}, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return KnowledgeGraph{}, err
	}
	out := KnowledgeGraph{UserID: userID, GeneratedAt: clock.Text(now), Nodes: []GraphNode{}, Edges: []GraphEdge{}, Cycles: notebook.CyclesView(g.Own.Cycles)}
	stand, err := UnitStates(g, known, now)
	if err != nil {
		return KnowledgeGraph{}, err
	}
	for i := range stand {
		out.Counts.add(stand[i].State)
		if stand[i].uncertain() {
			out.Counts.Uncertain++
		}
		if stand[i].implied >= MasteredAt {
			out.Counts.Implied++
		}
	}
	for i := range out.Cycles {
		for end, id := range []string{out.Cycles[i].Source, out.Cycles[i].Target} {
			if atom := g.Atom(id); atom != nil {
				out.Cycles[i].Titles[end] = atom.Title
			}
		}
	}
	out.Counts.Concepts = len(g.Units)
	for _, needs := range g.Needs {
		out.Counts.Prerequisites += len(needs)
	}
	p, err := g.Page(chosen(g, stand, in.Focus), cmp.Or(in.Limit, usualNodes), after, now)
	if err != nil {
		return KnowledgeGraph{}, err
	}
	out.NextCursor, out.Truncated = p.Next, len(p.Nodes) < len(g.Units) || p.Next != ""
	for _, i := range p.Nodes {
		unit := g.Units[i]
		n := GraphNode{AtomID: unit.ID, Title: unit.Title, DocumentID: unit.DocumentID, State: stand[i].State, Level: g.Level[i], Uncertain: stand[i].uncertain()}
		n.Mastery, n.Interval, n.Retrievability, n.NextReviewAt = stand[i].Figures()
		if stand[i].implied > 0 {
			p := core.Rounded(stand[i].implied, 4)
			n.Implied = &p
		}
		out.Nodes = append(out.Nodes, n)
	}
	for _, e := range p.Edges {
		s := notebook.EdgeView(e)
		out.Edges = append(out.Edges, GraphEdge{s.ID, s.Source, s.Target, s.Kind, s.Provenance, s.Confidence, string(e.Checked)})
	}
	return out, nil
}

func (c *GraphCounts) add(state string) {
	switch state {
	case "mastered":
		c.Mastered++
	case "due":
		c.Mastered++
		c.Due++
	case "learning":
		c.Learning++
	case "ready":
		c.Ready++
	case "locked":
		c.Locked++
	}
}

// chosen are the units that are shown, in the order of the pages: around a concept those up to two steps off, else what is at hand first.
func chosen(g *notebook.Curriculum, stand []unitState, focus string) []int {
	var list []int
	if i, ok := g.Number[focus]; ok {
		near := map[int]int{i: 0}
		for step := 1; step <= 2; step++ {
			for j, needs := range g.Needs {
				for _, need := range needs {
					if d, in := near[need.To]; in && d == step-1 {
						if _, known := near[j]; !known {
							near[j] = step
						}
					}
					if d, in := near[j]; in && d == step-1 {
						if _, known := near[need.To]; !known {
							near[need.To] = step
						}
					}
				}
			}
		}
		for j := range near {
			list = append(list, j)
		}
		slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(near[a], near[b]), cmp.Compare(a, b)) })
	} else {
		rank := map[string]int{"due": 0, "learning": 1, "ready": 2, "mastered": 3, "locked": 4}
		for i := range g.Units {
			list = append(list, i)
		}
		slices.SortFunc(list, func(a, b int) int {
			return cmp.Or(cmp.Compare(rank[stand[a].State], rank[stand[b].State]), cmp.Compare(g.Level[a], g.Level[b]), cmp.Compare(a, b))
		})
	}
	return list
}
