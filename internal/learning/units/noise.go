package units

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/learning/notes"
)

// Reason says why something is not offered for learning.
type Reason string

// The reasons.
const (
	Empty      Reason = "empty"      // it has no text, or next to none
	Comment    Reason = "comment"    // a comment of Markdown or HTML
	Markup     Reason = "markup"     // HTML or style sheets without text
	Metadata   Reason = "metadata"   // it speaks of the note: dates, tags, status
	Links      Reason = "links"      // it only leads to other notes or pages
	Navigation Reason = "navigation" // a table of contents, a line of "next" and "previous"
	Query      Reason = "query"      // code for the editor
	Template   Reason = "template"   // a template, or what is left of one
	Repeated   Reason = "repeated"   // the same text stands in many notes
	Versions   Reason = "changelog"  // it says what changed in versions
	Chores     Reason = "chores"     // to-do lists, licences and the like
	Journal    Reason = "journal"    // a note of a day
	Drawing    Reason = "drawing"    // data of a drawing or a board
	Chosen     Reason = "chosen"     // the member left it out
)

// note-wide signs that need more than one line.
func wholeNote(p string, front, text string) Reason {
	clean := notes.Fold(strings.ReplaceAll(p, `\`, "/"))
	dirs := strings.Split(path.Dir(clean), "/")
	base := strings.TrimSuffix(path.Base(clean), path.Ext(clean))
	for _, d := range dirs {
		if templateFolders[strings.TrimLeft(d, "0123456789-_. ")] || templateFolders[d] {
			return Template
		}
	}
	switch {
	case templateFolders[base], strings.HasPrefix(base, "template ") || strings.HasSuffix(base, " template") && strings.Contains(text, "{{"), placeholder(path.Base(p)), templated(text):
		return Template
	case repositoryFiles[base] || strings.HasPrefix(base, "changelog.") || strings.HasPrefix(base, "release notes"):
		if base == "history" || base == "security" || base == "support" || base == "governance" {
			break // these are subjects as well
		}
		if strings.HasPrefix(base, "change") || strings.HasPrefix(base, "release") || base == "changes" {
			return Versions
		}
		return Chores
	case journalName(base):
		return Journal
	case strings.HasSuffix(base, ".excalidraw") || strings.Contains(front, "excalidraw-plugin") || strings.Contains(front, "kanban-plugin"):
		return Drawing
	}
	return ""
}

// templated reports whether a note is one of which notes are made: it has commands of Templater, or several fields to be
// filled in.
func templated(text string) bool {
	if strings.Contains(text, "<% tp.") || strings.Contains(text, "<%* ") || strings.Contains(text, "<%tp.") || strings.Contains(text, "<%-") && strings.Contains(text, "tp.") {
		return !strings.Contains(text, "```") // a note about Templater shows them as code
	}
	if !strings.Contains(text, "{{") {
		return false
	}
	left := 0
	for _, field := range []string{"{{title}}", "{{date}}", "{{time}}", "{{ title }}", "{{date:", "{{time:", "{{VALUE}}", "{{value}}", "{{NAME}}"} {
		if strings.Contains(text, field) && !strings.Contains(text, "`"+field) {
			left++
		}
	}
	// One field alone may have been forgotten in a note that is written.
	return left > 1 && Weight(text) < 1500 || left == 1 && Weight(text) < 400
}

// placeholder reports whether a title or line waits to be filled in: {{title}}, <% … %>.
func placeholder(s string) bool {
	if i := strings.Index(s, "<%"); i >= 0 && strings.Contains(s[i:], "%>") {
		return true
	}
	i := strings.Index(s, "{{")
	if i < 0 {
		i = strings.Index(s, "{%")
		return i >= 0 && strings.Contains(s[i:], "%}")
	}
	n := strings.Index(s[i:], "}}")
	if n < 2 {
		return false
	}
	inner := strings.Trim(s[i+2:i+n], " {")
	if inner == "" || strings.Contains(inner, "::") || strings.HasPrefix(inner, "cloze ") || strings.ContainsAny(inner, `\$=`) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(inner)
	return (unicode.IsLetter(r) || r == '<' || r == '#') && utf8.RuneCountInString(inner) > 1 && len(inner) < 80
}

// journalName reports whether a file is named after a day, a week or a month.
func journalName(base string) bool {
	if base == "" || base[0] < '0' || base[0] > '9' {
		return false
	}
	digits := 0
	for _, r := range base {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	switch {
	case digits < 6 && !strings.Contains(base, "-w"), len(base) > 40:
		return false
	case len(base) >= 12 && strings.Trim(base, "0123456789") == "": // 202301011200 is the number of a note
		return false
	}
	if len(base) < 8 || base[:2] != "19" && base[:2] != "20" && base[2] != '-' && base[2] != '.' {
		return false
	}
	return dateOnly(base) && strings.ContainsAny(base, "-._ 年") || len(base) == 8 && dateOnly(base)
}

// dateOnly reports whether a text has numbers, names of months and days, and nothing else.
func dateOnly(s string) bool {
	digits := 0
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		d := strings.TrimLeft(w, "0123456789")
		digits += len(w) - len(d)
		for d != "" { // 16th, 2024年5月3日, 10t12z
			k := strings.IndexAny(d, "0123456789")
			word := d
			if k >= 0 {
				word = d[:k]
			}
			if !monthNames[word] {
				return false
			}
			rest := strings.TrimLeft(d[len(word):], "0123456789")
			digits += len(d) - len(word) - len(rest)
			d = rest
		}
	}
	return digits >= 4
}

// answerLabel is a line over the answer to an exercise.
var answerLabel = regexp.MustCompile(`(?i)^[*_ ]*(a|answer|solution|antwort|(muster)?lösung|loesung|soluzione|risposta|svolgimento|solución|respuesta|réponse|solução|resposta|ответ|решение|解|解法|解答|答|答え|答案|回答|题解|풀이|정답)[*_ ]*\d*[*_ ]*[:：][*_ ]*$`)

// lineNoise says why a line of a paragraph says nothing of the subject, or "". head is set at the top of a note, where
// properties stand; field reports whether a key stands in many notes of the vault.
func lineNoise(line string, head bool, field func(key string) bool) Reason {
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "":
		return Empty
	case answerLabel.MatchString(trimmed): // the answer stands below it
		return ""
	case tagsOnly(trimmed), emptyField.MatchString(trimmed), strings.HasPrefix(trimmed, "[//]: #"): // the last is a comment of Markdown
		return Metadata
	case attributes.MatchString(trimmed):
		return Markup
	case placeholder(trimmed) && !strings.Contains(trimmed, "`") && !strings.Contains(trimmed, "$"):
		return Template
	case strings.HasPrefix(trimmed, ":begin_tab:"), strings.HasPrefix(trimmed, ":end_tab:"), optionLine(trimmed), layout.MatchString(trimmed):
		return Markup
	}
	if strings.HasPrefix(trimmed, "![") || strings.HasPrefix(trimmed, "[![") {
		switch {
		case badge(trimmed), embedsNote(trimmed):
			return Links
		case Weight(Plain(trimmed)) == 0:
			return "" // a picture: it says nothing in words and stays
		}
	}
	plain := shortcode.ReplaceAllString(Plain(trimmed), "")
	if Weight(plain) == 0 && !strings.ContainsAny(plain, "$`") {
		if strings.Contains(trimmed, "[") {
			return Links
		}
		return Markup
	}
	if dateOnly(plain) {
		return Metadata
	}
	if key, value, ok := keyed(trimmed); ok {
		if r := property(key, value, head, field); r != "" {
			return r
		}
	}
	if strings.Contains(trimmed, "[") || strings.Contains(trimmed, "http") {
		if linkLine(trimmed) {
			return Links
		}
	}
	return ""
}

