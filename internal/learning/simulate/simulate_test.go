package simulate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/learning/path"
)

// small is a run short enough for a test: the figures of docs/strategies.md come from the eval command.
var small = Options{Students: 3, Days: 25, Actions: 20, Concepts: 120, Seed: 7}

func TestRunIsDeterministic(t *testing.T) {
	one, two := small, small
	one.Workers, two.Workers = 1, 3
	if diff := cmp.Diff(Run(one), Run(two)); diff != "" {
		t.Error(diff)
	}
}

// TestStrategiesHold is the floor far below the measured figures under which something is broken. Where the graph is wrong
// most concepts wait behind others that they do not need, and what is left to choose from is nearly the same for every
// strategy: its overlap is bounded by being no identity.
func TestStrategiesHold(t *testing.T) {
	r := Run(small)
	if g := r.Goals; g.WorstBestRatio < 0.85 || g.BalancedWorstRatio < 0.7 || g.LargestOverlap > 0.99 {
		t.Errorf("%+v", g)
	}
	for _, w := range r.Worlds {
		for _, o := range w.Overlap {
			if w.World != "wrong_graph" && o.Jaccard > 0.85 {
				t.Errorf("%s: %s and %s choose the same: %.2f", w.World, o.First, o.Second, o.Jaccard)
			}
		}
	}
	for _, w := range r.Worlds {
		if len(w.Policies) != 8 || w.Policies[0].Policy != string(path.Balanced) {
			t.Errorf("%s: %d policies", w.World, len(w.Policies))
		}
	}
}

func TestGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := NewGraph(393, r)
	edges, roots := 0, 0
	for _, ps := range g.Prerequisites {
		edges += len(ps)
		if len(ps) == 0 {
			roots++
		}
	}
	if edges < 780 || edges > 1200 || roots < 10 || roots > 60 {
		t.Errorf("%d edges, %d roots; metacademy has 967 and 24", edges, roots)
	}
	for _, pre := range [][][]int{g.Prerequisites, g.flawed(0.5, r)} {
		if n := len(topological(pre)); n != 393 {
			t.Errorf("%d of 393 in order: there is a cycle", n)
		}
	}
	read, err := ReadGraph(strings.NewReader("concept,prerequisite\nb,a\nc,b\na,c\nb,a\n"), r)
	if err != nil || len(read.Names) != 3 || len(topological(read.Prerequisites)) != 3 {
		t.Errorf("%+v, %v", read, err)
	}
	for _, bad := range []string{"", "concept,prerequisite\n", "a\nb\n", "concept,prerequisite\n\"a"} {
		if _, err := ReadGraph(strings.NewReader(bad), r); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestWorldsDiffer: what makes each world is there.
func TestWorldsDiffer(t *testing.T) {
	g := Graph{Prerequisites: [][]int{nil, {0}}, Effort: []float64{1, 1}, Names: []string{"a", "b"}}
	taught := func(w World) (n int) {
		for seed := range uint64(300) {
			s := newTruth(w, &g, seed)
			s.attempt(1, 0)
			if s.skill(1) > 0.5 {
				n++
			}
		}
		return n
	}
	if gated, free := taught(Worlds[0]), taught(Worlds[2]); gated > 40 || free < 90 {
		t.Errorf("taught without the prerequisite %d of 300 where gated, %d where not", gated, free)
	}
	power, exponential := newTruth(Worlds[0], &g, 1), newTruth(Worlds[2], &g, 1)
	for _, s := range []*truth{power, exponential} {
		s.tries[0], s.learned[0], s.strength[0] = 1, 1, 5
	}
	if power.recall(0, 100) < 2*exponential.recall(0, 100) {
		t.Error("both worlds forget alike")
	}
}

func TestSelectionRarelySwitchesForNothing(t *testing.T) {
	o := SelectionOptions{Runs: 120, Looks: 200, Workers: 2, Seed: 3}
	for _, row := range o.measure(designs[0], 0) {
		if row.Rule == "stoa" && row.Switched > 0.07 {
			t.Errorf("switched for nothing: %+v", row)
		}
		if row.Rule != "stoa" && row.Switched < 0.1 {
			t.Errorf("peeking looks harmless, so the simulation shows nothing: %+v", row)
		}
	}
	for _, row := range o.measure(designs[0], 1.5) {
		if row.Rule == "stoa" && (row.Switched < 0.7 || row.Wrong > 0.05) {
			t.Errorf("a large effect is missed: %+v", row)
		}
	}
}
