package questions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// rules makes questions from the text of a section.
func (d *deriver) rules(i int) {
	d.language()
	d.section = i
	s := &d.unit.Sections[i]
	for k := range s.Blocks {
		if d.made > mostMade {
			break
		}
		b := &s.Blocks[k]
		switch b.Kind {
		case units.Paragraph:
			raw := s.Content[b.Lines[0].Start:b.Lines[len(b.Lines)-1].End]
			if len(b.Lines) > 1 && b.Lines[len(b.Lines)-1].End-b.Lines[0].Start > 40+linesLength(b.Lines) {
				continue // lines were taken out of the middle
			}
			if _, ok := asksFrom(b.Lines[0].Text); ok {
				continue // its author asks there
			}
			if k > 0 && isFormulaBlock(&s.Blocks[k-1]) && goesOnDense.MatchString(raw) {
				continue // it goes on behind the formula
			}
			if k+1 < len(s.Blocks) && isFormulaBlock(&s.Blocks[k+1]) && !strings.ContainsAny(lastRune(raw), ".。!?！？．") {
				d.runsOn = true // its last sentence goes on in the formula
			}
			if k == 0 {
				d.headed(i, raw, b.Lines[0].Start)
			}
			d.saidToDefine(i, k)
			d.prose(i, passage{text: raw, base: b.Lines[0].Start}, s.Answer, "")
			d.lined(i, b)
			d.runsOn = false
			if !d.runOn(i, k) {
				d.counted(i, k)
			}
		case units.List:
			if k == 0 && (len(b.Items) == 1 || d.opens(i) && d.kindOf(clean(b.Items[0].Text)) || meansFirst.MatchString(clean(b.Items[0].Text)) || whatItIs.MatchString(clean(s.Title)) || asked.MatchString(clean(s.Title))) {
				d.headed(i, b.Items[0].Text, b.Items[0].Start+max(0, strings.Index(s.Content[b.Items[0].Start:], b.Items[0].Text)))
			}
			d.saidToDefine(i, k)
			d.termList(i, k)
			if !s.Answer {
				for _, item := range b.Items {
					if at := strings.Index(s.Content[item.Start:item.End], item.Text); at >= 0 && units.Weight(item.Text) > 40 {
						d.prose(i, passage{text: item.Text, base: item.Start + at}, false, "item")
					}
				}
			}
		case units.Callout:
			d.boxed(i, b)
		case units.Quote:
			if k == 0 && len(b.Inner) > 0 && b.Inner[0].Kind == units.Paragraph {
				text := b.Inner[0].Lines
				d.headed(i, text[0].Text, max(b.Start, b.Start+strings.Index(s.Content[b.Start:b.End], text[0].Text)))
			}
			d.quotedTerms(i, b)
		case units.Table:
			if !s.Answer {
				d.rows(i, k)
			}
		case units.Terms:
			for _, row := range b.Rows {
				d.pair(i, clean(row[0]), clean(row[1]), b.Start, b.End)
			}
		case units.Code:
			d.output(i, k)
		}
	}
	d.glossary(i)
	d.headingStates(i)
}

// quotedTerms takes the terms in bold that begin paragraphs or items of a quotation, where many set off their definitions.
func (d *deriver) quotedTerms(i int, b *units.Block) {
	if d.unit.Sections[i].Answer {
		return
	}
	for k := range b.Inner {
		switch in := &b.Inner[k]; in.Kind {
		case units.Paragraph:
			var lines []string
			for _, l := range in.Lines {
				lines = append(lines, l.Text)
			}
			if term, def, ok := labelled(strings.Join(lines, "\n")); ok && !label(clean(term)) && !clause(clean(term)) && units.Weight(def) >= 20 && !announcing(clean(def)) {
				d.pair(i, clean(term), clean(def), b.Start, b.End)
			}
		case units.List:
			pairs, few := d.entries(in, siblings(in.Items)[0])
			for _, p := range pairs {
				if !few && p.marked {
					d.explained(i, p.term, p.def, sort{aspect: namesAspect(p.term), step: true}, b.Start, b.End)
				}
			}
		}
	}
}

