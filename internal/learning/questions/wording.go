package questions

import (
	"regexp"
	"strings"
	"unicode"

	"stoa/internal/learning/prose"
)

// wording is how questions made by rule are put, in the language of the note.
type wording struct{ whatIs, describes, recall, recallNote, state, list, order, output, row, column, formula, says string }

var wordings = map[string]wording{
	"en": {"What is meant by “%s”?", "Which term does this describe? “%s”", "What do your notes say about “%s”?", "What does your note “%s” say?", "State the result: %s", "%s (name all %d)", "Put in order: %s", "What does this print?", "row", "column", "formula", ": what do your notes say?"},
	"zh": {"什么是“%s”？", "下面说的是哪个术语？“%s”", "关于“%s”，笔记里说了什么？", "笔记“%s”里说了什么？", "陈述：%s", "%s（共 %d 项，全部列出）", "按顺序排列：%s", "这段代码输出什么？", "行", "列", "公式", "：笔记里是怎么说的？"},
	"ja": {"「%s」とは何ですか。", "次の説明に当てはまる用語は何ですか。「%s」", "「%s」についてノートには何と書かれていますか。", "ノート「%s」には何と書かれていますか。", "次の主張を述べてください：%s", "%s（全部で %d 個）", "順番に並べてください：%s", "このコードの出力は何ですか。", "行", "列", "式", "：ノートには何と書かれていますか。"},
	"it": {"Che cosa si intende con «%s»?", "Quale termine descrive questa frase? «%s»", "Che cosa dicono i tuoi appunti su «%s»?", "Che cosa dice il tuo appunto «%s»?", "Enuncia il risultato: %s", "%s (elenca tutti e %d)", "Metti in ordine: %s", "Che cosa stampa questo codice?", "riga", "colonna", "formula", ": che cosa dicono i tuoi appunti?"},
	"es": {"¿Qué se entiende por «%s»?", "¿Qué término describe esta frase? «%s»", "¿Qué dicen tus apuntes sobre «%s»?", "¿Qué dice tu apunte «%s»?", "Enuncia el resultado: %s", "%s (enumera los %d)", "Pon en orden: %s", "¿Qué imprime este código?", "fila", "columna", "fórmula", ": ¿qué dicen tus apuntes?"},
	"pt": {"O que se entende por «%s»?", "Que termo descreve esta frase? «%s»", "O que dizem as suas anotações sobre «%s»?", "O que diz a sua nota «%s»?", "Enuncie o resultado: %s", "%s (enumere os %d)", "Ponha em ordem: %s", "O que este código imprime?", "linha", "coluna", "fórmula", ": o que dizem as suas anotações?"},
	"fr": {"Qu’entend-on par « %s » ?", "Quel terme cette phrase décrit-elle ? « %s »", "Que disent vos notes sur « %s » ?", "Que dit votre note « %s » ?", "Énoncez le résultat : %s", "%s (citez les %d)", "Mettez dans l’ordre : %s", "Qu’affiche ce code ?", "ligne", "colonne", "formule", " : que disent vos notes ?"},
	"ru": {"Что означает «%s»?", "Какой термин здесь описан? «%s»", "Что сказано в ваших заметках о «%s»?", "Что сказано в вашей заметке «%s»?", "Сформулируйте: %s", "%s (назовите все: %d)", "Расположите по порядку: %s", "Что выведет этот код?", "строка", "столбец", "формула", ": что сказано в ваших заметках?"},
	"de": {"Was versteht man unter „%s“?", "Welcher Begriff ist gemeint? „%s“", "Was steht in deinen Notizen zu „%s“?", "Was steht in deiner Notiz „%s“?", "Nenne die Aussage: %s", "%s (nenne alle %d)", "Bringe in die richtige Reihenfolge: %s", "Was gibt dieser Code aus?", "Zeile", "Spalte", "Formel", ": Was steht in deinen Notizen?"},
}

// mark is what a question ends with.
func (w wording) mark() string {
	if strings.HasSuffix(w.output, "？") || strings.HasSuffix(w.output, "。") {
		return "？"
	}
	return "?"
}

