package notes

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// titles decides what a note is called: by its file, or by the heading that opens it. opens says that the heading is the
// title of the whole note and no section; name is the other name, or "".
//
// In a vault the file's name is the title, and a heading below it may say anything ("Introduction"). Where files have
// names for machines (attention-cues.md, index.md, 202301011200.md) the heading is the title.
func titles(base string, headings []heading) (title, name string, opens bool) {
	first := headings[0].title
	clean := withoutOrder(base)
	for _, h := range headings[1:] {
		if h.level == 1 {
			first = "" // several headings of the first level are sections
		}
	}
	same := Fold(headings[0].title) == Fold(clean) || Fold(headings[0].title) == Fold(base)
	switch {
	case same:
		return headings[0].title, base, true
	case headings[0].title == "":
		return clean, base, first != "" || len(headings) == 1
	case genreWords[Fold(headings[0].title)] != Unknown && !machineName(base): // "Introduction" names nothing
		return clean, base, first != ""
	case first == "" && kebab.MatchString(base): // one of several sections, in a file whose name has words
		return strings.NewReplacer("-", " ", "_", " ").Replace(clean), base, false
	case first == "" && !machineName(base):
		return clean, base, false
	case machineName(base) || strings.Contains(Fold(headings[0].title), Fold(clean)) && utf8.RuneCountInString(clean) > 2:
		return headings[0].title, base, true
	}
	return clean, first, true
}

// kebab is a name of words with signs between them.
var kebab = regexp.MustCompile(`^\d*[-_]?[a-z]{2,}(?:[-_][a-z]{2,})+$`)

// withoutOrder takes the number off that only puts a file in its place: "10 - TCP", "03 Sets", "2.1. Groups".
func withoutOrder(base string) string {
	rest := strings.TrimLeft(base, "0123456789")
	digits := len(base) - len(rest)
	for digits > 0 { // "10, 11 - password", "2.1 Groups"
		next := strings.TrimLeft(rest, "., ")
		if next == rest || next == "" || next[0] < '0' || next[0] > '9' {
			break
		}
		rest = strings.TrimLeft(next, "0123456789")
	}
	if digits == 0 {
		return base
	}
	clean := strings.TrimLeft(rest, " ")
	switch {
	case digits >= 12 && strings.HasPrefix(rest, " "): // the number of a note
	case digits >= 8:
		return base
	case strings.HasPrefix(clean, "- "), strings.HasPrefix(clean, "– "), strings.HasPrefix(clean, "— "), strings.HasPrefix(rest, "."), strings.HasPrefix(rest, ")"), strings.HasPrefix(rest, "_"), strings.HasPrefix(rest, "、"):
	case base[0] == '0' && strings.HasPrefix(rest, " "), base[0] == '0' && strings.HasPrefix(rest, "-"):
	default:
		return base
	}
	clean = strings.TrimLeft(clean, " -–—._)、")
	if r, _ := utf8.DecodeRuneInString(clean); clean == "" || !unicode.IsLetter(r) {
		return base
	}
	return clean
}

// part is a file's name that only says which part of a course or a book it is.
var part = regexp.MustCompile(`(?i)^(?:notes?|notizen|appunti|apuntes|notas)[ _.-]?\d*$|^(?:chapter|kapitel|capitolo|capítulo|chapitre|lecture|lesson|vorlesung|lezione|lez|clase|aula|cours|session|sitzung|week|unit|module|day|tag|jour|ch)[ _.-]?\d+$|^第\s?\d+\s?(?:章|回|节|節|講|课|課)$|^\d{1,3}$`)

// machineName reports whether a file's name was made for machines: a slug, an index, a number.
func machineName(base string) bool {
	switch Fold(base) {
	case "index", "_index", "readme", "root", "home", "summary", "main", "":
		return true
	}
	if part.MatchString(base) || strings.Contains(base, "_") && !strings.Contains(base, " ") {
		return true
	}
	for _, r := range base {
		if unicode.IsUpper(r) || r == ' ' || r >= 0x2E80 {
			return false
		}
	}
	return true
}
