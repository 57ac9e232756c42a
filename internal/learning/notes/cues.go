package notes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cue is what the words around a link in prose say of why it is there. It is evidence for or against a prerequisite; a
// link without any only says that two notes have to do with each other.
type Cue int8

// The cues.
const (
	CueNone    Cue = iota
	CueNeeds       // "requires", "builds on", "recall": the note needs the other
	CueNeeded      // "needed for", "used in": the other needs this note
	CueDefines     // the sentence that says what the note is about is put in terms of the other
	CueUses        // "let … be a", "by", "using": the text is put in terms of the other
	CueAside       // "see also", "for example", an embed, a list of references
)

const (
	cueBefore    = 90 // bytes of the sentence before a link that are looked at
	cueAfter     = 36 // bytes after it, for languages whose verb follows
	cueLet       = 49 // bytes in which a supposition must begin
	cueVerbAlone = 16 // bytes of a sentence that has no subject
	cueNear      = 24 // bytes in which the words of CueUses and CueAside must stand
	cueTool      = 8  // bytes after it in which the word for a tool must begin
	cueOpening   = 700
)

// Wordings, folded, each with spaces around it where the language has spaces. The first list that fits decides.
var (
	cueNeededWords = phrases("required for", "needed for", "necessary for", "prerequisite for", "prerequisite of", "prerequisites for", "used to prove", "used in the proof of",
		"leads to", "basis for", "basis of", "foundation for", "foundation of", "motivates", "will need in",
		"voraussetzung für", "grundlage für", "benötigt für", "führt zu", "alla base di", "necessario per", "serve per", "usato in", "usata in",
		"nécessaire pour", "à la base de", "utilisé dans", "necesario para", "base de", "se usa en", "necessário para", "usado em", "нужно для", "используется в")
	// What the reader must know.
	cueReaderWords = phrases("required knowledge", "prerequisite", "prerequisites", "prereq", "you should know", "familiar with", "familiarity with", "knowledge of", "understanding of", "assumes that you know", "first read", "start with",
		"kenntnisse", "vorwissen", "prerequisito", "prerequisiti", "conoscenza di", "prérequis", "suppose connu", "connaissance de", "conocimiento de")
	cueReaderInner = []string{"前提", "前置", "需要先", "需要了解", "需要掌握", "先学", "先读"}
	cueReaderAfter = []string{"を前提", "が前提", "の知識", "为前提", "전제"}
	// What something depends on: the note, if it is the subject of the sentence.
	cueNeedsWords = phrases("requires", "require", "builds on", "build on", "building on", "built on", "builds upon", "relies on", "rely on",
		"depends on", "depend on", "presupposes", "presuppose", "based on", "rests on", "extends", "is an extension of",
		"setzt voraus", "setzt", "baut auf", "aufbauend auf", "benötigt", "erfordert", "beruht auf", "basiert auf",
		"richiede", "presuppone", "si basa su", "basato su", "basata su",
		"nécessite", "repose sur", "s'appuie sur", "requiere", "se basa en", "depende de", "presupone", "requer", "baseia-se em", "pressupõe",
		"требует", "основан на", "основана на", "опирается на", "зависит от")
	// What is recalled is the first link after the word; those after it only say what that is.
	cueRecallWords = []string{"recall", "erinnere", "erinnern", "ricordiamo", "ricorda che", "rappelons", "recordemos", "recordar", "напомним", "回忆", "回顧", "回顾", "思い出"}
	// The words of cueUsesWords must stand right before the link, but for an article.
	cueUsesWords = padded("by", "using", "uses", "via", "follows from", "in terms of", "thanks to", "given", "for any", "for every", "for each", "for all", "defined as", "defined by", "defined using", "combines", "composed of", "consists of",
		"kind of", "type of", "form of", "instance of", "generalization of", "generalizes", "variant of", "proof of", "applying", "proved using", "derived from",
		"nach", "mit hilfe von", "folgt aus", "definiert als", "art von", "segue da", "applicando", "definito come", "definita come", "tipo di", "dato", "data",
		"grâce à", "d'après", "découle de", "défini comme", "sorte de", "mediante", "se sigue de", "definido como", "tipo de", "следует из")
	// cueToolWords after a link say that a tool is used, not a thought.
	cueToolWords  = phrases("command", "commands", "modifier", "option", "setting", "settings", "config", "configuration", "button", "page", "plugin", "extension", "menu", "tab", "flag", "pod", "file", "repo", "repository", "package", "cli", "field", "key", "hotkey", "shortcut", "template", "app", "tool")
	cueLetWords   = phrases("let", "suppose", "assume", "consider", "sei", "seien", "sia", "siano", "soit", "soient", "sea", "sean", "seja", "пусть")
	cueArticles   = padded("a", "an", "the", "ein", "eine", "einen", "einem", "einer", "der", "die", "das", "dem", "den", "un", "una", "uno", "il", "lo", "la", "le", "une", "el", "os", "um", "uma")
	cueAsideWords = phrases("see", "see also", "see the", "cf", "cf.", "compare", "compare with", "more information", "more info", "details", "learn more", "read more", "more on", "more about", "docs", "documentation", "related", "related to",
		"e.g.", "eg", "e.g", "for example", "for instance", "such as", "like", "similar to", "analogous to", "unlike", "in contrast to", "contrary to", "opposite of", "opposed to", "as opposed to", "check out", "also", "thanks", "source", "developed by", "invented by", "proposed by", "introduced by", "discovered by", "created by", "founded by", "published by", "written by", "designed by", "named after", "via @", "or", "instead of", "rather than", "not", "than",
		"ähnlich", "im gegensatz zu", "entwickelt von", "erfunden von", "vorgeschlagen von", "eingeführt von", "entdeckt von", "siehe", "siehe auch", "vgl", "vgl.", "z. b.", "z.b.", "zum beispiel", "wie", "analogo a", "analogo al", "analoga a", "analoga alla", "simile a", "simile al", "a differenza di", "sviluppato da", "sviluppata da", "inventato da", "proposto da", "introdotto da", "introdotta da", "scoperto da", "ideato da", "vedi", "vedi anche", "ad esempio", "come", "per esempio", "voir", "voir aussi", "par exemple", "comme", "ver", "véase", "por ejemplo", "como", "см.", "смотри", "например")
	cueNeedsInner = []string{"依赖", "依賴", "基于", "基於", "建立在", "必要と"}
	cueUsesInner  = []string{"根据", "由", "設", "设", "給定", "给定", "令", "定义为", "满足", "对任意"}
	cueAsideInner = []string{"参见", "參見", "参考", "另见", "详见", "例如", "比如", "参照", "詳しく", "たとえば", "例えば", "類似", "类似", "区别", "不同于", "相比", "と異なり", "と違い"}
	cueNeedsAfter = []string{"に基づ", "を必要", "に依存", "をもとに", "的基础上", "为基础", "voraus", "기반"}
	// Who made something is no part of what it is.
	cueMadeAfter   = []string{"提出", "发明", "發明", "发表", "開発した", "开发", "创立", "が提唱", "が考案", "が発明", "によって提唱", "によって開発"}
	cueUsesAfter   = []string{"を用い", "により", "によって", "とする", "から従", "上の", "という", "の一種"}
	cueAsideAfter  = []string{"など", "を参照", "参照", "を見"}
	cueDefineWords = padded("is a", "is an", "is the", "are", "is any", "is called", "means", "refers to", "is one of", "ist ein", "ist eine", "ist der", "ist die", "sind", "è un", "è una", "è il", "è la", "sono", "est un", "est une", "est le", "est la", "es un", "es una", "es el", "es la", "é um", "é uma", "это", "defines", "denotes", "= ")
	cueDefineInner = []string{"是", "とは", "指", "称为", "稱為", "叫做", "即", "である"}
	// cueAsideHeads are headings under which links lead elsewhere.
	cueAsideHeads = wordSet("see also", "references", "reference", "further reading", "related", "related notes", "related topics", "related concepts", "links", "resources", "sources", "credits", "changelog", "next steps", "next", "todo", "examples", "example",
		"applications", "backlinks", "external links", "bibliography", "notes", "footnotes", "more", "learn more", "child pages", "children", "contents", "table of contents", "tags",
		"参见", "参考", "参考文献", "相关", "例子", "应用", "另见", "链接", "関連", "参考資料", "例", "応用", "siehe auch", "quellen", "literatur", "beispiele", "verweise", "vedi anche", "riferimenti", "esempi", "fonti", "collegamenti",
		"voir aussi", "références", "exemples", "liens", "véase también", "referencias", "ejemplos", "enlaces", "см. также", "примеры", "ссылки")
	// cueLabels may stand before a definition, as may articles and the field it belongs to.
	cueLabels  = wordSet("definition", "def", "def.", "idea", "term", "begriff", "definizione", "définition", "definición", "定义", "定義", "概念")
	cueFields  = wordSet("in", "im", "within", "nel", "nella", "nell'algebra", "dans", "en", "em", "unter")
	cueArticle = wordSet("a", "an", "the", "any", "every", "this", "ein", "eine", "der", "die", "das", "un", "una", "uno", "un'", "il", "lo", "la", "l'", "i", "gli", "le", "une", "el", "o", "os", "as", "um", "uma")
	cueJoins   = wordSet("and", "or", "as", "und", "sowie", "oder", "e", "ed", "o", "et", "ou", "y", "i", "и", "和", "与", "及", "以及", "や", "と")
	// cueAsideLabels are the texts of links that only point.
	cueAsideLabels = wordSet("here", "docs", "documentation", "details", "link", "this", "this page", "source", "more", "guide", "hier", "qui", "ici", "aquí", "这里", "こちら")
)

