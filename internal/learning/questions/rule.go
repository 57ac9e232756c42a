package questions

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stoa/internal/learning/units"
)

// rules makes questions from the text of a section.
func (d *deriver) rules(i int) {
	if d.lang == "" {
		d.lang = languageOf(d.unit.Words())
	}
	s := &d.unit.Sections[i]
	for k := range s.Blocks {
		b := &s.Blocks[k]
		switch b.Kind {
		case units.Paragraph:
			raw := s.Content[b.Lines[0].Start:b.Lines[len(b.Lines)-1].End]
			if len(b.Lines) > 1 && b.Lines[len(b.Lines)-1].End-b.Lines[0].Start > 40+linesLength(b.Lines) {
				continue // lines were taken out of the middle
			}
			d.prose(i, raw, b.Lines[0].Start, s.Answer, "")
			d.counted(i, k)
		case units.List:
			d.termList(i, b)
			if !s.Answer {
				for _, item := range b.Items {
					if at := strings.Index(s.Content[item.Start:item.End], item.Text); at >= 0 && units.Weight(item.Text) > 40 {
						d.prose(i, item.Text, item.Start+at, false, "item")
					}
				}
			}
		case units.Callout:
			d.boxed(i, b)
		case units.Table:
			if !s.Answer {
				d.rows(i, b)
			}
		case units.Terms:
			for _, row := range b.Rows {
				d.pair(i, clean(row[0]), clean(row[1]), b.Start, b.End)
			}
		case units.Code:
			d.output(i, k)
		}
	}
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
	var text []string
	for k := range b.Inner {
		in := &b.Inner[k]
		switch in.Kind {
		case units.Paragraph:
			var lines []string
			for _, l := range in.Lines {
				lines = append(lines, l.Text)
			}
			text = append(text, strings.Join(lines, "\n"))
		case units.List:
			for _, item := range in.Items {
				text = append(text, item.Text)
			}
		case units.Math:
			text = append(text, "$$"+in.Text+"$$")
		}
	}
	whole := clean(strings.Join(text, " "))
	if units.Weight(whole) < 20 {
		return
	}
	from, to := b.Start, b.End
	d.prose(i, strings.Join(text, "\n"), from, false, "box")
	switch name := b.Name; {
	case statements[name]:
		d.statement(i, d.boxTitle(b), whole, from, to)
	case name == "definition" || name == "def" || name == "定义" || name == "definizione":
		if title := d.boxTitle(b); title != "" && !d.definedYet(title) {
			d.define(i, title, whole, whole, from, to, .8)
		}
	}
}

var statements = wordSet("theorem thm lemma proposition prop corollary law axiom principle conjecture property criterion claim 定理 引理 命题 公理 补题 補題 命題 teorema proposizione satz lemma:")

var inBrackets = regexp.MustCompile(`\(([^()]{3,80})\)`)

// boxTitle names what a box states: what its title has in brackets, its title, or the unit's.
func (d *deriver) boxTitle(b *units.Block) string {
	title := clean(b.Title)
	if m := inBrackets.FindStringSubmatch(title); m != nil {
		return strings.TrimSpace(m[1])
	}
	if title == "" || label(title) || units.Weight(title) < 4 {
		return d.unit.Title
	}
	return strings.Trim(title, ". ")
}

// statement asks for a theorem.
func (d *deriver) statement(i int, name, whole string, from, to int) {
	w := wordings[d.lang]
	d.add(i, Question{Kind: Explain, Prompt: fmt.Sprintf(w.state, name), Origin: Rule, Rank: .8, Answer: Answer{Texts: []string{whole}, Points: points(whole, name)}}, from, to)
}

