package strategy

import (
	"math"
	"math/rand/v2"
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
		a.Merge(b)
		if diff := cmp.Diff(whole, a, cmpopts.EquateApprox(1e-9, 1e-9)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestTelemetryIsARecount: the incremental sums give what a count over all records gives.
func TestTelemetryIsARecount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var totals, other Totals
		var deltas []float64
		auto, withStrategy, records := 0, 0, rapid.IntRange(0, 80).Draw(t, "records")
		for i := range records {
			record := Record{Source: Sources[r.IntN(4)], At: noon.AddDate(0, 0, -r.IntN(60)), Delta: r.NormFloat64(), Actions: 10}
			if r.IntN(4) > 0 {
				record.Strategy = path.Strategies[r.IntN(3)]
				withStrategy++
				if record.Source == Trend {
					auto++
					deltas = append(deltas, record.Delta)
				}
			}
			if i%2 == 0 {
				totals.Add(record)
			} else {
				other.Add(record)
			}
		}
		totals.Merge(other)
		got := totals.Telemetry()
		var want Moments
		for _, d := range deltas {
			want.Add(d)
		}
		if got.TotalRecords != records || got.StrategyRecords != withStrategy || got.SelectionSourceCounts[Trend] != auto ||
			math.Abs(got.TrendAutoAverageMasteryDeltaPct-want.Mean()) > 1e-9 || got.TrendAutoNegativeRatioPct != 100*want.NegativeRatio() {
			t.Fatalf("%+v, want %d records, %d with a strategy, %d of a trend", got, records, withStrategy, auto)
		}
		if len(totals.Days) > 2*WindowDays {
			t.Fatalf("%d days kept", len(totals.Days))
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
	if why := worse.RolledBack(path.Exploration); why == "" {
		t.Error("a strategy two deviations worse is not rolled back")
	}
	if p := Propensities(&worse, ""); p[2] != 0 || math.Abs(p[0]+p[1]-1) > 1e-12 {
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
		want := Propensities(nil, "")[i]
		if got := float64(counts[s]) / n; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%s drawn %v, said %v", s, got, want)
		}
	}
}

func TestCorrected(t *testing.T) {
	// A model that says 0.9 where the truth is 0.6, all probed with probability one half.
	r := rand.New(rand.NewPCG(1, 1))
	var items []Probe
	var gap Gap
	for range 4000 {
		p := Probe{Predicted: 0.9, Propensity: 0.5, Drawn: r.IntN(2) == 0, Right: r.Float64() < 0.6}
		items = append(items, p)
		gap.Add(p)
	}
	if got := Corrected(items); math.Abs(got-0.6) > 0.03 {
		t.Errorf("corrected to %v", got)
	}
	if g, _, high := gap.Points(); !gap.Off() || math.Abs(g+30) > 3 || high > -25 {
		t.Errorf("gap %v up to %v", g, high)
	}
}

func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	window := func(n int, mean float64) (m Moments) {
		for range n {
			m.Add(mean + 3*r.NormFloat64())
		}
		return m
	}
	for _, c := range []struct {
		recent, previous Moments
		want             Status
	}{
		{window(11, 9), window(40, 0), Insufficient},
		{window(40, 6), window(40, 0), Improving},
		{window(40, 0), window(40, 6), Regressing},
		{window(900, 2), window(900, 2), StableTrend},
	} {
		got := Compare(c.recent, c.previous, 100, 100, 0)
		if got.Status != c.want || got.Confidence < 0 || got.Confidence > 1 {
			t.Errorf("%+v, want %s", got, c.want)
		}
	}
	if got := Discoveries([]float64{0.001, 0.02, 0.2, 0.9}, 0.05); !cmp.Equal(got, []bool{true, true, false, false}) {
		t.Errorf("discoveries %v", got)
	}
}

// TestValueAdded: what the state explains is taken out.
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

func TestBudget(t *testing.T) {
	var b Budget
	for range 20 {
		b.Add(1)
	}
	if !b.Allows(0, 1) {
		t.Error("twenty good sessions allow none of the worst")
	}
	b.Add(0)
	b.Add(0)
	if b.Allows(0, 1) {
		t.Error("the budget is spent and allows more")
	}
}

func TestSpread(t *testing.T) {
	var people, alike []*Evidence
	r := rand.New(rand.NewPCG(9, 9))
	for i := range uint64(60) {
		var a, b Evidence
		live(&a, 60, 2*r.NormFloat64(), i)
		live(&b, 60, 1, i+1000)
		people, alike = append(people, &a), append(alike, &b)
	}
	if wide, narrow := Spread(people, path.Exploration), Spread(alike, path.Exploration); wide < 2 || narrow > 0.3 {
		t.Errorf("spread %v where it is 4, %v where it is 0", wide, narrow)
	}
}