// definitions find the term that a sentence defines, by language. The first group is the term.
var definitions = map[string][]*regexp.Regexp{
	"en": {
		regexp.MustCompile(`^(?:(?:An?|The)\s+)?([^,.;:$]{2,60}?)(?:\s*\([^)]*\))?(?:\s+\$[^$]{1,60}\$)?,?\s+(?:is|are)\s+(?:called\s+|defined\s+as\s+|known\s+as\s+|said\s+to\s+be\s+)?(?:an?|the|any|one\s+of|when|where|how|those)\s+\S+`),
		regexp.MustCompile(`^(?:(?:An?|The)\s+)?([^,.;:$]{2,60}?)(?:\s*\([^)]*\))?(?:\s+\$[^$]{1,60}\$)?\s+(?:refers?\s+to|means|denotes|describes|stands\s+for|consists\s+of|is\s+defined\s+as|measures|states\s+that|occurs?\s+when|happens\s+when|arises?\s+when)\s+\S+`),
		regexp.MustCompile(`^([A-Z][^,.;:$]{2,60}?)(?:\s*\([^)]*\))?\s+are\s+(?:[\w-]+\s+){0,3}?[\w-]+[^su\W]s\s+(?:of|that|which|who|whose|used|where|in\s+which)\s+\S+`),
	},
	"zh": {
		regexp.MustCompile(`^([^，。；：、的是$]{1,20}?)(?:（[^）]*）|\([^)]*\))?\s*(?:，?(?:则|就|即)?(?:是指|指的是)|的定义是|定义为|指|是一种|是一个|是一类|是由|是用|是)(.{6,})`),
	},
	"ja": {
		regexp.MustCompile(`^.{6,}を、?\s?「?([^、。を「」\s]{2,20}?)(?:（[^）]*）|\([^)]*\))?」?\s?と(?:呼ぶ|呼びます|いう|いいます|言う)。?$`),
		regexp.MustCompile(`^([^、。；：は]{1,30}?)(?:（[^）]*）|\([^)]*\))?とは、?(.{6,})`),
		regexp.MustCompile(`^([^、。；：は]{1,24}?)(?:（[^）]*）|\([^)]*\))?は、?(.{6,}?)(?:である|です|という|をいう|を指す|のこと|の一種|の一つ|を表す)`),
	},
	"it": {
		regexp.MustCompile(`(?i)^(?:per|con)\s+(?:(?:il|lo|la|i|gli|le|un|uno|una)\s+|(?:l|un)['’])?([^,.;:$]{2,50}?)\s+(?:si\s+intend(?:e|ono)|ci\s+(?:si\s+)?riferi(?:sce|amo)\s+a)\s+\S+`),
		regexp.MustCompile(`(?i)^(?:(?:il|lo|la|i|gli|le|un|uno|una)\s+|(?:l'|un'|l’|un’))?([^,.;:$]{2,60}?)(?:\s*\([^)]*\))?(?:\s+\$[^$]{1,60}\$)?\s+(?:(?:è|sono)\s+(?:(?:una?|uno|il|lo|la|i|gli|le|quell[aeio]|quei|ciò|qualsiasi|qualunque|(?:dett|chiamat)[aeio])\s+|(?:un|l)['’])|(?:si\s+definisce|si\s+riferisce\s+a(?:l|lla|llo|i|gli|lle)?|indica|rappresenta|consiste\s+(?:in|nel)|costituisc(?:e|ono)|serve\s+a)\s+)\s*\S+`),
	},
	"es": {
		regexp.MustCompile(`^(?:(?:El|La|Los|Las|Une?|Una|Unos|Unas)\s+)?([^,.;:$]{2,60}?)(?:\s*\([^)]*\))?(?:\s+\$[^$]{1,60}\$)?\s+(?:(?:es|son)\s+(?:un|una|unos|unas|el|la|los|las|aquell[ao]s?|cualquier)|se\s+definen?\s+como|se\s+entiende\s+por|consisten?\s+en|se\s+refieren?\s+al?|hacen?\s+referencia\s+al?)\s+\S+`),
	},
	"pt": {
		regexp.MustCompile(`^(?:(?:O|A|Os|As|Um|Uma)\s+)?([^,.;:$]{2,60}?)(?:\s*\([^)]*\))?(?:\s+\$[^$]{1,60}\$)?\s+(?:(?:é|são)\s+(?:um|uma|uns|umas|o|a|os|as|aquel[ea]s?|qualquer)|(?:é|são)\s+definid[ao]s?\s+como|consistem?\s+em|referem?-se\s+(?:a|à|ao|às|aos))\s+\S+`),
	},
	"ru": {
		regexp.MustCompile(`^([^,.;:$—–]{2,60}?)(?:\s*\([^)]*\))?\s+[—–-]\s+это\s+\S+`),
	},
	"fr": {
		regexp.MustCompile(`^(?:(?:Le|La|Les|Une?)\s+|L['’])?([^,.;:$]{2,60}?)(?:\s*\([^)]*\))?(?:\s+\$[^$]{1,60}\$)?\s+(?:(?:est|sont)\s+(?:(?:une?|le|la|les)\s+|l['’])|désigne(?:nt)?\s+|correspond(?:ent)?\s+à\s+|consiste(?:nt)?\s+(?:à|en)\s+|se\s+définit\s+comme\s+)\S+`),
	},
	"de": {
		regexp.MustCompile(`^(?:Mit|Unter|Als)\s+(?:dem\s+Begriff\s+|einem\s+|einer\s+|der\s+|dem\s+)?[„"»]?([^,.;:$]{2,60}?)[“"«]?\s+(?:ist|sind|wird|werden)\s+.{6,}(?:gemeint|bezeichnet|verstanden|beschrieben|zusammengefasst)`),
		regexp.MustCompile(`^(?:Unter|Als)\s+(?:dem\s+Begriff\s+|einem\s+|einer\s+|der\s+|dem\s+)?[„"»]?([^,.;:$]{2,60}?)[“"«]?\s+(?:versteht|bezeichnet)\s+man\s+\S+`),
		regexp.MustCompile(`^[^,.;:$]{3,80}?\s+(?:wird|werden)\s+(?:auch\s+)?als\s+([\pL-]{3,40})\s+bezeichnet`),
		regexp.MustCompile(`^[^.;:$]{3,120}?\s+nennt\s+man\s+(?:auch\s+)?(?:eine?n?\s+)?([\pL-]{3,40})[.,]?$`),
		regexp.MustCompile(`^(?:(?:Der|Die|Das|Ein|Eine)\s+)?([^,.;:$]{2,60}?)(?:\s*\([^)]*\))?(?:\s+\$[^$]{1,60}\$)?\s+(?:ist|sind|war|waren|heißt|bezeichnet|bedeutet|beschreibt|besteht\s+aus)\s+(?:ein|eine|einer|der|die|das|den|jede|jeder|jedes)\s+\S+`),
	},
}

