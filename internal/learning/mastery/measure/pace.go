package measure

import (
	"slices"
	"time"
)

// Pace is how long an update takes.
type Pace struct {
	// Micros is the median over updates, which other work on the machine does not change; MicrosMean has everything in
	// it, the collection of garbage and the waiting for a processor too.
	Micros     float64 `json:"micros_per_update"`
	MicrosMean float64 `json:"micros_per_update_mean"`
	MicrosP99  float64 `json:"micros_per_update_p99"`
}

// pace times steps one by one.
type pace struct {
	began time.Time
	steps []time.Duration
}

func (p *pace) start() { p.began = time.Now() }

func (p *pace) stop() { p.steps = append(p.steps, time.Since(p.began)) }

func (p *pace) report() (r Pace) {
	n := len(p.steps)
	if n == 0 {
		return r
	}
	slices.Sort(p.steps)
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	r.Micros, r.MicrosP99 = micros(p.steps[n/2]), micros(p.steps[n*99/100])
	for _, d := range p.steps {
		r.MicrosMean += micros(d) / float64(n)
	}
	return r
}
