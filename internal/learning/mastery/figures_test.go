package mastery_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/online"
)

var update = flag.Bool("update", false, "write testdata/figures.json anew, when the figures are meant to change")

// fixedLog is a log of 400 observations that is always the same: six concepts with three questions each, all outcomes, buttons, times,
// confidences, tags, memories of another program, and figures that others share.
func fixedLog() (log []mastery.Observation) {
	r := rand.New(rand.NewPCG(26, 11))
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for n := range 400 {
		k := r.IntN(6)
		at = at.Add(time.Duration(r.ExpFloat64() * float64(8*time.Hour)))
		o := mastery.Observation{
			AtomID: fmt.Sprint("atom ", k), At: at, ResponseTime: time.Duration(2+r.ExpFloat64()*12) * time.Second,
			Outcome: []mastery.Outcome{mastery.Correct, mastery.Correct, mastery.Correct, mastery.Partial, mastery.Incorrect, mastery.Skipped}[(r.IntN(6)+r.IntN(2)*k/4)%6],
		}
		switch r.IntN(4) {
		case 0:
			c := math.Round(r.Float64()*10) / 10
			o.Confidence = &c
		case 1:
			o.Tags = []string{fmt.Sprint("tag ", r.IntN(3))}
		case 2:
			o.ItemID = fmt.Sprint("question ", k, " ", r.IntN(3))
			o.QuestionID = o.ItemID
			o.ItemEase = online.Belief{Mean: float64(k-2) / 3, Var: 0.4}
		}
		if n%17 == 5 {
			o.Grade = fsrs.Grade(1 + r.IntN(4))
		}
		if n%41 == 7 {
			o.Given = &fsrs.State{Stability: 1 + r.Float64()*20, Difficulty: 2 + r.Float64()*7}
		}
		if n%23 == 3 {
			o.AlsoAtomIDs = []string{fmt.Sprint("atom ", (k+1)%6)}
		}
		if n%67 == 66 {
			o.At = time.Time{}
		}
		log = append(log, o)
	}
	return log
}

// The figures of a fixed log are those of the version that wrote testdata/figures.json. A learner's states are rows of numbers, and what
// follows from them is what they are shown: a change is a change for everybody who learns, so it must be meant (go test -run TestFigures -update).
func TestFigures(t *testing.T) {
	const file = "testdata/figures.json"
	e := mastery.NewEngine(0)
	p, l := mastery.NewPopulation(), mastery.NewLearner()
	p.Expect("atom 3", online.Belief{Mean: -0.8, Var: 0.3})
	var got [][]float64
	for n, o := range fixedLog() {
		u, err := e.Observe(p, l, o)
		if err != nil {
			t.Fatal(err)
		}
		if n%8 != 7 {
			continue
		}
		row := []float64{u.Expected, e.Expect(p, l, o.AtomID, fmt.Sprint("question ", n%6, " 1"), o.At)}
		for _, s := range []mastery.Estimate{u.Before, u.After, e.Estimate(p, l, "atom 3", o.At, 9*24*time.Hour)} {
			due := 0.0
			if !s.NextReviewAt.IsZero() && !o.At.IsZero() {
				due = s.NextReviewAt.Sub(o.At).Hours()
			}
			row = append(row, s.MasteryProbability, s.Interval90[0], s.Interval90[1], s.Retrievability, s.Stability, s.Difficulty, due)
		}
		got = append(got, row)
	}
	if *update {
		text, err := json.Marshal(got)
		if err == nil {
			err = os.WriteFile(file, append(text, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want [][]float64
	if err := json.Unmarshal(text, &want); err != nil || len(want) != len(got) {
		t.Fatal(err, len(want))
	}
	for i := range want {
		for k := range want[i] {
			if math.Abs(got[i][k]-want[i][k]) > 1e-8*(1+math.Abs(want[i][k])) {
				t.Fatalf("observation %d, figure %d: %v, not %v", 8*i+7, k, got[i][k], want[i][k])
			}
		}
	}
}
