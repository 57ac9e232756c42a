package questions

import (
	"encoding/csv"
	"strings"
	"unicode"

	"stoa/internal/learning/units"
)

// author finds the questions that stand in a section.
func (d *deriver) author(i int) {
	s := &d.unit.Sections[i]
	d.heading(i)
	cpp := false // code of languages that write :: themselves
	for k := range s.Blocks {
		if b := &s.Blocks[k]; b.Kind == units.Code && codeColons[b.Name] {
			cpp = true
		}
	}
	for k := range s.Blocks {
		b := &s.Blocks[k]
		switch b.Kind {
		case units.Paragraph:
			d.cards(i, k)
			d.pairs(i, b.Lines, b.Start, b.End)
			for _, l := range b.Lines {
				d.colons(i, l, cpp)
				d.gift(i, l.Text, l.Start, l.End)
			}
			d.highlights(i, b)
			d.tabs(i, s.Content[b.Start:b.End], b.Start)
		case units.List:
			var lines []units.Line
			for _, item := range b.Items {
				d.colons(i, item.Line, cpp)
				lines = append(lines, item.Line)
			}
			d.pairs(i, lines, b.Start, b.End)
			d.highlights(i, b)
			if s.Exercises {
				d.exercises(i, b)
			}
		case units.Callout:
			d.callout(i, b)
		case units.Code:
			switch b.Name {
			case "csv", "tsv":
				d.table(i, b)
			case "gift":
				for _, part := range strings.Split(b.Text, "\n\n") {
					d.gift(i, part, b.Start, b.End)
				}
			}
		}
	}
}

var codeColons = wordSet("cpp c++ cc hpp rust rs php ruby rb perl pl haskell hs c")

// ask keeps a question of the author's with a short answer, or one to explain when the answer is long.
func (d *deriver) ask(i int, prompt, answer string, from, to int) {
	prompt, answer = clean(prompt), clean(answer)
	if units.Weight(prompt) == 0 && !strings.ContainsAny(prompt, "$`0123456789") || answer == "" {
		return
	}
	q := Pair(prompt, answer)
	q.Origin = Author
	d.add(i, q, from, to)
}

// clean takes the marks of review plug-ins and of Markdown off what is shown.
func clean(s string) string {
	if k := strings.Index(s, "<!--SR:"); k >= 0 {
		s = s[:k]
	}
	return strings.TrimSpace(units.Plain(s))
}

// answerOf reads an answer with its alternatives: "a / b" stay one, "colour (or color)" and "a | b" are two.
func answerOf(answer string) Answer {
	a := Answer{Texts: []string{answer}}
	if before, rest, ok := strings.Cut(answer, "("); ok && strings.HasSuffix(strings.TrimSpace(rest), ")") && strings.TrimSpace(before) != "" && !strings.ContainsAny(answer, "$`") {
		inner := strings.TrimSuffix(strings.TrimSpace(rest), ")")
		a.Texts = append(a.Texts, strings.TrimSpace(before))
		for _, or := range []string{"or ", "also ", "also called ", "aka ", "o ", "oder ", "或", "又称", "または"} {
			if alternative, ok := strings.CutPrefix(inner, or); ok {
				a.Texts = append(a.Texts, strings.TrimSpace(alternative))
			}
		}
	}
	if strings.Contains(answer, " | ") && !strings.ContainsAny(answer, "$`") {
		a.Texts = append(a.Texts, strings.Split(answer, " | ")...)
	}
	if v, unit, ok := Number(answer); ok && len(strings.Fields(unit)) <= 2 {
		a.Number, a.Value, a.Unit = true, v, unit
		if strings.ContainsAny(answer, "≈~") || strings.Contains(answer, `\approx`) {
			a.Tolerance = .02
		}
	}
	return a
}