// leaning are the words with which a sentence leans on the one before it, folded.
var leaning = prose.WordSet(`this that these those it its they them their he she his her here there such then thus hence so therefore however but and or also moreover furthermore otherwise instead consequently similarly likewise finally first second third next
	now again note notice observe recall suppose assume let consider since because if when where which who for example e.g in as both either neither one another others some many most we our us i you your my let's now proof remark see
	这 那 它 其 此 该 他 她 因此 所以 但 但是 然而 于是 而且 并且 同时 另外 此外 例如 比如 如果 假设 设 令 由于 因为 我们 这里 那么 即 又 可见 显然 属于 用于 最早 后来
	これ それ この その そうで こうし 従って 故に 以上よ あれ ここ そこ したがって よって しかし また さらに ただし なお つまり 例えば たとえば もし まず 次に そして すると
	questo questa questi queste esso essa essi quindi però ma anche inoltre infatti così allora ora poi se quando dunque perciò invece per ad noi
	quest'ultimo quest'ultima quest'altro quest'altra tale tali viceversa altrimenti
	este esta estos estas ese esa esto eso además también entonces así luego pero aunque porque fue fueron era eran ello ellos ellas sus
	isto isso esse essa esses essas também então assim logo mas porém embora foi foram seu seus suas
	sinon ensuite puis ainsi donc alors mais cependant cela ceci celui celle ceux celles cette ces ils elles elle leur leurs car enfin
	dies diese dieser dieses es sie er dann also aber jedoch außerdem daher deshalb somit hier dort wenn falls sei seien wir ferner damit dabei dazu
	sia siano sean soit soient seja sejam`)

