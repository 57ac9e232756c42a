package questions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// Questions for what a section says as a whole: a result that its heading names, and, where a unit has no other question, the section itself.

// Bounds of what a section says first, as weights: less says too little alone, and to more nothing is added.
const (
	leastSaid = 50
	enough    = 400
	mostSaid  = 1000
	// farthest is where no more is added even to what only announces it, in bytes; a text of one block may be longer.
	farthest = 8 << 10
	// longestWhole are the bytes of a table or code that are shown whole.
	longestWhole = 4000
)

// said gives the words of a block that can stand in an answer.
func said(b *units.Block) string {
	switch b.Kind {
	case units.Paragraph:
		if _, asks := asksFrom(b.Lines[0].Text); asks {
			return "" // an exercise
		}
		var lines []string
		for _, l := range b.Lines {
			lines = append(lines, clean(l.Text))
		}
		return strings.TrimSpace(endOfProof.ReplaceAllString(strings.Join(lines, " "), ""))
	case units.List:
		var items []string
		aims := 0
		for _, item := range b.Items {
			text := clean(item.Text)
			if aim.MatchString(text) {
				aims++
			}
			items = append(items, text)
		}
		if leadAway(b.Items) || 2*aims > len(items) || wordList(items) {
			return ""
		}
		return strings.Join(items, "; ")
	case units.Quote, units.Callout:
		if len(b.Inner) > 0 && (b.Inner[0].Kind == units.Paragraph || b.Inner[0].Kind == units.Math) {
			text := clean(strings.ReplaceAll(b.Text, "\n", " "))
			if title := clean(b.Title); b.Kind == units.Callout && title != "" && !label(title) {
				return strings.TrimRight(title, ":： ") + ": " + text // it speaks of what it is called
			}
			return text
		}
	case units.Math:
		return "$$" + strings.TrimSpace(b.Text) + "$$"
	case units.Table:
		var rows []string
		for _, row := range b.Rows {
			cells := make([]string, len(row))
			for k, cell := range row {
				cells[k] = clean(cell)
			}
			rows = append(rows, strings.Join(cells, " – "))
		}
		return strings.Join(rows, "\n")
	case units.Terms:
		var rows []string
		for _, row := range b.Rows {
			rows = append(rows, clean(row[0])+": "+clean(row[1]))
		}
		return strings.Join(rows, "; ")
	}
	return ""
}

// wordList reports whether a long list has nothing but words, which a text elsewhere may explain.
func wordList(items []string) bool {
	const fewest, longest = 12, 24
	if len(items) < fewest {
		return false
	}
	long := 0
	for _, item := range items {
		if units.Weight(item) > longest {
			long++
		}
	}
	return 10*long < len(items)
}

// aim is an item that says what the reader is to learn.
var aim = regexp.MustCompile(`^(?i:define|calculate|understand|describe|explain|identify|discuss|distinguish|apply|learn|know|name|show|be\sable\sto|comprendere|conoscere|saper|verstehen|kennen|erklären\skönnen|(?:be)?nenne|beschreibe|erkläre|erläutere|vergleiche|begründe|analysiere|comprender|conocer|conhecer|compreender|comprendre|connaître)\s|^(?:了解|掌握|理解|熟悉|知道)`)

// firstText is what a section says first: a paragraph, a list, a box or a quotation, with what follows while it only announces that or is short.
func firstText(s *units.Section) (text string, from, to int) {
	whole, end := "", 0 // up to the last block that announces nothing
	for k := range s.Blocks {
		b := &s.Blocks[k]
		more := said(b)
		opens := text == ""
		if b.Kind == units.Table && !announcing(text) {
			more = ""
		}
		last := k+1 == len(s.Blocks)
		if aside.MatchString(more) || opens && (more == "" || elsewhere.MatchString(more) && units.Weight(more) < leastSaid/2 || b.Kind == units.Math && last || !last && (letterhead(more) || b.Kind == units.Paragraph && personal.MatchString(more))) {
			continue
		}
		if len(text) > farthest {
			break
		}
		weight, leads := units.Weight(text), announcing(text)
		if more == "" && b.Kind == units.List && weight < leastSaid/2 {
			text = "" // it was the name of what is left out
			continue
		}
		if !opens && (more == "" || !leads && (boxedText(b) || boxedText(&s.Blocks[k-1]) || weight >= leastSaid && (weight >= enough || weight+units.Weight(more) > mostSaid))) {
			break
		}
		switch {
		case opens:
			text, from = more, b.Start
		case leads, b.Kind == units.Math:
			text += " " + more
		default:
			text += "\n" + more
		}
		if to = b.End; !announcing(text) {
			whole, end = text, to
		}
	}
	if whole != "" {
		return whole, from, end
	}
	return text, from, to
}

