package train

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"stoa/internal/market/scan/model"
)

func TestGeneratedTextsAreTheSameEachTime(t *testing.T) {
	a, b := Generate(3, 1), Generate(3, 1)
	if !slices.Equal(a, b) || len(a) < 500 {
		t.Fatalf("%d texts, not the same ones", len(a))
	}
	langs := map[string]int{}
	for _, x := range a {
		langs[x.Lang] += 2*x.Label - 1
		if x.Text == "" {
			t.Fatalf("%+v", x)
		}
	}
	for _, lang := range []string{"en", "zh", "ja", "xx"} {
		if _, ok := langs[lang]; !ok {
			t.Errorf("nothing in %s", lang)
		}
	}
}

func TestTrainingIsReproducibleAndLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model")
	}
	texts := Generate(1, 1)
	for i := range texts {
		texts[i].Source = []string{"a", "b"}[i%2]
	}
	o := Options{Fit: model.FitOptions{Epochs: 2, Rate: .3, L2: 1e-6, Seed: 1, Keep: .7}, Progress: func(string) {}}
	run := func() ([]byte, []Scored) {
		w, scored, err := Run(t.Context(), texts, o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := w.Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes(), scored
	}
	first, scored := run()
	again, _ := run()
	if !bytes.Equal(first, again) {
		t.Error("the same texts gave other weights")
	}
	if len(first) > 2<<20 {
		t.Errorf("%d bytes of weights", len(first))
	}
	w, err := model.Read(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	all := Report(w, scored).Groups
	i := slices.IndexFunc(all, func(g Group) bool { return g.Name == "= all" })
	if g := all[i]; g.Strict.Found.Of < .2 {
		t.Errorf("it found %.2f of %d", g.Strict.Found.Of, g.Attacks)
	}
}

// A signal ends the context of a command: a run of many minutes must end with it, whatever it is at.
func TestTrainingStopsWhenItIsTold(t *testing.T) {
	texts := slices.Clip(Generate(1, 1)[:300])
	for i := range texts {
		texts[i].Source = []string{"a", "b"}[i%2]
	}
	for _, at := range []string{"read", "left out fold 0", "trained", "second model"} {
		ctx, stop := context.WithCancel(t.Context())
		after := 0
		o := Options{Fit: model.FitOptions{Epochs: 1, Rate: .3, Seed: 1, Keep: .7}, Progress: func(said string) {
			if ctx.Err() != nil {
				after++
			}
			if strings.HasPrefix(said, at) {
				stop()
			}
		}}
		if _, _, err := Run(ctx, texts, o); !errors.Is(err, context.Canceled) || after > 0 {
			t.Errorf("told to stop after %q: %v, and %d more steps", at, err, after)
		}
		stop()
	}
}
