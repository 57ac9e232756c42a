package anki

import (
	"strconv"
	"strings"
)

// cloze is one {{c1::answer::hint}} of a field. Newer versions of Anki allow them within one another, and several numbers
// at one place (c1,2).
type cloze struct {
	numbers []int
	inner   []piece
	hint    string
}

// piece is plain text, or a cloze.
type piece struct {
	text string
	gap  *cloze
}

// deepestCloze bounds clozes within clozes.
const deepestCloze = 8

// pieces parses the clozes of a field.
func pieces(s string) []piece {
	list, _ := new(clozes).parse(s, 0)
	return list
}

// clozes is the parser of a field. Where one cloze does not end, none after it does.
type clozes struct{ endless bool }

// end finds the next }}, or gives -1.
func (p *clozes) end(s string) int {
	if p.endless {
		return -1
	}
	at := strings.Index(s, "}}")
	p.endless = at < 0
	return at
}

// parse reads up to the end, or within a cloze up to the }} or :: of its own, and gives what is left.
func (p *clozes) parse(s string, depth int) (list []piece, rest string) {
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			list = append(list, piece{text: plain.String()})
			plain.Reset()
		}
	}
	for s != "" {
		if depth > 0 && (strings.HasPrefix(s, "}}") || strings.HasPrefix(s, "::")) {
			break
		}
		if numbers, after, ok := opened(s); ok && depth < deepestCloze && !p.endless {
			inner, tail := p.parse(after, depth+1)
			hint := ""
			if h, ok := strings.CutPrefix(tail, "::"); ok {
				if end := p.end(h); end >= 0 {
					hint, tail = h[:end], h[end:]
				}
			}
			if tail, ok = strings.CutPrefix(tail, "}}"); ok {
				flush()
				list = append(list, piece{gap: &cloze{numbers, inner, hint}})
				s = tail
				continue
			}
		}
		next := 1 + strings.IndexAny(s[1:], "{}:")
		if next == 0 {
			next = len(s)
		}
		plain.WriteString(s[:next])
		s = s[next:]
	}
	flush()
	return list, s
}

// opened reads "{{c1::".
func opened(s string) (numbers []int, after string, ok bool) {
	s, ok = strings.CutPrefix(s, "{{c")
	if !ok {
		return nil, "", false
	}
	head, _, ok := strings.Cut(s[:min(len(s), 64)], "::")
	if !ok {
		return nil, "", false
	}
	after = s[len(head)+2:]
	for part := range strings.SplitSeq(head, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > 10_000 {
			return nil, "", false
		}
		numbers = append(numbers, n)
	}
	return numbers, after, true
}

func (c *cloze) has(number int) bool {
	for _, n := range c.numbers {
		if n == number {
			return true
		}
	}
	return false
}

// gapMark stands for what is asked.
const gapMark = "____"

// asked writes a field as it is asked for one number: its gaps are blank, the others filled in.
func asked(list []piece, number int) string {
	var b strings.Builder
	for _, p := range list {
		switch {
		case p.gap == nil:
			b.WriteString(p.text)
		case p.gap.has(number):
			b.WriteString(gapMark)
			if p.gap.hint != "" {
				b.WriteString(" (" + p.gap.hint + ")")
			}
		default:
			b.WriteString(asked(p.gap.inner, number))
		}
	}
	return b.String()
}

// answers gives what stands in the gaps of one number.
func answers(list []piece, number int) (all []string) {
	for _, p := range list {
		if p.gap == nil {
			continue
		}
		if p.gap.has(number) {
			all = append(all, whole(p.gap.inner))
			continue
		}
		all = append(all, answers(p.gap.inner, number)...)
	}
	return all
}

// whole writes a field with every gap filled in.
func whole(list []piece) string {
	var b strings.Builder
	for _, p := range list {
		if p.gap == nil {
			b.WriteString(p.text)
		} else {
			b.WriteString(whole(p.gap.inner))
		}
	}
	return b.String()
}