// prose makes questions from the sentences of a text that begins at base of the section.
func (d *deriver) prose(i int, raw string, base int, continued bool, where string) {
	if strings.Contains(raw, "::") && outside(raw, "::") > 0 || strings.Contains(raw, "{{c") {
		return // cards
	}
	boxed := where == "box"
	for n, s := range Sentences(raw) {
		from, to := base+s.Start, base+s.End
		if boxed { // offsets within a box do not count in the section
			from, to = base, base+1
			if k := strings.Index(d.unit.Sections[i].Content[base:], s.Text); k >= 0 {
				from, to = base+k, base+k+len(s.Text)
			}
		}
		text := s.Text
		if term, def, ok := labelled(text); ok {
			if !label(term) && !continued && where == "" && n == 0 && units.Weight(def) > 12 {
				d.pair(i, clean(term), clean(def), from, to)
			}
			if !label(term) {
				continue
			}
			text = def
		}
		plain := clean(text)
		if !d.stands(plain, boxed) {
			continue
		}
		term := d.defines(text, plain)
		if term != "" && (!continued || d.title.has(term)) {
			d.define(i, term, text, plain, from, to, .85)
		}
		if continued {
			continue
		}
		d.gaps(i, text, plain, term, boxed, from, to)
		if n < 8 && where == "" {
			d.figures(i, plain, from, to)
		}
	}
}

// labelled splits "**Term**: text" and "**Term.** text".
func labelled(s string) (term, rest string, ok bool) {
	t := strings.TrimLeft(s, " ")
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
		for _, sep := range []string{"- ", "– ", "— "} {
			if strings.HasPrefix(after, sep) {
				return trimmed, strings.TrimSpace(after[len(sep):]), true
			}
		}
		return "", "", false
	}
	return "", "", false
}

// stands reports whether a sentence can be understood alone.
func (d *deriver) stands(plain string, boxed bool) bool {
	w := units.Weight(plain)
	if w < 20 || w > 420 || strings.Contains(plain, "\n\n") || pointing.MatchString(plain) || strings.HasSuffix(plain, ":") || strings.HasSuffix(plain, "：") || strings.HasSuffix(plain, "?") || strings.HasSuffix(plain, "？") {
		return false
	}
	if strings.Count(plain, "$")%2 == 1 || strings.Count(plain, "`")%2 == 1 {
		return false
	}
	if boxed {
		return true
	}
	words := Words(plain)
	if len(words) < 4 {
		return false
	}
	if r := []rune(plain)[0]; !unicode.IsUpper(r) && !units.Dense(r) && !unicode.IsDigit(r) && r != '$' && r != '`' && r != 'ℝ' {
		return false // it begins in the middle
	}
	if units.Dense([]rune(words[0])[0]) {
		for _, n := range []int{1, 2, 3, 4} {
			if len(words) > n && leaning[strings.Join(words[:n], "")] {
				return false
			}
		}
		return true
	}
	return !leaning[words[0]]
}

// defines gives the term that a sentence defines, or "".
func (d *deriver) defines(raw, plain string) string {
	marked := marks(raw)
	if introduces.MatchString(plain) {
		for _, m := range marked {
			if m.strong && d.usable(m.text) {
				return m.text
			}
		}
	}
	for _, re := range definitions[d.lang] {
		m := re.FindStringSubmatch(plain)
		if m == nil {
			continue
		}
		term := strings.TrimSpace(m[1])
		if !d.usable(term) || len(strings.Fields(term)) > 5 {
			return ""
		}
		if first := Words(term); len(first) == 0 || leaning[first[0]] || wordSetVerbs[first[len(first)-1]] {
			return ""
		}
		if d.title.has(term) || d.titleIn(term) {
			return term
		}
	}
	return ""
}

var wordSetVerbs = wordSet("using how there what which who only difference reason problem idea goal purpose point result answer question advantage disadvantage aim way thing case example following")

// titleIn reports whether a term has all words of the unit's title, or of its note's.
func (d *deriver) titleIn(term string) bool {
	t := title{words: map[string]bool{}}
	for _, w := range Words(term) {
		t.words[stem(w)] = true
	}
	return t.has(d.unit.Title) || t.has(d.unit.Note)
}

