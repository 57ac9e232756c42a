package strategy

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"stoa/internal/learning/path"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// TestMomentsMerge: parts merged are the whole.
func TestMomentsMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOf(rapid.Float64Range(-100, 100)).Draw(t, "values")
		at := rapid.IntRange(0, len(xs)).Draw(t, "cut")
		var whole, a, b Moments
		for i, x := range xs {
			whole.Add(x)
			if i < at {
				a.Add(x)
			} else {
				b.Add(x)
			}
		}
		a.merge(b)
		if diff := cmp.Diff(whole, a, cmpopts.EquateApprox(1e-9, 1e-9)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// live adds n blocks of sessions drawn by Assign, with an effect of exploration.
func live(e *Evidence, n int, effect float64, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	var running Running
	for b := range n {
		d := Assign("p", uint64(b), seed, nil, "")
		for s := range BlockLength {
			y := r.NormFloat64()
			if d.Strategy == path.Exploration {
				y += effect
			}
			if block, done := running.Add(Record{Strategy: d.Strategy, Propensity: d.Propensity, InBlock: s, Outcome: y, Actions: 20, At: noon}); done {
				e.Add(block)
			}
		}
	}
}

func TestSelectNamesTheFirstUnmet(t *testing.T) {
	var little, none, much, worse Evidence
	live(&little, 3, 0, 1)
	live(&none, 60, 0, 2)
	live(&much, 80, 2, 3)
	live(&worse, 80, -2, 4)
	later := noon.Add(40 * 24 * time.Hour)
	for _, c := range []struct {
		name   string
		in     Inputs
		source Source
		reason string
	}{
		{"explicit", Inputs{Explicit: path.Recovery}, Explicit, "explicit_request:mastery_recovery"},
		{"off", Inputs{Everyone: &much, Now: noon}, Fallback, "mode_fallback:auto_path_disabled:"},
		{"nothing", Inputs{Auto: true, Now: noon}, Fallback, "mode_fallback:randomised_outcomes:0<20"},
		{"little", Inputs{Auto: true, Everyone: &little, Now: noon}, Fallback, "mode_fallback:randomised_outcomes:12<20"},
		{"no difference", Inputs{Auto: true, Everyone: &none, Now: noon}, Fallback, "mode_fallback:contrast_lower_bound:"},
		{"old", Inputs{Auto: true, Everyone: &much, Now: later}, Fallback, "mode_fallback:evidence_age_days:"},
		{"check", Inputs{Auto: true, Everyone: &much, FailingCheck: "alignment", Now: noon}, Fallback, "mode_fallback:open_failure_alignment:"},
		{"better", Inputs{Auto: true, MinConfidence: 0.8, Everyone: &much, Now: noon}, Trend, "strategy_trend:exploration_boost:"},
		{"held", Inputs{Auto: true, Everyone: &none, Held: path.Exploration, HeldFor: 2, Now: noon}, Trend, "strategy_trend:exploration_boost:held=2<5"},
		{"held long enough", Inputs{Auto: true, Everyone: &none, Held: path.Exploration, HeldFor: 5, Now: noon}, Fallback, "mode_fallback:"},
		{"held and worse", Inputs{Auto: true, Everyone: &worse, Held: path.Exploration, HeldFor: 2, Now: noon}, Fallback, "mode_fallback:"},
	} {
		got := Select(c.in)
		if got.Source != c.source || !strings.HasPrefix(got.Reason, c.reason) {
			t.Errorf("%s: %s because %q, want %s %q", c.name, got.Source, got.Reason, c.source, c.reason)
		}
	}
	if why := worse.rolledBack(path.Exploration); why == "" {
		t.Error("a strategy two deviations worse is not rolled back")
	}
	if p := propensities(&worse, ""); p[2] != 0 || math.Abs(p[0]+p[1]-1) > 1e-12 {
		t.Errorf("propensities %v", p)
	}
}

// TestOnlyRandomisedSessionsCompare: what was chosen, came first in a block or was cut short changes nothing.
func TestOnlyRandomisedSessionsCompare(t *testing.T) {
	var o Running
	for _, r := range []Record{
		{Strategy: path.Recovery, InBlock: 1, Actions: 20, Outcome: 9},
		{Strategy: path.Recovery, Propensity: 0.5, InBlock: 0, Actions: 20, Outcome: 9},
		{Strategy: path.Recovery, Propensity: 0.5, InBlock: 1, Actions: 4, Outcome: 9},
		{Strategy: path.Recovery, Propensity: 0.5, InBlock: 2, Actions: 20, Abandoned: 0.3, Outcome: 9},
		{Strategy: "other", Propensity: 0.5, InBlock: 3, Actions: 20, Outcome: 9},
		{Strategy: path.Recovery, Propensity: 0.5, InBlock: 4, Actions: 20, Outcome: 1},
	} {
		if b, done := o.Add(r); done != (r.Outcome == 1) || done && (b.Outcome.N != 1 || b.Outcome.Sum != 1) {
			t.Errorf("%+v ended %+v", r, b)
		}
	}
}

func TestAssignKeepsItsPropensities(t *testing.T) {
	counts := map[path.Strategy]int{}
	const n = 6000
	for b := range uint64(n) {
		counts[Assign("someone", b, 7, nil, "").Strategy]++
	}
	for i, s := range path.Strategies {
		want := propensities(nil, "")[i]
		if got := float64(counts[s]) / n; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%s drawn %v, said %v", s, got, want)
		}
	}
}

