package quality

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The figures of `stoa eval governance`, small; the bounds leave room for the chance of a small sample.
func TestChartRarelyCriesWolfAndSeesAFall(t *testing.T) {
	alarms, quiet := 0, 0
	for kind := range Kinds {
		f := Simulate(kind, 150, 500, 7)
		alarms, quiet = alarms+f.FalseAlarms, quiet+f.Quiet
		if f.PerThousand > 1.4 {
			t.Errorf("%s: %.2f false alarms per 1,000", f.Series, f.PerThousand)
		}
		if f.MedianDelay > 12 || f.Seen < f.Changes*95/100 {
			t.Errorf("%s: %d of %d falls are seen, the median after %.0f", f.Series, f.Seen, f.Changes, f.MedianDelay)
		}
	}
	if per := 1000 * float64(alarms) / float64(quiet); per > 1 {
		t.Errorf("%.2f false alarms per 1,000 over all kinds", per)
	}
}

func TestChartReturnsWhenMended(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var c Chart
	for range 60 {
		c.Add(.8 + .05*r.NormFloat64())
	}
	for range 15 {
		c.Add(.5 + .05*r.NormFloat64())
	}
	if !c.Fallen {
		t.Fatal("a large fall is not seen")
	}
	n := 0
	for ; c.Fallen && n < 30; n++ {
		c.Add(.8 + .05*r.NormFloat64())
	}
	if n > 15 {
		t.Errorf("after %d fixed values it still says fallen", n)
	}
}

func TestChartSeesALargeFallEarly(t *testing.T) {
	var c Chart
	for range 8 {
		c.Add(1)
	}
	n := 0
	for ; !c.Fallen && n < 20; n++ {
		c.Add(0)
	}
	if n > 4 {
		t.Errorf("from all right to all wrong is seen after %d values", n)
	}
}

func TestChartIgnoresWhatDoesNotMatter(t *testing.T) {
	var c Chart
	for i := range 500 {
		c.Add(.7 - float64(i%2)*.002 - float64(i/250)*.002)
	}
	if c.Fallen || c.Risen {
		t.Error("differences of a fifth of a point raise an alarm")
	}
}

func TestChartStaysWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Chart
		for _, x := range rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 300).Draw(t, "values") {
			c.Add(x)
			if len(c.Values) > kept || c.Down < 0 || c.Down > most || c.Up < 0 || c.Up > most || c.confidence() < 0 || c.confidence() > 1 || math.IsNaN(c.spread()) {
				t.Fatalf("%+v", c)
			}
		}
	})
}

func TestNormalSnapshotsAreInRangeAndStayAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(-1e9, 1e9)
		s := Snapshot{RetestPass: f.Draw(t, "retest"), WindowDelta: f.Draw(t, "delta"), QueryP95: f.Draw(t, "p95"), StrategyDelta: f.Draw(t, "strategy"), WindowDays: rapid.Int().Draw(t, "days")}.Normal()
		if s.RetestPass < 0 || s.RetestPass > 100 || math.Abs(s.WindowDelta) > 1 || s.QueryP95 < 0 || s.QueryP95 > 60000 || math.Abs(s.StrategyDelta) > 100 || s.WindowDays > 180 {
			t.Fatalf("%+v", s)
		}
		if s.Normal() != s {
			t.Fatalf("%+v becomes %+v", s, s.Normal())
		}
		if x := s.score(); x < 0 || x > 1 {
			t.Fatalf("score %v", x)
		}
	})
}

