package detect

import (
	"slices"
	"strings"
)

// maxRows bounds the rows of a table that are read below a column's name.
const maxRows = 200

// line returns the bounds of the line around a place, at most 4 KiB of it on each side.
func (s *scanning) line(at int) (start, end int) {
	start, end = at, at
	for start > 0 && at-start < maxValue && s.text[start-1] != '\n' {
		start--
	}
	for end < len(s.text) && end-at < maxValue && s.text[end] != '\n' {
		end++
	}
	return start, end
}

// cell is one cell of a row, trimmed.
type cell struct{ start, end int }

// cells splits a line at a separator and trims blanks, quotes and Markdown's emphasis.
func (s *scanning) cells(start, end int, sep byte) []cell {
	var out []cell
	from := start
	for i := start; i <= end && len(out) < 64; i++ {
		if i < end && s.text[i] != sep {
			continue
		}
		a, b := from, i
		for a < b && strings.IndexByte(" \t\r\"'`*", s.text[a]) >= 0 {
			a++
		}
		for b > a && strings.IndexByte(" \t\r\"'`*", s.text[b-1]) >= 0 {
			b--
		}
		out = append(out, cell{a, b})
		from = i + 1
	}
	return out
}

// row is a line that may be the head of a table.
type row struct {
	start, end int
	separator  byte // 0 when the line is the head of no table
	cells      []cell
	below      int // where the rows begin
}

// head returns the line around a place as the head of a table. Each line is looked at once.
func (s *scanning) head(at int) row {
	if at >= s.row.start && at < s.row.end {
		return s.row
	}
	r := row{}
	r.start, r.end = s.line(at)
	s.budget.Spend(4 * (r.end - r.start))
	if next, end := r.end+1, 0; r.end-r.start <= 1000 && r.end < len(s.text) {
		_, end = s.line(min(next, len(s.text)-1))
		for _, sep := range []byte{'|', ',', '\t', ';'} {
			n := strings.Count(s.text[r.start:r.end], string(sep))
			if n == 0 || end < next || strings.Count(s.text[next:end], string(sep)) != n {
				continue
			}
			r.below = next
			if sep == '|' {
				if strings.Trim(s.text[next:end], "|-: \t\r") != "" {
					continue
				}
				r.below = end + 1
			}
			r.cells = s.cells(r.start, r.end, sep)
			if sep == '|' || s.names(r.cells) {
				r.separator = sep
				break
			}
		}
	}
	s.row = r
	return r
}

// names reports whether the cells of a line could be the names of fields.
func (s *scanning) names(cells []cell) bool {
	for _, c := range cells {
		if c.end-c.start > 40 || strings.ContainsAny(s.text[c.start:c.end], ".:={}[]()<>/\"'") {
			return false
		}
	}
	return true
}

// column masks what stands below a name that is the head of a column: in a table of Markdown, or in a text whose first
// line names the fields of the others. It reports whether there is such a column.
func (s *scanning) column(name string, v Verdict, start, end int) bool {
	r := s.head(start)
	if r.separator == 0 {
		return false
	}
	for i, c := range r.cells {
		if c.start <= start && end <= c.end && c.end-c.start <= end-start+16 {
			return s.rows(name, v, r.below, r.separator, len(r.cells), i)
		}
	}
	return false
}

// rows masks one cell in each row of a table.
func (s *scanning) rows(name string, v Verdict, row int, sep byte, columns, at int) bool {
	found := false
	for range maxRows {
		if row >= len(s.text) {
			break
		}
		_, end := s.line(row)
		if !s.budget.Spend(end - row) {
			break
		}
		cells := s.cells(row, end, sep)
		if len(cells) != columns {
			break
		}
		found = true
		if c := cells[at]; c.start < c.end {
			s.form(name, v, c.start, c.end)
		}
		row = end + 1
	}
	return found
}

// form judges a value that a form of its own ties to its name: the cell of a table, the content of an element.
func (s *scanning) form(name string, v Verdict, start, end int) {
	for start < end && strings.IndexByte("`\"'*", s.text[start]) >= 0 {
		start++
	}
	for end > start && strings.IndexByte("`\"'*", s.text[end-1]) >= 0 {
		end--
	}
	value := s.text[start:end]
	if n := schemeEnd(value); n > 0 {
		start, value = start+n, value[n:]
	}
	if s.budget.Spend(len(value)*valueWork) && Placeholder(value) == "" && formCredential(v, value) {
		s.add(start, end, "key-name", "the name `"+ShortName(name)+"` beside it names a credential", ValuesOf(value)...)
	}
}

