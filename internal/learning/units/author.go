package units

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"stoa/internal/learning/notes"
)

// Pair says that the author put one note before another; both are units.
type Pair struct{ Before, After string }

// maxEntries bounds the entries of one table of contents.
const maxEntries = 2000

// AuthorOrder gives the order in which the author of the notes put them: by tables of contents (SUMMARY.md, index notes,
// toctree blocks) and by the numbers of files and folders. Only neighbours are named.
func AuthorOrder(list []*Prepared) []Pair {
	o := ordering{}
	for _, p := range list {
		p.place()
		if entries := entriesOf(p); len(entries) > 1 {
			o.index(list)
			o.chain(o.resolve(p, entries))
		}
	}
	o.numbered(list)
	return o.pairs()
}

// ordered is an order with what it was worked out from.
type ordered struct {
	list  []*Prepared
	made  []*madeNote
	pairs []Pair
}

// Order is AuthorOrder of the notes that were built last. It is worked out again when a note has another place, table of contents or
// units at its ends.
func (all *Builder) Order() []Pair {
	was := &all.order
	same := was.list != nil && len(was.list) == len(all.list)
	for i := 0; same && i < len(all.list); i++ {
		same = was.made[i] == all.made[i] && was.list[i] == all.list[i] || was.list[i].placedAs(all.list[i]) && was.made[i].first == all.made[i].first && was.made[i].last == all.made[i].last
	}
	if !same {
		was.pairs = AuthorOrder(all.list)
	}
	was.list, was.made = all.list, all.made
	return was.pairs
}

// placedAs reports whether another note says the same of its place and of that of others.
func (p *Prepared) placedAs(other *Prepared) bool {
	p.place()
	other.place()
	return p.Path == other.Path && p.Given == other.Given && p.number == other.number && p.counted == other.counted && slices.Equal(entriesOf(p), entriesOf(other))
}

type ordering struct {
	byPath map[string]*Prepared
	byBase map[string][]*Prepared
	found  []Pair
}

// index finds the notes that tables of contents name. Most folders have none.
func (o *ordering) index(list []*Prepared) {
	if o.byPath != nil {
		return
	}
	o.byPath, o.byBase = make(map[string]*Prepared, len(list)), make(map[string][]*Prepared, len(list))
	for _, p := range list {
		p.place()
		o.byPath[p.clean] = p
		o.byBase[path.Base(p.clean)] = append(o.byBase[path.Base(p.clean)], p)
	}
}

