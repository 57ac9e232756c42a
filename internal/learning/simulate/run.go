package simulate

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"stoa/internal/learning/path"
)

// Options of a run. Zero values are the defaults in parentheses.
type Options struct {
	Students int   // per world (40)
	Days     int   // of study, one session each (60)
	Doses    []int // actions per session (5, 12, 25), each a run of its own
	Replan   int   // a policy chooses this many actions, sees the answers, and chooses again (a whole session)
	Horizon  int   // days after the end at which retention is measured (30)
	Concepts int   // of the graph drawn from the seed, when no graph is given (400)
	Seed     uint64
	Workers  int // (one for each core)
	Graph    *Graph
	Policies []string // (all); the first strategy is compared with the others
	Worlds   []World  // (Worlds)
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
	set(&o.Horizon, 30)
	set(&o.Concepts, 400)
	set(&o.Workers, runtime.GOMAXPROCS(0))
	if len(o.Doses) == 0 {
		o.Doses = []int{5, 12, 25}
	}
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

// policies are the names of all policies: strategies, then baselines.
func (o *Options) policies() (out []string) {
	if o.Policies != nil {
		return o.Policies
	}
	for _, s := range path.Strategies {
		out = append(out, string(s))
	}
	return append(out, baselines...)
}

// cell is one world with one dose.
type cell struct {
	world World
	dose  int
}

func (o *Options) cells() (out []cell) {
	for _, w := range o.Worlds {
		for _, dose := range o.Doses {
			out = append(out, cell{w, dose})
		}
	}
	return out
}

// Run simulates every world with every dose and judges the policies. The same options give the same report, whatever the
// workers.
func Run(o Options) Report {
	o = o.settled()
	cells := o.cells()
	jobs := make(chan int)
	results := make([]studied, len(cells)*o.Students)
	var wait sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range o.Workers {
		wait.Go(func() {
			for j := range jobs {
				results[j] = o.student(cells[j/o.Students], uint64(j%o.Students))
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
func (o Options) student(at cell, n uint64) studied {
	w, seed := at.world, mix(mix(o.Seed+1)^n)
	r := rand.New(rand.NewPCG(seed, 3))
	g := o.Graph
	if g == nil {
		drawn := newGraph(o.Concepts, r)
		g = &drawn
	}
	pre := g.Prerequisites
	author := make([]int, len(pre)) // as they are numbered, by chance
	for i := range author {
		author[i] = i
	}
	switch {
	case w.Flawed > 0:
		pre = g.flawed(w.Flawed, r)
	case w.Found:
		pre, author = g.found(r), g.author(r)
	}
	edges := g.analogies(r)
	var out studied
	for i, name := range o.policies() {
		l := life{o: o, w: w, dose: at.dose, truth: newTruth(w, g, seed), tutor: newTutor(g, pre, author, w.Found, edges, path.Strategy(name).Valid()), seed: seed}
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
	dose     int
	truth    *truth
	tutor    *tutor
	policy   policy
	seed     uint64
	compare  bool
	jaccard  [3]float64
	sessions float64
}

// minute is in days.
const minute = 1. / (24 * 60)

func (l *life) live() lived {
	answers, right := 0, 0
	for d := range l.o.Days {
		day := float64(d)
		if l.w.Leaves && uniform(l.seed, uint64(d)<<50|7) < 1.0/7 {
			continue
		}
		l.sessions++
		if view := l.tutor.at(day); l.compare {
			l.plans(view)
		}
		for done := 0; done < l.dose; {
			now := day + 2*minute*float64(done)
			l.tutor.at(now)
			wanted := l.dose - done
			if l.o.Replan > 0 {
				wanted = min(wanted, l.o.Replan)
			}
			chosen := l.policy.next(l.tutor, wanted)
			if len(chosen) == 0 {
				break
			}
			var said []answer
			for _, c := range chosen {
				said = append(said, l.attempt(c, now))
				now += 2 * minute
			}
			l.tutor.answered(now, said)
			for _, a := range said {
				l.policy.answered(a.concept, a.right)
				if a.right {
					right++
				}
			}
			answers += len(said)
			done += len(said)
		}
		if success, _ := l.tutor.view.Traits.RecentSuccess(); l.w.Leaves && success < 0.5 && uniform(l.seed, uint64(d)<<50|8) < 0.1 {
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

// named is the share of wrong answers of which somebody says what kind of error they were.
const named = 0.3

var errorTags = [...]string{"causal_confusion", "evidence_mismatch", "reasoning_jump"}

// attempt is what the student does with one step: the answer with its time, and now and then the kind of error.
func (l *life) attempt(s step, now float64) answer {
	k := l.truth.tries[s.concept]
	of := uint64(s.concept)<<20 | k<<4
	a := answer{concept: s.concept, kind: s.kind, right: l.truth.attempt(s.concept, now)}
	a.seconds = 40 * math.Exp(0.4*normal(l.seed, of|9))
	if s.kind == path.Explain {
		a.seconds *= 3
	}
	if u := uniform(l.seed, of|11); !a.right && u < named {
		a.tag = errorTags[int(u/named*float64(len(errorTags)))%len(errorTags)]
	}
	return a
}

// plans adds how much the three strategies' plans of this session have in common.
func (l *life) plans(v *path.View) {
	var sets [3]map[int]bool
	for i, s := range path.Strategies {
		sets[i] = map[int]bool{}
		plan := path.Make(v, path.Request{Brief: true, Strategy: s, Limit: l.dose, Context: path.ContextOf(l.tutor.deltas)})
		for _, a := range plan.Actions {
			sets[i][a.Concept] = true
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
