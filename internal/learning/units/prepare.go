package units

import (
	"hash/maphash"
	"path"
	"strings"

	"stoa/internal/learning/notes"
	"stoa/internal/learning/obsidian"
)

// Note is a note as it was read: its root and sections in the order they stand. Code and formulas are part of the text
// of their section here.
type Note struct {
	ID, Path, Title string
	Names           []string
	Genre           notes.Genre
	Order           float64
	// Vault holds the settings of the vault that the note stands in.
	Vault obsidian.Settings
	// Given says that the note comes from a deck or a concept graph: it is one unit as it is.
	Given bool
	Atoms []Atom
}

// Atom is the root or a section of a note.
type Atom struct {
	ID, Title string
	Depth     int // 0 for the root
	Content   string
}

// Prepared is a note in blocks, with everything decided that needs no other note. What it says never changes; Build and
// AuthorOrder keep in it what they made of it, so that they run one at a time over the same notes.
type Prepared struct {
	Note
	cards    obsidian.Marks // of the vault, with the usual ones for what it does not set
	whole    Reason         // why nothing of it is worth learning
	sections []section
	headings []string // bare, each once
	keys     []string // of properties at the head, each once
	hashes   []uint64 // of blocks, each once
	links    int      // lines that only lead elsewhere

	made    *madeNote // what Build made of it last
	listed  bool      // whether entries were read
	entries []string  // see entriesOf
	placed  bool      // whether clean, number and numbered were worked out
	clean   string    // see cleanPath
	number  float64   // see authorNumber
	counted bool      // whether it has a number
}

// section is an atom in blocks.
type section struct {
	atom   int
	bare   string
	role   headingRole
	blocks []Block
	hashes []uint64       // of blocks; 0 for those too short to tell
	left   map[Reason]int // nil where nothing is; see omit
	weight int
	cards  *obsidian.Marks
	keyed  bool // it has lines that may be properties, which only the vault can say
}

// leastProse is the weight of paragraphs from which on a section is about navigation, or a map, rather than being one.
const leastProse = 120

// prose is the weight of a section's paragraphs.
func (s *section) prose() (weight int) {
	for k := range s.blocks {
		if s.blocks[k].Kind == Paragraph {
			weight += s.blocks[k].weight()
		}
	}
	return weight
}

var seed = maphash.MakeSeed()

// headLines is how many lines of a note may be properties.
const headLines = 14

// Prepare reads a note.
func Prepare(n Note) *Prepared {
	p := &Prepared{Note: n, cards: n.Vault.Cards.Usual()}
	if obsidian.IsSettings(n.Path) {
		p.Atoms = nil // it says how others are read
	}
	if n.Given || len(p.Atoms) == 0 {
		return p
	}
	outline := outlineOf(n.Atoms)
	var all strings.Builder
	seen, keys, hashes := map[string]bool{}, map[string]bool{}, map[uint64]bool{}
	for i := range n.Atoms {
		a := &n.Atoms[i]
		s := section{atom: i, bare: bare(a.Title), cards: &p.cards}
		if i > 0 {
			if s.role = roleOf(a.Title); s.role == chores && partedOff(a.Content) {
				s.role = lead
			}
			if !seen[s.bare] {
				seen[s.bare] = true
				p.headings = append(p.headings, s.bare)
			}
		}
		if i > 0 || a.Content != outline {
			all.WriteString(a.Content)
			all.WriteByte('\n')
			s.blocks = Blocks(a.Content)
		}
		for k := range s.blocks {
			if b := &s.blocks[k]; b.Kind == Paragraph && i == 0 {
				for _, l := range b.Lines {
					if key, _, ok := keyed(l.Text); ok && l.Start < 1200 && !keys[key] {
						keys[key] = true
						p.keys = append(p.keys, key)
					}
				}
			}
		}
		s.filter(i == 0, func(string) bool { return false })
		for _, b := range s.blocks {
			h := hashOf(a.Content[b.Start:b.End])
			s.hashes = append(s.hashes, h)
			if h != 0 && !hashes[h] {
				hashes[h] = true
				p.hashes = append(p.hashes, h)
			}
		}
		p.links += s.left[Links] + s.left[Navigation]
		p.sections = append(p.sections, s)
	}
	text := all.String()
	if p.whole = wholeNote(n.Path, text, text); n.Vault.IsTemplate(n.Path) {
		p.whole = Template
	}
	if p.whole == "" && strings.Contains(text, "EXCALIDRAW VIEW") || strings.Contains(text, "%% kanban:settings") {
		p.whole = Drawing
	}
	if p.whole == "" && (placeholder(n.Title) || headings[bare(n.Title)] == versions || versionName(n.Title)) {
		p.whole = Versions
		if placeholder(n.Title) {
			p.whole = Template
		}
	}
	return p
}

