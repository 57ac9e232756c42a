package questions

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// What of a note may be asked for as a term, and what only looks like one.

// chapterNumber stands before a heading.
var chapterNumber = regexp.MustCompile(`^(?:[\d.]+\s+|[一二三四五六七八九十]+[.、．]\s*)`)

// heads reports whether a term is the heading of the section that is read.
func (d *deriver) heads(term string) bool {
	h := chapterNumber.ReplaceAllString(clean(d.unit.Sections[d.section].Title), "")
	if m := asked.FindStringSubmatch(h); m != nil {
		h = strings.Join(m[1:], "")
	}
	h, _, _ = strings.Cut(h, " (")
	h, _, _ = strings.Cut(h, "（")
	return h != "" && prose.Fold(h) == prose.Fold(term)
}

// named reports whether a term is what the unit, its note or the section is about.
func (d *deriver) named(term string) bool {
	return d.title.has(term) || d.titleIn(term) || d.heads(term) || unbroken(term) == unbroken(d.unit.Title)
}

// unbroken takes the blanks and hyphens out: "micro economics" is "microeconomics".
func unbroken(s string) string { return strings.NewReplacer(" ", "", "-", "").Replace(prose.Fold(s)) }

// inHeading reports whether all words of a term stand in the heading of the section.
func (d *deriver) inHeading(term string) bool {
	t := stemsOf(d.unit.Sections[d.section].Title)
	return t.has(term)
}

// broken are ends and parts of Chinese subjects that belong to the verb: "trees may not | be".
var broken = regexp.MustCompile(`[不也就都能会可应将已正还仅只最很并才]$|可能|不是|主要|通常|一般|其实|本质上|往往|并不|只有|没有|必须|可以|如果`)

// clauseWords make a marked phrase a statement and not a term.
var clauseWords = prose.WordSet(`which that who whose is are was were can must should does do not has have will because if when
	che cui è sono può non ha hanno deve que es son está puede debe no é são pode deve não est sont peut doit qui ist sind kann muss nicht wird werden hat haben wenn dass`)

var denseClause = regexp.MustCompile(`^(?:我们|你|只|不|没|必|可以|能|会|都|至少|最多|如果|把|将|让|使)|[，、；]|变成|应该|不存在|没有|必须|不能|可以|就是|都是|只能|(?:性|条件|情况)下$|(?:場合|场合|情况)$|です|ます|できる|する$|した$|ない$|[前后後]便|(?:包括|包含|分为|分為|组成|構成|构成)$`)

// fileName is a term that only names another file: "20260103_my-statement".
var fileName = regexp.MustCompile(`^\d{6,8}[_-]|^[a-z0-9]+(?:[-_][a-z0-9]+){2,}$|\.(?:md|pdf|png|txt|html?)$`)

// longestTerm is how many characters a term may have that is written without blanks.
const longestTerm = 16

// clause reports whether a marked text says something rather than naming it.
func clause(term string) bool {
	fields := strings.Fields(prose.Fold(term))
	if len(fields) > 4 {
		return true
	}
	if len(fields) > 1 {
		for _, w := range fields {
			if clauseWords[w] {
				return true
			}
		}
	}
	return infinitive.MatchString(term) || denseClause.MatchString(term) || dense(term) && utf8.RuneCountInString(term) > longestTerm
}

// infinitive is an Italian phrase of what somebody does: "tentativo di ridurre il tempo".
var infinitive = regexp.MustCompile(`(?i)\s(?:per|di|da|a)\s+\pL{3,}(?:are|ere|ire|rsi)\s`)

// cited reports whether a term is a source, a mention or an ornament.
func cited(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return strings.ContainsRune(term, '@') || r == '[' || r > 0x2000 && !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsPunct(r)
}

// leadsNowhere is a text whose end was on the next line.
var leadsNowhere = regexp.MustCompile(`(?:=>|->|→|⇒|[=+:：]|\s(?:which|that|of|and|or|the|an|di|del|dello|della|dei|degli|delle|nel|nella|che|il|un|una|der|die|das|den|dem|von|und|oder|de|du|des|et|ou|que|el|los|las|dos|das|uma?))$`)

