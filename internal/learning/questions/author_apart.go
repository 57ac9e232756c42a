package questions

import (
	"regexp"
	"strings"

	"stoa/internal/learning/units"
)

// Questions and answers that are blocks apart: "Problem 1: …" and "Solution: …" with paragraphs, lists and code below them, and cards of
// an outline.

var (
	// solutionMarks begin the answer to a question that is blocks above it.
	solutionMarks = append([]string{"solution", "lösung", "loesung", "musterlösung", "soluzione", "svolgimento", "solución", "solucion", "solução", "réponse", "resposta", "решение", "解", "解法", "答え", "解决", "题解", "풀이", "정답"}, answerMarks...)
	// exerciseName is a heading that only counts an exercise, whose text stands below it.
	exerciseName = regexp.MustCompile(`(?i)^(exercise|problem|question|task|quiz|aufgabe|übung|uebung|frage|esercizio|problema|domanda|ejercicio|pregunta|exercice|exercício|задача|упражнение|問題|練習問題|例題|練習|演習|问题|题目|习题|练习|例题|문제)\s*[\d一二三四五六七八九十]+([.:)：、]|$)`)
	ruleTail     = regexp.MustCompile(`(\n\s*([-*_]\s*){3,})+\s*$`)
)

// asksFrom takes the mark of a question or the number of an exercise off a line.
func asksFrom(line string) (rest string, ok bool) {
	if rest, ok = marked(line, questionMarks); ok {
		return rest, true
	}
	t := strings.TrimLeft(strings.TrimSpace(line), "*_ ")
	at := exerciseName.FindStringIndex(t)
	if at == nil {
		return "", false
	}
	return strings.Trim(t[at[1]:], "*_ "), true
}

// apart takes questions whose answers begin in another block, after an exercise's heading or a line that begins a question.
func (d *deriver) apart(i int) {
	s := &d.unit.Sections[i]
	from, after := 0, 0
	prompt, begun := asksFrom(clean(s.Title))
	whole := begun // the section is one exercise
	if begun && len(s.Blocks) > 0 {
		from, after = s.Blocks[0].Start, s.Blocks[0].Start
	}
	for k := range s.Blocks {
		b := &s.Blocks[k]
		if b.Kind != units.Paragraph {
			continue
		}
		if rest, ok := asksFrom(b.Lines[0].Text); ok {
			if begun = !answeredIn(b); begun {
				from, after, prompt, whole = b.Start, b.Lines[0].End, rest, false
			}
			continue
		}
		if !begun {
			continue
		}
		for _, l := range b.Lines {
			said, ok := marked(l.Text, solutionMarks)
			if !ok {
				continue
			}
			end := nextQuestion(s, k)
			if said != "" && !whole {
				end = b.End
			}
			d.ask(i, prompt+"\n"+s.Content[after:l.Start], said+"\n"+ruleTail.ReplaceAllString(s.Content[min(l.End, end):end], ""), from, end)
			begun = false
			break
		}
	}
}

// nextQuestion is where the block begins that asks again after block k, or the end of the section.
func nextQuestion(s *units.Section, k int) int {
	for k++; k < len(s.Blocks); k++ {
		if b := &s.Blocks[k]; b.Kind == units.Paragraph {
			if _, ok := asksFrom(b.Lines[0].Text); ok {
				return s.Blocks[k-1].End
			}
		}
	}
	return s.Blocks[len(s.Blocks)-1].End
}

// answeredIn reports whether a paragraph that begins with a question has its answer too.
func answeredIn(b *units.Block) bool {
	for _, l := range b.Lines[1:] {
		if _, ok := marked(l.Text, answerMarks); ok {
			return true
		}
	}
	return false
}

// answeredBelow reports whether an answer begins within a section, and not at its head.
func answeredBelow(s *units.Section) bool {
	for k := range s.Blocks {
		for n, l := range s.Blocks[k].Lines {
			if _, ok := marked(l.Text, solutionMarks); ok && k+n > 0 && s.Blocks[k].Kind == units.Paragraph {
				return true
			}
		}
	}
	return false
}

// property is a line that Logseq keeps of a block, as when its card is due.
var property = regexp.MustCompile(`(?m)^[a-z][a-z-]*:: .*\n?`)

// outline takes cards of Logseq: an item tagged as a card asks, what stands below it answers.
func (d *deriver) outline(i int, b *units.Block) {
	for k, item := range b.Items {
		front, _, _ := strings.Cut(item.Text, "\n")
		if !cardTag.MatchString(front) {
			continue
		}
		var below []string
		end := item.End
		for _, under := range b.Items[k+1:] {
			if under.Level <= item.Level {
				break
			}
			below = append(below, strings.TrimSpace(property.ReplaceAllString(under.Text, "")))
			end = under.End
		}
		answer := strings.Join(below, "\n")
		if len(below) > 1 {
			answer = "- " + strings.Join(below, "\n- ")
		}
		d.ask(i, front, answer, item.Start, end)
	}
}

// cardEnd ends the front of a card of the plug-in Flashcards (github.com/reuseman/flashcards-obsidian), or one that is tagged for Anki; with
// "reverse" the back is asked too.
var cardEnd = regexp.MustCompile(`(?:^|[ \t])#(?:card|anki)([-/]reverse)?(?:[ \t]+#[\pL\d_/-]+)*[ \t]*$`)

// tagged takes a heading that is the front of a card. The back reaches to an empty line, whatever it is made of.
func (d *deriver) tagged(i int) bool {
	s := &d.unit.Sections[i]
	mark := cardEnd.FindStringSubmatch(s.Title)
	if mark == nil || len(s.Blocks) == 0 || unmarked(s, 0) {
		return false
	}
	d.twoSides(i, s.Title, s.Blocks[0].Start, s.Blocks[runEnd(s, 0)].End, s.Blocks[0].Start, mark[1] != "")
	return true
}

// taggedLines takes the lines of a paragraph up to one with the tag.
func (d *deriver) taggedLines(i, k int) {
	s := &d.unit.Sections[i]
	b := &s.Blocks[k]
	for n, l := range b.Lines {
		mark := cardEnd.FindStringSubmatch(l.Text)
		if mark == nil || d.holdsCard(l.Text) {
			continue
		}
		last, from := k, l.End
		if n == len(b.Lines)-1 && runEnd(s, k) == k {
			if last++; last == len(s.Blocks) || unmarked(s, last) {
				return
			}
			from = s.Blocks[last].Start
		}
		d.twoSides(i, joined(b.Lines[:n+1]), from, s.Blocks[runEnd(s, last)].End, b.Start, mark[1] != "")
		return
	}
}

// unmarked reports whether a block begins with the mark of another plug-in, for which the tag only names a deck.
func unmarked(s *units.Section, k int) bool {
	b := &s.Blocks[k]
	return b.Kind == units.Paragraph && strings.Trim(b.Lines[0].Text, "? ") == ""
}

// twoSides keeps a card's question, and the one the other way round.
func (d *deriver) twoSides(i int, front string, back, end, from int, reverse bool) {
	front = cardEnd.ReplaceAllString(front, "")
	answer := strings.TrimSpace(d.unit.Sections[i].Content[back:end])
	d.ask(i, front, answer, from, end)
	if reverse {
		d.ask(i, answer, front, from, end)
	}
}
