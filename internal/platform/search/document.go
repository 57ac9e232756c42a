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

// Level says how far into a document a question looks. Each level holds the one
// before it.
type Level byte

// The levels, from the most telling texts to all.
const (
	InTitle       Level = 'a' // titles
	InKeywords    Level = 'b' // and keywords
	InDescription Level = 'c' // and descriptions
	InBody        Level = 'd' // and prompts
)

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

// Tokens makes what the index stores of a document: its distinct tokens, each
// once for every level it can be found on and beginning with the letters of kind
// and level. A question then reads no more of the index than can answer it; a
// condition on a column would read every document that has the word anywhere.
// Beginnings of words are not stored for prompts, where they cost most and tell
// least.
func (d Document) Tokens() []string {
	set := newTokenSet(maxDocument)
	set.levels(d.Kind, InTitle)
	set.addTexts(d.Titles, true)
	set.levels(d.Kind, InKeywords)
	for _, title := range d.Titles {
		set.addTexts(humps(title), false)
	}
	set.addTexts([]string{d.ID}, true)
	set.addTexts(d.Keywords, true)
	set.only(d.Kind, InTitle)
	for _, title := range d.Titles {
		set.add(exactToken(title))
	}
	set.add(idToken(d.ID))
	set.levels(d.Kind, InDescription)
	set.addTexts(d.Descriptions, true)
	set.levels(d.Kind, InBody)
	set.addTexts(d.Bodies, false)
	return set.list
}

// levels makes the set store what is added next on a level and all wider ones.
func (s *tokenSet) levels(kind Kind, from Level) {
	s.marks = s.marks[:0]
	for level := from; level <= InBody; level++ {
		s.marks = append(s.marks, mark(kind, level))
	}
}

// only makes the set store what is added next on one level.
func (s *tokenSet) only(kind Kind, level Level) { s.marks = []string{mark(kind, level)} }

// mark is what the tokens of a kind and level begin with.
func mark(kind Kind, level Level) string { return string([]byte{byte(kind), byte(level)}) }

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

// addPrefixes adds the proper beginnings of a word on all levels but the widest.
func (s *tokenSet) addPrefixes(word string) {
	marks := s.marks
	s.marks = marks[:len(marks)-1]
	defer func() { s.marks = marks }()
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