// goesOnSo is the end of a text that names a few of many.
var goesOnSo = regexp.MustCompile(`(?i)[\s,，、](?:etc|ecc|usw|usf|and\s+so\s+on|and\s+so\s+forth)[.…]*$|(?:等等|など)[。.]?$`)

// unfinished reports whether a meaning only begins a list or quotes somebody.
func unfinished(def string) bool {
	def = strings.TrimSpace(def)
	if leadsNowhere.MatchString(def) || goesOnSo.MatchString(def) && strings.Count(def, ",")+strings.Count(def, "、")+strings.Count(def, "，") > 1 && len(prose.Sentences(def)) == 1 || strings.HasSuffix(def, "...") || strings.HasSuffix(def, "…") || strings.HasSuffix(def, ",") || strings.HasSuffix(def, "、") {
		return true
	}
	first, _ := utf8.DecodeRuneInString(def)
	last, _ := utf8.DecodeLastRuneInString(def)
	return strings.ContainsRune(`"“„«`, first) && strings.ContainsRune(`"”“»`, last)
}

// elsewhere are headings whose lists speak of other notes and sources.
var elsewhere = regexp.MustCompile(`(?i)^(?:related|see also|links?|backlinks|references?|further reading|resources|sources?|connections?|vernetzung|verwandte?|siehe auch|quellen|literatur|verweise|vedi anche|collegamenti|fonti|riferimenti|bibliografia)\b|^(?:参见|相关|参考|关联|链接|関連|参考文献|リンク|出典)`)

var (
	before = regexp.MustCompile(`(?i)(?:(?:\b|\s)(?:called|termed|known\s+as|referred\s+to\s+as|said\s+to\s+be|call|define|(?:we|one)\s+(?:now\s+)?defined|denotes?|si\s+dice|si\s+definisce|si\s+chiama|si\s+chiamano|è\s+detto|è\s+detta|prende\s+il\s+nome\s+di|heißt|heißen|nennt\s+man|bezeichnet\s+man\s+als)|称为|称(?:此|该|这样的)[^，。：]{1,10}为|叫做|称作|叫作|称之为)[\s:“„"«「]*(?:an?\s+|the\s+|un\s+|una\s+|ein\s+|eine\s+)?$`)
	after  = regexp.MustCompile(`(?i)^[\s”“"»」]*(?:[（(][^（）()]{1,60}[）)]\s*)?(?:(?:of|on|in|over|from|to|for|under|between|and)\s+\$[^$]+\$\s*){0,3},?\s*(?:(?:is|are|denotes?|refers?\s+to|means|(?:states?|says|holds)\s+that)\b|(?:è|sono|indica|si\s+definisce)\s|(?:ist|sind|bezeichnet|heißt)\b|是|指|定义为|とは|と呼ぶ|と呼ばれ|という|をいう)`)
)

// introduced gives the marked words that a sentence introduces: those next to the word that introduces them, or that say what something is under
// a condition.
func (d *deriver) introduced(raw string, marked []mark) string {
	for n, form := range []func(m *mark) bool{
		func(m *mark) bool { return before.MatchString(raw[:m.from]) },
		func(m *mark) bool { return isA.MatchString(raw[:m.from]) && onCondition.MatchString(raw[m.to:]) },
		func(m *mark) bool { return after.MatchString(raw[m.to:]) && leads(raw[:m.from]) },
		func(m *mark) bool {
			return after.MatchString(raw[m.to:]) && strings.HasPrefix(strings.TrimSpace(raw[m.to:]), "と")
		},
	} {
		for i := range marked {
			m := &marked[i]
			if !m.strong && !m.italic && (n != 2 || !m.code || !codeKind.MatchString(raw[m.from:])) || !form(m) || either.MatchString(m.whole) && !strings.Contains(m.whole, "$") {
				continue
			}
			term, respectively := d.withFormulas(m.whole), respective.FindStringSubmatch(raw[m.to:])
			if respectively != nil { // "a **left** (resp. **right**) **ideal**"
				term += " " + clean(strings.Join(respectively[1:], ""))
			}
			if !strings.Contains(term, "$") && (!d.usable(term) || clause(term) && (n > 0 || tooLong(term))) {
				continue
			}
			if whole := d.wholeName(term); n < 2 && whole != "" && !leadsWithArticle.MatchString(raw[:m.from]) {
				return whole // "is said to be **compact**", in the note "Compact Space"
			}
			if term != "" {
				return term
			}
		}
	}
	return ""
}