func padded(list ...string) []string {
	for i, w := range list {
		list[i] = " " + w + " "
	}
	return list
}

// phraseSet has padded wordings by their first word, so that a text is read once however many there are.
type phraseSet map[string][]string

func phrases(list ...string) phraseSet {
	p := make(phraseSet, len(list))
	for _, w := range list {
		word, _, _ := strings.Cut(w, " ")
		p[word] = append(p[word], " "+w+" ")
	}
	return p
}

// in reports whether a text of plainWords holds one of the wordings.
func (p phraseSet) in(s string) bool { return p.within(s, len(s)) }

// within reports whether one of the wordings begins in the first bytes of a text of plainWords.
func (p phraseSet) within(s string, first int) bool {
	for at := strings.IndexByte(s, ' '); at >= 0 && at <= first; {
		n := strings.IndexByte(s[at+1:], ' ')
		if n < 0 {
			return false
		}
		for _, w := range p[s[at+1:at+1+n]] {
			if strings.HasPrefix(s[at:], w) {
				return true
			}
		}
		at += 1 + n
	}
	return false
}

func wordSet(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[w] = true
	}
	return m
}

// What is read of the words around links: so many bytes of every note, and so many times its own. That is enough for a link
// every fifty bytes; of a note that is denser the links at its end have no cue.
const (
	cueBytes = 64 << 10
	cueTimes = 6
)