var (
	// emptyField is an inline field of Dataview without a value: "up::".
	// shortcode is a picture by its name: ":material-eye:".
	shortcode  = regexp.MustCompile(`:[a-z]+(?:-[a-z]+)+:`)
	emptyField = regexp.MustCompile(`^[\pL][\pL\pN _-]{0,30}::$`)
	// attributes is a line that only gives classes to the block above: "{ .block-language-dataview}".
	attributes = regexp.MustCompile(`^\{:?\s*[.#][\w-]+(?:\s+[.#]?[\w=".-]+)*\s*\}$`)
)

// layout is a line that only sets a page of LaTeX.
var layout = regexp.MustCompile(`^\\(?:newpage|pagebreak|clearpage|cleardoublepage|noindent|bigskip|medskip|smallskip|maketitle|tableofcontents|hrule|[vh]space\*?\{[^}]*\})$|^::(?:[a-z][\w-]*\{.*\})?$|^(?:TOC\s?)?\{:\s?toc\b[^}]*\}$|^TOC$`)

// optionLine reports whether a line is ":label:`x`", ":width: 300" or the like.
func optionLine(s string) bool {
	if s[0] != ':' {
		return false
	}
	n := strings.IndexByte(s[1:], ':')
	if n < 2 || n > 20 {
		return false
	}
	for _, c := range []byte(s[1 : n+1]) {
		if (c < 'a' || c > 'z') && c != '_' && c != '-' {
			return false
		}
	}
	switch rest := strings.TrimSpace(s[n+2:]); s[1 : n+1] {
	case "label", "width", "height", "alt", "align", "name", "class", "scale", "maxdepth", "caption", "hidden", "glob", "numbered", "eqlabel", "figwidth", "target":
		return true
	default:
		return rest == ""
	}
}

