package graph

import "slices"

// breakCycles takes from a set of prerequisites what makes circles of them. Edges are taken in by strength, the strongest
// first, and one that would close a circle is left out: it is the weakest of that circle. The result depends on the edges
// alone, not on their order.
//
// Only edges inside a strongly connected component (Tarjan 1972) can be part of a circle; among them the order of Pearce
// and Kelly (2006) is kept up while edges come in. Its worst case is not linear, so the steps are counted: when they
// exceed searchBudget per edge, edges against the present order are left out without a search, which may break more than
// is needed but never leaves a circle.
func breakCycles(edges []Edge) []Cycle {
	slices.SortFunc(edges, byStrength)
	ids := make(map[string]int32, len(edges))
	ends := make([][2]int32, len(edges))
	number := func(id string) int32 {
		n, ok := ids[id]
		if !ok {
			n = int32(len(ids))
			ids[id] = n
		}
		return n
	}
	for i := range edges {
		ends[i] = [2]int32{number(edges[i].Source), number(edges[i].Target)}
	}
	component := components(len(ids), ends)
	k := &knot{edges: edges, ends: ends, place: make([]int32, len(ids)), out: make([][]int32, len(ids)), in: make([][]int32, len(ids)), via: make([]int32, len(ids)), seen: make([]int32, len(ids))}
	for i := range k.place {
		k.place[i] = int32(i)
	}
	k.budget = searchBudget * (len(edges) + len(ids))
	var cycles []Cycle
	for i, e := range ends {
		if component[e[0]] != component[e[1]] {
			continue
		}
		if circle, closed := k.insert(int32(i)); closed {
			c := Cycle{Broken: edges[i]}
			for _, at := range circle {
				c.Edges = append(c.Edges, edges[at].ID)
			}
			cycles = append(cycles, c)
		}
	}
	return cycles
}

const searchBudget = 64

// knot is a graph without circles, kept in an order in which every edge goes forward.
type knot struct {
	edges   []Edge
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