// place works out once what the path of a note says of its place.
func (p *Prepared) place() {
	if p.placed {
		return
	}
	p.placed, p.clean = true, cleanPath(p.Path)
	base, given := path.Base(strings.ReplaceAll(p.Path, `\`, "/")), p.Order
	if base[0] >= '0' && base[0] <= '9' {
		given = 0 // it was read off the name
	}
	p.number, p.counted = authorNumber(base, given)
}

func cleanPath(p string) string {
	p = path.Clean("/" + strings.ReplaceAll(p, `\`, "/"))[1:]
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown", ".mdx", ".txt", ".rst":
		p = p[:len(p)-len(path.Ext(p))]
	}
	return notes.Fold(p)
}

// entriesOf gives the notes that a table of contents lists, as they are written there.
func entriesOf(p *Prepared) []string {
	if !p.listed {
		p.listed, p.entries = true, readEntries(p)
	}
	return p.entries
}

func readEntries(p *Prepared) []string {
	base := path.Base(cleanPath(p.Path))
	index := base == "summary" || base == "_index" || base == "index" || base == "toc" || base == "_toc" || base == "readme" || headings[base] == contents
	var entries []string
	for _, a := range p.Atoms {
		for _, b := range Blocks(a.Content) {
			if b.Kind == Ignored && b.Why == Navigation {
				entries = append(entries, toctree(a.Content[b.Start:b.End])...)
			}
			if !index || b.Kind != List {
				continue
			}
			for _, item := range b.Items {
				if t := targetOf(item.Text); t != "" && len(entries) < maxEntries {
					entries = append(entries, t)
				}
			}
		}
	}
	return entries
}

// toctree reads the lines of a toctree: paths of notes, options begin with a colon.
func toctree(text string) []string {
	var list []string
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, ":") || fenceOf(line) > 0 || strings.HasPrefix(line, "{") {
			continue
		}
		if i := strings.LastIndexByte(line, '<'); i > 0 && strings.HasSuffix(line, ">") { // Title <path>
			line = line[i+1 : len(line)-1]
		}
		list = append(list, line)
	}
	return list[:min(len(list), maxEntries)]
}

// targetOf gives the note that an item of a list leads to when it begins with a link.
func targetOf(item string) string {
	if !strings.HasPrefix(item, "[") {
		return ""
	}
	if rest, ok := strings.CutPrefix(item, "[["); ok {
		target, _, _ := strings.Cut(rest, "]]")
		target, _, _ = strings.Cut(target, "|")
		target, _, _ = strings.Cut(target, "#")
		return target
	}
	_, rest, ok := strings.Cut(item, "](")
	if !ok {
		return ""
	}
	target, _, _ := strings.Cut(rest, ")")
	target, _, _ = strings.Cut(target, "#")
	if strings.Contains(target, "://") {
		return ""
	}
	return strings.ReplaceAll(strings.Trim(target, "<>"), "%20", " ")
}

func (o *ordering) resolve(from *Prepared, entries []string) []*Prepared {
	var list []*Prepared
	dir := path.Dir(from.clean)
	for _, e := range entries {
		clean := cleanPath(e)
		p := o.byPath[strings.TrimPrefix(path.Join(dir, clean), "./")]
		if p == nil {
			p = o.byPath[clean]
		}
		if p == nil {
			p = o.byPath[strings.TrimPrefix(path.Join(dir, clean, "index"), "./")]
		}
		if same := o.byBase[path.Base(clean)]; p == nil && len(same) == 1 {
			p = same[0]
		}
		if p != nil && p != from {
			list = append(list, p)
		}
	}
	return list
}

// chain puts notes one after the other. A note that lists others stands for them.
func (o *ordering) chain(list []*Prepared) {
	for i := 1; i < len(list); i++ {
		if before, after := o.end(list[i-1], 0), o.begin(list[i], 0); before != "" && after != "" && before != after {
			o.found = append(o.found, Pair{before, after})
		}
	}
}

func (o *ordering) begin(p *Prepared, depth int) string {
	if u := p.made.first; u != "" || depth > 5 {
		return u
	}
	for _, e := range o.resolve(p, entriesOf(p)) {
		if u := o.begin(e, depth+1); u != "" {
			return u
		}
	}
	return ""
}

func (o *ordering) end(p *Prepared, depth int) string {
	if depth <= 5 {
		entries := o.resolve(p, entriesOf(p))
		for i := len(entries) - 1; i >= 0; i-- {
			if u := o.end(entries[i], depth+1); u != "" {
				return u
			}
		}
	}
	return p.made.last
}

// entry is a file or folder with a number.
type entry struct {
	number      float64
	name        string
	first, last string // units
}

// numbered puts numbered files and folders of one folder in their order.
func (o *ordering) numbered(list []*Prepared) {
	dirs := map[string]map[string]*Prepared{}
	sub := map[string]map[string]bool{}
	for _, p := range list {
		if p.made.first == "" || p.Given {
			continue
		}
		clean := strings.ReplaceAll(p.Path, `\`, "/")
		dir := path.Dir(clean)
		if dirs[dir] == nil {
			dirs[dir] = map[string]*Prepared{}
		}
		dirs[dir][path.Base(clean)] = p
		for d := dir; d != "." && d != "/"; d = path.Dir(d) {
			if sub[path.Dir(d)] == nil {
				sub[path.Dir(d)] = map[string]bool{}
			}
			sub[path.Dir(d)][d] = true
		}
	}
	ends := map[string][2]string{} // of folders, the deepest first
	all := map[string]bool{}
	for d := range dirs {
		all[d] = true
	}
	for d := range sub {
		all[d] = true
	}
	order := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/")), cmp.Compare(a, b))
	})
	for _, d := range order {
		var entries []entry
		for base, p := range dirs[d] {
			if p.counted {
				entries = append(entries, entry{p.number, base, p.made.first, p.made.last})
			}
		}
		for child := range sub[d] {
			if e := ends[child]; e[0] != "" {
				if n, ok := authorNumber(path.Base(child), 0); ok {
					entries = append(entries, entry{n, path.Base(child), e[0], e[1]})
				}
			}
		}
		if len(entries) < 2 {
			continue
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.name, b.name)) })
		for i := 1; i < len(entries); i++ {
			if entries[i].number > entries[i-1].number {
				o.found = append(o.found, Pair{entries[i-1].last, entries[i].first})
			}
		}
		ends[d] = [2]string{entries[0].first, entries[len(entries)-1].last}
	}
}

// countWords stand before the number of a chapter.
var countWords = set("chapter", "ch", "chap", "lecture", "lec", "week", "lesson", "unit", "part", "module", "day", "section", "sec", "capitolo", "cap", "lezione", "lez", "modulo", "parte", "settimana", "kapitel", "kap", "vorlesung", "vl", "woche", "teil", "lektion", "chapitre", "cours", "leçon", "semaine", "capítulo", "tema", "lección", "semana", "第")

// authorNumber reads the number that a file or folder is numbered with: "03 Title", "2.1-x", "chapter_04", "第3章".
// given is that of the front matter. Dates and numbers of notes are none.
func authorNumber(name string, given float64) (float64, bool) {
	s := writtenNumber(notes.Fold(strings.TrimSuffix(name, path.Ext(name))))
	word := strings.TrimRightFunc(s[:min(len(s), max(0, strings.IndexAny(s+"0", "0123456789")))], func(r rune) bool { return !unicode.IsLetter(r) })
	if word != "" {
		if !countWords[word] {
			return given, given > 0
		}
		s = strings.TrimLeft(strings.TrimPrefix(s, word), " _-.#:")
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits == 0 || digits > 3 {
		return given, given > 0
	}
	rest := s[digits:]
	n, err := strconv.ParseFloat(s[:digits], 64)
	if err != nil {
		return 0, false
	}
	within := len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9' && (rest[0] == '.' || (word != "" || s[0] == '0') && strings.IndexByte("-_", rest[0]) >= 0)
	if within { // 2.1, ch02-01: the second number counts within the first
		k := len(rest[1:]) - len(strings.TrimLeft(rest[1:], "0123456789"))
		if minor, err := strconv.ParseFloat(rest[1:1+k], 64); err == nil && k < 4 {
			return n + minor/1000, true
		}
	}
	if word == "" && rest != "" && strings.IndexAny(rest[:1], " -_.)") != 0 { // 3d, 2sat
		return given, given > 0
	}
	if word == "" && s[0] != '0' && strings.HasPrefix(rest, " ") && !strings.ContainsAny(strings.TrimLeft(rest, " ")[:min(1, len(strings.TrimLeft(rest, " ")))], "-–.)_") && digits < 2 {
		return given, given > 0 // "3 sum problem"
	}
	if word == "" && strings.HasPrefix(rest, "-") && len(rest) > 1 && rest[1] != ' ' && digits == 1 {
		return given, given > 0 // "2-sat"
	}
	return n, true
}

// writtenNumber puts digits for the number of a chapter that is written out: "第十二章", "三、…", "Part IV".
func writtenNumber(s string) string {
	head, rest := "", s
	if after, ok := strings.CutPrefix(s, "第"); ok {
		head, rest = "第", after
	}
	n, k := hanNumber(rest)
	if k > 0 && (head != "" || strings.HasPrefix(rest[k:], "、") || strings.HasPrefix(rest[k:], "．")) {
		return head + strconv.Itoa(n) + strings.Replace(rest[k:], "、", ". ", 1)
	}
	if word, after, ok := strings.Cut(s, " "); ok && countWords[word] {
		numeral := after[:len(after)-len(strings.TrimLeft(after, "ivxl"))]
		if n := romanNumber(numeral); n > 0 && (len(after) == len(numeral) || !unicode.IsLetter(rune(after[len(numeral)]))) {
			return word + " " + strconv.Itoa(n) + after[len(numeral):]
		}
	}
	return s
}

// hanNumber reads a number below a thousand in Han numerals and tells how many bytes it takes.
func hanNumber(s string) (n, size int) {
	digit := 0
	for i, r := range s {
		switch at := strings.IndexRune("零一二三四五六七八九", r); {
		case at >= 0:
			digit = at / len("零")
		case r == '十':
			n, digit = n+max(1, digit)*10, 0
		case r == '百':
			n, digit = n+max(1, digit)*100, 0
		default:
			return n + digit, i
		}
	}
	return n + digit, len(s)
}

// romanNumber reads a numeral of i, v, x and l; 0 is none.
func romanNumber(s string) int {
	value := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50}
	n := 0
	for i := range len(s) {
		if i+1 < len(s) && value[s[i]] < value[s[i+1]] {
			n -= value[s[i]]
		} else {
			n += value[s[i]]
		}
	}
	return n
}

// pairs gives what was found, each once.
func (o *ordering) pairs() []Pair {
	slices.SortFunc(o.found, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.Before, b.Before), cmp.Compare(a.After, b.After)) })
	return slices.DeleteFunc(slices.Compact(o.found), func(p Pair) bool { return p.Before == "" || p.After == "" || p.Before == p.After })
}