// cueOf reads the words around a link: text[lineStart:lineEnd) is its line, opens says that the line is among the first
// of the note, title is the folded title of the note and head that of the section.
func cueOf(text string, f found, lineStart, lineEnd int, opens bool, title, head string) Cue {
	if f.Embed || cueAsideHeads[head] || cueAsideLabels[Fold(f.Target)] && f.Alternate != "" {
		return CueAside
	}
	sentence := sentenceBefore(text[lineStart:f.start])
	before := plainWords(sentence)
	after := plainWords(text[f.end:min(lineEnd, clipRune(text, f.end+cueAfter))])
	far, near := tail(before, cueBefore), tail(before, cueNear)
	switch {
	case cueAsideWords.in(near) && !cueNeedsWords.in(far) && !cueReaderWords.in(far), hasAny(near, cueAsideInner), startsAny(after, cueAsideAfter), startsAny(after, cueMadeAfter):
		return CueAside
	case cueNeededWords.in(far):
		return CueNeeded
	case (cueReaderWords.in(far) || hasAny(far, cueReaderInner)) && joined(sentence), startsAny(after, cueReaderAfter), recalled(sentence):
		return CueNeeds
	case (cueNeedsWords.in(far) || hasAny(far, cueNeedsInner)) && joined(sentence), startsAny(after, cueNeedsAfter):
		if opens || about(before, title) {
			return CueNeeds
		}
		return CueNone
	}
	tool := cueToolWords.within(after, cueTool)
	if tool {
		return CueNone
	}
	genus := -1
	if opens {
		genus = definition(sentence, title)
	}
	switch {
	case genus >= 0 && genus <= cueGenus:
		return CueDefines
	case genus >= 0, endsAny(before, cueUsesWords), hasAny(near, cueUsesInner), startsAny(after, cueUsesAfter), supposes(before):
		return CueUses
	}
	return CueNone
}

