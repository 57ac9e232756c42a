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
	// RatioToBest is the retention over that of the best baseline there, on the same students.
	RatioToBest Interval `json:"ratio_to_best_baseline"`
}

// Overlap is how much the plans of two strategies for the same session share, as Jaccard of concepts, mean over sessions.
type Overlap struct {
	First   path.Strategy `json:"first"`
	Second  path.Strategy `json:"second"`
	Jaccard float64       `json:"jaccard"`
}

// CellFigures are what all policies came to in a world with a dose.
type CellFigures struct {
	World        string          `json:"world"`
	Dose         int             `json:"actions_per_session"`
	Policies     []PolicyFigures `json:"policies"`
	BestBaseline string          `json:"best_baseline"`
	BestStrategy path.Strategy   `json:"best_strategy"`
	// Holds says that balanced is not surely worse than the best baseline: the interval of its ratio reaches 1.
	Holds   bool      `json:"balanced_holds"`
	Overlap []Overlap `json:"overlap"`
	// Gating is how much the tutor of `balanced` came to believe in prerequisites, 0..1.
	Gating float64 `json:"believed_gating"`
}

// Report is the outcome of a run.
type Report struct {
	Students int           `json:"students"`
	Days     int           `json:"days"`
	Replan   int           `json:"replan"`
	Horizon  int           `json:"horizon_days"`
	Concepts int           `json:"concepts"`
	Seed     uint64        `json:"seed"`
	Cells    []CellFigures `json:"cells"`
	Goals    Goals         `json:"goals"`
}

// Goals says how the run stands against what was asked of the default strategy.
type Goals struct {
	Cells int `json:"cells"`
	// Holds counts the cells in which balanced is not surely worse than the best baseline there, Wins those in which its
	// mean is at least as large.
	Holds int `json:"balanced_holds"`
	Wins  int `json:"balanced_wins"`
	// Worst and MeanRatio are over the cells, against the best baseline of each.
	Worst     float64 `json:"balanced_worst_ratio"`
	MeanRatio float64 `json:"balanced_mean_ratio"`
	// SingleRatio is balanced over the one baseline that is best by its mean over the cells, as a mean of ratios.
	Single         string  `json:"best_single_baseline"`
	SingleRatio    float64 `json:"balanced_to_best_single_baseline"`
	LargestOverlap float64 `json:"largest_overlap"`
	Met            bool    `json:"met"`
}

// leastMeanRatio is what balanced should come to over the best baseline of each cell, in the mean.
const leastMeanRatio = 1.10

func (o Options) report(results []studied) Report {
	rep := Report{Students: o.Students, Days: o.Days, Replan: o.Replan, Horizon: o.Horizon, Concepts: o.Concepts, Seed: o.Seed}
	names := o.policies()
	cells := o.cells()
	shares := make([]float64, len(names)) // mean over cells of the ratio of balanced to each
	g := Goals{Cells: len(cells), Worst: math.Inf(1)}
	for i, at := range cells {
		f := cellFigures(names, results[i*o.Students:(i+1)*o.Students])
		f.World, f.Dose = at.world.Name, at.dose
		balanced := f.Policies[0]
		for p := range names {
			shares[p] += f.Policies[p].Retained.Mean / max(1e-9, balanced.Retained.Mean) / float64(len(cells))
		}
		if f.Holds {
			g.Holds++
		}
		if balanced.RatioToBest.Mean >= 1 {
			g.Wins++
		}
		for _, j := range f.Overlap {
			g.LargestOverlap = max(g.LargestOverlap, j.Jaccard)
		}
		g.Worst = min(g.Worst, balanced.RatioToBest.Mean)
		g.MeanRatio += balanced.RatioToBest.Mean / float64(len(cells))
		rep.Cells = append(rep.Cells, f)
	}
	single := len(path.Strategies)
	for p := single; p < len(names); p++ {
		if shares[p] > shares[single] {
			single = p
		}
	}
	g.Single, g.SingleRatio = names[single], 1/shares[single]
	g.Met = g.Holds == g.Cells && g.MeanRatio >= leastMeanRatio
	rep.Goals = g
	return rep
}

func cellFigures(names []string, rows []studied) (f CellFigures) {
	strategies := len(path.Strategies)
	column := func(p int, of func(lived) float64) []float64 {
		out := make([]float64, len(rows))
		for i := range rows {
			out[i] = of(rows[i].by[p])
		}
		return out
	}
	retained := func(l lived) float64 { return l.retained }
	best := strategies
	for p := strategies + 1; p < len(names); p++ {
		if mean(column(p, retained)) > mean(column(best, retained)) {
			best = p
		}
	}
	f.BestBaseline = names[best]
	most := 0.0
	for p, name := range names {
		x := column(p, retained)
		f.Policies = append(f.Policies, PolicyFigures{
			Policy: name, Baseline: p >= strategies, Retained: interval(x),
			Learned:     mean(column(p, func(l lived) float64 { return l.learned })),
			Success:     mean(column(p, func(l lived) float64 { return l.success })),
			Sessions:    mean(column(p, func(l lived) float64 { return l.sessions })),
			RatioToBest: ratio(x, column(best, retained)),
		})
		if r := f.Policies[p].RatioToBest.Mean; p < strategies && r > most {
			most, f.BestStrategy = r, path.Strategy(name)
		}
	}
	f.Holds = f.Policies[0].RatioToBest.High >= 1
	f.Gating = mean(column(0, func(l lived) float64 { return l.gating }))
	for k, pair := range pairs {
		sum := 0.0
		for i := range rows {
			sum += rows[i].jaccard[k]
		}
		f.Overlap = append(f.Overlap, Overlap{path.Strategies[pair[0]], path.Strategies[pair[1]], sum / float64(len(rows))})
	}
	return f
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
	half := interval(rest).High - mean(rest)
	return Interval{r, r - half, r + half}
}