// personal is what authors say of themselves before they come to the subject.
var personal = regexp.MustCompile(`(?:^|[\s(])(?:I|I['’](?:m|ve|d|ll)|[Mm]y)\s|[Uu]p\suntil\snow|[Ii]n\sthis\s(?:section|chapter|lecture|lesson|note),?\swe\s|[Ss]o\sfar,?\swe\s|[Ii]n\s(?:the|this|our)\s(?:last|previous|next)\s(?:lecture|chapter|section|lesson)|お願い(?:いた|致)します|(?:本|当)サイト|自己|我(?:觉得|认为|是|的|在|想|看)|(?:^|\s)[Ii]ch\s|私は|僕は`)

// aside is a line on the note and not on its subject: a source, the author of a picture, how long a lesson took.
var aside = regexp.MustCompile(`^[^.。]{0,160}(?:https?://|Public Domain|CC[ -]BY|[Ll]icen[cs]e|ライセンス|©|[Cc]opyright)\S*[^.。]{0,60}$|^\pL[\pL ]{2,14}[:：]\s?\d[\d:. -]*$`)

// letterhead reports whether a text is written in capitals, as names of schools are.
func letterhead(text string) bool {
	upper, lower := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		}
	}
	return upper > 12 && upper > lower && !strings.ContainsAny(lastRune(text), ".!?")
}

// boxedText reports whether a block stands apart from what is above and below it.
func boxedText(b *units.Block) bool { return b.Kind == units.Callout || b.Kind == units.Quote }

// announcing reports whether a text only leads to what stands below it.
func announcing(text string) bool {
	const tail = 256 // its end says it
	text = text[max(0, len(text)-tail):]
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：") || dangling.MatchString(text) || leadsNowhere.MatchString(text) || thenWord.MatchString(text)
}

// thenWord ends a text whose conclusion is the formula below.
var thenWord = regexp.MustCompile(`(?i)(?:\s(?:then|we\s+have|so\s+that|allora|si\s+ha|vale|dann|gilt|alors|on\s+a|entonces|então)|[则有得])[,，]?$`)

var (
	// courseCode stands before the subject in the name of a note: "PX153 - F2 - convergence of a series", "02-tdd".
	courseCode = regexp.MustCompile(`^(?:(?:\p{Lu}{1,4}\s?\d{1,4}|\d{2,4})[a-z]?(?:\.\d+)*\s*(?:[-–_:]\s*|\.\s+)|\d(?:\.\d+)*(?:\s*[_:]\s*|\s*[-–]\s+|\.\s+))+`)
	// numberedName is a file's name that only counts: "slt 2", "index".
	numberedName = regexp.MustCompile(`(?i)^\pL{1,6}[\s_-]?\d{1,3}$|^\d\d[-_.]\d\d[-_.]\d{1,2}\b|\d{4}[ ._-]?\d{2}[ ._-]?\d{2}|^(?:index|readme|untitled|unbenannt|senza titolo|sin título|未命名|无标题|無題)(?:\s?\d+)?$`)
	// slugged is a name written without blanks: "spinal-anaesthesia".
	slugged = regexp.MustCompile(`^[a-z0-9]+(?:[-_][a-z0-9]+)+$`)
)