// usable reports whether a text can be asked for as a term.
func (d *deriver) usable(term string) bool {
	if strings.HasPrefix(term, "(") && !strings.HasSuffix(term, ")") || strings.HasPrefix(strings.ToLower(term), "using ") || strings.HasPrefix(strings.ToLower(term), "how ") {
		return false
	}
	f := Fold(term)
	words := Words(term)
	if f == "" || len(strings.Fields(f)) > 6 || len(f) > 80 || emptyTerms[f] || stopWords[f] || leaning[f] || len(words) == 0 {
		return false
	}
	if strings.ContainsAny(term, "\n|<>{}") || strings.HasPrefix(f, "http") || strings.Contains(f, "____") {
		return false
	}
	return units.Weight(f) >= 2
}

func (d *deriver) definedYet(term string) bool {
	for k := range d.list {
		if q := &d.list[k]; q.Kind == Explain && strings.Contains(Fold(q.Prompt), Fold(term)) {
			return true
		}
	}
	return false
}

// define asks what a term means, and for the term where the title does not tell it.
func (d *deriver) define(i int, term, raw, plain string, from, to int, rank float64) {
	w := wordings[d.lang]
	if !d.definedYet(term) {
		d.add(i, Question{Kind: Explain, Prompt: fmt.Sprintf(w.whatIs, term), Origin: Rule, Rank: rank, Answer: Answer{Texts: []string{plain}, Points: points(raw, term)}}, from, to)
	}
	if d.title.has(term) || strings.Contains(plain, "\n") {
		return
	}
	if prompt, ok := blankOut(plain, term); ok {
		d.add(i, Question{Kind: Gap, Prompt: prompt, Origin: Rule, Rank: rank + .05, Answer: answerOf(term)}, from, to)
	}
}

// blankOut puts a gap in the place of a term that stands once in a sentence; an article before it goes too.
func blankOut(plain, term string) (string, bool) {
	low, t := strings.ToLower(plain), strings.ToLower(term)
	if len(low) != len(plain) || t == "" {
		return "", false
	}
	at := boundary(low, t, 0)
	if at < 0 || boundary(low, t, at+len(t)) >= 0 {
		return "", false
	}
	rest := Fold(plain[:at] + " " + plain[at+len(t):])
	for _, word := range Words(term) { // no part of it may tell it
		if stopWords[word] || units.Weight(word) < 3 || units.Dense([]rune(word)[0]) {
			continue
		}
		for _, other := range Words(rest) {
			if stem(other) == stem(word) || len(word) > 4 && strings.HasPrefix(other, word) {
				return "", false
			}
		}
	}
	head := plain[:at]
	for _, article := range []string{"a ", "an ", "A ", "An "} {
		if strings.HasSuffix(head, " "+article) || head == article {
			head = strings.TrimSuffix(head, article) + "a(n) "
			break
		}
	}
	return head + blank + plain[at+len(t):], true
}

// boundary finds a word in a text from an offset; -1 if there is none.
func boundary(text, word string, from int) int {
	for from < len(text) {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		before, after := byte(' '), byte(' ')
		if i > 0 {
			before = text[i-1]
		}
		if end := i + len(word); end < len(text) {
			after = text[end]
		}
		if word[0] >= 0x80 || !isWordByte(before) && !isWordByte(after) {
			return i
		}
		from = i + 1
	}
	return -1
}

// mark is a marked word of a sentence.
type mark struct {
	text   string
	strong bool // bold
	code   bool
}

var markForms = regexp.MustCompile("\\*\\*([^*\n]{2,80}?)\\*\\*|__([^_\n]{2,80}?)__|\\[\\[([^\\]\n]{2,120}?)\\]\\]|`([^`\n]{1,60}?)`")

