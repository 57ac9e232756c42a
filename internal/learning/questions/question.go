package questions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// Kind is the form of a question.
type Kind string

// The kinds.
const (
	Open      Kind = "question"   // a question with a short answer
	Gap       Kind = "gap"        // a sentence with one gap
	Gaps      Kind = "gaps"       // a sentence with several gaps
	Choice    Kind = "choice"     // one of several answers
	TrueFalse Kind = "true_false" // a statement that holds or does not
	Order     Kind = "order"      // items to put in order
	Match     Kind = "match"      // two lists to match
	Listing   Kind = "list"       // items to name, in any order
	Explain   Kind = "explain"    // to say in one's own words
	Occlusion Kind = "occlusion"  // what lies under a shape on a picture
)

// Origin is where a question comes from.
type Origin string

// The origins.
const (
	Author   Origin = "author"
	Rule     Origin = "rule"
	Imported Origin = "imported"
	Model    Origin = "model" // a language model proposed it and its learner accepted it, or may
)

// State is whether a question is asked.
type State string

// The states. What is derived from notes is active.
const (
	Proposed  State = "proposed" // not asked until its learner accepts it
	Active    State = "active"
	Suspended State = "suspended" // not asked until it is active again
	Retired   State = "retired"   // not asked again
)

// Answer is what is accepted.
type Answer struct {
	// Texts are equally right, for open questions, gaps, true or false and explanations; the first is shown.
	Texts []string
	// Items are the parts, for several gaps, lists and orders, in their order.
	Items []string
	// Number is set when the answer is one; then Value, Unit and the relative Tolerance count.
	Number    bool
	Value     float64
	Unit      string
	Tolerance float64
	// Points are what an explanation should have.
	Points []string
}

// Evidence is where in an atom's content the answer stands, in bytes, End exclusive.
type Evidence struct {
	AtomID     string
	Start, End int
}

// Question is something a learner is asked.
type Question struct {
	ID, UnitID string
	Kind       Kind
	Prompt     string
	Choices    []string // of a choice, the items of an order as they are shown, the right side of a match
	Left       []string // of a match
	Answer     Answer
	Evidence   Evidence
	Origin     Origin
	State      State
	Rank       float64 // 0..1: how much it is worth asking
	// Shown is what prompt, answer and explanation look like where they are more than their words.
	Shown Shown `json:",omitzero"`
	// Quote is the evidence of a question by a model, as it stands in the note; it is not asked when the note says it no more.
	Quote string `json:",omitempty"`
	// Explanation is shown beside the answer.
	Explanation string `json:",omitempty"`
	// Media are the names of pictures and sounds that the prompt, the answer or the explanation show.
	Media []string `json:",omitempty"`
	// Picture and Shapes are those of an occlusion.
	Picture string  `json:",omitempty"`
	Shapes  []Shape `json:",omitempty"`
	// Nth says which question of its card it is, from 1, for the cards that the review plug-in of Obsidian schedules; 0 for others.
	Nth int `json:",omitempty"`
	// Deck and Tags are those of a card that was imported.
	Deck string   `json:",omitempty"`
	Tags []string `json:",omitempty"`
	// twin is the term that another question asks for too, the other way round; "" when none does.
	twin string
}

// Shown are texts of a question as they were written, in Markdown or, of a card, in HTML; empty where the plain text says all.
type Shown struct {
	HTML                        bool   `json:",omitempty"`
	Prompt, Answer, Explanation string `json:",omitempty"`
}

// Shape covers a part of a picture. Places and sizes are shares of the picture's width and height.
type Shape struct {
	Form                     string // rect, ellipse or polygon
	Left, Top, Width, Height float64
	Points                   [][2]float64 `json:",omitempty"` // of a polygon
	Asked                    bool         // what lies under it is asked; others are covered as well
}

