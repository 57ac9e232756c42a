package questions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/learning/notation"
	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// What stands behind a term: its meaning, or something that is said of it.

// sort says what stands before a colon: an aspect of the subject, which is asked with its place alone, or bare words, of which nobody says that what
// follows is their meaning; step that it is what is done in turn, or has only something below it, so that nobody can be asked for it by that.
// under is the item that it stands below, more what the paragraph says behind the meaning.
type sort struct {
	aspect, bare, step bool
	under, more        string
}

func namesAspect(term string) bool {
	bare := leadingArticle.ReplaceAllString(prose.Fold(term), "")
	_, last, more := cutLast(bare)
	return aspectWords[bare] || more && aspectEnds[last] || units.SideOf(term) || dated.MatchString(term) || sideOfThing(term)
}

var (
	// pathIn is a meaning that names a file of the vault.
	pathIn = regexp.MustCompile(`^[^\s/:]+(?:/[^/:]+){2,}`)
	// sumOfMoney is a figure of one case, or how it was reckoned: "2m $ per year", "(110 - 102) / 102 = 7.8 %".
	sumOfMoney = regexp.MustCompile(`^(?:[€$£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[kKmM]\s?)?(?:[€$£¥元円]|EUR|USD|Mio\.?|million)|\(?\d[\d.,]*\s?[kKmM]?\s*[-+*/×÷−][^=]*=\s*[\d.]+)`)
	// countedResult names a result by its number alone.
	countedResult = regexp.MustCompile(`(?i)^(?:theorem|lemma|corollary|proposition|teorema|corollario|proposizione|satz|korollar|théorème|corollaire|定理|引理|推论|命题|命題|系|補題|性质|性質)\s*[\d.]+$`)
	// publisher is where a book came out.
	publisher = regexp.MustCompile(`^(?:Editora|Editorial|Ed\.|Verlag|Casa editrice|Éditions?)\s|(?:Verlag|Publishing|Publishers|University Press|出版社|書店)$`)
	// denies is a label that says something: "the token keeps nothing".
	denies = regexp.MustCompile(`(?i)\s(?:nicht|nichts|kein|keine|nothing|never|non|niente|nada|ne|rien)(?:\s|$)`)
)

// leadingArticle stands before a label: "O desafio".
var leadingArticle = regexp.MustCompile(`^(?:the|an?|der|die|das|il|lo|la|l['’]|el|los|las|le|les|os?|as?)[\s]`)

// goesOn is the end of a Japanese or Chinese line in the middle of a sentence.
var goesOn = regexp.MustCompile(`(?:[をはがにでて、，的和与在是]|[^こ]と|[^も]の|ため|から|により)$`)

// instructs is how a text begins that says what to do, so that what stands before it is a step of what the heading names.
var instructs = regexp.MustCompile(`(?i)^(?:check|evaluate|assess|verify|compare|consider|observe|look\s(?:at|for)|avalie|verifique|veja|observe|analise|considere|evalúa|evalúe|verifica|verifique|observa|revisa|revise|analiza|considera|valuta|valutare|verificare|controlla|controllare|osserva|analizza|confronta|prüfen?|vergleichen?|beachten?|achten?|vérifie[rz]|évalue[rz]|compare[rz]|considére[rz]|observe[rz]|analyse[rz])\s`)

// saying are words by which a label of several words is a sentence: "C3a and C5a are anaphylatoxins".
var saying = prose.WordSet(`is are was were can must should does do has have will prevents causes leads requires makes becomes increases decreases produces depends
	è sono può hanno deve es son puede debe é são pode est sont peut doit ist sind kann muss wird werden`)

// germanSentence is a label of two nouns and what the first does to the second: "Güter befriedigen Bedürfnisse".
var germanSentence = regexp.MustCompile(`^\p{Lu}\p{Ll}+\s\p{Ll}{3,}e[rl]?n\s\p{Lu}\p{Ll}+$`)