// partedOff reports whether the text below a heading such as "Tags:" has, after a few tags at most, a line across the page: what follows is the note.
func partedOff(content string) bool {
	for line := range strings.Lines(content) {
		switch t := strings.TrimSpace(line); {
		case rule(t):
			return true
		case t != "" && !strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "[["):
			return false
		}
	}
	return false
}

// outlineOf is what stands for the text of a root that has none: the headings below it.
func outlineOf(atoms []Atom) string {
	var titles []string
	for _, a := range atoms[1:] {
		if len(titles) < 40 {
			titles = append(titles, a.Title)
		}
	}
	if len(titles) == 0 {
		return "\x00"
	}
	return strings.Join(titles, "\n")
}

// versionName reports whether a title is the number of a version.
func versionName(title string) bool {
	t := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(title)), "v")
	return strings.Count(t, ".") >= 2 && strings.Trim(t, "0123456789.-") == "" && t[0] >= '0' && t[0] <= '9'
}

func hashOf(text string) uint64 {
	if len(text) < 12 {
		return 0
	}
	return maphash.String(seed, strings.TrimSpace(text))
}

// omit counts what is left out. Most sections have nothing, and a note may have tens of thousands of them.
func (s *section) omit(why Reason, n int) {
	if s.left == nil {
		s.left = map[Reason]int{}
	}
	s.left[why] += n
}

// filter drops what says nothing and works out the weight of what stays.
func (s *section) filter(root bool, field func(string) bool) {
	var kept []Block
	var hashes []uint64
	s.weight = 0
	for i := range s.blocks {
		b, why := s.trim(s.blocks[i], root, field)
		if why != "" {
			s.omit(why, 1)
			continue
		}
		if len(s.hashes) > i {
			hashes = append(hashes, s.hashes[i])
		}
		s.weight += b.weight()
		kept = append(kept, b)
	}
	s.blocks, s.hashes = kept, hashes
}

// trim takes the lines and items that say nothing out of a block; a reason means that nothing is left.
func (s *section) trim(b Block, root bool, field func(string) bool) (Block, Reason) {
	switch b.Kind {
	case Ignored:
		return b, b.Why
	case Paragraph, Footnote:
		var lines []Line
		why := Empty
		if properties(b.Lines) {
			s.omit(Metadata, len(b.Lines))
			return b, Metadata
		}
		for i, l := range b.Lines {
			head := root && l.Start < 1200 && i < headLines && (i > 0 || !namesBelow(b.Lines))
			r := s.noise(l.Text, head, field)
			if r == "" {
				if _, _, ok := keyed(l.Text); ok {
					s.keyed = true
				}
				lines = append(lines, l)
				continue
			}
			why = r
			if len(b.Lines) > 1 {
				s.omit(r, 1)
			}
		}
		if len(lines) == 0 {
			return b, why
		}
		b.Lines = lines
	case List:
		return s.trimList(b, field)
	case Table:
		for _, row := range b.Rows[min(1, len(b.Rows)):] {
			for _, cell := range row {
				if rest, n := withoutLinks(cell); Weight(rest) > 0 || n == 0 && strings.ContainsAny(cell, "$`") {
					return b, ""
				}
			}
		}
		return b, Links
	case Quote, Callout:
		inner := section{blocks: b.Inner, cards: s.cards}
		inner.filter(false, field)
		if inner.weight == 0 && Weight(Plain(b.Title)) < 20 {
			return b, Empty
		}
		b.Inner = inner.blocks
	case Code:
		if strings.TrimSpace(b.Text) == "" {
			return b, Empty
		}
	}
	return b, ""
}

