package school

import (
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/tutor"
	"stoa/internal/learning/units"
)

// AskedQuestion is a question as it is shown, without its answer.
type AskedQuestion struct {
	ID      string   `json:"questionId"`
	Kind    string   `json:"kind"`
	Prompt  string   `json:"prompt"`
	Choices []string `json:"choices"`
	Left    []string `json:"left"`
	Origin  string   `json:"origin"`
	State   string   `json:"state"`
	// Picture is shown under the shapes of an occlusion.
	Picture string       `json:"picture,omitempty"`
	Shapes  []AskedShape `json:"shapes,omitempty"`
	Deck    string       `json:"deck,omitempty"`
	Tags    []string     `json:"tags,omitempty"`
	Flag    int64        `json:"flag,omitempty"`
	// Body is the question as it is drawn, where a page may ask for it.
	Body *QuestionBody `json:"body,omitempty"`
}

// AskedShape covers a part of a picture; places and sizes are shares of it.
type AskedShape struct {
	Form   string       `json:"form"`
	Left   float64      `json:"left"`
	Top    float64      `json:"top"`
	Width  float64      `json:"width"`
	Height float64      `json:"height"`
	Points [][2]float64 `json:"points,omitempty"`
	Asked  bool         `json:"asked"`
}

// NoteText is what the notes say of a unit, whole, as Markdown.
type NoteText struct {
	AtomID string `json:"atomId"`
	Title  string `json:"title"`
	Path   string `json:"sourcePath"`
	Text   string `json:"text"`
}

const (
	longestNote    = 100_000 // bytes of a unit's text that are shown
	longestPassage = 3000    // bytes of a section that a language model is given as a passage
)

// shown is a question as it is asked, with the flag that its learner gave it.
func (g *curriculum) shown(q *questions.Question) *AskedQuestion {
	if q == nil {
		return nil
	}
	out := &AskedQuestion{
		ID: q.ID, Kind: string(q.Kind), Prompt: q.Prompt, Choices: core.NonNil(q.Choices), Left: core.NonNil(q.Left), Origin: string(q.Origin), State: string(q.State),
		Picture: q.Picture, Deck: q.Deck, Tags: q.Tags,
	}
	for _, s := range q.Shapes {
		out.Shapes = append(out.Shapes, AskedShape(s))
	}
	if k := g.bank.byID[q.ID]; k != nil {
		out.Flag = k.Flag
	}
	return out
}

// unit gives the unit that goes by an atom, or nil.
func (g *curriculum) unit(atomID string) *units.Unit {
	if u := g.own.made[atomID]; u != nil {
		return u
	}
	return g.shared.made[atomID]
}

// questions gives the questions of a unit. They follow from its text and are found once for as long as it stays.
func (g *curriculum) questions(atomID string) []questions.Question {
	for _, r := range []*notesSnapshot{g.own, g.shared} {
		u := r.made[atomID]
		if u == nil {
			continue
		}
		found, ok := r.asked.Load(atomID)
		if !ok {
			found = questions.Derive(u)
			r.asked.Store(atomID, found)
		}
		return g.withEvidence(g.bank.over(atomID, found.([]questions.Question)))
	}
	return nil
}

// asked gives the question that is asked or answered: the one that is named; of a quiz that names none the one whose turn
// it is.
func (g *curriculum) asked(q *question) *questions.Question {
	if k := g.bank.byID[q.questionID]; k != nil && k.AtomID == q.atomID && k.parsed.State != questions.Proposed {
		return &k.parsed
	}
	list := g.questions(q.atomID)
	prompt := questions.Fold(q.prompt)
	for i := range list {
		if q.questionID != "" && list[i].ID == q.questionID || q.questionID == "" && prompt != "" && questions.Fold(list[i].Prompt) == prompt {
			return &list[i]
		}
	}
	if q.action != tutor.Quiz || len(list) == 0 || q.questionID != "" {
		return nil
	}
	return &list[q.turn%len(list)]
}

// choose gives the question for an action of a plan: each time the next, and none that the plan asks already unless there is no other.
// What is new is to be explained.
func (g *curriculum) choose(atomID, kind string, turn int, asked map[string]bool) string {
	list := g.questions(atomID)
	switch kind {
	case "quiz", "review":
	case "explain":
		if explain := slices.DeleteFunc(slices.Clone(list), func(q questions.Question) bool { return q.Kind != questions.Explain }); len(explain) > 0 {
			list = explain
		}
	default:
		return ""
	}
	if len(list) == 0 {
		return ""
	}
	for i := range list {
		if id := list[(turn+i)%len(list)].ID; !asked[id] {
			return id
		}
	}
	return list[turn%len(list)].ID
}

// noteText gives what the notes say of a unit, or of the section that is no unit.
func (g *curriculum) noteText(atomID string) *NoteText {
	a := g.atom(atomID)
	if a == nil {
		return nil
	}
	return &NoteText{atomID, a.Title, a.SourcePath, core.Truncate(g.textOf(a), longestNote)}
}

// textOf is all that a unit says, or a section that is none.
func (g *curriculum) textOf(a *graph.Atom) string {
	if u := g.unit(a.ID); u != nil {
		return u.Text()
	}
	return a.Content
}

// passage gives the text of the section that a span of a unit stands for.
func (g *curriculum) passage(atomID string, span *EvidenceSpan) string {
	u := g.unit(atomID)
	if u == nil {
		return span.Snippet
	}
	for i := range u.Sections {
		for _, r := range []*notesSnapshot{g.own, g.shared} {
			if a := r.atoms[u.Sections[i].AtomID]; a != nil && slices.Contains(a.EvidenceSpans, span.ID) && a.Content != "" {
				return core.Truncate(a.Content, longestPassage)
			}
		}
	}
	return span.Snippet
}

// quoted finds the evidence of a question by a model where it stands now.
func (g *curriculum) quoted(q questions.Question) (questions.Question, bool) {
	u := g.unit(q.UnitID)
	if u == nil {
		return q, false
	}
	for i := range u.Sections {
		if at := strings.Index(u.Sections[i].Content, q.Quote); at >= 0 {
			q.Evidence = questions.Evidence{AtomID: u.Sections[i].AtomID, Start: at, End: at + len(q.Quote)}
			return q, true
		}
	}
	return q, false
}

// withEvidence leaves out the questions by a model whose quoted passage is no longer in the note.
func (g *curriculum) withEvidence(list []questions.Question) []questions.Question {
	if !slices.ContainsFunc(list, func(q questions.Question) bool { return q.Origin == questions.Model }) {
		return list
	}
	out := make([]questions.Question, 0, len(list))
	for _, q := range list {
		ok := true
		if q.Origin == questions.Model {
			q, ok = g.quoted(q)
		}
		if ok {
			out = append(out, q)
		}
	}
	return out
}

// question is what a tutor is asked.
type question struct {
	atomID   string
	relation []string
	action   tutor.Action
	answer   string
	locale   string
	// questionID or prompt name the question; turn chooses one where none is named.
	questionID, prompt string
	turn               int
}