// denseSentence is a Japanese or Chinese label that says something of a thing: "NAPTはアドレス変換技術".
var denseSentence = regexp.MustCompile(`[\p{Katakana}ー\p{Han}A-Za-z0-9]は[\p{Katakana}\p{Han}A-Za-z]|\p{Han}是\p{Han}`)

// loose is a label that goes on behind a word and is no name: "separate from grammar", "sound instead of writing".
var loose = regexp.MustCompile(`\s(?:from|instead|than|rather|without)\s`)

// says reports whether a label is a sentence, and no question.
func says(term string) bool {
	if denseSentence.MatchString(term) {
		return !strings.ContainsAny(term, "?？")
	}
	words := strings.Fields(prose.Fold(term))
	return len(words) > 2 && !interrogative.MatchString(term) && slices.ContainsFunc(words[1:], func(w string) bool { return saying[w] }) || germanSentence.MatchString(term)
}

// subjectFirst is the subject of a sentence of one word.
var subjectFirst = regexp.MustCompile(`^([\pL-]+)\s(?:is|are|was|can|has|ist|sind|kann|è|sono|es|son|é|são|est|sont)\s`)

// ofSibling reports whether what stands behind a term speaks of another term of the section.
func (d *deriver) ofSibling(i int, term, def string) bool {
	m := subjectFirst.FindStringSubmatch(def)
	if m == nil || prose.Fold(m[1]) == prose.Fold(term) {
		return false
	}
	here, _ := d.uses(i, m[1])
	return here > 0
}

// dated is a day or a year, which is no name of what happened then.
var dated = regexp.MustCompile(`(?:^|[^\d])(?:1\d|20)\d\d(?:$|[^\d])`)

// explained asks for a term with its meaning, and for what is said of an aspect.
func (d *deriver) explained(i int, term, def string, is sort, from, to int) {
	w, aspect := wordings[d.lang], is.aspect
	def, ok := unwrapped(def)
	if !ok {
		return
	}
	term = strings.Trim(numbering.ReplaceAllString(term, "$1"), ":： ") // "::Inflation:: — a rise of prices"
	for _, dash := range []string{"— ", "– ", "- "} {
		def = strings.TrimPrefix(def, dash)
	}
	def = strings.TrimSpace(moreElsewhere.ReplaceAllString(def, ""))
	if d.unusual(i, term, def) {
		return
	}
	if instructs.MatchString(def) {
		if aspect = true; d.place(i) == d.unit.Title {
			return
		}
	}
	brief := typed(def) || formulaAlone(def) && len(def) < 60
	short := typed(def) && nameLike(term, def) || formulaAlone(def) && len(def) < 60 && strings.Count(strings.ReplaceAll(def, "$$", "$"), "$") <= 2
	place := d.unit.Title
	here, all := d.uses(i, term)
	if here > 1 {
		return // which of them is meant nobody can tell
	}
	if all > 1 || aspect || ofTwo.MatchString(d.unit.Title) {
		if place = d.place(i); all > 1 && place == d.unit.Title {
			return
		}
	}
	if strings.HasSuffix(prose.Fold(place), "› "+prose.Fold(term)) {
		place = d.unit.Title // its own heading
	}
	if is.under != "" && prose.Fold(is.under) != prose.Fold(place) {
		place, is.bare = place+" › "+is.under, true
	}
	ranged := figure.MatchString(term) || countedResult.MatchString(term)
	byMeaning := !aspect && all <= 1 && !is.step && !ranged && d.tellsTerm(term, def, is.bare)
	prompt := fmt.Sprintf(w.whatIs, term)
	if !d.title.has(term) && !d.titleIn(term) {
		prompt = place + " — " + prompt
	}
	name := prompt
	if aspect || is.bare || all > 1 || brief || ranged || !d.means(def) || personName.MatchString(term) && pastFirst.MatchString(def) { // it is said of several things, or what is said of it need not be its meaning
		name = place + " — " + term + w.mark()
		if is.under == "" && place == d.unit.Title && !strings.Contains(prose.Fold(d.unit.Sections[i].Title), prose.Fold(term)) {
			place = strings.TrimRight(d.place(i), ":： ")
		}
		prompt = place + " — " + term + w.mark()
	}
	if prompt = d.asking(prompt, term, def, aspect); strings.HasPrefix(prompt, place+" — ") && prose.Fold(place) == prose.Fold(term) {
		if prompt = fmt.Sprintf(w.recall, term); d.definedYet(term) {
			return
		}
	}
	switch {
	case brief && (interrogative.MatchString(term) || repeats(def, term)):
		return // a word or two rarely say how or why
	case short && !yesNo[prose.Fold(def)] && !strings.Contains(prose.Fold(place), prose.Fold(def)):
		d.addNamed(i, Question{Kind: Open, Prompt: prompt, Origin: Rule, Rank: .6, Answer: answerOf(def)}, name, def, from, to)
	case units.Weight(def) >= 24, !short && units.Weight(def) >= 8:
		rank := .75
		if brief {
			rank = .6
		}
		q := Question{Kind: Explain, Prompt: prompt, Origin: Rule, Rank: rank, Answer: Answer{Texts: []string{withMore(def, is.more)}, Points: points(def, term)}}
		if byMeaning {
			q.twin = term
		}
		d.addNamed(i, q, name, def, from, to)
	}
	if byMeaning {
		d.add(i, Question{Kind: Open, Prompt: fmt.Sprintf(w.describes, def), Origin: Rule, Rank: .8, Answer: answerOf(term), twin: term}, from, to)
	}
}

