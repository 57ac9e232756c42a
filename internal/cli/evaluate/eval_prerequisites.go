package evaluate

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"

	"stoa/internal/cli"
	"stoa/internal/learning/graph"
)

type evalPrerequisitesCmd struct {
	Folder string `arg:"" help:"Folder of Markdown notes." type:"existingdir"`
	Labels string `arg:"" help:"Judgements by hand: lines of a note, another note (paths without folder and extension) and 1 when the first is necessary for the second, else 0, parted by tabs." type:"existingfile"`
	Set    string `help:"Only lines whose fourth column is this."`
}

type prerequisitesReport struct {
	graph.NeedFigures
	Precision float64
	Recall    float64
	Notes     int
}

// Run infers the prerequisites of a folder of notes and compares them with judgements by hand.
func (c *evalPrerequisitesCmd) Run(o cli.Output) error {
	docs, err := readNotes(c.Folder)
	if err != nil {
		return err
	}
	labels, err := c.labels()
	if err != nil {
		return err
	}
	l := graph.Open("eval", nil, nil)
	l.Ingest(graph.Batch{Documents: docs})
	r := prerequisitesReport{NeedFigures: l.JudgeNeeds(labels), Notes: len(docs)}
	r.Precision, r.Recall = r.NeedFigures.Precision(), r.NeedFigures.Recall()
	return o.Print(r, r.show)
}

func (c *evalPrerequisitesCmd) labels() ([]graph.NeedLabel, error) {
	f, err := os.Open(c.Labels)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []graph.NeedLabel
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") || lines.Text() == "" {
			continue
		}
		row := strings.Split(lines.Text(), "\t")
		if len(row) < 3 || row[2] != "0" && row[2] != "1" {
			return nil, fmt.Errorf("%s, line %d: two notes and 0 or 1 are needed", c.Labels, n)
		}
		if c.Set == "" || len(row) > 3 && row[3] == c.Set {
			list = append(list, graph.NeedLabel{Before: row[0], After: row[1], Needed: row[2] == "1"})
		}
	}
	return list, lines.Err()
}

func (r prerequisitesReport) show(w io.Writer) {
	fmt.Fprintf(w, "%d notes, %d inferred prerequisites, %d of them against the author's numbers\n", r.Notes, r.Inferred, r.AgainstNumbers)
	fmt.Fprintf(w, "%d labelled pairs, %d necessary: %d stated, %d right (precision %.3f, recall %.3f), %d only related, %d reversed\n",
		r.Labels, r.Needed, r.Stated, r.Right, r.Precision, r.Recall, r.Related, r.Reversed)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "confidence\tstated\tmean\tright")
	for _, b := range r.Bins {
		fmt.Fprintf(t, "%.2f–%.2f\t%d\t%.3f\t%.3f\n", b.From, b.To, b.Stated, b.Mean, b.Right)
	}
	t.Flush()
}

// readNotes reads the Markdown files of a folder.
func readNotes(dir string) ([]graph.Document, error) {
	var list []graph.Document
	err := cli.WalkVault(dir, cli.IsMarkdown, func(path, relative string, _ fs.FileInfo) error {
		text, err := os.ReadFile(path)
		list = append(list, graph.Document{Path: relative, Content: string(text)})
		return err
	})
	return list, err
}
