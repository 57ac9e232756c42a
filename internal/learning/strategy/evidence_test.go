package strategy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

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

// The alarm of a fall comes within some dozens of values when the mean falls by a deviation, and hardly ever without one.
func TestDrift(t *testing.T) {
	until := func(seed uint64, fall float64) (at int, alarm bool) {
		r := rand.New(rand.NewPCG(seed, 5))
		var d Drift
		var m Moments
		for n := range 300 {
			x := r.NormFloat64()
			if n >= 100 {
				x -= fall
			}
			m.Add(x)
			d.add(x, m)
			if d.Alarm {
				return n, true
			}
		}
		return 0, false
	}
	early, late, false0 := 0, 0, 0
	const runs = 300
	for seed := range uint64(runs) {
		if at, alarm := until(seed, 1.5); alarm && at >= 100 {
			late = max(late, at)
		} else {
			early++
		}
		if _, alarm := until(seed, 0); alarm {
			false0++
		}
	}
	if early > runs/10 || late > 160 {
		t.Errorf("a fall: %d of %d not found or too early, the last at %d", early, runs, late)
	}
	if share := float64(false0) / runs; share < .02 || share > .2 { // 300 of about three thousand
		t.Errorf("without a fall %.2f of %d values alarm", share, 300)
	}
	var few Drift
	var m Moments
	for range 7 {
		m.Add(1)
		few.add(-100, m)
	}
	for range 20 {
		m.Add(1)
		few.add(1, m)
	}
	if few != (Drift{}) {
		t.Errorf("fewer than eight values, or values without a spread, moved it: %+v", few)
	}
}

// The eighth value counts, and the alarm comes above twelve, not at it.
func TestDriftAtItsBounds(t *testing.T) {
	var m Moments
	for i := range 8 {
		m.Add(float64(i % 2))
	}
	var d Drift
	d.add(m.Mean(), m)
	if d.Sum != -.25 || d.Least != -.25 {
		t.Errorf("the eighth value: %+v", d)
	}
	at := Drift{Sum: 12.25}
	if at.add(m.Mean(), m); at.Alarm {
		t.Errorf("an alarm at twelve: %+v", at)
	}
	above := Drift{Sum: 12.5}
	if above.add(m.Mean(), m); !above.Alarm {
		t.Errorf("no alarm above twelve: %+v", above)
	}
}

// Few outcomes are judged as the integral over both posteriors says, from Jeffreys' prior of half an outcome each way.
func TestWorseOfFew(t *testing.T) {
	near := 0
	for own := range 7 {
		for other := range 4 {
			var e Evidence
			e.Arms[0].Outcome = Moments{N: 6, Negative: other}
			e.Arms[1].Outcome = Moments{N: 6, Negative: own}
			got := e.worse(1)
			if got == .5 || got == .99 {
				continue
			}
			near++
			a := distuv.Beta{Alpha: float64(other) + .5, Beta: 6 - float64(other) + .5}
			b := distuv.Beta{Alpha: float64(own) + .5, Beta: 6 - float64(own) + .5}
			want, steps := 0.0, 20000
			for i := range steps {
				x := (float64(i) + .5) / float64(steps)
				if x+.1 < 1 {
					want += a.Prob(x) * (1 - b.CDF(x+.1)) / float64(steps)
				}
			}
			if math.Abs(got-want) > .0085 {
				t.Errorf("%d of 6 against %d of 6: %.4f, the integral is %.4f", own, other, got, want)
			}
		}
	}
	if near < 5 {
		t.Errorf("only %d cases were close", near)
	}
}

// The share of negative outcomes is judged as a simulation of both posteriors judges it.
func TestWorse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	between := 0
	for range 400 {
		n, base := 10+r.IntN(60), 10+r.IntN(60)
		var e Evidence
		e.Arms[0].Outcome = Moments{N: base, Negative: r.IntN(base/2 + 1)}
		e.Arms[1].Outcome = Moments{N: n, Negative: r.IntN(n + 1)}
		draw := func(m Moments) func() float64 {
			a, b := gamma(r, float64(m.Negative)+.5), gamma(r, float64(m.N-m.Negative)+.5)
			return func() float64 { x := a(); return x / (x + b()) }
		}
		own, other := draw(e.Arms[1].Outcome), draw(e.Arms[0].Outcome)
		const draws = 4000
		above := 0
		for range draws {
			if own() > other()+.1 {
				above++
			}
		}
		want, got := float64(above)/draws, e.worse(1)
		if got != .5 && got != .99 {
			between++
			if math.Abs(got-want) > .04 {
				t.Errorf("%+v against %+v: %.3f, simulated %.3f", e.Arms[1].Outcome, e.Arms[0].Outcome, got, want)
			}
		} else if (got == .99) != (want > .95) && (want > .97 || want < .7) {
			t.Errorf("%+v against %+v: %.3f, simulated %.3f", e.Arms[1].Outcome, e.Arms[0].Outcome, got, want)
		}
	}
	if between < 20 {
		t.Errorf("only %d cases were close", between)
	}
}

