package detect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How a name and its value are tied together in a text, from the strongest tie to the loosest.
type tie uint8

const (
	tieNone  tie = iota
	tieQuote     // "name": "value", name="value"
	tieSign      // name=value, name: value
	tieWord      // the name is value
	tieForm      // the cell of a table, the content of an element
)

// assigned reads the name around a literal at [start, end) and, when it names a credential, the value behind it.
func (s *scanning) assigned(start, end int) {
	if start < s.lastName {
		return // inside a name that was read already
	}
	var name string
	var v Verdict
	if s.text[start] >= utf8.RuneSelf {
		start, end = s.label(start, end)
		name = s.text[start:end]
		v = judgeLabel(name)
	} else {
		start, end = s.identifier(start, end)
		if s.inProse(start, end) && !s.declared(start) && !s.netrc(start) {
			s.lastName = end
			return
		}
		name = strings.Trim(s.text[start:end], ".-")
		v = s.nameInText(name, start)
	}
	end, v = s.qualified(end, v)
	s.lastName = end
	if v == Plain || v == Never || v == Source {
		return
	}
	if v.Masks() && s.formed(name, v, start, end) {
		return
	}
	at, how := s.tied(name, v, start, end)
	if how == tieNone {
		return
	}
	if how != tieWord && s.list(name, v, at) {
		return
	}
	s.scalar(name, v, at, how)
}

// formed reads the value of a name that a form of its own ties to it, and reports whether there was one.
func (s *scanning) formed(name string, v Verdict, start, end int) bool {
	if from, to, ok := s.element(start, end); ok && from < to {
		s.form(name, v, from, to)
		return true
	}
	if at, ok := s.called(start, end); ok {
		s.scalar(name, v, at, tieQuote)
		return true
	}
	if end < len(s.text) && (s.text[end] == ' ' || s.text[end] == '\t') && (s.declared(start) || s.netrc(start)) {
		i := skip(s.text, end, " \t")
		if i < len(s.text) && s.text[i] != '=' && s.text[i] != ':' {
			from, to, _ := s.value(i, name, tieSign)
			s.form(name, v, from, to)
			return true
		}
	}
	next := skip(s.text, end, " \"'`*\r:：")
	if next < len(s.text) && strings.IndexByte("|,;\t\n)#", s.text[next]) < 0 {
		return false
	}
	if s.inserted(name, v, start, end) || s.column(name, v, start, end) {
		return true
	}
	if from, to, ok := s.heading(start, end); ok {
		s.form(name, v, from, to)
		return true
	}
	return false
}

// inProse says at a glance that a word is followed by another one and not by a value.
func (s *scanning) inProse(start, end int) bool {
	if end+1 >= len(s.text) || s.text[end] != ' ' || s.text[start] == '-' || start > 0 && strings.IndexByte("<:", s.text[start-1]) >= 0 { // an element may have attributes
		return false
	}
	if c := s.text[end+1]; c < 'a' || c > 'z' || c == 'i' || c == 'w' {
		return false
	}
	near := s.text[end:min(len(s.text), end+maxSaid)]
	if i, _ := said(near); i >= 0 {
		return false
	}
	if _, ok := s.atTheEnd(end); ok {
		return false
	}
	return qualifier(near) == 0 && handmade(s.wordAt(end+1), Certain)
}

// identifier widens a literal to the whole name it stands in.
func (s *scanning) identifier(start, end int) (int, int) {
	floor, ceiling := max(0, start-64), min(len(s.text), end+64)
	for end > start+1 && s.text[end-1] < utf8.RuneSelf && !wordByte(s.text[end-1]) { // literals may end in a sign
		end--
	}
	for start > floor {
		if n := latinBefore(s.text[floor:start]); n > 0 {
			start -= n
		} else {
			break
		}
	}
	for end < ceiling {
		if n := latinAt(s.text[end:]); n > 0 {
			end += n
		} else {
			break
		}
	}
	return start, end
}

// latinAt is the length of the byte of a name, or of the Latin letter, that a text begins with; 0 when there is none.
func latinAt(text string) int {
	if wordByte(text[0]) {
		return 1
	}
	if text[0] >= 0xC3 && text[0] <= 0xC9 {
		if r, n := utf8.DecodeRuneInString(text); r != utf8.RuneError && unicode.IsLetter(r) {
			return n
		}
	}
	return 0
}

