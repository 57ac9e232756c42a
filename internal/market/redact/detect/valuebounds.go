package detect

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// Where a value of a text begins and ends.

// value gives the bounds of a value that begins at i: a quoted one without its quotes, a header to its end, else a word.
func (s *scanning) value(i int, name string, how tie) (start, end int, quoted bool) {
	if i >= len(s.text) {
		return i, i, false
	}
	limit := min(len(s.text), i+maxValue)
	rest := s.text[i:limit]
	if n := skip(rest, 0, `\`); n > 0 && n < len(rest) && rest[n] == '"' { // JSON within JSON, however deep
		if stop := strings.Index(rest[n+1:], rest[:n+1]); stop >= 0 && strings.IndexByte(rest[n+1:n+1+stop], '\n') < 0 {
			return i + n + 1, i + n + 1 + stop, true
		}
	}
	for _, q := range [][2]string{{`\"`, `\"`}, {`"`, `"`}, {"`", "`"}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"「", "」"}, {"『", "』"}, {"《", "》"}} {
		if !strings.HasPrefix(rest, q[0]) {
			continue
		}
		n := closing(rest[len(q[0]):], q[1])
		if n >= 0 {
			return i + len(q[0]), i + len(q[0]) + n, true
		}
		s.budget.Spend(6 * len(rest))
		i += len(q[0])
		rest = s.text[i:limit]
		break
	}
	switch strings.ToLower(strings.Trim(name, "-")) {
	case "cookie", "set-cookie", "authorization", "proxy-authorization", "mnemonic", "seed_phrase", "mnemonic_phrase", "recovery_phrase":
		if n := strings.IndexAny(rest, "\"'`\r\n"); n >= 0 {
			rest = rest[:n]
		}
		return i, i + len(strings.TrimRight(rest, " \t,;")), true
	}
	inURL := how == tieSign && strings.LastIndexAny(s.text[max(0, i-96):i], "?&") > strings.LastIndexAny(s.text[max(0, i-96):i], " \t\n\"'")
	n := 0
	for n < len(rest) {
		c := rest[n]
		if !printable(c) || strings.IndexByte("\"'`<>,;)]}", c) >= 0 || c == '|' && cellEnd(rest[:n], rest[n+1:], how) || c == '&' && inURL || c == '\\' {
			break
		}
		n++
	}
	end = i + n
	for end > i && strings.IndexByte(".!?:*", s.text[end-1]) >= 0 {
		end--
	}
	return i, end, false
}

// cellEnd reports whether a bar between two texts ends the cell of a table. Keys of two parts are joined by one as well.
func cellEnd(before, after string, how tie) bool {
	return how == tieForm || len(before) < 16 || len(after) < 16 || !Mixed(before) || blankFree(after, 16) < 16
}

// closing finds the end of a quoted value on the same line, passing what is escaped.
func closing(text, quote string) int {
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], quote):
			return i
		case text[i] == '\\':
			i++
		case text[i] == '\n':
			return -1
		}
	}
	return -1
}

// schemeEnd is where the credential begins in "Bearer xyz".
func schemeEnd(value string) int {
	for _, scheme := range []string{"bearer ", "basic ", "token ", "bot ", "digest ", "key ", "apikey "} {
		if len(value) > len(scheme) && strings.EqualFold(value[:len(scheme)], scheme) {
			return len(value) - len(strings.TrimLeft(value[len(scheme):], " "))
		}
	}
	return 0
}

// scheme reads "Bearer xyz" and "Basic xyz" in running text.
func (s *scanning) scheme(start, end int) {
	if start > 0 && isAlpha(s.text[start-1]) {
		return
	}
	i := skipUpTo(s.text, end, " ", 3)
	j := i
	for j < len(s.text) && j-i < maxValue && (wordByte(s.text[j]) || strings.IndexByte("~+/=", s.text[j]) >= 0) {
		j++
	}
	token := strings.TrimRight(s.text[i:j], ".")
	if len(token) < 12 || Placeholder(token) != "" || !Mixed(token) && len(token) < 24 || !RandomPart(token) && entropy(token) < 2.8 {
		return
	}
	if s.text[start]|0x20 == 'b' && s.text[start+1]|0x20 == 'a' { // "basic" is an ordinary word: what follows must be a login
		if login, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(token, "=")); err != nil || !bytes.Contains(login, []byte(":")) {
			return
		}
	}
	s.add(i, i+len(token), "authorization", "stands behind `"+strings.TrimSpace(s.text[start:end])+"`, so it is a credential", token)
}

// ValuesOf are the secrets inside the value of a field that are worth searching for elsewhere.
func ValuesOf(value string) []string {
	trimmed := strings.TrimSpace(value)
	values := []string{trimmed}
	if n := schemeEnd(trimmed); n > 0 {
		values = append(values, trimmed[n:])
	}
	if strings.Contains(trimmed, "=") && len(trimmed) < maxValue {
		for part := range strings.FieldsFuncSeq(trimmed, func(r rune) bool { return r == ';' || r == ' ' || r == '&' }) {
			if _, v, ok := strings.Cut(part, "="); ok && len(v) >= 8 && (Mixed(v) || len(v) >= 16) {
				values = append(values, v, Unescaped(v))
			}
		}
	}
	return values
}

// lastSign returns the first byte before the name and the operator of the quoted value that begins at start: the one that
// opens the object or ends the field before.
func lastSign(text string, start int) byte {
	i := start - 1
	for n := 0; i >= 0 && n < 100 && strings.IndexByte("{,\n", text[i]) < 0; n++ {
		i--
	}
	if i < 0 {
		return '\n'
	}
	return text[i]
}