func TestGates(t *testing.T) {
	good := Snapshot{RetestPass: 90, Recurrence: 5, Evidence: 95, PathGain: 20, RandomGain: 10, WindowDelta: .1, QueryP95: 100, QueryEvidence: 90, QueryPaths: 70, QueryValid: 95, Pending: 5, Fallback: 1, Promotion: 40}
	base := Snapshot{RetestPass: 60, Recurrence: 40, WindowDelta: .05}
	if e := Evaluate(base, good, DefaultThresholds()); !e.Passed || len(e.Gates) != 12 {
		t.Fatalf("a good snapshot fails: %+v", e)
	}
	for id, spoil := range map[string]func(*Snapshot){
		"retest_pass_rate_uplift": func(s *Snapshot) { s.RetestPass = 79 }, "misconception_reduction": func(s *Snapshot) { s.Recurrence = 16 },
		"evidence_ratio": func(s *Snapshot) { s.Evidence = 89 }, "path_effectiveness": func(s *Snapshot) { s.RandomGain = 16 },
		"history_mastery_delta_uplift": func(s *Snapshot) { s.WindowDelta = .04 }, "query_p95": func(s *Snapshot) { s.QueryP95 = 801 },
		"query_evidence_coverage": func(s *Snapshot) { s.QueryEvidence = 79 }, "query_relation_path_coverage": func(s *Snapshot) { s.QueryPaths = 59 },
		"query_temporal_validity": func(s *Snapshot) { s.QueryValid = 89 }, "pending_verification_ratio": func(s *Snapshot) { s.Pending = 21 },
		"query_backend_fallback_ratio": func(s *Snapshot) { s.Fallback = 11 }, "session_memory_promotion_coverage": func(s *Snapshot) { s.Promotion = 24 },
	} {
		s := good
		spoil(&s)
		e := Evaluate(base, s, DefaultThresholds())
		for _, g := range e.Gates {
			if g.Passed == (g.ID == id) {
				t.Errorf("spoiling %s: %s passed: %t", id, g.ID, g.Passed)
			}
		}
		if e.Passed {
			t.Errorf("spoiling %s passes", id)
		}
	}
	// There is no room for twenty points above ninety.
	if e := Evaluate(Snapshot{RetestPass: 90}, Snapshot{RetestPass: 100}, DefaultThresholds()); !e.Gates[0].Passed {
		t.Errorf("the best that can be does not pass: %+v", e.Gates[0])
	}
}

func TestTrend(t *testing.T) {
	s := func(retest float64) Snapshot { return Snapshot{RetestPass: retest, Evidence: 100} }
	if r := TrendOf([]Snapshot{s(1), s(2), s(3)}, 2, 2, Chart{}); r.Status != Insufficient || r.Confidence != .75 {
		t.Errorf("%+v", r)
	}
	list := []Snapshot{s(50), s(50), s(90), s(90)}
	if r := TrendOf(list, 2, 2, Chart{}); r.Status != Stable || r.Deltas.RetestPass != -40 {
		t.Errorf("two windows alone decide: %+v", r)
	}
	if r := TrendOf(list, 2, 2, Chart{Fallen: true}); r.Status != Regressing {
		t.Errorf("%+v", r)
	}
	if r := TrendOf(list, 2, 2, Chart{Risen: true}); r.Status != Improving || r.Score != .25*.5+.30+.25+.20 {
		t.Errorf("%+v", r)
	}
}

func TestBreakdown(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	sessions := func(n int, mean float64) (out []Outcome) {
		for range n {
			out = append(out, Outcome{"balanced", mean + .05*r.NormFloat64()}, Outcome{"exploration_boost", .05})
		}
		return out
	}
	names := []string{"balanced", "mastery_recovery", "exploration_boost"}
	for _, tc := range []struct {
		recent float64
		want   Status
	}{{.2, Improving}, {-.1, Regressing}, {.05, Stable}} {
		rows := Breakdown(names, sessions(20, tc.recent), sessions(20, .05), 2)
		if len(rows) != 2 || rows[0].Status != tc.want || rows[1].Status != Stable || rows[0].Recent.Samples != 20 || rows[0].Recent.Coverage != 50 {
			t.Errorf("%+v: %+v", tc, rows)
		}
	}
	if rows := Breakdown(names, sessions(1, .9), sessions(5, 0), 2); rows[0].Status != Insufficient {
		t.Errorf("%+v", rows)
	}
}

func TestDirection(t *testing.T) {
	for _, c := range []struct {
		figures []float64
		want    Status
	}{
		{nil, Insufficient},
		{[]float64{.5, .5, .9}, Insufficient},
		{[]float64{.5, .5, .9, .9}, Regressing},
		{[]float64{.9, .9, .5, .5, .1}, Improving},
		{[]float64{.9, .85, .9, .88}, Stable},
	} {
		if got, score, confidence := Direction(c.figures, 2, 2, .1); got != c.want || score < 0 || score > 1 || confidence < 0 || confidence > 1 {
			t.Errorf("%v: %s %v %v, want %s", c.figures, got, score, confidence, c.want)
		}
	}
}
