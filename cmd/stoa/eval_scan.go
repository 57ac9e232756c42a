package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"stoa/internal/market/scan"
	"stoa/internal/market/scan/evasion"
	"stoa/internal/market/scan/model"
	"stoa/internal/market/scan/train"
)

type evalScanCmd struct {
	Files   []string `arg:"" help:"JSON lines {text, label, lang}; label 1 is an attack." type:"existingfile"`
	Evasion bool     `help:"Write the attacks that are found in 37 other ways and count which are found still."`
	Misses  bool     `help:"List what was judged wrong."`
	Weights string   `help:"Weights to use instead of the built-in ones." type:"existingfile"`

	model *model.Weights
}

// scanFigures say how well the scanner judges one group of texts.
type scanFigures struct {
	Texts             int     `json:"texts"`
	Attacks           int     `json:"attacks"`
	Found             int     `json:"found"`
	Missed            int     `json:"missed"`
	Flagged           int     `json:"wrongly_flagged"`
	Cleared           int     `json:"rightly_cleared"`
	Precision         float64 `json:"precision"`
	Recall            float64 `json:"recall"`
	F1                float64 `json:"f1"`
	FalsePositiveRate float64 `json:"false_positive_rate"`
}

func (f *scanFigures) add(attack, flagged bool) {
	f.Texts++
	switch {
	case attack && flagged:
		f.Attacks++
		f.Found++
	case attack:
		f.Attacks++
		f.Missed++
	case flagged:
		f.Flagged++
	default:
		f.Cleared++
	}
}

func (f *scanFigures) finish() {
	ratio := func(n, of int) float64 {
		if of == 0 {
			return 0
		}
		return float64(n) / float64(of)
	}
	f.Precision = ratio(f.Found, f.Found+f.Flagged)
	f.Recall = ratio(f.Found, f.Attacks)
	f.FalsePositiveRate = ratio(f.Flagged, f.Flagged+f.Cleared)
	f.F1 = ratio(2*f.Found, 2*f.Found+f.Missed+f.Flagged)
}

type modeFigures struct {
	Overall   scanFigures             `json:"overall"`
	Languages map[string]*scanFigures `json:"languages"`
	Kinds     map[string]*scanFigures `json:"kinds,omitempty"`
}

type evasionFigures struct {
	Transform string  `json:"transform"`
	Texts     int     `json:"texts"`
	Kept      float64 `json:"kept"` // share of the plain recall
}

type wrong struct {
	Mode  scan.Mode `json:"mode"`
	Label int       `json:"label"`
	Lang  string    `json:"lang"`
	Text  string    `json:"text"`
	Rules []string  `json:"rules,omitempty"`
}

type scanReport struct {
	Scanner    string                     `json:"scanner_version"`
	Texts      int                        `json:"texts"`
	Bytes      int64                      `json:"bytes"`
	Seconds    float64                    `json:"seconds"`
	Throughput float64                    `json:"throughput_mib_per_second"`
	Modes      map[scan.Mode]*modeFigures `json:"modes"`
	Evasion    []evasionFigures           `json:"evasion,omitempty"`
	Wrong      []wrong                    `json:"wrong,omitempty"`
}

// Run scans every text in both modes and compares the verdict with the label. A text counts as flagged when it is
// taken for an attack: prompt_injection.detected of its summary.
func (c *evalScanCmd) Run(o output) error {
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
	if c.Weights != "" {
		f, err := os.Open(c.Weights)
		if err != nil {
			return err
		}
		c.model, err = model.Read(f)
		f.Close()
		if err != nil {
			return err
		}
	}
	r := scanReport{Scanner: scan.Version(), Texts: len(texts), Modes: map[scan.Mode]*modeFigures{}}
	for _, mode := range []scan.Mode{scan.Balanced, scan.Strict} {
		m := &modeFigures{Languages: map[string]*scanFigures{}, Kinds: map[string]*scanFigures{}}
		r.Modes[mode] = m
		for _, t := range texts {
			start := time.Now()
			s := c.judge(t.Text, mode)
			if mode == scan.Balanced {
				r.Seconds += time.Since(start).Seconds()
				r.Bytes += int64(len(t.Text))
			}
			flagged := s.Injection.Detected
			m.Overall.add(t.Label == 1, flagged)
			group(m.Languages, t.Lang).add(t.Label == 1, flagged)
			if t.Kind != "" {
				group(m.Kinds, t.Kind).add(t.Label == 1, flagged)
			}
			if c.Misses && flagged != (t.Label == 1) {
				r.Wrong = append(r.Wrong, wrong{mode, t.Label, t.Lang, t.Text, s.Injection.Rules})
			}
		}
		m.Overall.finish()
		for _, f := range m.Languages {
			f.finish()
		}
		for _, f := range m.Kinds {
			f.finish()
		}
	}
	if r.Seconds > 0 {
		r.Throughput = float64(r.Bytes) / (1 << 20) / r.Seconds
	}
	if c.Evasion {
		r.Evasion = c.evade(texts)
	}
	return o.print(r, func(w io.Writer) { r.show(w) })
}

func group(m map[string]*scanFigures, name string) *scanFigures {
	if m[name] == nil {
		m[name] = &scanFigures{}
	}
	return m[name]
}

func (c *evalScanCmd) judge(text string, mode scan.Mode) scan.Summary {
	s := scan.NewScan(scan.Options{Mode: mode, Weights: c.model})
	s.Field("text", "$", text, scan.RolePrompt)
	return s.Finish()
}

// evade counts how many of the attacks that are found plainly are found in another writing.
func (c *evalScanCmd) evade(texts []train.Text) (out []evasionFigures) {
	var attacks []train.Text
	for _, t := range texts {
		if t.Label == 1 && len(t.Text) <= 2000 {
			attacks = append(attacks, t)
		}
	}
	for _, x := range evasion.All {
		f := evasionFigures{Transform: x.Name}
		plain, found := 0, 0
		for _, t := range attacks {
			if x.Latin && t.Lang != "en" {
				continue
			}
			f.Texts++
			if c.judge(t.Text, scan.Balanced).Injection.Detected {
				plain++
			}
			if c.judge(x.Apply(t.Text), scan.Balanced).Injection.Detected {
				found++
			}
		}
		if plain > 0 {
			f.Kept = float64(found) / float64(plain)
		}
		out = append(out, f)
	}
	return out
}

func (r scanReport) show(w io.Writer) {
	fmt.Fprintf(w, "%s: %d texts, %.1f MiB/s\n", r.Scanner, r.Texts, r.Throughput)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "mode\tof\ttexts\tattacks\tprecision\trecall\tF1\tfalse alarms")
	for _, mode := range []scan.Mode{scan.Balanced, scan.Strict} {
		m := r.Modes[mode]
		row := func(name string, f *scanFigures) {
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.3f\n", mode, name, f.Texts, f.Attacks, f.Precision, f.Recall, f.F1, f.FalsePositiveRate)
		}
		row("all", &m.Overall)
		for _, name := range names(m.Languages) {
			row(name, m.Languages[name])
		}
		for _, name := range names(m.Kinds) {
			row("  "+name, m.Kinds[name])
		}
	}
	for _, e := range r.Evasion {
		fmt.Fprintf(t, "evasion\t%s\t%d\t\t\t%.3f of plain recall\n", e.Transform, e.Texts, e.Kept)
	}
	t.Flush()
	for _, x := range r.Wrong {
		fmt.Fprintf(w, "%s label %d %s %v %.200q\n", x.Mode, x.Label, x.Lang, x.Rules, x.Text)
	}
}

func names(m map[string]*scanFigures) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
