package measure_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/measure"
)

// rememberer makes a log of reviews of one simulated person: recall decides by chance, cards come back at intervals
// around what FSRS-6 plans.
func rememberer(r *rand.Rand, cards, reviews int, recall func(s fsrs.State, days float64, n int) float64) []measure.Review {
	m := fsrs.NewModel(fsrs.Default)
	var log []measure.Review
	for c := range cards {
		var s fsrs.State
		at, days := 1.7e9+r.Float64()*86400*100, 0.0
		for n := range reviews {
			g := fsrs.Good
			if n == 0 && r.Float64() < 0.4 || n > 0 && r.Float64() > recall(s, days, n) {
				g = fsrs.Again
			} else if r.Float64() < 0.15 {
				g = fsrs.Hard
			}
			log = append(log, measure.Review{User: "u", Card: fmt.Sprint(c), Grade: g, At: at})
			s = m.Next(s, g, days)
			days = max(1, math.Round(m.Interval(s, 0.9)*(0.5+r.Float64())))
			at += days * 86400
		}
	}
	slices.SortStableFunc(log, func(a, b measure.Review) int { return int(math.Copysign(1, a.At-b.At)) })
	return log
}

// Whoever the person is, ours is not much worse than the best of what is mixed, and better than FSRS-6 where the person
// differs from its defaults.
func TestRecallOfSimulatedPeople(t *testing.T) {
	m := fsrs.NewModel(fsrs.Default)
	for name, c := range map[string]struct {
		recall func(s fsrs.State, days float64, n int) float64
		gain   float64 // at least, against FSRS-6, in nats per review
	}{
		"as FSRS-6 says":        {func(s fsrs.State, days float64, _ int) float64 { return m.Retrievability(s, days) }, -0.003},
		"forgets twice as fast": {func(s fsrs.State, days float64, _ int) float64 { return m.Retrievability(s, days*4) }, 0.004},
		"forgets hardly":        {func(s fsrs.State, days float64, _ int) float64 { return m.Retrievability(s, days/6) }, 0.02},
		"by mood, not time":     {func(fsrs.State, float64, int) float64 { return 0.7 }, 0.02},
	} {
		report := measure.Recall(rememberer(rand.New(rand.NewPCG(3, 4)), 300, 8, c.recall), 0)
		by := map[string]float64{}
		best := math.Inf(1)
		for _, f := range report.Models {
			by[f.Model] = f.LogLoss
			best = min(best, f.LogLoss)
		}
		t.Logf("%s: %v", name, by)
		if report.N < 1000 {
			t.Fatalf("%s: only %d reviews", name, report.N)
		}
		if ours := report.LogLoss; ours > best+2*math.Log(5)/float64(report.N) {
			t.Errorf("%s: %.4f, the best of the mixed %.4f", name, ours, best)
		}
		if gain := by["FSRS-6 default"] - report.LogLoss; gain < c.gain {
			t.Errorf("%s: %.4f better than FSRS-6, wanted %.4f", name, gain, c.gain)
		}
	}
}

// class makes answers of people who learn by practice: several skills an item, with or without times.
func class(seed uint64, people, answers int, timed, several bool) []measure.Answer {
	r := rand.New(rand.NewPCG(seed, 9))
	const skills, items = 15, 200
	ease, hard := make([]float64, skills), make([]float64, items)
	needs := make([][]int, items)
	for i := range ease {
		ease[i] = r.NormFloat64() * 0.7
	}
	for i := range items {
		hard[i] = r.NormFloat64()
		needs[i] = []int{i % skills}
		if several && r.Float64() < 0.5 {
			needs[i] = append(needs[i], (i+1+r.IntN(skills-1))%skills)
		}
	}
	var log []measure.Answer
	for p := range people {
		ability, at := r.NormFloat64(), r.Float64()*1e7
		var practised [skills]float64
		for range answers {
			i := r.IntN(items)
			z := ability - hard[i]
			a := measure.Answer{User: fmt.Sprint(p), Item: fmt.Sprint("i", i), At: at, Timed: timed}
			for _, s := range needs[i] {
				z += (ease[s] + 0.8*math.Log1p(practised[s])) / float64(len(needs[i]))
				practised[s]++
				a.Skills = append(a.Skills, fmt.Sprint("s", s))
			}
			a.Right = r.Float64() < 1/(1+math.Exp(-z))
			at += r.ExpFloat64() * 600
			log = append(log, a)
		}
	}
	return log
}

func TestMasteryOfSimulatedClasses(t *testing.T) {
	for _, c := range []struct {
		name           string
		timed, several bool
	}{{"no times", false, false}, {"times", true, false}, {"several skills", true, true}} {
		log := class(5, 120, 80, c.timed, c.several)
		r := measure.Mastery(nil, log, 0)
		by := map[string]measure.Figures{}
		for _, m := range r.Models {
			by[m.Model] = m.Figures
			t.Logf("%s, %s: AUC %.4f log loss %.4f ECE %.4f", c.name, m.Model, m.AUC, m.LogLoss, m.ECE)
		}
		if r.TestPeople < 10 || r.TestPeople > 40 || r.TestPeople+r.TrainPeople != 120 {
			t.Errorf("%s: %d of %d people held out", c.name, r.TestPeople, 120)
		}
		for name, f := range by {
			if name != "stoa" && (r.AUC < f.AUC || r.LogLoss > f.LogLoss) {
				t.Errorf("%s: %s is better than ours", c.name, name)
			}
		}
		if r.AUC < by["BKT (grid per skill)"].AUC+0.03 || r.ECE > 0.04 {
			t.Errorf("%s: AUC %.4f, ECE %.4f", c.name, r.AUC, r.ECE)
		}
		// The order of the file's people changes nothing; nor does a second run.
		slices.Reverse(log)
		if !c.timed {
			continue
		}
		if again := measure.Mastery(nil, log, 0); again.ModelFigures != r.ModelFigures {
			t.Errorf("%s: %+v in another order, %+v before", c.name, again.ModelFigures, r.ModelFigures)
		}
	}
}
