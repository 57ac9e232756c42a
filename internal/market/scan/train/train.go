package train

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sort"
	"strings"

	"stoa/internal/market/scan"
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
	Helpers  map[string]bool // sources that are never held out: they only help to train
	Progress func(string)
}

// Usual are the options of a training run that makes the shipped weights.
var Usual = model.FitOptions{Epochs: 8, Rate: .2, L2: 1e-5, Seed: 1}

// How much less a chunk of a longer text scores than a text of its own: chosen so that attacks buried in ordinary
// texts are found while the ordinary ones stay as they are.
const (
	localBase        = .4
	localPerDoubling = .3
)

// Scored is a text with the log-odds that a model gave it which had not seen its source.
type Scored struct {
	Text
	Score  float64
	Buried bool // made by putting an attack into an ordinary text
}

// Run holds out each source in turn, trains on the others and scores it; fits the second model and the thresholds to
// those scores; and trains on everything.
func Run(texts []Text, o Options) (*model.Weights, []Scored) {
	set := rules.Load()
	scratch := model.NewScratch()
	group := func(t Text) string { return t.Source + "\x00" + t.Kind + "\x00" + t.Lang + fmt.Sprint(t.Label) }
	count := map[string]int{}
	for _, t := range texts {
		count[group(t)]++
	}
	examples := make([]model.Example, len(texts))
	for i, t := range texts {
		examples[i] = model.Extract(set, scratch, t.Text, t.Label == 1, math.Pow(float64(count[group(t)]), -.35))
	}
	var sources []string
	seen := map[string]bool{}
	for _, t := range texts {
		if !seen[t.Source] && !o.Helpers[t.Source] {
			seen[t.Source] = true
			sources = append(sources, t.Source)
		}
	}
	sort.Strings(sources)
	models := map[string]*model.Weights{}
	var rows []model.Judged
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
		models[source] = w
		for i, t := range texts {
			if t.Source == source {
				rows = append(rows, model.Judge(set, w, scratch, examples[i].Folded))
				attack = append(attack, t.Label == 1)
				weight = append(weight, examples[i].Weight)
			}
		}
		o.Progress("held out " + source)
	}
	all := model.Fit(examples, o.Fit)
	all.FitSecond(rows, attack, weight)
	all.SetLocal(localBase, localPerDoubling)
	o.Progress("trained")

	// The whole scanner scores what its model has not seen.
	var long []string
	for _, t := range texts {
		if t.Label == 0 && len(t.Text) > 3000 {
			long = append(long, t.Text)
		}
	}
	var scored []Scored
	for _, source := range sources {
		w := models[source].WithSecond(all)
		for i, t := range texts {
			if t.Source != source {
				continue
			}
			scored = append(scored, Scored{t, Score(w, t.Text), false})
			if t.Label == 1 && len(t.Text) < 1500 && i%3 == 0 && len(long) > 0 {
				around := long[i%len(long)]
				cut := strings.IndexByte(around[len(around)/3:], '\n') + len(around)/3 + 1
				t.Text = around[:cut] + t.Text + "\n" + around[cut:]
				scored = append(scored, Scored{t, Score(w, t.Text), true})
			}
		}
	}
	all.Thresholds = thresholds(scored)
	return all, scored
}

// Score runs the scanner with the given weights over one text and gives its log-odds. The weights must have no
// thresholds.
func Score(w *model.Weights, text string) float64 {
	s := scan.NewScan(scan.Options{Weights: w})
	s.Field("text", "$", text, scan.RolePrompt)
	return s.Score()
}
