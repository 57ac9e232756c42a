package graph

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"stoa/internal/learning/notes"
)

// sample is a link whose direction is known: y says whether the linked note comes first.
type sample struct {
	v      vector
	y      bool
	fold   int
	weight float64
	lean   float64 // what the habits of the vault add
	from   *node
	to     *node
}

// goldLabels are the relation lines of mathwiki whose direction its README says: true when the linked note comes first.
var goldLabels = map[string]bool{
	"proved by": true, "justifications": true,
	"constructions": false, "properties": false, "examples": false, "sufficiencies": false, "types": false, "equivalences": false,
}

// How much of a relation line the inference may see.
const (
	noLabel   = iota // nothing: every link is like one in prose
	oneLabel         // that the link stands in some relation line
	sameLabel        // which links stand in lines of the same wording, not what it means
)

// mathwiki gives the typed links of the vault as if the meaning of their labels were not known.
func mathwiki(t testing.TB, see int) (*Library, []sample) {
	docs := vault(t, "mathwiki")
	for i := range docs {
		d := notes.Parse(notes.Source{Path: docs[i].Path, Content: docs[i].Content})
		for k := range d.Links {
			link := &d.Links[k]
			link.Kind, link.Inverse, link.Heading = notes.None, false, link.Label // where the test finds it again
			switch {
			case strings.HasPrefix(link.Label, "#") || see == sameLabel:
			case see == oneLabel:
				link.Label = "some"
			default:
				link.Label = ""
			}
		}
		docs[i].Given = &d
	}
	l := Open("test", nil, nil)
	l.Ingest(Batch{Documents: docs})
	verdicts := map[[2]*node]int{}
	var all []sample
	for _, rec := range l.Records() {
		n := l.docs[rec.DocumentID]
		for i, to := range n.targets {
			first, ok := goldLabels[n.rec.Links[i].Heading]
			if !ok || to == nil || to == n {
				continue
			}
			s := sample{from: n, to: to, y: first, v: describe(n, to), lean: l.leaning(n, &n.rec.Links[i]), weight: 1}
			h := fnv.New32a()
			h.Write([]byte(min(n.rec.DocumentID, to.rec.DocumentID)))
			s.fold = int(h.Sum32() % folds)
			all = append(all, s)
			if first {
				verdicts[[2]*node{to, n}]++
			} else {
				verdicts[[2]*node{n, to}]++
			}
		}
	}
	both := func(s sample) bool {
		return verdicts[[2]*node{s.from, s.to}] > 0 && verdicts[[2]*node{s.to, s.from}] > 0
	}
	return l, slices.DeleteFunc(all, both)
}

const folds = 4

// titled gives known pairs of titles alone, (dependent, prerequisite), linked either way.
func titled(t testing.TB, pairs [][2]string, fold int, weight float64) []sample {
	nodes := map[string]*node{}
	get := func(title string) *node {
		if nodes[title] == nil {
			nodes[title] = newNode()
			nodes[title].set(Record{DocumentID: title, Path: title, Title: title, Atoms: []AtomRecord{{}}, Genre: notes.Parse(notes.Source{Path: title + ".md"}).Genre})
		}
		return nodes[title]
	}
	var list []sample
	for _, p := range pairs {
		a, b := get(p[0]), get(p[1])
		h := fnv.New32a()
		fmt.Fprint(h, p)
		s := sample{y: true, fold: fold, weight: weight}
		if h.Sum32()%2 == 0 {
			s.v = describe(a, b)
		} else {
			s.v, s.y = describe(b, a), false
		}
		s.v[fDepth], s.v[fAncestor], s.v[fLink] = 0, 0, 0
		list = append(list, s)
	}
	return list
}

func alcpl(t testing.TB, domain string) [][2]string {
	var pairs [][2]string
	for _, row := range table(t, "al-cpl/data/"+domain+".preqs") {
		if len(row) == 2 {
			pairs = append(pairs, [2]string{strings.ReplaceAll(row[0], "_", " "), strings.ReplaceAll(row[1], "_", " ")})
		}
	}
	return pairs
}

func metacademy(t testing.TB) [][2]string {
	titles := map[string]string{}
	for _, row := range table(t, "metacademy_concepts.csv")[1:] {
		titles[row[0]] = row[1]
	}
	var pairs [][2]string
	for _, row := range table(t, "metacademy_edges.csv")[1:] {
		if titles[row[0]] != "" && titles[row[1]] != "" {
			pairs = append(pairs, [2]string{titles[row[0]], titles[row[1]]})
		}
	}
	return pairs
}

// undated gives the samples without what they know of time.
func undated(list []sample) []sample {
	out := make([]sample, len(list))
	for i, s := range list {
		s.v[fCreated], s.v[fCreatedFar] = 0, 0
		out[i] = s
	}
	return out
}

