package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"
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
type side func(lasting time.Duration) (r result, cpu time.Duration, err error)

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
			if r.done == 0 || r.wrong > 0 {
				return fmt.Errorf("%s: %d answers, %d of them not as expected", d.item, r.done, r.wrong)
			}
			got[i] = r.perSecond()
			rates[i] = append(rates[i], got[i])
			p50[i], p99[i] = append(p50[i], ms(r.quantile(0.5))), append(p99[i], ms(r.quantile(0.99)))
			cpu[i] = append(cpu[i], float64(used.Microseconds())/float64(r.done))
			if i == 0 {
				size = float64(r.bytes) / float64(r.done)
			}
		}
		if d.ceiling != nil {
			ratios[0] = append(ratios[0], got[0]/got[1])
		}
	}
	b.report.add(row{
		Item: d.item, Target: median(rates[0]), Ceiling: median(rates[1]), Ratio: median(ratios[0]), P50: median(p50[0]), P99: median(p99[0]),
		CeilingP99: median(p99[1]), CPU: median(cpu[0]), CeilingCPU: median(cpu[1]), Bytes: size, Goal: d.goal,
	})
	b.progress("%-60s %8.0f/s  ratio %.2f", d.item, median(rates[0]), median(ratios[0]))
	return nil
}

// http is a side that loads a server over HTTP.
func (b *bench) http(p *process, clients, status int, next workload) side {
	return func(lasting time.Duration) (result, time.Duration, error) {
		before := p.cpu()
		r, err := load(p.address, clients, lasting, status, next)
		return r, p.cpu() - before, err
	}
}

// recordings is how many answers the bare server has to give out.
const recordings = 200

// against measures a read of the target against the bare server with the target's own answers.
func (b *bench) against(item string, goal float64, p *process, status int, next workload) error {
	answers, err := record(p.address, recordings, next)
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
	defer bare.stop()
	return b.duel(duel{item, goal, b.http(p, readers, status, next), b.http(bare, readers, status, next)})
}

// fetchWhole sends a request on a connection of its own and gives the whole answer.
func fetchWhole(address string, request []byte) (int, http.Header, []byte, error) {
	c, err := dial(address)
	if err != nil {
		return 0, nil, nil, err
	}
	defer c.Close()
	if _, err := c.Write(request); err != nil {
		return 0, nil, nil, err
	}
	method, _, _ := bytes.Cut(request, []byte(" "))
	response, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: string(method)})
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, body, err
}
