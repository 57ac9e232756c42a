package simulate

import (
	"math"

	"stoa/internal/learning/path"
)

// Interval is a mean with its 95 % interval over students.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// PolicyFigures are what a policy came to in a world. Shares are in 0..1 and over all concepts.
type PolicyFigures struct {
	Policy   string   `json:"policy"`
	Baseline bool     `json:"baseline"`
	Retained Interval `json:"retained"` // recalled at the horizon
	Learned  float64  `json:"learned"`  // ever learned, at the end
	Success  float64  `json:"success"`  // right answers
	Sessions float64  `json:"sessions"`
	// RatioToBest is the retention over that of the world's best baseline, on the same students.
	RatioToBest Interval `json:"ratio_to_best_baseline"`
}

// Overlap is how much the plans of two strategies for the same session share, as Jaccard of concepts, mean over sessions.
type Overlap struct {
	First   path.Strategy `json:"first"`
	Second  path.Strategy `json:"second"`
	Jaccard float64       `json:"jaccard"`
}

// WorldFigures are what all policies came to in a world.
type WorldFigures struct {
	World        string          `json:"world"`
	Policies     []PolicyFigures `json:"policies"`
	BestBaseline string          `json:"best_baseline"`
	BestStrategy path.Strategy   `json:"best_strategy"`
	BestRatio    float64         `json:"best_strategy_ratio"`
	Overlap      []Overlap       `json:"overlap"`
	// Gating is how much the tutor of `balanced` came to believe in prerequisites, 0..1.
	Gating float64 `json:"believed_gating"`
}

// Report is the outcome of a run.
type Report struct {
	Students int            `json:"students"`
	Days     int            `json:"days"`
	Actions  int            `json:"actions"`
	Replan   int            `json:"replan"`
	Horizon  int            `json:"horizon_days"`
	Seed     uint64         `json:"seed"`
	Worlds   []WorldFigures `json:"worlds"`
	Goals    Goals          `json:"goals"`
}

// Goals says how the run stands against what was asked of the strategies.
type Goals struct {
	WorstBestRatio     float64 `json:"worst_world_best_strategy_ratio"` // ≥ 0.97
	BalancedWorstRatio float64 `json:"balanced_worst_world_ratio"`      // balanced over the best baseline of the world
	BalancedMeanRatio  float64 `json:"balanced_mean_ratio"`             // mean of balanced over the mean of the best single baseline
	BestSingleBaseline string  `json:"best_single_baseline"`            // by its mean over worlds
	LargestOverlap     float64 `json:"largest_overlap"`                 // ≤ 0.6
	Met                bool    `json:"met"`
}

func (o Options) report(results []studied) Report {
	rep := Report{Students: o.Students, Days: o.Days, Actions: o.Actions, Replan: o.Replan, Horizon: o.Horizon, Seed: o.Seed}
	names := Policies()
	strategies := len(path.Strategies)
	means := make([]float64, len(names))
	g := &rep.Goals
	g.WorstBestRatio, g.BalancedWorstRatio = math.Inf(1), math.Inf(1)
	for wi, w := range o.Worlds {
		rows := results[wi*o.Students : (wi+1)*o.Students]
		f := WorldFigures{World: w.Name}
		column := func(p int, of func(lived) float64) []float64 {
			out := make([]float64, len(rows))
			for i := range rows {
				out[i] = of(rows[i].by[p])
			}
			return out
		}
		retained := func(l lived) float64 { return l.retained }
		best := strategies
		for p := range names {
			m := mean(column(p, retained))
			means[p] += m / float64(len(o.Worlds))
			if p >= strategies && m > mean(column(best, retained)) {
				best = p
			}
		}
		f.BestBaseline = names[best]
		for p, name := range names {
			x := column(p, retained)
			f.Policies = append(f.Policies, PolicyFigures{
				Policy: name, Baseline: p >= strategies, Retained: interval(x),
				Learned:     mean(column(p, func(l lived) float64 { return l.learned })),
				Success:     mean(column(p, func(l lived) float64 { return l.success })),
				Sessions:    mean(column(p, func(l lived) float64 { return l.sessions })),
				RatioToBest: ratio(x, column(best, retained)),
			})
			if r := f.Policies[p].RatioToBest.Mean; p < strategies && r > f.BestRatio {
				f.BestRatio, f.BestStrategy = r, path.Strategy(name)
			}
		}
		f.Gating = mean(column(0, func(l lived) float64 { return l.gating }))
		for k, pair := range pairs {
			sum := 0.0
			for i := range rows {
				sum += rows[i].jaccard[k]
			}
			j := sum / float64(len(rows))
			f.Overlap = append(f.Overlap, Overlap{path.Strategies[pair[0]], path.Strategies[pair[1]], j})
			g.LargestOverlap = max(g.LargestOverlap, j)
		}
		g.WorstBestRatio = min(g.WorstBestRatio, f.BestRatio)
		g.BalancedWorstRatio = min(g.BalancedWorstRatio, f.Policies[0].RatioToBest.Mean)
		rep.Worlds = append(rep.Worlds, f)
	}
	single := strategies
	for p := strategies; p < len(names); p++ {
		if means[p] > means[single] {
			single = p
		}
	}
	g.BestSingleBaseline, g.BalancedMeanRatio = names[single], means[0]/means[single]
	g.Met = g.WorstBestRatio >= 0.97 && g.BalancedWorstRatio >= 0.85 && g.BalancedMeanRatio >= 0.85 && g.LargestOverlap <= 0.6
	return rep
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(1, len(x)))
}

func interval(x []float64) Interval {
	m := mean(x)
	sum := 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	n := float64(len(x))
	half := 0.0
	if n > 1 {
		half = 1.96 * math.Sqrt(sum/(n-1)/n)
	}
	return Interval{m, m - half, m + half}
}

// ratio is mean(x)/mean(y) for the same students, with the delta method's interval.
func ratio(x, y []float64) Interval {
	my := mean(y)
	if my == 0 {
		return Interval{}
	}
	r := mean(x) / my
	rest := make([]float64, len(x))
	for i := range x {
		rest[i] = (x[i] - r*y[i]) / my
	}
	half := interval(rest).High
	return Interval{r, r - half, r + half}
}
