package questions

import (
	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// sectionTree is how the sections of a unit stand under and beside each other. It is worked out once: a note may have thousands of headings.
type sectionTree struct {
	parent []int          // the section that each stands under; -1 under the title
	folded []string       // titles as they are compared
	titles map[string]int // how many sections have a title
	// Of a group: members are all, phrases those whose text begins with a phrase, entries those of a glossary. The last two are counted when
	// they are asked for.
	members, phrases, entries map[group]int
	words                     map[group]map[string]int // how many titles of a group have a word
}

// group are the sections of one depth under one heading.
type group struct{ parent, depth int }

// sections gives the unit's tree of sections.
func (d *deriver) sections() *sectionTree {
	if d.tree != nil {
		return d.tree
	}
	sections := d.unit.Sections
	o := &sectionTree{parent: make([]int, len(sections)), folded: make([]string, len(sections)), titles: map[string]int{}, members: map[group]int{}, words: map[group]map[string]int{}}
	d.tree = o
	var open []int // the headings that the next section may stand under, the outermost first
	for i := range sections {
		s := &sections[i]
		o.folded[i] = prose.Fold(clean(s.Title))
		o.titles[o.folded[i]]++
		o.parent[i] = -1
		if s.Depth > 0 {
			for len(open) > 0 && sections[open[len(open)-1]].Depth >= s.Depth {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				o.parent[i] = open[len(open)-1]
			}
			open = append(open, i)
		}
		g := o.groupOf(i, s)
		if o.members[g]++; o.words[g] == nil {
			o.words[g] = map[string]int{}
		}
		for w := range stemsOf(s.Title).words {
			o.words[g][w]++
		}
	}
	return o
}

// inSeries reports whether a section is one of several of a kind, by a word that their titles share: "Type I", "Type II".
func (d *deriver) inSeries(i int) bool {
	o := d.sections()
	counts := o.words[o.groupOf(i, &d.unit.Sections[i])]
	for w := range stemsOf(d.unit.Sections[i].Title).words {
		if counts[w] > 1 && !prose.StopWords[w] {
			return true
		}
	}
	return false
}

// count gives how many sections of each group are something.
func (d *deriver) count(is func(s *units.Section) bool) map[group]int {
	o, counts := d.sections(), map[group]int{}
	for i := range d.unit.Sections {
		if s := &d.unit.Sections[i]; is(s) {
			counts[o.groupOf(i, s)]++
		}
	}
	return counts
}

func (o *sectionTree) groupOf(i int, s *units.Section) group { return group{o.parent[i], s.Depth} }

// above gives the heading that a section stands under, or the unit's title.
func (d *deriver) above(i int) string {
	if k := d.sections().parent[i]; k >= 0 {
		return clean(d.unit.Sections[k].Title)
	}
	return d.unit.Title
}

// siblings counts the sections beside one whose text begins with a phrase, so that a habit is told from chance.
func (d *deriver) siblings(i int) int {
	o := d.sections()
	if o.phrases == nil {
		o.phrases = d.count(func(s *units.Section) bool {
			text, _, _ := firstText(s)
			return text != "" && d.fragment(prose.Sentences(text)[0].Text)
		})
	}
	return o.phrases[o.groupOf(i, &d.unit.Sections[i])]
}
