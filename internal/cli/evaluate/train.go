package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"stoa/internal/cli"
	"stoa/internal/market/scan/train"
)

// TrainCmd is `stoa train`.
type TrainCmd struct {
	Scan trainScanCmd `cmd:"" help:"Make the weights of the scanner's model from labelled texts."`
}

type trainScanCmd struct {
	Files     []string `arg:"" help:"JSON lines {text, label, lang, source, kind}; texts of one source are held out together." type:"existingfile"`
	Output    string   `short:"o" required:"" help:"File to write the weights to." type:"path"`
	Helpers   []string `help:"Sources that are trained on and never held out."`
	Generated int      `default:"12" help:"Texts to make from each line of the built-in phrases."`
	Dump      string   `help:"File to write the held-out scores to, one JSON line each." type:"path"`
}

// Run trains and tells how well the model does on sources that it had not seen.
func (c *trainScanCmd) Run(ctx context.Context, o cli.Output) error {
	var texts []train.Text
	for _, name := range c.Files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = train.ReadTexts(f, func(t train.Text) { texts = append(texts, t) })
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	helpers := map[string]bool{}
	for _, h := range c.Helpers {
		helpers[h] = true
	}
	for _, t := range train.Generate(c.Generated, 1) {
		helpers[t.Source] = true
		texts = append(texts, t)
	}
	weights, scored, err := train.Run(ctx, texts, train.Options{Fit: train.Usual, Helpers: helpers, Progress: func(s string) {
		if !o.JSON {
			fmt.Fprintln(o.Err, s)
		}
	}})
	if err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	if c.Dump != "" {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		for _, s := range scored {
			if err := e.Encode(s); err != nil {
				return err
			}
		}
		if err := os.WriteFile(c.Dump, b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := weights.Write(&b); err != nil {
		return err
	}
	if err := os.WriteFile(c.Output, b.Bytes(), 0o644); err != nil {
		return err
	}
	report := train.Report(weights, scored)
	return o.Print(report, func(w io.Writer) { report.Show(w) })
}