// wholeName is the title, or the heading, that a word which only describes is a part of: its first, or its last.
func (d *deriver) wholeName(term string) string {
	for _, t := range []string{d.unit.Title, chapterNumber.ReplaceAllString(clean(d.unit.Sections[d.section].Title), "")} {
		if f := prose.Fold(t); len(strings.Fields(f)) <= 5 && !strings.ContainsAny(t, ",:;›") && (strings.HasPrefix(f, prose.Fold(term)+" ") || romance[d.lang] && len(strings.Fields(f)) == 2 && strings.HasSuffix(f, " "+prose.Fold(term))) {
			return t
		}
	}
	return ""
}

// codeKind is a name set as code, with what kind of thing it is and what tells it from others.
var codeKind = regexp.MustCompile("^`\\p{Lu}[\\pL -]{2,30}`\\s(?:is|are|ist|è|es|est)\\s(?:[\\pL-]+\\s){1,4}(?:that|which|who|designed|used|intended|der|die|das|che|que|qui)\\s")

// withFormulas gives a marked term with its formulas where these tell it from others, "" when it cannot be asked for.
func (d *deriver) withFormulas(term string) string {
	if !strings.Contains(term, "$") {
		return term
	}
	head := beforeFormula(term)
	if prose.Fold(head) == prose.Fold(d.unit.Title) || prose.Fold(head) == prose.Fold(d.unit.Note) {
		return head // "**Hermitian form on $V$**"
	}
	words := formulas.ReplaceAllString(term, "")
	if strings.Contains(term, `ref{`) || strings.Contains(words, "$") || strings.ContainsAny(words, "=:;|") || tooLong(words) || units.Weight(words) < 3 || !d.usable(strings.Join(strings.Fields(words)[:min(6, len(strings.Fields(words)))], " ")) {
		return ""
	}
	return term
}

// tooLong reports whether a marked text is no term, even where a sentence says that it gives a name.
func tooLong(term string) bool {
	fields := strings.Fields(prose.Fold(term))
	return len(fields) > 8 || slices.ContainsFunc(fields, func(w string) bool { return clauseWords[w] }) || dense(term) && utf8.RuneCountInString(term) > longestTerm
}

var (
	// isA stands before what something is, and onCondition behind it.
	isA         = regexp.MustCompile(`(?i)(?:^|\s)(?:is|are|est|sont|è|sono|ist|sind|es|son|é|são)\s+(?:(?:an?|the|une?|un[ao]?|eine?|uma?)\s+)?[*_]*$`)
	onCondition = regexp.MustCompile(`^[\s*_]*(?:(?:in|of|on|over|for|w\.r\.t\.?|with\s+respect\s+to)\s+(?:\$[^$]+\$|\w+)[\s,*_]*)?,?\s*(?:if|iff|provided|whenever|wenn|falls|genau\s+dann|se|sse|si|ssi)\b`)
	// respective is the other of two terms that are defined at once, and what both are.
	respective       = regexp.MustCompile(`^[\s*_]*\(resp\.?[^)]*\)[\s_]*(?:\*\*([^*\n]{2,40})\*\*)`)
	leadsWithArticle = regexp.MustCompile(`(?i)\b(?:an?|the)\s+[*_“"]*$`)
)

// leads reports whether nothing but an article stands before a sentence's first word.
func leads(s string) bool {
	s = strings.Trim(s, " \n\t*_-“„\"«「")
	return len(s) <= 6 && !strings.ContainsAny(s, ",.") || ideaOf.MatchString(s)
}

// ideaOf says that what follows is a term.
var ideaOf = regexp.MustCompile(`(?i)^(?:the\s)?(?:concept|term|notion|idea|principle|theory|law|word|phrase)(?:\sof)?$`)

// listed marks those of a sentence's marked words that stand side by side in an enumeration: none can be told from the others.
func listed(raw string, marked []mark) map[int]bool {
	in := map[int]bool{}
	for i := 1; i < len(marked); i++ {
		if marked[i].from >= marked[i-1].to && enumerates.MatchString(raw[marked[i-1].to:marked[i].from]) {
			in[i-1], in[i] = true, true
		}
	}
	return in
}

