package questions

import (
	"strings"

	"stoa/internal/learning/units"
)

// Gaps that the author marked: ==word==, {{c1::word}} and their kin.

// highlights takes ==gaps== and {{c1::gaps}} of the author's.
func (d *deriver) highlights(i int, b *units.Block) {
	content := d.unit.Sections[i].Content
	raw := content[b.Start:b.End]
	if !strings.Contains(raw, "==") && !strings.Contains(raw, "{{c") {
		return
	}
	var texts []units.Line
	switch b.Kind {
	case units.List:
		for _, item := range b.Items {
			texts = append(texts, item.Line)
		}
	case units.Paragraph:
		texts = d.betweenCards(b, content)
	default:
		texts = []units.Line{{Text: raw, Start: b.Start, End: b.End}}
	}
	nth := 0 // gaps of one block are the questions of one card
	for _, t := range texts {
		base := strings.Index(content[t.Start:t.End], t.Text)
		for _, sentence := range Sentences(t.Text) {
			gaps := gapsOf(sentence.Text)
			for g := range gaps {
				nth++
				prompt := sentence.Text[:gaps[g].from] + blank
				if gaps[g].hint != "" {
					prompt += " (" + gaps[g].hint + ")"
				}
				written := filled(prompt + filled(sentence.Text[gaps[g].to:]))
				prompt = filled(clean(prompt + filled(sentence.Text[gaps[g].to:])))
				answer := clean(gaps[g].text)
				if units.Weight(strings.ReplaceAll(prompt, blank, "")) < 8 || answer == "" {
					continue // all of it is marked
				}
				from := t.Start + max(0, base) + sentence.Start
				d.add(i, Question{Kind: Gap, Nth: nth, Prompt: prompt, Origin: Author, Rank: .9, Answer: answerOf(answer), Shown: Shown{Prompt: asWritten(written, prompt), Answer: asWritten(gaps[g].text, answer)}}, from, from+len(sentence.Text))
			}
		}
	}
}

// betweenCards gives the lines of a paragraph in one piece, or, where some are cards, those between the cards.
func (d *deriver) betweenCards(b *units.Block, content string) (texts []units.Line) {
	from := b.Start
	for _, l := range b.Lines {
		if d.holdsCard(l.Text) && !strings.Contains(l.Text, "{{c") {
			if from < l.Start {
				texts = append(texts, units.Line{Text: content[from:l.Start], Start: from, End: l.Start})
			}
			from = l.End
		}
	}
	if from < b.End {
		texts = append(texts, units.Line{Text: content[from:b.End], Start: from, End: b.End})
	}
	return texts
}

// gap is a mark of the author's, in the bytes of a text.
type gap struct {
	from, to   int
	text, hint string
}

func gapsOf(s string) []gap {
	var list []gap
	for at := 0; at < len(s); {
		i := strings.Index(s[at:], "==")
		j := strings.Index(s[at:], "{{c")
		switch {
		case j >= 0 && (i < 0 || j < i):
			end := strings.Index(s[at+j:], "}}")
			if end < 0 {
				return list
			}
			parts := strings.SplitN(s[at+j+2:at+j+end], "::", 3)
			g := gap{from: at + j, to: at + j + end + 2}
			if text, logseq := strings.CutPrefix(parts[0], "cloze "); logseq {
				g.text = text
			} else if len(parts) > 1 {
				g.text = parts[1]
			}
			if len(parts) > 2 {
				g.hint = parts[2]
			}
			list = append(list, g)
			at = g.to
		case i >= 0:
			open := at + i
			end := strings.Index(s[open+2:], "==")
			if end <= 0 || s[open+2] == ' ' || strings.Contains(s[open+2:open+2+end], "\n") {
				at = open + 2
				continue
			}
			list = append(list, gap{from: open, to: open + end + 4, text: s[open+2 : open+2+end]})
			at = open + end + 4
		default:
			return list
		}
	}
	return list
}

// filled puts the answers of the other gaps in their places.
func filled(s string) string {
	gaps := gapsOf(s)
	for k := len(gaps) - 1; k >= 0; k-- {
		s = s[:gaps[k].from] + gaps[k].text + s[gaps[k].to:]
	}
	return s
}
