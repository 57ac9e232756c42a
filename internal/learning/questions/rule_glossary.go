package questions

import (
	"strings"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// A glossary by headings: each heading is a term, and the one short text below it says what it means.

// Bounds of a glossary: fewer headings may be of anything, and a longer text is a section.
const (
	fewestEntries = 4
	longestEntry  = 160
)

// entry gives the one short phrase below a heading, with where it stands; "" when there is more, or a sentence. A quotation beside it is
// an example.
func entry(s *units.Section) (text string, from, to int) {
	for k := range s.Blocks {
		b := &s.Blocks[k]
		switch {
		case b.Kind == units.Quote:
		case b.Kind == units.Paragraph && text == "" && len(b.Lines) == 1:
			text, from, to = clean(b.Lines[0].Text), b.Start, b.End
		default:
			return "", 0, 0
		}
	}
	if units.Weight(text) > longestEntry || len(prose.Sentences(text)) > 1 || strings.ContainsAny(lastRune(text), ":：?？!！") || strings.HasSuffix(text, "。") && strings.Count(text, "。") > 1 {
		return "", 0, 0
	}
	return text, from, to
}

// glossary asks for the meaning of a heading where nearly all headings beside it have an entry.
func (d *deriver) glossary(i int) {
	text, from, to := entry(&d.unit.Sections[i])
	if text == "" || d.unit.Sections[i].Depth == 0 {
		return
	}
	o := d.sections()
	if o.entries == nil {
		o.entries = d.count(func(s *units.Section) bool {
			text, _, _ := entry(s)
			return text != ""
		})
	}
	g := o.groupOf(i, &d.unit.Sections[i])
	entries, beside := o.entries[g], o.members[g]
	if term := clean(d.unit.Sections[i].Title); entries >= fewestEntries && 4*entries >= 3*beside && !clause(term) && !namesAspect(term) && !d.definedYet(term) {
		d.explained(i, term, text, sort{bare: true}, from, to)
	}
}
