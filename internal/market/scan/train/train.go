package train

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"stoa/internal/market/scan/model"
	"stoa/internal/market/scan/rules"
)

// Text is one line of training data. Texts of one source are held out together.
type Text struct {
	Text   string `json:"text"`
	Label  int    `json:"label"`
	Lang   string `json:"lang"`
	Source string `json:"source"`
	Kind   string `json:"kind"`
}

// ReadTexts reads JSON lines of labelled texts; what else a line holds is passed over.
func ReadTexts(in io.Reader, add func(Text)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<16), 16<<20)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var t Text
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		add(t)
	}
	return lines.Err()
}

// Options of a training run.
type Options struct {
	Fit      model.FitOptions
	Held     map[string]bool // sources that are never held out: they only help to train
	Local    [2]float64
	Progress func(string)
}

// Scored is a text with the log-odds that a model gave it which had not seen its source.
type Scored struct {
	Text
	Score float64
}

// Run holds out each source in turn, trains on the others and scores it; then it trains on everything, and fits the
// second model and the thresholds to the scores of the held-out texts.
func Run(texts []Text, o Options) (*model.Weights, []Scored) {
	set := rules.Load()
	scratch := model.NewScratch()
	count := map[string]int{}
	for _, t := range texts {
		count[t.Source+"\x00"+t.Kind+"\x00"+t.Lang+fmt.Sprint(t.Label)]++
	}
	examples := make([]model.Example, len(texts))
	for i, t := range texts {
		n := float64(count[t.Source+"\x00"+t.Kind+"\x00"+t.Lang+fmt.Sprint(t.Label)])
		examples[i] = model.Extract(set, scratch, t.Text, t.Label == 1, math.Pow(n, -.35))
	}
	var sources []string
	seen := map[string]bool{}
	for _, t := range texts {
		if !seen[t.Source] && !o.Held[t.Source] {
			seen[t.Source] = true
			sources = append(sources, t.Source)
		}
	}
	sort.Strings(sources)
	rows := make([]model.Judged, len(texts))
	var used []int
	long := longBenign(texts, examples)
	var held, inside []model.Judged
	var insideOf []Text
	var attack []bool
	var weight []float64
	for _, source := range sources {
		var part []model.Example
		for i, t := range texts {
			if t.Source != source {
				part = append(part, examples[i])
			}
		}
		w := model.Fit(part, o.Fit)
		for i, t := range texts {
			if t.Source == source {
				rows[i] = model.Judge(set, w, scratch, examples[i].Folded)
				used = append(used, i)
				held = append(held, rows[i])
				attack = append(attack, t.Label == 1)
				weight = append(weight, examples[i].Weight)
				if f := examples[i].Folded; t.Label == 1 && len(f) < 1500 && i%2 == 0 && len(long) > 0 {
					// The same attack buried in an ordinary text.
					around := long[i%len(long)]
					cut := len(around) / (2 + i%3)
					for cut > 0 && around[cut]&0xc0 == 0x80 {
						cut--
					}
					inside = append(inside, model.Judge(set, w, scratch, slices.Concat(around[:cut], []byte("\n"), f, []byte("\n"), around[cut:])))
					insideOf = append(insideOf, t)
				}
			}
		}
		o.Progress(fmt.Sprintf("held out %s", source))
	}
	all := model.Fit(examples, o.Fit)
	all.FitSecond(held, attack, weight)
	all.SetLocal(o.Local[0], o.Local[1])
	scored := make([]Scored, len(used))
	for n, i := range used {
		scored[n] = Scored{texts[i], all.Apply(rows[i])}
	}
	for i, x := range inside {
		t := insideOf[i]
		t.Kind = "buried"
		scored = append(scored, Scored{t, all.Apply(x)})
	}
	return all, scored
}

// longBenign picks ordinary texts that are long enough for an attack to hide in.
func longBenign(texts []Text, examples []model.Example) (out [][]byte) {
	for i, t := range texts {
		if f := examples[i].Folded; t.Label == 0 && len(f) > 3000 {
			out = append(out, f)
		}
	}
	return out
}
