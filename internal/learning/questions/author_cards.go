package questions

import (
	"strings"
	"unicode"

	"stoa/internal/learning/units"
)

// Cards in a line or in paragraphs: Q::A, Q:::A, ?, ?? and Q:/A: pairs.

// cards takes "question ? answer" over several lines: a line that is only ? or ??, or what the vault is set to. Both sides reach to an empty
// line, whatever they are made of, or to the mark that ends cards in this vault; below a heading the heading may be the question.
func (d *deriver) cards(i, k int) {
	s := &d.unit.Sections[i]
	b := &s.Blocks[k]
	for n, l := range b.Lines {
		mark := strings.TrimSpace(l.Text)
		if mark != d.marks.Block && mark != d.marks.BlockReversed {
			continue
		}
		question, from := joined(b.Lines[:n]), b.Start
		if above := runStart(s, k); above < k {
			from = s.Blocks[above].Start
			question = s.Content[from:l.Start]
		}
		if question == "" && k == 0 && s.Depth > 0 {
			question = s.Title
		}
		answer, to := joined(b.Lines[n+1:]), b.End
		below := runEnd(s, k)
		if answer == "" && below == k && k+1 < len(s.Blocks) { // the answer is a list behind an empty line
			below = k + 1
		}
		if below > k {
			to = s.Blocks[below].End
			answer = s.Content[l.End:to]
		}
		if end := d.ended(s.Content, l.End); end > 0 {
			answer, to = s.Content[l.End:end], end
		}
		if strings.TrimSpace(question) != "" {
			d.both(mark == d.marks.BlockReversed, i, question, answer, from, to)
		}
		return
	}
}

// listCards takes the same where a list is the end of the question: what follows a list without an empty line belongs to it.
func (d *deriver) listCards(i, k int) {
	s := &d.unit.Sections[i]
	b := &s.Blocks[k]
	for at := b.Start; at < b.End; {
		line, _, _ := strings.Cut(s.Content[at:b.End], "\n")
		if mark := strings.TrimSpace(line); (mark == d.marks.Block || mark == d.marks.BlockReversed) && at > b.Start {
			from, to := s.Blocks[runStart(s, k)].Start, s.Blocks[runEnd(s, k)].End
			if end := d.ended(s.Content, at+len(line)); end > 0 {
				to = end
			}
			d.both(mark == d.marks.BlockReversed, i, s.Content[from:at], s.Content[min(at+len(line), to):to], from, to)
			return
		}
		at += len(line) + 1
	}
}

// both asks a card, and the other way round where it is meant to be asked so too.
func (d *deriver) both(reversed bool, i int, question, answer string, from, to int) {
	d.askNth(1, i, question, answer, from, to)
	if reversed {
		d.askNth(2, i, answer, question, from, to)
	}
}

// ended finds where the mark that ends cards stands behind a place; 0 without one.
func (d *deriver) ended(text string, from int) int {
	for at := from; d.marks.End != "" && at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		switch strings.TrimSpace(line) {
		case d.marks.End:
			return at
		case d.marks.Block, d.marks.BlockReversed:
			return 0 // of the next card
		}
		at += len(line) + 1
	}
	return 0
}

// runStart and runEnd are the first and the last block that no empty line parts from block k.
func runStart(s *units.Section, k int) int {
	for k > 0 && adjacent(s, k-1) {
		k--
	}
	return k
}

func runEnd(s *units.Section, k int) int {
	for k+1 < len(s.Blocks) && adjacent(s, k) {
		k++
	}
	return k
}

func adjacent(s *units.Section, k int) bool {
	from, to := s.Blocks[k].End, s.Blocks[k+1].Start
	return from <= to && strings.Count(s.Content[from:to], "\n") < 2
}

func joined(lines []units.Line) string {
	var parts []string
	for _, l := range lines {
		parts = append(parts, strings.TrimSpace(l.Text))
	}
	return strings.Join(parts, "\n")
}

// lineCard takes "question::answer" and "question:::answer", or what the vault is set to.
func (d *deriver) lineCard(i int, l units.Line, cpp bool) {
	text := l.Text
	at, mark := d.lineMark(text)
	if at <= 0 {
		return
	}
	left, right := strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+len(mark):])
	if left == "" || right == "" || len(left) > 400 || len(right) > 600 || right[0] == mark[len(mark)-1] || strings.HasPrefix(left, "[") && strings.HasSuffix(right, "]") || strings.HasPrefix(left, "(") && strings.HasSuffix(right, ")") {
		return
	}
	if another, _ := d.lineMark(right); another >= 0 {
		return
	}
	spaced := strings.HasSuffix(text[:at], " ") || strings.HasPrefix(text[at+len(mark):], " ")
	if !spaced && mark[0] == ':' && (cpp || identifier(clean(left))) {
		return
	}
	d.both(mark == d.marks.LineReversed, i, left, right, l.Start, l.End)
}

