package graph

import (
	"slices"
	"strconv"
	"strings"
)

// needs is a set of prerequisites from which breakCycles takes what makes cycles of them. Edges are added by strength, the strongest
// first, and one that would close a cycle is left out: it is the weakest of that cycle. The result depends on the edges
// alone, not on their order.
//
// Only edges inside a strongly connected component (Tarjan 1972) can be part of a cycle; among them the order of Pearce
// and Kelly (2006) is kept up while edges come in. Its worst case is not linear, so the steps are counted: when they
// exceed searchBudget per edge, edges against the present order are left out without a search, which may break more than
// is needed but never leaves a cycle.
//
// What was found the last time makes the next search cheap and does not change its result: the order to start from, and of
// each broken edge the cycle it closed, which still shows that it is broken while the rest of the cycle is kept.
type needs struct {
	nodes  map[string]int32 // atom → number
	place  []int32          // of a node in an order that no kept edge goes against
	at     map[string]int32 // edge id → index in list
	list   []need
	dead   int                   // entries of list that were taken out
	sorted []int32               // indexes by strength, when they were last judged
	fresh  []int32               // indexes that came since
	broken map[int32]brokenCycle // index of a broken edge → the cycle it closed
}

// brokenCycle is the path back that makes a cycle of an edge, and how it is reported.
type brokenCycle struct {
	rest []int32
	told Cycle
}

type need struct {
	edge     *Edge
	from, to int32
	key      [2]uint64 // smaller is stronger
	live     bool
}

func newNeeds() *needs {
	return &needs{nodes: map[string]int32{}, at: map[string]int32{}, broken: map[int32]brokenCycle{}}
}

// put takes an edge in, or another version of one it has.
func (s *needs) put(e *Edge) {
	if i, ok := s.at[e.ID]; ok {
		if old := &s.list[i]; old.edge.Confidence == e.Confidence && old.edge.Verdict == e.Verdict {
			old.edge = e
			delete(s.broken, i) // it is told with the edge as it was
			return
		}
		s.drop(e.ID)
	}
	s.at[e.ID] = int32(len(s.list))
	s.fresh = append(s.fresh, int32(len(s.list)))
	s.list = append(s.list, need{edge: e, from: s.number(e.Source), to: s.number(e.Target), key: strength(e), live: true})
}

func (s *needs) drop(id string) {
	if i, ok := s.at[id]; ok {
		s.list[i].live = false
		s.dead++
		delete(s.at, id)
	}
}

func (s *needs) number(atom string) int32 {
	n, ok := s.nodes[atom]
	if !ok {
		n = int32(len(s.place))
		s.nodes[atom] = n
		s.place = append(s.place, n)
	}
	return n
}

// pack forgets what was taken out, when that is the most.
func (s *needs) pack() {
	if s.dead < len(s.at)+1000 {
		return
	}
	old := s.list
	fresh := newNeeds()
	for i := range old {
		if old[i].live {
			fresh.put(old[i].edge)
		}
	}
	*s = *fresh
}

// strength orders edges by how much they may be relied on: corrections, facts, then confidence; then by id, so that
// there are no ties.
func strength(e *Edge) [2]uint64 {
	rank := uint64(2)
	switch {
	case e.Verdict != "":
		rank = 0
	case e.Provenance == Fact:
		rank = 1
	}
	tie, err := strconv.ParseUint(strings.TrimPrefix(e.ID, edgePrefix)[:16], 16, 64)
	if err != nil {
		tie = 0 // no id of ours; they all parse
	}
	return [2]uint64{rank<<32 | uint64(1e6-e.Confidence*1e5), tie}
}

// breakCycles gives the edges that close a cycle, the strongest first.
func (s *needs) breakCycles() []Cycle {
	s.pack()
	s.sort()
	ends := make([][2]int32, len(s.sorted))
	for k, i := range s.sorted {
		ends[k] = [2]int32{s.list[i].from, s.list[i].to}
	}
	component := components(len(s.place), ends)
	inside := make([]int32, 0, len(s.sorted))
	for k, i := range s.sorted {
		if component[ends[k][0]] == component[ends[k][1]] {
			inside = append(inside, i)
		}
	}
	k := &acyclic{needs: s, out: make([]int32, len(s.place)), in: make([]int32, len(s.place)), nextOut: make([]int32, len(s.list)), nextIn: make([]int32, len(s.list)), via: make([]int32, len(s.place)), seen: make([]int32, len(s.place))}
	k.budget = searchBudget * (len(inside) + len(s.place))
	broken := make(map[int32]brokenCycle, len(s.broken))
	kept := make([]bool, len(s.list))
	var cycles []Cycle
	for _, i := range inside {
		known, closed := s.broken[i]
		for _, j := range known.rest {
			closed = closed && kept[j]
		}
		if !closed {
			if known.rest, closed = k.insert(i); closed {
				known.told = s.tell(i, known.rest)
			}
		}
		if !closed {
			kept[i] = true
			continue
		}
		broken[i] = known
		cycles = append(cycles, known.told)
	}
	s.broken = broken
	return cycles
}