// heading takes a heading that asks.
func (d *deriver) heading(i int) {
	s := &d.unit.Sections[i]
	prompt := clean(s.Title)
	if i == 0 && s.Depth == 0 {
		prompt = clean(d.unit.Note)
	}
	if !asks(prompt) || len(s.Blocks) == 0 {
		return
	}
	answer, from, to := firstText(s)
	if answer == "" {
		return
	}
	d.add(i, Question{Kind: Explain, Prompt: prompt, Origin: Author, Rank: .95, Answer: Answer{Texts: []string{answer}, Points: points(answer, prompt)}}, from, to)
}

// asks reports whether a text is a question.
func asks(s string) bool {
	return units.Weight(s) >= 8 && (strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？"))
}

// firstText is the first paragraph of a section, or its list.
func firstText(s *units.Section) (text string, from, to int) {
	for k := range s.Blocks {
		b := &s.Blocks[k]
		switch b.Kind {
		case units.Paragraph:
			var lines []string
			for _, l := range b.Lines {
				lines = append(lines, clean(l.Text))
			}
			return strings.TrimSpace(strings.Join(lines, " ")), b.Start, b.End
		case units.List:
			var items []string
			for _, item := range b.Items {
				items = append(items, clean(item.Text))
			}
			return strings.Join(items, "; "), b.Start, b.End
		}
	}
	return "", 0, 0
}

// cards takes "question ? answer" over several lines: a line that is only ? or ??.
func (d *deriver) cards(i, k int) {
	s := &d.unit.Sections[i]
	b := &s.Blocks[k]
	for n, l := range b.Lines {
		mark := strings.TrimSpace(l.Text)
		if mark != "?" && mark != "??" || n == 0 {
			continue
		}
		question := joined(b.Lines[:n])
		answer, to := joined(b.Lines[n+1:]), b.End
		if answer == "" && k+1 < len(s.Blocks) { // the answer is a list
			next := &s.Blocks[k+1]
			to = next.End
			answer = clean(s.Content[next.Start:next.End])
		}
		d.ask(i, question, answer, b.Start, to)
		if mark == "??" {
			d.ask(i, answer, question, b.Start, to)
		}
		return
	}
}

func joined(lines []units.Line) string {
	var parts []string
	for _, l := range lines {
		parts = append(parts, strings.TrimSpace(l.Text))
	}
	return strings.Join(parts, "\n")
}

// colons takes "question::answer" and "question:::answer".
func (d *deriver) colons(i int, l units.Line, cpp bool) {
	text := l.Text
	at := outside(text, "::")
	if at <= 0 {
		return
	}
	width := 2
	for at+width < len(text) && text[at+width] == ':' {
		width++
	}
	left, right := strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+width:])
	if width > 3 || left == "" || right == "" || len(left) > 400 || len(right) > 600 || outside(right, "::") >= 0 || strings.HasPrefix(left, "[") && strings.HasSuffix(right, "]") || strings.HasPrefix(left, "(") && strings.HasSuffix(right, ")") {
		return
	}
	spaced := strings.HasSuffix(text[:at], " ") || strings.HasPrefix(text[at+width:], " ")
	if !spaced && (cpp || identifier(left)) {
		return
	}
	d.ask(i, left, right, l.Start, l.End)
	if width == 3 {
		d.ask(i, right, left, l.Start, l.End)
	}
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
func (d *deriver) pairs(i int, lines []units.Line, from, to int) {
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
	// The answer in a paragraph of its own.
	if len(lines) > 0 {
		if _, ok := marked(lines[len(lines)-1].Text, questionMarks); ok || len(lines) == 1 {
			d.next(i, lines, from, to)
		}
	}
}

func (d *deriver) next(i int, lines []units.Line, _, to int) {
	question, ok := marked(lines[0].Text, questionMarks)
	if !ok || question == "" {
		return
	}
	s := &d.unit.Sections[i]
	for k := range s.Blocks {
		if b := &s.Blocks[k]; b.Start >= to {
			if b.Kind == units.Paragraph {
				if answer, ok := marked(b.Lines[0].Text, answerMarks); ok {
					if len(b.Lines) > 1 {
						answer += "\n" + joined(b.Lines[1:])
					}
					d.ask(i, question, answer, lines[0].Start, b.End)
				}
			}
			return
		}
	}
}

