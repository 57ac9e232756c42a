package notebook

import (
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/prose"
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

// Bounds of texts.
const (
	LongestNote    = 100_000 // bytes of a unit's text that are shown
	longestPassage = 3000    // bytes of a section that a language model is given as a passage
)

// Shown is a question as it is asked, with the flag that its learner gave it.
func (g *Curriculum) Shown(q *questions.Question) *AskedQuestion {
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
	if k := g.Bank.ByID[q.ID]; k != nil {
		out.Flag = k.Flag
	}
	return out
}

// Unit gives the unit that goes by an atom, or nil.
func (g *Curriculum) Unit(atomID string) *units.Unit {
	if u := g.Own.Made[atomID]; u != nil {
		return u
	}
	return g.Shared.Made[atomID]
}

// Questions gives the questions of a unit. They follow from its text and are found once for as long as it stays.
func (g *Curriculum) Questions(atomID string) []questions.Question {
	for _, r := range []*NotesSnapshot{g.Own, g.Shared} {
		u := r.Made[atomID]
		if u == nil {
			continue
		}
		found, ok := r.asked.Load(atomID)
		if !ok {
			found = questions.Derive(u)
			r.asked.Store(atomID, found)
		}
		return g.withEvidence(g.Bank.over(atomID, found.([]questions.Question)))
	}
	return nil
}

// Asked gives the question that is asked or answered: the one that is named; of a quiz that names none the one whose turn
// it is.
func (g *Curriculum) Asked(q *Question) *questions.Question {
	if k := g.Bank.ByID[q.QuestionID]; k != nil && k.AtomID == q.AtomID && k.Parsed.State != questions.Proposed {
		return &k.Parsed
	}
	list := g.Questions(q.AtomID)
	prompt := prose.Fold(q.Prompt)
	for i := range list {
		if q.QuestionID != "" && list[i].ID == q.QuestionID || q.QuestionID == "" && prompt != "" && prose.Fold(list[i].Prompt) == prompt {
			return &list[i]
		}
	}
	if q.Action != tutor.Quiz || len(list) == 0 || q.QuestionID != "" {
		return nil
	}
	return &list[q.Turn%len(list)]
}

// Choose gives the question for an action of a plan: each time the next, and none that the plan asks already unless there is no other.
// What is new is to be explained.
func (g *Curriculum) Choose(atomID, kind string, turn int, asked map[string]bool) string {
	list := g.Questions(atomID)
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

// NoteText gives what the notes say of a unit, or of the section that is no unit.
func (g *Curriculum) NoteText(atomID string) *NoteText {
	a := g.Atom(atomID)
	if a == nil {
		return nil
	}
	return &NoteText{atomID, a.Title, a.SourcePath, core.Truncate(g.TextOf(a), LongestNote)}
}

// TextOf is all that a unit says, or a section that is none.
func (g *Curriculum) TextOf(a *graph.Atom) string {
	if u := g.Unit(a.ID); u != nil {
		return u.Text()
	}
	return a.Content
}

// Passage gives the text of the section that a span of a unit stands for.
func (g *Curriculum) Passage(atomID string, span *EvidenceSpan) string {
	u := g.Unit(atomID)
	if u == nil {
		return span.Snippet
	}
	for i := range u.Sections {
		for _, r := range []*NotesSnapshot{g.Own, g.Shared} {
			if a := r.Atoms[u.Sections[i].AtomID]; a != nil && slices.Contains(a.EvidenceSpans, span.ID) && a.Content != "" {
				return core.Truncate(a.Content, longestPassage)
			}
		}
	}
	return span.Snippet
}

// Quoted finds the evidence of a question by a model where it stands now.
func (g *Curriculum) Quoted(q questions.Question) (questions.Question, bool) {
	u := g.Unit(q.UnitID)
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
func (g *Curriculum) withEvidence(list []questions.Question) []questions.Question {
	if !slices.ContainsFunc(list, func(q questions.Question) bool { return q.Origin == questions.Model }) {
		return list
	}
	out := make([]questions.Question, 0, len(list))
	for _, q := range list {
		ok := true
		if q.Origin == questions.Model {
			q, ok = g.Quoted(q)
		}
		if ok {
			out = append(out, q)
		}
	}
	return out
}

// Question is what a tutor is asked.
type Question struct {
	AtomID   string
	Relation []string
	Action   tutor.Action
	Answer   string
	Locale   string
	// QuestionID or prompt name the question; turn chooses one where none is named.
	QuestionID, Prompt string
	Turn               int
}
