package questions

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// Definitions whose term stands in a heading: the text below it says only what the term means.

var (
	// asked are headings that ask for a term without a question mark.
	asked = regexp.MustCompile(`^(?:(.{1,30}?)とは|什么是(.{1,20})|何謂(.{1,20})|(?i:what\s+(?:is|are)\s+(?:an?\s+|the\s+)?)(.{2,40})|(?i:was\s+ist\s+(?:eine?\s+|der\s+|die\s+|das\s+)?)(.{2,40})|(?i:definition|def\.?|definizione|definición|definição|définition|定义|定義)\s*[:：]\s*(.{2,40}))$`)
	// whatItIs are headings over what a note, or the heading above, means.
	whatItIs = regexp.MustCompile(`(?i)^(?:definitions?|what|what\s+(?:is|are)\s+(?:it|they|this)|definizione|(?:che\s+)?cos['’]è|(?:che\s+)?cosa\s+sono|definición|définition|was\s+ist\s+das|begriff|begriffsklärung|定义|定義|是什么|とは|概念)\s*[?？:：]?$`)
	// saysDefinition is a label before a definition.
	saysDefinition = regexp.MustCompile(`^\**(?:定义|定義|Definition|Definizione|Definición|Definição|Définition|Def\.?)\**\s*[:：]\s*\**\s*`)
	// predicate is how a sentence begins whose subject is the heading.
	predicate = regexp.MustCompile(`^(?:(?:It is|They are|They're|It's|This is|These are) (?:an?|the|any|used)\s|(?:È|E'|Sono)\s+(?:un|il|lo|la|l|i|gli|le|de|quell|costituit|ciò)|(?:Es ist|Es sind|Ist|Sind) (?:eine?|der|die|das)\s|(?:Es|Son|É|São|Est) (?:una?|uma?|une|el|la|o|a)\s|(?:是|指)(?:一|用|由))`)
	// nounPhrase is an English text without a main verb in front.
	nounPhrase = regexp.MustCompile(`^(?:An?|The|Any)\s+(?:[\w-]+\s+){1,4}?(?:of|that|which|who|where|to|for|used|in|with|by|at|on|between|from|whose|consisting|containing)\s`)
	// kind is such a text without an article: what kind of thing it is stands before what tells it from others.
	kind = regexp.MustCompile(`(?i)^(?:an?\s+|the\s+)?(?:[\w-]+\s+){0,3}(?:percentage|share|amount|algorithm|technique|method|process|procedure|system|type|kind|form|set|way|tool|model|theory|structure|function|protocol|language|framework|library|measure|property|study|branch|state|unit|part|group|class|object|concept|idea|principle|law|rule|theorem|ability|collection|sequence|number|ratio|point|device|program|service|format|pattern|classifier|database|network|layer|mechanism|condition|phenomenon|disease|disorder|reaction|molecule|cell|organ|substance|movement|period|strategy|attack|standard|approach|extension|generali[sz]ation|variant|version|measurement|operation|relation|map|space|graph|tree|matrix|vector|variable|statement|argument|practice|philosophy|field|discipline|value|price|cost|income|tax|payment|asset|debt|reduction|total|average|probability|likelihood|degree|level|region|area|body|person|act|right|contract|document|view|belief|doctrine|error|bias|tendency|force|energy|wave|particle|signal|command|instruction|expression|equation|formula|quantity|parameter|style|genre|symptom|infection|inflammation|drug|hormone|enzyme|protein|gene|muscle|bone|nerve|tissue|membrane|receptor|subset|family)s?\s+(?:that|which|for|of|to|used|in\s+which|where|who|whose|by|with|between|describing|containing)\s`)
	// phrase is the same in German and Japanese.
	phrase = map[string]*regexp.Regexp{
		"de": regexp.MustCompile(`^\p{Lu}[\pL-]+,\s+(?:(?:an|in|mit|bei|auf|durch|von|zu)\s+)?(?:der|die|das|dem|den|denen|dass|deren|dessen)\s|^(?:Eine?|Der|Die|Das)\s+(?:[\pL-]+\s+){0,4}[\pL-]+(?:,\s+(?:der|die|das|deren|dessen|mit|in|bei)\s|\s+(?:der|des|zur|zum|für|von|mit)\s)`),
		"ja": regexp.MustCompile(`(?:こと|もの|技術|方法|手法|仕組み|概念|性質|関数|理論|構造|言語|規則|形式|処理|機能)[。．]?$`),
	}
	// opening is how a text begins, right below the title, that only says what kind of thing the title is.
	opening = map[string]*regexp.Regexp{
		"de": regexp.MustCompile(`^(?:\pL+e[rs]?\s+)?\p{Lu}[\pL-]+\s+(?:aller|des|der|von|zwischen|eine[rs])\s[^.:]*,\s(?:der|die|das|dem|den)\s`),
		"it": regexp.MustCompile(`(?i)^(?:un[ao]?\s+|un['’])?(?:insieme|misura|processo|forma|tipo|metodo|tecnica|ramo|scienza|studio|stato|capacità|sistema|teoria|principio|legge|unità|relazione|quantità|somma|malattia|sostanza|movimento|strumento|linguaggio|protocollo|algoritmo|modello|struttura)\s+(?:\pL+\s+)?(?:di|del|dell['’]|dello|della|dei|degli|delle|d['’]|che|per|tra|in\s+cui)\s*\S`),
		"es": regexp.MustCompile(`(?i)^(?:una?\s+)?(?:conjunto|medida|proceso|forma|tipo|método|técnica|rama|ciencia|estudio|estado|capacidad|sistema|teoría|principio|ley|unidad|relación|cantidad|suma|enfermedad|sustancia|movimiento|herramienta|lenguaje|protocolo|algoritmo|modelo|estructura)\s+(?:\pL+\s+)?(?:de|del|que|para|entre|en\s+(?:el|la)\s+que)\s`),
		"pt": regexp.MustCompile(`(?i)^(?:uma?\s+)?(?:conjunto|medida|processo|forma|tipo|método|técnica|ramo|ciência|estudo|estado|capacidade|sistema|teoria|princípio|lei|unidade|quantidade|soma|doença|substância|movimento|ferramenta|linguagem|protocolo|algoritmo|modelo|estrutura)\s+(?:\pL+\s+)?(?:d[eao]s?|que|para|entre|em\s+que)\s`),
		"fr": regexp.MustCompile(`(?i)^(?:une?\s+)?(?:ensemble|mesure|processus|forme|type|méthode|technique|branche|science|étude|état|capacité|système|théorie|principe|loi|unité|relation|quantité|somme|maladie|substance|mouvement|outil|langage|protocole|algorithme|modèle|structure)\s+(?:\pL+\s+)?(?:de|des|du|d['’]|qui|que|pour|entre|où|dans\s+(?:lequel|laquelle))\s*\S`),
	}
	finite = regexp.MustCompile(`(?i)\b(?:is|are|was|were|has|have|had|can|could|may|must|should|will|would|does|do|did)\b`)
	// nounEnd is the end of a Chinese phrase that says what kind of thing something is.
	nounEnd = regexp.MustCompile(`的?[\p{Han}\w]{0,8}(?:工具|方法|文件|算法|技术|结构|过程|系统|协议|机制|模型|框架|语言|平台|函数|对象|数据|集合|单位|指标|现象|理论|能力|概念|关系|规则|标准|接口|命令|程序|装置|物质|反应|分子|细胞|器官|变量|环境)$`)
)