// betweenTags are the marks that stand between tags.
var betweenTags = strings.NewReplacer(",", " ", "，", " ", "、", " ", ";", " ")

func tagsOnly(s string) bool {
	if !strings.Contains(s, "#") {
		return false
	}
	fields := strings.Fields(betweenTags.Replace(s))
	n := 0
	for _, w := range fields {
		if strings.EqualFold(strings.Trim(w, "*_:"), "tags") || strings.EqualFold(strings.Trim(w, "*_:"), "tag") {
			continue
		}
		if len(w) < 2 || w[0] != '#' || w[1] == '#' {
			return false
		}
		if r, _ := utf8.DecodeRuneInString(w[1:]); !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.So, r) {
			return false
		}
		n++
	}
	return n > 0
}

// embedsNote reports whether a line shows another note, or a part of one, and nothing else.
func embedsNote(s string) bool {
	inner, ok := strings.CutPrefix(s, "![[")
	end := strings.Index(inner, "]]")
	if !ok || end < 0 || strings.TrimSpace(inner[end+2:]) != "" {
		return false
	}
	target, _, _ := strings.Cut(inner[:end], "|")
	switch strings.ToLower(path.Ext(target)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp", ".mp3", ".wav", ".ogg", ".m4a", ".flac", ".mp4", ".webm", ".mov", ".pdf":
		return false
	}
	return true
}

// badge reports whether a line holds pictures that say the state of a project.
func badge(s string) bool {
	low := strings.ToLower(s)
	for _, host := range []string{"shields.io", "badge", "travis-ci", "circleci", "codecov", "coveralls", "colab.research", "mybinder", "deepsource", "snyk.io", "opencollective", "buymeacoffee", "ko-fi.com"} {
		if strings.Contains(low, host) {
			return true
		}
	}
	return false
}

// keyed splits "Key: value" and "key:: value". Only short keys without marks of sentences are keys.
func keyed(line string) (key, value string, ok bool) {
	line = strings.TrimLeft(line, " \t>-+*_~=(")
	i := strings.IndexAny(line, ":：")
	if i <= 0 || i > 48 {
		return "", "", false
	}
	key = line[:i]
	if strings.ContainsAny(key, "[]$`<.!?。|/") || len(strings.Fields(key)) > 5 {
		return "", "", false
	}
	_, n := utf8.DecodeRuneInString(line[i:])
	value = strings.TrimLeft(line[i+n:], ":*_~ \t")
	if strings.HasPrefix(value, "//") {
		return "", "", false
	}
	return notes.Fold(strings.Trim(key, " *_~=")), strings.TrimSpace(value), true
}

