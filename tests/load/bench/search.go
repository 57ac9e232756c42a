package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"time"

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

// Searches, over HTTP on one connection, every text asked once.
const (
	searches     = 400
	searchWarmUp = 40
)

// search measures searches over 100,000 templates and, where that store is there, over a million: how
// long they take must hardly grow.
func (b *bench) search(data string) error {
	p, err := b.serve(data)
	if err != nil {
		return err
	}
	defer p.Stop()
	targets := []*rig.Process{p}
	if b.large || stores.Made(b.cache, large) {
		dir, err := stores.Make(b.Ctx, b.cache, large, b.making(large))
		if err != nil {
			return err
		}
		// Measured where it is kept: searching changes nothing but request records.
		p, err := b.serve(dir)
		if err != nil {
			return err
		}
		defer p.Stop()
		targets = append(targets, p)
	} else {
		b.report.skip("search over 1,000,000 templates: run with --large to make that store")
	}
	times, err := ask(targets)
	if err != nil {
		return err
	}
	for i, n := range []int{small, large}[:len(targets)] {
		b.report.value(fmt.Sprintf("search over %d templates, p50", n), rig.MS(at(times[i], 0.50)), "ms", 0)
		b.report.value(fmt.Sprintf("search over %d templates, p99", n), rig.MS(at(times[i], 0.99)), "ms", 0)
		b.Progress("search over %d: p50 %v, p99 %v", n, at(times[i], 0.5), at(times[i], 0.99))
	}
	if len(targets) == 2 {
		b.report.value("search p99, 1,000,000 against 100,000", float64(at(times[1], 0.99))/float64(at(times[0], 0.99)), "×", 3)
		b.report.value("search p50, 1,000,000 against 100,000", float64(at(times[1], 0.50))/float64(at(times[0], 0.50)), "×", 0)
		b.report.value("resident memory with 1,000,000 templates", targets[1].Memory("VmRSS"), "MiB", 0)
	}
	return nil
}

// ask puts the same searches to each target in turn.
func ask(targets []*rig.Process) ([][]time.Duration, error) {
	times := make([][]time.Duration, len(targets))
	clients := make([]*rig.Client, len(targets))
	for i, p := range targets {
		c, err := rig.Dial(p.Address)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		clients[i] = c
	}
	r := rand.New(rand.NewPCG(3, 3))
	for n := range searchWarmUp + searches {
		request := rig.Get("/api/templates?limit=50&query=" + url.QueryEscape(rig.Question(r)))
		for i, c := range clients {
			start := time.Now()
			status, _, err := c.Skip(request)
			if err != nil || status != 200 {
				return nil, fmt.Errorf("%s answered %d: %w", request, status, err)
			}
			if n >= searchWarmUp {
				times[i] = append(times[i], time.Since(start))
			}
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	return times, nil
}

func at(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
