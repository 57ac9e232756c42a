package questions

import (
	"regexp"
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
// an example. More may stand below a phrase that reads like a meaning.
func (d *deriver) entry(s *units.Section) (text string, from, to int) {
	alone := true
	for k := range s.Blocks {
		b := &s.Blocks[k]
		switch {
		case b.Kind == units.Quote:
		case b.Kind == units.Paragraph && text == "":
			lines := make([]string, len(b.Lines))
			for n, l := range b.Lines {
				lines[n] = clean(l.Text)
			}
			text, from, to = strings.Join(lines, " "), b.Start, b.End
			alone = alone && len(lines) == 1
		default:
			alone = false
		}
	}
	if units.Weight(text) > longestEntry || len(prose.Sentences(text)) > 1 || strings.ContainsAny(lastRune(text), ":：?？!！") || strings.HasSuffix(text, "。") && strings.Count(text, "。") > 1 {
		return "", 0, 0
	}
	if alone || d.lang == "en" && doing.MatchString(text) || d.means(text) || d.describing(text) {
		return text, from, to
	}
	return "", 0, 0
}

// doing is how a phrase begins that says what is done: "Rejecting a hypothesis that is true."
var doing = regexp.MustCompile(`^[A-Z]\w{2,}ing\s`)

// glossary asks for the meaning of a heading where nearly all headings beside it have an entry.
func (d *deriver) glossary(i int) {
	text, from, to := d.entry(&d.unit.Sections[i])
	if text == "" || d.unit.Sections[i].Depth == 0 {
		return
	}
	o := d.sections()
	if o.entries == nil {
		o.entries = d.count(func(s *units.Section) bool {
			text, _, _ := d.entry(s)
			return text != ""
		})
	}
	g := o.groupOf(i, &d.unit.Sections[i])
	entries, beside := o.entries[g], o.members[g]
	if term := clean(d.unit.Sections[i].Title); entries >= fewestEntries && 4*entries >= 3*beside && !clause(term) && !namesAspect(term) && !d.definedYet(term) {
		d.explained(i, term, text, sort{bare: true}, from, to)
	}
}