// TestGap: a model that says 0.9 where the truth is 0.6 is found out.
func TestGap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var gap Gap
	for range 4000 {
		gap.Add(Probe{Predicted: 0.9, Drawn: r.IntN(2) == 0, Right: r.Float64() < 0.6})
	}
	if g, _, high := gap.points(); !gap.off() || math.Abs(g+30) > 3 || high > -25 {
		t.Errorf("gap %v up to %v", g, high)
	}
}

// TestValueAdded: what the state explains is taken out.
// Each part of a state is in a unit in which it is about one, or the ridge would pull some more than others.
func TestFeatures(t *testing.T) {
	got := State{MeanMastery: .5, Frontier: 20, Due: 30, Minutes: 45, Gap: 14}.features().RawVector().Data
	if want := []float64{1, .5, 2, 3, 1.5, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestValueAdded(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var e Expectation
	var raw, beyond Moments
	for i := range 600 {
		s := State{MeanMastery: r.Float64(), Frontier: 20 * r.Float64(), Due: 50 * r.Float64(), Minutes: 30, Gap: 1}
		y := 8 - 7*s.MeanMastery + 0.1*s.Due + 0.5*r.NormFloat64()
		v := e.ValueAdded(s, y)
		if i > 100 {
			raw.Add(y)
			beyond.Add(v)
		}
	}
	if beyond.Variance() > 0.15*raw.Variance() || math.Abs(beyond.Mean()) > 0.1 {
		t.Errorf("variance %v of %v, mean %v", beyond.Variance(), raw.Variance(), beyond.Mean())
	}
}

// TestSpread: the sums that change with every block say what a new count of the persons says.
func TestSpread(t *testing.T) {
	var different, alike Evidence
	r := rand.New(rand.NewPCG(9, 9))
	for i := range uint64(60) {
		for _, c := range []struct {
			all    *Evidence
			effect float64
		}{{&different, 2 * r.NormFloat64()}, {&alike, 1}} {
			var person, none Evidence
			live(&person, 30, c.effect, i)
			before := person
			live(&person, 30, c.effect, i+1000)
			c.all.Change(&none, &before)
			c.all.Change(&before, &person)
		}
	}
	wide, narrow := different.Spreads[1], alike.Spreads[1]
	if wide.Persons != 60 || wide.variance() < 2 || narrow.variance() > 0.3 {
		t.Errorf("%d persons, variance %v where it is 4, %v where it is 0", wide.Persons, wide.variance(), narrow.variance())
	}
}
