package path

import (
	"math"
	"testing"
	"time"
)

func close(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// The score of a plan is made of its parts with the contract's weights, which sum to one.
func TestScoreOfAPlan(t *testing.T) {
	plan := func(sources ...Source) (list []Entry) {
		for i, s := range sources {
			list = append(list, Entry{s, i%2 == 0})
		}
		return list
	}
	defaults := DefaultThresholds()
	// Four actions for a budget of five: half with evidence, one of recovery, one of divergence; the gate of evidence fails.
	e := Evaluate(plan(SourceDivergence, SourceMastery, "other", "other"), 5, Stable, defaults)
	want := .58*2/3 + .20*.5 + .12*(1-1/(defaults.MaxBudgetDeviationActions+2)) + .06*.25 + .04*.75
	if !close(e.Score, want) || e.Status != "watch" || e.Reason != "evidence_coverage" || !close(e.Confidence, 1) {
		t.Errorf("%+v, want a score of %v", e, want)
	}
	if best := Evaluate([]Entry{{SourceMastery, true}, {SourceMastery, true}, {SourceRetrain, true}, {SourceRemediation, true}}, 4, Regressing, defaults); !close(best.Score, 1) || best.Status != "healthy" {
		t.Errorf("a plan without fault: %+v", best)
	}
	if one := Evaluate([]Entry{{SourceMastery, true}}, 0, Stable, defaults); one.Reason != "total_actions" || !close(one.Confidence, .35) {
		t.Errorf("one action: %+v", one)
	}
	if none := Evaluate(nil, 9, Improving, defaults); none.Status != "risk" || none.Confidence != 0 || !close(none.EvidencePct, 100) || none.FailedGates != 3 {
		t.Errorf("no action: %+v", none)
	}
}

// Two hundredths either way, of the newest four, make a context.
func TestContexts(t *testing.T) {
	for _, c := range []struct {
		deltas []float64
		want   Context
	}{
		{nil, Unknown},
		{[]float64{.02}, Improving},
		{[]float64{.019}, Stable},
		{[]float64{-.019}, Stable},
		{[]float64{-.02}, Regressing},
		{[]float64{-.05}, Regressing},
		{[]float64{.04, .04, 0, 0, -9}, Improving},
		{[]float64{-.1, .1}, Stable},
	} {
		if got := ContextOf(c.deltas); got != c.want {
			t.Errorf("%v: %s, want %s", c.deltas, got, c.want)
		}
	}
}

// Whoever fails more than is good is given what they will answer rightly, the more the more they fail.
func TestEncouragement(t *testing.T) {
	for _, c := range []struct {
		answers               int
		recent, success, want float64
	}{
		{9, 0, .5, 1}, {10, .6, .5, 1}, {10, .45, .5, .25}, {10, .1, .5, .25}, {10, .525, .5, .5}, {10, .45, 1, 1},
	} {
		s := &scorer{v: &View{RecentAnswers: c.answers, RecentSuccess: c.recent}}
		if got := s.encouragement(c.success); !close(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A bridge is as good as it is sure, and better from what is known.
func TestLinks(t *testing.T) {
	s := &scorer{v: &View{Divergence: []Edge{{From: 0, To: 1, Confidence: .5}}}, asked: make([]asked, 2)}
	for known, want := range map[float64]float64{0: .15, 1: .5, .5: .325} {
		s.asked[0].known = known
		if got := s.link(&s.v.Divergence[0]); !close(got, want) {
			t.Errorf("known %v: %v, want %v", known, got, want)
		}
	}
}

// A partial answer is evidence for neither side: what it changes is what the attempt itself may have taught.
func TestPartialAnswers(t *testing.T) {
	var traits Traits
	m := traits.Model()
	for _, before := range []float64{.1, .5, .9} {
		b := Belief{Learned: before, Stability: 5, Difficulty: 5, Last: noon.Add(-48 * time.Hour).UnixMicro()}
		teaches := m.teaches(1, 1, 0, 2)
		b.answer(&Traits{}, m, noon, 1, 1, Partial)
		if want := before + (1-before)*teaches; math.Abs(b.Learned-want) > 1e-9 || teaches <= 0 {
			t.Errorf("from %v to %v, want %v", before, b.Learned, want)
		}
	}
}

// The named kind that weighs most is told: of two as often made the newer, of one as new the one more often made.
func TestNamedKinds(t *testing.T) {
	ago := func(days int) int64 { return noon.Add(-time.Duration(days) * 24 * time.Hour).UnixMicro() }
	for want, errors := range map[string][]Error{
		"b":         {{"a", ago(30)}, {"a", ago(31)}, {"a", ago(32)}, {"b", ago(1)}, {"b", ago(2)}, {"b", ago(3)}},
		"often":     {{"once", ago(1)}, {"often", ago(1)}, {"often", ago(1)}, {"often", ago(1)}},
		"first":     {{"first", ago(1)}, {"second", ago(1)}},
		"the named": {{"incorrect_answer", ago(1)}, {"incorrect_answer", ago(1)}, {"the named", ago(9)}},
		"":          {{"incorrect_answer", ago(1)}},
	} {
		if tag, _ := misconceived(errors, Incorrect, noon); tag != want {
			t.Errorf("%v: %q, want %q", errors, tag, want)
		}
	}
	// Three errors, each half faded, weigh 1.5: 1.5 / 3.5.
	half := []Error{{"a", ago(fades)}, {"a", ago(fades)}, {"a", ago(fades)}}
	if _, intensity := misconceived(half, Incorrect, noon); !close(intensity, 1.5/3.5) {
		t.Errorf("half faded: %v", intensity)
	}
}

// The curve is one at no time, falls, and joins its straight beginning without a step.
func TestTheCurveBegins(t *testing.T) {
	var traits Traits
	m := traits.Model()
	if m.recall(0, 5) != 1 || m.recall(-1, 5) != 1 || m.recall(1, 0) != 0 {
		t.Errorf("at no time %v, before %v, without stability %v", m.recall(0, 5), m.recall(-1, 5), m.recall(1, 0))
	}
	last := 1.0
	for x := -12.0; x < 6; x += .01 {
		r := m.recall(5*math.Exp(x), 5)
		if r > last+1e-12 || last-r > .02 {
			t.Fatalf("at e^%.2f of the stability %v after %v", x, r, last)
		}
		last = r
	}
}
