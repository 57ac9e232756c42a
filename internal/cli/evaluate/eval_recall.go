package evaluate

import (
	"fmt"
	"io"
	"text/tabwriter"

	"stoa/internal/cli"
	"stoa/internal/learning/mastery/measure"
)

type evalRecallCmd struct {
	File string `arg:"" help:"Reviews: a header line, then card_id, review_rating (1 to 4), review_time and perhaps user_id in any order." type:"existingfile"`
	Deal int    `help:"Give each person's cards to this many people in turn, so that a long log stands for many short ones." default:"1"`
}

// Run lets the model of memory and the ones it is compared with predict the reviews of another day, each before it is seen.
func (c *evalRecallCmd) Run(o cli.Output) error {
	reviews, bad, err := readLog(c.File, measure.ReadReviews)
	if err != nil {
		return err
	}
	if c.Deal > 1 {
		measure.Deal(reviews, c.Deal)
	}
	r := measure.Recall(reviews, bad)
	if r.N == 0 {
		return fmt.Errorf("%s: nothing to test: nobody has six reviews that come half a day or more after the card's last", c.File)
	}
	return o.Print(r, func(w io.Writer) {
		fmt.Fprintf(w, "%d reviews of %d cards by %d people, %d over a night, %d of them tested; %d bad lines; %.1f µs per update\n",
			r.Reviews, r.Cards, r.People, r.CrossDay, r.N, r.BadLines, r.Micros)
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "model\tlog loss\tAUC\tRMSE(bins)\tECE")
		for _, m := range r.Models {
			fmt.Fprintf(t, "%s\t%.4f\t%.4f\t%.4f\t%.4f\n", m.Model, m.LogLoss, m.AUC, m.RMSEBins, m.ECE)
		}
		fmt.Fprintln(t, "review of the person\ttested\tstoa\tFSRS-6 default\tdifference\tup to here")
		for _, l := range r.Lengths {
			fmt.Fprintf(t, "%d–%d\t%d\t%.4f\t%.4f\t%+.4f\t%+.4f\n", l.From, l.To, l.N, l.Ours, l.Default, l.Ours-l.Default, l.Up)
		}
		t.Flush()
	})
}