// lineMark finds the mark that parts the two sides of a card in a line; -1 without one. Of two at the same place it is the longer.
func (d *deriver) lineMark(text string) (at int, mark string) {
	at, mark = outside(text, d.marks.Line), d.marks.Line
	other := outside(text, d.marks.LineReversed)
	if other >= 0 && (at < 0 || other < at || other == at && len(d.marks.LineReversed) > len(mark)) {
		at, mark = other, d.marks.LineReversed
	}
	return at, mark
}

// holdsCard reports whether a text has a mark that parts the two sides of a card.
func (d *deriver) holdsCard(text string) bool {
	at, _ := d.lineMark(text)
	return at > 0
}

// identifier reports whether what stands before :: may be the name of a module in a program.
func identifier(left string) bool {
	from := strings.LastIndexAny(left, " (<,&*") + 1
	word := left[from:]
	switch word {
	case "std", "boost", "self", "Self", "super", "crate", "Vec", "String", "Option", "Result", "Box", "Rc", "Arc", "fs", "io", "env", "tf", "torch", "absl", "parent", "static", "HashMap", "thread", "mem", "str", "chrono", "ActiveRecord", "Rails":
		return true
	}
	if strings.ContainsAny(word, "_.") && !strings.Contains(word, "...") {
		return true
	}
	return from == 0 && len(word) > 1 && strings.IndexFunc(word[1:], unicode.IsUpper) >= 0 && strings.IndexFunc(word, unicode.IsLower) >= 0 // MyClass::method
}

// outside finds a mark outside of code, formulas, links and addresses; -1 if there is none.
func outside(s, mark string) int {
	if !strings.Contains(s, mark) {
		return -1 // as most texts
	}
	var closing byte
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case closing != 0:
			if s[i] == closing {
				closing = 0
			}
		case s[i] == '`' || s[i] == '$':
			if strings.IndexByte(s[i+1:], s[i]) >= 0 {
				closing = s[i]
			}
		case strings.HasPrefix(s[i:], "{{"):
			if n := strings.Index(s[i:], "}}"); n > 0 {
				i += n + 1
			}
		case strings.HasPrefix(s[i:], "http"):
			for i < len(s) && s[i] != ' ' {
				i++
			}
		case strings.HasPrefix(s[i:], mark):
			return i
		}
	}
	return -1
}

// questionMarks and answerMarks begin the lines of a question and of its answer.
var (
	questionMarks = []string{"q", "question", "问", "問", "问题", "问题是", "質問", "問題", "d", "domanda", "f", "frage", "вопрос", "p", "pregunta"}
	answerMarks   = []string{"a", "answer", "答", "答案", "回答", "解答", "r", "risposta", "antwort", "ответ", "respuesta"}
)

// marked takes a mark and its colon off a line.
func marked(line string, marks []string) (string, bool) {
	t := strings.TrimLeft(strings.TrimSpace(line), "*_ ")
	for _, sep := range []string{":", "："} {
		head, rest, ok := strings.Cut(t, sep)
		if !ok || len(head) > 16 {
			continue
		}
		head = strings.ToLower(strings.Trim(head, "*_ 0123456789.)("))
		for _, m := range marks {
			if head == m {
				return strings.TrimSpace(strings.TrimLeft(rest, "*_ ")), true
			}
		}
	}
	return "", false
}

// pairs takes lines "Q: …" that are followed by "A: …".
func (d *deriver) pairs(i int, lines []units.Line) {
	for n := 0; n < len(lines); n++ {
		question, ok := marked(lines[n].Text, questionMarks)
		if !ok || question == "" {
			continue
		}
		for m := n + 1; m < len(lines); m++ {
			answer, ok := marked(lines[m].Text, answerMarks)
			if !ok {
				if _, another := marked(lines[m].Text, questionMarks); another {
					break
				}
				question += " " + strings.TrimSpace(lines[m].Text)
				continue
			}
			end := m + 1
			for end < len(lines) {
				if _, another := marked(lines[end].Text, questionMarks); another {
					break
				}
				answer += "\n" + strings.TrimSpace(lines[end].Text)
				end++
			}
			d.ask(i, question, answer, lines[n].Start, lines[end-1].End)
			n = end - 1
			break
		}
	}
}
