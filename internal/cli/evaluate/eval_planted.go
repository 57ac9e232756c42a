package evaluate

import (
	"fmt"
	"io"
	"text/tabwriter"

	"stoa/internal/cli"
	"stoa/internal/learning/simulate"
)

// plantedFlags are those of the simulation in which bad questions are planted.
type plantedFlags struct {
	Planted  bool   `help:"Simulate learners some of whose questions are planted, and say which are proposed for retirement; no notes are read."`
	Students int    `help:"Simulated learners of each course." default:"100"`
	Sharing  int    `help:"Of each so many students the answers to the same questions are put together, which the product does not do." default:"1"`
	Answers  int    `help:"Answers of each question until which it may be proposed." default:"30"`
	Seed     uint64 `help:"Seed of the simulated learners." default:"1"`
}

// badly is the share of simulated concepts with a planted question.
const badly = 0.25

type plantedReport struct {
	Answers int                     `json:"answers"`
	Sharing int                     `json:"students_per_question"`
	Seed    uint64                  `json:"seed"`
	Courses []simulate.CourseReport `json:"courses"`
}

func (c *plantedFlags) simulate(o cli.Output) error {
	r := plantedReport{c.Answers, c.Sharing, c.Seed, simulate.Doubtful(simulate.Courses, c.Students, c.Sharing, c.Answers, badly, c.Seed)}
	return o.Print(r, func(w io.Writer) {
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "course\tquestions\tn\tproposed\tshare\t95 % interval\tfor that reason\tafter 10 answers\tmedian answers\tanswered so often\tat best")
		for _, course := range r.Courses {
			for _, d := range course.Kinds {
				best := "-"
				if d.Kind == simulate.AlwaysRight {
					best = fmt.Sprintf("%.3f", course.Bound)
				}
				fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.3f\t%.3f to %.3f\t%d\t%.3f\t%.0f\t%d\t%s\n", course.Course, d.Kind, d.Questions, d.Proposed, d.Share, d.Interval[0], d.Interval[1], d.Reason, d.Early, d.Median, d.Answered, best)
			}
		}
		t.Flush()
	})
}