// marks gives what the author marked in a sentence: in bold, as a link to another note, as code.
func marks(raw string) []mark {
	var list []mark
	for _, m := range markForms.FindAllStringSubmatchIndex(raw, 24) {
		for g := 1; g <= 4; g++ {
			if m[2*g] < 0 {
				continue
			}
			text := raw[m[2*g]:m[2*g+1]]
			if g == 3 {
				if m[0] > 0 && raw[m[0]-1] == '!' {
					break
				}
				text = clean("[[" + text + "]]")
			} else {
				text = strings.Trim(clean(text), ".,:; ")
			}
			if strings.Contains(text, "$") && g != 4 {
				if k := strings.Index(text, "$"); k > 3 { // "Hermitian form on $V$"
					text = strings.TrimSpace(text[:k])
					for _, tail := range []string{" of", " on", " for", " over", " in", " to", " by", " between", " at"} {
						text = strings.TrimSuffix(text, tail)
					}
				} else {
					break
				}
			}
			list = append(list, mark{text: text, strong: g <= 2, code: g == 4})
			break
		}
	}
	return list
}

// gaps asks for the marked words of a sentence, one at a time.
func (d *deriver) gaps(i int, raw, plain, defined string, boxed bool, from, to int) {
	for _, m := range marks(raw) {
		if Fold(m.text) == Fold(defined) || !d.usable(m.text) || d.title.has(m.text) || label(m.text) {
			continue
		}
		rank := 0.0
		switch {
		case m.strong:
			rank = .7
		case m.code && len(m.text) > 1 && len(m.text) <= 24 && len(Words(plain)) >= 8:
			rank = .6
		case defined != "" || boxed:
			rank = .65
		}
		if rank == 0 {
			continue
		}
		if boxed && strings.Contains(plain, "\n") {
			continue
		}
		if prompt, ok := blankOut(plain, m.text); ok && units.Weight(strings.ReplaceAll(prompt, blank, "")) >= 24 {
			d.add(i, Question{Kind: Gap, Prompt: prompt, Origin: Rule, Rank: rank, Answer: answerOf(m.text)}, from, to)
		}
	}
}

var (
	yearForm   = regexp.MustCompile(`(?:^|[^\d.,$\\-])((?:1[0-9]|20)\d\d)(?:[^\d.,%$-]|[.,]?$|[.,]\s|年)`)
	figureForm = regexp.MustCompile(`(?:^|[\s(≈~])(\d+(?:[.,]\d+)?)\s?(%|km|cm|mm|nm|m|kg|mg|g|ms|bits?|bytes?|KB|MB|GB|Hz|kHz|MHz|GHz|°C|kJ|J|V|W|ml|l|hours|days|years|minutes|seconds)\b`)
)

// figures asks for the one year or quantity of a sentence that names who or what it belongs to.
func (d *deriver) figures(i int, plain string, from, to int) {
	if strings.ContainsAny(plain, "$`=[]") || units.Weight(plain) < 36 {
		return
	}
	years, figures := yearForm.FindAllStringSubmatchIndex(plain, -1), figureForm.FindAllStringSubmatchIndex(plain, -1)
	var m []int
	switch {
	case len(years) == 1 && len(figures) == 0:
		m = years[0]
	case len(figures) == 1 && len(years) == 0:
		m = figures[0]
	default:
		return
	}
	if !strings.ContainsFunc(plain[1:], unicode.IsUpper) && d.lang == "en" && len(years) == 1 {
		return
	}
	value := plain[m[2]:m[3]]
	v, _, ok := Number(value)
	if !ok || strings.Contains(d.unit.Title, value) || strings.Count(plain, value) > 1 {
		return
	}
	prompt := plain[:m[2]] + blank + plain[m[3]:]
	d.add(i, Question{Kind: Gap, Prompt: prompt, Origin: Rule, Rank: .55, Answer: Answer{Texts: []string{value}, Number: true, Value: v}}, from, to)
}