// pointing are words that only make sense where they stand.
var pointing = regexp.MustCompile(`(?i)\b(?:following|as follows|below|above|previous(?:ly)?|aforementioned|latter|former|this (?:note|page|section|chapter|article|book|vault|plugin's|post)|see also|todo|tbd|click|we will|we'll|let us|i think|i'm|my (?:notes?|own)|(?:figure|table|listing)\s\d|seguente|seguenti|folgende[rns]?|siehe|oben|unten|ci-dess(?:ous|us)|l['’]exemple|a continuación|más abajo|más arriba|(?:el|la|los|las) siguientes?|a seguir|abaixo|[oa]s? seguintes?)\b|(?:between|steps?|from|in|by|of|to|and|und|schritte?|zwischen|passo|passi|tra|e)\s\(\d+\)|如下|以下|上述|如图|本文|本章|本节|[下次](?:列|述|面)?の?(?:よう|条件|性質|等式|式|通り)|[下]列|下述|以下の|上記|この章|この節|この記事|図\d|(?:先|前|上)の(?:例|表|図)`)

// emptyTerms are marked or linked words that name nothing.
var emptyTerms = prose.WordSet(`here this that these link links note notes see example examples definition theorem proof remark remarks solution lemma proposition corollary warning important tip question answer more page source wikipedia video article book chapter section figure table image it all any not never always must only both each first second
	last one two three yes no true false and or if then else do don't can cannot todo new old good bad best same different other another every none some many most few e.g i.e etc output input result results code step steps 例 注 注意 定义 定理 证明 重要 问题 答案 说明 这里 定義 証明 例題 補足 ここ nota esempio definizione teorema dimostrazione qui osservazione importante beispiel tipp tipps hint hints suggerimento 提示 ヒント satz beweis hinweis hier wichtig bemerkung
	backwards forwards backward forward hinrichtung rückrichtung übrigens achtung beachte merke btw nb n.b ricorda attenzione attention 注 注意 如 例如 比如 即 譬如 ただし なお
	fact facts cor thm lem prop obs rmk clm claim teo dim oss prf keywords palavras-chave notas anotações schlagwörter stichwörter mots-clés
	recall remember reminder takeaway takeaways aforisma citazione quote quotation zitat cita citação citation motto aphorismus 名言 引文 金句 黄金金句
	nein ja sí oui non sì はい いいえ 是 否 对 错
	ejemplo ejemplos exemplo exemplos exemple exemples beispiele esempi 示例 具体例
	lösung begründung aufgabe soluzione motivazione esercizio 解説 タスク 課題 コマンド例 強い 弱い
	analogy analogies metaphor mnemonic mnemonics analogia metafora mnemotecnica eselsbrücke eselsbrücken merksatz merkspruch merke analogie 类比 比喻 口诀 助记 记忆法 たとえ 例え 比喩 覚え方 左上角 右上角 左下角 右下角 左上 右上 左下 右下 优先 同时 所有 唯一 最多 至少 全部 完全 一定 必须 直接 任意 存在 恒 wieder again also außerdem zudem dazu dabei inoltre además`)