// fit is ridge logistic regression by Newton's method under the sign each feature is meant to have: one that would turn
// against it is left at 0. The features that are set by hand stay.
func fit(list []sample, ridge float64) vector {
	var off [features]bool
	for {
		w, worst := newton(list, ridge, off), 0
		for j := range fitted {
			if w[j] < w[worst] {
				worst = j
			}
		}
		if w[worst] >= 0 {
			return w
		}
		off[worst] = true
	}
}

func newton(list []sample, ridge float64, off [features]bool) vector {
	w := weights
	for j := range fitted {
		w[j] = 0
	}
	for range 25 {
		var g [fitted]float64
		var h [fitted][fitted]float64
		for j := range fitted {
			g[j], h[j][j] = -ridge*w[j], ridge
		}
		for i := range list {
			s := &list[i]
			p := chance(s.v.odds(&w))
			y := 0.0
			if s.y {
				y = 1
			}
			for j := range fitted {
				if s.v[j] == 0 || off[j] {
					continue
				}
				g[j] += s.weight * (y - p) * s.v[j]
				for k := range fitted {
					if !off[k] {
						h[j][k] += s.weight * p * (1 - p) * s.v[j] * s.v[k]
					}
				}
			}
		}
		for j := range fitted {
			for k := j + 1; k < fitted; k++ {
				r := h[k][j] / h[j][j]
				for m := j; m < fitted; m++ {
					h[k][m] -= r * h[j][m]
				}
				g[k] -= r * g[j]
			}
		}
		for j := fitted - 1; j >= 0; j-- {
			for k := j + 1; k < fitted; k++ {
				g[j] -= h[j][k] * g[k]
			}
			g[j] /= h[j][j]
			w[j] += g[j]
		}
	}
	return w
}

// score gives accuracy (a tie is half right) and log loss.
func score(list []sample, w *vector) (accuracy, loss, decided float64) {
	for i := range list {
		z := list[i].v.odds(w) + list[i].lean
		if math.Abs(z) < 1e-9 {
			accuracy += 0.5
		} else {
			decided++
			if (z > 0) == list[i].y {
				accuracy++
			}
		}
		p := chance(clamp(z, math.Log(most/(1-most))))
		if !list[i].y {
			p = 1 - p
		}
		loss -= math.Log(p)
	}
	k := float64(len(list))
	return accuracy / k, loss / k, decided / k
}

func TestFit(t *testing.T) {
	_, wiki := mathwiki(t, noLabel)
	for i := range wiki {
		wiki[i].lean = 0
	}
	domains := []string{"data_mining", "geometry", "physics", "precalculus", "metacademy"}
	var others []sample
	for i, d := range domains[:4] {
		others = append(others, titled(t, alcpl(t, d), 100+i, 0.5)...)
	}
	others = append(others, titled(t, metacademy(t), 104, 0.5)...)
	t.Logf("mathwiki: %d links", len(wiki))
	for j := range features {
		var single vector
		single[j] = 1
		a, _, d := score(wiki, &single)
		b, _, e := score(others, &single)
		t.Logf("feature %d: mathwiki %.3f, decides %.3f; titles %.3f, decides %.3f", j, a, d, b, e)
	}
	train := func(leave int) vector {
		var list []sample
		for _, set := range [][]sample{wiki, undated(wiki), others} {
			for _, s := range set {
				if s.fold != leave && (leave >= 0 || s.fold >= folds) {
					list = append(list, s)
				}
			}
		}
		return fit(list, 10)
	}
	part := func(set []sample, fold int) []sample {
		return slices.DeleteFunc(slices.Clone(set), func(s sample) bool { return s.fold != fold })
	}
	kept := weights
	defer func() { weights = kept }()
	var acc, loss [8]float64
	for f := range folds {
		weights = kept
		weights = train(f)
		test := [][]sample{part(wiki, f), part(undated(wiki), f)}
		for see := range 3 {
			_, s := mathwiki(t, see)
			test = append(test, part(s, f))
		}
		for i, set := range test {
			a, l, _ := score(set, &weights)
			acc[i] += a * float64(len(set)) / float64(len(wiki))
			loss[i] += l * float64(len(set)) / float64(len(wiki))
		}
	}
	for i, what := range []string{"features alone", "features without dates", "and habits, labels unseen", "and habits, lists known from prose", "and habits, labels grouped"} {
		t.Logf("mathwiki held out, %s: accuracy %.3f, log loss %.3f", what, acc[i], loss[i])
	}
	for i, d := range domains {
		weights = kept
		w := train(100 + i)
		a, l, dec := score(part(others, 100+i), &w)
		t.Logf("%s held out: accuracy %.3f, log loss %.3f, decided %.3f", d, a, l, dec)
	}
	weights = kept
	w := train(-1)
	a, _, _ := score(wiki, &w)
	t.Logf("mathwiki by weights of the other sets alone: %.3f", a)
	t.Logf("weights %.2f", train(1000))
}
