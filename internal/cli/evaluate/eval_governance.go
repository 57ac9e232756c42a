package evaluate

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"stoa/internal/cli"
	"stoa/internal/governance/quality"
)

type evalGovernanceCmd struct {
	Runs  int    `help:"Series of each kind and length." default:"2000"`
	Short int    `help:"Quiet snapshots of the short series." default:"100"`
	Long  int    `help:"Quiet snapshots of the long series." default:"1000"`
	Seed  uint64 `help:"Seed of the series." default:"1"`
}

type governanceReport struct {
	Series []quality.Figures `json:"series"`
	Goals  struct {
		FalseAlarms float64 `json:"falseAlarmsPer1000"`          // over all series, each snapshot looked at
		WorstKind   float64 `json:"worstFalseAlarmsPer1000"`     // of one kind and length
		Median      float64 `json:"worstMedianSnapshotsToSee"`   // a fall of one standard deviation
		Mean        float64 `json:"averageMeanSnapshotsToSee"`   //
		Within      float64 `json:"averageFallsSeenWithin10Pct"` //
	} `json:"goals"`
	Seconds float64 `json:"seconds"`
}

// Run counts how often the chart of quality cries wolf and how soon it sees a fall.
func (c *evalGovernanceCmd) Run(o cli.Output) error {
	start := time.Now()
	var r governanceReport
	alarms, quiet := 0, 0
	for kind := range quality.Kinds {
		for i, length := range []int{c.Short, c.Long} {
			runs := c.Runs
			if i > 0 {
				runs = max(1, c.Runs*c.Short/c.Long) // as many snapshots of each
			}
			f := quality.Simulate(kind, runs, length, c.Seed+uint64(i))
			r.Series = append(r.Series, f)
			alarms, quiet = alarms+f.FalseAlarms, quiet+f.Quiet
			r.Goals.WorstKind, r.Goals.Median = max(r.Goals.WorstKind, f.PerThousand), max(r.Goals.Median, f.MedianDelay)
			n := float64(2 * len(quality.Kinds))
			r.Goals.Mean += f.MeanDelay / n
			r.Goals.Within += f.SeenWithin10 / n
		}
	}
	r.Goals.FalseAlarms = quality.Round(1000*float64(alarms)/float64(max(1, quiet)), 4)
	r.Goals.Mean, r.Goals.Within = quality.Round(r.Goals.Mean, 4), quality.Round(r.Goals.Within, 4)
	r.Seconds = time.Since(start).Seconds()
	return o.Print(r, r.show)
}

func (r governanceReport) show(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "series\tquiet snapshots\tfalse alarms per 1,000\tfalls\tmedian to see\tmean to see\twithin 10")
	for _, f := range r.Series {
		fmt.Fprintf(t, "%s\t%d × %d\t%.3f\t%d\t%.0f\t%.1f\t%.0f %%\n", f.Series, f.Runs, f.Quiet/max(1, f.Runs), f.PerThousand, f.Changes, f.MedianDelay, f.MeanDelay, f.SeenWithin10)
	}
	t.Flush()
	g := r.Goals
	fmt.Fprintf(w, "%.3f false alarms per 1,000 quiet snapshots, worst kind %.3f (goal 1); a fall of one standard deviation is seen after %.0f in the worst median (goal 10), %.1f on average\n",
		g.FalseAlarms, g.WorstKind, g.Median, g.Mean)
}