// counted asks for a list that a line announces: all its items, or their order.
func (d *deriver) counted(i, k int) {
	s := &d.unit.Sections[i]
	if k+1 >= len(s.Blocks) || s.Blocks[k+1].Kind != units.List || s.Answer {
		return
	}
	b, list := &s.Blocks[k], &s.Blocks[k+1]
	intro := clean(b.Lines[len(b.Lines)-1].Text)
	if sentences := Sentences(intro); len(sentences) > 0 {
		intro = sentences[len(sentences)-1].Text
	}
	if !strings.HasSuffix(intro, ":") && !strings.HasSuffix(intro, "：") || units.Weight(intro) < 14 || len(Words(intro)) < 3 {
		return
	}
	if words := Words(intro); leaning[words[0]] && !wordSetCount[words[0]] || pointing.MatchString(intro) && !strings.Contains(intro, "following") {
		return
	}
	var items []string
	for _, item := range list.Items {
		if item.Level > 0 {
			continue
		}
		name := itemName(item.Text)
		if name == "" || d.title.has(name) || asks(name) || item.Task {
			return
		}
		items = append(items, name)
	}
	if len(items) < 3 || len(items) > 7 || len(distinct(items)) != len(items) {
		return
	}
	w := wordings[d.lang]
	q := Question{Kind: Listing, Prompt: fmt.Sprintf(w.list, strings.TrimRight(intro, ":： "), len(items)), Origin: Rule, Rank: .7, Answer: Answer{Items: items}}
	if list.Ordered && stepWords.MatchString(intro) {
		q.Kind, q.Choices, q.Prompt = Order, shuffled(items, intro), fmt.Sprintf(w.order, strings.TrimRight(intro, ":： "))
	}
	d.add(i, q, b.Start, list.End)
}

var (
	wordSetCount = wordSet("there the these")
	stepWords    = regexp.MustCompile(`(?i)\b(?:steps?|order|phases?|stages?|procedure|process|sequence|passi|fasi|schritte?|phasen|reihenfolge)\b|步骤|顺序|阶段|流程|手順|順序|段階`)
)

// itemName is what an item of a list names: what is marked at its beginning, what stands before a colon or dash, or all
// of a short one.
func itemName(text string) string {
	if term, _, ok := labelled(text); ok {
		return clean(term)
	}
	plain := clean(text)
	for _, sep := range []string{": ", "：", " – ", " — ", " - "} {
		if before, _, ok := strings.Cut(plain, sep); ok && len(strings.Fields(before)) <= 6 {
			plain = before
			break
		}
	}
	plain = strings.TrimRight(plain, ".;,。；， ")
	if len(strings.Fields(plain)) > 6 || units.Weight(plain) > 50 || units.Weight(plain) < 2 {
		return ""
	}
	return plain
}

func distinct(list []string) map[string]bool {
	m := map[string]bool{}
	for _, s := range list {
		m[Fold(s)] = true
	}
	return m
}

// shuffled gives a list in another order, the same for the same key.
func shuffled(list []string, key string) []string {
	out := slices.Clone(list)
	sum := sha256.Sum256([]byte(key))
	state := binary.LittleEndian.Uint64(sum[:8])
	for i := len(out) - 1; i > 0; i-- {
		state = state*6364136223846793005 + 1442695040888963407
		j := int(state>>33) % (i + 1)
		out[i], out[j] = out[j], out[i]
	}
	if slices.Equal(out, list) && len(out) > 1 {
		out[0], out[1] = out[1], out[0]
	}
	return out
}