// latinBefore is the same for the end of a text.
func latinBefore(text string) int {
	if wordByte(text[len(text)-1]) {
		return 1
	}
	if n := len(text); n > 1 && text[n-2] >= 0xC3 && text[n-2] <= 0xC9 {
		if r, size := utf8.DecodeRuneInString(text[n-2:]); size == 2 && unicode.IsLetter(r) {
			return 2
		}
	}
	return 0
}

// label widens a label in a script without word breaks by a few characters on both sides.
func (s *scanning) label(start, end int) (int, int) {
	for range 6 {
		r, n := utf8.DecodeLastRuneInString(s.text[:start])
		if n == 0 || r < utf8.RuneSelf && !isAlpha(byte(r)) || !unicode.IsLetter(r) && r != 'ー' || strings.ContainsRune("是为為は的の", r) {
			break
		}
		start -= n
	}
	for range 6 {
		r, n := utf8.DecodeRuneInString(s.text[end:])
		if n == 0 || r < utf8.RuneSelf || !unicode.IsLetter(r) && r != 'ー' || strings.ContainsRune("是为為はが設을를은는", r) {
			break
		}
		end += n
	}
	return start, end
}

// nameInText judges a name together with the word or two before it: "api key", "public key", "bot token".
func (s *scanning) nameInText(name string, start int) Verdict {
	v := s.e.Names.Of(name)
	if v == Never || strings.ContainsAny(name, "_-.") || !isAlpha(name[0]) {
		return v
	}
	from := start
	for range 2 {
		if from < 2 || s.text[from-1] != ' ' || !isAlpha(s.text[from-2]) {
			break
		}
		from--
		for from > 0 && isAlpha(s.text[from-1]) && start-from < 48 {
			from--
		}
		if wider := s.e.Names.Of(s.text[from:start] + name); wider != Plain && (wider == Never || wider > v && wider <= Certain || v == Plain) {
			return wider
		}
	}
	return v
}

// tied finds where the value of a name that ends at end begins, and how it is tied to it.
func (s *scanning) tied(name string, v Verdict, start, end int) (int, tie) {
	i := skip(s.text, end, "\"'`*\\ \t")
	if i > end && i < len(s.text) && s.text[i] == ']' && strings.IndexByte("\"'`", s.text[i-1]) >= 0 { // environ["NAME"] = "x"
		i = skip(s.text, i+1, " \t")
	}
	for n := 0; n < 3 && i == end && i < len(s.text) && s.text[start] < utf8.RuneSelf; n++ { // key值: x
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if r < 0x2E80 || !unicode.IsLetter(r) || strings.ContainsRune("是为為は的の은는이가", r) {
			break
		}
		i, end = i+size, end+size
	}
	if i == end {
		i = skip(s.text, end, "\"'`*\\ \t")
	}
	for _, of := range [][2]string{{" (", ")"}, {"（", "）"}} { // "Password (admin): …"
		if j := strings.Index(s.text[end:min(len(s.text), end+40)], of[1]); j > 0 && strings.HasPrefix(s.text[end:], of[0]) {
			i = skip(s.text, end+j+len(of[1]), "\"'`*\\ \t")
		}
	}
	rest := s.text[i:]
	if strings.HasPrefix(rest, "|") && strings.IndexByte(s.text[max(0, start-200):start], '|') >= 0 { // the next cell of a row
		if near := s.text[max(0, start-200):start]; strings.LastIndexByte(near, '|') > strings.LastIndexByte(near, '\n') {
			return i + 1, tieForm
		}
	}
	for _, sign := range []string{":=", "=>", "->", "==", "=", ":", "：", "＝", "→", "||", "??"} {
		if !strings.HasPrefix(rest, sign) {
			continue
		}
		if at, ok := s.valueField(end); ok {
			return at, tieQuote
		}
		return i + len(sign), tieSign
	}
	if strings.HasPrefix(rest, "(") && len(rest) > 1 && strings.IndexByte("\"'`", rest[1]) >= 0 {
		return i + 1, tieQuote
	}
	if s.text[start] == '-' {
		return s.flagValue(end)
	}
	if at, ok := s.valueField(end); ok {
		return at, tieQuote
	}
	for _, word := range []string{"是", "为", "為", "は", "が", "is ", "was ", "= ", "은 ", "는 ", "이 ", "가 "} {
		if strings.HasPrefix(rest, word) && (i > end || word[0] >= utf8.RuneSelf) {
			return i + len(word), tieWord
		}
	}
	if v == Certain {
		if at, ok := s.atTheEnd(end); ok {
			return at, tieWord
		}
	}
	if name != "" && s.text[start] >= utf8.RuneSelf && i > end {
		return i, tieWord
	}
	if v >= Weak && v <= Certain {
		if at, how := s.following(v, start, end); how != tieNone {
			return at, how
		}
	}
	if v == Certain || v == Likely {
		if at, stop := said(s.text[end:min(len(s.text), end+maxSaid)]); at >= 0 {
			return end + stop, tieWord
		}
	}
	return nowhere, tieNone
}

