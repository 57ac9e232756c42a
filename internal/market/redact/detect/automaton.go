package detect

// automaton finds many literals in one pass over a text, without regard to the case of ASCII letters
// (Aho and Corasick 1975, as a dense table over the classes of bytes that occur in the literals).
type automaton struct {
	class  [256]uint8
	stride int
	next   []uint32 // state*stride+class → state
	out    [][]int  // literals that end in a state, longest first
	accept uint32   // states from here on have an output; the others have none
	sizes  []int
}

// newAutomaton takes lower-case literals; the index of each is what each reports.
func newAutomaton(literals []string) *automaton {
	a := &automaton{stride: 1}
	for _, l := range literals {
		a.sizes = append(a.sizes, len(l))
		for i := range len(l) {
			if c := l[i]; a.class[c] == 0 {
				a.class[c] = uint8(a.stride)
				a.stride++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		a.class[c-'a'+'A'] = a.class[c]
	}
	trie := [][]uint32{make([]uint32, a.stride)}
	out := [][]int{nil}
	for n, l := range literals {
		s := uint32(0)
		for i := range len(l) {
			c := a.class[l[i]]
			if trie[s][c] == 0 {
				trie = append(trie, make([]uint32, a.stride))
				out = append(out, nil)
				trie[s][c] = uint32(len(trie) - 1)
			}
			s = trie[s][c]
		}
		out[s] = append(out[s], n)
	}
	a.link(trie, out)
	return a
}

// link turns the trie into a complete automaton and renumbers it so that accepting states come last.
func (a *automaton) link(trie [][]uint32, out [][]int) {
	fail := make([]uint32, len(trie))
	order := make([]uint32, 1, len(trie)) // breadth first
	for head := 0; head < len(order); head++ {
		s := order[head]
		for c := 1; c < a.stride; c++ {
			t := trie[s][c]
			if t == 0 {
				trie[s][c] = trie[fail[s]][c]
				continue
			}
			if s != 0 {
				fail[t] = trie[fail[s]][c]
			}
			out[t] = append(out[t], out[fail[t]]...)
			order = append(order, t)
		}
	}
	number := make([]uint32, len(trie))
	n := uint32(0)
	for _, wanted := range []bool{false, true} {
		if wanted {
			a.accept = n
		}
		for _, s := range order {
			if (len(out[s]) > 0) == wanted {
				number[s] = n
				n++
			}
		}
	}
	a.next = make([]uint32, len(trie)*a.stride)
	a.out = make([][]int, len(trie)-int(a.accept))
	for s, row := range trie {
		at := int(number[s]) * a.stride
		for c, t := range row {
			a.next[at+c] = number[t] * uint32(a.stride)
		}
		if number[s] >= a.accept {
			a.out[number[s]-a.accept] = out[s]
		}
	}
	a.accept *= uint32(a.stride)
}

// each calls found(literal, start) for every occurrence, in the order of their ends, until found says no.
func (a *automaton) each(text string, found func(literal, start int) bool) {
	state := uint32(0)
	for i := range len(text) {
		state = a.next[state+uint32(a.class[text[i]])]
		if state < a.accept {
			continue
		}
		for _, n := range a.out[(state-a.accept)/uint32(a.stride)] {
			if !found(n, i+1-a.sizes[n]) {
				return
			}
		}
	}
}
