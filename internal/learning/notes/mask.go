package notes

import (
	"sort"
	"strings"
)

// mask is a set of ranges in which marks mean nothing: code, comments, formulas.
type mask struct{ starts, ends []int }

func (m *mask) add(start, end int) {
	if end > start {
		m.starts = append(m.starts, start)
		m.ends = append(m.ends, end)
	}
}

// seal sorts the ranges and joins those that touch, so that covers can search them.
func (m *mask) seal() {
	order := make([]int, len(m.starts))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return m.starts[order[a]] < m.starts[order[b]] })
	var out mask
	for _, i := range order {
		if n := len(out.starts); n > 0 && m.starts[i] <= out.ends[n-1] {
			out.ends[n-1] = max(out.ends[n-1], m.ends[i])
			continue
		}
		out.add(m.starts[i], m.ends[i])
	}
	*m = out
}

// covers gives the end of the range an offset is in, or 0.
func (m *mask) covers(offset int) int {
	i := sort.SearchInts(m.starts, offset+1) - 1
	if i >= 0 && offset < m.ends[i] {
		return m.ends[i]
	}
	return 0
}

// comments masks <!-- … --> and %% … %%; one that is never closed hides nothing.
func (m *mask) comments(text string, from int, code *mask) {
	for _, pair := range [][2]string{{"<!--", "-->"}, {"%%", "%%"}} {
		for at := from; ; {
			i := strings.Index(text[at:], pair[0])
			if i < 0 {
				break
			}
			start := at + i
			if skip := code.covers(start); skip > 0 {
				at = skip
				continue
			}
			j := strings.Index(text[start+len(pair[0]):], pair[1])
			if j < 0 {
				break
			}
			at = start + len(pair[0]) + j + len(pair[1])
			m.add(start, at)
		}
	}
}

// inlineCode masks `…` on every line: a run of backticks up to the next run of the same length.
func (m *mask) inlineCode(text string, ls lines, from int, code *mask) {
	for i := ls.at(from); i < len(ls); i++ {
		start, end := max(ls[i], from), ls.end(i, text)
		if strings.IndexByte(text[start:max(start, end)], '`') < 0 || code.covers(start) > 0 {
			continue
		}
		type run struct{ at, n int }
		var runs []run
		last := map[int]int{} // length → index of the last run of it on this line
		for at := start; at < end; at++ {
			if text[at] != '`' {
				continue
			}
			n := 1
			for at+n < end && text[at+n] == '`' {
				n++
			}
			last[n] = len(runs)
			runs = append(runs, run{at, n})
			at += n - 1
		}
		for r := 0; r < len(runs); r++ {
			if last[runs[r].n] <= r {
				continue
			}
			k := r + 1
			for runs[k].n != runs[r].n {
				k++
			}
			m.add(runs[r].at, runs[k].at+runs[k].n)
			r = k
		}
	}
}
