package anki

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// repeating is a collection of one note whose cards repeat its text.
func repeating(front string, cloze bool, cards int, text string) *Collection {
	c := &Collection{
		Models: []Model{{ID: 1, Cloze: cloze, Fields: []string{"Front", "Prerequisites"}, Templates: []Template{{Front: front, Back: "{{FrontSide}}"}}}},
		Notes:  []Note{{ID: 1, GUID: "g", Model: 1, Fields: []string{text, text}, Tags: []string{"t"}}},
	}
	for i := range cards {
		c.Cards = append(c.Cards, Card{ID: int64(i), Note: 1, Ord: int64(i) * int64(min(1, len(front)%2))})
	}
	return c
}

// A package of some kilobytes whose cards, templates, tags or decks say the same thing a million times is given up early.
func TestCardsThatRepeat(t *testing.T) {
	text := strings.Repeat("word ", 40_000)
	tagged := repeating("{{Front}}", false, 50_000, "x")
	tagged.Notes[0].Tags = []string{strings.Repeat("t", 10_000)}
	decks := repeating("{{Front}}", false, 50_000, "x")
	decks.Decks = []Deck{{ID: 0, Name: strings.Repeat("d", 1<<20)}}
	for name, c := range map[string]*Collection{
		"cards":            repeating("{{Front}}", false, 50_000, text),
		"clozes":           repeating("{{cloze:Front}}", true, 50_000, "{{c1::"+text+"}}"),
		"hidden clozes":    repeating(strings.Repeat("{{cloze-only:Front}}", 50_000), true, 1, "{{c1::"+text+"}}"),
		"a field":          repeating(strings.Repeat("{{Front}}", 50_000), false, 100, text),
		"conditions":       repeating(strings.Repeat("{{#Front}}", 19)+strings.Repeat("{{Front}}", 50_000), false, 100, text),
		"media":            repeating("{{Front}}", false, 50_000, strings.Repeat("[sound:a.mp3]", 10_000)),
		"a relation alone": repeating("x", false, 50_000, text),
		"tags":             tagged,
		"decks":            decks,
	} {
		before := &countingContext{Context: t.Context()}
		list, err := Cards(before, c, 8<<20)
		if name == "decks" { // a name is cut
			if err != nil || len(list[0].Question.Deck) > longestDeck {
				t.Error(name, err)
			}
			continue
		}
		if !errors.Is(err, ErrTooMuch) || list != nil {
			t.Errorf("%s: %d cards, %v", name, len(list), err)
		}
		if before.cards > 20_000 {
			t.Errorf("%s: given up after %d cards", name, before.cards)
		}
	}
}

// countingContext counts the cards that were begun.
type countingContext struct {
	context.Context
	cards int
}

func (c *countingContext) Err() error { c.cards++; return c.Context.Err() }

// What repeats within reason is taken: twenty cards of one note that all show it.
func TestManyCardsOfANote(t *testing.T) {
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "{{c%d::part %d}} of a longer explanation, ", i+1, i)
	}
	c := repeating("{{cloze:Front}}", true, 20, text.String())
	size := 0
	list, err := Cards(t.Context(), c, 100_000)
	for i := range list {
		size += len(list[i].Document.Content)
	}
	if err != nil || len(list) != 20 || size > 100_000 {
		t.Errorf("%d cards of %d bytes: %v", len(list), size, err)
	}
	if names := Names(c); len(names) != 20 || names[3].DocumentID != list[3].Document.ID || names[3].QuestionID != list[3].Question.ID {
		t.Errorf("%+v", names)
	}
}

func TestNamesOfSounds(t *testing.T) {
	for field, want := range map[string]string{
		"a [sound:b.mp3] c":               "a ![](<b.mp3>) c",
		"[sound:a.mp3][sound:b.mp3":       "![](<a.mp3>)[sound:b.mp3",
		"[sound:[sound:a.mp3]":            "",
		"[sound:../x]y":                   "y",
		"<!-- a --> b <!-- c":             "b <!-- c",
		"<!-- a > b --> c":                "c",
		"x <!-- no end > y <!-- nor > z":  "x  y  z",
		"{{c1::a::h}} {{c2::b":            "a {{c2::b",
		"{{c1::a {{c2::b}} c}} {{c3::d}}": "a b c d",
	} {
		if got := Plain(field); got != want {
			t.Errorf("%q: %q, want %q", field, got, want)
		}
	}
}
