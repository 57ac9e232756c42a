package simulate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Graph is concepts with prerequisites, without cycles, numbered at random.
type Graph struct {
	Names         []string
	Prerequisites [][]int
	// Effort is how much harder than usual a concept is to learn; the median is about 1.
	Effort []float64
}

// newGraph makes a graph of n concepts in the shape of metacademy's: a sixteenth of roots, 2.5 prerequisites on average
// and seven at most, a few concepts that dozens rest on, long chains.
func newGraph(n int, r *rand.Rand) Graph {
	g := Graph{Prerequisites: make([][]int, n)}
	used := make([]int, n)
	for i := range n {
		if i == 0 || i < n/40 || r.Float64() < 0.04 {
			continue
		}
		want := min(i, 1+binomial(r, 6, 0.26))
		for range 4 * want {
			if len(g.Prerequisites[i]) == want {
				break
			}
			// Most prerequisites are near in the order (chains), or popular already (hubs).
			var p int
			if r.Float64() < 0.6 {
				p = i - 1 - int(r.ExpFloat64()*float64(n)/14)
			} else {
				p = r.IntN(i)
				if q := r.IntN(i); used[q] > used[p] {
					p = q
				}
			}
			if p >= 0 && !slices.Contains(g.Prerequisites[i], p) {
				g.Prerequisites[i] = append(g.Prerequisites[i], p)
				used[p]++
			}
		}
	}
	g.shuffle(r)
	g.finish(r)
	return g
}

// shuffle renumbers the concepts, so that a number tells nothing of the order of learning.
func (g *Graph) shuffle(r *rand.Rand) {
	to := r.Perm(len(g.Prerequisites))
	pre := make([][]int, len(to))
	for i, ps := range g.Prerequisites {
		for _, p := range ps {
			pre[to[i]] = append(pre[to[i]], to[p])
		}
	}
	g.Prerequisites = pre
	if g.Names != nil {
		names := make([]string, len(to))
		for i, name := range g.Names {
			names[to[i]] = name
		}
		g.Names = names
	}
}

func binomial(r *rand.Rand, n int, p float64) (k int) {
	for range n {
		if r.Float64() < p {
			k++
		}
	}
	return k
}

// finish draws the efforts: log-normal, as the hours that metacademy's authors estimate.
func (g *Graph) finish(r *rand.Rand) {
	g.Effort = make([]float64, len(g.Prerequisites))
	for i := range g.Effort {
		g.Effort[i] = min(3, max(0.4, math.Exp(0.45*r.NormFloat64())))
	}
	if g.Names == nil {
		g.Names = make([]string, len(g.Prerequisites))
		for i := range g.Names {
			g.Names[i] = fmt.Sprintf("c%d", i)
		}
	}
}

// ReadGraph reads a CSV file whose first two columns are a concept and a prerequisite of it, under a header line. Edges
// that would close a cycle are left out.
func ReadGraph(in io.Reader, r *rand.Rand) (Graph, error) {
	rows := csv.NewReader(in)
	rows.FieldsPerRecord = -1
	numbers := map[string]int{}
	var names []string
	var edges [][2]int
	number := func(name string) int {
		name = strings.TrimSpace(name)
		n, ok := numbers[name]
		if !ok {
			n = len(names)
			numbers[name] = n
			names = append(names, name)
		}
		return n
	}
	for line := 0; ; line++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Graph{}, err
		}
		if line == 0 || len(row) < 2 || row[0] == "" || row[1] == "" {
			continue
		}
		edges = append(edges, [2]int{number(row[0]), number(row[1])})
	}
	if len(edges) == 0 {
		return Graph{}, errors.New("no edges: a header line and rows of concept, prerequisite are needed")
	}
	pre := make([][]int, len(names))
	for _, e := range edges {
		if e[0] != e[1] && !slices.Contains(pre[e[0]], e[1]) {
			pre[e[0]] = append(pre[e[0]], e[1])
		}
	}
	g := Graph{Prerequisites: acyclic(pre), Names: names}
	g.shuffle(r)
	g.finish(r)
	return g, nil
}

// topological orders concepts by how many steps lead to them, so that each stands after its prerequisites.
func topological(pre [][]int) []int {
	waiting, post := make([]int, len(pre)), make([][]int, len(pre))
	var order []int
	for i, ps := range pre {
		waiting[i] = len(ps)
		if len(ps) == 0 {
			order = append(order, i)
		}
		for _, p := range ps {
			post[p] = append(post[p], i)
		}
	}
	for k := 0; k < len(order); k++ {
		for _, j := range post[order[k]] {
			if waiting[j]--; waiting[j] == 0 {
				order = append(order, j)
			}
		}
	}
	return order
}

