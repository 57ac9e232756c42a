package units

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"stoa/internal/learning/notes"
	"stoa/internal/learning/obsidian"
)

// Unit is something that is learned as one: a note, or a part of a long note.
type Unit struct {
	ID    string // the atom it goes by
	Title string
	Note  string   // title of the note
	Names []string // other names of what it is about
	// Sections in the order they stand; the first is the one with the id.
	Sections []Section
	Weight   int
	Given    bool
	Cards    obsidian.Marks // what parts the sides of its author's cards
	root     bool
	path     string
	folded   string // of its title before it was told apart
}

// Section is what a unit has of one atom.
type Section struct {
	AtomID, Title string
	Depth         int
	Content       string  // the whole text of the atom, which the offsets of the blocks count in
	Blocks        []Block // those that say something
	// Exercises says that it holds questions, Answer that it continues what stands above (a proof, a solution).
	Exercises, Answer bool
}

// LeftOut is a note or section that is not offered, with why.
type LeftOut struct {
	AtomID, Path, Title string
	Reason              Reason
}

// Result is what a member's notes have to learn.
type Result struct {
	Units []Unit
	Left  []LeftOut
	// Lines counts what was left out within sections that are offered, by reason.
	Lines map[Reason]int
	// Of gives the unit that an atom belongs to.
	Of map[string]string
}

const (
	longNote    = 4000 // weight from which a note is split
	longSection = 2400 // weight from which a section is split
	fewSections = 3    // that a note must have to be split
	leastPart   = 110  // weight of a section that stands alone
	leastNote   = 60   // weight of a note without a sentence, a formula or code
	leastSaid   = 18   // weight of a note with one
	weakIntro   = 200  // weight below which the beginning of a long note goes with its first section
)

// Build decides over all notes of a member. choices holds the member's own decisions by atom: true takes a note or
// section in whatever it looks like, false leaves it out.
func Build(list []*Prepared, choices map[string]bool) Result {
	return new(Builder).Build(list, choices)
}

// Builder builds again and again what changes little: what it knows of the notes that stay is not worked out again.
type Builder struct {
	vault *vault
	list  []*Prepared
	of    map[string]string // of the latest result
	made  []*madeNote       // that it was put together from
	order ordered           // of the list when it was asked for last
}

// Build is as the function of that name. It keeps the list.
func (all *Builder) Build(list []*Prepared, choices map[string]bool) Result {
	if all.vault == nil {
		all.vault = newVault()
	}
	all.vault.follow(all.list, list)
	all.list = list
	v := all.vault
	rules := v.rules(choices)
	size := 0
	for _, p := range list {
		if p.made == nil || p.made.rules != rules {
			p.made = &madeNote{rules: rules, Result: Result{Lines: map[Reason]int{}, Of: map[string]string{}}}
			b := builder{vault: v, p: p, out: &p.made.Result, choices: choices}
			b.note()
			p.made.end(p)
		}
		size += len(p.made.Units)
	}
	out := Result{Units: make([]Unit, 0, size), Lines: map[Reason]int{}, Of: all.places(list)}
	for _, p := range list {
		out.Units, out.Left = append(out.Units, p.made.Units...), append(out.Left, p.made.Left...)
		if len(p.made.Lines) == 0 {
			continue
		}
		for r, n := range p.made.Lines {
			out.Lines[r] += n
		}
	}
	disambiguate(out.Units)
	return out
}

// places gives the unit of every atom: those of the latest result, with what is another in them. The map that was given out stays.
func (all *Builder) places(list []*Prepared) map[string]string {
	atoms, stays := 0, make(map[*madeNote]bool, len(list))
	for _, p := range list {
		atoms, stays[p.made] = atoms+len(p.made.Of), false
	}
	of := all.of
	if of == nil {
		of = make(map[string]string, atoms)
	} else {
		of = maps.Clone(of)
	}
	for _, m := range all.made {
		if _, ok := stays[m]; ok {
			stays[m] = true
			continue
		}
		for id := range m.Of {
			delete(of, id)
		}
	}
	made := make([]*madeNote, len(list))
	for i, p := range list {
		if made[i] = p.made; !stays[p.made] {
			maps.Copy(of, p.made.Of)
		}
	}
	all.of, all.made = of, made
	return of
}

// madeNote is what was made of one note, which stays so while the note and the rules of its vault do.
type madeNote struct {
	rules uint64
	Result
	first, last string // of its units, in the order of its atoms
}

// end works out what is asked of every note at each build.
func (m *madeNote) end(p *Prepared) {
	for i := range m.Units {
		m.Units[i].folded = notes.Fold(m.Units[i].Title)
	}
	for _, a := range p.Atoms {
		if u := m.Of[a.ID]; u != "" {
			m.first, m.last = cmp.Or(m.first, u), u
		}
	}
}

// builder puts the units of one note together.
type builder struct {
	vault   *vault
	p       *Prepared
	out     *Result
	choices map[string]bool
	list    []section
	kids    [][]int
	total   []int // weight of a section with all below it
}

