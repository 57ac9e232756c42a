package questions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// Sentences that define a term, and what may stand as such a term.

// stands reports whether a sentence can be understood alone. One that runs through a list or a formula may point at that, and is longer.
func (d *deriver) stands(plain string, boxed, runs bool) bool {
	w, most := units.Weight(plain), 420
	if runs {
		plain, most = pointsInto.ReplaceAllString(plain, ""), 1200
	}
	if w < 20 || w > most || strings.Contains(plain, "\n\n") || pointing.MatchString(plain) || strings.HasSuffix(plain, ":") || strings.HasSuffix(plain, "：") || strings.HasSuffix(plain, "?") || strings.HasSuffix(plain, "？") {
		return false
	}
	if strings.Count(plain, "$")%2 == 1 || strings.Count(plain, "`")%2 == 1 {
		return false
	}
	if boxed {
		return true
	}
	words := unframed(plain)
	if dangling.MatchString(plain) || subjectless.MatchString(plain) {
		return false // it goes on in a list or a formula
	}
	if pronoun.MatchString(plain) || d.lang == "fr" && strings.HasPrefix(plain, "Il ") && !impersonal.MatchString(plain) {
		return false
	}
	if len(words) < 4 || asExample.MatchString(plain) || examTask.MatchString(plain) {
		return false
	}
	if r := []rune(plain)[0]; !unicode.IsUpper(r) && !units.Dense(r) && !unicode.IsDigit(r) && r != '$' && r != '`' && r != 'ℝ' {
		return false // it begins in the middle
	}
	return !leans(words) || namedUnder.MatchString(plain)
}

// namedUnder is a sentence of formulas that gives a name to something under a condition that it says first: "If $G$ acts on $X$, the set … is called".
var namedUnder = regexp.MustCompile(`^(?:If|When|Let|Suppose|Given|Wenn|Sei|Seien|Se|Sia|Si|Sea|Soit|Seja|如果|若|设|設|令)[^?？]*\$[^?？]*(?:\b(?:called|termed|known\sas|said\sto\sbe|define[sd]?|genannt|heißt|nennt|bezeichnet|dice|dett[oa]|chiama|define|llama|denomina|dite?|appel\pL+|nomm\pL+|chama|diz)\b|称|稱|叫做|叫作)`)

// pointsInto is how a sentence names the list or the formula that it goes on in.
var pointsInto = regexp.MustCompile(`(?i)\b(?:following|as\s+follows|below|folgende[rns]?|seguent[ei]|siguientes?|seguintes?)\b|如下|以下|下列|次の`)

// unframed are the words of a sentence behind what may stand before a definition.
func unframed(plain string) []string { return prose.Words(framed.ReplaceAllString(plain, "")) }

// leans reports whether a sentence begins with a word that leans on the one before it, or with a verb whose subject stands there.
func leans(words []string) bool {
	if len(words) == 0 || leaning[words[0]] || auxiliaries[words[0]] {
		return true
	}
	if units.Dense([]rune(words[0])[0]) {
		for n := 1; n <= 4 && n < len(words); n++ {
			if leaning[strings.Join(words[:n], "")] {
				return true
			}
		}
	}
	return false
}

// examTask is a sentence that asks for something, often without a question mark.
var examTask = regexp.MustCompile(`^(?:(?:Explain|Describe|Discuss|Define|Identify|Calculate|Summari[sz]e|Distinguish|Derive|Outline|Compare)\s[^.]*$|(?:Explain|Describe|Discuss|Define|Identify|Calculate|Summari[sz]e|Distinguish|Derive|Outline|Compare|State|Prove|Show|List|Name|Give)\s(?:why|how|what|when|where|which|the|that|an?)\s|(?:Erkläre|Beschreibe|Nenne|Erläutere|Spiega|Descrivi|Elenca|Explica|Explique)\s)`)

// dangling is the end of a sentence that goes on elsewhere: "… is a zero divisor provided that".
var dangling = regexp.MustCompile(`(?i)\s(?:that|which|who|whose|whom|an|the|if|iff|when|where|such\s+that|provided|because|and|or|of|by|is|are|the|che|se|è|sono|dass|wenn|falls|und|oder|ist|sind|que|si|y|o|est|et|ou)$|\s(?:this|these|those)[.]?$|[,，、;；]$`)

// subjectless begins with what was done to something that is not named: "Distinguished from bacteria by …".
var subjectless = regexp.MustCompile(`^(?:[A-Z]\pL+ed|Born|Known|Built|Written|Found|Held|Made|Given|Nat[oa]|Geboren|Née?|Nacid[oa]|Nascid[oa])\s(?:from|by|as|in|into|to|with|on|for|at|nel|nella|am|en|em)\s|^(?:Is|Was)\san?\s`)

