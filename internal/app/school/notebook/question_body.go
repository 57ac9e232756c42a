package notebook

import (
	"context"
	"strings"

	"stoa/internal/learning/graph"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/render"
)

// QuestionBody is a question as a page shows it: trees as those of notes (docs/notes.md).
type QuestionBody struct {
	Prompt  []render.Node   `json:"prompt"`
	Choices [][]render.Node `json:"choices"`
	Left    [][]render.Node `json:"left"`
	// Answer and Explanation are there for whoever may see the answer.
	Answer      []render.Node `json:"answer,omitempty"`
	Explanation []render.Node `json:"explanation,omitempty"`
}

// Drawn gives the trees of a question, with those of its answer when that may be seen.
func (a *Service) Drawn(ctx context.Context, g *Curriculum, q *questions.Question, atomID string, answered bool) (*QuestionBody, error) {
	atom, r := g.Atom(atomID), g.Own
	if r.Atoms[atomID] == nil {
		r = g.Shared
	}
	o := render.Options{Links: render.NoLinks{}}
	if atom != nil {
		links, err := a.questionLinks(ctx, r, q, atom)
		if err != nil {
			return nil, err
		}
		o.Links, o.Macros = links, r.MacrosOf(atom.DocumentID)
	}
	show := func(written, plain string) []render.Node {
		switch {
		case written == "":
			return render.Text(plain, o)
		case q.Shown.HTML:
			return render.Card(written, o)
		}
		return render.Markdown(written, o)
	}
	all := func(texts []string) [][]render.Node {
		list := make([][]render.Node, len(texts))
		for i, text := range texts {
			list[i] = render.Text(text, o)
		}
		return list
	}
	body := &QuestionBody{Prompt: show(q.Shown.Prompt, q.Prompt), Choices: all(q.Choices), Left: all(q.Left)}
	if answered {
		body.Answer, body.Explanation = show(q.Shown.Answer, q.Expected()), show(q.Shown.Explanation, q.Explanation)
	}
	return body, nil
}

// questionLinks finds what a question's text refers to. Most refer to nothing, and no file is looked up for them.
func (a *Service) questionLinks(ctx context.Context, r *NotesSnapshot, q *questions.Question, atom *graph.Atom) (render.Links, error) {
	refers := len(q.Media) > 0
	for _, text := range []string{q.Prompt, q.Shown.Prompt, q.Shown.Answer, q.Shown.Explanation} {
		refers = refers || strings.Contains(text, "](") || strings.Contains(text, "[[") || strings.Contains(text, "<img") || strings.Contains(text, "[sound:")
	}
	if !refers {
		return render.NoLinks{}, nil
	}
	return a.LinksOf(ctx, r, atom.DocumentID, atom.SourcePath)
}
