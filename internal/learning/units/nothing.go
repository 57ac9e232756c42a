package units

import (
	"strings"

	"stoa/internal/learning/notes"
	"stoa/internal/learning/obsidian"
)

// What a note must say to be learned from.

// nothing says why a whole note has nothing to learn, or "".
func (b *builder) nothing() Reason {
	total, said, links := b.total[0], false, b.p.links
	led, items, solid, asked := 0, 0, false, false
	sources, others := 0, 0
	count := func(line string) {
		if sourceLine(line) {
			sources++
		} else {
			others++
		}
	}
	left := map[Reason]int{}
	for i := range b.list {
		s := &b.list[i]
		for r, n := range s.left {
			left[r] += n
		}
		for k := range s.blocks {
			block := &s.blocks[k]
			said = said || states(block)
			asked = asked || asks(block, &b.p.cards)
			solid = solid || block.Kind == Math || block.Kind == Callout || block.Kind == Code
			for _, line := range block.Lines {
				count(line.Text)
			}
			if block.Kind == List {
				for _, item := range block.Items {
					items++
					if strings.HasPrefix(item.Text, "[") {
						led++
					}
					count(item.Text)
				}
			}
		}
	}
	switch {
	case (total < leastSaid || !said && total < leastNote) && (total == 0 || !asked):
		whole := section{left: left}
		if why := whole.reason(); why != "" && total < leastSaid {
			return why
		}
		return Empty
	case links >= 3 && !solid && total < 25*links && total < 160 || links >= 12 && total < 12*links:
		return Links
	case !solid && sources > 0 && 3*others <= sources:
		return Links
	case indexName(b.p) && links+led >= 3 && (led*2 > items || total < 25*links):
		return Links
	case b.p.Genre == notes.Overview && led+links >= 4 && led*2 >= items && items > 0 && total < 60*(led+links):
		return Links
	}
	return ""
}

// states reports whether a block says something whole: a sentence, a formula, code, a table, a question with its answer.
func states(b *Block) bool {
	switch b.Kind {
	case Code, Math, Table, Callout, Terms:
		return true
	case Paragraph:
		for _, l := range b.Lines {
			t := strings.TrimRight(Plain(l.Text), " *_)\"'”’）」』")
			if strings.HasSuffix(t, ".") || strings.HasSuffix(t, "。") || strings.HasSuffix(t, "!") || strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") || strings.HasSuffix(t, ":") ||
				strings.Contains(t, "::") || strings.ContainsAny(t, "$`") || strings.Contains(l.Text, "==") || len(strings.Fields(t)) > 6 || Weight(t) > 30 {
				return true
			}
		}
	case List:
		return len(b.Items) >= 3 && b.weight() > 40
	}
	return false
}

// asks reports whether a block has a question of its author's with its answer: of these the shortest is worth learning.
func asks(b *Block, cards *obsidian.Marks) bool {
	lines := b.Lines
	switch b.Kind {
	case Code:
		return b.Name == "csv" || b.Name == "tsv" || b.Name == "gift"
	case Callout:
		return b.Name == "question"
	case List:
		for _, item := range b.Items {
			lines = append(lines, item.Line)
		}
	case Paragraph:
	default:
		return false
	}
	tabs := 0
	for _, l := range lines {
		text := strings.TrimSpace(l.Text)
		left, right, card := strings.Cut(text, cards.Line)
		if !card {
			left, right, card = strings.Cut(text, cards.LineReversed)
		}
		switch {
		case card && left != "" && strings.Trim(right, ": ") != "", hasCardMark(text, cards):
			return true
		case strings.HasPrefix(text, "A: "), strings.HasPrefix(text, "A：") && text != "A：":
			return true
		case strings.Contains(text, "{") && strings.HasSuffix(text, "}") && strings.ContainsAny(text, "=~#"):
			return true // GIFT
		}
		tabs += strings.Count(text, "\t")
	}
	return len(lines) > 1 && tabs == len(lines)
}