// highlights takes ==gaps== and {{c1::gaps}} of the author's.
func (d *deriver) highlights(i int, b *units.Block) {
	content := d.unit.Sections[i].Content
	raw := content[b.Start:b.End]
	if !strings.Contains(raw, "==") && !strings.Contains(raw, "{{c") {
		return
	}
	texts := []units.Line{{Text: raw, Start: b.Start, End: b.End}}
	if b.Kind == units.List {
		texts = nil
		for _, item := range b.Items {
			texts = append(texts, item.Line)
		}
	}
	for _, t := range texts {
		base := strings.Index(content[t.Start:t.End], t.Text)
		for _, sentence := range Sentences(t.Text) {
			gaps := gapsOf(sentence.Text)
			for g := range gaps {
				prompt := sentence.Text[:gaps[g].from] + blank
				if gaps[g].hint != "" {
					prompt += " (" + gaps[g].hint + ")"
				}
				prompt = clean(prompt + filled(sentence.Text[gaps[g].to:]))
				prompt = filled(prompt)
				answer := clean(gaps[g].text)
				if units.Weight(strings.ReplaceAll(prompt, blank, "")) < 8 || answer == "" {
					continue // all of it is marked
				}
				from := t.Start + max(0, base) + sentence.Start
				d.add(i, Question{Kind: Gap, Prompt: prompt, Origin: Author, Rank: .9, Answer: answerOf(answer)}, from, from+len(sentence.Text))
			}
		}
	}
}

// gap is a mark of the author's, in the bytes of a text.
type gap struct {
	from, to   int
	text, hint string
}

func gapsOf(s string) []gap {
	var list []gap
	for at := 0; at < len(s); {
		i := strings.Index(s[at:], "==")
		j := strings.Index(s[at:], "{{c")
		switch {
		case j >= 0 && (i < 0 || j < i):
			end := strings.Index(s[at+j:], "}}")
			if end < 0 {
				return list
			}
			parts := strings.SplitN(s[at+j+2:at+j+end], "::", 3)
			g := gap{from: at + j, to: at + j + end + 2}
			if len(parts) > 1 {
				g.text = parts[1]
			}
			if len(parts) > 2 {
				g.hint = parts[2]
			}
			list = append(list, g)
			at = g.to
		case i >= 0:
			open := at + i
			end := strings.Index(s[open+2:], "==")
			if end <= 0 || s[open+2] == ' ' || strings.Contains(s[open+2:open+2+end], "\n") {
				at = open + 2
				continue
			}
			list = append(list, gap{from: open, to: open + end + 4, text: s[open+2 : open+2+end]})
			at = open + end + 4
		default:
			return list
		}
	}
	return list
}

// filled puts the answers of the other gaps in their places.
func filled(s string) string {
	gaps := gapsOf(s)
	for k := len(gaps) - 1; k >= 0; k-- {
		s = s[:gaps[k].from] + gaps[k].text + s[gaps[k].to:]
	}
	return s
}

// tabs takes lists of two columns, as Quizlet exports them.
func (d *deriver) tabs(i int, raw string, base int) {
	lines := strings.Split(raw, "\n")
	if len(lines) < 2 {
		return
	}
	for _, l := range lines {
		if strings.Count(strings.Trim(l, "\t\r "), "\t") != 1 {
			return
		}
	}
	at := base
	for _, l := range lines {
		left, right, _ := strings.Cut(strings.Trim(l, "\t\r "), "\t")
		d.ask(i, left, right, at, at+len(l))
		at += len(l) + 1
	}
}