const (
	cueGenus   = 55 // bytes between the verb of a definition and its genus
	cueVerb    = 60 // bytes between what is defined and the verb: an abbreviation, another name
	cueHeading = 40 // bytes of a label before the sentence: "Definition 3: "
)

// definition tells how far before the link the verb of the sentence stands that says what the note is about, or -1. The
// subject is the note's title or a marked term, and it is the subject only when nothing but an article, a label or the
// field ("In algebra, a …") stands before it: "changes of X are a sign of" says nothing of what X is.
func definition(sentence, title string) int {
	if i := strings.IndexAny(sentence, ":"); i > 0 && i < cueHeading {
		sentence = sentence[i+1:]
	}
	before := plainWords(sentence)
	title = strings.TrimSpace(plainWords(title))
	rest := ""
	if at := strings.Index(before, title); utf8.RuneCountInString(title) >= 2 && at >= 0 && leads(before[:at], "") {
		rest = before[at+len(title):]
	} else if term, after, ok := marked(sentence); ok && leads(plainWords(term), title) {
		rest = plainWords(after)
	}
	far := -1
	for _, words := range [2][]string{cueDefineWords, cueDefineInner} {
		for _, w := range words {
			if i := strings.Index(rest, w); i >= 0 && i <= cueVerb {
				far = max(far, len(rest)-i-len(w))
			}
		}
	}
	return far
}

// leads reports whether a subject may stand after these words at the head of a sentence. Words of the title may be in front
// of a marked part of it.
func leads(before, title string) bool {
	words := strings.Fields(before)
	for len(words) > 0 && cueLabels[words[0]] {
		words = words[1:]
	}
	if len(words) > 0 && cueFields[words[0]] {
		return len(before) <= cueVerb
	}
	for _, w := range words {
		if !cueArticle[w] && w[0] < utf8.RuneSelf && !strings.Contains(title, w) {
			return false
		}
	}
	return utf8.RuneCountInString(before) <= cueNear
}

// marked gives what of a sentence stands before its first marked term that is no label, and what stands after it.
func marked(sentence string) (before, after string, ok bool) {
	for from := 0; ; {
		at := strings.IndexAny(sentence[from:], "*_")
		if at < 0 {
			return "", "", false
		}
		open := from + at
		term := open + len(sentence[open:]) - len(strings.TrimLeft(sentence[open:], "*_="))
		end := strings.IndexAny(sentence[term:], "*_")
		if end < 0 {
			return "", "", false
		}
		if !cueLabels[strings.TrimSpace(plainWords(sentence[term:term+end]))] {
			return sentence[:open], sentence[term+end:], true
		}
		from = term + end
		from += len(sentence[from:]) - len(strings.TrimLeft(sentence[from:], "*_"))
	}
}