var enumerates = regexp.MustCompile(`(?i)^[\s,、，/]*(?:(?:and|or|und|oder|e|ed|o|sowie)\b|和|或|与|及|以及|や|と)?[、，]?(?:\s+(?:an?|the|un|una|il|la|ein|eine|der|die|das))?\s*$`)

var adjective = regexp.MustCompile(`(?i)^[a-z]+(?:ic|al|ive|ous|able|ible|ary|ful|less|ed|ing|ico|ica|ale|ivo|iva|oso|osa|isch|ische|ischer|lich|liche|licher)$`)

// describes reports whether a marked word only describes the noun behind it.
func describes(text, rest string) bool {
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest, " "))
	if strings.HasSuffix(text, "い") || strings.HasSuffix(text, "な") {
		return unicode.In(next, unicode.Han, unicode.Katakana)
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(rest, " "), " ")
	return strings.HasPrefix(rest, " ") && unicode.IsLetter(next) && !prose.StopWords[prose.Fold(first)] && !clauseWords[prose.Fold(first)] && adjective.MatchString(text)
}

// lined takes the lines "Term: meaning" of paragraphs, where the unit has several or the term is what it is about.
func (d *deriver) lined(i int, b *units.Block) {
	many := d.termLines() >= 3
	if term, def, ok := aboveMeaning(b); ok && many && d.usable(term) && !clause(term) && !asks(term) {
		d.explained(i, term, def, sort{bare: true, step: true}, b.Start, b.End)
		return
	}
	for _, l := range b.Lines {
		if term, def, ok := lineTerm(l.Text); ok && (many || d.named(term) || d.inHeading(term)) && d.usable(term) && !clause(term) {
			d.pair(i, term, def, l.Start, l.End)
		}
	}
}

// termLines counts the lines of the unit that look like a term with its meaning.
func (d *deriver) termLines() int {
	if d.lines >= 0 {
		return d.lines
	}
	d.lines = 0
	for i := range d.unit.Sections {
		for k := range d.unit.Sections[i].Blocks {
			if b := &d.unit.Sections[i].Blocks[k]; b.Kind == units.Paragraph {
				if _, _, ok := aboveMeaning(b); ok {
					d.lines++
				}
				for _, l := range b.Lines {
					if _, _, ok := lineTerm(l.Text); ok {
						d.lines++
					}
				}
			}
		}
	}
	return d.lines
}

// aboveMeaning splits a paragraph whose first line is a term with a colon, and the others what it means.
func aboveMeaning(b *units.Block) (term, def string, ok bool) {
	if len(b.Lines) < 2 {
		return "", "", false
	}
	head := strings.TrimSpace(clean(b.Lines[0].Text))
	if term = strings.TrimRight(head, ":："); term == head {
		return "", "", false
	}
	var below []string
	for _, l := range b.Lines[1:] {
		below = append(below, clean(l.Text))
	}
	def = strings.Join(below, " ")
	first, _ := utf8.DecodeRuneInString(term)
	return term, def, unicode.IsLetter(first) && len(strings.Fields(term)) <= 4 && units.Weight(term) <= 40 && units.Weight(def) >= 16 && !label(term) && !strings.ContainsAny(term, ".?!。？！$`,，、:")
}

// numbering is a number before a term: "1）表(table)：…".
var numbering = regexp.MustCompile(`^(?:\d{1,2}(?:\s*[）)、．]|\.\s)\s*|\d{1,2}\s?[-–]\s+([^\d\s])|[①-⑳]\s*)`)

// markedTerm is a line "**term** - meaning", as in lists of words.
var markedTerm = regexp.MustCompile(`^\s*\*\*([^*:：]{2,40})\*\*\s*[-–—=]\s+([^\s$].+)$`)

// hyphenTerm is the same without marks.
var hyphenTerm = regexp.MustCompile(`^(\pL[^:：.?!,;$=]{1,39})\s[-–—]\s+([\pL(].+)$`)