func lastRune(s string) string {
	s = strings.TrimRight(s, " \n*_")
	_, n := utf8.DecodeLastRuneInString(s)
	return s[len(s)-n:]
}

func linesLength(lines []units.Line) int {
	n := 0
	for _, l := range lines {
		n += len(l.Text)
	}
	return n
}

// boxed reads a box: a definition, a theorem, or prose.
func (d *deriver) boxed(i int, b *units.Block) {
	read := passage{base: b.Start}
	for k := range b.Inner {
		in := b.Inner[k]
		if in.Kind == units.Paragraph { // what stands below a heading in it only says more of its subject
			if n := slices.IndexFunc(in.Lines, func(l units.Line) bool { return strings.HasPrefix(l.Text, "#") }); n >= 0 {
				in.Lines = in.Lines[:n]
				read.add(&in)
				break
			}
		}
		if read.add(&in); len(read.text) > longestPassage {
			return
		}
	}
	whole := endOfProof.ReplaceAllString(clean(read.row), "")
	if list := prose.Sentences(whole); len(list) > 1 && strings.HasSuffix(whole, ":") { // it announces what is left out
		whole = strings.TrimSpace(whole[:list[len(list)-1].Start])
	}
	if term, def, ok := labelled(tags.ReplaceAllString(b.Title, "")); ok && !exampleBoxes[b.Name] && !label(term) && !clause(clean(term)) && units.Weight(def) >= 20 {
		d.pair(i, clean(term), clean(def), b.Start, b.End) // the title says all
	}
	if units.Weight(whole) < 20 || exampleBoxes[b.Name] || read.holed(prose.Sentence{End: len(read.text)}) {
		return
	}
	from, to, before := b.Start, b.End, len(d.list)
	where := "box"
	if kind, _, _ := strings.Cut(prose.Fold(b.Title), " "); statements[b.Name] || statements[kind] || resultKinds[kind] {
		where = "result"
	}
	d.prose(i, read, false, where)
	switch name := b.Name; {
	case statements[name]:
		if title, named := d.boxTitle(b); named || !ofTwo.MatchString(title) && d.statesOnce(i) {
			d.statement(i, title, whole, from, to)
		}
	case name == "definition" || name == "def" || name == "定义" || name == "definizione":
		title, named := d.boxTitle(b)
		said := slices.ContainsFunc(d.list[before:], func(q Question) bool { return q.Kind == Explain })
		if title != "" && !d.definedYet(title) && (named || !said && !ofTwo.MatchString(title)) {
			d.define(i, defined{title, whole, whole, from, to, .8, ""}, "")
		}
	}
}

// statesOnce reports whether a section has no more than one result, which its heading may name.
func (d *deriver) statesOnce(i int) bool {
	n := 0
	for k := range d.unit.Sections[i].Blocks {
		if statements[d.unit.Sections[i].Blocks[k].Name] {
			if n++; n > 1 {
				return false
			}
		}
	}
	return true
}

var statements = prose.WordSet("theorem thm lemma proposition prop corollary law axiom principle conjecture property criterion claim fact 定理 引理 命题 公理 补题 補題 命題 teorema proposizione satz lemma:")

// resultKinds are abbreviations of them.
var resultKinds = prose.WordSet("thm teo cor prop lem fact claim satz korollar corollario corolario")

// exampleBoxes show what was said before on one case, of which they are not the meaning.
var exampleBoxes = prose.WordSet("example examples exemple exemples ejemplo ejemplos exemplo exemplos esempio esempi beispiel beispiele 例 例子 示例 具体例")

var inBrackets = regexp.MustCompile(`\(([^()]{3,80})\)`)

var (
	tags      = regexp.MustCompile(`(?:^|\s)#[\pL\pN/_-]+`)
	boldFirst = regexp.MustCompile(`^\s*\*\*([^*\n]{2,80})\*\*`)
)

