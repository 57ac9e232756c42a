package questions

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// Questions from lists and tables: to complete, to order, term and definition.

// counted asks for a list that a line announces: all its items, or their order.
func (d *deriver) counted(i, k int) {
	s := &d.unit.Sections[i]
	if k+1 >= len(s.Blocks) || s.Blocks[k+1].Kind != units.List || s.Answer {
		return
	}
	b, list := &s.Blocks[k], &s.Blocks[k+1]
	intro := clean(b.Lines[len(b.Lines)-1].Text)
	if sentences := prose.Sentences(intro); len(sentences) > 0 {
		intro = sentences[len(sentences)-1].Text
	}
	if !strings.HasSuffix(intro, ":") && !strings.HasSuffix(intro, "：") && !countsItems(intro, list.Items) || units.Weight(intro) < 14 || len(prose.Words(intro)) < 3 {
		return
	}
	words := prose.Words(intro)
	if !namesSubject(words) || openList[words[0]] || strings.HasPrefix(intro, "一些") || strings.HasPrefix(intro, "部分") {
		return
	}
	if prepositions[words[len(words)-1]] || leans(words) && !wordSetCount[words[0]] || pointing.MatchString(intro) && !announces.MatchString(intro) {
		return
	}
	if openEnd.MatchString(intro) || someOf.MatchString(intro) || leadAway(list.Items) || givesFigures(list.Items) {
		return
	}
	var items []string
	said := 0
	for _, item := range list.Items {
		if item.Level > 0 {
			continue
		}
		name := itemName(item.Text)
		if _, behind, ok := strings.Cut(item.Text, name); ok && strings.Contains(behind, "$") {
			return // the formula behind it is a part of it
		}
		if d.lang == "en" && finite.MatchString(name) || d.lang == "zh" && strings.Contains(name, "是") {
			said++
		}
		if name == "" || strings.Trim(name, "0123456789") == "" || d.title.has(name) || asks(name) || item.Task || unfinished(name) || andSoOn.MatchString(name) || strings.ContainsAny(lastRune(item.Text), ":：") {
			return
		}
		items = append(items, name)
	}
	if len(items) < 3 || len(items) > 7 || len(distinct(items)) != len(items) || onlyNumbered(items) || said > 0 && (said < len(items) || d.lang == "zh") {
		return // items of which some are sentences are remarks; in Chinese also when all are
	}
	if said := stemsOf(intro); 2*len(slices.DeleteFunc(slices.Clone(items), func(item string) bool { return !said.has(item) })) > len(items) {
		return // the line names them
	}
	w := wordings[d.lang]
	q := Question{Kind: Listing, Prompt: fmt.Sprintf(w.list, strings.TrimRight(intro, ":： "), len(items)), Origin: Rule, Rank: .7, Answer: Answer{Items: items}}
	if list.Ordered && stepWords.MatchString(intro) {
		q.Kind, q.Choices, q.Prompt = Order, shuffled(items, intro), fmt.Sprintf(w.order, strings.TrimRight(intro, ":： "))
	}
	name := q.Prompt
	if place := d.place(i); !dense(intro) && !tells(intro, place) { // which names the subject
		q.Prompt = place + " — " + q.Prompt
	}
	d.addNamed(i, q, name, q.inRow(), b.Start, list.End)
}

// onlyNumbered reports whether items differ in their numbers alone: "Tier 1", "Tier 2".
func onlyNumbered(items []string) bool {
	first := digits.ReplaceAllString(items[0], "")
	return units.Weight(first) > 0 && !slices.ContainsFunc(items, func(s string) bool { return digits.ReplaceAllString(s, "") != first })
}

var digits = regexp.MustCompile(`\d+`)

// namesSubject reports whether a line that announces a list says of what, without leaning on what stands before it.
func namesSubject(words []string) bool {
	for k, w := range words {
		if k > 0 && k < 3 && demonstrative[w] {
			return false
		}
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return w != "namely" && !prose.StopWords[w] && !countWords[w] && !genericNouns[w] && !unicode.IsDigit([]rune(w)[0])
	})
}

