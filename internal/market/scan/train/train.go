package train

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"stoa/internal/market/scan"
	"stoa/internal/market/scan/model"
	"stoa/internal/market/scan/normal"
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
var Usual = model.FitOptions{Epochs: 5, Rate: .2, L2: 1e-5, Seed: 1, Folds: 2, Keep: .6, Mean: 3}

// Scored is a text with what a model said of it which had not seen its publisher: the log-odds of the worst of its texts
// less the threshold, in both modes. It is flagged from 0.
type Scored struct {
	Text
	Balanced float64
	Strict   float64 // with the rules that decide in strict mode
	Fold     int
	Class    model.Class
	Script   string // that chose the thresholds
	Buried   bool   // made by putting an attack into an ordinary text
}

// emphasis is how much the texts of a kind count. Little for labels that are uncertain: requests that are harmful but
// attack no bot, and single lines of traces that say little alone.
func emphasis(kind string) float64 {
	switch kind {
	case "jailbreak_nested", "atr excessive-autonomy", "atr model-abuse", "atr data-poisoning":
		return .25
	case "jailbreak_persuasion", "jailbreak_roleplay", "atr privilege-escalation":
		return .4
	case "overdefense", "text_about_injection":
		return 1.5 // harmless texts that look like attacks
	case "benign_trigger", "benign_guard", "benign_about", "benign_persona":
		return 2.5
	}
	return 1
}

// Run leaves out each fold of publishers in turn, trains on the others and scores it; fits the second model and the
// thresholds to those scores; and trains on everything. It ends early, with an error, when ctx does.
func Run(ctx context.Context, texts []Text, o Options) (*model.Weights, []Scored, error) {
	own := slices.DeleteFunc(slices.Clone(texts), func(t Text) bool { return t.Kind == composedKind })
	c, err := cross(ctx, own, o)
	if err != nil {
		return nil, nil, err
	}
	return c.conclude(ctx, o)
}

// composedKind are texts made of parts of several publishers: they would carry what is left out into the training.
const composedKind = "indirect_composed"

// crossed are the models of a training run: one for each fold, which has not seen it, and the one of all texts.
type crossed struct {
	texts  []placed
	models []*model.Weights
	final  *model.Weights
	rows   []model.Judged // what the models said of texts of the fold that they had not seen
	attack []bool
	weight []float64
}

func cross(ctx context.Context, texts []Text, o Options) (*crossed, error) {
	set := rules.Load()
	scratch := model.NewScratch()
	group := func(t Text) string { return t.Source + "\x00" + t.Kind + "\x00" + t.Lang + fmt.Sprint(t.Label) }
	c := &crossed{texts: deal(texts, o.Helpers), models: make([]*model.Weights, FoldCount)}
	all := append(c.texts, composed(c.texts, model.Always, o.Fit.Seed)...)
	count := map[string]int{}
	for _, t := range all {
		count[group(t.Text)]++
	}
	groups, err := wordGroups(ctx, texts, o.Fit.Seed)
	if err != nil {
		return nil, err
	}
	o.Progress("grouped words")
	extractor := model.NewExtractor(set, groups)
	examples := make([]model.Example, len(all))
	for i, t := range all {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		examples[i] = extractor.Extract(t.Text.Text, t.Label == 1, math.Pow(float64(count[group(t.Text)]), -.35)*emphasis(t.Kind), t.fold)
	}
	spread := model.NewSpread(examples)
	o.Progress(fmt.Sprintf("read %d texts, made %d", len(texts), len(all)-len(texts)))
	buried := c.bury()
	for fold := range c.models {
		w, err := extractor.Fit(ctx, examples, spread, fold, o.Fit)
		if err != nil {
			return nil, err
		}
		c.models[fold] = w
		for i := range all {
			if all[i].fold == fold {
				c.judged(model.Judge(set, w, scratch, examples[i].Folded), all[i].Label == 1, examples[i].Weight)
			}
		}
		for _, b := range buried {
			if b.fold == fold {
				c.judged(model.Judge(set, w, scratch, folded(b.Text.Text)), true, buriedWeight)
			}
		}
		o.Progress(fmt.Sprint("left out fold ", fold))
	}
	if c.final, err = extractor.Fit(ctx, examples, spread, model.Nobody, o.Fit); err != nil {
		return nil, err
	}
	o.Progress("trained")
	return c, nil
}