// noise is lineNoise, but for the lines that part the sides of cards.
func (s *section) noise(line string, head bool, field func(string) bool) Reason {
	if s.cards.Parts(line) {
		return ""
	}
	return lineNoise(line, head, field)
}

// namesBelow reports whether the first line of a paragraph is a term, and the next what it means.
func namesBelow(lines []Line) bool {
	if len(lines) < 2 || !strings.HasSuffix(strings.TrimSpace(lines[0].Text), ":") {
		return false
	}
	_, _, field := keyed(lines[1].Text)
	return !field && Weight(Plain(lines[1].Text)) >= leastSaid
}

// properties reports whether every line of a paragraph is a property of the note, as many keep them at its foot.
func properties(lines []Line) bool {
	for _, l := range lines {
		if key, _, ok := keyed(l.Text); !ok || !metaKeys[key] {
			return false
		}
	}
	return len(lines) >= 3
}

// hasCardMark reports whether one of the lines parts the question of a card from its answer.
func hasCardMark(text string, cards *obsidian.Marks) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if cards.Parts(line) {
			return true
		}
	}
	return false
}

func (s *section) trimList(b Block, field func(string) bool) (Block, Reason) {
	var items []Item
	why, tasks, card := Empty, 0, false
	for i, item := range b.Items {
		r := s.noise(item.Text, false, field)
		if r == Links && i+1 < len(b.Items) && b.Items[i+1].Level > item.Level {
			r = "" // what stands below it speaks of it
		}
		if r != "" {
			why = r
			continue
		}
		if item.Task {
			tasks++
		}
		card = card || hasCardMark(item.Text, s.cards)
		items = append(items, item)
	}
	if len(items) == 0 {
		return b, why
	}
	if tasks == len(b.Items) && !card && s.role != exercises && s.role != continued {
		return b, Chores
	}
	b.Items = items
	return b, ""
}

// weight is how much a block says.
func (b *Block) weight() int {
	n := 0
	switch b.Kind {
	case Paragraph:
		for _, l := range b.Lines {
			n += Weight(Plain(l.Text))
		}
	case List:
		for _, item := range b.Items {
			n += Weight(Plain(item.Text))
		}
	case Table:
		for _, row := range b.Rows {
			for _, cell := range row {
				n += Weight(Plain(cell))
			}
		}
	case Code:
		n = min(80, Weight(b.Text)/2)
	case Math:
		n = min(40, Weight(b.Text))
	case Quote, Callout:
		for i := range b.Inner {
			n += b.Inner[i].weight()
		}
		n += Weight(b.Title) / 2
	case Terms:
		for _, row := range b.Rows {
			n += Weight(Plain(row[0])) + Weight(Plain(row[1]))
		}
	}
	return n
}

// indexName reports whether a note says of itself that it lists others.
func indexName(p *Prepared) bool {
	base := notes.Fold(strings.TrimSuffix(path.Base(p.Path), path.Ext(p.Path)))
	t := bare(p.Title)
	switch {
	case base == "index" || base == "_index" || base == "readme" || base == "summary" || base == "home" || base == "moc" || base == "toc":
		return true
	case headings[t] == contents:
		return true
	}
	for _, w := range strings.Fields(t) {
		if w == "moc" || w == "index" || w == "目录" || w == "索引" {
			return true
		}
	}
	return path.Base(path.Dir(notes.Fold(p.Path))) == base // a folder's own note
}
