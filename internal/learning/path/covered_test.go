package path

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"stoa/internal/learning/mastery"
)

// What is shown of a concept with several questions: a right answer never lowers it, a wrong one never raises it, whatever was asked; it
// is never more than the models say, and that when all was answered.
func TestCoverageObeysTheAnswers(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		engine, people, person := mastery.NewEngine(0), mastery.NewPopulation(), mastery.NewLearner()
		all := 1 + r.IntN(9)
		p, at := Practice{}, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		for range 40 {
			at = at.Add(time.Duration(r.ExpFloat64() * float64(20*time.Hour)))
			obs := mastery.Observation{AtomID: "a", Outcome: []mastery.Outcome{mastery.Correct, mastery.Incorrect, mastery.Skipped}[r.IntN(3)], At: at}
			if r.IntN(4) > 0 {
				obs.QuestionID = string(rune('a' + r.IntN(all)))
			}
			shown := func() float64 {
				return p.OfAll(p.Correct, all, engine.Estimate(people, person, "a", at, 0).MasteryProbability)
			}
			before := shown()
			u, err := engine.Observe(people, person, obs)
			if err != nil {
				t.Fatal(err)
			}
			p.Take(&Traits{}, obs, 1)
			after := shown()
			if obs.Outcome == mastery.Correct && after < before-1e-12 || obs.Outcome != mastery.Correct && after > before+1e-12 {
				t.Fatalf("seed %d: %s moved %v to %v", seed, obs.Outcome, before, after)
			}
			known := u.After.MasteryProbability
			if after > known || (all == 1 || len(p.Right) == all) && after != known {
				t.Fatalf("seed %d: %v of %v, %d of %d questions", seed, after, known, len(p.Right), all)
			}
		}
		slices.Sort(p.Right)
		if len(slices.Compact(p.Right)) > all {
			t.Fatalf("seed %d: %v", seed, p.Right)
		}
	}
}

// Right answers that named no question are taken for answers to different ones, and no more are kept than the bound.
func TestCoverageOfUnnamedAnswers(t *testing.T) {
	var c Covered
	if got := c.OfAll(7, 7, 0.98); got != 0.98 {
		t.Errorf("seven answers to seven questions: %v", got)
	}
	if two := c.OfAll(2, 7, 0.98); two < 0.7 || two >= 0.8 {
		t.Errorf("two of seven: %v", two)
	}
	for i := range 200 {
		c.take(&mastery.Observation{Outcome: mastery.Correct, QuestionID: string(rune('A' + i))})
	}
	if len(c.Right) != mostCovered || c.Named != 200 || c.OfAll(200, 300, 0.9) != 0.9 {
		t.Errorf("%d kept of %d", len(c.Right), c.Named)
	}
}