// flawed is the graph as a tutor has it who was told wrong: half of share of the edges flipped, half missing. Cycles are
// broken, as the graph package does before anything is planned.
func (g Graph) flawed(share float64, r *rand.Rand) [][]int {
	out := make([][]int, len(g.Prerequisites))
	for i, ps := range g.Prerequisites {
		for _, p := range ps {
			switch u := r.Float64(); {
			case u < share/2:
				out[p] = append(out[p], i)
			case u >= share:
				out[i] = append(out[i], p)
			}
		}
	}
	return acyclic(out)
}

// Of the true prerequisites in notes few are found, and not all that are found are right (docs/knowledge.md).
const (
	foundShare, foundRight = 0.35, 0.875
	misplaced              = 0.1 // of the notes stand anywhere in an author's order
)

// found is the graph as it is found in notes: wrong edges lead to concepts drawn by chance.
func (g Graph) found(r *rand.Rand) [][]int {
	out := make([][]int, len(g.Prerequisites))
	for i, ps := range g.Prerequisites {
		for _, p := range ps {
			if r.Float64() >= foundShare {
				continue
			}
			if r.Float64() >= foundRight {
				p = r.IntN(len(out))
			}
			if p != i && !slices.Contains(out[i], p) {
				out[i] = append(out[i], p)
			}
		}
	}
	return acyclic(out)
}

// author is an order in which the notes could have been numbered: each after what it needs, but for some that stand
// anywhere.
func (g Graph) author(r *rand.Rand) []int {
	var order []int
	seen := make([]bool, len(g.Prerequisites))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, p := range g.Prerequisites[i] {
			visit(p)
		}
		order = append(order, i)
	}
	for _, i := range r.Perm(len(seen)) {
		visit(i)
	}
	for k := range order {
		if r.Float64() < misplaced {
			j := r.IntN(len(order))
			order[k], order[j] = order[j], order[k]
		}
	}
	return order
}

// acyclic drops the edges that point back in the order of Eades, Lin and Smyth (1993): take away what nothing rests on
// and what rests on nothing, and where neither is left the concept with the most dependants over prerequisites. An edge
// that closes many cycles points back in it.
func acyclic(pre [][]int) [][]int {
	n := len(pre)
	post := make([][]int, n)
	in, out, gone, place := make([]int, n), make([]int, n), make([]bool, n), make([]int, n)
	for i, ps := range pre {
		in[i] = len(ps)
		for _, p := range ps {
			post[p] = append(post[p], i)
			out[p]++
		}
	}
	low, high := 0, n-1
	remove := func(i int, first bool) {
		gone[i] = true
		if first {
			place[i] = low
			low++
		} else {
			place[i] = high
			high--
		}
		for _, j := range post[i] {
			in[j]--
		}
		for _, j := range pre[i] {
			out[j]--
		}
	}
	for left := n; left > 0; {
		before := left
		for i := range n {
			switch {
			case gone[i]:
			case out[i] == 0:
				remove(i, false)
				left--
			case in[i] == 0:
				remove(i, true)
				left--
			}
		}
		if left == before {
			best := -1
			for i := range n {
				if !gone[i] && (best < 0 || out[i]-in[i] > out[best]-in[best]) {
					best = i
				}
			}
			remove(best, true)
			left--
		}
	}
	kept := make([][]int, n)
	for i, ps := range pre {
		for _, p := range ps {
			if place[p] < place[i] {
				kept[i] = append(kept[i], p)
			}
		}
	}
	return kept
}

// analogies draws divergence edges: pairs of concepts that share a prerequisite, about one per concept.
func (g Graph) analogies(r *rand.Rand) (out [][2]int) {
	children := make([][]int, len(g.Prerequisites))
	for i, ps := range g.Prerequisites {
		for _, p := range ps {
			children[p] = append(children[p], i)
		}
	}
	for i, ps := range g.Prerequisites {
		if len(ps) == 0 {
			continue
		}
		near := children[ps[r.IntN(len(ps))]]
		if j := near[r.IntN(len(near))]; j != i {
			out = append(out, [2]int{i, j}, [2]int{j, i})
		}
	}
	return out
}
