package evaluate

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"stoa/internal/cli"
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
	// Intervals are those of drawing publishers with replacement, 5 % to 95 %; of few publishers those of single texts.
	RecallInterval        [2]float64 `json:"recall_interval"`
	FalsePositiveInterval [2]float64 `json:"false_positive_interval"`

	attacks, ordinary map[string]train.Cluster // by publisher
}

func (f *scanFigures) add(publisher string, attack, flagged bool) {
	if f.attacks == nil {
		f.attacks, f.ordinary = map[string]train.Cluster{}, map[string]train.Cluster{}
	}
	f.Texts++
	of, hits := f.ordinary, 0
	if attack {
		of = f.attacks
	}
	if flagged {
		hits = 1
	}
	of[publisher] = train.Cluster{Hits: of[publisher].Hits + hits, Texts: of[publisher].Texts + 1}
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
	f.RecallInterval = interval(f.attacks)
	f.FalsePositiveInterval = interval(f.ordinary)
}

func interval(of map[string]train.Cluster) (bounds [2]float64) {
	if len(of) > 0 {
		var clusters []train.Cluster
		for _, name := range slices.Sorted(maps.Keys(of)) {
			clusters = append(clusters, of[name])
		}
		bounds[0], bounds[1] = train.Drawn(clusters, 1)
	}
	return bounds
}

type modeFigures struct {
	Overall   scanFigures             `json:"overall"`
	Languages map[string]*scanFigures `json:"languages"`
	Kinds     map[string]*scanFigures `json:"kinds,omitempty"`
	Lengths   map[string]*scanFigures `json:"lengths"`
	Sources   map[string]*scanFigures `json:"sources,omitempty"` // by publisher
}

func newModeFigures() *modeFigures {
	return &modeFigures{
		Languages: map[string]*scanFigures{}, Kinds: map[string]*scanFigures{}, Lengths: map[string]*scanFigures{}, Sources: map[string]*scanFigures{},
	}
}

func (m *modeFigures) add(t train.Text, flagged bool) {
	attack, publisher := t.Label == 1, train.Publisher(t.Source)
	m.Overall.add(publisher, attack, flagged)
	group(m.Languages, t.Lang).add(publisher, attack, flagged)
	group(m.Lengths, train.Length(t.Text)).add(publisher, attack, flagged)
	if t.Kind != "" {
		group(m.Kinds, t.Kind).add(publisher, attack, flagged)
	}
	if t.Source != "" {
		group(m.Sources, publisher).add(publisher, attack, flagged)
	}
}

func (m *modeFigures) finish() {
	m.Overall.finish()
	for _, part := range []map[string]*scanFigures{m.Languages, m.Kinds, m.Lengths, m.Sources} {
		for _, f := range part {
			f.finish()
		}
	}
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
func (c *evalScanCmd) Run(o cli.Output) error {
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
		m := newModeFigures()
		r.Modes[mode] = m
		for _, t := range texts {
			start := time.Now()
			s := c.judge(t.Text, mode)
			if mode == scan.Balanced {
				r.Seconds += time.Since(start).Seconds()
				r.Bytes += int64(len(t.Text))
			}
			flagged := s.Injection.Detected
			m.add(t, flagged)
			if c.Misses && flagged != (t.Label == 1) {
				r.Wrong = append(r.Wrong, wrong{mode, t.Label, t.Lang, t.Text, s.Injection.Rules})
			}
		}
		m.finish()
	}
	if r.Seconds > 0 {
		r.Throughput = float64(r.Bytes) / (1 << 20) / r.Seconds
	}
	if c.Evasion {
		r.Evasion = c.evade(texts)
	}
	return o.Print(r, func(w io.Writer) { r.show(w) })
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
	fmt.Fprintln(t, "mode\tof\ttexts\tattacks\tprecision\trecall\t5-95 %\tF1\tfalse alarms\t5-95 %")
	for _, mode := range []scan.Mode{scan.Balanced, scan.Strict} {
		m := r.Modes[mode]
		row := func(name string, f *scanFigures) {
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.3f\t%.3f\t%s\t%.3f\t%.3f\t%s\n", mode, name, f.Texts, f.Attacks, f.Precision, f.Recall,
				bounds(f.Attacks, f.RecallInterval), f.F1, f.FalsePositiveRate, bounds(f.Texts-f.Attacks, f.FalsePositiveInterval))
		}
		row("all", &m.Overall)
		for _, part := range []map[string]*scanFigures{m.Languages, m.Lengths, m.Kinds, m.Sources} {
			for _, name := range names(part) {
				row("  "+name, part[name])
			}
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

func bounds(n int, b [2]float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f-%.3f", b[0], b[1])
}

func names(m map[string]*scanFigures) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