// joined reports whether a link is the first of its sentence or in a list with the one before: "builds on [[A]], the [[B]]
// model and [[C]]", and not "depends on [[A]], but one says something else of [[B]]".
func joined(sentence string) bool {
	at := max(strings.LastIndex(sentence, "]]"), strings.LastIndex(sentence, "]("))
	if at < 0 {
		return true
	}
	gap := sentence[at+2:]
	if sentence[at+1] == '(' {
		_, gap, _ = strings.Cut(gap, ")")
	}
	text := plainWords(gap)
	words := strings.Fields(text)
	if len(words) == 0 || cueNeedsWords.in(text) || cueReaderWords.in(text) || hasAny(text, cueNeedsInner) || hasAny(text, cueReaderInner) {
		return true
	}
	if len(words) > 4 {
		return false
	}
	return strings.ContainsAny(gap, ",;/&、，") || slices.ContainsFunc(words, func(w string) bool { return cueJoins[w] })
}

// about reports whether the beginning of a sentence is about the note: nothing but the verb, "it", or words of the title. Far
// from the note's opening others are spoken of as well: "in practice one relies on …".
func about(before, title string) bool {
	words := strings.Fields(before)
	if len(before) <= cueVerbAlone || words[0] == "it" || words[0] == "they" || words[0] == "es" || words[0] == "sie" {
		return true
	}
	title = plainWords(title)
	for _, w := range strings.Fields(title) {
		if len(w) >= 4 && strings.Contains(before, " "+w+" ") {
			return true
		}
	}
	return strings.HasPrefix(before, strings.TrimRight(title, " "))
}

// recalled reports whether the sentence recalls what is linked.
func recalled(sentence string) bool {
	folded := strings.ToLower(sentence)
	for _, w := range cueRecallWords {
		if i := strings.Index(folded, w); i >= 0 {
			rest := folded[i+len(w):]
			return len(rest) <= cueBefore && !strings.Contains(rest, "](") && !strings.Contains(rest, "[[")
		}
	}
	return false
}

// supposes reports a supposition in terms of what is linked: "Let X be a", "Suppose f is a", "Sei V ein".
func supposes(before string) bool {
	return cueLetWords.in(tail(before, cueLet))
}

// sentenceBefore gives what of a line stands in the same sentence as its end.
func sentenceBefore(s string) string {
	s = s[max(0, len(s)-3*cueBefore):]
	for i := len(s) - 1; i > 0; i-- {
		switch {
		case s[i] == ' ' && (s[i-1] == '.' || s[i-1] == '!' || s[i-1] == '?' || s[i-1] == ';') && (i < 3 || s[i-3] != '.' && s[i-2] != '.'):
			return s[i:]
		case strings.HasPrefix(s[i:], "。"):
			return s[i+len("。"):]
		}
	}
	return s
}

// plainWords folds a text and puts one space for each run of marks, so that wordings can be looked for with spaces around.
func plainWords(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(' ')
	space := true
	for _, r := range strings.ToLower(strings.ToValidUTF8(s, " ")) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '.' && !space:
			b.WriteRune(r)
			space = false
		case !space:
			b.WriteByte(' ')
			space = true
		}
	}
	if !space {
		b.WriteByte(' ')
	}
	return b.String()
}

// tail gives the last n bytes of s, from a rune's beginning.
func tail(s string, n int) string {
	at := max(0, len(s)-n)
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

func clipRune(s string, at int) int {
	at = min(at, len(s))
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return at
}

func hasAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// endsAny reports whether a text ends with one of the words, an article after it set aside.
func endsAny(s string, words []string) bool {
	for _, a := range cueArticles {
		if strings.HasSuffix(s, a) {
			s = s[:len(s)-len(a)+1]
			break
		}
	}
	for _, w := range words {
		if strings.HasSuffix(s, w) {
			return true
		}
	}
	return false
}

func startsAny(s string, words []string) bool {
	for _, w := range words {
		if i := strings.Index(s, w); i >= 0 && i <= 8 {
			return true
		}
	}
	return false
}