// termList takes a list of terms with what they mean.
func (d *deriver) termList(i int, b *units.Block) {
	type entry struct {
		term, def string
		item      units.Item
	}
	var pairs []entry
	top := 0
	for _, item := range b.Items {
		if item.Level > 0 {
			continue
		}
		top++
		text, _, _ := strings.Cut(item.Text, "\n")
		term, def, ok := labelled(text)
		if !ok {
			for _, sep := range []string{": ", "：", " – ", " — ", " - "} {
				if before, after, found := strings.Cut(text, sep); found {
					term, def, ok = before, after, true
					break
				}
			}
		}
		term, def = clean(term), clean(def)
		if ok && d.usable(term) && !strings.HasPrefix(term, "(") && !strings.Contains(term, "$") && len(strings.Fields(term)) <= 5 && units.Weight(def) >= 3 && !label(term) && !strings.ContainsAny(term, ".?!") && outside(item.Text, "::") < 0 {
			pairs = append(pairs, entry{term, def, item})
		}
	}
	if len(pairs) < 2 || 2*len(pairs) < top {
		return
	}
	for _, p := range pairs {
		d.pair(i, p.term, p.def, p.item.Start, p.item.End)
	}
	if s := &d.unit.Sections[i]; len(pairs) >= 3 && len(pairs) <= 6 && len(pairs) == top && !s.Answer {
		q := Question{Kind: Match, Prompt: d.unit.Title, Origin: Rule, Rank: .5}
		for _, p := range pairs {
			if w := units.Weight(p.def); w > 160 || w < 12 || optionWords[Fold(p.term)] {
				return
			}
			q.Left, q.Answer.Items = append(q.Left, p.term), append(q.Answer.Items, p.def)
		}
		q.Choices = shuffled(q.Answer.Items, d.unit.ID)
		if len(distinct(q.Answer.Items)) == len(q.Answer.Items) {
			d.add(i, q, b.Start, b.End)
		}
	}
}

// pair asks for a term by its meaning, and for the meaning of a term.
func (d *deriver) pair(i int, term, def string, from, to int) {
	w := wordings[d.lang]
	def, _, _ = strings.Cut(def, "\n")
	if !d.usable(term) || label(term) || optionWords[Fold(term)] || def == "" || strings.HasSuffix(def, ":") || pointing.MatchString(def) || d.unit.Sections[i].Answer {
		return
	}
	short := len(Words(def)) <= 8 && units.Weight(def) <= 40 || isFormula(def) && len(def) < 60
	prompt := fmt.Sprintf(w.whatIs, term)
	if !d.title.has(term) && !d.titleIn(term) {
		prompt = d.unit.Title + " — " + prompt
	}
	switch {
	case short && !yesNo[Fold(def)]:
		d.add(i, Question{Kind: Open, Prompt: d.unit.Title + " — " + term + "?", Origin: Rule, Rank: .6, Answer: answerOf(def)}, from, to)
	case units.Weight(def) >= 24:
		d.add(i, Question{Kind: Explain, Prompt: prompt, Origin: Rule, Rank: .75, Answer: Answer{Texts: []string{def}, Points: points(def, term)}}, from, to)
	}
	if d.title.has(term) || units.Weight(def) < 24 || aspectWords[Fold(term)] {
		return
	}
	for _, word := range Words(term) {
		if !stopWords[word] && units.Weight(word) >= 3 && slices.ContainsFunc(Words(def), func(o string) bool { return stem(o) == stem(word) }) {
			return // the meaning tells the term
		}
	}
	d.add(i, Question{Kind: Open, Prompt: fmt.Sprintf(w.describes, "“"+def+"”"), Origin: Rule, Rank: .8, Answer: answerOf(term)}, from, to)
}

var (
	yesNo = wordSet("yes no true false n/a none - ✓ ✗ ✔ x 是 否 有 无 はい いいえ sì ja nein")
	// optionWords name fields of settings, not terms.
	optionWords = wordSet("type default required optional description name value values example id version format enum minimum maximum status date author link source tipo typ standard 类型 默认 型 既定値")
	// aspectWords are terms that name a side of the subject and not a thing: no meaning can ask for them.
	aspectWords = wordSet("advantage advantages disadvantage disadvantages pros cons usage use when why how what where complexity time space cost purpose goal benefits drawbacks limitations history syntax type types input output default required key idea intuition summary vantaggi svantaggi scopo vorteile nachteile 优点 缺点 用途 特点 利点 欠点 用法")
)

