package search

import "strings"

// Match is one question to an engine: which documents of a kind have all terms
// on a level?
type Match struct {
	Kind   Kind
	Terms  []Term
	In     Level
	Prefix bool // a word of the document may go on behind a term
}

// FTS5 renders the match as FTS5 query text. Every token is a bare word.
func (m Match) FTS5() string {
	return m.expression(" AND ", " OR ", func(token string) string { return token })
}

// TSQuery renders the match as text to be cast to tsquery. Every token is quoted,
// so no text search configuration has a say.
func (m Match) TSQuery() string {
	return m.expression(" & ", " | ", func(token string) string { return "'" + token + "'" })
}

// expression joins the terms with the engine's words for and and or.
func (m Match) expression(and, or string, spell func(string) string) string {
	token := func(token string) string {
		if m.Kind != AnyKind {
			return spell(mark(m.Kind, m.In) + token)
		}
		return group([]string{spell(mark(Template, m.In) + token), spell(mark(Pack, m.In) + token)}, or)
	}
	var all []string
	for _, term := range m.Terms {
		var either []string
		for _, form := range term.forms {
			tokens := make([]string, len(form))
			for i, t := range form {
				tokens[i] = token(t)
			}
			either = append(either, group(tokens, and))
		}
		if m.Prefix {
			for _, prefix := range term.prefixes {
				either = append(either, token(prefixSign+prefix))
			}
		}
		all = append(all, group(either, or))
	}
	return strings.Join(all, and)
}

func group(list []string, join string) string {
	if len(list) == 1 {
		return list[0]
	}
	return "(" + strings.Join(list, join) + ")"
}