// labels are words before a colon that say what a sentence is, not what it speaks of.
func label(s string) bool {
	f := strings.TrimLeftFunc(prose.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) // "💡 tip"
	f, _, _ = strings.Cut(f, "^")                                                                                      // "Theorem^1^"
	first, _, _ := strings.Cut(f, " ")
	return pointsBack.MatchString(f) || numberedLesson.MatchString(f) || emptyTerms[f] || emptyTerms[first] || languageNames[f] || numberedChoice.MatchString(f) || genericNouns[f[strings.LastIndex(f, " ")+1:]] || f == ""
}

// numberedLesson names a lesson, a week or a list of a course and nothing that is learned there: "3a lez", "week 2", "第3回", "帝国列表".
var numberedLesson = regexp.MustCompile(`^(?:\d+\s?[aª°.]?\s?(?:lez|lezione|lecture|vorlesung|aula|clase|semana|settimana|woche|week|day|tag|giorno)\b|(?:lez|lezione|lecture|lesson|vorlesung|aula|clase|semana|settimana|woche|week|day|tag|giorno|session|chapter|kapitel|capitolo|cours|discussion|seminar|seminario|tutorial|module|unit|topic|lab|übung|blatt)\.?\s?\d+[a-z]?(?:\s?[-–:].*)?$)|^第\s?[\d一二三四五六七八九十]+\s?[回章节節周週課课]|(?:列表|一覧|目录|目次|口诀)$`)

// languageNames stand before an example or a translation.
var languageNames = prose.WordSet(`english german french spanish italian portuguese dutch latin greek russian polish turkish arabic hebrew persian hindi bengali bangla telugu tamil urdu chinese mandarin cantonese japanese korean vietnamese thai swedish norwegian danish finnish hungarian czech
	deutsch englisch französisch spanisch italienisch latein griechisch russisch inglese tedesco francese spagnolo italiano latino greco inglés alemán francés español latín inglês alemão francês espanhol português latim anglais allemand français espagnol latin
	英语 英文 中文 汉语 日语 法语 德语 英語 日本語 中国語 韓国語 フランス語 ドイツ語`)

// numberedChoice is one of several things without names: "possibility 2".
var numberedChoice = regexp.MustCompile(`^(?:possibility|option|case|variant|version|attempt|try|approach|solution|example|item|point|possibilità|caso|opzione|opción|opção|cas|fall|möglichkeit|variante)\s\d+$`)

// pointsBack is how a label begins that speaks of what stands before it, and exemplifies how an explanation that only gives examples or repeats.
var (
	pointsBack  = regexp.MustCompile(`^(?:与之|与此|与其|相比之下|这|该|此|它|これ|それ|その|この)`)
	exemplifies = regexp.MustCompile(`(?i)^(?:z\.\s?b\.|zum beispiel|e\.g\.|for (?:example|instance)|such as|imagine\b|think of\b|picture\b|immagina|stell(?:en)? (?:dir|sie sich)|ad es\.|p\.\s?(?:es|ej|ex)\.|por ejemplo|par exemple|例如|比如|譬如|例えば|想象|想像|假设你|同上|同前|同じ|ditto|as above|siehe oben|s\.\s?o\.)`)
)

// genericNouns name nothing, whatever stands before them: "weird stuff", "other points".
var genericNouns = prose.WordSet(`stuff thing things points facts thoughts ideas gotchas caveats trivia misc miscellaneous extras explanation explanations overview summary details
	erklärung erklärungen übersicht zusammenfassung überblick spiegazione riassunto panoramica explicación resumen explicação resumo explication résumé aperçu 关键点 要点 説明 解説 補足説明
	punti cose aspetti curiosità dinge punkte sonstiges allgemeines verschiedenes 其他 其它 杂项 雜項 その他 いろいろ`)

// countWords say how many there are of something and not of what.
var countWords = prose.WordSet(`several numerous various many multiple few different main following key important basic ways way kinds kind types type reasons reason parts part steps step aspects aspect
	numerosi numerose vari varie diversi diverse molti molte alcuni alcune principali modi modo tipi tipo motivi motivo parti passi ci seguenti
	mehrere verschiedene viele einige wichtige arten art gründe grund teile schritte es gibt folgende`)