// table takes CSV with a question and an answer in a row.
func (d *deriver) table(i int, b *units.Block) {
	r := csv.NewReader(strings.NewReader(b.Text))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	if b.Name == "tsv" {
		r.Comma = '\t'
	}
	rows, err := r.ReadAll()
	if err != nil || len(rows) < 2 || len(rows[0]) < 2 || len(rows) > 2000 {
		return
	}
	question, answer := -1, -1
	for k, name := range rows[0] {
		switch Fold(name) {
		case "question", "front", "term", "prompt", "问题", "正面", "質問", "domanda", "frage":
			question = k
		case "answer", "back", "definition", "meaning", "答案", "背面", "回答", "risposta", "antwort":
			answer = k
		}
	}
	if question < 0 || answer < 0 {
		return // a table of data
	}
	for _, row := range rows[1:] {
		if len(row) > max(question, answer) {
			d.ask(i, row[question], row[answer], b.Start, b.End)
		}
	}
}

// gift takes a question of Moodle's GIFT format: text {=right ~wrong}, {T}, {#3:0.1}, {=a -> b}.
func (d *deriver) gift(i int, text string, from, to int) {
	open := strings.IndexByte(text, '{')
	end := strings.LastIndexByte(text, '}')
	if open <= 0 || end < open || strings.ContainsAny(text[:open], "$`\\") {
		return
	}
	body := strings.TrimSpace(text[open+1 : end])
	prompt := strings.TrimSpace(text[:open])
	if rest, ok := strings.CutPrefix(prompt, "::"); ok {
		if _, after, ok := strings.Cut(rest, "::"); ok {
			prompt = strings.TrimSpace(after)
		}
	}
	if tail := strings.TrimSpace(text[end+1:]); tail != "" {
		prompt += " " + blank + " " + tail
	}
	q := Question{Kind: Open, Prompt: clean(prompt), Origin: Author, Rank: 1}
	switch upper := strings.ToUpper(body); {
	case upper == "T" || upper == "TRUE", upper == "F" || upper == "FALSE":
		q.Kind, q.Answer.Texts = TrueFalse, []string{map[byte]string{'T': "true", 'F': "false"}[upper[0]]}
	case strings.HasPrefix(body, "#"):
		value, tolerance, _ := strings.Cut(body[1:], ":")
		v, unit, ok := Number(value)
		if !ok {
			return
		}
		q.Answer = Answer{Texts: []string{strings.TrimSpace(value)}, Number: true, Value: v, Unit: unit}
		if t, _, ok := Number(tolerance); ok && v != 0 {
			q.Answer.Tolerance = t / max(v, -v)
		}
	case strings.HasPrefix(body, "=") || strings.HasPrefix(body, "~"):
		d.giftAnswers(&q, body)
	default:
		return
	}
	d.add(i, q, from, to)
}

func (d *deriver) giftAnswers(q *Question, body string) {
	for body != "" {
		right := body[0] == '='
		next := strings.IndexAny(body[1:], "=~")
		part := body[1:]
		if next >= 0 {
			part, body = body[1:1+next], body[1+next:]
		} else {
			body = ""
		}
		part, _, _ = strings.Cut(part, "#") // feedback
		part = clean(part)
		if left, target, pair := strings.Cut(part, "->"); pair {
			q.Kind = Match
			q.Left = append(q.Left, strings.TrimSpace(left))
			q.Answer.Items = append(q.Answer.Items, strings.TrimSpace(target))
			continue
		}
		if right {
			q.Answer.Texts = append(q.Answer.Texts, part)
		} else {
			q.Kind = Choice
		}
		q.Choices = append(q.Choices, part)
	}
	switch q.Kind {
	case Match:
		q.Choices = shuffled(q.Answer.Items, q.Prompt)
	case Open:
		q.Choices = nil
	}
}

