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

// Graph is concepts with prerequisites, in an order in which each stands after what it rests on.
type Graph struct {
	Names         []string
	Prerequisites [][]int
	// Effort is how much harder than usual a concept is to learn; the median is about 1.
	Effort []float64
}

// NewGraph makes a graph of n concepts in the shape of metacademy's: a sixteenth of roots, 2.5 prerequisites on average
// and seven at most, a few concepts that dozens rest on, long chains.
func NewGraph(n int, r *rand.Rand) Graph {
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
	g.finish(r)
	return g
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
	order, kept := sorted(pre)
	g := Graph{Prerequisites: make([][]int, len(names)), Names: make([]string, len(names))}
	at := make([]int, len(names))
	for i, c := range order {
		at[c] = i
	}
	for i, c := range order {
		g.Names[i] = names[c]
		for _, p := range kept[c] {
			g.Prerequisites[i] = append(g.Prerequisites[i], at[p])
		}
	}
	g.finish(r)
	return g, nil
}

// sorted orders concepts so that each stands after its prerequisites; an edge back to a concept that is being visited
// closes a cycle and is dropped.
func sorted(pre [][]int) (order []int, kept [][]int) {
	kept = make([][]int, len(pre))
	state := make([]uint8, len(pre)) // 1 being visited, 2 done
	var visit func(int)
	visit = func(i int) {
		state[i] = 1
		for _, p := range pre[i] {
			if state[p] == 1 {
				continue
			}
			if state[p] == 0 {
				visit(p)
			}
			kept[i] = append(kept[i], p)
		}
		state[i] = 2
		order = append(order, i)
	}
	for i := range pre {
		if state[i] == 0 {
			visit(i)
		}
	}
	return order, kept
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
	_, out = sorted(out)
	return out
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
