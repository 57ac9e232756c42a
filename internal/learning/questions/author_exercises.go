package questions

import (
	"strings"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// Callouts that ask, and exercises with their solutions.

// callout takes boxes that ask: > [!question], :::{exercise}. It reports whether the box is a question.
func (d *deriver) callout(i int, b *units.Block) bool {
	switch b.Name {
	case "question", "faq", "help", "exercise", "problem", "flashcard", "card", "quiz", "esercizio", "domanda", "aufgabe", "frage", "übung", "问题", "练习", "習題", "問題", "演習":
	default:
		return false
	}
	prompt := clean(b.Title)
	answer := strings.TrimSpace(b.Text)
	for k := range b.Inner {
		if in := &b.Inner[k]; in.Kind == units.Callout || in.Kind == units.Quote { // the answer in a box of its own
			if units.Weight(prompt) < 8 {
				prompt = clean(b.Text[:in.Start])
			}
			if answer = in.Text; strings.TrimSpace(answer) == "" {
				answer = in.Title // all of it stands behind the mark
			}
			break
		}
	}
	if units.Weight(prompt) < 8 || len(prose.Words(prompt)) < 2 && !asks(prompt) {
		before, rest, ok := strings.Cut(answer, "\n")
		if !ok || !asks(clean(before)) {
			return false
		}
		prompt, answer = clean(before), rest
	}
	if mark, ok := marked(answer, answerMarks); ok {
		answer = mark
	}
	if onlyAsks(answer) {
		return true // a list of questions that has no answers
	}
	d.ask(i, prompt, answer, b.Start, b.End)
	return true
}

// quoted takes cards of one line in a box or a quote. Blocks within count their offsets in a text of their own, so lines are read as they
// stand in the note.
func (d *deriver) quoted(i int, b *units.Block, code bool) {
	content := d.unit.Sections[i].Content
	fenced := false
	for at := b.Start; at < b.End; {
		line, _, _ := strings.Cut(content[at:b.End], "\n")
		text := strings.TrimLeft(line, "> \t")
		switch {
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			fenced = !fenced
		case !fenced && len(text) < len(line) && line[0] == '>':
			from := at + len(line) - len(text)
			if strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") {
				from, text = from+2, text[2:]
			}
			d.lineCard(i, units.Line{Text: text, Start: from, End: at + len(line)}, code)
		}
		at += len(line) + 1
	}
}

// onlyAsks reports whether a text has two questions or more and no sentence that states something.
func onlyAsks(text string) bool {
	asked := 0
	for _, sentence := range prose.Sentences(clean(text)) {
		switch {
		case asks(strings.TrimSpace(sentence.Text)):
			asked++
		case units.Weight(sentence.Text) > 60:
			return false
		}
	}
	return asked > 1
}

// exercises takes the items of an exercise section. The answer is what stands below an item, or in the list of solutions
// that follows; without one the learner judges.
func (d *deriver) exercises(i, k int) {
	s := &d.unit.Sections[i]
	b := &s.Blocks[k]
	if k > 0 && opensSolution(&s.Blocks[k-1]) {
		return // it answers the list above
	}
	solutions := d.solutions(i, k)
	number := 0
	for k := 0; k < len(b.Items); k++ {
		item := b.Items[k]
		if item.Level > 0 {
			continue
		}
		number++
		prompt := clean(item.Text)
		var below []string
		end := item.End
		for m := k + 1; m < len(b.Items) && b.Items[m].Level > 0; m++ {
			text := b.Items[m].Text
			if a, ok := marked(text, answerMarks); ok {
				text = a
			} else if !asks(prompt) {
				prompt += "\n" + clean(text) // a part of the exercise
				continue
			}
			below = append(below, clean(text))
			end = b.Items[m].End
		}
		if _, _, card := asCard(item.Text); card || d.holdsCard(item.Text) || units.Weight(prompt) < 12 {
			continue
		}
		if q, a, ok := inlineAnswer(item.Text); ok {
			d.ask(i, q, a, item.Start, end)
			continue
		}
		switch {
		case len(below) > 0:
			d.ask(i, prompt, strings.Join(below, "\n"), item.Start, end)
		case number <= len(solutions):
			d.ask(i, prompt, solutions[number-1], item.Start, end)
		default:
			d.add(i, Question{Kind: Explain, Prompt: prompt, Origin: Author, Rank: .6}, item.Start, min(end, len(s.Content)))
		}
	}
}

// askingItem takes an item whose first line is a question in bold, and its other lines the answer.
func (d *deriver) askingItem(i int, item units.Item) {
	head, answer, ok := strings.Cut(item.Text, "\n")
	if prompt := clean(head); ok && strings.HasPrefix(head, "**") && asks(prompt) && !d.unit.Sections[i].Exercises && units.Weight(answer) >= 8 {
		d.ask(i, prompt, answer, item.Start, item.End)
	}
}

// inlineAnswer splits "What is 2+2? Answer: 4" and "What is 2+2? → 4".
func inlineAnswer(s string) (question, answer string, ok bool) {
	for _, mark := range []string{"Answer:", "answer:", "Ans:", "A:", "答：", "答案：", "解答：", "Risposta:", "R:", "Antwort:", "→", "=>"} {
		if before, after, found := strings.Cut(s, mark); found && asks(clean(before)) && strings.TrimSpace(after) != "" {
			return before, strings.TrimSpace(strings.TrimLeft(after, "*_ ")), true
		}
	}
	return "", "", false
}

// opensSolution reports whether a block begins the solutions of what stands above it: "Solution:".
func opensSolution(b *units.Block) bool {
	if b.Kind != units.Paragraph {
		return false
	}
	_, ok := marked(b.Lines[0].Text, solutionMarks)
	return ok
}

// solutions are the items of the list that answers a list of exercises, below them or in a section that continues theirs.
func (d *deriver) solutions(i, k int) []string {
	b, blocks := &d.unit.Sections[i].Blocks[k], d.unit.Sections[i].Blocks[k+1:]
	if len(blocks) < 2 || !opensSolution(&blocks[0]) {
		if i+1 >= len(d.unit.Sections) || !d.unit.Sections[i+1].Answer {
			return nil
		}
		blocks = d.unit.Sections[i+1].Blocks
	}
	var list []string
	for k := range blocks {
		if s := &blocks[k]; s.Kind == units.List && s.Ordered == b.Ordered {
			for _, item := range s.Items {
				if item.Level == 0 {
					list = append(list, clean(item.Text))
				}
			}
			break
		}
	}
	n := 0
	for _, item := range b.Items {
		if item.Level == 0 {
			n++
		}
	}
	if len(list) != n {
		return nil
	}
	return list
}

// card asks what stands on a card that came from a deck or a concept graph: its first field, answered by the others.
func (d *deriver) card() {
	if len(d.unit.Sections) == 0 {
		return
	}
	text := strings.TrimSpace(d.unit.Sections[0].Content)
	front, back, ok := strings.Cut(text, "\n\n")
	if ok && prose.Fold(front) == prose.Fold(d.unit.Title) {
		d.ask(0, front, back, 0, len(d.unit.Sections[0].Content))
	}
}
