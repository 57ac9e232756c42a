package strategy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"stoa/internal/learning/path"
)

// A contrast is the true difference of two strategies, however unequally they are drawn (Robins, Rotnitzky and Zhao 1994).
func TestContrastsAreUnbiased(t *testing.T) {
	truth := [arms]float64{1, 2.5, -.5}
	chance := [arms]float64{.7, .2, .1}
	const blocks, runs = 200, 150
	var errors [arms - 1]Moments
	for run := range uint64(runs) {
		r := rand.New(rand.NewPCG(run, 19))
		var e Evidence
		for range blocks {
			a, u := 0, r.Float64()
			for u >= chance[a] && a < arms-1 {
				u -= chance[a]
				a++
			}
			b := Block{Strategy: path.Strategies[a], Propensity: chance[a], At: noon}
			for range BlockLength - 1 {
				b.Outcome.Add(truth[a] + r.NormFloat64())
			}
			e.Add(b)
		}
		for a := 1; a < arms; a++ {
			if e.Contrasts[a-1].N != blocks {
				t.Fatalf("%d blocks of %d", e.Contrasts[a-1].N, blocks)
			}
			errors[a-1].Add(e.Contrasts[a-1].Mean() - (truth[a] - truth[0]))
		}
	}
	for a, m := range errors {
		if off := math.Abs(m.Mean()); off > 4*math.Sqrt(m.Variance()/runs) {
			t.Errorf("arm %d is off by %.3f", a+1, m.Mean())
		}
		// What the past lets expect takes most of the difference between arms out of the noise.
		if sd := math.Sqrt(m.Variance()); sd > .35 {
			t.Errorf("arm %d: standard deviation %.3f", a+1, sd)
		}
	}
}

// What cannot be compared adds nothing; the newest time is kept.
func TestBlocksThatSayNothing(t *testing.T) {
	var one Moments
	one.Add(1)
	var e Evidence
	for _, b := range []Block{
		{Strategy: "other", Propensity: .5, Outcome: one}, {Strategy: path.Recovery, Outcome: one}, {Strategy: path.Recovery, Propensity: .5},
	} {
		e.Add(b)
	}
	if e != (Evidence{}) {
		t.Errorf("%+v", e)
	}
	for _, at := range []time.Time{noon, noon.Add(-time.Hour)} {
		e.Add(Block{Strategy: path.Recovery, Propensity: .5, Outcome: one, At: at})
	}
	if arm := e.Arms[index(path.Recovery)]; !arm.Newest.Equal(noon) || arm.Outcome.N != 2 || arm.Blocks.N != 2 {
		t.Errorf("%+v", arm)
	}
}

// A block ends with its last session, or when the next one begins; it is handed on once.
func TestBlocksEnd(t *testing.T) {
	session := func(s path.Strategy, place int) Record {
		return Record{Strategy: s, Propensity: .5, InBlock: place, Outcome: float64(place), Actions: 20, At: noon.Add(time.Duration(place) * time.Hour)}
	}
	type ended struct {
		strategy path.Strategy
		n        int
		sum      float64
	}
	for name, c := range map[string]struct {
		sessions []Record
		want     []ended
	}{
		"whole":                  {[]Record{session(path.Recovery, 0), session(path.Recovery, 1), session(path.Recovery, 2), session(path.Recovery, 3), session(path.Recovery, 4), session(path.Exploration, 0)}, []ended{{path.Recovery, 4, 10}}},
		"cut short by the next":  {[]Record{session(path.Recovery, 1), session(path.Recovery, 2), session(path.Exploration, 0), session(path.Exploration, 4)}, []ended{{path.Recovery, 2, 3}, {path.Exploration, 1, 4}}},
		"another of its kind":    {[]Record{session(path.Recovery, 1), session(path.Recovery, 3), session(path.Recovery, 1), session(path.Recovery, 4)}, []ended{{path.Recovery, 2, 4}, {path.Recovery, 2, 5}}},
		"burn-in alone":          {[]Record{session(path.Recovery, 0), session(path.Exploration, 0)}, nil},
		"the last of two blocks": {[]Record{session(path.Recovery, 2), session(path.Exploration, 4), session(path.Balanced, 0)}, []ended{{path.Recovery, 1, 2}, {path.Exploration, 1, 4}}},
	} {
		var running Running
		var got []ended
		for _, r := range c.sessions {
			if b, done := running.Add(r); done {
				got = append(got, ended{b.Strategy, b.Outcome.N, b.Outcome.Sum})
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
		}
	}
}

// The sequence holds at every number of blocks at once, is looked at from the fourteenth on, and gets narrower.
func TestSequences(t *testing.T) {
	for n := range 2 {
		m := Moments{N: n, Sum: 1}
		if s := m.sequence(Alpha); !math.IsInf(s.Low, -1) || !math.IsInf(s.High, 1) || s.Ready {
			t.Errorf("%d values: %+v", n, s)
		}
	}
	wrong := 0
	const runs = 400
	for run := range uint64(runs) {
		r := rand.New(rand.NewPCG(run, 3))
		var m Moments
		missed := false
		for n := 1; n <= 200; n++ {
			m.Add(2 + r.NormFloat64())
			s := m.sequence(Alpha)
			if s.Ready != (n >= earliest) {
				t.Fatalf("%d blocks: ready %v", n, s.Ready)
			}
			missed = missed || s.Ready && (s.Low > 2 || s.High < 2)
		}
		if missed {
			wrong++
		}
		if s := m.sequence(Alpha); s.High-s.Low > .75 || s.High-s.Low < .4 {
			t.Fatalf("after 200 values %.2f wide", s.High-s.Low)
		}
	}
	if share := float64(wrong) / runs; share > .03 { // the interval is one of large numbers, and is looked at from 14 on
		t.Errorf("wrong at some time in %.1f %%", 100*share)
	}
}