// formCredential reports whether a value that certainly belongs to a name is a credential. What describes a field in a
// table of parameters ("string", "The key to use") is none.
func formCredential(v Verdict, value string) bool {
	if len(value) < 4 || strings.Contains(value, "://") || pathLike(value) {
		return false
	}
	if strings.ContainsAny(value, " \t\n") {
		return (v == Certain || v == Likely) && (hasRandomWord(value) || MnemonicLike(value))
	}
	symbols := strings.ContainsAny(value, "!@#$%^&*+=~?")
	switch v {
	case Certain:
		return Mixed(value) && !version(value) || symbols && len(value) >= 6 || RandomPart(value) || strings.Trim(value, Digits) == "" ||
			len(value) >= 6 && strings.Trim(value, Lowers) == "" && !tableWords[value]
	case Likely:
		return Mixed(value) && len(value) >= 6 && !version(value) || RandomPart(value)
	case Weak:
		return CredentialLike(value)
	case Account:
		return HasDigit(value) && len(value) >= 5
	}
	return false
}

// tableWords stand beside the names of fields in tables that describe them.
var tableWords = SetOf("string", "number", "integer", "boolean", "object", "array", "optional", "required", "secret", "password", "hidden", "masked", "encrypted", "plain",
	"varchar", "nullable", "unique", "private", "public", "default", "sensitive", "random", "username", "credential", "credentials", "environment", "variable", "settings", "config",
	"description", "example", "enabled", "disabled", "missing", "invalid", "expired", "unknown", "length", "format", "manual", "automatic", "yes", "nothing", "anything", "bearer", "header",
	"cookie", "session", "always", "never", "sometimes", "supported", "unsupported", "available", "unavailable", "high", "medium", "critical", "warning", "hashed", "salted", "rotate", "rotated",
	"authentication", "authorization", "security", "overview", "introduction", "reset", "change", "update", "forgot", "policy", "management", "strength", "requirements")

// heading returns the value below a heading, or below a line in bold, that is nothing but a name: one word on the next
// line that is not blank.
func (s *scanning) heading(start, end int) (from, to int, ok bool) {
	if near := s.text[max(0, start-64):start]; !strings.ContainsAny(near[strings.LastIndexByte(near, '\n')+1:], "#*") {
		return nowhere, nowhere, false
	}
	lineStart, lineEnd := s.line(start)
	s.budget.Spend(lineEnd - lineStart)
	before, after := s.text[lineStart:start], strings.TrimSpace(s.text[end:lineEnd])
	marked := strings.HasPrefix(strings.TrimSpace(before), "#") || strings.HasSuffix(strings.TrimSpace(before), "**") && strings.HasPrefix(strings.TrimLeft(after, ":："), "**")
	if !marked || strings.Trim(after, "*:：#") != "" || len(before) > 60 || lineEnd >= len(s.text) {
		return nowhere, nowhere, false
	}
	i := lineEnd
	for n := 0; i < len(s.text) && n < 8 && strings.IndexByte("\r\n \t", s.text[i]) >= 0; n++ {
		i++
	}
	from, to = i, i
	for to < len(s.text) && to-from < maxValue && s.text[to] != '\n' && s.text[to] != '\r' {
		to++
	}
	if line := s.text[from:to]; strings.HasPrefix(line, "```") && to+1 < len(s.text) { // a block of code
		from = to + 1
		for to = from; to < len(s.text) && to-from < maxValue && s.text[to] != '\n' && s.text[to] != '\r'; {
			to++
		}
	}
	value := s.text[from:to]
	bare := strings.Trim(value, "`* \t")
	return from, to, bare != "" && !strings.ContainsAny(bare, " \t") && (Mixed(bare) || strings.HasPrefix(value, "`") || strings.ContainsAny(bare, "!@$%^&+=~"))
}