// numberedKind is what a box's title has before the name of what it states: "Definition. 1.1  ".
var numberedKind = regexp.MustCompile(`^(?i:\pL{3,12})[.:]?\s*\d[\d.]*[.:]?\s+`)

// kindFirst is a box's title of its kind and the name of what it states.
var kindFirst = regexp.MustCompile(`^(?i:definition|def\.?|theorem|lemma|proposition|corollary|definizione|teorema|proposizione|satz|定义|定理)\s+(?:(?:of|di|von)\s+)?(?:an?\s+|the\s+)?(\pL.{2,79})$`)

// ofSomething begins what is no name without its kind.
var ofSomething = regexp.MustCompile(`^(?i:del|dello|della|dei|degli|delle|dell['’]|der|des|du|de|do|da)[\s'’\pL]`)

// boxTitle names what a box states: what its title has in brackets, its title (named then), the heading it stands under, or the unit's title.
func (d *deriver) boxTitle(b *units.Block) (title string, named bool) {
	written := tags.ReplaceAllString(b.Title, "")
	if m := boldFirst.FindStringSubmatch(written); m != nil && !label(clean(m[1])) {
		return strings.Trim(clean(m[1]), ".: "), true
	}
	title = numberedKind.ReplaceAllString(clean(written), "")
	if kind, name, ok := strings.Cut(title, ": "); ok && (label(kind) || statements[prose.Fold(kind)]) {
		title = name // "Definition: oblique asymptote"
	}
	if m := inBrackets.FindStringSubmatch(title); m != nil {
		head, _, _ := strings.Cut(title, "(")
		if name := strings.TrimSpace(m[1]); !label(name) && !ofWording[prose.Fold(name)] {
			if head = strings.TrimSpace(head); head != "" && !label(head) && !statements[prose.Fold(head)] && !statements[b.Name] {
				return head, true // "Substrate (reactant)"
			}
			return name, true
		}
		title = strings.TrimSpace(inBrackets.ReplaceAllString(title, "")) // "Definition Ring (Source)"
	}
	if m := kindFirst.FindStringSubmatch(title); m != nil {
		if ofSomething.MatchString(m[1]) {
			return strings.Trim(title, ". "), true // "Lemma del tubo"
		}
		return strings.Trim(m[1], ".: "), true // "Definition Ring"
	}
	_, last, _ := cutLast(title)
	if title == "" || label(title) || emptyTerms[prose.Fold(last)] || units.Weight(title) < 2 {
		if s := &d.unit.Sections[d.section]; s.AtomID != d.unit.ID && s.Title != "" {
			return chapterNumber.ReplaceAllString(clean(s.Title), ""), false
		}
		return d.unit.Title, false
	}
	return strings.Trim(title, ". "), true
}

// ofWording says in brackets how something is put, and is no name of it: "Definition (informal)".
var ofWording = prose.WordSet("informal formal intuitive intuition rigorous alternative general version recap repeated continued cont cont'd optional source reminder informell formale informale intuitivo alternativa 非正式 直观 直感的")

// statement asks for a theorem.
func (d *deriver) statement(i int, name, whole string, from, to int) {
	w := wordings[d.lang]
	d.add(i, Question{Kind: Explain, Prompt: fmt.Sprintf(w.state, name), Origin: Rule, Rank: .8, Answer: Answer{Texts: []string{whole}, Points: points(whole, name)}}, from, to)
}

// namedLead is a name in bold that a paragraph begins with as if with a sentence: "**Spectral theorem.** A real symmetric matrix …".
var namedLead = regexp.MustCompile(`^\s*\*\*([^*\n.。]{4,60})[.。]\*\*\s*([^\s].*)$`)

