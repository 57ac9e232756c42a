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

// passage is a text whose sentences are read: a paragraph, an item or a box, with the formulas and lists that its sentences run into.
type passage struct {
	text, row string     // row has its parts in one line
	base      int        // where it stands in the section
	runs      [][2]int   // parts within which no sentence ends
	breaks    []int      // where a paragraph follows another
	kind      units.Kind // of the last block
	ahead     bool       // its last sentence names the list behind it
}

// unended reports whether a text stops within a sentence.
func unended(text string) bool {
	last := lastRune(text)
	return last != "" && !strings.Contains(".!?。！？．", last)
}

// lowerFirst reports whether a text goes on with the sentence before it.
func lowerFirst(text string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " \n*_$"))
	return unicode.IsLower(r)
}

// add appends a block. A list or a formula behind a sentence that has not ended is a part of it, and so is what goes on after that.
func (p *passage) add(b *units.Block) {
	var text string
	kind := b.Kind
	switch kind {
	case units.Paragraph:
		var lines []string
		for _, l := range b.Lines {
			if !picture.MatchString(l.Text) {
				lines = append(lines, l.Text)
			}
		}
		if text = strings.Join(lines, "\n"); isFormulaBlock(b) {
			text, kind = "$"+strings.TrimRight(strings.TrimSpace(text), ".,")+"$", units.Math
		}
	case units.List:
		items := make([]string, len(b.Items))
		for k, item := range b.Items {
			items[k] = item.Text
			if k+1 < len(items) && !strings.ContainsAny(lastRune(item.Text), ".,;:!?。，；：、") {
				items[k] += ";" // they are one text when the box is asked as a whole
			}
		}
		text = strings.Join(items, "\n")
	case units.Math:
		text = "$$" + b.Text + "$$"
	}
	if text == "" {
		return
	}
	row := text
	if kind == units.List {
		row = strings.ReplaceAll(text, "\n", " ")
	}
	if p.text == "" {
		p.text, p.row, p.kind = text, row, kind
		return
	}
	p.row += " " + row
	from := len(p.text)
	p.text += "\n" + text
	switch last := len(p.runs) - 1; {
	case kind == units.List && (unended(p.text[:from]) || p.ahead):
		p.runs = append(p.runs, [2]int{from, len(p.text)})
	case kind == units.Paragraph && last >= 0 && p.runs[last][1] == from && lowerFirst(text):
		p.runs[last][1]++
	case kind == units.Paragraph && p.kind == units.Paragraph:
		p.breaks = append(p.breaks, from)
	}
	p.kind = kind
}

// mostSentences are read of a passage, and longestPassage the bytes that a box is read with: more is no definition, and each is looked up in
// its section.
const (
	mostSentences  = 200
	longestPassage = 64 << 10
)

// sentences are those of the passage, the first of them.
func (p *passage) sentences() (list []prose.Sentence) {
	for _, s := range prose.Sentences(p.text) {
		if len(list) >= mostSentences {
			break
		}
		for _, at := range p.breaks {
			if s.Start < at && at < s.End && !lowerFirst(p.text[at:]) { // the paragraph before has no full stop
				list = append(list, prose.Sentence{Text: p.text[s.Start:at], Start: s.Start, End: at})
				s = prose.Sentence{Text: p.text[at+1 : s.End], Start: at + 1, End: s.End}
			}
		}
		if n := len(list); n > 0 && p.within(list[n-1].End) {
			list[n-1] = prose.Sentence{Text: p.text[list[n-1].Start:s.End], Start: list[n-1].Start, End: s.End}
			continue
		}
		list = append(list, s)
	}
	return list
}

// through reports whether a sentence goes through a list or a displayed formula.
func (p *passage) through(s prose.Sentence) bool {
	return strings.Contains(s.Text, "$$") || slices.ContainsFunc(p.runs, func(r [2]int) bool { return s.Start < r[0] && r[0] < s.End })
}

// holed reports whether a picture, or what else is no text, was left out of the middle of a part of the passage that needs it.
func (p *passage) holed(s prose.Sentence) bool {
	return slices.ContainsFunc(p.breaks, func(at int) bool {
		return s.Start < at && at < s.End && lowerFirst(p.text[at:]) && unended(p.text[:at]) && !drawn.MatchString(p.text[:at])
	})
}