// flagValue is the value of a command line's flag: --token xyz, or ["--token", "xyz"].
func (s *scanning) flagValue(end int) (int, tie) {
	i := skip(s.text, end, "\"', \t")
	if i < len(s.text) && (s.text[i] == '\n' || s.text[i] == '\r') {
		i = skip(s.text, i, "\r\n \t")
		if i >= len(s.text) || s.text[i] != '-' {
			return nowhere, tieNone
		}
		i = skip(s.text, i+1, " \t\"'")
	}
	if i == end || i >= len(s.text) || s.text[i] == '-' {
		return nowhere, tieNone
	}
	return i, tieSign
}

// valueField is the value of a pair in a text: {"name": "API_KEY", "value": "xyz"}, in JSON, YAML and XML.
func (s *scanning) valueField(end int) (int, bool) {
	i := skip(s.text, end, "\"'\\, \t\r\n{")
	if i < len(s.text) && s.text[i] == ':' { // "name": {"value": "x"}
		if j := skip(s.text, i+1, " \t\r\n"); j < len(s.text) && s.text[j] == '{' {
			i = skip(s.text, j+1, "\"'\\ \t\r\n")
		}
	}
	n := 0
	for _, name := range ValueFields {
		if strings.HasPrefix(s.text[i:], name) && i+len(name) < len(s.text) && !wordByte(s.text[i+len(name)]) {
			n = len(name)
			break
		}
	}
	if n == 0 || i == end {
		return nowhere, false
	}
	i = skip(s.text, i+n, "\"'\\ \t")
	if i < len(s.text) && (s.text[i] == ':' || s.text[i] == '=') {
		return i + 1, true
	}
	return nowhere, false
}

// ValueFields are the names of the second half of a pair, ValueFields[i] beside a name of pairNames.
var ValueFields = []string{"value", "val", "v", "content", "data", "Value", "default_value", "default", "text"}

// maxSkip is how many blanks, quotes and signs may stand where some may: more of them are not looked through.
const maxSkip = 64

// nowhere is the place that goes with the word that there is none.
const nowhere = 0

func skip(text string, i int, chars string) int { return skipUpTo(text, i, chars, maxSkip) }

func skipUpTo(text string, i int, chars string, most int) int {
	to := min(len(text), i+most)
	for i < to && strings.IndexByte(chars, text[i]) >= 0 {
		i++
	}
	return i
}

// Bounds of a list that is read in a text.
const (
	maxListItems = 64
	maxValue     = 4096
)

// list reads [a, b] or a block of "- a" lines under a name. It says whether there was one.
func (s *scanning) list(name string, v Verdict, at int) bool {
	i := skip(s.text, at, " \t")
	if i >= len(s.text) {
		return false
	}
	if s.text[i] == '[' {
		i++
		for range maxListItems {
			i = skip(s.text, i, " \t\r\n,")
			if i >= len(s.text) || s.text[i] == ']' {
				return true
			}
			next := s.scalar(name, v, i, tieSign)
			if next <= i {
				return true
			}
			i = skip(s.text, next, "\"'\\ \t\r\n")
			if i >= len(s.text) || s.text[i] != ',' {
				return true
			}
		}
		return true
	}
	if s.text[i] != '\n' && s.text[i] != '\r' || s.text[at-1] == '=' {
		return false
	}
	found := false
	for range maxListItems {
		j := skip(s.text, i, " \t\r\n")
		if j+2 > len(s.text) || s.text[j] != '-' || s.text[j+1] != ' ' {
			break
		}
		found = true
		next := s.scalar(name, v, j+2, tieSign)
		if next <= j+2 {
			break
		}
		if i = skip(s.text, next, "\"' \t"); i >= len(s.text) || s.text[i] != '\n' && s.text[i] != '\r' {
			break
		}
	}
	return found
}