// namedStatement asks for what a paragraph states under a name.
func (d *deriver) namedStatement(i int, raw string, base int) {
	m := namedLead.FindStringSubmatchIndex(strings.ReplaceAll(raw, "\n", " "))
	if m == nil {
		return
	}
	name, whole := clean(raw[m[2]:m[3]]), clean(raw[m[4]:])
	words := prose.Words(name)
	stated := slices.ContainsFunc(words, func(w string) bool { return statements[w] }) || statementEnd.MatchString(name)
	if !stated || len(words) < 2 || references.MatchString(prose.Fold(name)) || units.Weight(whole) < 20 || strings.ContainsAny(lastRune(whole), ":：") || d.definedYet(name) {
		return
	}
	d.statement(i, name, whole, base+m[4], base+len(raw))
}

// statementEnd are the names of results in languages that put no spaces between words, or put them into one.
var statementEnd = regexp.MustCompile(`(?:定理|引理|命题|命題|公理|satz|lemma)$`)

// prose makes questions from the sentences of a passage. where is "item", "box", "result" (of a box), or "" for a paragraph.
func (d *deriver) prose(i int, p passage, continued bool, where string) {
	if d.holdsCard(p.text) || strings.Contains(p.text, "{{c") {
		return // cards
	}
	boxed := where == "box" || where == "result"
	if where == "" && !continued {
		d.namedStatement(i, p.text, p.base)
	}
	list := p.sentences()
	if where == "" {
		list = prose.ShortLines(list)
	}
	for n, s := range list {
		if m := runIn.FindStringSubmatch(s.Text); m != nil && statementKinds[prose.Fold(m[1])] {
			s.Text, s.Start = s.Text[len(m[0]):], s.Start+len(m[0])
		}
		from, to := p.base+s.Start, p.base+s.End
		if boxed { // offsets within a box do not count in the section
			from, to = d.locate(i, p.base, s.Text)
		}
		text := s.Text
		if term, def, ok := labelled(text); ok {
			if !label(term) && !continued && where == "" && n == 0 && units.Weight(def) > 12 {
				more, sentences := restOf(list[n+1:], def)
				to = max(to, p.base+list[n+sentences].End)
				d.explained(i, clean(term), clean(def), sort{aspect: namesAspect(clean(term)), more: more}, from, to)
			}
			if !label(term) || exampleBoxes[prose.Fold(term)] {
				continue
			}
			text = def
		}
		plain := endOfProof.ReplaceAllString(clean(text), "")
		small := n == 0 && startsSmall(plain) && (where == "item" || where == "" && strings.HasPrefix(strings.TrimSpace(text), "**")) // often written without capitals
		if small {
			plain = capital(plain)
		}
		unfinished := d.runsOn && n == len(list)-1 // the formula behind it is a part of it
		if unfinished || p.holed(list[n]) || !d.stands(plain, boxed, p.through(list[n])) || boxed && n > 0 && leans(prose.Words(plain)) {
			continue
		}
		term, asked := d.defines(text, plain), len(d.list)
		if leans(unframed(plain)) && !boxed { // the condition that it begins with may speak of what stands before
			if n > 0 || !d.named(term) && !d.inHeading(term) {
				continue
			}
			d.define(i, defined{term, text, plain, from, to, .85, ""}, "")
			continue
		}
		if where == "result" && (!strings.Contains(text, "**") || !naming.MatchString(plain)) {
			term = "" // it says something of its subject
		}
		if pair := parallel.FindStringSubmatch(plain); pair != nil && !notMeant.MatchString(plain) && d.parallel(i, pair, from, to) {
			term = pair[2]
		} else if term != "" && (!continued || d.named(term)) {
			d.defineWhole(i, p.base, list, n, defined{term, text, plain, from, to, .85, ""})
		} else if term == "" && n > 0 && !continued && where != "result" {
			term = d.namesBefore(i, p.base, list[n-1:n+1], boxed)
		}
		if n > 0 {
			d.alsoNamed(list[n-1].Text, term, asked)
		}
		if continued || small && term == "" {
			continue
		}
		told := term
		if head, _, ok := termOf(s.Text); ok && where == "item" && term == "" {
			told = head // what it explains is asked as a whole
		}
		d.gaps(i, text, plain, told, where, from, to)
		if n < 8 && where == "" {
			d.figures(i, plain, from, to)
		}
	}
}

