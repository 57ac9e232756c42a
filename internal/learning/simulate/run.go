package simulate

import (
	"math/rand/v2"
	"sync"

	"stoa/internal/learning/path"
)

// Options of a run. Zero values are the defaults in parentheses.
type Options struct {
	Students int // per world (40)
	Days     int // of study, one session each (60)
	Actions  int // per session (25)
	Replan   int // a policy chooses this many actions, sees the answers, and chooses again (5)
	Horizon  int // days after the end at which retention is measured (30)
	Concepts int // of the graph drawn from the seed, when no graph is given (400)
	Seed     uint64
	Workers  int // (2)
	Graph    *Graph
	Worlds   []World // (Worlds)
	// Progress is called after each student; it may be nil.
	Progress func(done, of int)
}

func (o Options) settled() Options {
	set := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&o.Students, 40)
	set(&o.Days, 60)
	set(&o.Actions, 25)
	set(&o.Replan, 5)
	set(&o.Horizon, 30)
	set(&o.Concepts, 400)
	set(&o.Workers, 2)
	if o.Worlds == nil {
		o.Worlds = Worlds
	}
	return o
}

// lived is what one student came to under one policy.
type lived struct {
	retained, learned, success, sessions, gating float64
}

// studied is what one student of one world came to under all policies.
type studied struct {
	by      []lived
	jaccard [3]float64 // mean over sessions of each pair of strategies
}

// Policies are the names of all policies: strategies, then baselines.
func Policies() []string {
	var out []string
	for _, s := range path.Strategies {
		out = append(out, string(s))
	}
	return append(out, Baselines...)
}

// Run simulates every world and judges the policies. The same options give the same report, whatever the workers.
func Run(o Options) Report {
	o = o.settled()
	jobs := make(chan int)
	results := make([]studied, len(o.Worlds)*o.Students)
	var wait sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range o.Workers {
		wait.Go(func() {
			for j := range jobs {
				results[j] = o.student(o.Worlds[j/o.Students], uint64(j%o.Students))
				if o.Progress != nil {
					mu.Lock()
					done++
					o.Progress(done, len(results))
					mu.Unlock()
				}
			}
		})
	}
	for j := range results {
		jobs <- j
	}
	close(jobs)
	wait.Wait()
	return o.report(results)
}

// student lives one student of a world once per policy. Each student has a graph of their own when none is given, so
// that the figures do not hang on one graph.
func (o Options) student(w World, n uint64) studied {
	seed := mix(mix(o.Seed+1) ^ n)
	r := rand.New(rand.NewPCG(seed, 3))
	g := o.Graph
	if g == nil {
		drawn := NewGraph(o.Concepts, r)
		g = &drawn
	}
	pre := g.Prerequisites
	if w.Flawed > 0 {
		pre = g.flawed(w.Flawed, r)
	}
	edges := g.analogies(r)
	var out studied
	for i, name := range Policies() {
		l := life{o: o, w: w, truth: newTruth(w, g, seed), tutor: newTutor(g, pre, edges), seed: seed}
		l.policy = newPolicy(name, rand.New(rand.NewPCG(seed, uint64(100+i))))
		l.compare = name == string(path.Balanced)
		out.by = append(out.by, l.live())
		if l.compare {
			out.jaccard = l.jaccard
			for k := range out.jaccard {
				out.jaccard[k] /= max(1, l.sessions)
			}
		}
	}
	return out
}

// life is one student under one policy.
type life struct {
	o        Options
	w        World
	truth    *truth
	tutor    *tutor
	policy   policy
	seed     uint64
	compare  bool
	jaccard  [3]float64
	sessions float64
}

func (l *life) live() lived {
	answers, right := 0, 0
	for d := range l.o.Days {
		day := float64(d)
		if l.w.Leaves && uniform(l.seed, uint64(d)<<50|7) < 1.0/7 {
			continue
		}
		l.sessions++
		view := l.tutor.at(day)
		if l.compare {
			l.plans(view)
		}
		var deltas []float64
		for done := 0; done < l.o.Actions; {
			// Two minutes an action.
			l.tutor.at(day + float64(done)*2/(24*60))
			l.tutor.model = l.tutor.view.Traits.Model()
			chosen := l.policy.next(l.tutor, min(l.o.Replan, l.o.Actions-done))
			if len(chosen) == 0 {
				break
			}
			for _, c := range chosen {
				now := day + float64(done)*2/(24*60)
				l.tutor.at(now)
				y := l.truth.attempt(c, now)
				deltas = append(deltas, l.tutor.answered(c, y))
				l.policy.answered(c, y)
				answers++
				if y {
					right++
				}
				done++
			}
		}
		l.tutor.ended(deltas)
		if l.w.Leaves && l.tutor.at(day).RecentSuccess < 0.5 && uniform(l.seed, uint64(d)<<50|8) < 0.1 {
			break
		}
	}
	end := float64(l.o.Days)
	known := 0.0
	for c := range l.truth.learned {
		known += l.truth.skill(c)
	}
	return lived{
		retained: l.truth.retained(end + float64(l.o.Horizon)), learned: known / float64(len(l.truth.learned)),
		success: float64(right) / float64(max(1, answers)), sessions: l.sessions, gating: l.tutor.view.Traits.Model().Gating(),
	}
}

// plans adds how much the three strategies' plans of this session have in common.
func (l *life) plans(v *path.View) {
	var sets [3]map[int]bool
	for i, s := range path.Strategies {
		sets[i] = map[int]bool{}
		plan := path.Make(v, path.Request{Brief: true, Strategy: s, Limit: l.o.Actions, Context: path.ContextOf(l.tutor.deltas)})
		for _, c := range concepts(plan) {
			sets[i][c] = true
		}
	}
	for k, pair := range pairs {
		a, b := sets[pair[0]], sets[pair[1]]
		both := 0
		for c := range a {
			if b[c] {
				both++
			}
		}
		l.jaccard[k] += float64(both) / float64(max(1, len(a)+len(b)-both))
	}
}

// pairs of strategies, by their places in path.Strategies.
var pairs = [3][2]int{{0, 1}, {0, 2}, {1, 2}}