// scalar reads one value at a place and masks it when it is a credential. It gives the end of the value.
func (s *scanning) scalar(name string, v Verdict, at int, how tie) int {
	i := skip(s.text, at, " \t")
	for !isMark(s.text[i:]) && i < len(s.text) && s.text[i] == '*' { // Markdown's emphasis
		i = skip(s.text, i+1, " \t")
	}
	if how != tieWord {
		if s.block(name, v, i) {
			return i
		}
		i = s.tagged(i)
	}
	start, end, quoted := s.value(i, name, how)
	if start >= end || !s.budget.Spend((end-i)*valueWork) {
		return end
	}
	value := s.text[start:end]
	if quoted && how == tieSign {
		how = tieQuote
	}
	if from := schemeEnd(value); from > 0 {
		start += from
		value = value[from:]
	}
	if v == Link {
		if w, ok := WebhookSpan(value); ok {
			s.add(start+w.Start, start+w.End, w.Rule, w.Why, w.Values...)
		}
		return end
	}
	if Placeholder(value) == "" && !s.plainCookie(name, value) && s.credentialInText(v, value, how, quoted, end, name) {
		s.add(start, end, "key-name", "the name `"+ShortName(name)+"` beside it names a credential", ValuesOf(value)...)
	}
	return end
}

// plainCookie reports whether a header of cookies holds nothing but choices: theme=dark; lang=en.
func (s *scanning) plainCookie(name, value string) bool {
	if !strings.HasSuffix(strings.ToLower(name), "cookie") {
		return false
	}
	for pair := range strings.SplitSeq(value, ";") {
		key, v, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || len(v) > 8 || strings.Trim(v, Lowers+Uppers+"-_") != "" || s.e.Names.Of(key).Masks() {
			return false
		}
	}
	return true
}

// tagged passes the tag and the anchor in front of a value of YAML: !!str x, &name x.
func (s *scanning) tagged(i int) int {
	for range 2 {
		if i+1 >= len(s.text) || s.text[i] != '!' && s.text[i] != '&' || s.text[i+1] == ' ' {
			return i
		}
		j := i + 1
		for j < len(s.text) && j-i < 64 && (wordByte(s.text[j]) || strings.IndexByte("!:/,", s.text[j]) >= 0) {
			j++
		}
		if j >= len(s.text) || s.text[j] != ' ' || s.text[i] == '!' && strings.HasPrefix(s.text[i:], "!secret") || strings.HasPrefix(s.text[i:], "!env") {
			return i
		}
		i = skip(s.text, j, " \t")
	}
	return i
}

// block masks the lines of a block of YAML (| or > and what may follow) that begins at i, and reports whether there is one.
func (s *scanning) block(name string, v Verdict, i int) bool {
	j := s.tagged(i)
	if j >= len(s.text) || s.text[j] != '|' && s.text[j] != '>' {
		return false
	}
	j = skip(s.text, j+1, "+-0123456789 \t\r")
	if j >= len(s.text) || s.text[j] != '\n' {
		return false
	}
	own, _ := s.line(i)
	s.budget.Spend(valueWork * 8)
	indent := skip(s.text, own, " \t-") - own
	found := false
	for range maxListItems {
		if j+1 >= len(s.text) {
			break
		}
		start, end := s.line(j + 1)
		text := strings.TrimRight(s.text[start:end], " \t\r")
		s.budget.Spend(len(text))
		if at := skip(s.text, start, " \t"); text != "" && at-start <= indent && indent > 0 || text != "" && at == start {
			break
		} else if at < start+len(text) {
			found = true
			s.form(name, v, at, start+len(text))
		}
		j = end
	}
	return found
}

func isMark(text string) bool {
	return strings.HasPrefix(text, Masked) || strings.HasPrefix(text, Sealed)
}