// naming is a sentence that gives a name.
var naming = regexp.MustCompile(`(?i)\b(?:called|termed|named|known\s+as|said\s+to\s+be|referred\s+to\s+as|si\s+dice|si\s+chiama|dett[oaie]|heißt|heißen|nennt|genannt|llama|denomina|appel\pL+|dit|chama)\b|称|稱|叫做|叫作|という|呼`)

// mostOfParagraph is the weight up to which a paragraph that begins with a term is its meaning as a whole.
const mostOfParagraph = 400

// restOf is what a paragraph that begins with a term says behind the first sentence of its meaning, up to where that is much, and in how many
// sentences.
func restOf(behind []prose.Sentence, def string) (more string, sentences int) {
	weight := units.Weight(def)
	var said []string
	for _, s := range behind {
		plain := clean(s.Text)
		if weight += units.Weight(plain); weight > mostOfParagraph || strings.Contains(plain, "\n") || strings.Contains(s.Text, "**") || unended(plain) {
			break
		}
		said = append(said, plain)
	}
	return strings.Join(said, " "), len(said)
}

// defineWhole asks for what the n-th sentence of a passage defines, with what is given before it and what a short one leaves to the next.
func (d *deriver) defineWhole(i, base int, list []prose.Sentence, n int, is defined) {
	given, first := supposed(list[:n+1])
	if begin, _ := d.locate(i, base, first.Text); given != "" && begin < is.from {
		is.from = begin
	}
	if is.more = d.addsTo(is.plain, list[n+1:], d.named(is.term)); is.more != "" {
		_, is.to = d.locate(i, base, list[n+1].Text)
	}
	d.define(i, is, given)
}

// foreignName is a term in another script that stands before its definition as if it were a sentence: "Oligopoly. 寡头，是指…".
var foreignName = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z' -]{2,40})[.．。]?\s*$`)

// alsoNamed accepts the name that stands before a definition too, in the questions for its term from one of the list on.
func (d *deriver) alsoNamed(before, term string, from int) {
	m := foreignName.FindStringSubmatch(clean(before))
	if m == nil || !dense(term) {
		return
	}
	for k := from; k < len(d.list); k++ {
		if a := &d.list[k].Answer; len(a.Texts) > 0 && a.Texts[0] == term {
			a.Texts = append(a.Texts, strings.TrimSpace(m[1]))
		}
	}
}

// runIn is an abbreviation in bold before a statement that says what kind of statement it is: "**TEO** The values of f are …".
var runIn = regexp.MustCompile(`^\s*(?:\*\*|__)(\pL{2,6})\.?\s?[\d.]*(?:\*\*|__)[.:]?\s+`)

// statementKinds are such abbreviations.
var statementKinds = prose.WordSet("def dim oss teo prop cor lem lemma thm rem ese satz bem bsp kor rmk nb obs ex pf prf not")

// highlight is a mark that a plug-in for highlighting writes.
var highlight = regexp.MustCompile(`<mark[^>\n]*>([^<\n]{2,80})</mark>`)

// labelled splits "**Term**: text" and "**Term.** text".
func labelled(s string) (term, rest string, ok bool) {
	t := strings.TrimLeft(s, " ")
	if m := highlight.FindStringSubmatchIndex(t); m != nil && m[0] == 0 {
		t = "**" + t[m[2]:m[3]] + "**" + t[m[1]:]
	}
	if inner, ok := strings.CutPrefix(t, "***"); ok {
		t = "**" + strings.Replace(inner, "***", "**", 1)
	}
	for _, mark := range []string{"**", "__", "*", "_"} {
		inner, found := strings.CutPrefix(t, mark)
		if !found {
			continue
		}
		term, rest, found = strings.Cut(inner, mark)
		if !found || len(term) > 80 || strings.Contains(term, "\n") {
			return "", "", false
		}
		trimmed := strings.TrimRight(term, " ")
		after := strings.TrimLeft(rest, " ")
		for _, sep := range []string{":", "：", ".", "。"} {
			if strings.HasSuffix(trimmed, sep) {
				return strings.TrimSuffix(trimmed, sep), after, true
			}
			if sep != "." && sep != "。" && strings.HasPrefix(after, sep) {
				return trimmed, strings.TrimSpace(strings.TrimPrefix(after, sep)), true
			}
		}
		if line := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(after, "<br>"), "<br/>"), " "); strings.HasPrefix(line, "\n") && !strings.ContainsAny(trimmed, ".?!。？！") && len(strings.Fields(trimmed)) <= 5 {
			return trimmed, strings.TrimSpace(line), true // the term has a line of its own
		}
		for _, sep := range []string{"- ", "– ", "— "} {
			if strings.HasPrefix(after, sep) {
				return trimmed, strings.TrimSpace(after[len(sep):]), true
			}
		}
		return "", "", false
	}
	return "", "", false
}

