package evaluate

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"stoa/internal/cli"
	"stoa/internal/learning/simulate"
)

type evalStrategiesCmd struct {
	Students int      `help:"Students per world and dose. Eight take about two minutes of one core." default:"8"`
	Days     int      `help:"Days of study, one session each." default:"60"`
	Doses    []int    `help:"Actions per session." default:"5,12,25"`
	Worlds   []string `help:"Worlds, by name; all when none is named."`
	Replan   int      `help:"Actions between two looks at the answers; 0 is a whole session."`
	Horizon  int      `help:"Days after the end at which retention is measured." default:"30"`
	Concepts int      `help:"Concepts of the graphs that are drawn." default:"400"`
	Seed     uint64   `help:"Seed of graphs and students." default:"1"`
	Workers  int      `help:"Students simulated at a time; 0 is one for each core."`
	Graph    string   `help:"CSV file with a header and rows of concept, prerequisite, instead of graphs drawn from the seed." type:"existingfile"`
}

type strategiesReport struct {
	simulate.Report
	Graph   string  `json:"graph"`
	Seconds float64 `json:"seconds"`
}

// Run simulates students of every world under the three strategies and the fixed baselines.
func (c *evalStrategiesCmd) Run(o cli.Output) error {
	options := simulate.Options{
		Students: c.Students, Days: c.Days, Doses: c.Doses, Replan: c.Replan, Horizon: c.Horizon, Concepts: c.Concepts,
		Seed: c.Seed, Workers: c.Workers,
	}
	for _, name := range c.Worlds {
		i := slices.IndexFunc(simulate.Worlds, func(w simulate.World) bool { return w.Name == name })
		if i < 0 {
			return fmt.Errorf("there is no world %q; there are %s", name, worldNames())
		}
		options.Worlds = append(options.Worlds, simulate.Worlds[i])
	}
	r := strategiesReport{Graph: "drawn from the seed, one per student"}
	if c.Graph != "" {
		f, err := os.Open(c.Graph)
		if err != nil {
			return err
		}
		defer f.Close()
		g, err := simulate.ReadGraph(f, rand.New(rand.NewPCG(c.Seed, 5)))
		if err != nil {
			return fmt.Errorf("%s: %w", c.Graph, err)
		}
		options.Graph, r.Graph = &g, c.Graph
	}
	start := time.Now()
	r.Report = simulate.Run(options)
	r.Seconds = time.Since(start).Seconds()
	return o.Print(r, r.show)
}

func worldNames() string {
	var names []string
	for _, w := range simulate.Worlds {
		names = append(names, w.Name)
	}
	return strings.Join(names, ", ")
}

func (r strategiesReport) show(w io.Writer) {
	fmt.Fprintf(w, "%d students per world and dose, %d days, retained %d days after the end; %.0f s\n", r.Students, r.Days, r.Horizon, r.Seconds)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "world\tactions\tpolicy\tretained\t95 %\tlearned\tsuccess\tsessions\tto best baseline")
	for _, f := range r.Cells {
		for _, p := range f.Policies {
			mark := ""
			if p.Policy == f.BestBaseline {
				mark = " (best baseline)"
			}
			fmt.Fprintf(t, "%s\t%d\t%s%s\t%.3f\t%.3f–%.3f\t%.3f\t%.2f\t%.0f\t%.3f (%.3f–%.3f)\n", f.World, f.Dose, p.Policy, mark, p.Retained.Mean,
				p.Retained.Low, p.Retained.High, p.Learned, p.Success, p.Sessions, p.RatioToBest.Mean, p.RatioToBest.Low, p.RatioToBest.High)
		}
	}
	fmt.Fprintln(t, "\nworld\tactions\tbest baseline\tretained\tbalanced\tratio\t95 %\tplans shared B R\tB X\tR X\tholds")
	for _, f := range r.Cells {
		best := f.Policies[slices.IndexFunc(f.Policies, func(p simulate.PolicyFigures) bool { return p.Policy == f.BestBaseline })]
		b := f.Policies[0]
		fmt.Fprintf(t, "%s\t%d\t%s\t%.3f\t%.3f\t%.3f\t%.3f–%.3f", f.World, f.Dose, f.BestBaseline, best.Retained.Mean, b.Retained.Mean, b.RatioToBest.Mean,
			b.RatioToBest.Low, b.RatioToBest.High)
		for _, j := range f.Overlap {
			fmt.Fprintf(t, "\t%.2f", j.Jaccard)
		}
		fmt.Fprintf(t, "\t%v\n", f.Holds)
	}
	t.Flush()
	g := r.Goals
	fmt.Fprintf(w, "balanced is not surely worse than the best baseline in %d of %d cells (goal all), its mean is at least as large in %d; worst ratio %.3f, mean ratio %.3f (goal 1.10); "+
		"against %s, the best single baseline, %.3f; largest overlap of plans %.3f\n", g.Holds, g.Cells, g.Wins, g.Worst, g.MeanRatio, g.Single, g.SingleRatio, g.LargestOverlap)
}
