package evaluate

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"stoa/internal/cli"
	"stoa/internal/learning/simulate"
)

type evalSelectionCmd struct {
	Runs    int    `help:"Simulated persons per row." default:"1000"`
	Looks   int    `help:"Sessions, each followed by a look." default:"400"`
	Seed    uint64 `help:"Seed of the draws." default:"1"`
	Workers int    `help:"Runs at a time." default:"2"`
}

type selectionReport struct {
	simulate.SelectionReport
	Seconds float64 `json:"seconds"`
}

// Run counts how often strategies are switched without a difference, and how soon with one.
func (c *evalSelectionCmd) Run(o cli.Output) error {
	start := time.Now()
	r := selectionReport{SelectionReport: simulate.RunSelection(simulate.SelectionOptions{Runs: c.Runs, Looks: c.Looks, Seed: c.Seed, Workers: c.Workers})}
	r.Seconds = time.Since(start).Seconds()
	return o.Print(r, r.show)
}

func (r selectionReport) show(w io.Writer) {
	fmt.Fprintf(w, "%d runs of %d sessions, alpha %.3g; %.0f s\n", r.Runs, r.Looks, r.Alpha, r.Seconds)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "design\trule\td\tswitched\t±\twrongly\tmedian sessions")
	for _, x := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%.2f\t%.4f\t%.4f\t%.4f\t%.0f\n", x.Design, x.Rule, x.Effect, x.Switched, x.Error, x.Wrong, x.MedianSessions)
	}
	t.Flush()
}
