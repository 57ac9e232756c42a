package search

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"
)

// Document is what a search can find of one item. Every list holds one entry
// per text, so that no text is cut short because another one is long.
type Document struct {
	Kind         Kind
	ID           string   // public id; part of the keywords
	Titles       []string // in all locales
	Keywords     []string // tags, category, maintainer
	Descriptions []string // in all locales
	Bodies       []string // prompts in all locales
}

// Kind is what an item is. A search asks for one kind or, with the zero Kind, for
// all. Every token begins with the letter of its document's kind: a condition
// on the kind then costs nothing, while as one more term, matched by half of all
// documents, it made searches up to ten times slower.
type Kind byte

// The kinds of items.
const (
	AnyKind  Kind = 0
	Template Kind = 't'
	Pack     Kind = 'p'
)

// Column is a set of index columns.
type Column uint8

// The index columns, from the most to the least telling.
const (
	Title Column = 1 << iota
	Keywords
	Description
	Body

	// Everywhere is all columns.
	Everywhere = Title | Keywords | Description | Body
)

// Columns holds the distinct tokens of a document by index column.
type Columns struct {
	Title, Keywords, Description, Body []string
}

// The index holds a few tokens that no text can produce, because they begin
// with a sign that is neither letter nor digit. Both engines take the signs for
// part of a word.
const (
	exactSign  = "≡" // a whole title or a whole id
	prefixSign = "›" // the beginning of a word
)

const (
	// minPrefix and maxPrefix bound the beginnings of words that are indexed, in
	// characters. A longer beginning in a query is cut to maxPrefix.
	minPrefix = 2
	maxPrefix = 12
	// maxDocument bounds the tokens of one document in bytes. PostgreSQL refuses
	// a tsvector whose words take 1 MiB; what is cut is the end of the prompts.
	maxDocument = 640 << 10
)

// Columns makes the tokens of a document. Beginnings of words are indexed for
// all columns but the body, where they would cost most and tell least.
func (d Document) Columns() Columns {
	budget := maxDocument
	column := func(fill func(set *tokenSet)) []string {
		set := newTokenSet(budget)
		set.kind = d.Kind
		fill(set)
		budget = set.budget
		return set.list
	}
	return Columns{
		Title: column(func(set *tokenSet) {
			for _, title := range d.Titles {
				set.add(exactToken(title))
			}
			set.addTexts(d.Titles, true)
		}),
		Keywords: column(func(set *tokenSet) {
			set.add(idToken(d.ID))
			set.addTexts([]string{d.ID}, true)
			set.addTexts(d.Keywords, true)
			for _, title := range d.Titles {
				set.addTexts(humps(title), false)
			}
		}),
		Description: column(func(set *tokenSet) { set.addTexts(d.Descriptions, true) }),
		Body:        column(func(set *tokenSet) { set.addTexts(d.Bodies, false) }),
	}
}

// addTexts adds the tokens of texts and, if asked, the beginnings of their words.
func (s *tokenSet) addTexts(texts []string, prefixes bool) {
	for _, text := range texts {
		for _, u := range segment(Fold(clip(text, maxText))) {
			s.addUnit(u)
			if prefixes && !u.cjk {
				s.addPrefixes(u.text)
				for _, part := range u.parts {
					s.addPrefixes(part)
				}
			}
		}
	}
}

// addPrefixes adds the proper beginnings of a word.
func (s *tokenSet) addPrefixes(word string) {
	n := 0
	for i := range word {
		if n >= minPrefix && n <= maxPrefix {
			s.add(prefixSign + word[:i])
		}
		n++
	}
}

// humps returns the words of a title's names in mixed case ("Lobe", "Chat" of
// "LobeChat"). They are searched like keywords: "git" finds GitHub, but never
// before a title with the word git.
func humps(title string) []string {
	var parts []string
	for _, word := range strings.FieldsFunc(title, func(r rune) bool { return !unicode.IsLetter(r) }) {
		start, lower := 0, 0
		for i, r := range word {
			if unicode.IsUpper(r) && lower > 1 {
				parts = append(parts, word[start:i])
				start = i
			}
			if unicode.IsLower(r) {
				lower++
			} else {
				lower = 0
			}
		}
		if start > 0 {
			parts = append(parts, word[start:])
		}
	}
	return parts
}

// exactToken stands for a whole title. Punctuation, case and spacing are not
// part of it. It is empty for a title without any letter or digit.
func exactToken(title string) string {
	var whole []string
	for _, u := range segment(Fold(clip(title, maxText))) {
		whole = append(whole, u.whole())
	}
	if len(whole) == 0 {
		return ""
	}
	return hashed(exactSign, strings.Join(whole, " "))
}

// idToken stands for a whole id with a hyphen in it. Ids of one plain word
// ("learning") are left out: who types such a word means the word.
func idToken(id string) string {
	if id = strings.TrimSpace(id); !strings.Contains(id, "-") || strings.ContainsAny(id, " \t\n") {
		return ""
	}
	return hashed(exactSign+exactSign, Fold(clip(id, maxText)))
}

func hashed(sign, text string) string {
	sum := fnv.New64a()
	sum.Write([]byte(text))
	return fmt.Sprintf("%s%016x", sign, sum.Sum64())
}

// whole is the unit as one word.
func (u unit) whole() string {
	if u.text == "" {
		return strings.Join(u.parts, "")
	}
	return u.text
}
