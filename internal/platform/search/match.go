package search

import "strings"

// Match is one question to an engine: which documents of a kind have all terms
// in the given columns?
type Match struct {
	Kind   Kind
	Terms  []Term
	In     Column
	Prefix bool // a word of the document may go on behind a term
}

// columnNames are the columns of the FTS5 table, in order.
var columnNames = []string{"title", "keywords", "description", "body"}

// FTS5 renders the match as FTS5 query text for a table with the columns title,
// keywords, description and body. Every token is a bare word.
func (m Match) FTS5() string {
	return ftsColumns(m.In) + "(" + m.expression(" AND ", " OR ", func(token string) string { return token }) + ")"
}

func ftsColumns(in Column) string {
	if in == Everywhere {
		return ""
	}
	var names []string
	for i, name := range columnNames {
		if in&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return "{" + strings.Join(names, " ") + "} : "
}

// TSQuery renders the match as text to be cast to tsquery, for vectors whose
// weights A, B, C and D are title, keywords, description and body. Every token
// is quoted, so no text search configuration has a say.
func (m Match) TSQuery() string {
	weights := tsWeights(m.In)
	return m.expression(" & ", " | ", func(token string) string { return "'" + token + "'" + weights })
}

func tsWeights(in Column) string {
	if in == Everywhere {
		return "" // without weights the index alone can answer
	}
	weights := ":"
	for i, weight := range "ABCD" {
		if in&(1<<i) != 0 {
			weights += string(weight)
		}
	}
	return weights
}

// expression joins the terms with the engine's words for and and or.
func (m Match) expression(and, or string, spell func(string) string) string {
	token := func(token string) string {
		if m.Kind != AnyKind {
			return spell(string(m.Kind) + token)
		}
		return group([]string{spell(string(Template) + token), spell(string(Pack) + token)}, or)
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