// property says why "key: value" says nothing of the subject, or "".
func property(key, value string, head bool, field func(string) bool) Reason {
	bareValue := strings.Trim(Plain(value), " _*()[].\"'")
	known := metaKeys[key] || dateOnly(value) && namedAsField(key)
	switch {
	case none(bareValue) && (known || notes.States(key) || field(key) || head && !announces(key)):
		return Metadata
	case strings.TrimSpace(value) == "" && (known || field(key)):
		return Metadata
	case value != "" && linkList(value) && (known || notes.States(key) || field(key)):
		return Metadata
	case known && (tagsOnly(value) || dateOnly(value) || strings.HasPrefix(value, "http")):
		return Metadata
	case known && head && len(value) < 100 && !sentence(value):
		return Metadata
	case head && field(key) && Weight(value) < 60 && !sentence(value):
		return Metadata
	case known && Weight(value) < 30 && !sentence(value) && !definingKeys[key]:
		return Metadata
	}
	return ""
}

// namedAsField reports whether a key is written as the name of a field and one of its words is one: "created-date".
func namedAsField(key string) bool {
	words := strings.FieldsFunc(key, func(r rune) bool { return r == '-' || r == '_' })
	return len(words) > 1 && !strings.Contains(key, " ") && slices.ContainsFunc(words, func(w string) bool { return metaKeys[w] })
}

// announces reports whether an empty key may as well announce the list below it: "the steps of a cycle:", "4 conditions:".
func announces(key string) bool {
	return len(strings.Fields(key)) > 2 || key != "" && key[0] >= '0' && key[0] <= '9'
}

// definingKeys are keys of properties that also introduce content in the middle of a text.
var definingKeys = set("title", "name", "date", "time", "type", "kind", "state", "source", "class", "module", "order", "weight", "version", "language", "index", "topic", "subject", "next", "previous", "data", "typ", "日期", "时间", "状态", "类型", "分类", "种类", "種類", "状態", "前", "次")

// none reports whether a value says that there is nothing.
func none(s string) bool {
	switch strings.ToLower(s) {
	case "", "none", "not applicable", "n/a", "na", "nil", "tbd", "todo", "-", "–", "无", "無", "なし", "nessuno", "nessuna", "keine", "aucun", "ninguno":
		return true
	}
	return false
}

// sentence reports whether a value is a sentence rather than a word or a name.
func sentence(s string) bool {
	s = strings.TrimSpace(s)
	return len(strings.Fields(s)) > 5 && strings.ContainsAny(s, ".!?") || strings.ContainsAny(s, "。！？") || len(strings.Fields(s)) > 10
}

// linkList reports whether a text has links and nothing but links, commas and words between them.
func linkList(s string) bool {
	rest, n := withoutLinks(s)
	return n > 0 && Weight(rest) <= 2*n+2
}

// linkLine reports whether a line only leads elsewhere.
func linkLine(s string) bool {
	rest, n := withoutLinks(s)
	if n == 0 {
		return false
	}
	left := 0
	for _, w := range strings.FieldsFunc(strings.ToLower(rest), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !steering[w] && !number(w) {
			left += Weight(w)
		}
	}
	return left == 0
}

// sourceLine reports whether a line is the address of a page elsewhere with a word or two of what it is.
func sourceLine(s string) bool {
	if !strings.Contains(s, "http://") && !strings.Contains(s, "https://") {
		return false
	}
	rest, n := withoutLinks(s)
	return n > 0 && Weight(rest) < 40
}

// withoutLinks takes links, addresses and embeds off a text and counts them.
func withoutLinks(s string) (string, int) {
	var b strings.Builder
	n := 0
	for i := 0; i < len(s); {
		switch {
		case s[i] == '[':
			if size, _, ok := link(s[i:]); ok {
				n++
				i += size
				continue
			}
		case s[i] == '!' && i+1 < len(s) && s[i+1] == '[':
			if size, _, ok := link(s[i+1:]); ok {
				n++
				i += size + 1
				continue
			}
		case s[i] == '<' && strings.HasPrefix(s[i:], "<http"), strings.HasPrefix(s[i:], "http://"), strings.HasPrefix(s[i:], "https://"):
			end := strings.IndexAny(s[i:], " \t)\n")
			if end < 0 {
				end = len(s) - i
			}
			n++
			i += end
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return Plain(b.String()), n
}
