package anki

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/learning/graph"
	"stoa/internal/learning/notes"
)

// DocumentID names the document of a note. It depends on the note's GUID alone, which Anki keeps over exports.
func DocumentID(n Note) string {
	if n.GUID == "" {
		return "anki:" + strconv.FormatInt(n.ID, 10)
	}
	return "anki:" + n.GUID
}

// Documents gives one document per note: its first field is the title, the others are the text. Fields are read as
// Markdown, so that wikilinks, formulas and relation lines in them count; a field whose name is such a wording
// ("Prerequisites") is one. The path is that of the note's first deck.
func Documents(c Collection) []graph.Document {
	decks := make(map[int64]string, len(c.Decks))
	for _, d := range c.Decks {
		decks[d.ID] = d.Name
	}
	deckOf := make(map[int64]int64, len(c.Notes))
	for _, card := range c.Cards {
		home := card.Deck
		if card.OriginalDeck != 0 {
			home = card.OriginalDeck // it is in a filtered deck for now
		}
		if was, ok := deckOf[card.Note]; !ok || home < was {
			deckOf[card.Note] = home
		}
	}
	models := make(map[int64]*Model, len(c.Models))
	for i := range c.Models {
		models[c.Models[i].ID] = &c.Models[i]
	}
	list := make([]graph.Document, 0, len(c.Notes))
	for _, n := range c.Notes {
		id := DocumentID(n)
		deck := strings.ReplaceAll(decks[deckOf[n.ID]], "::", "/")
		text, title := render(n, models[n.Model])
		path := strings.Trim(deck+"/"+strings.ReplaceAll(id, "/", "_")+".md", "/")
		doc := notes.Parse(notes.Source{Path: path, Content: text})
		doc.Title, doc.ID = title, ""
		doc.Atoms[0].Title = title
		doc.Tags = append(doc.Tags, n.Tags...)
		if n.ID > 0 {
			doc.Created = time.UnixMilli(n.ID).UTC()
		}
		list = append(list, graph.Document{ID: id, Path: path, Content: text, Given: &doc})
	}
	return list
}

// render writes a note as Markdown.
func render(n Note, m *Model) (text, title string) {
	var b strings.Builder
	for i, field := range n.Fields {
		plain := Plain(field)
		if plain == "" {
			continue
		}
		if title == "" {
			title, _, _ = strings.Cut(plain, "\n")
			if len(title) > 200 {
				title = strings.ToValidUTF8(title[:200], "")
			}
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
			if m != nil && i < len(m.Fields) && len(plain) < 400 && !strings.Contains(plain, "\n") && notes.States(m.Fields[i]) {
				b.WriteString(m.Fields[i] + ": ")
			}
		}
		b.WriteString(plain)
	}
	if title == "" {
		title = DocumentID(n)
	}
	return b.String(), title
}

// Plain takes the HTML off a field: breaks become lines, \(…\) and \[…\] become $…$ and $$…$$, clozes their answers.
func Plain(field string) string {
	var b strings.Builder
	for i := 0; i < len(field); {
		if field[i] != '<' {
			next := strings.IndexByte(field[i:], '<')
			if next < 0 {
				next = len(field) - i
			}
			b.WriteString(field[i : i+next])
			i += next
			continue
		}
		end := strings.IndexByte(field[i:], '>')
		if end < 0 {
			b.WriteString(field[i:])
			break
		}
		tag := strings.ToLower(strings.Trim(field[i+1:i+end], "/ "))
		name, _, _ := strings.Cut(tag, " ")
		if slices.Contains([]string{"br", "div", "p", "li", "tr", "ul", "ol", "h1", "h2", "h3", "hr", "pre"}, name) {
			b.WriteByte('\n')
		}
		i += end + 1
	}
	text := html.UnescapeString(b.String())
	text = strings.NewReplacer(`\(`, "$", `\)`, "$", `\[`, "$$", `\]`, "$$", "\u00a0", " ").Replace(text)
	return strings.TrimSpace(clozes(text))
}

// clozes puts the answer in the place of every {{c1::answer::hint}}.
func clozes(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{c")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		inner, after, closed := strings.Cut(rest, "}}")
		if digits == 0 || !closed || !strings.HasPrefix(rest[digits:], "::") || len(inner) < digits+2 {
			b.WriteString("{{c")
			text = rest
			continue
		}
		answer, _, _ := strings.Cut(inner[digits+2:], "::")
		b.WriteString(answer)
		text = after
	}
}