// ofTwo is a heading over two things: what stands below it first speaks of one of them.
var ofTwo = regexp.MustCompile(`(?i)及其|以及|、|・.*・|\p{Han}[与和及]\p{Han}|\s(?:and|und|e|y|et|&|vs\.?)\s`)

// towa is a Japanese sentence that names what it defines.
var towa = regexp.MustCompile(`^([^、。]{1,20}?)とは`)

// equalsMark stands before what a heading means.
var equalsMark = regexp.MustCompile(`^\s*(?:=|=>|->|→|⇒|\$\\(?:rightarrow|Rightarrow|to)\$)\s+`)

// wrapped is the weight from which on a line may have been wrapped by an editor.
const wrapped = 60

// headed takes the first sentence below a heading that is, or asks for, a term and that the sentence does not name again.
func (d *deriver) headed(i int, raw string, from int) {
	heading := chapterNumber.ReplaceAllString(strings.Trim(clean(d.unit.Sections[i].Title), "▼■●◆ "), "")
	equals := equalsMark.FindString(raw) // "= a place where …" is the meaning of the heading
	raw, from = raw[len(equals):], from+len(equals)
	list := prose.Sentences(raw)
	if len(list) == 0 {
		return
	}
	first := list[0]
	if strings.Contains(first.Text, "\n") { // lines without full stops are sentences of their own
		if line, _, _ := strings.Cut(first.Text, "\n"); units.Weight(line) >= 20 && (equals == "" || units.Weight(line) < wrapped) {
			first.Text, first.End = line, first.Start+len(line)
		}
	}
	if strings.Contains(first.Text, "]] [[") {
		return // links, not a sentence
	}
	if other, _, ok := termOf(first.Text); ok && equals == "" && !d.named(other) && !label(other) {
		return // it says what something else means
	}
	plain := clean(first.Text)
	if equals != "" {
		plain = strings.ReplaceAll(plain, "\n", " ")
	}
	fits := func() bool { return d.fragment(plain) }
	term := ""
	switch m := asked.FindStringSubmatch(heading); {
	case equals != "":
		term, fits = heading, func() bool { return true }
	case m != nil:
		term = strings.Join(m[1:], "")
		fits = func() bool {
			return d.fragment(plain) || d.lang == "ja" && !strings.ContainsAny(plain, "はが") && d.stands(plain, false, false)
		}
	case meansFirst.MatchString(plain):
		term, fits = heading, func() bool { return true }
	case whatItIs.MatchString(heading), d.opens(i):
		if term = d.unit.Title; !d.opens(i) {
			term = d.above(i)
		}
		fits = func() bool {
			re := opening[d.lang]
			return d.fragment(plain) || d.kindOf(plain) || predicate.MatchString(plain) || re != nil && re.MatchString(plain)
		}
	case d.lang == "zh" || (d.lang == "en" || d.lang == "it" || d.lang == "ja") && d.siblings(i) >= 2:
		term, _, _ = strings.Cut(heading, " (")
		term, _, _ = strings.Cut(term, "（")
	}
	if m := towa.FindStringSubmatch(plain); m != nil && prose.Fold(m[1]) != prose.Fold(term) {
		return // it defines something else
	}
	if term == "" || numberedName.MatchString(term) || ofTwo.MatchString(term) || !d.meaning(i, term, plain) || !fits() {
		return
	}
	is := defined{term, first.Text, plain, from + first.Start, from + first.End, .85, ""}
	if len(list) > 1 && equals == "" {
		if is.more = d.addsTo(plain, list[1:], false); is.more != "" {
			is.to = from + list[1].End
		}
	}
	d.define(i, is, "")
}

