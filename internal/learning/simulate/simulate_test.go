package simulate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/learning/mastery"
	"stoa/internal/learning/path"
)

// small is a run short enough for a test: the figures of docs/strategies.md come from the eval command.
var small = Options{Students: 1, Days: 25, Doses: []int{12}, Concepts: 150, Seed: 7}

func TestRunIsDeterministic(t *testing.T) {
	one, two := small, small
	one.Workers, two.Workers = 1, 3
	if diff := cmp.Diff(Run(one), Run(two)); diff != "" {
		t.Error(diff)
	}
}

// TestStrategiesHold is the floor below the measured figures (docs/strategies.md) under which something is broken.
func TestStrategiesHold(t *testing.T) {
	r := Run(small)
	if g := r.Goals; g.MeanRatio < 0.7 || g.SingleRatio < 0.7 || g.LargestOverlap > 0.85 {
		t.Errorf("%+v", g)
	}
	if len(r.Cells) != len(Worlds) {
		t.Errorf("%d cells", len(r.Cells))
	}
	for _, c := range r.Cells {
		if len(c.Policies) != len(path.Strategies)+len(baselines) || c.Policies[0].Policy != string(path.Balanced) {
			t.Errorf("%s: %d policies", c.World, len(c.Policies))
		}
	}
}

// TestMemories: every kind of memory fades, grows with practice, and grows more by practice that is spaced.
func TestMemories(t *testing.T) {
	for _, kind := range []memoryKind{powerCurve, exponential, activation, multiscale} {
		after := func(days ...float64) float64 {
			m := kind.fresh(person{last: 1, decay: 0.177}, 1, 0)
			for _, d := range days {
				m.practise(d, true, 1)
			}
			last := 1.0
			for d := 21.0; d < 400; d += 7 {
				if r := m.recall(d); r > last || r < 0 {
					t.Fatalf("memory %d: recall %v on day %v, %v before", kind, r, d, last)
				} else {
					last = r
				}
			}
			return m.recall(50)
		}
		once, massed, spaced := after(), after(0.1, 0.2), after(6, 20)
		if once >= massed || massed >= spaced {
			t.Errorf("memory %d: %v once, %v massed, %v spaced", kind, once, massed, spaced)
		}
	}
}

// TestTutorIsTheProducts: what plans are made of is what the product's models say after the same answers.
func TestTutorIsTheProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	g := newGraph(30, r)
	tutor := newTutor(&g, g.Prerequisites, r.Perm(30), true, nil, true)
	for range 3 {
		tutor.answered(1, []answer{{concept: 4, tag: errorTags[0], seconds: 30}})
	}
	tutor.answered(2, []answer{{concept: 5, right: true, seconds: 30}})
	view := tutor.at(4)
	failed, known, fresh := view.Concepts[4], view.Concepts[5], view.Concepts[6]
	if failed.Misconception == 0 || failed.ErrorTag != errorTags[0] || failed.Failures != 3 {
		t.Errorf("three errors of one kind: %+v", failed)
	}
	m := tutor.learner.Atoms[known.ID].Memory()
	if want := tutor.learner.Person.DueAt(m, mastery.DefaultRetention); !known.DueAt.Equal(want) || known.Retrievability <= 0 || known.Shown <= 0 {
		t.Errorf("due %v, by the model of memory %v: %+v", known.DueAt, want, known)
	}
	if fresh.Attempts != 0 || fresh.Retrievability != 0 || view.RecentAnswers != 4 || len(view.Order) != 1 {
		t.Errorf("%+v", fresh)
	}
}

func TestGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := newGraph(393, r)
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
	heavy, light := newTruth(Worlds[0], &g, 1), newTruth(Worlds[2], &g, 1)
	for _, s := range []*truth{heavy, light} {
		s.tries[0], s.learned[0], s.memory[0] = 1, 1, s.w.Memory.fresh(person{last: 2}, 1, 0)
	}
	if heavy.recall(0, 100) < 2*light.recall(0, 100) {
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