// subject names what a section speaks of as a learner would: its unit, without the numbers of a course, or its heading; "" when neither says it.
func (d *deriver) subject(i int) string {
	s := &d.unit.Sections[i]
	title, heading := clean(d.unit.Title), chapterNumber.ReplaceAllString(clean(s.Title), "")
	if rest := courseCode.ReplaceAllString(title, ""); units.Weight(rest) >= 3 {
		title = rest
	}
	if title = lessonFirst.ReplaceAllString(title, ""); slugged.MatchString(title) {
		title = strings.NewReplacer("-", " ", "_", " ").Replace(title)
	}
	named := !numberedLesson.MatchString(prose.Fold(title)) && !numberedName.MatchString(title) && !units.SaysNothing(title) && units.Weight(title) >= 3
	switch {
	case s.Depth == 0 || s.AtomID == d.unit.ID || heading == "" || prose.Fold(heading) == prose.Fold(d.unit.Title):
		if !named {
			return ""
		}
		return title
	case units.SaysNothing(heading) || strings.Trim(heading, "0123456789.) ") == "":
		if k := d.sections().parent[i]; k >= 0 {
			return d.subject(k)
		}
		if !named {
			return ""
		}
		return title
	case elsewhere.MatchString(heading) || label(heading) || asks(heading):
		return ""
	case !named:
		if units.SideOf(heading) {
			return ""
		}
		return heading
	}
	return title + " › " + heading
}

// wrapUp asks for what the sections say of a unit that has no other question, the first few of them.
func (d *deriver) wrapUp() {
	if len(d.list) > 0 || len(d.unit.Sections) == 0 {
		return
	}
	const most = 3
	var asked []string
	for i := range d.unit.Sections {
		text, from, to := firstText(&d.unit.Sections[i])
		subject := d.subject(i)
		if s := &d.unit.Sections[i]; (s.Depth == 0 || s.AtomID == d.unit.ID) && leadsOnly(text) && d.saysBelow() {
			continue
		}
		if subject == "" || units.Weight(text) < leastSaid || announcing(text) || exemplifies.MatchString(strings.TrimLeft(text, "(（")) || d.unit.Sections[i].Answer || slices.Contains(asked, prose.Fold(subject)) {
			continue
		}
		d.wholeOf(i, wordings[d.language()].recall, subject, text, from, to)
		if asked = append(asked, prose.Fold(subject)); len(asked) == most {
			return
		}
	}
	if len(asked) > 0 {
		return
	}
	text, from, to, at := "", 0, 0, 0 // nothing that reads well: what there is, so that the unit can be learned
	for i := range d.unit.Sections {
		if t, f, e := firstText(&d.unit.Sections[i]); units.Weight(t) > units.Weight(text) {
			text, from, to, at = t, f, e, i
		}
	}
	if text == "" {
		text, from, to, at = d.anything()
	}
	wording, title := wordings[d.language()].recallNote, clean(d.unit.Title)
	if s := &d.unit.Sections[at]; s.Depth > 0 && s.AtomID != d.unit.ID && len(d.unit.Sections) > 1 {
		wording, title = wordings[d.language()].recall, title+" › "+clean(s.Title)
	}
	d.wholeOf(at, wording, title, text, from, to)
}

// longestLead is the weight below which what stands under the title only leads to the sections.
const longestLead = 100

// leadsOnly reports whether a text under the title is short, or ends with what stands below it.
func leadsOnly(text string) bool {
	list := prose.Sentences(text)
	return len(list) > 0 && (units.Weight(text) < longestLead || pointing.MatchString(list[len(list)-1].Text))
}

// saysBelow reports whether a section below the title says enough to be asked for.
func (d *deriver) saysBelow() bool {
	for i := 1; i < len(d.unit.Sections); i++ {
		if text, _, _ := firstText(&d.unit.Sections[i]); d.subject(i) != "" && units.Weight(text) >= leastSaid && !announcing(text) {
			return true
		}
	}
	return false
}

// anything gives the first block of a unit that has neither prose nor lists: a table, code, a formula.
func (d *deriver) anything() (text string, from, to, section int) {
	for i := range d.unit.Sections {
		if s := &d.unit.Sections[i]; len(s.Blocks) > 0 {
			b := &s.Blocks[0]
			end := b.End
			if end-b.Start > longestWhole {
				end = b.Start + max(0, strings.LastIndexByte(s.Content[b.Start:b.Start+longestWhole], '\n'))
			}
			if text = clean(s.Content[b.Start:end]); units.Weight(text) > 0 {
				return text, b.Start, end, i
			}
		}
	}
	return "", 0, 0, 0
}

