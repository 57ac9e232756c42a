package questions

import (
	"regexp"
	"strings"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// Gaps that the author marked: ==word==, {{c1::word}} and their kin.

// highlights takes ==gaps== and {{c1::gaps}} of the author's in a paragraph or a list.
func (d *deriver) highlights(i int, b *units.Block) {
	content := d.unit.Sections[i].Content
	raw := content[b.Start:b.End]
	if !strings.Contains(raw, "==") && !strings.Contains(raw, "{{c") {
		return
	}
	var texts []units.Line
	for _, item := range b.Items {
		texts = append(texts, item.Line)
	}
	if b.Kind == units.Paragraph {
		texts = d.betweenCards(b, content)
	}
	nth := 0 // gaps of one block are the questions of one card
	for _, t := range texts {
		base := strings.Index(content[t.Start:t.End], t.Text)
		for _, sentence := range prose.Sentences(t.Text) {
			if len(sentence.Text) > longestGapped {
				continue
			}
			gaps := gapsOf(sentence.Text)
			gaps = gaps[:min(len(gaps), mostGaps)]
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

// Bounds of what is asked of one sentence: each gap's prompt has all of it.
const (
	longestGapped = 8 << 10 // bytes
	mostGaps      = 64
)

func gapsOf(s string) []gap {
	var list []gap
	// next finds a mark from at on; what is not there any more is not looked for again.
	next := func(mark string, at, was int) int {
		if was >= at || was < 0 {
			return was
		}
		if k := strings.Index(s[at:], mark); k >= 0 {
			return at + k
		}
		return -1
	}
	i, j := strings.Index(s, "=="), strings.Index(s, "{{c")
	if arrow.MatchString(s) { // "===light===>"
		i = -1
	}
	for at := 0; at < len(s); {
		i, j = next("==", at, i), next("{{c", at, j)
		switch {
		case j >= 0 && (i < 0 || j < i):
			end := strings.Index(s[j:], "}}")
			if end < 0 {
				return list
			}
			parts := strings.SplitN(s[j+2:j+end], "::", 3)
			g := gap{from: j, to: j + end + 2}
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
			end := strings.Index(s[i+2:], "==")
			if end <= 0 || s[i+2] == ' ' || s[i+2] == '>' || strings.Contains(s[i+2:i+2+end], "\n") {
				at = i + 2
				continue
			}
			list = append(list, gap{from: i, to: i + end + 4, text: s[i+2 : i+2+end]})
			at = i + end + 4
		default:
			return list
		}
	}
	return list
}

// arrow is drawn with signs of equality, as in "===light===>", and marks no gap.
var arrow = regexp.MustCompile(`(?:^|[^=])={3}(?:[^=]|$)`)

// filled puts the answers of the other gaps in their places.
func filled(s string) string {
	var b strings.Builder
	from := 0
	for _, g := range gapsOf(s) {
		b.WriteString(s[from:g.from])
		b.WriteString(g.text)
		from = g.to
	}
	return b.String() + s[from:]
}
