package main

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/tests/load/rig"
)

// sample is how the server is after one part of a soak.
type sample struct {
	memory     float64 // MiB of its own, without pages of the database file
	goroutines float64
	handles    float64
	p50, p99   float64 // ms
	errors     int
}

// slack is how much a figure may grow in any case, in its own unit: a handful of handles more is no leak.
var slack = sample{memory: 16, goroutines: 10, handles: 10, p50: 1, p99: 20}

// soaked offers one moderate rate for long, on one node with SQLite, and fails when something grows.
func (p *programme) soaked() error {
	every := min(time.Minute, p.soak/8) // short soaks still have quarters
	t, err := p.onSQLite()
	if err != nil {
		return err
	}
	defer t.stop()
	t.step(p.soakRate, warmUp, 1)
	var list []sample
	began := time.Now()
	fmt.Println("| minute | MiB | goroutines | handles | p50 ms | p99 ms | errors |\n|---|---|---|---|---|---|---|")
	for n := uint64(0); time.Since(began) < p.soak && p.Ctx.Err() == nil; n++ {
		f := t.step(p.soakRate, every, n+2)
		s := sample{
			memory: t.nodes[0].Memory("RssAnon"), p50: rig.MS(quantile(f.All, 0.5)), p99: rig.MS(quantile(f.All, 0.99)), errors: f.errors(),
		}
		if s.goroutines, err = gauge(t.metrics[0], "go_goroutines"); err != nil {
			return err
		}
		handles, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", t.nodes[0].PID()))
		if err != nil {
			return err
		}
		s.handles = float64(len(handles))
		list = append(list, s)
		fmt.Printf("| %.1f | %.0f | %.0f | %.0f | %.1f | %.1f | %s |\n", time.Since(began).Minutes(), s.memory, s.goroutines, s.handles, s.p50, s.p99, f.wrongs())
	}
	if err := p.Ctx.Err(); err != nil {
		return err
	}
	return p.grown(list)
}

// grown compares the middles of the second and of the last quarter.
func (p *programme) grown(list []sample) error {
	quarter := len(list) / 4
	second, last := list[quarter:2*quarter], list[len(list)-quarter:]
	var wrong []error
	for _, f := range []struct {
		name string
		of   func(sample) float64
	}{
		{"memory, MiB", func(s sample) float64 { return s.memory }},
		{"goroutines", func(s sample) float64 { return s.goroutines }},
		{"file handles", func(s sample) float64 { return s.handles }},
		{"p50, ms", func(s sample) float64 { return s.p50 }},
		{"p99, ms", func(s sample) float64 { return s.p99 }},
	} {
		middle := func(part []sample) float64 {
			var values []float64
			for _, s := range part {
				values = append(values, f.of(s))
			}
			return rig.Median(values)
		}
		from, to := middle(second), middle(last)
		bound := max(from*(1+p.share), from+f.of(slack))
		fmt.Printf("\n%s: %.1f in the second quarter, %.1f in the last (at most %.1f).\n", f.name, from, to, bound)
		if to > bound {
			wrong = append(wrong, fmt.Errorf("%s grew from %.1f to %.1f", f.name, from, to))
		}
	}
	if slices.ContainsFunc(list, func(s sample) bool { return s.errors > 0 }) {
		wrong = append(wrong, errors.New("some requests failed"))
	}
	return errors.Join(wrong...)
}

// gauge reads one figure of /metrics.
func gauge(address, name string) (float64, error) {
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return strconv.ParseFloat(text, 64)
		}
	}
	return 0, fmt.Errorf("the metrics have no %s: %w", name, lines.Err())
}
