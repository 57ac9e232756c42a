package anki

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/learning/graph"
	"stoa/internal/learning/notes"
	"stoa/internal/learning/questions"
)

func itoa(n int) string { return strconv.Itoa(n) }

// DocumentID names the document of a card. It depends on the note's GUID and the card's number alone, which Anki keeps
// over exports, and for a note that came without its GUID on the note's id.
func DocumentID(n *Note, ord int64) string {
	id := "anki:" + n.GUID
	switch {
	case n.GUID == "" || n.Data == namedByID:
		id = "anki:" + strconv.FormatInt(n.ID, 10)
	case len(n.GUID) > longestGUID: // Anki's have ten characters
		sum := sha256.Sum256([]byte(n.GUID))
		id = "anki:" + hex.EncodeToString(sum[:])
	}
	if ord > 0 {
		id += " " + strconv.FormatInt(ord, 10)
	}
	return id
}

const longestGUID = 128

// questionID names the question of a card.
func questionID(documentID string) string {
	sum := sha256.Sum256([]byte(documentID))
	return "qst_" + hex.EncodeToString(sum[:12])
}

// Asked is a card as it is learned: a document that is one unit, and the one question that it asks.
type Asked struct {
	Card     int64
	Document graph.Document
	Flag     int64              // a colour of Anki's, 0 for none
	Question questions.Question // without the unit and the evidence, which are known when the document is kept
}

// ErrTooMuch says that the cards of a collection have more text together than was allowed.
var ErrTooMuch = errors.New("the cards have too much text")

// copied is how many times the bytes that may be kept are copied and searched while the sides are written. A template shows
// a field several times, and a note has many cards, so this is far above what a collection that is kept needs.
const copied = 8

// perField is what a field costs of that beside its text.
const perField = 50