func (b *builder) note() {
	p := b.p
	if len(p.Atoms) == 0 {
		return
	}
	root := p.Atoms[0].ID
	choice, chosen := b.choices[root]
	switch {
	case chosen && !choice:
		b.leave(0, Chosen)
		return
	case p.Given:
		b.out.Units = append(b.out.Units, b.given())
		b.out.Of[root] = root
		return
	case p.whole != "" && !choice:
		b.leave(0, p.whole)
		return
	}
	b.sections(choice)
	b.tree()
	if !choice {
		if why := b.nothing(); why != "" {
			b.leave(0, why)
			return
		}
	}
	groups := []group{{members: b.all()}}
	if topics := b.topics(); b.total[0] >= longNote && topics >= fewSections {
		groups = b.split(0)
	}
	for i := range groups {
		b.unit(&groups[i])
	}
}

func (b *builder) given() Unit {
	a := b.p.Atoms[0]
	u := Unit{ID: a.ID, Title: a.Title, Note: b.p.Title, Names: b.p.Names, Cards: b.p.cards, Given: true}
	for _, a := range b.p.Atoms {
		blocks := Blocks(a.Content)
		u.Weight += Weight(a.Content)
		u.Sections = append(u.Sections, Section{AtomID: a.ID, Title: a.Title, Depth: a.Depth, Content: a.Content, Blocks: blocks})
	}
	return u
}

func (b *builder) leave(i int, why Reason) {
	a := b.p.Atoms[i]
	b.out.Left = append(b.out.Left, LeftOut{a.ID, b.p.Path, a.Title, why})
}

// sections applies what the vault says: text that repeats, properties that only this vault has, headings that are
// everywhere. all keeps what would be left out.
func (b *builder) sections(all bool) {
	b.list = slices.Clone(b.p.sections)
	for i := range b.list {
		s := &b.list[i]
		s.left = maps.Clone(b.p.sections[i].left)
		id := b.p.Atoms[i].ID
		choice, chosen := b.choices[id]
		if chosen && !choice && i > 0 {
			b.drop(s, i, Chosen)
			continue
		}
		if all || choice {
			s.blocks = Blocks(b.p.Atoms[i].Content)
			s.weight = leastPart
			for k := range s.blocks {
				s.weight += s.blocks[k].weight()
			}
			s.role = topic
			continue
		}
		b.repeats(s, i)
		if s.keyed {
			s.filter(i == 0, b.vault.field)
		}
		if s.role == topic && i > 0 && b.vault.common(s.bare) {
			s.role = lead
		}
		switch {
		case i == 0:
		case s.role == versions:
			b.drop(s, i, Versions)
		case s.role == chores:
			b.drop(s, i, Chores)
		case s.role == contents && s.prose() < leastProse:
			b.drop(s, i, Navigation)
		case s.role == linksOnly && (s.weight < 300 || s.left[Links] > 2):
			b.drop(s, i, Links)
		case s.weight == 0 && !b.pictured(s):
			b.drop(s, i, cmp.Or(s.reason(), Empty))
		}
	}
}

// repeats drops the blocks that stand in many notes.
func (b *builder) repeats(s *section, i int) {
	var kept []Block
	var hashes []uint64
	for k, block := range s.blocks {
		if b.vault.repeated(s.hashes[k]) {
			s.omit(Repeated, 1)
			s.weight -= block.weight()
			continue
		}
		kept, hashes = append(kept, block), append(hashes, s.hashes[k])
	}
	s.blocks, s.hashes = kept, hashes
}

// pictured reports whether a section without words has a picture.
func (b *builder) pictured(s *section) bool {
	for _, block := range s.blocks {
		for _, l := range block.Lines {
			if strings.Contains(l.Text, "![") {
				return true
			}
		}
	}
	return false
}

// drop leaves a section out. One without anything below its heading is only reported when it had text.
func (b *builder) drop(s *section, i int, why Reason) {
	if why != Empty || b.p.Atoms[i].Content != "" || len(b.p.Atoms) == i+1 || b.p.Atoms[i+1].Depth <= b.p.Atoms[i].Depth {
		b.leave(i, why)
	}
	s.blocks, s.hashes, s.weight = nil, nil, 0
}

// reason is what most of a section was left out for.
func (s *section) reason() Reason {
	var most Reason
	for r, n := range s.left {
		if n > s.left[most] || n == s.left[most] && r < most {
			most = r
		}
	}
	return most
}

func (b *builder) tree() {
	b.kids, b.total = make([][]int, len(b.list)), make([]int, len(b.list))
	var stack []int
	for i := range b.list {
		depth := b.p.Atoms[i].Depth
		for len(stack) > 0 && (b.p.Atoms[stack[len(stack)-1]].Depth >= depth || i == 0) {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			parent := stack[len(stack)-1]
			b.kids[parent] = append(b.kids[parent], i)
		}
		stack = append(stack, i)
	}
	for i := len(b.list) - 1; i >= 0; i-- {
		b.total[i] += b.list[i].weight
		for _, k := range b.kids[i] {
			b.total[i] += b.total[k]
		}
	}
}