// meansFirst is how a text begins that says what the heading above it means.
var meansFirst = regexp.MustCompile(`^(?:Means|Refers\sto|Is\san?|Defined\sas|Occurs\swhen|Bedeutet|Bezeichnet|Ist\seine?|Indica|Si\sintende|È\sun[ao']?|Es\sun[ao]?|Significa|Désigne|Est\sune?|É\suma?)\s`)

// opens reports whether a section is the first of its unit that says anything, right below the title.
func (d *deriver) opens(i int) bool {
	for k := range i {
		if len(d.unit.Sections[k].Blocks) > 0 {
			return false
		}
	}
	s := &d.unit.Sections[i]
	return s.Depth == 0 || s.AtomID == d.unit.ID || prose.Fold(s.Title) == prose.Fold(d.unit.Title) || prose.Fold(s.Title) == prose.Fold(d.unit.Note)
}

// kindOf reports whether a text below a title only says what kind of thing the title is.
func (d *deriver) kindOf(plain string) bool {
	if d.lang == "en" {
		m := kind.FindString(plain)
		if words := prose.Words(plain); len(words) == 0 || prepositions[words[0]] || clauseWords[words[0]] || words[0] == "where" || didSomething.MatchString(plain) {
			return false // it begins with when or where, and its subject stands behind, or with what somebody did
		}
		return m != "" && !finite.MatchString(m) && !tellsOfIt(plain)
	}
	re := phrase[d.lang]
	if re == nil || d.lang == "de" && germanVerb.MatchString(re.FindString(plain)) {
		return false
	}
	head, _, relative := strings.Cut(plain, ", ")
	return re.MatchString(plain) && (d.lang != "de" || !germanVerb.MatchString(head) && (relative || !strings.Contains(plain, " ist ")))
}