func (c *crossed) judged(row model.Judged, attack bool, weight float64) {
	c.rows, c.attack, c.weight = append(c.rows, row), append(c.attack, attack), append(c.weight, weight)
}

// conclude fits the second model, scores every text with the whole scanner and a model that has not seen it, and chooses
// the thresholds: first those of classes and languages from the bare scores, then, from scores less those, how far they
// move so that the bounds hold. What the report counts is what a scan with these thresholds would say.
func (c *crossed) conclude(ctx context.Context, o Options) (*model.Weights, []Scored, error) {
	if err := c.final.FitSecond(ctx, c.rows, c.attack, c.weight); err != nil {
		return nil, nil, err
	}
	o.Progress("second model")
	bare, err := c.score(ctx)
	if err != nil {
		return nil, nil, err
	}
	c.final.Thresholds = thresholds(bare)
	o.Progress("scored")
	scored, err := c.score(ctx)
	if err != nil {
		return nil, nil, err
	}
	move(c.final, scored)
	o.Progress("scored with thresholds")
	return c.final, scored, nil
}

// score scans every text, and the buried attacks, with a model that has not seen it.
func (c *crossed) score(ctx context.Context) (scored []Scored, err error) {
	for fold, w := range c.models {
		w = w.WithSecond(c.final)
		for _, t := range c.texts {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if t.fold == fold {
				scored = append(scored, newScored(w, t.Text, fold, false))
			}
		}
	}
	for _, t := range c.bury() {
		if c.models[t.fold] != nil {
			scored = append(scored, newScored(c.models[t.fold].WithSecond(c.final), t.Text, t.fold, true))
		}
	}
	return scored, nil
}

const (
	buriedWeight = .12 // of an attack inside a long text, when the second model is fitted
	buriedMost   = 1500
	buriedAround = 3000
)

// bury puts every third attack into a long ordinary text of the same fold.
func (c *crossed) bury() (out []placed) {
	long := map[int][]string{}
	for _, t := range c.texts {
		if t.Label == 0 && len(t.Text.Text) > buriedAround && t.fold != model.Always {
			long[t.fold] = append(long[t.fold], t.Text.Text)
		}
	}
	for i, t := range c.texts {
		if l := long[t.fold]; t.Label == 1 && len(t.Text.Text) < buriedMost && i%3 == 0 && len(l) > 0 {
			around := l[i%len(l)]
			cut := strings.IndexByte(around[len(around)/3:], '\n') + len(around)/3 + 1
			t.Text.Text = around[:cut] + t.Text.Text + "\n" + around[cut:]
			out = append(out, t)
		}
	}
	return out
}

func folded(text string) []byte { return normal.Fold(normal.Unescape(normal.Raw([]byte(text)))).B }

// deal gives every text the fold that it is left out with.
func deal(texts []Text, helpers map[string]bool) []placed {
	var own []Text
	for _, t := range texts {
		if !helpers[t.Source] {
			own = append(own, t)
		}
	}
	folds := folds(own)
	all := make([]placed, len(texts))
	for i, t := range texts {
		all[i] = placed{t, model.Always}
		if !helpers[t.Source] {
			all[i].fold = folds[Publisher(t.Source)]
		}
	}
	return all
}

// newScored runs the scanner with the given weights over one text.
func newScored(w *model.Weights, t Text, fold int, buried bool) Scored {
	s := scan.NewScan(scan.Options{Weights: w})
	s.Field("text", "$", t.Text, scan.RolePrompt)
	s.Finish()
	balanced, strict := s.Scores()
	f := folded(t.Text)
	return Scored{t, balanced, strict, fold, model.ClassOf(f), scan.Language(f), buried}
}
