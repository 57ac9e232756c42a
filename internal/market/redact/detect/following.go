package detect

import (
	"strings"
	"unicode/utf8"
)

// Bounds of a value that stands behind its name.
const (
	leastBehind = 8
	mostBehind  = 256
)

// following is where the value begins that follows a name after a blank alone, or after nothing in scripts without blanks:
// PASSWORD 'x', APIキー「x」, nmcli … password x, aws configure set aws_secret_access_key x, 密码x. What could be a word of a sentence is none.
func (s *scanning) following(v Verdict, start, end int) (int, tie) {
	i := skip(s.text, end, " \t")
	for _, q := range [][2]string{{"「", "」"}, {"『", "』"}, {"“", "”"}} { // APIキー「x」
		if !strings.HasPrefix(s.text[i:], q[0]) {
			continue
		}
		word := s.wordAt(i + len(q[0]))
		if handmade(word, v) || !strings.HasPrefix(s.text[i+len(q[0])+len(word):], q[1]) {
			return nowhere, tieNone
		}
		return i, tieQuote
	}
	if i >= len(s.text) || i == end && s.text[start] < utf8.RuneSelf {
		return nowhere, tieNone
	}
	if strings.IndexByte("'\"`", s.text[i]) >= 0 {
		n := closing(s.text[i+1:min(len(s.text), i+mostBehind)], s.text[i:i+1])
		if n < leastBehind || !Mixed(s.text[i+1:i+1+n]) || strings.ContainsAny(s.text[i+1:i+1+n], " \t") {
			return nowhere, tieNone
		}
		return i, tieQuote
	}
	if word := s.wordAt(i); !handmade(word, v) {
		return i, tieSign
	}
	return nowhere, tieNone
}

// wordAt is the word that a text goes on with.
func (s *scanning) wordAt(i int) string {
	to := i
	for to < len(s.text) && to-i < mostBehind && printable(s.text[to]) && strings.IndexByte("\"'`<>,;()[]{}", s.text[to]) < 0 {
		to++
	}
	s.budget.Spend(2 * (to - i))
	return s.text[i:to]
}

// handmade reports whether a word may be one of a sentence. Behind the name of a credential letters of both cases and digits
// are not.
func handmade(word string, v Verdict) bool {
	if len(word) >= 16 && len(word)%8 == 0 && strings.Trim(word, Uppers+"234567") == "" && entropy(word) >= 3 {
		return false // base32, as apps for one-time passwords take it
	}
	if len(word) < leastBehind || !Mixed(word) {
		return true
	}
	return !hasRandomWord(word) && (v != Certain || len(word) < 10 || strings.ToLower(word) == word || strings.ToUpper(word) == word)
}

// passed reads the only argument of a call that begins a session: client.login('x'), bot.run("x"), TeleBot('x').
func (s *scanning) passed(_, end int) {
	if end >= len(s.text) || strings.IndexByte("'\"`", s.text[end]) < 0 {
		return
	}
	n := closing(s.text[end+1:min(len(s.text), end+mostBehind)], s.text[end:end+1])
	if n < 16 || !hasRandomWord(s.text[end+1:end+1+n]) {
		return
	}
	if next := skip(s.text, end+n+2, " \t\n"); next < len(s.text) && strings.IndexByte("),", s.text[next]) >= 0 {
		s.add(end+1, end+1+n, "call-login", "is what a program signs in with", s.text[end+1:end+1+n])
	}
}

// piped reads what is written to a command that reads a password: echo x | docker login --password-stdin, echo x | sudo -S.
func (s *scanning) piped(start, _ int) {
	if w, ok := s.written(start); ok {
		s.commandSecret(w)
	}
}

// written is what the command before a pipe writes to the one that stands at start.
func (s *scanning) written(start int) (w word, ok bool) {
	from := max(0, start-maxCommand)
	line := s.text[from:start]
	if n := strings.LastIndexAny(line, "\n;"); n >= 0 {
		from, line = from+n+1, line[n+1:]
	}
	s.budget.Spend(len(line))
	pipe := strings.LastIndexByte(line, '|')
	if pipe < 0 {
		return w, false
	}
	for _, say := range []string{"echo ", "printf "} {
		at := strings.LastIndex(line[:pipe], say)
		if at < 0 {
			continue
		}
		if words, _ := commandWords(s.text, from+at+len(say), from+pipe); len(words) > 0 {
			return words[len(words)-1], true
		}
	}
	return w, false
}
