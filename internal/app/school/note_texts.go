package school

import (
	"context"
	"slices"
	"strings"

	"stoa/internal/app/core"
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
	AtomID   string         `json:"atomId"`
	Title    string         `json:"title"`
	Question *AskedQuestion `json:"question"`
}

// GetKnowledgeQuestion answers the question about a concept whose turn it is, or the one that is named. It writes nothing.
func (a *School) GetKnowledgeQuestion(ctx context.Context, c core.Caller, in QuestionInput) (NextQuestion, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return NextQuestion{}, err
	}
	g, err := a.curriculum(ctx, userID)
	if err != nil {
		return NextQuestion{}, err
	}
	atom := g.atom(in.AtomID)
	if atom == nil {
		return NextQuestion{}, errNoAtom("atomId", in.AtomID)
	}
	known, err := a.learners.of(ctx, userID)
	if err != nil {
		return NextQuestion{}, err
	}
	q := question{atomID: in.AtomID, action: tutor.Quiz, questionID: in.QuestionID, turn: known.turn(in.AtomID)}
	asked := g.asked(&q)
	out := NextQuestion{AtomID: in.AtomID, Title: atom.Title, Question: g.shown(asked)}
	if asked != nil {
		out.Question.Body, err = a.drawn(ctx, g, asked, in.AtomID, false)
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
	g, err := a.curriculum(ctx, userID)
	if err != nil {
		return DocumentText{}, err
	}
	out := DocumentText{DocumentID: in.DocumentID}
	for _, r := range []*notesSnapshot{g.own, g.shared} {
		if out.Path == "" {
			g.write(&out, r)
		}
	}
	if out.Path == "" {
		return DocumentText{}, errs.New(errs.NotFound, "There is no such note of yours.").With("documentId", in.DocumentID)
	}
	return out, nil
}

// write puts a document of a reading together from its units; one that has none, such as a list of links, from its sections.
func (g *curriculum) write(out *DocumentText, r *notesSnapshot) {
	parts := slices.DeleteFunc(slices.Clone(r.units), func(a *graph.Atom) bool { return a.DocumentID != out.DocumentID })
	if len(parts) == 0 {
		parts = r.written[out.DocumentID]
	}
	var text strings.Builder
	for _, atom := range parts {
		out.Path = atom.SourcePath
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
		text.WriteString(g.textOf(atom))
		if text.Len() > longestNote {
			out.Truncated = true
			break
		}
	}
	out.Text = core.Truncate(text.String(), longestNote)
}