// withMore puts what else is said behind a meaning.
func withMore(def, more string) string {
	if more != "" && unended(def) {
		return def + "; " + more
	}
	return inOne(def, more)
}

// tellsTerm reports whether a term can be asked for by what stands behind it; bare says that nobody marked it as one.
func (d *deriver) tellsTerm(term, def string, bare bool) bool {
	switch {
	case interrogative.MatchString(term), d.title.has(term), units.Weight(def) < 24, either.MatchString(term), bare && loose.MatchString(term), len(prose.Sentences(def)) > 1, tells(def, term), clause(nameOf(term)):
		return false
	case !dense(term) && selfNamed.MatchString(def), personName.MatchString(term) && pastFirst.MatchString(def):
		return false
	}
	return d.means(def) || d.describing(def)
}

var (
	// personName is one, as far as its capitals tell, and pastFirst how a text begins that says what somebody did.
	personName = regexp.MustCompile(`^\p{Lu}\pL+(?:\s\p{Lu}\.?)*\s\p{Lu}\pL+$`)
	pastFirst  = regexp.MustCompile(`^\pL+ed\s`)
	// leadIn is what authors say before they put it in other words.
	leadIn = regexp.MustCompile(`(?:是|说|為|为|如下)$|^(?:换句话说|也就是说|总之|总的来说|简单来说|要するに|つまり|言い換えると)|(?i)^(?:in other words|that is|in short|mit anderen worten|in altre parole|en otras palabras|em outras palavras|autrement dit)$`)
	// inField says where what follows holds: "in set theory".
	inField = regexp.MustCompile(`(?i)^(?:in|for|with|under|from|at|by|within)\s\S+\s\S+`)
	// decades are no terms: "1950s–1960s", "1970s–present".
	decades = regexp.MustCompile(`(?i)^\d{3}0s(?:\s?[–-]\s?(?:\d{4}s?|present|today))?$`)
)