// topics counts the sections that could stand alone.
func (b *builder) topics() int {
	n := 0
	for i := 1; i < len(b.list); i++ {
		if s := &b.list[i]; (s.role == topic || s.role == aspect) && b.total[i] >= leastPart {
			n++
		}
	}
	return n
}

// group is what becomes one unit.
type group struct {
	members  []int
	absorbed int // the section that a heading without text of its own absorbed, 0 if none
}

func (b *builder) weigh(g *group) int {
	n := 0
	for _, i := range g.members {
		n += b.list[i].weight
	}
	return n
}

func (b *builder) all() []int {
	list := make([]int, len(b.list))
	for i := range list {
		list[i] = i
	}
	return list
}

func (b *builder) below(i int, into []int) []int {
	into = append(into, i)
	for _, k := range b.kids[i] {
		into = b.below(k, into)
	}
	return into
}

// split parts a section, the root included, into groups. The first holds the section itself.
func (b *builder) split(i int) []group {
	groups := []group{{members: []int{i}}}
	for _, k := range b.kids[i] {
		s := &b.list[k]
		last := &groups[len(groups)-1]
		switch {
		case b.total[k] == 0:
			last.members = b.below(k, last.members)
		case s.role == lead && b.total[k] < longSection:
			groups[0].members = b.below(k, groups[0].members)
		case (s.role == continued || s.role == exercises || s.role == linksOnly) && b.weigh(last) > 0, b.total[k] < leastPart && b.weigh(last) > 0:
			last.members = b.below(k, last.members)
		default:
			parts := []group{{members: b.below(k, nil)}}
			if b.total[k] >= longSection {
				parts = b.split(k)
			}
			if len(groups) == 1 && b.weigh(&groups[0]) < weakIntro {
				groups[0].members = append(groups[0].members, parts[0].members...)
				if s.role != lead && b.weigh(&group{members: groups[0].members[:1]}) < leastPart {
					groups[0].absorbed = k
				}
				parts = parts[1:]
			}
			groups = append(groups, parts...)
		}
	}
	return groups
}

func (b *builder) unit(g *group) {
	slices.Sort(g.members)
	first := g.members[0]
	if b.weigh(g) == 0 {
		return
	}
	a := b.p.Atoms[first]
	u := Unit{ID: a.ID, Title: a.Title, Note: b.p.Title, Cards: b.p.cards, root: first == 0, path: b.p.Path}
	if first > 0 {
		u.Title = b.titleOf(first)
	} else {
		u.Title, u.Names = b.p.Title, b.p.Names
		if g.absorbed > 0 {
			u.Title = b.p.Title + pathMark + Plain(b.p.Atoms[g.absorbed].Title)
		}
	}
	for _, i := range g.members {
		s, a := &b.list[i], b.p.Atoms[i]
		b.out.Of[a.ID] = u.ID
		for r, n := range s.left {
			b.out.Lines[r] += n
		}
		if len(s.blocks) == 0 {
			continue
		}
		u.Weight += s.weight
		u.Sections = append(u.Sections, Section{AtomID: a.ID, Title: a.Title, Depth: a.Depth, Content: a.Content, Blocks: s.blocks, Exercises: s.role == exercises, Answer: s.role == continued})
	}
	b.out.Units = append(b.out.Units, u)
}

const pathMark = " › "

// titleOf names a section: by its heading, after that of the nearest heading that says something where it says nothing alone.
func (b *builder) titleOf(i int) string {
	title := Plain(b.p.Atoms[i].Title)
	if b.list[i].role == topic && Weight(bare(title)) >= 3 {
		return title
	}
	depth := b.p.Atoms[i].Depth
	for k := i - 1; k >= 0; k-- {
		if d := b.p.Atoms[k].Depth; d < depth {
			if depth = d; k == 0 || b.list[k].role == topic {
				break
			}
		}
	}
	above := b.p.Title
	for k := i - 1; k > 0; k-- {
		if b.p.Atoms[k].Depth == depth && b.list[k].role == topic {
			above = Plain(b.p.Atoms[k].Title)
			break
		}
		if b.p.Atoms[k].Depth < depth {
			break
		}
	}
	return above + pathMark + title
}

// disambiguate tells units of one title apart: sections by their note, notes by their folder or the name above theirs.
func disambiguate(list []Unit) {
	count := make(map[string]int, len(list))
	for i := range list {
		count[list[i].folded]++
	}
	for i := range list {
		u := &list[i]
		if u.Given || count[u.folded] < 2 || strings.Contains(u.Title, pathMark) {
			continue
		}
		above := u.Note
		if u.root {
			base := strings.TrimSuffix(path.Base(u.path), path.Ext(u.path))
			if above = path.Base(path.Dir(u.path)); strings.Contains(base, ".") && !strings.Contains(base, " ") {
				parts := strings.Split(base, ".")
				above = parts[len(parts)-2]
			}
		}
		if above != "." && above != "/" && notes.Fold(above) != u.folded {
			u.Title = above + pathMark + u.Title
		}
	}
}