// lineTerm splits a line "Term: meaning" that has no marks, or "**term** - meaning".
func lineTerm(line string) (term, def string, ok bool) {
	if strings.Contains(line, "[[") || strings.Contains(line, "](") {
		return "", "", false // a field of the note
	}
	if m := markedTerm.FindStringSubmatch(line); m != nil {
		term, def = clean(m[1]), clean(m[2])
		return term, def, len(strings.Fields(term)) <= 4 && units.Weight(def) >= 8 && !label(term)
	}
	plain := numbering.ReplaceAllString(clean(line), "$1")
	if m := hyphenTerm.FindStringSubmatch(plain); m != nil && !dense(plain) && !strings.Contains(m[2], " - ") && len(strings.Fields(m[1])) <= 4 && units.Weight(m[2]) >= 16 && !label(m[1]) {
		return m[1], m[2], true
	}
	for _, sep := range []string{"：", ": ", " :"} {
		if term, def, ok = strings.Cut(plain, sep); ok {
			term, def = strings.TrimSpace(term), strings.TrimSpace(strings.TrimPrefix(def, "指的是"))
			return term, def, term != "" && len(strings.Fields(term)) <= 4 && units.Weight(term) <= 40 && units.Weight(def) >= 8 && !label(term) && !strings.ContainsAny(term, ".?!。？！$`,，、\"“")
		}
	}
	return "", "", false
}

// endsInNoun reports whether a Japanese sentence ends without a verb, as definitions in notes do.
func endsInNoun(plain string) bool {
	plain = strings.TrimRight(plain, "。．. ")
	r, _ := utf8.DecodeLastRuneInString(plain)
	return unicode.In(r, unicode.Han, unicode.Katakana) || r == 'ー' || strings.HasSuffix(plain, "もの") || strings.HasSuffix(plain, "こと") || strings.HasSuffix(plain, "まり")
}

// dense reports whether a text is written without blanks.
func dense(s string) bool { return strings.ContainsFunc(s, units.Dense) }

// parentOf names the item that another stands below, "" at the top.
func parentOf(items []units.Item, k int) string {
	for n := k - 1; n >= 0; n-- {
		if items[n].Level < items[k].Level {
			name := strings.Trim(itemName(items[n].Text), " .:：-")
			if len(strings.Fields(name)) > 6 || len(name) > 80 {
				return ""
			}
			return name
		}
	}
	return ""
}

// furtherBelow gives the last of the items that stand below one, and what those say behind the first; last is -1 where that is much, or where
// they have items below themselves.
func furtherBelow(items []units.Item, k int) (last int, more string) {
	var said []string
	for last = k + 1; last+1 < len(items) && items[last+1].Level > items[k].Level; last++ {
		text := clean(items[last+1].Text)
		if items[last+1].Level != items[k].Level+1 || len(said) == 3 || units.Weight(text) > 120 {
			return -1, ""
		}
		said = append(said, text)
	}
	return last, strings.Join(said, "; ")
}

// nested takes items that have nothing but one item below, which says what they mean, where there are several side by side.
func (d *deriver) nested(i int, b *units.Block) {
	type entry struct {
		term, def, more, under string
		start, end             int
		marked                 bool
	}
	var found []entry
	for k := 0; k+1 < len(b.Items); k++ {
		item, below := &b.Items[k], &b.Items[k+1]
		last, more := furtherBelow(b.Items, k)
		if below.Level != item.Level+1 || last < 0 || more != "" && !d.means(clean(below.Text)) {
			continue
		}
		term, rest, _ := strings.Cut(clean(item.Text), " (")
		def := clean(below.Text)
		if _, more, _ := strings.Cut(rest, ")"); more != "" {
			continue // the item says itself what it means
		}
		if !d.usable(term) || clause(term) || label(term) || len(strings.Fields(term)) > 4 || dense(term) && len([]rune(term)) > 12 || units.Weight(def) < 24 || strings.ContainsAny(term, ":：.?!$") || asExample.MatchString(def) || strings.ContainsAny(def, "=") {
			continue
		}
		found = append(found, entry{term, def, more, parentOf(b.Items, k), item.Start, b.Items[last].End, strings.HasPrefix(item.Text, "**")})
	}
	if len(found) == 0 || len(found) == 1 && (!found[0].marked || !d.means(found[0].def)) {
		return
	}
	for _, e := range found { // what stands below a word may be an example of it
		d.explained(i, e.term, e.def, sort{aspect: namesAspect(e.term), bare: true, step: !d.fragment(capital(e.def)) && !d.kindOf(e.def), under: e.under, more: e.more}, e.start, e.end)
	}
}
