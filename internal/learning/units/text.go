package units

import "strings"

// Text gives a unit as Markdown: what was left out is missing, everything else stands as the author wrote it.
func (u *Unit) Text() string {
	var b strings.Builder
	for i := range u.Sections {
		s := &u.Sections[i]
		if s.Depth > 0 && (i > 0 || len(u.Sections) > 1) {
			b.WriteString(strings.Repeat("#", min(s.Depth, 6)) + " " + s.Title + "\n\n")
		}
		for k := range s.Blocks {
			b.WriteString(s.Raw(&s.Blocks[k]))
			b.WriteString("\n\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// Raw gives a block as it is written, without the lines and items that were left out.
func (s *Section) Raw(b *Block) string {
	switch b.Kind {
	case Paragraph, Footnote:
		var lines []string
		for _, l := range b.Lines {
			lines = append(lines, strings.TrimRight(s.Content[l.Start:l.End], "\r\n"))
		}
		return strings.Join(lines, "\n")
	case List:
		var items []string
		for _, item := range b.Items {
			items = append(items, strings.TrimRight(s.Content[item.Start:item.End], "\r\n"))
		}
		return strings.Join(items, "\n")
	}
	return s.Content[b.Start:b.End]
}

// Words gives a unit in words alone, without headings, code and formulas that stand apart.
func (u *Unit) Words() string {
	var b strings.Builder
	for i := range u.Sections {
		for k := range u.Sections[i].Blocks {
			words(&b, &u.Sections[i].Blocks[k])
		}
	}
	return strings.TrimSpace(b.String())
}

func words(b *strings.Builder, block *Block) {
	for _, l := range block.Lines {
		b.WriteString(Plain(l.Text) + "\n")
	}
	for _, item := range block.Items {
		b.WriteString(Plain(item.Text) + "\n")
	}
	for _, row := range block.Rows {
		for _, cell := range row {
			b.WriteString(Plain(cell) + "\n")
		}
	}
	for i := range block.Inner {
		words(b, &block.Inner[i])
	}
}