// didSomething is how a text begins that says what somebody did: "proposed the theory".
var didSomething = regexp.MustCompile(`(?i)^\w+ed\s(?:the|an?|his|her|their|that)\s`)

var germanVerb = regexp.MustCompile(`\b(?:ist|sind|wird|werden|hat|haben|kann|können|war|waren|muss|müssen|gilt|gelten)\b`)

// sourceLine says where a note comes from.
var sourceLine = regexp.MustCompile(`(?i)^(?:from|via|source|cf\.?|quelle|fonte|fuente|出典|参考|来源|引用|著者?|作者|author)[\s:：]`)

// meaning reports whether a text may be the meaning of a term.
func (d *deriver) meaning(i int, term, plain string) bool {
	if !d.usable(term) || clause(term) || label(term) || asks(term) || units.SideOf(term) || units.SaysNothing(term) || elsewhere.MatchString(term) || aspectWords[prose.Fold(term)] || d.definedYet(term) || d.unit.Sections[i].Answer {
		return false
	}
	last := lastRune(plain)
	return !headline(plain) && !numberedLesson.MatchString(prose.Fold(term)) && !sourceLine.MatchString(plain) && units.Weight(plain) >= 20 && units.Weight(plain) <= 420 && !pointing.MatchString(plain) && !notMeant.MatchString(plain) && !strings.ContainsAny(last, "?？:：") && !d.runsOn && strings.Count(plain, "$")%2 == 0
}

// headline reports whether a text is written like a title: "The Meaning of Dominant".
func headline(plain string) bool {
	words := strings.Fields(plain)
	if len(words) < 2 || len(words) > 6 || strings.ContainsAny(lastRune(plain), ".。") || dense(plain) {
		return false
	}
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsLower(r) && !prose.StopWords[prose.Fold(w)] {
			return false
		}
	}
	return true
}

// premiseOnly is how a Chinese text begins that only says what is given.
var premiseOnly = regexp.MustCompile(`^(?:定义|定義|定理)?\s*[\d.]*\s*(?:令|设|設|若|如果|假设|假設|给定)`)

// fragment reports whether a text is a phrase that says what kind of thing something is, without naming it.
func (d *deriver) fragment(plain string) bool {
	switch d.lang {
	case "ja":
		return endsInNoun(plain)
	case "zh":
		head, _, _ := strings.Cut(strings.TrimRight(plain, "。. "), "，")
		return nounEnd.MatchString(head) && !strings.ContainsAny(head, "是：:") && !premiseOnly.MatchString(head)
	case "it":
		m := italianPhrase.FindString(plain)
		return m != "" && !italianVerb.MatchString(m)
	case "en":
		m := nounPhrase.FindString(plain)
		head, _, _ := strings.Cut(inBrackets.ReplaceAllString(plain, ""), ", ")
		return m != "" && !tellsOfIt(plain) && !finite.MatchString(m) && (!finite.MatchString(head) || relative.MatchString(head))
	}
	return false
}

// italianPhrase is such a phrase: what kind of thing something is, with or without an article, and what tells it from others.
var italianPhrase = regexp.MustCompile(`^(?i:(?:un[ao]?|il|lo|la)\s|(?:un|l)['’])?\pL+(?:\s(?:non\s)?\pL+){0,3}?\s(?:in\s+cui|il\s+cui|la\s+cui|che)\s`)

var italianVerb = regexp.MustCompile(`(?i)\s(?:è|sono|ha|hanno|può|possono|viene|vengono|si|serve|servono)\s`)

// tellsOf is a sentence that says what something does, and relatives are the words by which it would only be described.
var (
	tellsOf   = regexp.MustCompile(`^The\s+(?:[\w-]+\s+){1,6}?(?:serves|shows|states|says|describes|explains|plays|gives|provides|allows|requires|leads|causes|depends|consists|includes|contains|represents)\s`)
	relatives = regexp.MustCompile(`\b(?:that|which|who|where|whose)\b`)
)