// Pair makes a question of a prompt and its answer, both plain: with a short answer, or one to explain when the answer is
// long.
func Pair(prompt, answer string) Question {
	q := Question{Kind: Open, Prompt: prompt, Rank: 1, State: Active, Answer: answerOf(answer)}
	if len(prose.Words(answer)) > 12 || strings.Contains(answer, "\n") {
		q.Kind = Explain
		q.Answer.Points = points(answer, prompt)
	}
	return q
}

// GapFilled gives the answer of a gap with the alternatives that its wording names.
func GapFilled(answer string) Answer { return answerOf(answer) }

// Expected is the answer as it is shown.
func (q *Question) Expected() string {
	if q.Kind == Match && len(q.Left) == len(q.Answer.Items) {
		lines := make([]string, len(q.Left))
		for i, left := range q.Left {
			lines[i] = left + pairMark + q.Answer.Items[i]
		}
		return strings.Join(lines, "\n")
	}
	return q.inRow()
}

// pairMark stands between the two sides of a pair.
const pairMark = " – "

// inRow is the answer in one row; IDs are made of it.
func (q *Question) inRow() string {
	switch {
	case len(q.Answer.Items) > 0 && q.Kind == Gaps, q.Kind == Listing:
		return strings.Join(q.Answer.Items, "; ")
	case len(q.Answer.Items) > 0:
		return strings.Join(q.Answer.Items, " → ")
	case len(q.Answer.Texts) > 0:
		return q.Answer.Texts[0]
	}
	return ""
}

const (
	// Blank stands for a gap.
	Blank = "____"
	blank = Blank
	// mostQuestions bounds the questions of a unit with those made by rule; its author's own are all asked, up to mostAuthored.
	mostQuestions = 16
	mostByRule    = 10
	mostMade      = 500 // by rule, from which those are chosen: a note that has more is long enough
	// mostMarked are gaps on marked words of sentences that define nothing, which have at most the rank markedWord.
	mostMarked   = 4
	markedWord   = .7
	mostAuthored = 2000
)

// Derive finds the questions of a unit: the author's own first, then those made by rule, the best first. The same unit
// has the same questions in the same order.
func Derive(u *units.Unit) []Question { return derive(u).chosen(true) }

// derive finds all questions of a unit.
func derive(u *units.Unit) *deriver {
	d := &deriver{unit: u, title: newTitle(u), marks: u.Cards.Usual(), lines: -1}
	for i := range u.Sections {
		d.author(i)
	}
	if u.Given {
		d.card()
	}
	for i := range u.Sections {
		if s := &u.Sections[i]; !u.Given && !s.Exercises {
			d.rules(i)
		}
	}
	d.wrapUp()
	return d
}

// deriver collects the questions of a unit.
type deriver struct {
	unit    *units.Unit
	title   title
	marks   obsidian.Marks // of the vault
	lang    string
	list    []Question
	terms   []map[string]int // what lists explain, by section
	termsOf map[string]int   // and in all of them
	// runsOn is set while a paragraph is read whose last sentence goes on in a formula.
	runsOn bool
	// section is the one that is read.
	section int
	// lines counts the lines "Term: meaning" of paragraphs; -1 before they are counted.
	lines int
	tree  *sectionTree // nil before it is worked out
	// made counts the questions by rule.
	made int
	// explains are the prompts, folded, of the questions that ask for an explanation.
	explains []string
}

// add keeps a question of the section, whose evidence lies at from..to of its content.
func (d *deriver) add(section int, q Question, from, to int) {
	d.addNamed(section, q, q.Prompt, q.inRow(), from, to)
}