// Cards gives every card of a collection. A note's first field that names a relation ("Prerequisites") is read as one;
// wikilinks and formulas count as in notes. Cards of notes or note types that are missing are left out. Templates and cards
// can repeat a field as often as they like: ErrTooMuch when the documents would have more than most bytes together.
func Cards(ctx context.Context, c *Collection, most int64) ([]Asked, error) {
	list := make([]Asked, 0, len(c.Cards))
	err := eachCard(ctx, c, most, false, func(a *Asked) error {
		list = append(list, *a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// SpendCards gives f what Cards gives, one by one, and takes the text of each note out of the collection after its last card, so
// that a large collection and what is made of it are never in memory together.
func SpendCards(ctx context.Context, c *Collection, most int64, f func(*Asked) error) error {
	return eachCard(ctx, c, most, true, f)
}

func eachCard(ctx context.Context, c *Collection, most int64, spend bool, f func(*Asked) error) error {
	models, decks, own := map[int64]*Model{}, map[int64]string{}, make(map[int64]*Note, len(c.Notes))
	for i := range c.Models {
		models[c.Models[i].ID] = &c.Models[i]
	}
	for _, d := range c.Decks {
		decks[d.ID] = d.Name
	}
	for i := range c.Notes {
		own[c.Notes[i].ID] = &c.Notes[i]
	}
	last := map[int64]int{} // card of a note
	if spend {
		for i := range c.Cards {
			last[c.Cards[i].Note] = i
		}
	}
	left := budget(math.MaxInt64)
	if most < math.MaxInt64/copied {
		left = budget(most * copied)
	}
	for i := range c.Cards {
		k := &c.Cards[i]
		n := own[k.Note]
		if n == nil || models[n.Model] == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		deck := decks[cmp.Or(k.OriginalDeck, k.Deck)] // a filtered deck has it for now
		deck = strings.ToValidUTF8(deck[:min(len(deck), longestDeck)], "")
		a, ok := askedBy(k, n, models[n.Model], deck, &left)
		if most -= int64(a.kept()); !ok || most < 0 {
			return ErrTooMuch
		}
		if spend && last[k.Note] == i {
			n.Fields, n.Sort = nil, ""
		}
		if err := f(&a); err != nil {
			return err
		}
	}
	return nil
}

// kept is about how many bytes the document takes, or the question where that is more.
func (a *Asked) kept() int {
	q := &a.Question
	size := len(q.Shown.Prompt) + len(q.Shown.Answer) + len(q.Shown.Explanation)
	for _, list := range [][]string{q.Tags, q.Media} {
		for _, s := range list {
			size += len(s)
		}
	}
	for i := range q.Shapes {
		size += 64 + 16*len(q.Shapes[i].Points)
	}
	return max(len(a.Document.Content), size)
}

// budget is what may still be copied and searched, in bytes.
type budget int64

func (b *budget) take(n int) bool {
	*b -= budget(n)
	return *b >= 0
}

// askedBy writes a card's two sides; false when the budget did not last.
func askedBy(k *Card, n *Note, m *Model, deck string, left *budget) (Asked, bool) {
	size := perField * len(m.Fields)
	for _, list := range [][]string{n.Tags, n.Fields} {
		for _, s := range list {
			size += len(s)
		}
	}
	if !left.take(size) {
		return Asked{}, false
	}
	side := card{left: left, fields: map[string]string{"Tags": strings.Join(n.Tags, " "), "Deck": deck, "Subdeck": deck[strings.LastIndex(deck, ":")+1:], "Type": m.Name}, filled: map[string]bool{}, asking: true}
	for i, name := range m.Fields {
		if i < len(n.Fields) {
			side.fields[name], side.filled[name] = n.Fields[i], strings.TrimSpace(n.Fields[i]) != ""
		}
	}
	var t Template
	switch {
	case m.Cloze:
		side.number = int(k.Ord) + 1
		if len(m.Templates) > 0 {
			t = m.Templates[0]
		}
	case k.Ord >= 0 && k.Ord < int64(len(m.Templates)):
		t = m.Templates[k.Ord]
	}
	side.fields["Card"] = t.Name
	q := questions.Question{ID: questionID(DocumentID(n, k.Ord))}
	if picture, shapes, ok := occluded(n, m, side.number); ok {
		q = occlusion(n, m, picture, shapes)
	} else {
		q = side.question(t)
	}
	id := DocumentID(n, k.Ord)
	q.ID, q.Origin, q.State, q.Rank, q.Deck, q.Tags = questionID(id), questions.Imported, questions.Active, 1, deck, n.Tags
	if k.Queue == Suspended {
		q.State = questions.Suspended
	}
	if *left < 0 {
		return Asked{}, false
	}
	return Asked{Card: k.ID, Flag: k.Flags & 7, Document: document(id, k, n, m, deck, &q), Question: q}, true
}

// Named is a card with the ids under which it is learned.
type Named struct {
	Card                   int64
	DocumentID, QuestionID string
	Suspended              bool
	Flag                   int64 // a colour of Anki's, 0 for none
}

// Names gives the ids of the cards that Cards gives, without writing them.
func Names(c *Collection) []Named {
	models, own := map[int64]bool{}, map[int64]*Note{}
	for i := range c.Models {
		models[c.Models[i].ID] = true
	}
	for i := range c.Notes {
		own[c.Notes[i].ID] = &c.Notes[i]
	}
	list := make([]Named, 0, len(c.Cards))
	for i := range c.Cards {
		k := &c.Cards[i]
		if n := own[k.Note]; n != nil && models[n.Model] {
			id := DocumentID(n, k.Ord)
			list = append(list, Named{k.ID, id, questionID(id), k.Queue == Suspended, k.Flags & 7})
		}
	}
	return list
}

// question writes both sides and says what is asked.
func (c *card) question(t Template) questions.Question {
	var media files
	c.front = c.side(t.Front)
	prompt := textOf(c.front, &media)
	c.asking = false
	front, hidden := c.front, c.hidden
	c.front = ""
	back := c.side(t.Back)
	if _, after, ok := strings.Cut(back, "<hr id=answer>"); ok {
		back = after
	}
	answer := textOf(back, &media)
	c.front = front
	var q questions.Question
	switch {
	case len(hidden) > 0:
		var gaps []string
		for _, h := range hidden {
			if g := textOf(h, nil); g != "" {
				gaps = append(gaps, g)
			}
		}
		q = questions.Question{Kind: questions.Gap, Prompt: prompt, Explanation: answer}
		if len(gaps) == 1 {
			q.Answer = questions.GapFilled(gaps[0])
		} else {
			q.Kind, q.Answer.Items = questions.Gaps, gaps
		}
	default:
		q = questions.Pair(prompt, answer)
	}
	q.Media = media.names
	q.Shown = shownAs(front, back, len(hidden) > 0)
	return q
}

// longestShown bounds the HTML of a side that is kept to be shown, longestStyle the styles and scripts beside it.
const (
	longestShown = 32 << 10
	longestStyle = 256 << 10
)

// shownAs gives both sides as they are drawn, where there is more to them than words.
func shownAs(front, back string, gaps bool) questions.Shown {
	out := questions.Shown{HTML: true}
	drawn := func(side string) string {
		if len(side) > longestShown+longestStyle || !strings.ContainsAny(side, "<&\\[") {
			return ""
		}
		if side = style.ReplaceAllString(side, ""); len(side) > longestShown {
			return ""
		}
		return strings.TrimSpace(side)
	}
	out.Prompt = drawn(front)
	if gaps {
		out.Explanation = drawn(back)
	} else {
		out.Answer = drawn(back)
	}
	if out.Prompt == "" && out.Answer == "" && out.Explanation == "" {
		return questions.Shown{}
	}
	return out
}

// style are parts of a template that are not shown.
var style = regexp.MustCompile(`(?is)<(style|script)\b.*?</(style|script)>`)

// titleOf is the first line of a prompt, without pictures.
func titleOf(prompt, id string) string {
	for line := range strings.SplitSeq(prompt, "\n") {
		line = strings.TrimSpace(withoutMedia(line))
		if line == "" {
			continue
		}
		if len(line) > 200 {
			line = strings.ToValidUTF8(line[:200], "")
		}
		return strings.Clone(line) // the prompt is not kept for it
	}
	return id
}

func withoutMedia(s string) string {
	if !strings.Contains(s, "![](<") {
		return s
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "![](<")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if _, s, ok = strings.Cut(after, ">)"); !ok {
			return b.String()
		}
	}
}

// document is the card as something to learn. Its title is the question, so that no answer stands above it; its text holds
// both sides.
func document(id string, k *Card, n *Note, m *Model, deck string, q *questions.Question) graph.Document {
	title := titleOf(q.Prompt, id)
	parts := []string{q.Prompt}
	if q.Kind == questions.Gap || q.Kind == questions.Gaps {
		parts[0] = ""
	}
	if text := cmp.Or(q.Explanation, q.Expected()); text != "" {
		parts = append(parts, text)
	}
	for i, name := range m.Fields { // relations that the author wrote down
		if i < len(n.Fields) && notes.States(name) {
			if plain := Plain(n.Fields[i]); plain != "" && len(plain) < 400 && !strings.Contains(plain, "\n") {
				parts = append(parts, name+": "+plain)
			}
		}
	}
	path := strings.Trim(strings.ReplaceAll(deck, "::", "/")+"/"+strings.ReplaceAll(id, "/", "_")+".md", "/")
	text := strings.TrimSpace(strings.Join(parts, "\n\n"))
	first := "" // of the note's fields: links name a card by it
	if k.Ord == 0 && len(n.Fields) > 0 {
		first = titleOf(Plain(n.Fields[0]), "")
	}
	tags, made := n.Tags, n.ID
	given := func() *notes.Document { // holds no field of the note
		doc := notes.Parse(notes.Source{Path: path, Content: text})
		doc.Title, doc.ID = title, ""
		if len(doc.Atoms) > 0 {
			doc.Atoms[0].Title = title
		}
		doc.Tags = append(doc.Tags, tags...)
		if first != "" && first != title && !slices.Contains(doc.Names, first) {
			doc.Names = append(doc.Names, first)
		}
		if made > 0 {
			doc.Created = time.UnixMilli(made).UTC()
		}
		return &doc
	}
	return graph.Document{ID: id, Path: path, Content: text, Given: given}
}