// gamma draws from a gamma distribution (Marsaglia and Tsang 2000).
func gamma(r *rand.Rand, shape float64) func() float64 {
	boost, k := 1.0, shape
	if k < 1 {
		k++
	}
	d := k - 1./3
	c := 1 / math.Sqrt(9*d)
	return func() float64 {
		boost = 1
		if shape < 1 {
			boost = math.Pow(r.Float64(), 1/shape)
		}
		for {
			x := r.NormFloat64()
			v := (1 + c*x) * (1 + c*x) * (1 + c*x)
			if v > 0 && math.Log(r.Float64()) < .5*x*x+d-d*v+d*math.Log(v) {
				return boost * d * v
			}
		}
	}
}

// Each reason to give a strategy up alone does so, at its bound and not before; balanced is never given up.
func TestRolledBack(t *testing.T) {
	many := func(n, negative int) Arm { return Arm{Outcome: Moments{N: n, Negative: negative}} }
	var below Moments
	for i := range 40 {
		below.Add(-5 + float64(i%2))
	}
	for name, c := range map[string]struct {
		e    Evidence
		want string
	}{
		"nothing":           {Evidence{}, ""},
		"below":             {Evidence{Contrasts: [arms - 1]Moments{below}}, "contrast_below_zero"},
		"goes wrong":        {Evidence{Arms: [arms]Arm{many(enoughPerArm, 0), many(enoughPerArm, enoughPerArm)}}, "negative_ratio"},
		"too few":           {Evidence{Arms: [arms]Arm{many(enoughPerArm, 0), many(enoughPerArm-1, enoughPerArm-1)}}, ""},
		"too few of others": {Evidence{Arms: [arms]Arm{many(enoughPerArm-1, 0), many(enoughPerArm, enoughPerArm)}}, ""},
		"as the others":     {Evidence{Arms: [arms]Arm{many(enoughPerArm, 3), many(enoughPerArm, 3)}}, ""},
		"has fallen":        {Evidence{Arms: [arms]Arm{{}, {Drift: Drift{Alarm: true}}}}, "outcome_drift"},
	} {
		if got := c.e.rolledBack(path.Strategies[1]); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := c.e.rolledBack(path.Balanced); got != "" {
			t.Errorf("%s: balanced is given up: %s", name, got)
		}
		if c.e.contrast(path.Balanced) != (Sequence{}) || c.e.contrast("other") != (Sequence{}) {
			t.Errorf("%s: balanced is compared with itself", name)
		}
	}
	if got := Select(Inputs{Fallback: "other"}); got.Strategy != path.Balanced || got.Source != Fallback {
		t.Errorf("without a known fallback: %+v", got)
	}
	if got := Select(Inputs{Fallback: path.Recovery}); got.Strategy != path.Recovery {
		t.Errorf("the fallback is not kept: %+v", got)
	}
}

// A block's mean moves the alarm of its own arm.
func TestBlocksMoveTheAlarm(t *testing.T) {
	var e Evidence
	r := rand.New(rand.NewPCG(4, 4))
	for n := range 80 {
		var m Moments
		m.Add(r.NormFloat64() - 4*float64(n/40))
		e.Add(Block{Strategy: path.Recovery, Propensity: .5, Outcome: m, At: noon})
	}
	if !e.Arms[index(path.Recovery)].Drift.Alarm || e.Arms[0].Drift != (Drift{}) {
		t.Errorf("%+v", e.Arms)
	}
}

// What two halves of the learners have shown, each counted on its own, is unbiased when it is put together, and loses nothing.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	effect := []float64{0, .8, -.4, .2}
	var halves [2]Evidence
	for i := range 40_000 {
		a := r.IntN(arms)
		var m Moments
		m.Add(3 + effect[a%len(effect)] + r.NormFloat64())
		halves[i%2].Add(Block{Strategy: path.Strategies[a], Propensity: 1.0 / arms, Outcome: m, At: noon.Add(time.Duration(i) * time.Minute)})
	}
	n := halves[0].outcomes() + halves[1].outcomes()
	newest := halves[1].Arms[0].Newest
	halves[0].Arms[2].Drift.Alarm, halves[1].Arms[1].Drift.Alarm = false, true
	all := halves[0]
	all.Merge(&halves[1])
	if all.outcomes() != n || !all.Arms[1].Drift.Alarm || all.Arms[0].Newest.Before(newest) {
		t.Errorf("%d of %d outcomes, %v", all.outcomes(), n, all.Arms)
	}
	for a := 1; a < arms; a++ {
		want := effect[a%len(effect)] - effect[0]
		if got := all.Contrasts[a-1].Mean(); math.Abs(got-want) > .06 {
			t.Errorf("the contrast of arm %d is %.3f, and %.3f was planted", a, got, want)
		}
		if all.Contrasts[a-1].Variance() <= 0 || all.Contrasts[a-1].N != 40_000 {
			t.Errorf("arm %d: %+v", a, all.Contrasts[a-1])
		}
	}
}
