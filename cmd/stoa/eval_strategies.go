package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"text/tabwriter"
	"time"

	"stoa/internal/learning/simulate"
)

type evalStrategiesCmd struct {
	Students int    `help:"Students per world." default:"40"`
	Days     int    `help:"Days of study, one session each." default:"60"`
	Actions  int    `help:"Actions per session." default:"25"`
	Replan   int    `help:"Actions between two looks at the answers." default:"5"`
	Horizon  int    `help:"Days after the end at which retention is measured." default:"30"`
	Concepts int    `help:"Concepts of the graphs that are drawn." default:"400"`
	Seed     uint64 `help:"Seed of graphs and students." default:"1"`
	Workers  int    `help:"Students simulated at a time." default:"2"`
	Graph    string `help:"CSV file with a header and rows of concept, prerequisite, instead of graphs drawn from the seed." type:"existingfile"`
}

type strategiesReport struct {
	simulate.Report
	Graph   string  `json:"graph"`
	Seconds float64 `json:"seconds"`
}

// Run simulates students of every world under the three strategies and the fixed baselines.
func (c *evalStrategiesCmd) Run(o output) error {
	options := simulate.Options{
		Students: c.Students, Days: c.Days, Actions: c.Actions, Replan: c.Replan, Horizon: c.Horizon, Concepts: c.Concepts,
		Seed: c.Seed, Workers: c.Workers,
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
	return o.print(r, r.show)
}

func (r strategiesReport) show(w io.Writer) {
	fmt.Fprintf(w, "%d students per world, %d days of %d actions, retained %d days after the end; %.0f s\n", r.Students, r.Days, r.Actions, r.Horizon, r.Seconds)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "world\tpolicy\tretained\t95 %\tlearned\tsuccess\tsessions\tto best baseline")
	for _, f := range r.Worlds {
		for _, p := range f.Policies {
			mark := ""
			if p.Policy == f.BestBaseline {
				mark = " (best baseline)"
			}
			fmt.Fprintf(t, "%s\t%s%s\t%.3f\t%.3f–%.3f\t%.3f\t%.2f\t%.0f\t%.3f (%.3f–%.3f)\n", f.World, p.Policy, mark, p.Retained.Mean,
				p.Retained.Low, p.Retained.High, p.Learned, p.Success, p.Sessions, p.RatioToBest.Mean, p.RatioToBest.Low, p.RatioToBest.High)
		}
		for _, j := range f.Overlap {
			fmt.Fprintf(t, "%s\t%s and %s share\t%.3f\n", f.World, j.First, j.Second, j.Jaccard)
		}
	}
	t.Flush()
	g := r.Goals
	fmt.Fprintf(w, "best strategy in the worst world %.3f of the best baseline (goal 0.97); balanced %.3f in its worst world, %.3f of %s over worlds (goal 0.85); largest overlap %.3f (goal 0.6)\n",
		g.WorstBestRatio, g.BalancedWorstRatio, g.BalancedMeanRatio, g.BestSingleBaseline, g.LargestOverlap)
}
