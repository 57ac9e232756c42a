package questions

import (
	"encoding/csv"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/learning/notation"
	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// Questions in the formats of other programs: lists with tabs, tables of pairs, GIFT.

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
	comma := ','
	if b.Name == "tsv" {
		comma = '\t'
	}
	for _, pair := range pairsOf(b.Text, comma) {
		d.ask(i, pair[0], pair[1], b.Start, b.End)
	}
}

// pairsOf gives questions with their answers; none of a table of data, whose first line names no such columns.
func pairsOf(text string, comma rune) (pairs [][2]string) {
	rows := rowsOf(text, comma)
	if len(rows) < 2 {
		return nil
	}
	question, answer := columns(rows[0])
	if question < 0 || answer < 0 {
		return nil
	}
	for _, row := range rows[1:] {
		if len(row) > max(question, answer) {
			pairs = append(pairs, [2]string{row[question], row[answer]})
		}
	}
	return pairs
}

func rowsOf(text string, comma rune) [][]string {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.Comma = -1, true, comma
	rows, err := r.ReadAll()
	if err != nil {
		return nil
	}
	return rows
}

// Headings of the columns of questions and of answers, folded; the page knows them too (web/src/learn/reading.ts).
var (
	questionColumns = []string{"question", "q", "front", "term", "prompt", "word", "recto", "frage", "vorderseite", "begriff", "vokabel", "wort", "domanda", "termine", "parola", "pregunta", "pergunta", "вопрос", "термин", "слово", "问题", "題目", "题目", "正面", "单词", "词语", "質問", "問題", "表", "単語", "用語"}
	answerColumns   = []string{"answer", "a", "back", "definition", "meaning", "translation", "verso", "réponse", "antwort", "rückseite", "bedeutung", "übersetzung", "risposta", "definizione", "significato", "respuesta", "resposta", "ответ", "определение", "перевод", "答案", "背面", "反面", "释义", "意思", "解释", "回答", "答え", "裏", "意味"}
)

// columns tells by their headings which columns hold questions and answers; -1 for one that is missing. The first of several counts.
func columns(headings []string) (question, answer int) {
	question, answer = -1, -1
	for k, name := range headings {
		switch name = prose.Fold(name); {
		case question < 0 && slices.Contains(questionColumns, name):
			question = k
		case answer < 0 && slices.Contains(answerColumns, name):
			answer = k
		}
	}
	return question, answer
}

// perSection is how many questions of a file stand in one section, which is planned and scheduled as one thing.
const perSection = 16

// NoteOfTable writes a file of questions and answers (.csv with commas or semicolons, .tsv) as a note, in sections; ok is false of
// other files, and of tables of data.
func NoteOfTable(name, content string) (note string, ok bool) {
	comma := '\t'
	switch strings.ToLower(path.Ext(name)) {
	case ".tsv":
	case ".csv":
		comma = ','
		if heading, _, _ := strings.Cut(content, "\n"); strings.Count(heading, ";") > strings.Count(heading, ",") {
			comma = ';' // as spreadsheets write it where the comma is in numbers
		}
	default:
		return "", false
	}
	pairs := pairsOf(strings.TrimPrefix(content, "\ufeff"), comma)
	if len(pairs) == 0 {
		return "", false
	}
	var b strings.Builder
	at := 1
	for part := range slices.Chunk(pairs, perSection) {
		if len(pairs) > perSection {
			fmt.Fprintf(&b, "## %d–%d\n\n", at, at+len(part)-1)
		}
		at += len(part)
		fence := fenceOf(part)
		b.WriteString(fence + "csv\n")
		w := csv.NewWriter(&b)
		_ = w.Write([]string{"question", "answer"}) // a builder takes everything
		for _, pair := range part {
			_ = w.Write(pair[:])
		}
		w.Flush()
		b.WriteString(fence + "\n\n")
	}
	return b.String(), true
}

// fenceOf is a fence that none of the cells closes.
func fenceOf(pairs [][2]string) string {
	longest := 2
	for _, pair := range pairs {
		for _, cell := range pair {
			run := 0
			for i := range len(cell) {
				if run++; cell[i] != '`' {
					run = 0
				}
				longest = max(longest, run)
			}
		}
	}
	return strings.Repeat("`", longest+1)
}

// giftLines takes the questions of a paragraph, each in a line or from its brace on over several. They are read as they are written: a
// line that is only a brace is none of the paragraph's.
func (d *deriver) giftLines(i int, b *units.Block) {
	text := d.unit.Sections[i].Content[b.Start:b.End]
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		end := at + len(line)
		if strings.Contains(line, "{") && !strings.Contains(line, "}") {
			if next := strings.IndexAny(text[end:], "{}"); next >= 0 && text[end+next] == '}' {
				tail, _, _ := strings.Cut(text[end+next:], "\n")
				if whole := end + next + len(tail); d.gift(i, text[at:whole], b.Start+at, b.Start+whole+1) {
					at = whole + 1
					continue
				}
			}
		}
		d.gift(i, line, b.Start+at, b.Start+end+1) // with its newline
		at = end + 1
	}
}

