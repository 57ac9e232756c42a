package notes

import "strings"

// meaning is what a label says of the notes after it. Inverse means from this note to the others.
type meaning struct {
	kind    Kind
	inverse bool
}

// labels are the wordings of relation lines, headings and front matter keys, folded. Only wordings that plainly say a
// direction are here; any other label is left to the inference of package graph, which pools the links of a label.
var labels = func() map[string]meaning {
	m := map[string]meaning{}
	add := func(kind Kind, inverse bool, list ...string) {
		for _, w := range list {
			m[Fold(w)] = meaning{kind, inverse}
		}
	}
	add(Prerequisite, false,
		"requires", "require", "required", "requirement", "requirements", "prerequisite", "prerequisites", "pre-requisite", "pre-requisites",
		"prereq", "prereqs", "prior knowledge", "required knowledge", "background", "assumed knowledge", "assumes", "assumed background",
		"depends on", "depends", "depend on", "dependency", "dependencies", "dependent on", "builds on", "build on", "based on", "relies on", "rests on",
		"proved by", "proven by", "proof uses", "proved using", "proved with", "uses", "using", "follows from", "derived from", "defined by", "defined using",
		"defined in terms of", "justification", "justifications", "justified by", "learn first", "read first", "before this", "needs", "need to know",
		"you should know", "what you need to know", "parent", "parents", "up", "broader", "foundations", "foundation", "ingredients", "premises",
		"前置", "前置知识", "前置知識", "前置条件", "前置概念", "前置课程", "先修", "先修知识", "先修课程", "先修知識", "先决条件", "预备知识", "預備知識", "基础知识",
		"依赖", "依赖于", "依賴", "需要", "基于", "基於", "前提", "前提条件", "前提知识", "证明依赖", "由此证明", "所需知识", "上级", "父级",
		"前提知識", "必要知識", "必要な知識", "必要条件", "予備知識", "前提となる知識", "依存", "依存先", "先に読む", "事前知識", "基礎知識", "使うもの", "親",
		"선수 지식", "선수지식", "선행 지식", "선행지식", "전제", "voraussetzung", "voraussetzungen", "benötigt", "baut auf", "vorwissen", "beruht auf",
		"prérequis", "pré-requis", "nécessite", "dépend de", "requisitos", "prerrequisitos", "depende de", "requiere",
		"pré-requisitos", "requer", "prerequisiti", "richiede", "требует", "требования", "предпосылки", "зависит от", "пререквизиты")
	add(Prerequisite, true,
		"required by", "required for", "prerequisite of", "prerequisite for", "prerequisites for", "needed for", "needed by", "used by", "used in", "used for",
		"depended on by", "dependents", "proves", "used to prove", "enables", "unlocks", "leads to", "builds to", "basis of", "basis for", "foundation of", "foundation for",
		"implies", "corollary", "corollaries", "consequences", "consequence", "construction", "constructions", "properties", "sufficiencies", "types", "subtypes",
		"specializations", "specialisations", "special cases", "children", "child", "narrower", "down", "subtopics", "followed by topics", "what next", "learn next",
		"后续", "后续知识", "后继", "後續", "应用于", "用于", "被依赖", "推论", "推論", "子级", "下级", "特例", "性质",
		"応用先", "次に学ぶ", "後続", "系", "子", "性質", "前提とされる", "発展")
	add(Sequence, true, "next", "next topic", "next note", "continue with", "下一个", "下一篇", "下一节", "次", "次へ", "次の記事", "weiter", "suivant", "siguiente")
	add(Sequence, false, "previous", "prev", "previous topic", "continued from", "follows", "上一个", "上一篇", "上一节", "前へ", "前の記事", "zurück", "précédent", "anterior")
	add(Application, true, "application", "applications", "applied in", "applies to", "example", "examples", "use cases", "case studies", "instances",
		"应用", "應用", "例子", "示例", "举例", "実例", "応用", "応用例", "例", "beispiele", "anwendungen", "exemples", "ejemplos", "aplicaciones")
	add(Application, false, "example of", "application of", "applies", "instance of", "是…的例子", "応用元")
	add(Contrast, true, "contrast", "contrasts", "contrasts with", "contrast with", "in contrast to", "differs from", "different from", "versus", "vs", "vs.",
		"opposite", "opposite of", "opposes", "antonym", "antonyms", "not to be confused with", "confused with", "distinguish from", "counterexample", "counterexamples",
		"对比", "對比", "区别", "区别于", "相反", "反例", "易混淆", "対比", "対照", "違い", "反対", "gegenteil", "im gegensatz zu")
	add(Analogy, true, "analogy", "analogies", "analogous to", "analog", "analogue", "similar", "similar to", "similar concepts", "like", "compare", "compare with", "cf", "cf.",
		"equivalences", "equivalent to", "same as", "类比", "类似", "相似", "類似", "比較", "似ている", "類推")
	add(Causal, true, "causes", "cause of", "results in", "effects", "effect", "produces", "导致", "引起", "造成", "結果", "引き起こす")
	add(Causal, false, "caused by", "because of", "due to", "causes of", "原因", "由于", "起因", "原因は")
	add(Reference, true, "generalizations", "generalisations", "generalization", "generalisation", "generalizes", "推广", "一般化", "verallgemeinerungen", "generalizzazioni", "see also", "see", "related", "related to", "related notes", "related topics", "references", "reference", "links", "link", "sources", "source", "further reading", "backlinks",
		"bibliography", "external links", "更多", "参见", "參見", "另见", "相关", "相關", "相关笔记", "参考", "參考", "参考文献", "延伸阅读", "参照", "関連", "関連項目", "関連ノート", "出典",
		"siehe auch", "voir aussi", "véase también", "vedi anche", "см. также", "tags", "tag", "topics", "moc", "index", "标签", "タグ")
	return m
}()