// unwrapped is what stands behind a term up to the end of its sentence, which an editor, or short lines, may have wrapped; ok is false where
// each line says something.
func unwrapped(text string) (def string, ok bool) {
	def, more, _ := strings.Cut(text, "\n")
	for more != "" {
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(more, " \t*_"))
		if _, _, another := labelled(more); another {
			break
		}
		if goesOn.MatchString(def) && units.Dense(next) {
			var line string
			line, more, _ = strings.Cut(more, "\n")
			def += strings.TrimSpace(line)
			continue
		}
		if !unicode.IsLower(next) || strings.ContainsAny(lastRune(def), ".!?。") {
			break
		}
		if units.Weight(def) < wrapped {
			return "", false // nobody wrapped it
		}
		var line string
		line, more, _ = strings.Cut(more, "\n")
		def += " " + strings.TrimSpace(line)
	}
	return def, true
}

// unusual reports whether a term, or what stands behind it, is of a form that nobody can be asked for.
func (d *deriver) unusual(i int, term, def string) bool {
	return whatItIs.MatchString(term) || decades.MatchString(term) || leadIn.MatchString(term) || loose.MatchString(term) || inField.MatchString(term) || publisher.MatchString(def) || pathIn.MatchString(def) || sumOfMoney.MatchString(def) || denies.MatchString(term) || strings.Count(def, "$")%2 == 1 || madeBy.MatchString(term) || strings.HasPrefix(def, "http") ||
		says(term) || strings.Contains(def, " | ") || d.ofSibling(i, term, def) || !d.usable(term) || label(term) ||
		strings.ContainsAny(term, "→⇒=") || units.SaysNothing(term) || optionWords[prose.Fold(term)] || def == "" || strings.HasPrefix(def, "```") ||
		exemplifies.MatchString(def) || strings.HasSuffix(def, ":") || unfinished(def) || pointing.MatchString(def) || d.unit.Sections[i].Answer || saysOfOther(def) || strings.ContainsAny(lastRune(def), "?？")
}

// asking puts a prompt that only names a term more clearly: for a formula, or for what the notes say where that need not be what the term means.
func (d *deriver) asking(prompt, term, def string, aspect bool) string {
	w := wordings[d.lang]
	bare, ok := strings.CutSuffix(prompt, w.mark())
	switch {
	case !ok || !strings.Contains(prompt, " — "+term):
	case formulaAlone(def):
		return bare + " (" + w.formula + ")" + w.mark()
	case !aspect && dense(term) == dense(def) && !asks(term) && !interrogative.MatchString(term) && !d.means(def) && !d.describing(def):
		return bare + w.says
	}
	return prompt
}

// repeats reports whether at least half of the telling words of an answer stand in its label: "number of airlines" behind "Number of producers".
func repeats(def, term string) bool {
	in := stemsOf(term)
	telling, said := 0, 0
	for _, w := range prose.Words(def) {
		if !prose.StopWords[w] && !units.Dense([]rune(w)[0]) {
			telling++
			if in.words[prose.Stem(w)] {
				said++
			}
		}
	}
	return said > 0 && 2*said >= telling
}

// typed reports whether an answer is short enough to be typed.
func typed(def string) bool {
	n := len(strings.Fields(def))
	return n <= 4 && units.Weight(def) <= 30 && (!dense(def) || units.Weight(def) <= 20)
}

// nameLike reports whether what stands behind a term can be typed as it is: a figure, names, a word, or what an abbreviation stands for. Of what
// describes the term there are other wordings that are as good.
func nameLike(term, def string) bool {
	words := strings.Fields(def)
	switch {
	case strings.ContainsAny(def, "0123456789`"), abbreviation.MatchString(term), len(words) == 1 && !dense(def):
		return true
	case dense(def):
		return units.Weight(def) <= 6
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		first, _ := utf8.DecodeRuneInString(w)
		return unicode.IsLower(first) && !isArticle[w] && !nameLink[w]
	})
}

var (
	abbreviation = regexp.MustCompile(`^\p{Lu}[\p{Lu}\d]{1,7}$`)
	nameLink     = prose.WordSet("of and e ed und y et de di del da von van")
)

