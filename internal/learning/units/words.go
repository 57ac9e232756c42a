package units

import (
	_ "embed"
	"strings"
	"unicode"

	"stoa/internal/learning/notes"
)

// role of a heading: what its wording says of the section below it.
type headingRole uint8

const (
	topic     headingRole = iota // it names something
	lead                         // it says nothing alone and opens its subject: Introduction, Definition
	aspect                       // it says nothing alone and is a part of its subject: Properties, Usage
	continued                    // it continues what stands above: Proof, Example, Solution
	exercises                    // it holds questions on what stands above
	linksOnly                    // it lists links: References, See also
	contents                     // it is a table of contents
	chores                       // it is about the note and not the subject: Tags, To do, Changelog
	versions                     // it says what changed
)

//go:embed words.txt
var wordList string

// headings are the wordings of headings by role, metaKeys the keys of lines that speak of the note and not of its
// subject; folded, in the languages notes are mostly written in.
var headings, metaKeys = readWords(wordList)

func readWords(text string) (map[string]headingRole, map[string]bool) {
	names := map[string]headingRole{"lead": lead, "aspect": aspect, "continued": continued, "exercises": exercises, "linksOnly": linksOnly, "contents": contents, "chores": chores, "versions": versions}
	roles, keys := map[string]headingRole{}, map[string]bool{}
	for line := range strings.Lines(text) {
		name, list, _ := strings.Cut(line, ": ")
		role, known := names[name]
		for _, w := range strings.Split(list, "|") {
			switch w = notes.Fold(w); {
			case w == "":
			case known:
				roles[w] = role
			case name == "property":
				keys[w] = true
			}
		}
	}
	return roles, keys
}

// SideOf reports whether a heading or a label names a side of a subject ("Applications", "Vorteile", "例") and no thing of its own.
func SideOf(heading string) bool {
	r := roleOf(heading)
	return r == aspect || r == continued
}

// SaysNothing reports whether a heading or a label is of the note's form and names nothing: "Definition", "Formula", "参考".
func SaysNothing(heading string) bool {
	r := roleOf(heading)
	return r != topic && r != aspect && r != continued
}

// roleOf reads a heading: its wording without numbers, emphasis and what stands in brackets.
func roleOf(heading string) headingRole {
	h := bare(heading)
	if h == "" {
		return lead
	}
	if r, ok := headings[h]; ok {
		return r
	}
	if i := strings.IndexAny(h, "(（["); i > 0 {
		if r, ok := headings[strings.TrimSpace(h[:i])]; ok {
			return r
		}
	}
	if i := strings.Index(h, ":"); i > 0 { // "Example: rotations", "Proof: by induction"
		if r := headings[strings.TrimSpace(h[:i])]; r == continued || r == exercises {
			return r
		}
	}
	if word, rest, ok := strings.Cut(h, " "); ok {
		r := headings[word]
		switch {
		case r == continued && (number(rest) || proofOf(word, rest)):
			return continued
		case r == exercises && number(rest):
			return continued
		case r == lead && number(rest):
			return lead
		}
	}
	for _, word := range []string{"证明", "证", "証明", "例题", "例", "解答", "注", "反例"} { // 例1, 証明（2）
		if rest, ok := strings.CutPrefix(h, word); ok && number(rest) {
			return continued
		}
	}
	return topic
}

// proofOf reports whether a heading is the proof or solution of what it names.
func proofOf(word, rest string) bool {
	switch word {
	case "proof", "sketch", "solution", "solutions", "dimostrazione", "soluzione", "beweis", "lösung", "preuve", "demostración", "solución", "derivation", "herleitung", "remark", "remarks", "bemerkung", "osservazione":
		first, _, _ := strings.Cut(rest, " ")
		switch first {
		case "of", "for", "di", "del", "della", "dello", "dell'", "von", "des", "der", "de", "du", "to", "on", "by", "sketch", "idea", "outline", "zu", "zum", "zur", "per":
			return true
		}
	}
	return false
}

// number reports whether what follows a word only counts: "3", "2.1", "(a)", "iv", "B".
func number(s string) bool {
	s = strings.Trim(s, " .():：-–#（）")
	if s == "" {
		return true
	}
	if len(s) <= 4 && strings.Trim(s, "ivx") == "" || len(s) == 1 {
		return true
	}
	for _, r := range s {
		if !unicode.IsDigit(r) && !strings.ContainsRune(".-, 一二三四五六七八九十", r) {
			return false
		}
	}
	return true
}

// bare folds a heading and takes off numbers before it, signs around it and pictures.
func bare(heading string) string {
	h := notes.Fold(Plain(heading))
	h = strings.TrimLeftFunc(h, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	trimmed := strings.TrimLeft(h, "0123456789.)-– ")
	if trimmed != "" && trimmed != h {
		h = strings.TrimLeftFunc(trimmed, func(r rune) bool { return !unicode.IsLetter(r) })
	}
	for _, mark := range []string{"第"} { // 第3章 …
		if rest, ok := strings.CutPrefix(h, mark); ok {
			if i := strings.IndexAny(rest, "章节節回"); i > 0 && i < 12 {
				h = strings.TrimLeft(rest[i+len("章"):], " :：　")
			}
		}
	}
	return strings.TrimRightFunc(h, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(":：.。!?？！-–—*_~…#", r) || unicode.Is(unicode.So, r)
	})
}

// steering are words of lines that only lead on to other notes.
var steering = set("see", "also", "and", "or", "back", "to", "next", "prev", "previous", "up", "home", "index", "moc", "go", "top", "the", "of", "in", "on", "for", "from", "more", "read", "here", "this", "page", "note", "notes", "parent", "link", "links", "related", "return", "continue", "with", "main", "part", "chapter",
	"discussions", "discussion", "e", "o", "vedi", "anche", "torna", "a", "al", "alla", "indietro", "avanti", "und", "siehe", "zurück", "zu", "weiter", "参见", "另见", "返回", "上一篇", "下一篇", "上一节", "下一节", "目录", "见", "参照", "前へ", "次へ", "戻る", "関連", "目次", "上一页", "下一页", "首页")

// monthNames are what dates have besides numbers.
var monthNames = set("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
	"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "am", "pm", "utc", "gmt", "th", "st", "nd", "rd", "t", "z", "of", "week", "w", "年", "月", "日", "时", "分", "時", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日", "月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日", "日曜日",
	"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica",
	"januar", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember", "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")

// templateFolders are names of folders that hold templates, folded.
var templateFolders = set("template", "templates", "_template", "_templates", "00 templates", "99 templates", "zz templates", "templater", "note templates", "archetypes", "模板", "笔记模板", "模板文件", "テンプレート", "modelli", "modello", "vorlage", "vorlagen", "modèles", "plantillas", "шаблоны")

// repositoryFiles are files that speak of a repository and not of a subject, folded without extension.
var repositoryFiles = set("license", "licence", "copying", "notice", "contributing", "code_of_conduct", "code of conduct", "security", "authors", "contributors", "codeowners", "pull_request_template", "issue_template", "bug_report", "feature_request", "funding", "support", "governance", "maintainers", "changelog", "changes", "history", "release_notes", "citation", "404")
