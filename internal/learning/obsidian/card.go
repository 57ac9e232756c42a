package obsidian

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Card is a question of a card in a text: Start to End holds the question with its answer, Nth says which of the card's questions it is, from 1.
// Line is set when question and answer stand in one line.
type Card struct {
	Start, End, Nth int
	Line            bool
}

// Of gives the schedule of a card's question; false when it has none.
func Of(text string, c Card, zone *time.Location) (Schedule, bool) {
	found, ok := behind(text, c, zone)
	if !ok || c.Nth < 1 || c.Nth > len(found.entries) {
		return Schedule{}, false
	}
	e := &found.entries[c.Nth-1]
	return e.Schedule, !e.strange && !e.never
}

// behind finds the comment of a card: in its line or alone on the next one; of a card of several lines before the next blank line.
func behind(text string, c Card, zone *time.Location) (comment, bool) {
	if c.Start < 0 || c.End > len(text) || c.Start > c.End {
		return comment{}, false
	}
	end := c.Ends(text)
	at := strings.Index(text[c.Start:end], opening)
	if at < 0 {
		return comment{}, false
	}
	found, _ := commentAt(text, c.Start+at, zone)
	return found, true // one that cannot be read has no entries, and is left as it is
}

// Ends is where what belongs to the card ends.
func (c *Card) Ends(text string) int {
	end := lineEnd(text, c.End)
	for end < len(text) {
		next := lineEnd(text, end+1)
		line := strings.TrimSpace(strings.TrimLeft(text[end+1:next], "> \t"))
		if line == "" || c.Line && !strings.HasPrefix(line, opening) {
			break
		}
		end = next
		if c.Line {
			break
		}
	}
	return end
}

// lineEnd is where the line of an offset ends, before its newline.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// Change is another schedule for a card's question.
type Change struct {
	Card
	Schedule Schedule
	// Siblings is how many questions the card has.
	Siblings int
}

// Edit is a change of bytes Start to End of a text.
type Edit struct {
	Start, End int
	Text       string
}

// Style is how a note keeps comments.
type Style struct {
	// Fresh says that cards without a comment may get one.
	Fresh bool
	// Besides says that a comment stands in the last line of its card, and not on the next one.
	Besides bool
	// Newline ends the note's lines.
	Newline string
}

// StyleOf is how a note keeps comments: as its first one stands.
func StyleOf(note string) Style {
	s := Style{Fresh: Uses(note), Newline: "\n"}
	if at := strings.Index(note, opening); at > 0 {
		s.Besides = strings.TrimSpace(lastLine(note[:at])) != ""
	}
	if strings.Contains(note, "\r\n") {
		s.Newline = "\r\n"
	}
	return s
}

// Edits gives what must change in a section of a note, in the order of the text.
func Edits(text string, changes []Change, style Style, zone *time.Location) []Edit {
	var edits []Edit
	added := map[int][]string{} // entries of new comments, by where they go
	for i := range changes {
		c := &changes[i]
		if found, ok := behind(text, c.Card, zone); ok {
			if c.Nth <= len(found.entries) {
				if e := &found.entries[c.Nth-1]; !e.strange {
					edits = append(edits, Edit{e.start, e.end, e.written(&c.Schedule, zone)})
				}
			}
			continue
		}
		if !style.Fresh || c.Nth < 1 || c.Nth > c.Siblings {
			continue
		}
		at := c.place(text)
		if at < c.Start || strings.LastIndex(text[:at], "<!--") > strings.LastIndex(text[:at], closing) {
			continue // nothing, or within a comment
		}
		if added[at] == nil {
			for range c.Siblings {
				added[at] = append(added[at], "!"+neverAsked+",1,"+days(NewEase))
			}
		}
		if c.Nth <= len(added[at]) {
			added[at][c.Nth-1] = "!" + (&entry{}).written(&c.Schedule, zone)
		}
	}
	for at, entries := range added {
		before, last := style.Newline, strings.TrimSpace(lastLine(text[:at]))
		if strings.HasPrefix(last, ">") || style.Besides && !strings.HasPrefix(last, "```") { // a line of its own would end a quote
			before = " "
		}
		edits = append(edits, Edit{at, at, before + opening + strings.Join(entries, "") + closing})
	}
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	return edits
}

// place is where a comment goes: behind the last sign of the card's last line.
func (c *Card) place(text string) int {
	return len(strings.TrimRight(text[:c.Ends(text)], " \t\r\n"))
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// Apply makes edits, which stand in the order of the text. One that begins within another is left out.
func Apply(text string, edits []Edit) string {
	if len(edits) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.Start < at {
			continue
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// Uses reports whether a note is one that the plug-in schedules.
func Uses(text string) bool {
	return strings.Contains(text, opening) || strings.Contains(text, "#flashcards")
}