var outputForms = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^>>> (.+)\n([^>.\n][^\n]*)$`),
	regexp.MustCompile(`(?m)^(.*(?:print|console\.log|println!?|puts|echo|printf|fmt\.Println|System\.out\.println)[^\n]*?)\s*(?:#|//|--|;;)\s*(?:=>|->|→|[Oo]utput:?|[Pp]rints:?|输出[：:]?|出力[：:]?)?\s*([^\n]{1,60})$`),
	regexp.MustCompile(`(?m)^([^\n#/]{4,120}?)\s*(?:#|//)\s*(?:=>|->|→)\s*([^\n]{1,60})$`),
}

// shells are languages of command lines; literal is how a value begins that code may print.
var (
	shells  = prose.WordSet("bash sh zsh shell console powershell cmd bat fish terminal")
	literal = regexp.MustCompile(`^(?:[-+]?\d|["'` + "`" + `\[({<]|(?i:true|false|none|null|nil|nan|undefined|inf)\b|\w+$)`)
)

// asksWhat is a comment that asks the reader what comes out.
var asksWhat = regexp.MustCompile(`[?？]|何|什么|什麼|^(?i:what)\b`)

// output asks what code prints, where the author wrote it beside it.
func (d *deriver) output(i, k int) {
	s := &d.unit.Sections[i]
	b := &s.Blocks[k]
	w := wordings[d.lang]
	if len(b.Text) > 1200 {
		return
	}
	for n, re := range outputForms {
		if n == 1 && shells[b.Name] {
			continue // a comment behind a command says what it does
		}
		all := re.FindAllStringSubmatchIndex(b.Text, -1)
		if len(all) != 1 {
			continue
		}
		m := all[0]
		value := strings.TrimSpace(b.Text[m[4]:m[5]])
		if value == "" || asksWhat.MatchString(value) || n == 1 && (len(strings.Fields(value)) > 3 || !literal.MatchString(value) && !strings.ContainsAny(b.Text[m[3]:m[4]], "→>:：")) {
			continue
		}
		code := strings.TrimRight(b.Text[:m[3]], " ")
		if n == 0 {
			code = b.Text[m[2]:m[3]]
		}
		if strings.Contains(code, value) && len(value) > 2 {
			continue
		}
		d.add(i, Question{Kind: Open, Prompt: w.output + "\n```" + b.Name + "\n" + code + "\n```", Origin: Rule, Rank: .7, Answer: answerOf(value)}, b.Start, b.End)
		return
	}
}

// points are what an explanation should have: the marked words of the text, else its telling ones.
func points(text, prompt string) []string {
	in := stemsOf(prompt)
	var list []string
	add := func(p string) {
		if p != "" && !in.has(p) && !slices.Contains(list, p) && len(list) < 8 {
			list = append(list, strings.Clone(p)) // the text is not kept for it
		}
	}
	for _, m := range marks(text) {
		if !m.italic {
			add(prose.Fold(m.text))
		}
	}
	for _, w := range prose.Words(text) {
		if !prose.StopWords[w] && units.Weight(w) > 4 && !strings.Contains(w, `\`) {
			add(w)
		}
	}
	return list
}
