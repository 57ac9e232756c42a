package questions

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stoa/internal/learning/notation"
	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// Gaps by rule: on the marked term that carries a sentence, and on its dates and numbers.

// mark is a marked word of a sentence.
type mark struct {
	text   string // up to its first formula
	whole  string // with its formulas
	strong bool   // bold
	italic bool
	code   bool
	from   int // where it stands with its marks
	to     int
}

// marks gives what the author marked in a sentence: in bold, as a link to another note, as code.
func marks(raw string) []mark {
	var list []mark
	for _, m := range prose.Marks(raw) {
		text := raw[m.Inner:m.End]
		if m.Form == prose.Linked {
			text = clean("[[" + text + "]]")
			if m.From > 0 && raw[m.From-1] == '!' || slug.MatchString(text) {
				continue
			}
		} else {
			text = strings.Trim(clean(text), ".,:; ")
		}
		whole := text
		if strings.Contains(text, "$") && m.Form != prose.Coded {
			if text = beforeFormula(text); len(text) <= 3 {
				text = ""
			}
		}
		list = append(list, mark{text: text, whole: whole, strong: m.Form != prose.Linked && m.Form != prose.Coded && !m.Form.Italic, italic: m.Form.Italic, code: m.Form == prose.Coded, from: m.From, to: m.To})
	}
	return list
}

// beforeFormula is a term without its first formula and what leads to that: "Hermitian form on $V$".
func beforeFormula(term string) string {
	head, _, found := strings.Cut(term, "$")
	for head = strings.TrimSpace(head); found; {
		rest, last, more := cutLast(head)
		if !more || !prepositions[prose.Fold(last)] && !leadsOn[prose.Fold(last)] {
			break
		}
		head = rest
	}
	return head
}

// slug is a link that shows the name of a file and no words of the sentence: "a subset of a [[metric-spaces]]".
var slug = regexp.MustCompile(`^[a-z0-9]+(?:[-_][a-z0-9]+)+$`)

// codeName is code with a name that can be asked for. Addresses, paths, names of files and symbols of one calculation cannot.
var codeName = regexp.MustCompile(`^(?:--?)?[A-Za-z][A-Za-z-]{2,}(?:[ :][\w:-]+|\(\))*$`)

// labelFirst is a line that begins with a label: "Context: what is assumed of `theory`."
var labelFirst = regexp.MustCompile(`^\p{Lu}[\pL /-]{2,30}:\s`)

// noName reports whether a marked text is a verb or ends within a phrase: "could", "multiplying by".
func noName(text string) bool {
	words := prose.Words(text)
	return len(words) == 0 || statements[prose.Fold(text)] || verbPhrase.MatchString(text) || interrogative.MatchString(text) || len(words) == 1 && (clauseWords[words[0]] || auxiliaries[words[0]]) || prepositions[words[len(words)-1]] || prose.StopWords[words[len(words)-1]] && !units.Dense([]rune(words[len(words)-1])[0])
}

// verbPhrase is what is done with something: "prevent the entry".
var verbPhrase = regexp.MustCompile(`^[a-z]+\s(?:the|an?)\s`)

var auxiliaries = prose.WordSet(`can could may might must shall should will would cannot always never often usually only exactly where why how when which what
	può possono potrebbe potrebbero deve devono dovrebbe dovrebbero sempre mai solo soltanto spesso dove perché come quando quale quali
	kann können könnte könnten muss müssen darf dürfen soll sollen immer nie nur oft genau wo warum wie wann wer was welche welcher welches dass`)