// meaningOf looks a label up. Emphasis, arrows, pictures and a final colon are not part of it.
func meaningOf(label string) (string, meaning) {
	folded := Fold(strings.Trim(label, " \t*_~=`#>:：-–—→←⬅➡📌🔗⏩⏪"))
	folded = strings.ReplaceAll(folded, "_", " ")
	if m, ok := labels[folded]; ok {
		return folded, m
	}
	if m, ok := labels[strings.ReplaceAll(folded, "-", " ")]; ok {
		return folded, m
	}
	return folded, meaning{}
}

// label finds the wording before a colon at the beginning of a line: "Requires:", "- **Proved by:** …", "前置：…",
// "requires:: …". It gives the label as written and the offset in line where what it governs begins.
func label(line string) (word string, rest int, ok bool) {
	at := 0
	for at < len(line) && strings.IndexByte(" \t>-+*_~=[(", line[at]) >= 0 {
		if line[at] == '[' && at+1 < len(line) && line[at+1] == '[' {
			return "", 0, false
		}
		at++
	}
	const maxLabel = 60
	for i := at; i < len(line) && i-at <= maxLabel; i++ {
		switch {
		case line[i] == ':':
			word, rest = line[at:i], i+1
		case strings.HasPrefix(line[i:], "："):
			word, rest = line[at:i], i+len("：")
		case line[i] == '[' || line[i] == ']' || line[i] == '$' || line[i] == '(' || line[i] == '|' || line[i] == '<':
			return "", 0, false
		default:
			continue
		}
		break
	}
	word = strings.Trim(word, " \t*_~=`")
	if word == "" || rest < len(line) && line[rest] == '/' {
		return "", 0, false // nothing before the colon, or the scheme of an address
	}
	if rest < len(line) && line[rest] == ':' {
		rest++
	}
	for rest < len(line) && strings.IndexByte(" \t*_", line[rest]) >= 0 {
		rest++
	}
	return word, rest, true
}

// opening finds a known wording that a line begins with and that is followed by a link without a colon: "Requires
// [[Group]] and [[Ring]]".
func opening(line string) (string, meaning, bool) {
	at := strings.Index(line, "[")
	if at <= 0 || at > 60 {
		return "", meaning{}, false
	}
	word := strings.TrimLeft(line[:at], " \t>-+*_")
	folded, m := meaningOf(word)
	switch {
	case m.kind == None || m.kind == Reference || len(strings.TrimSpace(word)) < 2:
		return "", meaning{}, false
	case strings.HasSuffix(strings.TrimRight(line[:at], " \t"), "!"):
		return "", meaning{}, false
	}
	return folded, m, true
}

// nothing says whether what follows a label is a way of saying "none".
func nothing(rest string) bool {
	switch Fold(strings.Trim(rest, " \t*_~`.。-–—()")) {
	case "", "none", "not applicable", "n/a", "na", "nil", "tbd", "todo", "无", "無", "なし", "keine", "aucun":
		return true
	}
	return false
}

// States says whether a wording, such as the name of a field, tells what notes named after it mean.
func States(wording string) bool {
	_, m := meaningOf(wording)
	return m.kind != None
}