// wholeOf asks what the notes say of a subject.
func (d *deriver) wholeOf(i int, wording, subject, text string, from, to int) {
	q := Question{Kind: Explain, Prompt: fmt.Sprintf(wording, subject), Origin: Rule, Rank: .3}
	if text != "" {
		q.Answer = Answer{Texts: []string{text}, Points: points(text, subject)}
	}
	if s := &d.unit.Sections[i]; to > from {
		q.Shown.Answer = asWritten(s.Content[from:to], text)
	}
	d.add(i, q, from, to)
}

// stating is a heading that says what kind of thing stands below it, and its name: "Theorem: intermediate values", "Lemma 2.3 (Zorn)",
// "Def. Normal".
var stating = regexp.MustCompile(`^(?i:(theorem|thm|lemma|proposition|prop|corollary|law|axiom|principle|teorema|proposizione|corollario|lema|corolario|proposición|proposição|corolário|théorème|lemme|corollaire|satz|korollar|definition|def|definizione|definición|definição|définition)\.?\s*[\d.]*|(定理|引理|命题|推论|公理|定义|定義|命題|補題|系)\s*[\d.]*)\s*(?:[:：]\s*(.{3,60})|\(([^()]{3,60})\)|（([^（）]{2,40})）)$|^(Thm|Def|Lem|Prop|Cor|Teor|Dfn)\.\s+(\p{Lu}.{2,50})$`)

var definitionWords = prose.WordSet("definition def dfn definizione definición definição définition 定义 定義")

// headingStates asks for the result that a heading announces by name, or the meaning of the term that it says to define.
func (d *deriver) headingStates(i int) {
	s := &d.unit.Sections[i]
	if s.Answer || s.Exercises {
		return
	}
	heading := chapterNumber.ReplaceAllString(clean(s.Title), "")
	if s.Depth > 0 && definitionWords[strings.Trim(prose.Fold(heading), ".: ")] {
		d.headingDefines(i, lessonFirst.ReplaceAllString(courseCode.ReplaceAllString(d.above(i), ""), ""))
		return
	}
	m := stating.FindStringSubmatch(clean(s.Title))
	if m == nil {
		return
	}
	name, _, _ := strings.Cut(m[3]+m[4]+m[5]+m[7], ", $")
	name = strings.Trim(name, " .:")
	if definitionWords[prose.Fold(m[1]+m[2]+m[6])] {
		d.headingDefines(i, name)
		return
	}
	text, from, to := firstText(s)
	if !d.usable(name) || clause(name) || label(name) || units.Weight(text) < 20 || announcing(text) || d.definedYet(name) {
		return
	}
	if m[4]+m[5] != "" {
		name = m[1] + m[2] + " (" + name + ")" // "Lemma (Zorn)"
	}
	d.statement(i, name, text, from, to)
}

// denied begins with what something is not.
var denied = regexp.MustCompile(`(?i)^(?:it|they|this|es|sie|das)\s(?:is|are|ist|sind)\s(?:not|never|nicht|kein)|^(?:non\s|no\s(?:es|son)\s|não\s)`)

// headingDefines asks what a term means of which a section says that it is defined there.
func (d *deriver) headingDefines(i int, term string) {
	s := &d.unit.Sections[i]
	term = introducing.ReplaceAllString(term, "")
	text, from, to := firstText(s)
	if len(s.Blocks) > 0 && units.Weight(text) < 20*len(s.Blocks[0].Items) || !d.usable(term) || clause(term) || label(term) || units.SaysNothing(term) || ofTwo.MatchString(term) || numberedName.MatchString(term) || units.Weight(text) < 20 || announcing(text) || toDo.MatchString(text) || d.definedYet(term) {
		return
	}
	if mark := saysDefinition.FindString(text); mark != "" {
		text = text[len(mark):]
	}
	first := text
	if list := prose.Sentences(text); len(list) > 0 {
		first = clean(list[0].Text)
	}
	defined, _, terms := termOf(first)
	if other := d.defines(first, first); notMeant.MatchString(first) || denied.MatchString(first) || terms && !label(defined) && !d.named(defined) || other != "" && !d.named(other) {
		return // it says something else, or has terms of its own
	}
	d.add(i, Question{Kind: Explain, Prompt: fmt.Sprintf(wordings[d.lang].whatIs, term), Origin: Rule, Rank: .85, Answer: Answer{Texts: []string{text}, Points: points(text, term)}}, from, to)
}