// element returns the content of an XML element whose name ends at end: <password>x</password>, <Password Value="x"/>
// is read as an attribute.
func (s *scanning) element(start, end int) (from, to int, ok bool) {
	open := start
	for open > 0 && start-open < 40 && (wordByte(s.text[open-1]) || s.text[open-1] == ':') {
		open--
	}
	if open == 0 || s.text[open-1] != '<' {
		return nowhere, nowhere, false
	}
	i := end
	for i < len(s.text) && i-end < 120 && s.text[i] != '>' && s.text[i] != '\n' {
		i++
	}
	if i >= len(s.text) || s.text[i] != '>' || s.text[i-1] == '/' {
		return nowhere, nowhere, false
	}
	from = i + 1
	for n := 0; from < len(s.text) && n < 16 && strings.IndexByte(" \t\r\n", s.text[from]) >= 0; n++ {
		from++
	}
	from += len("<![CDATA[") * b2i(strings.HasPrefix(s.text[from:], "<![CDATA["))
	to = from
	for to < len(s.text) && to-from < maxValue && s.text[to] != '<' && s.text[to] != ']' {
		to++
	}
	return from, len(strings.TrimRight(s.text[:to], " \t\r\n")), strings.HasPrefix(strings.TrimLeft(s.text[to:], "]>"), "</")
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// declaring are the words in front of a name whose value follows after a blank: ENV PASSWORD x, setenv TOKEN x.
var declaring = []string{
	"env", "arg", "label", "setenv", "setx", "set -x", "set -gx", "set -ux", "set -lx", "set -xg", "set -xu", "putenv", "setenvif", "proxy_set_header", "add_header", "more_set_headers",
	"fastcgi_param", "uwsgi_param", "scgi_param", "requestheader set", "header set", "request_header", "header_up", "header", "option", "export",
}

// declared reports whether the name that begins at start stands behind such a word, at the beginning of its line.
func (s *scanning) declared(start int) bool {
	from := start
	for from > 0 && start-from < 48 && s.text[from-1] != '\n' && s.text[from-1] != ';' {
		from--
	}
	return slices.Contains(declaring, strings.ToLower(strings.TrimSpace(s.text[from:start])))
}

// called reports whether the quoted name at [start, end) is the first argument of a call, and where the second begins:
// define('DB_PASSWORD', 'x'), headers.set("X-Api-Key", "x").
func (s *scanning) called(start, end int) (int, bool) {
	if start < 2 || end >= len(s.text) || strings.IndexByte("\"'`", s.text[start-1]) < 0 || s.text[end] != s.text[start-1] || s.text[start-2] != '(' {
		return nowhere, false
	}
	i := skip(s.text, end+1, " \t")
	if i >= len(s.text) || s.text[i] != ',' {
		return nowhere, false
	}
	i = skip(s.text, i+1, " \t\r\n")
	return i, i < len(s.text) && strings.IndexByte("\"'`", s.text[i]) >= 0
}

// netrc reports whether a name stands in a line of a netrc file, where its value follows after a blank.
func (s *scanning) netrc(start int) bool {
	before := strings.ToLower(s.text[max(0, start-240):start])
	i := max(strings.LastIndex(before, "machine "), strings.LastIndex(before, "default login"))
	return i >= 0 && strings.Contains(before[i:], "login ")
}

// identified reads SQL's IDENTIFIED BY 'x' and IDENTIFIED WITH plugin BY 'x'.
func (s *scanning) identified(_, end int) {
	end-- // the blank behind the word
	near := strings.ToLower(s.text[end:min(len(s.text), end+80)])
	by := strings.Index(near, " by ")
	if by < 0 || by > 48 {
		return
	}
	i := skip(s.text, end+by+4, " \t")
	if strings.HasPrefix(near[by+4:], "password ") || strings.HasPrefix(near[by+4:], "values ") {
		i = skip(s.text, i+strings.IndexByte(s.text[i:], ' '), " \t")
	}
	if i < len(s.text) && strings.IndexByte("'\"`", s.text[i]) >= 0 {
		if n := closing(s.text[i+1:min(len(s.text), i+200)], s.text[i:i+1]); n > 0 && Placeholder(s.text[i+1:i+1+n]) == "" {
			s.add(i+1, i+1+n, "sql-password", "is the password of a user of a database", s.text[i+1:i+1+n])
		}
		return
	}
	stop := i
	for stop < len(s.text) && stop-i < 128 && strings.IndexByte(" \t\r\n;,)", s.text[stop]) < 0 {
		stop++
	}
	if value := s.text[i:stop]; len(value) >= 4 && Placeholder(value) == "" && (Mixed(value) || strings.ContainsAny(value, "!@#$%^&*")) {
		s.add(i, stop, "sql-password", "is the password of a user of a database", value)
	}
}

// inserted masks what an INSERT puts into a column: INSERT INTO t (user, password) VALUES ('a', 'x'), ('b', 'y').
func (s *scanning) inserted(name string, v Verdict, start, end int) bool {
	open := start
	for open > 0 && start-open < 512 && s.text[open-1] != '(' {
		if s.text[open-1] == ')' || s.text[open-1] == ';' {
			return false
		}
		open--
	}
	shut := end
	for shut < len(s.text) && shut-end < 512 && s.text[shut] != ')' {
		if s.text[shut] == '(' || s.text[shut] == ';' {
			return false
		}
		shut++
	}
	if open == 0 || shut >= len(s.text) {
		return false
	}
	i := skip(s.text, shut+1, " \t\r\n")
	if len(s.text) < i+6 || !strings.EqualFold(s.text[i:i+6], "values") {
		return false
	}
	at := strings.Count(s.text[open:start], ",")
	i += 6
	for range maxRows {
		i = skip(s.text, i, " \t\r\n,")
		if i >= len(s.text) || s.text[i] != '(' {
			break
		}
		i = s.tuple(name, v, i+1, at)
	}
	return true
}

// tuple masks the value at a place in a tuple of SQL that begins at i, and returns where the tuple ends.
func (s *scanning) tuple(name string, v Verdict, i, at int) int {
	limit := min(len(s.text), i+maxValue)
	for n := 0; i < limit; n++ {
		i = skip(s.text, i, " \t\r\n")
		start := i
		if i < limit && (s.text[i] == '\'' || s.text[i] == '"') {
			stop := closing(s.text[i+1:limit], s.text[i:i+1])
			if stop < 0 {
				return limit
			}
			start, i = i+1, i+1+stop
		} else {
			for i < limit && s.text[i] != ',' && s.text[i] != ')' {
				i++
			}
		}
		if n == at && start < i {
			s.form(name, v, start, i)
		}
		for i < limit && s.text[i] != ',' && s.text[i] != ')' {
			i++
		}
		if i >= limit || s.text[i] == ')' {
			return i + 1
		}
		i++
	}
	return i
}

// pgpass reads a line host:port:database:user:password around the port.
func (s *scanning) pgpass(start, end int) {
	from, to := s.line(start)
	line := strings.TrimSpace(s.text[from:to])
	parts := strings.Split(line, ":")
	if len(parts) != 5 || len(line) > 400 || strings.ContainsAny(line, " \t\"'") {
		return
	}
	if password := parts[4]; password != "" && Placeholder(password) == "" && parts[3] != "" {
		stop := len(strings.TrimRight(s.text[:to], " \t\r"))
		s.add(stop-len(password), stop, "pgpass", "is the password in a line of a .pgpass file", password)
	}
}

// wifi reads the password of a network in the text of a QR code: WIFI:T:WPA;S:name;P:password;;
func (s *scanning) wifi(_, end int) {
	text := s.text[end:min(len(s.text), end+300)]
	i := strings.Index(";"+text, ";P:")
	if i < 0 {
		return
	}
	i += len("P:")
	stop := i
	for stop < len(text) && text[stop] != ';' && text[stop] != '\n' {
		if text[stop] == '\\' {
			stop++
		}
		stop++
	}
	if stop = min(stop, len(text)); Placeholder(text[i:stop]) == "" && stop-i >= 4 {
		s.add(end+i, end+stop, "wifi-password", "is the password of a network", text[i:stop])
	}
}

// jwk reads the private parts of a JSON Web Key around its "kty".
func (s *scanning) jwk(start, end int) {
	from, to := max(0, start-2048), min(len(s.text), end+2048)
	if i := strings.LastIndexByte(s.text[from:start], '{'); i >= 0 {
		from += i
	}
	if i := strings.IndexByte(s.text[end:to], '}'); i >= 0 {
		to = end + i
	}
	if !s.budget.Spend(8 * (to - from)) {
		return
	}
	for _, member := range []string{"d", "p", "q", "dp", "dq", "qi", "k"} {
		name := `"` + member + `"`
		i := strings.Index(s.text[from:to], name)
		if i < 0 {
			continue
		}
		i = skip(s.text, from+i+len(name), " \t:\"\\")
		stop := i
		for stop < to && EncodedByte[s.text[stop]] {
			stop++
		}
		if stop-i >= 20 {
			s.add(i, stop, "jwk", "is a private part of a JSON Web Key", s.text[i:stop])
		}
	}
}

// kubernetes masks the values of a Secret's data, which are base64 of anything.
func (s *scanning) kubernetes(_, end int) {
	i := skip(s.text, end, " \t:\"'")
	if !strings.HasPrefix(s.text[i:], "Secret") || i+6 < len(s.text) && wordByte(s.text[i+6]) {
		return
	}
	to := min(len(s.text), i+2*maxValue)
	for _, data := range []string{"\ndata:", "\nstringData:"} {
		if j := strings.Index(s.text[i:to], data); j >= 0 {
			s.kubernetesData(i+j+len(data), to)
		}
	}
	s.budget.Spend(to - i)
}

// kubernetesData masks the values of the indented lines from a place on.
func (s *scanning) kubernetesData(i, to int) {
	for range maxRows {
		if n := strings.IndexByte(s.text[i:to], '\n'); n >= 0 {
			i += n + 1
		} else {
			return
		}
		start, end := s.line(i)
		line := s.text[start:min(end, to)]
		name, value, ok := strings.Cut(line, ":")
		if !ok || line[0] != ' ' && line[0] != '\t' {
			return
		}
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		if len(value) < 3 || Placeholder(value) != "" {
			continue
		}
		at := start + len(name) + strings.Index(line[len(name):], value)
		s.add(at, at+len(value), "kubernetes-secret", "is a value of a Secret of Kubernetes", value)
	}
}