// tellsOfIt reports whether an English text says what something does rather than what it is.
func tellsOfIt(plain string) bool {
	said := tellsOf.FindString(plain)
	return said != "" && !relatives.MatchString(said)
}

var relative = regexp.MustCompile(`^(?:An?|The|Any)\s+(?:[\w-]+\s+){1,4}?(?:that|which|who|where|whose)\s`)

var (
	// goesOnWith is a line in the middle of a sentence.
	goesOnWith = regexp.MustCompile(`^\s*(?:\$|\p{Ll})`)
	// lessonFirst is the number of a lesson before its subject: "Aula 9 - Anéis".
	lessonFirst = regexp.MustCompile(`^(?i:aula|lezione|lez|lecture|lesson|vorlesung|chapter|kapitel|capitolo|capítulo|tema|cours|leçon|unit|week)\.?\s?\d+\s*[-–—:.]\s+`)
)

// introducing is what the title of a first lesson has before its subject.
var introducing = regexp.MustCompile(`^(?i:introduction\s+to\s+(?:the\s+)?|einführung\s+in\s+(?:die|das|den)\s+|introduzione\s+a(?:l|ll[ao]|i|gli|lle)?\s+|introduzione\s+all['’]|introducción\s+al?\s+(?:la\s+)?|introdução\s+(?:ao?|à)\s+|introduction\s+(?:à\s+(?:la\s+)?|au\s+))`)

// saidToDefine takes a line or an item "Definition: …": it defines what it names, or the heading that it stands under.
func (d *deriver) saidToDefine(i, k int) {
	s := &d.unit.Sections[i]
	b := &s.Blocks[k]
	for n, l := range b.Lines {
		next := ""
		if n+1 < len(b.Lines) {
			next = b.Lines[n+1].Text
		} else if k+1 < len(s.Blocks) && !strings.ContainsAny(lastRune(l.Text), ".。!！") {
			if below := &s.Blocks[k+1]; below.Kind == units.Paragraph {
				next = below.Lines[0].Text
			} else if below.Kind == units.Math || below.Kind == units.List {
				continue
			}
		}
		if !goesOnWith.MatchString(next) {
			d.lineDefines(i, l, "")
		}
	}
	var above []int // the items that one stands below
	for n, item := range b.Items {
		for len(above) > 0 && b.Items[above[len(above)-1]].Level >= item.Level {
			above = above[:len(above)-1]
		}
		if at := strings.Index(s.Content[item.Start:item.End], item.Text); at >= 0 && saysDefinition.MatchString(item.Text) {
			owner := ""
			if len(above) > 0 {
				owner = strings.Trim(clean(b.Items[above[len(above)-1]].Text), ":： ")
			}
			d.lineDefines(i, units.Line{Text: item.Text, Start: item.Start + at, End: item.End}, owner)
		}
		above = append(above, n)
	}
}

// lineDefines takes one such line or item; owner is the item that it stands below, or "".
func (d *deriver) lineDefines(i int, l units.Line, owner string) {
	mark := saysDefinition.FindString(l.Text)
	if mark == "" {
		return
	}
	raw, at := l.Text[len(mark):], l.Start+len(mark)
	plain := clean(raw)
	if upper := capital(plain); d.stands(upper, false, false) {
		if term := d.defines(raw, upper); term != "" {
			if len(term) <= len(plain) && strings.EqualFold(plain[:len(term)], term) {
				term = plain[:len(term)] // "npm" begins small
			}
			d.define(i, defined{term, raw, plain, at, l.End, .85, ""}, "")
			return
		}
	}
	term, s := owner, &d.unit.Sections[i]
	if term == "" {
		term = d.above(i)
		if h := chapterNumber.ReplaceAllString(clean(s.Title), ""); s.Depth > 0 && h != "" {
			term = h
		}
		term = lessonFirst.ReplaceAllString(term, "")
	}
	term, _, _ = strings.Cut(term, " (")
	term, _, _ = strings.Cut(term, "（")
	term = introducing.ReplaceAllString(term, "")
	if !ofTwo.MatchString(term) && d.meaning(i, term, plain) {
		d.define(i, defined{term, raw, plain, at, l.End, .85, ""}, "")
	}
}
