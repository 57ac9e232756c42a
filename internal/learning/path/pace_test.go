package path

import (
	"math"
	"testing"
)

// Reading is added by kind: all of it to an explanation, a third to what is reviewed, a quarter to what is applied, none to a quiz.
func TestMinutesGrowWithWhatIsRead(t *testing.T) {
	const tenMinutes = int(10 * readingRate)
	for k, want := range map[Kind]float64{Explain: 10, Review: 10. / 3, Reflection: 10. / 3, Transfer: 2.5, Counterexample: 2.5, Quiz: 0} {
		if got := usual(k, tenMinutes) - usual(k, 0); math.Abs(got-want) > 1e-3 {
			t.Errorf("%s: %v minutes of reading, want %v", k, got, want)
		}
		if usual(k, 1e9) > usual(k, 0)+longestReading {
			t.Errorf("%s: more than the longest reading", k)
		}
	}
}

// Four own times count as much as the usual time, first over all kinds, then for one.
func TestFactorsOfAPace(t *testing.T) {
	twice := math.Log(2)
	p := Pace{}
	p.Sum[0], p.Count[0] = 4*twice, 4
	f := p.factors()
	if want := math.Exp((4*twice + 4*twice/2) / 8); !close(f[0], want) {
		t.Errorf("the kind with times: %v, want %v", f[0], want)
	}
	if want := math.Exp(twice / 2); !close(f[1], want) {
		t.Errorf("a kind without: %v, want %v", f[1], want)
	}
}

// A wrong answer long after, when little is recalled of anything, says less of how a person learns than one at once.
func TestAWrongAnswerLaterSaysLessOfLearning(t *testing.T) {
	moved := func(recall float64) (most float64) {
		var traits Traits
		traits.attempt(Try{Mastery: 0.2, Readiness: 1, Effort: 1}, recall, false)
		for _, x := range traits.Learn {
			most = max(most, math.Abs(x))
		}
		return most
	}
	if now, later := moved(1), moved(0.05); later >= now/2 || now == 0 {
		t.Errorf("at once %v, later %v", now, later)
	}
}