// addNamed keeps a question whose ID is made of another prompt: the one that it had before it was put more clearly, so that its
// learners keep their answers to it.
func (d *deriver) addNamed(section int, q Question, name, answer string, from, to int) {
	s := &d.unit.Sections[section]
	q.UnitID, q.State = d.unit.ID, Active
	q.Prompt = strings.TrimSpace(q.Prompt)
	from, to = max(0, from), min(to, len(s.Content))
	q.Evidence = Evidence{AtomID: s.AtomID, Start: from, End: max(from, to)}
	if written := s.Content[from:max(from, to)]; q.Kind == Explain && q.Shown.Answer == "" && len(q.Answer.Texts) > 0 && saysSame(clean(written), q.Answer.Texts[0]) {
		q.Shown.Answer = asWritten(quoteMark.ReplaceAllString(written, ""), q.Answer.Texts[0])
	}
	sum := sha256.Sum256([]byte(q.UnitID + "\x00" + string(q.Kind) + "\x00" + strings.TrimSpace(name) + "\x00" + answer))
	q.ID = "qst_" + hex.EncodeToString(sum[:12])
	if q.Prompt == "" || q.Kind != Explain && q.Expected() == "" {
		return
	}
	if q.Kind == Explain {
		d.explains = append(d.explains, prose.Fold(q.Prompt))
	}
	d.list = append(d.list, q)
	if q.Origin == Rule {
		d.made++
	}
}

// quoteMark stands before the lines of a quotation or a box.
var quoteMark = regexp.MustCompile(`(?m)^[ \t]*>[ \t]?`)

// saysSame reports whether a text is a question's answer, of several lines with or without the marks of a list.
func saysSame(written, answer string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return r
			}
			return -1
		}, s)
	}
	return written == answer || strings.Contains(answer, "\n") && letters(written) == letters(answer)
}

// place is where a question's evidence begins; offsets count in their section.
type place struct {
	atom  string
	start int
}

// chosen gives the questions that are worth asking, each prompt once; oneWay says that a term and its meaning are asked one way alone,
// and few words that are only marked.
func (d *deriver) chosen(oneWay bool) []Question {
	slices.SortStableFunc(d.list, func(a, b Question) int {
		return cmp.Or(-cmp.Compare(originRank(a.Origin), originRank(b.Origin)), -cmp.Compare(a.Rank, b.Rank))
	})
	seen, sentences := map[string]bool{}, map[place]int{}
	var out []Question
	byRule, gaps := 0, 0
	for i := range d.list {
		q := &d.list[i]
		key := prose.Fold(q.Prompt)
		if seen[key] || len(out) >= mostAuthored || oneWay && q.twin != "" && typedTurn(q.twin) != (q.Kind != Explain) {
			continue
		}
		if q.Origin == Rule {
			if len(out) >= mostQuestions || byRule >= mostByRule || sentences[place{q.Evidence.AtomID, q.Evidence.Start}] >= 3 {
				continue
			}
			if oneWay && q.Kind == Gap && q.Rank <= markedWord && !q.Answer.Number && !strings.Contains(q.Prompt, "\n") {
				if gaps++; gaps > mostMarked {
					continue
				}
			}
			byRule++
			sentences[place{q.Evidence.AtomID, q.Evidence.Start}]++
		}
		seen[key] = true
		out = append(out, *q)
	}
	return out
}

// typedTurn reports whether a term that could be asked both ways is asked by its meaning, to be typed: half of the terms are, the same always.
func typedTurn(term string) bool {
	sum := 0
	for _, c := range []byte(prose.Fold(term)) {
		sum += int(c)
	}
	return sum%2 == 1
}

func originRank(o Origin) float64 {
	if o == Author {
		return 1
	}
	return 0
}

// title is what stands above a question when it is asked: no answer may stand in it.
type title struct{ words map[string]bool }

func newTitle(u *units.Unit) title {
	t := title{words: map[string]bool{}}
	for _, w := range prose.Words(u.Title) {
		t.words[prose.Stem(w)] = true
		for part := range strings.SplitSeq(w, "-") {
			t.words[prose.Stem(part)] = true
		}
	}
	return t
}

// stemsOf has the words of a text.
func stemsOf(text string) title {
	t := title{words: map[string]bool{}}
	for _, w := range prose.Words(text) {
		t.words[prose.Stem(w)] = true
	}
	return t
}

// has reports whether all telling words of an answer stand in the title.
func (t title) has(answer string) bool {
	n := 0
	for _, w := range prose.Words(answer) {
		if prose.StopWords[w] {
			continue
		}
		if !t.words[prose.Stem(w)] {
			return false
		}
		n++
	}
	return n > 0
}