// rows asks for the cells of a table by their row and column.
func (d *deriver) rows(i int, b *units.Block) {
	if len(b.Rows) < 3 || len(b.Rows[0]) < 2 || len(b.Rows[0]) > 6 || len(b.Rows) > 40 {
		return
	}
	head := b.Rows[0]
	keys := map[string]bool{}
	for _, row := range b.Rows[1:] {
		if len(row) != len(head) || clean(row[0]) == "" || keys[Fold(row[0])] || len(row[0]) > 120 {
			return
		}
		keys[Fold(row[0])] = true
	}
	asked := 0
	for c := 1; c < len(head) && asked < 4; c++ {
		name := clean(head[c])
		values := map[string]bool{}
		for _, row := range b.Rows[1:] {
			values[Fold(row[c])] = true
		}
		if name == "" || len(values) < 2 || 2*len(values) < len(b.Rows)-1 {
			continue
		}
		for r := 1; r < len(b.Rows) && asked < 4; r += 1 + len(b.Rows)/5 {
			key, value := clean(b.Rows[r][0]), clean(b.Rows[r][c])
			if value == "" || yesNo[Fold(value)] || len(strings.Fields(value)) > 7 || units.Weight(value) > 50 || units.Weight(value) == 0 && !strings.ContainsAny(value, "$`") || d.title.has(value) || d.title.has(key) && len(keys) < 2 || strings.Contains(Fold(key), Fold(value)) {
				continue
			}
			prompt := key + "\n" + name + ": " + blank
			if h := clean(head[0]); h != "" {
				prompt = h + ": " + prompt
			}
			d.add(i, Question{Kind: Gap, Prompt: prompt, Origin: Rule, Rank: .68, Answer: answerOf(value)}, b.Start, b.End)
			asked++
		}
	}
}

var outputForms = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^>>> (.+)\n([^>.\n][^\n]*)$`),
	regexp.MustCompile(`(?m)^(.*(?:print|console\.log|println!?|puts|echo|printf|fmt\.Println|System\.out\.println)[^\n]*?)\s*(?:#|//|--|;;)\s*(?:=>|->|→|[Oo]utput:?|[Pp]rints:?|输出[：:]?|出力[：:]?)?\s*([^\n]{1,60})$`),
	regexp.MustCompile(`(?m)^([^\n#/]{4,120}?)\s*(?:#|//)\s*(?:=>|->|→)\s*([^\n]{1,60})$`),
}

// output asks what code prints, where the author wrote it beside it.
func (d *deriver) output(i, k int) {
	s := &d.unit.Sections[i]
	b := &s.Blocks[k]
	w := wordings[d.lang]
	if len(b.Text) > 1200 {
		return
	}
	for n, re := range outputForms {
		all := re.FindAllStringSubmatchIndex(b.Text, -1)
		if len(all) != 1 {
			continue
		}
		m := all[0]
		value := strings.TrimSpace(b.Text[m[4]:m[5]])
		if value == "" || n == 1 && len(strings.Fields(value)) > 3 {
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
	in := title{words: map[string]bool{}}
	for _, w := range Words(prompt) {
		in.words[stem(w)] = true
	}
	var list []string
	add := func(p string) {
		if p != "" && !in.has(p) && !slices.Contains(list, p) && len(list) < 8 {
			list = append(list, p)
		}
	}
	for _, m := range marks(text) {
		add(Fold(m.text))
	}
	for _, w := range Words(text) {
		if !stopWords[w] && units.Weight(w) > 4 && !strings.Contains(w, `\`) {
			add(w)
		}
	}
	return list
}

// wrapUp asks for the whole of a unit that has no other question.
func (d *deriver) wrapUp() {
	if len(d.list) > 0 || len(d.unit.Sections) == 0 {
		return
	}
	if d.lang == "" {
		d.lang = languageOf(d.unit.Words())
	}
	text, from, to, at := "", 0, 0, 0
	for i := range d.unit.Sections {
		if t, f, e := firstText(&d.unit.Sections[i]); units.Weight(t) >= 20 {
			text, from, to, at = t, f, e, i
			break
		}
	}
	d.add(at, Question{Kind: Explain, Prompt: fmt.Sprintf(wordings[d.lang].explain, clean(d.unit.Title)), Origin: Rule, Rank: .3, Answer: Answer{Texts: present(text), Points: points(text, d.unit.Title)}}, from, to)
}

func present(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