// formulaLine is a paragraph that is a formula.
var formulaLine = regexp.MustCompile(`^\s*\$[^$]+\$\s*[.,]?\s*$`)

// isFormulaBlock reports whether a block is a formula of its own.
func isFormulaBlock(b *units.Block) bool {
	return b.Kind == units.Math || b.Kind == units.Paragraph && len(b.Lines) == 1 && formulaLine.MatchString(b.Lines[0].Text)
}

// goesOnDense is how a Chinese or Japanese sentence goes on behind a formula.
var goesOnDense = regexp.MustCompile(`^\s*(?:存在|成立|如果|若|则|則|其中|那么|时|時|就|即|记作|称|的|が|は|を|と|で|に|となる)`)

// picture is a line that shows one and has no text.
var picture = regexp.MustCompile(`^\s*(?:!\[\[[^\]]*\]\]|!\[[^\]]*\]\([^)]*\))\s*$`)

// drawn is how a text ends that goes on without the picture that it names.
var drawn = regexp.MustCompile(`(?i)\b(?:diagrams?|figure|picture)[\s*_]*$`)

func (p *passage) within(at int) bool {
	for _, r := range p.runs {
		if at >= r[0] && at < r[1] {
			return true
		}
	}
	return false
}

// runsInto gathers what the last sentence of a paragraph goes on in, where that is a formula or a list; ok is false when it has ended.
func runsInto(s *units.Section, k int) (p passage, ok bool) {
	p.base = s.Blocks[k].Lines[0].Start
	p.add(&s.Blocks[k])
	sentences := prose.Sentences(p.text)
	if len(sentences) == 0 {
		return p, false // a picture
	}
	listed := k+1 < len(s.Blocks) && s.Blocks[k+1].Kind == units.List && pointsAhead.MatchString(sentences[len(sentences)-1].Text)
	if !listed && !unended(p.text) {
		return p, false
	}
	p.ahead = true
	for n := k + 1; n < len(s.Blocks) && len(p.text) < longestRun; n++ {
		next := &s.Blocks[n]
		switch {
		case (next.Kind == units.List || isFormulaBlock(next)) && (unended(p.text) || n == k+1):
		case next.Kind == units.Paragraph && n > k+1 && (lowerFirst(next.Lines[0].Text) || isFormulaBlock(&s.Blocks[n-1]) && goesOnDense.MatchString(next.Lines[0].Text)):
		default:
			return p, n > k+1
		}
		p.add(next)
	}
	return p, k+1 < len(s.Blocks)
}

// pointsAhead is a sentence that names the list behind it.
var pointsAhead = regexp.MustCompile(`(?i)\b(?:following|folgende[rns]?|seguent[ei]|siguientes?|seguintes?)\b|如下|以下|下列|次の`)

// longestRun bounds what is read as one sentence, in bytes.
const longestRun = 4 << 10

var (
	// formulas are those of a text, displayed and inline.
	formulas = regexp.MustCompile(`\$\$[^$]+\$\$|\$[^$\n]+\$`)
	// endOfProof is the sign that authors set at the end of a proof or a remark.
	endOfProof = regexp.MustCompile(`(?:\s*(?:\$\\(?:blacklozenge|lozenge|blacksquare|square|Box|qed|QED)\$|\\qed|[∎■□◼◻]))+\s*$`)
)

// masked has a short sign in the place of each formula.
func masked(plain string) string { return formulas.ReplaceAllString(plain, "$$x$$") }

// locate finds where a sentence of a passage stands in its section: by its first and its last line, as marks of lists may stand between them.
func (d *deriver) locate(i, base int, text string) (from, to int) {
	content := d.unit.Sections[i].Content
	content = content[:min(len(content), base+2*longestPassage)]
	first, _, _ := strings.Cut(text, "\n")
	last := strings.Trim(text[strings.LastIndexByte(text, '\n')+1:], "$; ")
	at := strings.Index(content[base:], first)
	if at < 0 {
		return base, base + 1
	}
	from = base + at
	if end := strings.Index(content[from:], last); end >= 0 && last != "" {
		to = from + end + len(last)
		if rest := strings.TrimLeft(content[to:], " \n"); strings.HasPrefix(rest, "$") && strings.HasSuffix(text, "$") {
			to = len(content) - len(strings.TrimLeft(rest, "$"))
		}
	}
	return from, max(to, from+len(first))
}

