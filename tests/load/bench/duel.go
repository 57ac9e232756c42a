package main

import (
	"fmt"
	"time"

	"stoa/tests/load/rig"
)

// duel lets a target and its ceiling take turns.
type duel struct {
	item   string
	goal   float64
	target side
	// ceiling is nil for a figure without one.
	ceiling side
}

// side runs one slice; processor time per request is 0 when not known.
type side func(lasting time.Duration) (r rig.Result, cpu time.Duration, err error)

// How long the sides run.
const (
	warmUp = 400 * time.Millisecond
	slice  = time.Second
)

func (b *bench) duel(d duel) error {
	sides := []side{d.target}
	if d.ceiling != nil {
		sides = append(sides, d.ceiling)
	}
	for _, s := range sides {
		if _, _, err := s(warmUp); err != nil {
			return fmt.Errorf("%s: %w", d.item, err)
		}
	}
	var ratios, rates [2][]float64
	var p50, p99, cpu [2][]float64
	size := 0.0
	for range b.slices {
		var got [2]float64
		for i, s := range sides {
			r, used, err := s(slice)
			if err != nil {
				return fmt.Errorf("%s: %w", d.item, err)
			}
			if r.Done == 0 || r.Wrong > 0 {
				return fmt.Errorf("%s: %d answers, %d of them not as expected", d.item, r.Done, r.Wrong)
			}
			got[i] = r.PerSecond()
			rates[i] = append(rates[i], got[i])
			p50[i], p99[i] = append(p50[i], rig.MS(r.Quantile(0.5))), append(p99[i], rig.MS(r.Quantile(0.99)))
			cpu[i] = append(cpu[i], float64(used.Microseconds())/float64(r.Done))
			if i == 0 {
				size = float64(r.Bytes) / float64(r.Done)
			}
		}
		if d.ceiling != nil {
			ratios[0] = append(ratios[0], got[0]/got[1])
		}
	}
	b.report.add(row{
		Item: d.item, Target: rig.Median(rates[0]), Ceiling: rig.Median(rates[1]), Ratio: rig.Median(ratios[0]), P50: rig.Median(p50[0]), P99: rig.Median(p99[0]),
		CeilingP99: rig.Median(p99[1]), CPU: rig.Median(cpu[0]), CeilingCPU: rig.Median(cpu[1]), Bytes: size, Goal: d.goal,
	})
	b.Progress("%-60s %8.0f/s  ratio %.2f", d.item, rig.Median(rates[0]), rig.Median(ratios[0]))
	return nil
}

// http is a side that loads a server over HTTP.
func (b *bench) http(p *rig.Process, clients, status int, next rig.Workload) side {
	return func(lasting time.Duration) (rig.Result, time.Duration, error) {
		before := p.CPU()
		r, err := rig.Load(p.Address, clients, lasting, status, next)
		return r, p.CPU() - before, err
	}
}

// recordings is how many answers the bare server has to give out.
const recordings = 200

// against measures a read of the target against the bare server with the target's own answers.
func (b *bench) against(item string, goal float64, p *rig.Process, status int, next rig.Workload) error {
	answers, err := record(p.Address, recordings, next)
	if err != nil {
		return fmt.Errorf("%s: %w", item, err)
	}
	if answers.Status != status {
		return fmt.Errorf("%s: answered %d: %.300s", item, answers.Status, answers.Bodies[0])
	}
	bare, err := b.startBare(answers)
	if err != nil {
		return err
	}
	defer bare.Stop()
	return b.duel(duel{item, goal, b.http(p, readers, status, next), b.http(bare, readers, status, next)})
}