// gift takes a question of Moodle's GIFT format: text {=right ~wrong}, {T}, {#3:0.1}, {#1..5}, {=a -> b}. It reports whether there is one.
func (d *deriver) gift(i int, text string, from, to int) bool {
	open := strings.IndexByte(text, '{')
	end := strings.LastIndexByte(text, '}')
	if open <= 0 || end < open || strings.ContainsAny(text[:open], "$`\\") {
		return false
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
	var ok bool
	switch upper := strings.ToUpper(body); {
	case upper == "T" || upper == "TRUE", upper == "F" || upper == "FALSE":
		q.Kind, q.Answer.Texts = TrueFalse, []string{map[byte]string{'T': "true", 'F': "false"}[upper[0]]}
	case strings.HasPrefix(body, "#"):
		if q.Answer, ok = giftNumber(body[1:]); !ok {
			return false
		}
	case strings.HasPrefix(body, "=") || strings.HasPrefix(body, "~"):
		d.giftAnswers(&q, body)
	default:
		return false
	}
	n := len(d.list)
	d.add(i, q, from, to)
	return len(d.list) > n
}

// giftNumber reads a number with how far an answer may be from it, or two numbers that it may lie between: "3:0.1", "1..5".
func giftNumber(body string) (a Answer, ok bool) {
	value, tolerance, _ := strings.Cut(body, ":")
	a = Answer{Texts: []string{strings.TrimSpace(value)}, Number: true}
	if least, most, between := strings.Cut(value, ".."); between {
		from, _, isNumber := notation.Number(least)
		to, unit, also := notation.Number(most)
		if a.Value, a.Unit = (from+to)/2, unit; a.Value != 0 {
			a.Tolerance = math.Abs((to - from) / 2 / a.Value)
		}
		return a, isNumber && also && a.Value != 0 // a tolerance is relative
	}
	if a.Value, a.Unit, ok = notation.Number(value); !ok {
		return a, false
	}
	if t, _, ok := notation.Number(tolerance); ok && a.Value != 0 {
		a.Tolerance = t / math.Abs(a.Value)
	}
	return a, true
}

// giftWeight is how much of the points an answer gives.
var giftWeight = regexp.MustCompile(`^\s*%-?\d+(?:\.\d+)?%`)

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
		part = clean(giftWeight.ReplaceAllString(part, ""))
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

// Cards of the plug-in that sends notes to Anki: "STARTI [Basic] front Back: back ENDI" in a line, and a block between START
// and END whose second line names the note type. Without START a line counts that says "Question: … Back: …".
var (
	cardInLine = regexp.MustCompile(`(?s)^(STARTI\s*)?(?:\[[^\]\n]{1,40}\]\s*)?((?:Question|Front)\s*:\s*)?(.+?)\s*\bBack\s*:\s*(.+?)$`)
	cardForm   = regexp.MustCompile(`(?ms)^START[ \t]*\r?\n[^\n]*\n(.*?)^END[ \t]*\r?$`)
	cardTail   = regexp.MustCompile(`(?s)\s*(?:<!--\s*ID:.*|\bTags\s*:.*|\bENDI\b.*)$`)
)

func asCard(text string) (front, back string, ok bool) {
	m := cardInLine.FindStringSubmatch(strings.NewReplacer("**", "", "__", "").Replace(strings.TrimSpace(text)))
	if m == nil || m[1] == "" && m[2] == "" {
		return "", "", false
	}
	front, back = strings.TrimSpace(m[3]), cardTail.ReplaceAllString(m[4], "")
	return front, back, front != "" && back != ""
}

func (d *deriver) cardLine(i int, l units.Line) {
	if front, back, ok := asCard(l.Text); ok {
		d.ask(i, front, back, l.Start, l.End)
	}
}

// cardForms reads a section as it is written: in its blocks "Back: …" is taken for a property of the note, and the id that the plug-in
// writes before END for a comment, which parts the card.
func (d *deriver) cardForms(i int) {
	s, k := &d.unit.Sections[i], 0
	for _, m := range cardForm.FindAllStringSubmatchIndex(s.Content, -1) {
		for k < len(s.Blocks) && s.Blocks[k].End <= m[0] {
			k++
		}
		if k == len(s.Blocks) || s.Blocks[k].Kind != units.Paragraph || s.Blocks[k].Start > m[0] {
			continue // in code, or left out
		}
		if front, back, ok := strings.Cut(s.Content[m[2]:m[3]], "\nBack:"); ok {
			front = strings.TrimPrefix(strings.TrimSpace(front), "Front:")
			d.ask(i, front, cardTail.ReplaceAllString(strings.TrimSpace(back), ""), m[0], m[1])
		}
	}
}
