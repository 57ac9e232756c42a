package simulate

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"stoa/internal/learning/path"
	"stoa/internal/learning/strategy"
)

// SelectionOptions of a run. Zero values are the defaults in parentheses.
type SelectionOptions struct {
	Runs    int // per row (1000)
	Looks   int // sessions, each followed by a look (400)
	Seed    uint64
	Workers int // (2)
}

// SelectionRow says how one rule did at one effect under one design.
type SelectionRow struct {
	Rule   string  `json:"rule"`
	Design string  `json:"design"`
	Effect float64 `json:"effect_d"`
	// Switched is the share of runs in which the rule chose a strategy other than balanced at any look. At no effect it
	// is the share of false switches.
	Switched float64 `json:"switched"`
	Error    float64 `json:"switched_standard_error"`
	// Wrong is the share of runs whose first switch was to a strategy without the effect.
	Wrong float64 `json:"wrong"`
	// MedianSessions is that of the sessions up to the first switch, over the runs that switched; 0 is never.
	MedianSessions float64 `json:"median_sessions"`
}

// SelectionReport is the outcome of a run.
type SelectionReport struct {
	Runs  int            `json:"runs"`
	Looks int            `json:"looks"`
	Seed  uint64         `json:"seed"`
	Alpha float64        `json:"alpha"`
	Rows  []SelectionRow `json:"rows"`
}

// design is how sessions are exposed.
type design struct {
	name   string
	draw   func(run, session uint64, e *strategy.Evidence) (d strategy.Draw, inBlock int)
	noise  func(r *rand.Rand) func() float64
	blocks bool // sessions are compared by block; else each by itself
}

// effects are the differences, in standard deviations of an outcome, at which rules are measured.
var effects = []float64{0, 0.25, 0.5, 0.8, 1.2}

// rule looks at the evidence and says whether it would switch, and to what.
type rule struct {
	name   string
	choose func(e *strategy.Evidence, now time.Time) path.Strategy
}

// RunSelection measures the rule that the product uses, and peeking at means for comparison.
func RunSelection(o SelectionOptions) SelectionReport {
	if o.Runs <= 0 {
		o.Runs = 1000
	}
	if o.Looks <= 0 {
		o.Looks = 400
	}
	if o.Workers <= 0 {
		o.Workers = 2
	}
	rep := SelectionReport{Runs: o.Runs, Looks: o.Looks, Seed: o.Seed, Alpha: strategy.Alpha}
	for _, d := range designs {
		for _, effect := range effects {
			rep.Rows = append(rep.Rows, o.measure(d, effect)...)
		}
	}
	return rep
}

var rules = []rule{
	{"stoa", func(e *strategy.Evidence, now time.Time) path.Strategy {
		s := strategy.Select(strategy.Inputs{Auto: true, MinConfidence: 0.8, Everyone: e, Now: now})
		if s.Source == strategy.Trend {
			return s.Strategy
		}
		return ""
	}},
	{"welch_p05_each_session", func(e *strategy.Evidence, _ time.Time) path.Strategy {
		for i, s := range path.Strategies[1:] {
			x, y := e.Arms[i+1].Outcome, e.Arms[0].Outcome
			if x.N >= 5 && y.N >= 5 && x.Mean()-y.Mean() > 1.96*math.Sqrt(x.Variance()/float64(x.N)+y.Variance()/float64(y.N)) {
				return s
			}
		}
		return ""
	}},
}

var designs = []design{
	{"blocks_of_5", blocks, independent, true},
	{"blocks_of_5_slumps", blocks, slumps, true},
	{"each_session_two_arms", pair, independent, false},
}

// blocks is the product's own exposure.
func blocks(run, session uint64, e *strategy.Evidence) (strategy.Draw, int) {
	return strategy.Assign("p", session/strategy.BlockLength, run, e, ""), int(session % strategy.BlockLength)
}

// pair is the research notes' setting: balanced and one other, drawn again for each session, nothing dropped.
func pair(run, session uint64, _ *strategy.Evidence) (strategy.Draw, int) {
	d := strategy.Draw{Strategy: path.Balanced, Propensity: 0.5}
	if uniform(run, session) < 0.5 {
		d.Strategy = path.Exploration
	}
	return d, 1
}

func independent(r *rand.Rand) func() float64 { return r.NormFloat64 }

// slumps are outcomes that hang together from session to session, correlation 0.3.
func slumps(r *rand.Rand) func() float64 {
	last := r.NormFloat64()
	return func() float64 {
		last = 0.3*last + math.Sqrt(1-0.09)*r.NormFloat64()
		return last
	}
}

// measure runs all rules on the same sessions. The effect is exploration's; recovery has none.
func (o SelectionOptions) measure(d design, effect float64) []SelectionRow {
	firsts := make([][]int, len(rules))
	wrong := make([]int, len(rules))
	for i := range firsts {
		firsts[i] = make([]int, o.Runs)
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	for w := range o.Workers {
		wait.Go(func() {
			for run := w; run < o.Runs; run += o.Workers {
				at, to := o.run(d, effect, uint64(run))
				mu.Lock()
				for i := range rules {
					firsts[i][run] = at[i]
					if at[i] > 0 && (effect == 0 || to[i] != path.Exploration) {
						wrong[i]++
					}
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	var out []SelectionRow
	for i, r := range rules {
		var when []float64
		for _, at := range firsts[i] {
			if at > 0 {
				when = append(when, float64(at))
			}
		}
		slices.Sort(when)
		p := float64(len(when)) / float64(o.Runs)
		row := SelectionRow{Rule: r.name, Design: d.name, Effect: effect, Switched: p, Wrong: float64(wrong[i]) / float64(o.Runs), Error: math.Sqrt(p * (1 - p) / float64(o.Runs))}
		if len(when) > 0 {
			row.MedianSessions = when[len(when)/2]
		}
		out = append(out, row)
	}
	return out
}

// run lives one person's sessions; it answers, by rule, the session of the first switch (from 1) and its strategy.
func (o SelectionOptions) run(d design, effect float64, run uint64) (at []int, to []path.Strategy) {
	seed := mix(o.Seed) ^ mix(run+1)
	r := rand.New(rand.NewPCG(seed, math.Float64bits(effect)))
	noise := d.noise(r)
	at, to = make([]int, len(rules)), make([]path.Strategy, len(rules))
	var e strategy.Evidence
	var running strategy.Running
	for s := range uint64(o.Looks) {
		now := on(float64(s))
		draw, place := d.draw(seed, s, &e)
		y := noise()
		if draw.Strategy == path.Exploration {
			y += effect
		}
		record := strategy.Record{Strategy: draw.Strategy, At: now, Outcome: y, Propensity: draw.Propensity, InBlock: place, Actions: 25}
		if !d.blocks {
			block := strategy.Block{Strategy: draw.Strategy, Propensity: draw.Propensity, At: now}
			block.Outcome.Add(y)
			e.Add(block)
		} else if block, done := running.Add(record); done {
			e.Add(block)
		}
		left := false
		for i := range rules {
			if at[i] == 0 {
				if to[i] = rules[i].choose(&e, now); to[i] != "" {
					at[i] = int(s) + 1
				}
			}
			left = left || at[i] == 0
		}
		if !left {
			break
		}
	}
	return at, to
}
