package graph

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// breakCycles takes from a set of prerequisites what makes circles of them. Edges are taken in by strength, the strongest
// first, and one that would close a circle is left out: it is the weakest of that circle. The result depends on the edges
// alone, not on their order.
//
// Only edges inside a strongly connected component (Tarjan 1972) can be part of a circle; among them the order of Pearce
// and Kelly (2006) is kept up while edges come in. Its worst case is not linear, so the steps are counted: when they
// exceed searchBudget per edge, edges against the present order are left out without a search, which may break more than
// is needed but never leaves a circle.
//
// What was found the last time makes the next look cheap and does not change its result: the order to start from, and of
// each broken edge the circle it closed, which still shows that it is broken while the rest of the circle stands.
func (m *memory) breakCycles(edges map[string]Edge) []Cycle {
	ids := make(map[string]int32, len(m.place)+16)
	var names []string
	list := make([]*Edge, 0, len(edges))
	for _, e := range edges {
		list = append(list, &e)
		for _, id := range [2]string{e.Source, e.Target} {
			if _, ok := ids[id]; !ok {
				ids[id] = int32(len(names))
				names = append(names, id)
			}
		}
	}
	ends := make([][2]int32, len(list))
	for i, e := range list {
		ends[i] = [2]int32{ids[e.Source], ids[e.Target]}
	}
	component := components(len(names), ends)
	inside := list[:0]
	for i, e := range list {
		if component[ends[i][0]] == component[ends[i][1]] {
			inside = append(inside, e)
		}
	}
	slices.SortFunc(inside, byStrength)
	k := &knot{ends: ends[:len(inside)], place: m.places(names), out: make([][]int32, len(names)), in: make([][]int32, len(names)), via: make([]int32, len(names)), seen: make([]int32, len(names))}
	for i, e := range inside {
		k.ends[i] = [2]int32{ids[e.Source], ids[e.Target]}
	}
	k.budget = searchBudget * (len(inside) + len(names))
	circles := make(map[string][]string, len(m.circles))
	standing := make(map[string]bool, len(inside))
	var cycles []Cycle
	for i, e := range inside {
		circle := m.circles[e.ID]
		closed := len(circle) > 1
		for _, id := range circle[min(1, len(circle)):] {
			closed = closed && standing[id]
		}
		if !closed {
			var at []int32
			if at, closed = k.insert(int32(i)); closed {
				circle = nil
				for _, j := range at {
					circle = append(circle, inside[j].ID)
				}
			}
		}
		if !closed {
			standing[e.ID] = true
			continue
		}
		circles[e.ID] = circle
		cycles = append(cycles, Cycle{Broken: *e, Edges: circle})
	}
	m.circles = circles
	m.place = make(map[string]int32, len(names))
	for i, id := range names {
		m.place[id] = k.place[i]
	}
	return cycles
}

// memory is what breakCycles remembers.
type memory struct {
	place   map[string]int32    // of an atom in an order that no standing edge goes against
	circles map[string][]string // broken edge → the circle it closed, itself first
}

// places gives atoms their places in the last order; new ones come last.
func (m *memory) places(names []string) []int32 {
	order := make([]int32, len(names))
	was := make([]int32, len(names))
	for i, id := range names {
		order[i] = int32(i)
		if p, ok := m.place[id]; ok {
			was[i] = p
		} else {
			was[i] = math.MaxInt32
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		if was[a] != was[b] {
			return cmp.Compare(was[a], was[b])
		}
		return strings.Compare(names[a], names[b])
	})
	place := make([]int32, len(names))
	for at, i := range order {
		place[i] = int32(at)
	}
	return place
}

const searchBudget = 64

// knot is a graph without circles, kept in an order in which every edge goes forward.
type knot struct {
	ends    [][2]int32
	place   []int32   // of a node in the order
	out, in [][]int32 // edges that were taken in, by node
	via     []int32   // edge by which a search came to a node
	seen    []int32   // number of the last search that saw a node
	search  int32
	budget  int
}

// insert takes an edge in, or gives the circle it would close: the edge first, then the way back.
func (k *knot) insert(i int32) ([]int32, bool) {
	from, to := k.ends[i][0], k.ends[i][1]
	if from == to {
		return []int32{i}, true
	}
	if k.place[from] > k.place[to] {
		if k.budget <= 0 {
			return []int32{i}, true
		}
		ahead, met := k.reach(to, from, true)
		if met {
			circle := []int32{i}
			var back []int32
			for n := from; n != to; n = k.ends[k.via[n]][0] {
				back = append(back, k.via[n])
			}
			slices.Reverse(back)
			return append(circle, back...), true
		}
		behind, _ := k.reach(from, to, false)
		k.reorder(behind, ahead)
	}
	k.out[from] = append(k.out[from], i)
	k.in[to] = append(k.in[to], i)
	return nil, false
}

// reach gives the nodes that can be come to from start, forward or back, without leaving the part of the order between
// start and goal, and whether goal is one of them.
func (k *knot) reach(start, goal int32, forward bool) ([]int32, bool) {
	k.search++
	k.seen[start] = k.search
	list := []int32{start}
	for at := 0; at < len(list); at++ {
		edges := k.out[list[at]]
		if !forward {
			edges = k.in[list[at]]
		}
		k.budget -= len(edges) + 1
		for _, e := range edges {
			next := k.ends[e][1]
			if !forward {
				next = k.ends[e][0]
			}
			if k.seen[next] == k.search || forward && k.place[next] > k.place[goal] || !forward && k.place[next] < k.place[goal] {
				continue
			}
			k.seen[next], k.via[next] = k.search, e
			if next == goal {
				return list, true
			}
			list = append(list, next)
		}
	}
	return list, false
}

// reorder puts what lies behind before what lies ahead, in the places that both have now.
func (k *knot) reorder(behind, ahead []int32) {
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