// formulaAlone reports whether a text is a formula and no words.
func formulaAlone(def string) bool {
	if !notation.IsFormula(def) || strings.Contains(def, "`") {
		return false
	}
	return units.Weight(latexWord.ReplaceAllString(formulaPart.ReplaceAllString(def, ""), "")) <= 3 || !strings.Contains(def, "$") && !proseWord.MatchString(latexWord.ReplaceAllString(def, ""))
}

var (
	formulaPart = regexp.MustCompile(`\${1,2}[^$]*\${1,2}`)
	latexWord   = regexp.MustCompile(`\\(?:text|mathrm|operatorname)\{[^}]*\}|\\[A-Za-z]+`)
	proseWord   = regexp.MustCompile(`\pL{4,}|[\p{Han}\p{Hiragana}\p{Katakana}]{2,}`)
)

// nameOf is a term without what stands in brackets behind it.
func nameOf(term string) string {
	if before, _, ok := shortForm(term); ok {
		return before
	}
	return term
}

// means reports whether what stands behind a term reads as its meaning, and not as something that is said of it.
func (d *deriver) means(def string) bool {
	re := meant[d.lang]
	return !didSomething.MatchString(def) && !classifies.MatchString(def) && (d.fragment(capital(def)) || d.kindOf(def) || predicate.MatchString(def) || re != nil && re.MatchString(def))
}

// classifies begins with the kinds of a thing instead of what it is.
var classifies = regexp.MustCompile(`^(?:(?:根据|按照?|依据?)[^，。]{1,20}，?)?(?:可以?|主要|一般)*分[为成]|(?i)^(?:can\sbe\s)?(?:divided|classified)\sinto\s`)

// selfNamed is a meaning that begins with the term in another script: "语音学研究的是…" behind "Phonetics".
var selfNamed = regexp.MustCompile(`^\p{Han}{2,8}(?:是|指|研究|とは|は)`)

// interrogative is a label that asks: "How is it built".
var interrogative = regexp.MustCompile(`(?i)^(?:how|what|why|when|where|who|which|com['’]è|come|cosa|che\s+cos|perch[ée]|quando|dove|chi|qual[ei]?|wie|was|warum|wann|wozu|wer|comment|pourquoi|qu['’]est|qué|cómo|por\s+qu[ée]|cuándo|como|o\s+que)(?:[\s?]|$)|^(?:什么|怎么|如何|为什么|为何|怎样|なぜ|どう|いつ)|^(?:cosa|che\s+cosa)\s+vuol\s+dire`)

// describing reports whether what stands behind a term begins with a noun and what it is of, or with what the thing does: by such a text the
// term can be asked for. Behind a label stands as often something that is said of the subject ("Legacy: Regarded as one of …").
func (d *deriver) describing(def string) bool {
	head, _, _ := strings.Cut(def, ",")
	re := ofNoun[d.lang]
	first, _, _ := strings.Cut(def, " ")
	switch {
	case doneBy.MatchString(def), didSomething.MatchString(def):
		return false
	case does.MatchString(def):
		return true
	case d.lang == "en" && verbFirst.MatchString(def):
		return !finite.MatchString(head) && !noVerb.MatchString(def) && !d.tellsSubject(first) // which would be the whole note's subject
	case re == nil || !re.MatchString(def):
		return false
	case d.lang == "en":
		return !finite.MatchString(head) && !participle.MatchString(def)
	case d.lang == "de":
		return !germanVerb.MatchString(head)
	}
	return !italianVerb.MatchString(" " + strings.ToLower(head) + " ")
}