// openEnd is the end of a line behind which stand examples, or the rest of a sentence.
var openEnd = regexp.MustCompile(`(?i)\b(?:such\s+as|like|including|tel(?:le)?s?\s+que|comme|qu['’]est|come|wie|como|you|we)\s*[:：]$|(?:例如|比如)[:：]$`)

// leadAway reports whether most items lead elsewhere, with a name behind at most; links to notes are names of things.
func leadAway(items []units.Item) bool {
	n := 0
	for _, item := range items {
		if _, behind, ok := strings.Cut(item.Text, "]("); ok && item.Text[0] == '[' && item.Text[1] != '[' && units.Weight(behind[strings.IndexByte(behind, ')')+1:]) < 48 {
			n++
		}
	}
	return 2*n > len(items)
}

// givesFigures reports whether most items give a figure of what they name: the figures are what the list is about then.
func givesFigures(items []units.Item) bool {
	n := 0
	for _, item := range items {
		if _, value, ok := termOf(item.Text); ok && figure.MatchString(value) {
			n++
		}
	}
	return 2*n > len(items)
}

// andSoOn ends a list that has not all.
var andSoOn = regexp.MustCompile(`(?i)^(?:etc|and so (?:on|forth)|usw|und so weiter|ecc|eccetera|e così via|e assim por diante|y así sucesivamente|et ainsi de suite|等等?|など)[.…。]*$`)

// numerals are the words for two to seven.
var numerals = func() map[string]int {
	m := map[string]int{}
	for _, l := range []string{"two three four five six seven", "zwei drei vier fünf sechs sieben", "due tre quattro cinque sei sette", "dos tres cuatro cinco seis siete", "dois três quatro cinco seis sete", "deux trois quatre cinq six sept", "二 三 四 五 六 七", "2 3 4 5 6 7"} {
		for n, w := range strings.Fields(l) {
			m[w] = n + 2
		}
	}
	return m
}()

// countsItems reports whether a sentence says how many there are of what the list behind it has: "It has four parts."
func countsItems(intro string, items []units.Item) bool {
	top := 0
	for _, item := range items {
		if item.Level == 0 {
			top++
		}
	}
	return strings.ContainsAny(lastRune(intro), ".。") && slices.ContainsFunc(prose.Words(intro), func(w string) bool { return numerals[w] == top })
}

// openList begins a line that announces a few of many.
var openList = prose.WordSet("some alcuni alcune algunos algunas alguns algumas einige manche quelques certains certaines")

// someOf is a line that announces a few of many within it.
var someOf = regexp.MustCompile(`(?i)\b(?:various|numerous|some\sof|for\sinstance|examples?|algun[ao]s|alguma?s|alcun[ei]|einige|mehrere\sbeispiele|plusieurs|certain[es]+)\b|例子|示例|例えば`)

var demonstrative = prose.WordSet("this these those questo questa questi queste tale tali dieser diese dieses diesem diesen")