// runOn asks for what the last sentence of a paragraph defines that goes on in a formula or a list, and reports whether it defines anything.
func (d *deriver) runOn(i, k int) bool {
	s := &d.unit.Sections[i]
	p, ok := runsInto(s, k)
	if !ok || s.Answer {
		return false
	}
	list := p.sentences()
	for n := range list {
		text := list[n].Text
		if plain := clean(text); p.through(list[n]) && d.stands(plain, false, true) {
			if term := d.defines(text, plain); term != "" && (!leans(unframed(plain)) || n == 0 && (d.named(term) || d.inHeading(term))) {
				from, to := d.locate(i, p.base, text)
				d.defineWhole(i, p.base, list, n, defined{term, text, plain, from, to, .85, ""})
				return true
			}
		}
	}
	return false
}

// supposes is how a sentence begins that only says what is given.
var supposes = regexp.MustCompile(`^(?:Let|Suppose|Given|Assume|Fix|Consider|Sei|Seien|Gegeben|Sia|Siano|Dato|Data|Dati|Soit|Soient|Sea|Sean|Seja|Sejam)\s[^?]*\$|^(?:设|設|令|给定)[^？]*\$`)

// mostGiven bounds what is given before a definition, as a weight.
const mostGiven = 400

// supposed are those of the sentences before a definition that say what is given, "Let $X$ be a set and $\leq$ an order on it.", and the first of
// them, the definition itself when there are none.
func supposed(list []prose.Sentence) (given string, first prose.Sentence) {
	first = list[len(list)-1]
	for n := len(list) - 2; n >= 0; n-- {
		plain := clean(list[n].Text)
		if !supposes.MatchString(plain) || unended(plain) || strings.Contains(plain, "\n\n") || units.Weight(plain)+units.Weight(given) > mostGiven {
			break
		}
		given, first = strings.TrimSpace(plain+" "+given), list[n]
	}
	return given, first
}

// onlyNames is a sentence that gives a name to what the sentence before says.
var onlyNames = regexp.MustCompile(`^(?:The|This|That|Such\san?|These|Those)\s[^.]{0,60}?\b(?:is|are)(?:,[^,]{3,40},)?\s+(?:(?:then|also|thus|therefore)\s+)?(?:called|known\s+as|referred\s+to\s+as|termed)\s`)

// namesBefore asks for a name that the second of two sentences gives to what the first says.
func (d *deriver) namesBefore(i, base int, two []prose.Sentence, boxed bool) string {
	first, second := clean(two[0].Text), endOfProof.ReplaceAllString(clean(two[1].Text), "")
	if bare := masked(second); !onlyNames.MatchString(bare) || onlyIf.MatchString(bare) || unended(first) || !d.stands(first, boxed, strings.Contains(first, "$$")) {
		return ""
	}
	subject := prose.Words(second)
	term := d.introduced(two[1].Text, marks(two[1].Text))
	if named := len(subject) > 1 && (subject[0] != "the" || stemsOf(first).words[prose.Stem(subject[1])] || sameSymbols(ofFormula.FindString(second), first)); term == "" || !named {
		return ""
	}
	from, _ := d.locate(i, base, two[0].Text)
	_, to := d.locate(i, base, two[1].Text)
	d.define(i, defined{term, two[0].Text + " " + two[1].Text, first + " " + second, from, to, .75, ""}, "")
	return term
}

// ofFormula is a subject that a formula tells: "The pair $(X, \leq)$".
var ofFormula = regexp.MustCompile(`^The\s(?:[\w-]+\s){1,2}\$[^$]+\$`)

// sameSymbols reports whether all letters that a formula is made of stand in the formulas of a text.
func sameSymbols(formula, text string) bool {
	_, formula, ok := strings.Cut(formula, "$")
	there := strings.Join(formulas.FindAllString(text, -1), " ")
	return ok && !slices.ContainsFunc(symbol.FindAllString(formula, -1), func(s string) bool { return s[0] != '\\' && !strings.Contains(there, s) })
}

var symbol = regexp.MustCompile(`\\?[A-Za-z]+`)

// onlyIf finds a condition, under which a sentence defines by itself.
var onlyIf = regexp.MustCompile(`(?i)\b(?:if|iff|when|whenever|provided|which|that|where)\b`)
