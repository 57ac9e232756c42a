package questions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/learning/notation"
	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// author finds the questions that stand in a section.
func (d *deriver) author(i int) {
	s := &d.unit.Sections[i]
	d.heading(i)
	d.apart(i)
	d.cardForms(i)
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
			d.taggedLines(i, k)
			d.pairs(i, b.Lines)
			for _, l := range b.Lines {
				d.lineCard(i, l, cpp)
				d.cardLine(i, l)
			}
			d.giftLines(i, b)
			d.highlights(i, b)
			d.tabs(i, s.Content[b.Start:b.End], b.Start)
		case units.List:
			d.listCards(i, k)
			d.outline(i, b)
			var lines []units.Line
			for _, item := range b.Items {
				d.lineCard(i, item.Line, cpp)
				d.cardLine(i, item.Line)
				d.askingItem(i, item)
				lines = append(lines, item.Line)
			}
			d.pairs(i, lines)
			d.highlights(i, b)
			if s.Exercises {
				d.exercises(i, k)
			}
		case units.Callout:
			if !d.callout(i, b) {
				d.quoted(i, b, cpp)
			}
		case units.Quote:
			d.quoted(i, b, cpp)
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

var codeColons = prose.WordSet("cpp c++ cc hpp rust rs php ruby rb perl pl haskell hs c")

// ask keeps a question of the author's with a short answer, or one to explain when the answer is long.
func (d *deriver) ask(i int, prompt, answer string, from, to int) {
	answer = alone(answer)
	written := Shown{Prompt: prompt, Answer: answer}
	prompt, answer = clean(prompt), clean(answer)
	if units.Weight(prompt) == 0 && !strings.ContainsAny(prompt, "$`0123456789") || answer == "" {
		return
	}
	q := Pair(prompt, answer)
	q.Origin = Author
	q.Shown = Shown{Prompt: asWritten(written.Prompt, prompt), Answer: asWritten(written.Answer, answer)}
	d.add(i, q, from, to)
}

// alone takes the bullet off an answer that is a list of one item.
func alone(answer string) string {
	t := strings.TrimSpace(unscheduled(answer))
	if len(t) > 2 && strings.ContainsRune("-*+", rune(t[0])) && t[1] == ' ' && !strings.Contains(t, "\n") {
		return t[2:]
	}
	return answer
}

// askNth is ask for one of the questions of a card that may have a schedule behind it.
func (d *deriver) askNth(nth, i int, prompt, answer string, from, to int) {
	n := len(d.list)
	if d.ask(i, prompt, answer, from, to); len(d.list) > n {
		d.list[n].Nth = nth
	}
}

// clean takes the marks of review plug-ins and of Markdown off what is compared.
func clean(s string) string { return strings.TrimSpace(units.Plain(unscheduled(s))) }

// coloured is text that a plug-in of Obsidian colours: "~={red}text=~".
var coloured = regexp.MustCompile(`~=\{[\w-]*\}([^\n]*?)=~`)

// unscheduled takes the schedule off that a review plug-in keeps behind a card, the tag that it knows cards by with those beside it, and
// the label of a part that is folded away.
func unscheduled(s string) string {
	if k := strings.Index(s, "<!--SR:"); k >= 0 {
		s = s[:k]
	}
	if strings.Contains(s, "#card") || strings.Contains(s, "#flashcard") {
		s = cardTag.ReplaceAllString(s, "")
	}
	if strings.Contains(s, "~={") {
		s = coloured.ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, "<summary") {
		s = folded.ReplaceAllString(s, "")
	}
	return s
}

var (
	cardTag = regexp.MustCompile(`(?m)(?:(?:^|[ \t]+)#[\pL\d_/-]+,?)*(?:^|[ \t]+)#(?:flash)?cards?(?:[/-][\pL\d_/-]+)?(?:[ \t]+#[\pL\d_/-]+)*[ \t]*$`)
	folded  = regexp.MustCompile(`(?s)<summary[^>]*>.*?</summary>`)
)

// asWritten gives a text with its marks where it has any besides those of plain texts.
func asWritten(written, plain string) string {
	if written = strings.TrimSpace(unscheduled(written)); written == plain && !strings.Contains(plain, "\n") {
		return ""
	}
	return written
}

// answerOf reads an answer with its alternatives: "a / b" stay one, "colour (or color)" and "a | b" are two.
func answerOf(answer string) Answer {
	a := Answer{Texts: []string{answer}}
	if m := formulaBehind.FindStringSubmatch(answer); m != nil {
		a.Texts = append(a.Texts, answerOf(m[1]).Texts...)
	}
	if before, inner, ok := shortForm(strings.TrimRight(answer, ".。")); ok && !strings.ContainsAny(answer, "$`") {
		a.Texts = append(a.Texts, before)
		if dense(inner) != dense(before) && named.MatchString(inner) {
			a.Texts = append(a.Texts, inner) // the same in another script
		}
		for _, or := range []string{"or ", "also ", "also called ", "aka ", "o ", "oder ", "或", "又称", "または"} {
			if alternative, ok := strings.CutPrefix(inner, or); ok {
				a.Texts = append(a.Texts, strings.TrimSpace(alternative))
			}
		}
	}
	if strings.Contains(answer, " | ") && !strings.ContainsAny(answer, "$`") {
		a.Texts = append(a.Texts, strings.Split(answer, " | ")...)
	}
	if v, unit, ok := notation.Number(answer); ok && len(strings.Fields(unit)) <= 2 {
		a.Number, a.Value, a.Unit = true, v, unit
		if strings.ContainsAny(answer, "≈~") || strings.Contains(answer, `\approx`) {
			a.Tolerance = .02
		}
	}
	return a
}

// formulaBehind is a name with its formula: "nitric acid $HNO_3$".
var formulaBehind = regexp.MustCompile(`^([^$\\]*[\pL)）])\s+(?:\$[^$]+\$|\\{1,2}\(.+\\{1,2}\))[.。]?$`)

// shortForm parts an answer from what stands in brackets at its end, but for those of a formula: "O(1)", "f(x)".
func shortForm(answer string) (before, inner string, ok bool) {
	m := atEnd.FindStringSubmatch(strings.TrimSpace(answer))
	if m == nil {
		return "", "", false
	}
	return strings.TrimSpace(m[1]), m[2] + m[3] + m[4], true
}

// named is a name in a bracket, and not a unit or a page.
var named = regexp.MustCompile(`^\pL[\pLー \-]{2,}$`)

var atEnd = regexp.MustCompile(`^([^(（]*[^\s(（])(?:\s+\(([^()]*)\)|\(([\p{Han}\p{Hiragana}\p{Katakana}ー]+)\)|\s*（([^（）]*)）)$`)

// heading takes a heading that asks.
func (d *deriver) heading(i int) {
	s := &d.unit.Sections[i]
	prompt := clean(s.Title)
	if i == 0 && s.Depth == 0 {
		prompt = clean(d.unit.Note)
	}
	if d.tagged(i) || len(s.Blocks) > 0 && d.titled(i, prompt) {
		return
	}
	what := whatItIs.MatchString(prompt) && strings.HasSuffix(prompt, "?")
	if !asks(prompt) && !what || len(s.Blocks) == 0 {
		return
	}
	answer, from, to := firstText(s)
	if answer == "" || toDo.MatchString(answer) {
		return
	}
	switch {
	case what:
		prompt = fmt.Sprintf(wordings[d.language()].whatIs, d.above(i))
	case units.Weight(prompt) < 30 && !d.tellsSubject(prompt): // "How does it work?"
		prompt = d.above(i) + " — " + prompt
	}
	d.add(i, Question{Kind: Explain, Prompt: prompt, Origin: Author, Rank: .95, Answer: Answer{Texts: []string{answer}, Points: points(answer, prompt)}}, from, to)
}

// toDo is what stands where an answer is still to be written.
var toDo = regexp.MustCompile(`^(?i:to[- ]?do|tbd|tba|fixme|wip)\b.{0,40}$|^(?:…|\.\.\.|待补充|待续|未完成|後で書く)$`)

// titled takes a heading "Q: …", or one that asks over a text "A: …": the whole section is the answer.
func (d *deriver) titled(i int, heading string) bool {
	s := &d.unit.Sections[i]
	first, last := &s.Blocks[0], &s.Blocks[len(s.Blocks)-1]
	from := first.Start
	answer := s.Content[from:last.End]
	line, rest, _ := strings.Cut(answer, "\n")
	said, answered := marked(line, answerMarks)
	if answered {
		answer = said + "\n" + rest
	}
	prompt, ok := marked(heading, questionMarks)
	if !ok || prompt == "" {
		if prompt = heading; !answered || !asks(heading) {
			return false
		}
	}
	if !answered && answeredBelow(s) {
		return false // see apart
	}
	d.ask(i, prompt, answer, from, last.End)
	return true
}

// tellsSubject reports whether a text has a telling word of the unit's title or its note's.
func (d *deriver) tellsSubject(text string) bool {
	words := prose.Words(text)
	for _, w := range append(prose.Words(d.unit.Title), prose.Words(d.unit.Note)...) {
		if !prose.StopWords[w] && slices.ContainsFunc(words, func(o string) bool { return prose.Stem(o) == prose.Stem(w) }) {
			return true
		}
	}
	return false
}

// language of the unit.
func (d *deriver) language() string {
	if d.lang == "" {
		d.lang = prose.LanguageOf(d.unit.Words())
	}
	return d.lang
}

// asks reports whether a text is a question.
func asks(s string) bool {
	return units.Weight(s) >= 8 && (strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？"))
}