var (
	announces    = regexp.MustCompile(`following|seguenti|folgende|如下|下述|下列|以下|次の`)
	wordSetCount = prose.WordSet("there the these")
	stepWords    = regexp.MustCompile(`(?i)\b(?:steps?|phases|stages|procedure|sequence|(?:the|this|its|whole|following)\s+(?:[\w-]+\s+)?process|process\s+(?:of|is|has|works|goes)|(?:this|the\s+following|chronological|logical)\s+order|order\s+of|passi|passaggi|fasi|schritte?|phasen|reihenfolge|ablauf)\b|\bin\s+order[:.,]?$|步骤|顺序|阶段|流程|过程|過程|手順|順序|段階`)
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
		m[prose.Fold(s)] = true
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

// entryOf is an item of a list that gives a term and what it means; marked says that the term is set off by its form.
type entryOf struct {
	term, def string
	item      units.Item
	marked    bool
}

// termList takes a list of terms with what they mean.
func (d *deriver) termList(i, k int) {
	b := &d.unit.Sections[i].Blocks[k]
	if b.Ordered && d.stepsBefore(i, k) || d.illustrated(i, k) || leadAway(b.Items) || elsewhere.MatchString(clean(d.unit.Sections[i].Title)) {
		return // what a step is called is no term, nor is another note or a part of an example
	}
	if k > 0 && d.unit.Sections[i].Blocks[k-1].Kind == units.Paragraph {
		if lines := d.unit.Sections[i].Blocks[k-1].Lines; len(lines) > 0 && leadsInto.MatchString(clean(lines[len(lines)-1].Text)) {
			return // the items go on with its sentence
		}
	}
	groups := siblings(b.Items)
	for _, group := range groups[1:] {
		d.inner(i, b, group)
	}
	pairs, few := d.entries(b, groups[0])
	if few {
		d.nested(i, b)
		return
	}
	side, step, top := d.facet(i, k), b.Ordered, len(groups[0])
	if step {
		acts := 0
		for _, p := range pairs {
			if action.MatchString(p.term) {
				acts++
			}
		}
		step = 2*acts >= len(pairs)
	}
	for _, p := range pairs {
		switch {
		case side:
			d.sided(i, p.term, p.def, p.item.Start, p.item.End)
		case p.marked:
			d.explained(i, p.term, p.def, sort{aspect: namesAspect(p.term), step: step}, p.item.Start, p.item.End)
		default: // among other items the word before a colon rather names a side than a thing; so it does where the term is marked behind it
			aspect := len(pairs) < top || strings.Contains(p.item.Text, "**")
			d.explained(i, p.term, p.def, sort{aspect: aspect || namesAspect(p.term), bare: true, step: step}, p.item.Start, p.item.End)
		}
	}
	if s := &d.unit.Sections[i]; len(pairs) >= 3 && len(pairs) <= 6 && len(pairs) == top && !s.Answer {
		q := Question{Kind: Match, Prompt: d.place(i), Origin: Rule, Rank: .5}
		for _, p := range pairs {
			_, all := d.uses(i, p.term)
			if dense(p.term) != dense(pairs[0].term) {
				return // the same terms in two languages
			}
			if w := units.Weight(p.def); w > 160 || w < 12 || all > 1 && q.Prompt == d.unit.Title || optionWords[prose.Fold(p.term)] {
				return
			}
			q.Left, q.Answer.Items = append(q.Left, p.term), append(q.Answer.Items, p.def)
		}
		q.Choices = shuffled(q.Answer.Items, q.Prompt)
		if len(distinct(q.Answer.Items)) == len(q.Answer.Items) {
			d.add(i, q, b.Start, b.End)
		}
	}
}

// leadsInto is the end of a line that the items of a list go on with: "it is involved in:".
var leadsInto = regexp.MustCompile(`(?i)\s(?:in|for|by|to|with|from|as|of|on|via|through)\s*:$`)

// entries gives those items of a group that are terms with what they mean; few when the group is no list of terms.
func (d *deriver) entries(b *units.Block, group []int) (pairs []entryOf, few bool) {
	shaped := 0
	for _, n := range group {
		item := b.Items[n]
		term, def, ok := termOf(item.Text)
		if n+1 < len(b.Items) && b.Items[n+1].Level > item.Level && len(prose.Words(def)) < 3 && !dense(def) {
			def = "" // what it means stands below it
		}
		if ok && def != "" {
			shaped++
		}
		if premise.MatchString(def) && !concluding.MatchString(def) && !strings.ContainsAny(def, ",，、") { // what follows from it stands below it
			for m := n + 1; m < len(b.Items) && b.Items[m].Level > item.Level && len(def) < mostSaid; m++ {
				def, item.End = def+"; "+clean(b.Items[m].Text), b.Items[m].End
			}
		}
		if exampleAlone.MatchString(item.Text) || exemplifies.MatchString(def) {
			continue
		}
		if ok && d.usable(term) && !infinitive.MatchString(term) && !denseClause.MatchString(term) && !strings.HasPrefix(term, "(") && !strings.Contains(term, "$") && len(strings.Fields(term)) <= 5 && units.Weight(def) >= 3 && !label(term) && !strings.ContainsAny(term, ".?!") && !d.holdsCard(item.Text) {
			pairs = append(pairs, entryOf{term, def, item, strings.ContainsAny(item.Text[:min(len(item.Text), 3)], "*_[`<=")})
		}
	}
	return pairs, len(pairs) < 2 || 2*shaped < len(group)
}

var (
	// premise begins what a result supposes, and concluding what it says then.
	premise    = regexp.MustCompile(`^(?:(?i:let|suppose|given|if|assume|sei|seien|wenn|sia|siano|se|soit|si|sea|seja)\s|设|設|令|若|假设|如果)`)
	concluding = regexp.MustCompile(`(?i)\b(?:then|dann|gilt|allora|alors|entonces|então)\b|[则則有得]`)
)

// siblings groups the items of a list by the item that they stand below; the outermost come first.
func siblings(items []units.Item) [][]int {
	groups, above := [][]int{nil}, []int{0} // above: the groups that are open, one for each level
	for n := range items {
		switch level := items[n].Level; {
		case level < len(above):
			above = above[:level+1]
		case n > 0:
			groups, above = append(groups, nil), append(above, len(groups))
		}
		last := above[len(above)-1]
		groups[last] = append(groups[last], n)
	}
	return groups
}

// inner takes terms in bold, with what they mean, that stand below another item.
func (d *deriver) inner(i int, b *units.Block, group []int) {
	pairs, few := d.entries(b, group)
	if few || slices.ContainsFunc(pairs, func(p entryOf) bool { return !p.marked }) {
		return
	}
	under := parentOf(b.Items, group[0])
	if units.SideOf(under) || ofExample.MatchString(under) {
		return
	}
	for _, p := range pairs {
		d.explained(i, p.term, p.def, sort{aspect: namesAspect(p.term), step: true, under: under}, p.item.Start, p.item.End)
	}
}

// action is how the name of what is done begins, or all of it is.
var action = regexp.MustCompile(`(?i)^\pL+(?:ing|zione|mento|aggio|ung)\b`)

// termOf splits an item "Term: meaning"; the marks of Markdown are taken off.
func termOf(item string) (term, def string, ok bool) {
	item = strings.TrimLeft(item, "# ")
	text := flat(item)
	if term, def, ok = labelled(item); ok {
		return clean(term), clean(flat(def)), true
	}
	if term, def, ok = labelled(text); ok {
		return clean(term), clean(def), true
	}
	text = highlight.ReplaceAllString(text, "$1")
	for _, sep := range []string{": ", "：", " – ", " — ", " --- ", " - ", " ... ", " … ", " = "} {
		before, after, found := strings.Cut(text, sep)
		if found && strings.Count(before, "(") > strings.Count(before, ")") {
			continue // "Zeno (334 - 262 BC)"
		}
		if found && (sep != " = " || !strings.ContainsAny(text, "$`+*^") && !strings.Contains(after, "=") && len(prose.Words(after)) > 1) {
			return clean(before), clean(after), true
		}
	}
	return "", "", false
}

// flat puts the lines of an item into one; a line that begins another sentence is parted from the one before.
func flat(item string) string {
	lines := strings.Split(strings.TrimSpace(item), "\n")
	out := strings.TrimPrefix(lines[0], "> ")
	for _, l := range lines[1:] {
		l = strings.TrimLeft(l, "> ")
		if strings.HasPrefix(l, "```") {
			break // an example in code
		}
		join := " "
		if first, _ := utf8.DecodeRuneInString(l); unicode.IsUpper(first) && !strings.ContainsAny(lastRune(out), ".,;:!?。，；：") {
			join = "; "
		}
		out += join + l
	}
	return out
}

// facet reports whether a list stands under a heading, or behind a line, that names a side of the subject: its items are
// no terms then ("Applications", "Vorteile:").
func (d *deriver) facet(i, k int) bool {
	s := &d.unit.Sections[i]
	if k > 0 && s.Blocks[k-1].Kind == units.Paragraph {
		if lines := s.Blocks[k-1].Lines; len(lines) > 0 {
			if l := strings.TrimRight(clean(lines[len(lines)-1].Text), ":： "); units.SideOf(l) {
				return true
			}
		}
	}
	heading := chapterNumber.ReplaceAllString(clean(s.Title), "")
	return s.AtomID != d.unit.ID && (units.SideOf(heading) || forOrAgainst.MatchString(heading))
}

// forOrAgainst begins a heading over what speaks for a thing, or against it: "Desventajas de la arquitectura".
var forOrAgainst = regexp.MustCompile(`(?i)^(?:dis)?(?:advantages?|benefits?|drawbacks?|limitations?|pros|cons|vorteile?|nachteile?|vantaggi[o]?|svantaggi[o]?|(?:des)?ventajas?|(?:des)?vantage(?:m|ns)|avantages?|inconvénients?)\b|(?:优点|缺点|优势|劣势|利点|欠点|メリット|デメリット)$`)

// illustrated reports whether a list is announced as an example or a comparison.
func (d *deriver) illustrated(i, k int) bool {
	s := &d.unit.Sections[i]
	if s.AtomID != d.unit.ID && ofExample.MatchString(clean(s.Title)) {
		return true
	}
	if k == 0 || s.Blocks[k-1].Kind != units.Paragraph || len(s.Blocks[k-1].Lines) == 0 {
		return false
	}
	lines := s.Blocks[k-1].Lines
	return illustrates.MatchString(clean(lines[len(lines)-1].Text))
}

// ofExample is a heading over an example or a comparison.
var ofExample = regexp.MustCompile(`(?i)^(?:an?\s|un\s|ein\s)?(?:(?:worked|simple|concrete)\s)?(?:examples?|esempi[o]?|beispiele?|analogy|analogia|analogie|metaphor|metafora)\b|(?:例子|示例|例|比喻|类比|類比|たとえ)$`)

var illustrates = regexp.MustCompile(`(?i)\b(?:analogy|analogies|metaphor|for example|example|esempio|analogia|beispiel|z\.\s?b)\b[^:：]{0,160}[:：]|(?i)^[^:：]{0,20}\banalog(?:y|ia|ie)[:：]|比喻|类比|類比|たとえ話`)

// stepsBefore reports whether a list is announced as the steps of something.
func (d *deriver) stepsBefore(i, k int) bool {
	s := &d.unit.Sections[i]
	if k > 0 && s.Blocks[k-1].Kind == units.Paragraph {
		if lines := s.Blocks[k-1].Lines; len(lines) > 0 && stepWords.MatchString(lines[len(lines)-1].Text) {
			return true
		}
	}
	return stepWords.MatchString(s.Title)
}

// uses counts in how many items of lists and lines a term is explained, in the section and in the whole unit: "Function: …" under
// every organ asks for nothing unless the organ is named.
func (d *deriver) uses(section int, term string) (here, all int) {
	if d.terms == nil {
		d.countTerms()
	}
	folded, o := prose.Fold(term), d.sections()
	here, all = d.terms[section][folded], d.termsOf[folded]+o.titles[folded] // a section of its own says more of it
	if o.folded[section] == folded {
		all--
	}
	if section != 0 && o.folded[0] == folded {
		all-- // the first is what the unit is about
	}
	return here, all
}

func (d *deriver) countTerms() {
	d.terms, d.termsOf = make([]map[string]int, len(d.unit.Sections)), map[string]int{}
	for i := range d.unit.Sections {
		d.terms[i] = map[string]int{}
		count := func(term string) {
			folded := prose.Fold(term)
			d.terms[i][folded]++
			d.termsOf[folded]++
		}
		for k := range d.unit.Sections[i].Blocks {
			b := &d.unit.Sections[i].Blocks[k]
			for _, item := range b.Items {
				if term, _, ok := termOf(item.Text); ok {
					count(term)
				}
			}
			for _, line := range b.Lines {
				if term, _, ok := lineTerm(line.Text); ok {
					count(term)
				}
			}
			if b.Kind == units.Table && meaningTable(b) {
				for _, row := range b.Rows[1:] {
					count(row[0])
				}
			}
		}
	}
}

// place names what a section speaks of: its unit, and its own heading where it has one, with the one above where another
// section has the same.
func (d *deriver) place(i int) string {
	s := &d.unit.Sections[i]
	t := clean(s.Title)
	if s.AtomID == d.unit.ID || t == "" || prose.Fold(t) == prose.Fold(d.unit.Title) || strings.HasSuffix(d.unit.Title, "› "+t) {
		return d.unit.Title
	}
	if o := d.sections(); o.titles[o.folded[i]] > 1 || namesAspect(t) || o.parent[i] >= 0 && d.inSeries(o.parent[i]) {
		if above := d.above(i); prose.Fold(above) != prose.Fold(d.unit.Title) {
			return d.unit.Title + " › " + above + " › " + t
		}
	}
	return d.unit.Title + " › " + t
}

// sided asks for what the note says of one item under a heading that names a side of its subject.
func (d *deriver) sided(i int, term, def string, from, to int) {
	place := d.place(i)
	if here, _ := d.uses(i, term); here > 1 || place == d.unit.Title || !d.usable(term) || label(term) || units.Weight(def) < 12 || unfinished(def) || strings.HasSuffix(def, ":") || pointing.MatchString(def) || d.unit.Sections[i].Answer {
		return
	}
	d.add(i, Question{Kind: Explain, Prompt: place + " — " + term + wordings[d.lang].mark(), Origin: Rule, Rank: .6, Answer: Answer{Texts: []string{def}, Points: points(def, term)}}, from, to)
}

// tells reports whether a meaning says the term it explains.
func tells(def, term string) bool {
	words := prose.Words(def)
	for _, word := range prose.Words(term) {
		if !prose.StopWords[word] && units.Weight(word) >= 3 && slices.ContainsFunc(words, func(o string) bool {
			return prose.Stem(o) == prose.Stem(word) || len(o) > 4 && strings.HasPrefix(word, o) || len(word) > 4 && strings.HasPrefix(o, word)
		}) {
			return true
		}
	}
	var dense []rune
	for _, r := range prose.Fold(term) {
		if units.Dense(r) || r == 'ー' {
			dense = append(dense, r)
		}
	}
	meaning := prose.Fold(def)
	n := max(2, len(dense)/2+1) // more than half of it, in one piece
	for i := 0; i+n <= len(dense); i++ {
		if strings.Contains(meaning, string(dense[i:i+n])) {
			return true
		}
	}
	return false
}

// moreElsewhere is a link behind a meaning that leads to more.
var moreElsewhere = regexp.MustCompile(`(?i)\s*→\s*[^→]*\bp\.?\s?\d+$|\s*[（(](?:詳細|詳しくは.{0,12}|details?|read more|more|详情|详细|详见.{0,12}|siehe .{0,20}|mehr)[）)]$`)

// exampleAlone is an item that has nothing but an example behind its label: "polite: *Could you help me?*".
var exampleAlone = regexp.MustCompile(`[:：]\s*(?:\*[^*]+\*|_[^_]+_|[„“"«「][^„“”"«»「」]+[“”"»」])[.。]?\s*$`)

// pair asks for a term by its meaning, and for the meaning of a term.
func (d *deriver) pair(i int, term, def string, from, to int) {
	d.explained(i, term, def, sort{aspect: namesAspect(term)}, from, to)
}

var (
	yesNo = prose.WordSet("yes no true false n/a none - ✓ ✗ ✔ x 是 否 有 无 はい いいえ sì ja nein")
	// optionWords name fields of settings, not terms.
	optionWords = prose.WordSet("type default required optional description name value values example id version format enum minimum maximum status date author link source tipo typ standard beschreibung position domäne kernaussage gegenargument entkräftung domain claim argument counterargument context background notation category tags scale range 正式定义 非正式定义 类型 默认 型 既定値 ア イ ウ エ オ カ キ 甲 乙 丙 丁 选项 選択肢 性质 性質 about sobre info informazioni 对照 對照 参照 疾病")
	// aspectEnds are what the last of several words names a side by: "bioinformatics speedup".
	aspectEnds = prose.WordSet("speedup goal goals problem problems issue issues challenge challenges advantage advantages benefit benefits drawback drawbacks limitation limitations requirement requirements rule tip tips trick tricks usage application applications insight insights takeaway takeaways idea ideas motivation intuition")
	// aspectWords are terms that name a side of the subject and not a thing: no meaning can ask for them.
	aspectWords = prose.WordSet(`task tasks compito compiti obiettivo obiettivi 任务 任務 advantage advantages disadvantage disadvantages pros cons usage use when why how what where who complexity time space cost purpose goal benefits drawbacks limitations history syntax type types input output default required key idea intuition summary vantaggi svantaggi scopo vorteile nachteile 优点 缺点 用途 特点 利点 欠点 用法
		function functions role structure location place process processes cause causes symptoms signs diagnosis treatment therapy prognosis dx rx sx tx hx pt significance importance result results effect effects consequence consequences origin date period meaning features characteristics properties content contents target remedy mechanism
		funzione funzioni struttura ruolo sede causa cause sintomi terapia trattamento conseguenze significato caratteristiche effetto effetti contenuto luogo data periodo
		funktion funktionen aufbau struktur ort prozess ablauf ursache ursachen symptome diagnose therapie behandlung folge folgen bedeutung besonderheit besonderheiten merkmal merkmale inhalt aufgabe aufgaben kontrolle verbindung transport zweck ziel ziele ergebnis wirkung strukturell merkspruch bildung gebrauch verwendung anwendung phasen phases stages steps fasi fase schritte formation uses forms formen
		descripción descrição description justificación justificativa justification escenario cenário scénario desafío desafio défi objetivo objetivos objectif objectifs ventajas desventajas vantagens desvantagens avantages inconvénients
		función funciones função funções fonction fonctions estructura estrutura causas efectos efeitos effets síntomas sintomas symptômes consecuencias consequências conséquences origen origem origine fecha uso usos tipos importancia importância características caractéristiques
		wann warum wieso weshalb wozu wie wo wer was quando perché come dove chi cosa cuándo dónde quién 何时 何時 为什么 为何 怎么 如何 哪里 谁 いつ なぜ どこ どうやって
		功能 主要功能 作用 结构 結構 構造 位置 原因 症状 症狀 诊断 診斷 治疗 治療 意义 意義 影响 影響 结果 結果 后果 後果 目的 目標 目标 機能 役割 場所 効果 診断 意味 意義 设计思想 技术栈 所属技术栈 上游依赖 下游依赖 适用场景 应用场景 使用场景 表示 表达 表達 写法 记法 使い方 特徴 特徴量 メリット デメリット 課題 背景
		problem problems challenge challenges motivation intuition insight takeaway caveat workflow 核心目标 核心思想 核心概念 核心 关键 思想 思路 动机 直觉 技巧 心得 要求 前提 狙い strategia strategy strategie estrategia estratégia stratégie obbiettivo obbiettivi`)
)

// saysOfOther reports whether a meaning speaks of things that were named before, or has a label of its own and is about that:
// "both have their worth", "Zhang Heng (Eastern Han): invented …".
func saysOfOther(def string) bool {
	words := prose.Words(def)
	if len(words) == 0 || back[words[0]] || likeOther.MatchString(def) {
		return true
	}
	for _, sep := range []string{"：", ": "} {
		if head, _, ok := strings.Cut(def, sep); ok && units.Weight(head) <= 24 && !strings.ContainsAny(head, "，,。.;；") {
			return true
		}
	}
	return false
}

// likeOther is how a text begins that only says to what something of the other side corresponds.
var likeOther = regexp.MustCompile(`(?i)^(?:对应|對應|相当于|相當於|等价于|等價於|同理|に対応|corresponds?\s+to|analogous\s+to|(?:the\s+)?same\s+as|similar\s+to|entspricht|corrisponde\s+a|corresponde\s+a|correspond\s+à)`)

var back = prose.WordSet("both they these those it this entrambi entrambe essi esse beide diese")