// asExample finds a sentence that only illustrates the one before, or goes on after a formula.
var asExample = regexp.MustCompile(`(?i)^(?:e\.\s?g\.|i\.\s?e\.|eg:|ie:|z\.\s?b\.|d\.\s?h\.|p\.\s?es\.|ad es\.|es\.|[はがをにでと]、)`)

// pronoun finds a subject that speaks of another sentence, "the method it uses", "la sua radice", and a teacher's "we shall".
var pronoun = regexp.MustCompile(`^(?:To\s(?:do|achieve)\s(?:this|that|so)\b|(?:The|A|An)\s+[\w-]+\s+(?:it|they|he|she|we|you)\s|(?:La|Il|I|Le|Lo)\s+(?:sua|suo|suoi|sue|loro)\s|(?:Da|Di|Con|In|Per|Su)\s(?:ess[aoie]|quest[aoie]|quell[aoie])\s|(?:Seine?|Ihre?|Deren|Dessen)\s|\pL+(?:remo|iamo)\s|Plus\s(?:elle|il)s?\s)|(?:^|\s)(?:так(?:ой|ого|ому|им|ая|ую|ие|их|ими)|эт(?:от|ого|ому|им|а|у|и|их|ими))\s`)

// impersonal is a French sentence whose "il" stands for nothing.
var impersonal = regexp.MustCompile(`^Il\s(?:y\s|n'y\s|existe|faut|s'agit|suffit)`)

