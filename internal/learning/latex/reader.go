package latex

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// reader reads the tokens of LaTeX from left to right.
type reader struct {
	text string
	at   int
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// token reads a command with its name, or one character; "" at the end.
func (r *reader) token() string {
	from := r.at
	if from >= len(r.text) {
		return ""
	}
	if r.text[from] != '\\' {
		_, n := utf8.DecodeRuneInString(r.text[from:])
		r.at += n
		return r.text[from:r.at]
	}
	for r.at++; r.at < len(r.text) && isLetter(r.text[r.at]); r.at++ {
	}
	if r.at == from+1 && r.at < len(r.text) {
		_, n := utf8.DecodeRuneInString(r.text[r.at:])
		r.at += n
	}
	return r.text[from:r.at]
}

func (r *reader) blanks() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}

// take reads a character where it stands next.
func (r *reader) take(c byte) bool {
	r.blanks()
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

// longestGroup bounds how far the end of a group is looked for, in bytes.
const longestGroup = 2 * longestBody

// group reads what stands in braces.
func (r *reader) group() (string, bool) {
	before := r.at
	if !r.take('{') {
		return "", false
	}
	from, depth := r.at, 1
	for r.at < len(r.text) && r.at < from+longestGroup {
		switch token := r.token(); token {
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				return r.text[from : r.at-1], true
			}
		}
	}
	r.at = before
	return "", false
}

// bracket reads what stands in square brackets.
func (r *reader) bracket() (string, bool) {
	before := r.at
	if r.take('[') {
		if end := strings.IndexByte(r.text[r.at:min(len(r.text), r.at+longestGroup)], ']'); end >= 0 {
			inner := r.text[r.at : r.at+end]
			r.at += end + 1
			return inner, true
		}
	}
	r.at = before
	return "", false
}

// argument reads that of a command: what stands in braces, or one token.
func (r *reader) argument() (string, bool) {
	if inner, ok := r.group(); ok {
		return inner, true
	}
	r.blanks()
	token := r.token()
	return token, token != "" && token != "}"
}

// name reads the name of the command that is defined.
func (r *reader) name() (string, bool) {
	inner, braced := r.group()
	if braced {
		in := reader{text: strings.TrimSpace(inner)}
		name := in.token()
		return name, in.at == len(in.text) && len(name) > 1 && name[0] == '\\'
	}
	r.blanks()
	name := r.token()
	return name, len(name) > 1 && name[0] == '\\'
}

// command reads a definition behind \newcommand: {\name}[2][default]{body}.
func (r *reader) command() (name string, m Macro, ok bool) {
	r.take('*')
	if name, ok = r.name(); !ok {
		return "", m, false
	}
	count, given := r.bracket()
	switch {
	case given:
		if len(count) != 1 || count[0] < '0' || count[0] > '9' {
			return "", m, false
		}
		m.Args = int(count[0] - '0')
		if m.Default, m.Optional = r.bracket(); m.Optional && m.Args == 0 {
			return "", m, false
		}
	case r.take('['):
		return "", m, false
	}
	m.Body, ok = r.argument()
	return name, m, ok
}

// operator reads a definition behind \DeclareMathOperator.
func (r *reader) operator() (name string, m Macro, ok bool) {
	star := ""
	if r.take('*') {
		star = "*"
	}
	if name, ok = r.name(); !ok {
		return "", m, false
	}
	body, ok := r.group()
	return name, Macro{Body: `\operatorname` + star + "{" + body + "}"}, ok
}

// parameters are those of \def, of which those that other signs part are not read.
var parameters = regexp.MustCompile(`^\s*((?:#[1-9]\s*)*)\{`)

// def reads a definition behind \def: \name#1#2{body}.
func (r *reader) def() (name string, m Macro, ok bool) {
	if name, ok = r.name(); !ok {
		return "", m, false
	}
	found := parameters.FindStringSubmatchIndex(r.text[r.at:])
	if found == nil {
		return "", m, false
	}
	m.Args = strings.Count(r.text[r.at+found[2]:r.at+found[3]], "#")
	r.at += found[3]
	m.Body, ok = r.group()
	return name, m, ok
}

// let reads a definition behind \let, with or without a sign of equality: \name=\same.
func (r *reader) let() (name string, m Macro, ok bool) {
	if name, ok = r.name(); !ok {
		return "", m, false
	}
	r.take('=')
	r.blanks()
	m.Body = r.token()
	return name, m, len(m.Body) > 1 && m.Body[0] == '\\' && m.Body != name
}