// sort brings sorted up to date.
func (s *needs) sort() {
	byStrength := func(a, b int32) int { return slices.Compare(s.list[a].key[:], s.list[b].key[:]) }
	gone := func(i int32) bool { return !s.list[i].live }
	old := slices.DeleteFunc(s.sorted, gone)
	fresh := slices.DeleteFunc(s.fresh, gone)
	slices.SortFunc(fresh, byStrength)
	merged := make([]int32, 0, len(old)+len(fresh))
	for len(old) > 0 && len(fresh) > 0 {
		if byStrength(old[0], fresh[0]) < 0 {
			merged, old = append(merged, old[0]), old[1:]
		} else {
			merged, fresh = append(merged, fresh[0]), fresh[1:]
		}
	}
	s.sorted, s.fresh = append(append(merged, old...), fresh...), nil
}

func (s *needs) tell(i int32, rest []int32) Cycle {
	c := Cycle{Broken: *s.list[i].edge, Edges: []string{s.list[i].edge.ID}}
	for _, j := range rest {
		c.Edges = append(c.Edges, s.list[j].edge.ID)
	}
	return c
}

const searchBudget = 64

// acyclic is a graph without cycles, kept in an order in which every edge goes forward. Lists of edges end at 0: they
// hold the index of an edge and one.
type acyclic struct {
	*needs
	out, in         []int32 // by node
	nextOut, nextIn []int32 // by edge
	via             []int32 // edge by which a search came to a node
	seen            []int32 // number of the last search that saw a node
	search          int32
	budget          int
}

// insert takes an edge in, or gives the way back that makes it a cycle.
func (k *acyclic) insert(i int32) ([]int32, bool) {
	from, to := k.list[i].from, k.list[i].to
	if from == to {
		return nil, true
	}
	if k.place[from] > k.place[to] {
		if k.budget <= 0 {
			return nil, true
		}
		ahead, met := k.reach(to, from, true)
		if met {
			var back []int32
			for n := from; n != to; n = k.list[k.via[n]].from {
				back = append(back, k.via[n])
			}
			slices.Reverse(back)
			return back, true
		}
		behind, _ := k.reach(from, to, false)
		k.reorder(behind, ahead)
	}
	k.nextOut[i], k.out[from] = k.out[from], i+1
	k.nextIn[i], k.in[to] = k.in[to], i+1
	return nil, false
}

// reach gives the nodes that can be come to from start, forward or back, without leaving the part of the order between
// start and goal, and whether goal is one of them.
func (k *acyclic) reach(start, goal int32, forward bool) ([]int32, bool) {
	k.search++
	k.seen[start] = k.search
	list := []int32{start}
	for at := 0; at < len(list); at++ {
		e := k.out[list[at]]
		if !forward {
			e = k.in[list[at]]
		}
		for k.budget--; e != 0; k.budget-- {
			edge := e - 1
			next := k.list[edge].to
			e = k.nextOut[edge]
			if !forward {
				next, e = k.list[edge].from, k.nextIn[edge]
			}
			if k.seen[next] == k.search || forward && k.place[next] > k.place[goal] || !forward && k.place[next] < k.place[goal] {
				continue
			}
			k.seen[next], k.via[next] = k.search, edge
			if next == goal {
				return list, true
			}
			list = append(list, next)
		}
	}
	return list, false
}

// reorder puts what lies behind before what lies ahead, in the places that both have now.
func (k *acyclic) reorder(behind, ahead []int32) {
	byPlace := func(a, b int32) int { return int(k.place[a] - k.place[b]) }
	slices.SortFunc(behind, byPlace)
	slices.SortFunc(ahead, byPlace)
	all := append(behind, ahead...)
	places := make([]int32, len(all))
	for i, n := range all {
		places[i] = k.place[n]
	}
	slices.Sort(places)
	for i, n := range all {
		k.place[n] = places[i]
	}
}

// components numbers the strongly connected components (Tarjan 1972), without recursion: notes of strangers may form
// chains of any length.
func components(nodes int, ends [][2]int32) []int32 {
	first := make([]int32, nodes+1)
	for _, e := range ends {
		first[e[0]+1]++
	}
	for i := range nodes {
		first[i+1] += first[i]
	}
	next := make([]int32, len(ends))
	fill := slices.Clone(first)
	for _, e := range ends {
		next[fill[e[0]]] = e[1]
		fill[e[0]]++
	}
	index, low := make([]int32, nodes), make([]int32, nodes)
	component := make([]int32, nodes)
	at := slices.Clone(first[:nodes])
	var stack, path []int32
	count, found := int32(0), int32(0)
	for root := range int32(nodes) {
		if index[root] != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if index[v] == 0 {
				count++
				index[v], low[v] = count, count
				stack = append(stack, v)
			}
			if at[v] < first[v+1] {
				w := next[at[v]]
				at[v]++
				if index[w] == 0 {
					path = append(path, w)
				} else if component[w] == 0 {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				low[path[len(path)-1]] = min(low[path[len(path)-1]], low[v])
			}
			if low[v] == index[v] {
				found++
				for {
					w := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					component[w] = found
					if w == v {
						break
					}
				}
			}
		}
	}
	return component
}
