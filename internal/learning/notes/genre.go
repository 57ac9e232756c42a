package notes

import (
	"strconv"
	"strings"
)

// genreWords are the words by which notes tell their sort, folded.
var genreWords = func() map[string]Genre {
	m := map[string]Genre{}
	add := func(g Genre, list ...string) {
		for _, w := range list {
			m[w] = g
		}
	}
	add(Overview, "moc", "overview", "index", "map", "introduction", "intro", "summary", "概述", "总览", "概要", "目录", "導入", "入門", "introduzione", "panoramica", "riassunto", "einleitung", "einführung", "überblick", "简介", "引言", "はじめに")
	add(Definition, "definition", "def", "concept", "term", "axiom", "notion", "glossary", "notation", "定义", "概念", "术语", "公理", "定義", "用語", "begriff")
	add(Statement, "theorem", "thm", "proposition", "prop", "lemma", "corollary", "proof", "law", "claim", "result", "formula", "定理", "命题", "引理", "推论", "证明", "命題", "補題", "系", "証明", "法則", "satz")
	add(Example, "example", "examples", "counterexample", "case", "demo", "例", "例子", "示例", "反例", "実例", "beispiel")
	add(Exercise, "exercise", "exercises", "problem", "problems", "quiz", "practice", "homework", "练习", "习题", "演習", "問題", "課題", "übung")
	return m
}()

// verbs are what a title has that states something rather than naming it.
var verbs = words("is", "are", "iff", "implies", "has", "have", "equals", "exists", "preserves", "forms", "generates", "can", "cannot", "does", "do", "if", "should", "must", "ist", "sind", "est", "es")

// genre reads a note's sort off its tags, else off its title: "Schur's lemma" and "Every group is a monoid" state,
// "Group" names.
func genre(tags []string, title string) Genre {
	for _, tag := range tags {
		for _, w := range strings.FieldsFunc(Fold(tag), func(c rune) bool { return strings.ContainsRune("/#-_, .", c) }) {
			if g, ok := genreWords[w]; ok {
				return g
			}
		}
	}
	fields := strings.Fields(Fold(title))
	if len(fields) == 0 {
		return Unknown
	}
	for _, w := range []string{fields[len(fields)-1], fields[0]} {
		if g, ok := genreWords[strings.Trim(w, "():,.")]; ok {
			return g
		}
	}
	for _, w := range fields[1:] {
		if verbs[w] {
			return Statement
		}
	}
	return Unknown
}

// leadingNumber reads "03 Title", "2.1", "10-x" as a number for ordering siblings; a long number is a date or an id.
func leadingNumber(s string) float64 {
	s = strings.TrimSpace(s)
	end := 0
	dot := false
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' && !dot && end > 0) {
		dot = dot || s[end] == '.'
		end++
	}
	number := strings.TrimSuffix(s[:end], ".")
	if number == "" || len(number) > 6 {
		return 0
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0
	}
	return n
}
