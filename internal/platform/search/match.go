package search

import "strings"

// Match is one question to an engine: which documents carry all facets and, in
// the given columns, all terms?
type Match struct {
	Facets []string // labels made by Facet
	Terms  []Term
	In     Column
	Prefix bool     // a word of the document may go on behind a term
	Exact  []string // any of these whole titles or ids, instead of terms
}

// columnNames are the columns of the FTS5 table, in order.
var columnNames = []string{"title", "keywords", "description", "body"}

// FTS5 renders the match as FTS5 query text for a table with the columns title,
// keywords, description and body. Every token is a bare word.
func (m Match) FTS5() string {
	var clauses []string
	for _, facet := range m.Facets {
		clauses = append(clauses, "{keywords} : "+facet)
	}
	bare := func(token string) string { return token }
	if len(m.Exact) > 0 {
		clauses = append(clauses, "{title keywords} : ("+strings.Join(m.Exact, " OR ")+")")
	} else {
		clauses = append(clauses, ftsColumns(m.In)+"("+m.expression(" AND ", " OR ", bare)+")")
	}
	return strings.Join(clauses, " AND ")
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
	lexeme := func(in Column) func(string) string {
		weights := tsWeights(in)
		return func(token string) string { return "'" + token + "'" + weights }
	}
	var clauses []string
	for _, facet := range m.Facets {
		clauses = append(clauses, lexeme(Everywhere)(facet)) // in no other column anyway
	}
	if len(m.Exact) > 0 {
		var either []string
		for _, token := range m.Exact {
			either = append(either, lexeme(Everywhere)(token))
		}
		clauses = append(clauses, "("+strings.Join(either, " | ")+")")
	} else {
		clauses = append(clauses, "("+m.expression(" & ", " | ", lexeme(m.In))+")")
	}
	return strings.Join(clauses, " & ")
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
func (m Match) expression(and, or string, token func(string) string) string {
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
		if m.Prefix && term.prefix != "" {
			either = append(either, token(prefixSign+term.prefix))
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
