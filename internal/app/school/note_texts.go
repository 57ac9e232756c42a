package school

import (
	"context"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/tutor"
	"stoa/internal/platform/errs"
)

// QuestionInput names what is asked about, and perhaps which of its questions.
type QuestionInput struct {
	UserID     string `json:"user_id"`
	AtomID     string `json:"atomId"`
	QuestionID string `json:"questionId"`
}

// NextQuestion is a question about a concept, without its answer; Question is nil where nothing can be asked.
type NextQuestion struct {
	AtomID   string                  `json:"atomId"`
	Title    string                  `json:"title"`
	Question *notebook.AskedQuestion `json:"question"`
}

// GetKnowledgeQuestion answers the question about a concept whose turn it is, or the one that is named. It writes nothing.
func (a *School) GetKnowledgeQuestion(ctx context.Context, c core.Caller, in QuestionInput) (NextQuestion, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return NextQuestion{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return NextQuestion{}, err
	}
	atom := g.Atom(in.AtomID)
	if atom == nil {
		return NextQuestion{}, learner.ErrNoAtom("atomId", in.AtomID)
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return NextQuestion{}, err
	}
	q := notebook.Question{AtomID: in.AtomID, Action: tutor.Quiz, QuestionID: in.QuestionID, Turn: known.Turn(in.AtomID)}
	asked := g.Asked(&q)
	out := NextQuestion{AtomID: in.AtomID, Title: atom.Title, Question: g.Shown(asked)}
	if asked != nil {
		out.Question.Body, err = a.Drawn(ctx, g, asked, in.AtomID, false)
	}
	return out, err
}

// DocumentInput names a note.
type DocumentInput struct {
	UserID     string `json:"user_id"`
	DocumentID string `json:"documentId"`
}

// DocumentText is what a note says, as Markdown.
type DocumentText struct {
	DocumentID string `json:"documentId"`
	Path       string `json:"sourcePath"`
	Text       string `json:"text"`
	Truncated  bool   `json:"truncated"`
}

// GetKnowledgeDocument answers what a note says that the learner may read: one of their own, or one of everybody's.
func (a *School) GetKnowledgeDocument(ctx context.Context, c core.Caller, in DocumentInput) (DocumentText, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return DocumentText{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return DocumentText{}, err
	}
	out := DocumentText{DocumentID: in.DocumentID}
	for _, r := range []*notebook.NotesSnapshot{g.Own, g.Shared} {
		if out.Path == "" {
			writeText(g, &out, r)
		}
	}
	if out.Path == "" {
		return DocumentText{}, errs.New(errs.NotFound, "There is no such note of yours.").With("documentId", in.DocumentID)
	}
	return out, nil
}

// write puts a document of a reading together from its units; one that has none, such as a list of links, from its sections.
func writeText(g *notebook.Curriculum, out *DocumentText, r *notebook.NotesSnapshot) {
	parts := slices.DeleteFunc(slices.Clone(r.Units), func(a *graph.Atom) bool { return a.DocumentID != out.DocumentID })
	if len(parts) == 0 {
		parts = r.Written[out.DocumentID]
	}
	var text strings.Builder
	for _, atom := range parts {
		out.Path = atom.SourcePath
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
		text.WriteString(g.TextOf(atom))
		if text.Len() > notebook.LongestNote {
			out.Truncated = true
			break
		}
	}
	out.Text = core.Truncate(text.String(), notebook.LongestNote)
}