func startsSmall(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// defines gives the term that a sentence defines, or "".
func (d *deriver) defines(raw, plain string) string {
	bare := masked(plain)
	if notMeant.MatchString(bare) || done.MatchString(bare) || denoted.MatchString(bare) || strings.ContainsAny(plain, "→⇒") || d.foreign(plain) {
		return ""
	}
	if term := d.introduced(raw, marks(raw)); term != "" {
		return term
	}
	if term := d.calledSo(bare); term != "" {
		return term
	}
	if m := conditional.FindStringSubmatch(bare); m != nil { // what it defines is what something is then, and not its subject
		if term := strings.TrimSpace(strings.Join(m[1:], "")); d.usable(term) && !clause(term) && !vague[prose.Words(term)[0]] {
			return term
		}
		return ""
	}
	plain = framed.ReplaceAllString(plain, "")
	for _, re := range definitions[d.lang] {
		m := re.FindStringSubmatch(plain)
		if m == nil {
			continue
		}
		term := d.cutToTitle(tailless(firstName(strings.TrimSpace(m[1]))))
		if !d.usable(term) || len(strings.Fields(term)) > 5 {
			return ""
		}
		if first := prose.Words(term); len(first) == 0 || quantified[first[0]] || leaning[first[0]] || prepositions[first[0]] || wordSetVerbs[first[len(first)-1]] || hedges[first[len(first)-1]] || sideOfThing(term) {
			return ""
		}
		if d.lang == "zh" && broken.MatchString(term) || d.lang == "ja" && caseEnd.MatchString(term) || clause(term) {
			return ""
		}
		if d.named(term) || formal[d.lang] != nil && formal[d.lang].MatchString(plain) && !vague[prose.Words(term)[0]] && units.Weight(term) <= 30 {
			return term
		}
	}
	if m := nounForm.FindStringSubmatch(plain); d.lang == "ja" && m != nil && endsInNoun(plain) && d.usable(m[1]) && d.named(m[1]) {
		return m[1]
	}
	return ""
}

// calledSo gives the name that a sentence ends in, where that is what the note or the section is about: "… is called the orbit of $x$."
func (d *deriver) calledSo(bare string) string {
	m := callsIt.FindStringSubmatch(bare)
	if m == nil || onlyNames.MatchString(bare) {
		return ""
	}
	term := strings.TrimSpace(strings.Join(m[1:], ""))
	if !d.usable(term) || clause(term) || !d.named(term) && !d.inHeading(term) && !strings.Contains(bare, "「"+term+"」と") {
		return ""
	}
	return term
}

// callsIt finds the name that the end of a sentence gives.
var callsIt = regexp.MustCompile(`\b(?:is|are)\s+(?:then\s+)?(?:called|known\s+as|termed)\s+(?:an?\s+|the\s+)?(\pL[\pL -]{2,40}?)(?:\s+(?:of|on|in|under|for|at)\s+[^.,;]{1,60})?\.?$|` +
	`\b(?:si\schiama(?:no)?|(?:è|sono)\s(?:dett[oaie]|chiamat[oaie])|se\s(?:llama|denomina)n?|(?:est|sont)\s(?:appelée?s?|nommée?s?))\s+(?:un[aeo]?\s+|il\s+|lo\s+|la\s+|l['’]|el\s+|le\s+)?(\pL[\pL -]{2,40}?)\.?$|` +
	`[をは]?「([^「」]{2,16})」と(?:いう|いいます|言う|言います|呼ぶ|呼びます|呼ばれる|呼ばれます)。?$|` +
	`(?:称为|稱為|叫做|叫作|称作|称之为)\s*[“「]?([^，。；：、“”「」的$]{2,12})[”」]?。?$|` +
	`称(?:此|该|这个?|其)[^，。；]{0,12}为[^，。；]{0,80}的([^，。；：、的$]{2,8})(?:[，。；]|$)`)

// foreign reports whether a sentence of a Chinese or Japanese note is in another language: an example in a note on that language.
func (d *deriver) foreign(plain string) bool {
	return (d.lang == "zh" || d.lang == "ja") && !dense(plain)
}

// firstName is the first of two names of the same thing: "epistemology or the theory of knowledge".
func firstName(term string) string {
	if m := otherName.FindStringSubmatch(term); m != nil {
		return m[1]
	}
	return term
}

var otherName = regexp.MustCompile(`^(\S+(?:\s\S+)?),?\s+(?:or|oder|o|ou|也称|或)\s+(?:the|an?|die|der|das|il|la|lo|el|le|l['’])\s`)

// caseEnd is the end of a Japanese phrase in a case of its own before は: where, whence, with whom.
var caseEnd = regexp.MustCompile(`(?:に|で|と|から|まで|より|へ)$`)

// conditional is a definition by a condition, "an X is a Y if …", with its Y; "an X is closed if …" has none.
var conditional = regexp.MustCompile(`^(?:An?|Every|Eine?|Un[ao]?)\s[^.:;]{2,80}?\s(?:(?:is|are)\s+(?:called\s+|said\s+to\s+be\s+)?(?:an?\s+([\w -]{3,40}?)|[\w-]+)(?:\s+(?:in|of|on|over|for)\s+\$x\$)?\s+(?:if|iff|provided)\s|(?:ist|heißt)\s+(?:eine?\s+([\pL -]{3,40}?)|[\pL-]+),?\s+(?:wenn|falls|genau\s+dann)\s|(?:è|si\s+dice)\s+(?:un[ao']?\s*([\pL -]{3,40}?)|[\pL-]+)\s+se\s)`)

// tailless cuts what leads on to a formula off a term: "eigenvalues of $f$".
func tailless(term string) string { return beforeFormula(term + "$") }

// ofThing parts a term from what it is of: "goal of parsing", "compito del linker", "解析器的任务".
var ofThing = regexp.MustCompile(`^([\pL-]+)\s(?:of|for|to|from|between|zu|zur|zum|zwischen|tra|fra|entre|del|dello|della|dell'|dei|degli|delle|di|des|der|von)\s|^[^的]+的([^的]{1,6})$|^[^の]+の([^の]{1,6})$`)

// sideOfThing reports whether a term only names a side of something, which is no term of its own.
func sideOfThing(term string) bool {
	m := ofThing.FindStringSubmatch(term)
	return m != nil && (aspectWords[prose.Fold(m[1]+m[2]+m[3])] || wordSetVerbs[prose.Fold(m[1])] || units.SideOf(m[1]+m[2]+m[3]))
}

func cutLast(s string) (head, last string, found bool) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

var leadsOn = prose.WordSet("term of in between onto into to over for relative w.r.t respect generated induced given di del della von zu tra")

// framed is what may stand before a definition: "In topology, a set is …".
var framed = regexp.MustCompile(`^(?:In|Within)\s+[\w -]{3,40},\s+(?:An?\b|an?\b)?\s?`)

// nounForm is a Japanese definition without a verb at its end.
var nounForm = regexp.MustCompile(`^([^、。；：は]{1,24}?)(?:（[^）]*）|\([^)]*\))?は、?.{6,}$`)

// cutToTitle gives the title where a term only says more of what the title names: "equivalence class under a relation".
func (d *deriver) cutToTitle(term string) string {
	for _, t := range []string{d.unit.Title, d.unit.Note} {
		if fields, n := strings.Fields(term), len(strings.Fields(t)); n > 0 && n < len(fields) && prose.Fold(strings.Join(fields[:n], " ")) == prose.Fold(t) && (prepositions[prose.Fold(fields[n])] || leadsOn[prose.Fold(fields[n])] || strings.HasSuffix(fields[n], "ly") || fields[n][0] == '$' || fields[n][0] == '(') {
			return strings.Join(fields[:n], " ")
		}
	}
	return term
}

// quantified begin a subject of which something is said, and which is not what is defined: "all living beings consist of …".
var quantified = prose.WordSet("all every each no none both many most some few tutti tutte ogni ciascun ciascuno nessun alcuni alcune molti alle jeder jede jedes alle viele manche keine todos todas cada ningún tous toutes chaque aucun cada todo toda 所有 每个 任何 一切")

// hedges end a subject of which something is true now and then: "regression often means …".
var hedges = prose.WordSet("often usually generally typically sometimes commonly normally frequently mostly also always never spesso solitamente oft meist häufig manchmal souvent généralement")

// prepositions begin a phrase that is no term.
var prepositions = prose.WordSet("mit unter bei nach von aus in im auf an am für durch über gegen ohne with under by on at from of during after before through con su da tra fra durante secondo attraverso")

// references name a numbered place of the text.
var references = regexp.MustCompile(`(?i)^(?:def|definition|definizione|fig|figure|figura|abb|abbildung|tab|table|tabelle|tabella|lemma|lem|thm|theorem|teorema|satz|prop|cor|oss|osservazione|eq|gl|sec|section|cap|kap|ch|example|esempio|beispiel|定义|定義|定理|命题|命題|補題|引理|図|图|表|例)\.?\s*\d[\d.]*$`)

var wordSetVerbs = prose.WordSet(`using how there what which who only difference reason problem idea goal purpose point result answer question advantage disadvantage aim way thing case example following
	ziel grund problem ergebnis folge ursache zweck vorteil nachteil frage aufgabe voraussetzung bedingung beispiel unterschied idee kern vorsitz`)

// genera are the nouns by which "the X is the … of" tells what X is, rather than something about it.
const genera = `set|collection|number|distance|length|sum|product|ratio|fraction|measure|rate|amount|energy|angle|area|study|branch|process|ability|tendency|probability`

// kinds are the nouns by which a sentence says what its subject is, with or without an article before that.
const kinds = `type|form|kind|branch|process|method|technique|procedure|measure|state|condition|disease|disorder|unit|property|theory|principle|structure|substance|compound|molecule|protein|enzyme|hormone|algorithm|protocol|tool|system`

var (
	// formal are sentences that define whatever they speak of: "an X is a Y that …".
	formal = map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?:An?\s+(?:[\w'-]+\s+){1,3}(?:(?:of|on|in|for)\s+(?:an?|the)\s+[\w-]+\s+)?(?:\$[^$]*\$\s+)?(?:\([^)]*\)\s+)?(?:is|means|refers\s+to)\s+an?\s+[^,.]{3,60}?\s(?:that|which|whose|with|without|of|used|in\s+which|consisting\s+of|for\s+which|such\s+that|where)\s|` +
			`[A-Z][\w'-]+\s+(?:[\w'-]+\s+){0,2}is\s+an?\s+(?:[\w-]+\s+){0,2}(?:` + kinds + `)\s+(?:of|that|which|(?:in|by|for)\s+which|used|for|where|caused)\s|` +
			`(?:The\s+)?(?:[\w'-]+\s+){1,3}?(?:of\s+(?:(?:an?|the)\s+)?(?:[\w-]+|\$[^$]*\$)\s+)?is\s+the\s+(?:[\w-]+\s+){0,2}(?:` + genera + `)\s+(?:of|from|between|needed|required|at|in|that|which|to|by\s+which)\s)`),
		"de": regexp.MustCompile(`^(?:Eine?\s+[\pL-]+\s+ist\s+(?:jede[rs]?\s|eine?\s+[^.]{3,60}?,\s+(?:der|die|das|mit|in)\s|eine?\s+(?:[\pL-]+\s+)?\p{Lu}[\pL-]+\s+(?:der|des|von|zur|zum|zwischen)\s)|` +
			`(?:(?:Der|Die|Das)\s+)?\p{Lu}[\pL-]+\s+ist\s+(?:der|die|das)\s+(?:[\pL-]+\s+)?\p{Lu}[\pL-]+(?:,\s+(?:der|die|das|dass)\s|\s+(?:der|des|von|zur|zum|eine[rs]|(?:und|oder)\s+\p{Lu}[\pL-]+)\s)|` +
			`(?:Unter|Als)\s|.*\s(?:wird|werden)\s+(?:auch\s+)?als\s+[\pL-]+\s+bezeichnet|.*\snennt\s+man\s)`),
		"it": regexp.MustCompile(`^(?:Un[ao']?\s*)(?:[\pL'-]+\s+){1,3}è\s+un[ao']?\s*[^.]{3,60}?\s(?:che|in\s+cui|il\s+cui|la\s+cui)\s`),
		"ru": regexp.MustCompile(`^[^,.;:—–]{2,40}?\s[—–-]\s+это\s+\S{2,}\s`),
		"zh": regexp.MustCompile(`^[^，。；：、]{1,12}?(?:（[^）]*）|\([^)]*\))?(?:，?(?:则|就|即)?(?:是指|指的是)|的定义是|定义为|是一种.{2,40}的)`),
		"ja": regexp.MustCompile(`^[^、。；：は]{1,20}?(?:（[^）]*）|\([^)]*\))?とは、?.{6,}(?:こと|もの|である|です|をいう|を指す|を表す)`),
	}
	// vague begin a subject that is no term.
	vague = prose.WordSet("good common simple typical key important major main single possible useful great better new big small few lot bit large basic nice quick certain given similar related modern first second next last 一 每 某 有 最 更 本 用 gute guter gutes buon buona semplice wichtiger wichtige wichtiges")
	// notMeant are sentences that look like definitions and ask, deny, or only give a name to what the sentence before says.
	notMeant = regexp.MustCompile(`\bsuch\san?\s[^.]*\bcalled\b|^(?:The|This|That)\s+[\w-]+(?:\s+[\w$\\-]+)?\s+(?:is|are)(?:,[^,]{3,40},)?\s+(?:(?:then|also|sometimes|often|commonly|usually)\s+){0,2}(?:called|known\s+as|referred\s+to\s+as)\b|^(?:Der|Die|Das)\s+\pL+\s+heißt\s+(?:dann\s+|auch\s+)?(?:\pL+\s+)?[\pL*-]+[.]?$|^(?:Il|Lo|La|L')\s*\pL+\s+(?:si\s+chiama|è\s+dett[oa])\s|とは(?:いか|どの|どう|何|なに|異な|違|いえ|限|別|言え|思え|関係)|是(?:什么|怎么|如何|不是)|不是|是我们|图片|^(?:[\w'-]+\s+){1,4}are\s+\w+ed\s+(?:on|of|by|in|from|with)\b|^(?:[\w'-]+\s+){1,4}are\s+(?:\w+ly\s+)?(?:represented|stored|treated|implemented|written|expressed|measured|returned|declared|passed|given|shown|regarded)\s+(?:as|to|into|at|for|using)\b|\b(?:is|are|é|è|es|est|ist)\s[^.,]{0,60}(?:,|\se|\sand|\sund|\set|\sy)\s(?:therefore|thus|hence|portanto|quindi|pertanto|por\s+(?:lo\s+)?tanto|donc|folglich|daher)\b|^(?:[\w'-]+\s+){1,4}is\s+(?:\w+ly\s+)?(?:initiated|caused|triggered|induced|influenced|affected|determined|controlled|regulated|driven|inherited|found|located|produced|released|used)\s|(?i)\b(?:is|are)\s+(?:one\s+of\s+the\s+most|(?:an?|the)\s+(?:very\s+|really\s+)?(?:issues?|time[- ]consuming|expensive|cheap|slow|fast|big|common|important|great|good|bad|serious|costly|key|major|huge|useful|powerful|popular|interesting))\b|(?:^|\s)è\s+un[ao]\s+de(?:lle|i|gli)\s+più\b|\b(?:is|are)\s+(?:(?:an?|the)\s+)?(?:[\w-]+\s+){0,3}(?:thing|concept|topic|idea|notion|subject)s?(?:\s+(?:in|of|from)\s[^,.]+)?(?:[,.]|$)|之一[。.]?$|(?:資料|ノート|メモ|まとめ|記事|リポジトリ|教材|笔记|筆記|资料|總結|总结)[。．.]?$|^(?i:notes|summary|materials?|resources|appunti|riassunto|dispensa|notizen|mitschrift|zusammenfassung|apuntes|resumen|anotações|resumo)\b|^(?:Der|Die|Das)\s\pL+(?:,\s(?:der|die|das)\s\pL+)+\s(?:und|oder)\s|\b(?:es|son)\s+un[ao]\s+de\s+l[ao]s\s+más\b|\best\s+l[’']une?\s+des\s+plus\b|(?:^|\s)é\s+um[a]?\s+d[ao]s\s+mais\b|是.{2,60}(?:发现|發現|提出|发明|發明|创立|創立|创造|創造|引入)的[。.]?$|\s(?:is|ist|è|es|é|est)\s(?:the|der|die|das|il|lo|la|el|o|a|le|l['’])\s?(?:main|primary|sole|only|best|chief|most\s+important|entscheidende[nrs]?|zentrale[nrs]?|wichtigste[nrs]?|principale?|principal)\s|是?由.{2,60}(?:组成|組成|构成|構成|引起|引发|引發|产生|產生|决定|決定)的?[。.]?$`)
)

// denoted is a sentence that only says how its subject is written.
var denoted = regexp.MustCompile(`^[^.:;]{2,80}?\s(?:is|are)\s+(?:\w+ly\s+)?(?:denoted|written|abbreviated)\s`)

// done is a sentence that says what happens to its subject: "3-C compound is reduced by NADPH".
var done = regexp.MustCompile(`^[^.:;]{2,60}?\s(?:is|are|was|were)\s+(?:\w+ly\s+)?(?:reduced|chosen|made|taken|found|held|built|written|kept|put|drawn|paid|sent|formed|created|oxidi[sz]ed|converted|transported|absorbed|secreted|elected|appointed|selected|activated|synthesi[sz]ed|broken|stored|added|removed)\s+(?:by|to|into|from|in|on|with|at|under)\s`)

// parallel is a Chinese sentence of two definitions: "线粒体是…的场所，叶绿体是…的场所。"
var parallel = regexp.MustCompile(`^(([^，。；：、的是]{2,8})是[^，。；是]{3,}的[^，。；的是]{1,8})[，；](?:而)?(([^，。；：、的是]{2,8})是[^，。；是]{3,}的[^，。；的是]{1,8})[。]?$`)

// parallel asks for both terms of such a sentence, each by its own half.
func (d *deriver) parallel(i int, pair []string, from, to int) bool {
	for _, term := range []string{pair[2], pair[4]} {
		if !d.usable(term) || clause(term) || broken.MatchString(term) || leaning[prose.Words(term)[0]] || leaning[strings.Join(prose.Words(term)[:min(2, len(prose.Words(term)))], "")] || vague[prose.Words(term)[0]] {
			return false
		}
	}
	d.define(i, defined{pair[2], pair[1] + "。", pair[1] + "。", from, to, .85, ""}, "")
	d.define(i, defined{pair[4], pair[3] + "。", pair[3] + "。", from, to, .85, ""}, "")
	return true
}

// titleIn reports whether a term has all words of the unit's title, or of its note's.
func (d *deriver) titleIn(term string) bool {
	t := stemsOf(term)
	for _, name := range []string{d.unit.Title, d.unit.Note} {
		if t.has(name) && (!dense(term) || utf8.RuneCountInString(term) <= utf8.RuneCountInString(name)+4) {
			return true
		}
	}
	return false
}

// deictic is a phrase that only makes sense where it stands: "the above elasticity".
var deictic = regexp.MustCompile(`^(?:也叫|也称|也稱|又称|又稱|又叫|俗称|以上|以下|上述|上面|下面|前述|上記|下記|后者|前者|後者|这些|那些|这个|那个|這些|這個)`)

// runningNumber counts what stands behind it; a year does not.
var runningNumber = regexp.MustCompile(`^\d{1,2}$|^\d+(?:\.\d+)+$`)

// usable reports whether a text can be asked for as a term.
func (d *deriver) usable(term string) bool {
	if strings.HasPrefix(term, "(") && !strings.HasSuffix(term, ")") || strings.HasPrefix(strings.ToLower(term), "using ") || strings.HasPrefix(strings.ToLower(term), "how ") {
		return false
	}
	if strings.Count(term, "(")+strings.Count(term, "（") != strings.Count(term, ")")+strings.Count(term, "）") {
		return false // cut within a bracket
	}
	f := prose.Fold(term)
	words := prose.Words(term)
	if f == "" || len(strings.Fields(f)) > 6 || len(f) > 80 || emptyTerms[f] || prose.StopWords[f] || leaning[f] || len(words) == 0 {
		return false
	}
	if runningNumber.MatchString(f) || references.MatchString(f) || fileName.MatchString(f) || cited(term) || deictic.MatchString(f) {
		return false
	}
	if strings.HasSuffix(term, "について") || strings.ContainsAny(term, "\n|<>{}") || strings.HasPrefix(f, "http") || strings.Contains(f, "____") {
		return false
	}
	return units.Weight(f) >= 2
}

func (d *deriver) definedYet(term string) bool {
	folded := prose.Fold(term)
	return slices.ContainsFunc(d.explains, func(prompt string) bool {
		at := strings.Index(prompt, folded)
		if at < 0 || dense(folded) {
			return at >= 0
		}
		next, _ := utf8.DecodeRuneInString(prompt[at+len(folded):])
		last, _ := utf8.DecodeLastRuneInString(prompt[:at])
		return !unicode.IsLetter(next) && !unicode.IsLetter(last) // "Zahl" is not in "Zahlung"
	})
}

// defined is a term with the sentence that defines it, as it is written and plain, and where that stands.
type defined struct {
	term, raw, plain string
	from, to         int
	rank             float64
	more             string // what the next sentence adds, "" when it speaks of something else
}

// define asks what a term means, and for the term where the title does not tell it. under is what is given where it is defined, or "".
func (d *deriver) define(i int, is defined, under string) {
	if praise.MatchString(is.plain) || is.more == "" && kindAlone.MatchString(is.plain) {
		return
	}
	w, term := wordings[d.lang], beforeFormula(is.term)
	if term == "" {
		term = is.term
	}
	gapped, answer := d.gapFor(term, is.plain)
	twin := ""
	if superlative.MatchString(is.plain) {
		return
	}
	if !d.definedYet(is.term) {
		prompt := fmt.Sprintf(w.whatIs, is.term)
		if d.lang == "en" && (contrasts.MatchString(is.plain) || !tellsApart.MatchString(is.plain)) {
			prompt = fmt.Sprintf(w.recall, is.term) // said of it, and perhaps not what it is
		}
		if gapped != "" {
			twin = term
		}
		q := Question{Kind: Explain, Prompt: prompt, Origin: Rule, Rank: is.rank, Answer: Answer{Texts: []string{inOne(inOne(under, is.plain), is.more)}, Points: points(is.raw, term)}, twin: twin}
		d.addNamed(i, q, fmt.Sprintf(w.whatIs, term), is.plain, is.from, is.to)
	}
	if gapped != "" {
		d.add(i, Question{Kind: Gap, Prompt: gapped, Origin: Rule, Rank: is.rank + .05, Answer: answerOf(answer), twin: twin}, is.from, is.to)
	}
}

// gapFor puts a gap in the place of a term, or of its head, in the sentence that defines it; "" where the title tells it.
func (d *deriver) gapFor(term, plain string) (prompt, answer string) {
	if d.title.has(term) || d.titleIn(term) || unbroken(term) == unbroken(d.unit.Title) || strings.ContainsAny(plain, "\n") || strings.Contains(term, "$") {
		return "", ""
	}
	if m := belongs.FindStringIndex(term); m != nil {
		term = term[:m[0]] // "the ____ of a matrix is …"
	}
	prompt, _ = d.blankOut(plain, term)
	return prompt, term
}

// inOne puts two sentences into one text.
func inOne(a, b string) string {
	if strings.HasSuffix(a, "。") {
		return a + b
	}
	return strings.TrimSpace(a + " " + b)
}

// kindAlone says what kind of thing its subject is, and not what tells it from others: "Ein Betriebssystem ist eine Software."
var kindAlone = regexp.MustCompile(`^(?:(?:[Tt]he|[Aa]n?|[Dd]er|[Dd]ie|[Dd]as|[Ee]ine?|[Ii]l|[Ll][aoe]|[Uu]n[aeo]?|[Ee]l|[Oo]|[Aa]|[Uu]ma?)\s)?[\pL-]+(?:\s[\pL-]+)?\s(?:is|ist|è|es|est|é)\s(?:an?|eine?|un[aeo]?|uma?)\s?[\pL-]+[.]?$`)

// goesOnAbout is how a sentence begins that says more of the subject of the one before.
var goesOnAbout = regexp.MustCompile(`^(?:It|They|This|These|Es|Er|Sie|Dieses?r?|Esso|Essa|Ess[ie]|Questo|Questa|Il|Elle|Ils|Elles|Este|Esta|Ele|Ela|Он|Она|Оно|Они|它|他|其|これ|それ)[\s\p{Han}は]`)

// Weights up to which a definition goes on with the next sentence, that of what the note is about too, and what both may have.
const shortDefinition, mediumDefinition, longestMore = 36, 120, 300

// addsTo gives what the sentence behind a short definition adds to it: one that says more of it, or behind a very short one any that defines
// nothing itself. about says that it defines what the note is about.
func (d *deriver) addsTo(plain string, behind []prose.Sentence, about bool) string {
	weight := units.Weight(plain)
	if len(behind) == 0 || weight > shortDefinition && (weight > mediumDefinition || !about) {
		return ""
	}
	next := clean(behind[0].Text)
	if unended(next) || pointing.MatchString(next) || asExample.MatchString(next) || weight+units.Weight(next) > longestMore {
		return ""
	}
	if goesOnAbout.MatchString(next) || weight <= shortDefinition && !kindAlone.MatchString(plain) && !strings.Contains(behind[0].Text, "**") && d.defines(behind[0].Text, next) == "" {
		return next
	}
	return ""
}

var (
	// tellsApart are the words by which an English definition tells its subject from others of the kind.
	tellsApart = regexp.MustCompile(`(?i)\b(?:of|that|which|who|whose|where|when|for|to|in|with|by|used|from|between|on|at|as|called|known|means|if|how|without|\w+ing|\w+ed)\b|\$`)
	// contrasts is a sentence that compares its subject with another.
	contrasts = regexp.MustCompile(`,\s(?:but|whereas|while|unlike|(?:and\s)?not\s(?:of|an?|the))\s`)
)

// superlative is a sentence that says what something is most of, not what it is: "X ist das schwächste Organ".
var superlative = regexp.MustCompile(`\s(?:is|are)\s+(?:by\s+far\s+)?the\s+(?:most\s+\w+|best-known\s\w+|\w{3,}est)(?:\s+[\w-]+){0,3}[.;:(]|\s(?:ist|sind)\s+(?:der|die|das)\s+(?:am\s+)?(?:\pL{3,}ste[nrs]?|letzte[nrs]?|nächste[nrs]?|erste[nrs]?)\s[^,]*$|\s(?:è|sono)\s+(?:il|lo|la|i|gli|le)\s+(?:più\s|(?:scelta|soluzione)\s|\pL+\s+più\s+\pL+(?:[.,;:]|\s+p(?:oich|erch)[èé]))|\s(?:es|é|est)\s(?:la|el|a|o|le)\s(?:ley|lei|loi|principio|princípio|base|fundamento)\s(?:fundamental|básic[oa]|principal)\s|是最[^的]{1,8}的[^，。]{0,8}[。]?$`)

// praise says how much something matters, not what it is.
var praise = regexp.MustCompile(`(?:最为?重要的?|巅峰|里程碑)|\s(?:is|are)\s+(?:an?\s+)?(?:fantastic|great|crucial|important|vital)\s|\s(?:ist|sind)\s+(?:ein|eine)\s+(?:zentrale|wichtige|wesentliche|entscheidende|grundlegende)[rs]?\s+(?:Element|Bestandteil|Teil|Rolle|Faktor|Aspekt|Baustein|Punkt)|\s(?:è|sono)\s+(?:un\s+elemento|una\s+parte|un\s+aspetto)\s+(?:centrale|fondamentale|importante|essenziale)|\s(?:es|é|est)\s+(?:un|una|um|uma|une)\s+(?:elemento|parte|élément|partie)\s+(?:central|fundamental|importante?|ess?encial|essentiel|essentielle)`)

// belongs is what leads from a term's head to what it is of: "rank of a matrix".
var belongs = regexp.MustCompile(`\s(?:of|on|for)\s(?:an?|the)\s`)

// blankOut puts a gap in the place of a term that stands once in a sentence; an English article before it goes too.
func (d *deriver) blankOut(plain, term string) (string, bool) {
	low, t := strings.ToLower(plain), strings.ToLower(term)
	if len(low) != len(plain) || t == "" {
		return "", false
	}
	at := boundary(low, t, 0)
	if at < 0 || boundary(low, t, at+len(t)) >= 0 {
		return "", false
	}
	rest := prose.Fold(plain[:at] + " " + plain[at+len(t):])
	if dense(term) && tells(rest, term) {
		return "", false
	}
	for _, word := range prose.Words(term) { // no part of it may tell it
		if prose.StopWords[word] || units.Weight(word) < 3 || units.Dense([]rune(word)[0]) {
			continue
		}
		for _, other := range prose.Words(rest) {
			if prose.Stem(other) == prose.Stem(word) || len(word) > 4 && strings.HasPrefix(other, word) {
				return "", false
			}
		}
	}
	head := plain[:at]
	for _, article := range []string{"a ", "an ", "A ", "An "} {
		if d.lang == "en" && (strings.HasSuffix(head, " "+article) || head == article) {
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
		if word[0] >= 0x80 || !prose.IsWordByte(before) && !prose.IsWordByte(after) {
			return i
		}
		from = i + 1
	}
	return -1
}