// callout takes boxes that ask: > [!question], :::{exercise}.
func (d *deriver) callout(i int, b *units.Block) {
	switch b.Name {
	case "question", "faq", "help", "exercise", "problem", "flashcard", "card", "quiz", "esercizio", "domanda", "aufgabe", "frage", "übung", "问题", "练习", "習題", "問題", "演習":
	default:
		return
	}
	prompt := clean(b.Title)
	answer := strings.TrimSpace(b.Text)
	for k := range b.Inner {
		if in := &b.Inner[k]; in.Kind == units.Callout || in.Kind == units.Quote { // the answer in a box of its own
			if units.Weight(prompt) < 8 {
				prompt = clean(b.Text[:in.Start])
			}
			answer = in.Text
			break
		}
	}
	if units.Weight(prompt) < 8 || len(Words(prompt)) < 2 && !asks(prompt) {
		before, rest, ok := strings.Cut(answer, "\n")
		if !ok || !asks(clean(before)) {
			return
		}
		prompt, answer = clean(before), rest
	}
	if mark, ok := marked(answer, answerMarks); ok {
		answer = mark
	}
	d.ask(i, prompt, answer, b.Start, b.End)
}

// exercises takes the items of an exercise section. The answer is what stands below an item, or in the list of solutions
// that follows; without one the learner judges.
func (d *deriver) exercises(i int, b *units.Block) {
	s := &d.unit.Sections[i]
	solutions := d.solutions(i, b)
	number := 0
	for k := 0; k < len(b.Items); k++ {
		item := b.Items[k]
		if item.Level > 0 {
			continue
		}
		number++
		prompt := clean(item.Text)
		var below []string
		end := item.End
		for m := k + 1; m < len(b.Items) && b.Items[m].Level > 0; m++ {
			text := b.Items[m].Text
			if a, ok := marked(text, answerMarks); ok {
				text = a
			} else if !asks(prompt) {
				prompt += "\n" + clean(text) // a part of the exercise
				continue
			}
			below = append(below, clean(text))
			end = b.Items[m].End
		}
		if outside(item.Text, "::") > 0 || units.Weight(prompt) < 12 {
			continue
		}
		if q, a, ok := inlineAnswer(item.Text); ok {
			d.ask(i, q, a, item.Start, end)
			continue
		}
		switch {
		case len(below) > 0:
			d.ask(i, prompt, strings.Join(below, "\n"), item.Start, end)
		case number <= len(solutions):
			d.ask(i, prompt, solutions[number-1], item.Start, end)
		default:
			d.add(i, Question{Kind: Explain, Prompt: prompt, Origin: Author, Rank: .6}, item.Start, min(end, len(s.Content)))
		}
	}
}

// inlineAnswer splits "What is 2+2? Answer: 4" and "What is 2+2? → 4".
func inlineAnswer(s string) (question, answer string, ok bool) {
	for _, mark := range []string{"Answer:", "answer:", "Ans:", "A:", "答：", "答案：", "解答：", "Risposta:", "R:", "Antwort:", "→", "=>"} {
		if before, after, found := strings.Cut(s, mark); found && asks(clean(before)) && strings.TrimSpace(after) != "" {
			return before, strings.TrimSpace(strings.TrimLeft(after, "*_ ")), true
		}
	}
	return "", "", false
}

// solutions are the items of the list that answers a list of exercises, in a section that continues theirs.
func (d *deriver) solutions(i int, b *units.Block) []string {
	if i+1 >= len(d.unit.Sections) || !d.unit.Sections[i+1].Answer {
		return nil
	}
	var list []string
	for k := range d.unit.Sections[i+1].Blocks {
		if s := &d.unit.Sections[i+1].Blocks[k]; s.Kind == units.List && s.Ordered == b.Ordered {
			for _, item := range s.Items {
				if item.Level == 0 {
					list = append(list, clean(item.Text))
				}
			}
			break
		}
	}
	n := 0
	for _, item := range b.Items {
		if item.Level == 0 {
			n++
		}
	}
	if len(list) != n {
		return nil
	}
	return list
}

// card asks what stands on a card that came from a deck or a concept graph: its first field, answered by the others.
func (d *deriver) card() {
	if len(d.unit.Sections) == 0 {
		return
	}
	text := strings.TrimSpace(d.unit.Sections[0].Content)
	front, back, ok := strings.Cut(text, "\n\n")
	if ok && Fold(front) == Fold(d.unit.Title) {
		d.ask(0, front, back, 0, len(text))
	}
}
