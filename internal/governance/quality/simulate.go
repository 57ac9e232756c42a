package quality

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Figures are what simulated series say about the chart.
type Figures struct {
	Series       string  `json:"series"`
	Runs         int     `json:"runs"`
	Quiet        int     `json:"quietSnapshots"`
	FalseAlarms  int     `json:"falseAlarms"`
	PerThousand  float64 `json:"falseAlarmsPer1000"`
	Changes      int     `json:"falls"`
	Seen         int     `json:"fallsSeen"`             // within 100 snapshots
	SeenWithin10 float64 `json:"fallsSeenWithin10Pct"`  // of those that began without an alarm
	MedianDelay  float64 `json:"medianSnapshotsToSeen"` // the first after the fall is 1
	MeanDelay    float64 `json:"meanSnapshotsToSeen"`
}

// Kinds of series that Simulate draws.
var Kinds = []string{"normal, wide", "normal, narrow", "share of 8 answers", "share of 20 answers", "skewed", "heavy tails"}

// draw gives a value of a kind whose mean has moved by so many standard deviations.
func draw(r *rand.Rand, kind int, moved float64) float64 {
	const mean = .7
	share := func(of int) float64 {
		p := mean + moved*math.Sqrt(mean*(1-mean)/float64(of))
		right := 0
		for range of {
			if r.Float64() < p {
				right++
			}
		}
		return float64(right) / float64(of)
	}
	switch kind {
	case 0:
		return mean + .1*(r.NormFloat64()+moved)
	case 1:
		return mean + .02*(r.NormFloat64()+moved)
	case 2:
		return share(8)
	case 3:
		return share(20)
	case 4: // a sum of three exponentials, downwards: the long tail is on the side that is watched
		return mean + .1*((3-r.ExpFloat64()-r.ExpFloat64()-r.ExpFloat64())/math.Sqrt(3)+moved)
	}
	// Student's with five degrees of freedom
	chi := 0.0
	for range 5 {
		z := r.NormFloat64()
		chi += z * z
	}
	return mean + .1*(r.NormFloat64()/math.Sqrt(chi/5)/math.Sqrt(5.0/3)+moved)
}

// Simulate draws series of quiet values, counts alarms, then lets each fall by one standard deviation and counts the
// values until that is seen. Every value is looked at.
func Simulate(kind, runs, quiet int, seed uint64) Figures {
	r := rand.New(rand.NewPCG(seed, uint64(kind)))
	f := Figures{Series: Kinds[kind], Runs: runs, Quiet: runs * quiet}
	var delays []float64
	for range runs {
		var c Chart
		for range quiet {
			before := c.Fallen
			c.Add(draw(r, kind, 0))
			if c.Fallen && !before {
				f.FalseAlarms++
			}
		}
		if c.Fallen {
			continue
		}
		f.Changes++
		for n := 1; n <= 100; n++ {
			if c.Add(draw(r, kind, -1)); c.Fallen {
				delays = append(delays, float64(n))
				break
			}
		}
	}
	f.Seen = len(delays)
	f.PerThousand = Round(1000*float64(f.FalseAlarms)/float64(max(1, f.Quiet)), 4)
	slices.Sort(delays)
	within, sum := 0, 0.0
	for _, d := range delays {
		sum += d
		if d <= 10 {
			within++
		}
	}
	f.SeenWithin10 = Round(100*float64(within)/float64(max(1, f.Changes)), 4)
	if n := len(delays); n > 0 {
		f.MedianDelay, f.MeanDelay = delays[n/2], Round(sum/float64(n), 4)
	}
	return f
}