// gaps asks for the marked words of a sentence, one at a time.
func (d *deriver) gaps(i int, raw, plain, defined, where string, from, to int) {
	boxed := where == "box"
	if d.foreign(plain) || sideFirst(plain) || where != "" && figure.MatchString(plain) {
		return
	}
	if where == "item" && defined == "" && (len(prose.Words(plain)) < 8 || d.lang == "en" && d.fragment(plain)) {
		return // a keyword or a phrase, not a sentence
	}
	if bare := masked(plain); defined == "" && onlyNames.MatchString(bare) && !onlyIf.MatchString(bare) {
		return // what it gives a name to stands before it
	}
	if where != "" && (unnamedSubject.MatchString(plain) && romance[d.lang] || d.lang == "de" && ofNounFirst.MatchString(plain) && !germanVerb.MatchString(plain)) {
		return // what it speaks of stands elsewhere
	}
	marked := slices.DeleteFunc(marks(raw), func(m mark) bool { return m.italic }) // which is stress as often as a term
	side := listed(raw, marked)
	for n, m := range marked {
		if where == "item" && defined == "" && leads(raw[:m.from]) {
			continue // what stands first in an item names it, and what follows need not tell it
		}
		if leads(raw[:m.from]) && (notMeant.MatchString(plain) || strings.HasPrefix(strings.TrimLeft(raw[m.to:], "*_` "), "と呼")) {
			continue // what follows is true of many things
		}
		if defined == "" && names.MatchString(raw[m.to:]) {
			continue // the sentence gives a name to something, and that is to be learned
		}
		if strings.HasPrefix(m.text, "的") || side[n] || d.fillable(raw, m, defined) || clause(m.text) || describes(m.text, raw[m.to:]) || strings.ContainsAny(m.text, ":：=") && !m.code {
			continue
		}
		if defined != "" && strings.Contains(prose.Fold(defined), prose.Fold(m.text)) || !d.usable(m.text) || d.title.has(m.text) || label(m.text) || noName(m.text) || namesAspect(m.text) {
			continue
		}
		rank := 0.0
		switch {
		case m.strong:
			rank = .7
		case m.code && !labelFirst.MatchString(plain) && codeName.MatchString(m.text) && len(m.text) <= 24 && len(prose.Words(plain)) >= 8:
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
		if prompt, ok := d.blankOut(d.lineOf(plain, m.text), m.text); ok && !strings.Contains(prompt, ".."+blank) && units.Weight(strings.ReplaceAll(prompt, blank, "")) >= 24 {
			d.add(i, Question{Kind: Gap, Prompt: prompt, Origin: Rule, Rank: rank, Answer: answerOf(m.text)}, from, to)
			return // two gaps of one sentence ask the same
		}
	}
}

// names gives a name to what stands before it.
var names = regexp.MustCompile(`(?:称为|叫做|称作|叫作|称之为)|\b(?:is|are)\s(?:called|termed|known\sas)\b|\bsi\schiama(?:no)?\b`)

// sideFirst reports whether a sentence says something of a side whose subject stands elsewhere: "The effect is reversible".
func sideFirst(plain string) bool {
	words := strings.Fields(prose.Fold(plain))
	return len(words) > 3 && isArticle[words[0]] && aspectWords[words[1]] && saying[words[2]]
}

var isArticle = prose.WordSet("the der die das il la l' el los las le les o a os as")

// fillable reports whether other words would do as well in the place of a marked one, or nobody could say all of it.
func (d *deriver) fillable(raw string, m mark, defined string) bool {
	if m.code && !strings.Contains(m.text, " ") || strings.Contains(m.text, "$") {
		return false
	}
	words, first := strings.Fields(m.text), []rune(m.text)
	before := raw[:m.from]
	switch {
	case warning.MatchString(m.text):
		return true
	case len(first) == 0 || strings.ContainsAny(m.text, ",，、;；"), either.MatchString(m.text): // several things
		return true
	case len(words) > 3 && unicode.IsLower(first[0]):
		return true
	case strings.Count(before, "(") > strings.Count(before, ")"): // by the way
		return true
	case strings.Contains(raw, "->") || strings.Contains(raw, "→"):
		return true
	case len(words) == 1 && romance[d.lang] && unicode.IsLower(first[0]) && (adjective.MatchString(m.text) || romanceParticiple.MatchString(m.text)) && !called.MatchString(before):
		return true
	}
	return len(words) == 1 && defined != "" && genus.MatchString(clean(before)) && !called.MatchString(before)
}

var (
	// unnamedSubject begins with what is done: "Estabelecer limites de controle e controlar o processo".
	unnamedSubject = regexp.MustCompile(`^\p{Lu}\pL+(?:[aei]r|are|ere|ire)[,\s]`)
	// ofNounFirst is a German phrase of what is done: "Nutzung eines Modells".
	ofNounFirst       = regexp.MustCompile(`^\p{Lu}\pL+\s(?:von|des|der|eine[rs])\s`)
	romance           = prose.WordSet("it es pt fr")
	romanceParticiple = regexp.MustCompile(`(?:é|ée|és|ées|ado|ada|ados|adas|ido|ida|ato|ata|ati|ate|uto|uta)$`)
	either            = regexp.MustCompile(`(?i)\s(?:or|oder|o|ou|and|und|e|y|et)\s`)
	// called stands before a word that is the name of what was said.
	called = regexp.MustCompile(`(?i)(?:called|said|named|termed|known as|dit|dite|dits|appel\pL+|nomm\pL+|dett[oaie]|chiamat[oaie]|chiama|definisce|dice|llama\pL*|denomina\pL*|chama\pL*|diz|heißt|heißen|genannt|nennt|bezeichnet)\b[^.]{0,30}$`)
	// genus is what stands before the noun that says what kind of thing is defined: another noun of the kind would be right too.
	genus = regexp.MustCompile(`(?i)(?:^|\s)(?:is|are|ist|sind|è|sono|es|son|est|sont|é|são)\s(?:(?:an?|eine?|una?|uno|une|uma?|des)\s)?(?:(?:form|type|kind)\sof\s)?(?:[\pL-]+\s)?$`)
)

// lineOf gives the line of a sentence that a text stands in, where lines end without a full stop and are not wrapped.
func (d *deriver) lineOf(plain, text string) string {
	if !dense(plain) {
		return plain
	}
	for line := range strings.SplitSeq(plain, "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return plain
}

// dateThenSubject is a Chinese or Japanese sentence that begins with a date and names its subject: what begins with a date often leaves it to the heading.
var dateThenSubject = regexp.MustCompile(`^____\s*年(?:\s*\d+\s*月)?(?:\s*\d+\s*日)?(?:，|[^。]*[はが])`)

// warning is a mark that calls for attention and says nothing.
var warning = regexp.MustCompile(`(?i)^(?:be\scareful|careful|attention|warning|caution|important|achtung|vorsicht|wichtig|attenzione|importante|atenção|cuidado|atención|注意|重要)\b`)

// citedYear is the year of a work behind its author: "(Horrocks et al. ____)".
var citedYear = regexp.MustCompile(`\((?:[^()]*\s)?(?:et\sal\.?,?|\p{Lu}\pL+,?)\s` + blank + `[a-z]?[,;)]`)

var (
	yearForm   = regexp.MustCompile(`(?:^|[^\w.,$/\\-])((?:1[0-9]|20)\d\d)(?:[^\w.,%$/-]|[.,]?$|[.,]\s|年)`)
	figureForm = regexp.MustCompile(`(?:^|[\s(≈~])(\d+(?:[.,]\d+)?)\s?(%|km|cm|mm|nm|m|kg|mg|g|ms|bits?|bytes?|KB|MB|GB|Hz|kHz|MHz|GHz|°C|kJ|J|V|W|ml|l|hours|days|years|minutes|seconds)\b`)
)

// figures asks for the one year or quantity of a sentence that names who or what it belongs to.
func (d *deriver) figures(i int, plain string, from, to int) {
	if strings.ContainsAny(plain, "$`=[]#") || units.Weight(plain) < 36 {
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
	v, _, ok := notation.Number(value)
	if !ok || strings.Contains(d.unit.Title, value) || strings.Count(plain, value) > 1 {
		return
	}
	if slices.ContainsFunc(d.list, func(q Question) bool { return q.Answer.Number && q.Answer.Texts[0] == value }) {
		return // the note says it again
	}
	prompt := plain[:m[2]] + blank + plain[m[3]:]
	if strings.Contains(prompt, "("+blank+")") || citedYear.MatchString(prompt) || strings.HasPrefix(prompt, blank) && dense(plain) && !dateThenSubject.MatchString(prompt) {
		return // the year of a work that is cited; what happened, without to whom
	}
	d.add(i, Question{Kind: Gap, Prompt: prompt, Origin: Rule, Rank: .55, Answer: Answer{Texts: []string{value}, Number: true, Value: v}}, from, to)
}