var (
	ofNoun = map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?:[\w/-]+\s+){1,4}?(?:of|for|between|among|from|who|that|which|whose|in\s+which)\s`),
		"de": regexp.MustCompile(`^(?:\pL+e[rsn]?\s+){0,2}\p{Lu}[\pL-]+\s+(?:zwischen|eine[rs]|des|der|von|aus|mit|für|in|zur|zum)\s`),
		"it": regexp.MustCompile(`(?i)^\pL{4,}(?:\s\pL+)?\s(?:di|d['’]|del|dell['’]|dello|della|dei|degli|delle|tra)[\s\pL]`),
		"es": regexp.MustCompile(`(?i)^\pL{4,}(?:\s\pL+)?\s(?:de|del|entre|que|para)\s`),
		"pt": regexp.MustCompile(`(?i)^\pL{4,}(?:\s\pL+)?\s(?:de|d[oa]s?|entre|que|para)\s`),
		"fr": regexp.MustCompile(`(?i)^\pL{4,}(?:\s\pL+)?\s(?:de|des|du|entre|qui|pour)\s|^\pL{4,}\sd['’]`),
		"zh": regexp.MustCompile(`^[^，。；：、]{4,60}的[\p{Han}\w]{1,8}。?$`),
	}
	// verbFirst begins with "binds", "describes", or with the plural of a noun.
	verbFirst = regexp.MustCompile(`^[A-Za-z]+[^su\W]s\s`)
	// noVerb begins with a word that only looks like one, or with a plural of which something is said: "Aligners only need".
	noVerb = regexp.MustCompile(`(?i)^(?:always|sometimes|perhaps|besides|afterwards|nowadays|whereas|across|towards|its)\s|^[A-Z]\w+s\s+(?:only|always|never|often|usually|also|still|then|need|want|use|make|take|get|give|allow|require|provide|contain|include|form|help|work|lead|cause|depend|exist|occur|vary)\s`)
	// doneBy begins with what was done by somebody to something that is not named: "élaborées par des élus".
	doneBy = regexp.MustCompile(`(?i)^\pL+\s(?:par|da|dal|dalla|dai|dalle|por|pelo|pela|by|von|durch)\s`)
	// madeBy is a label that names somebody by what was done: "Introduced by Jeremy Bentham".
	madeBy = regexp.MustCompile(`(?i)^(?:\pL+ed\sby|\pL+t[oaie]\sda|\pL+ad[oa]\spor)\s`)
	// does is how a text begins that says what a thing does.
	does       = regexp.MustCompile(`(?i)^(?:contiene|indica|permette|consente|rappresenta|esegue|gestisce|memorizza|definisce|descrive|misura|trasforma|collega|protegge|produce|regola|controlla|raggruppa|fornisce|riceve|trasporta|converte|permite|representa|mide|controla|almacena|protege|conecta|produz|armazena|permet|contient|représente|mesure|protège|relie|beschreibt|misst|enthält|speichert|verbindet|schützt|steuert)\s`)
	participle = regexp.MustCompile(`^[\w-]+(?:ed|ing)\s|\bone\s+of\s+the\s`)
)

// meant is how meanings begin besides.
var meant = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(`(?i)^(?:an?|any|the)\s+(?:[\w-]+\s+){0,4}?(?:of|that|which|who|where|to|for|used|in|with|by|whose)\s|^[^,.;]{0,60}\b(?:is|are)\s+(?:an?|the)\s`),
	"de": regexp.MustCompile(`^(?:\pL+e[rs]?\s+)?\p{Lu}[\pL-]+(?:,\s+(?:der|die|das|eine?n?)|\s+(?:der|des|von|zur|zum|für))\s`),
	"it": regexp.MustCompile(`(?i)^(?:(?:è|sono|insieme)\s|(?:(?:un[ao]?|il|lo|la|i|gli|le)\s|(?:un|l)['’])\pL+(?:\s\pL+){0,2}?\s(?:di|del|dello|della|dell['’]|dei|degli|delle|che|per|tra|con|in\s+cui)\b)`),
	"zh": regexp.MustCompile(`^(?:是?指|是|一[种个类]|用于|用来|负责)`),
	"ja": regexp.MustCompile(`(?:こと|もの)[。．]?$`),
}
