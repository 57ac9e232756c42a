package evaluate

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"stoa/internal/cli"
	"stoa/internal/learning/mastery/measure"
)

type evalMasteryCmd struct {
	File  string `arg:"" help:"Answers: a header line, then user_id, item_id, timestamp, correct, skill_id in any order, tab or comma between them." type:"existingfile"`
	Train string `help:"The train part of a published split; FILE is then its test part. Without it (and without --alone) a fifth of the people is held out." type:"existingfile"`
	Alone bool   `help:"Give every person models of their own that start from nothing, as on a server with one learner. With --train a last model begins with how many people of that part answered a skill and an item right at first, as members share it."`
}

// Run lets the model of knowledge and the ones it is compared with predict the answers of people they have never seen.
func (c *evalMasteryCmd) Run(o cli.Output) error {
	test, bad, err := readLog(c.File, measure.ReadAnswers)
	if err != nil {
		return err
	}
	var train []measure.Answer
	if c.Train != "" {
		var more int
		if train, more, err = readLog(c.Train, measure.ReadAnswers); err != nil {
			return err
		}
		bad += more
	}
	if c.Alone {
		return o.Print(c.report(measure.Alone(train, test, bad)))
	}
	return o.Print(c.report(measure.Mastery(train, test, bad)))
}

func (c *evalMasteryCmd) report(r measure.MasteryReport) (any, func(io.Writer)) {
	return r, func(w io.Writer) {
		fmt.Fprintf(w, "%d answers of %d people after %d of %d others; %d items, %d skills, %d bad lines; %.1f µs per update\n",
			r.N, r.TestPeople, r.TrainAnswers, r.TrainPeople, r.Items, r.Skills, r.BadLines, r.Micros)
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "model\tAUC\tlog loss\tECE\tBrier")
		for _, m := range r.Models {
			fmt.Fprintf(t, "%s\t%.4f\t%.4f\t%.4f\t%.4f\n", m.Model, m.AUC, m.LogLoss, m.ECE, m.Brier)
		}
		t.Flush()
	}
}

// readLog reads a file of answers or reviews and counts the lines that make no sense.
func readLog[T any](name string, read func(io.Reader) ([]T, int, error)) ([]T, int, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	rows, bad, err := read(f)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	return rows, bad, nil
}
