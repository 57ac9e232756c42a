package main

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"

	"stoa/tests/load/rig"
)

// Bounds of one step.
const (
	workers    = 256              // connections to each node, as many requests are on their way at once
	patience   = 10 * time.Second // for one answer
	afterwards = 5 * time.Second  // for what still waits when a step ends
)

// Where the knee is.
const (
	kneeP99      = time.Second
	kneeErrors   = 0.01 // share of requests
	kneeAchieved = 0.90 // share of the offered rate
)

// figures are what became of the requests of one step.
type figures struct {
	Offered  float64 // per second, of requests that came
	Achieved float64 // answered well per second, while the step lasted
	Times    [kinds][]time.Duration
	All      []time.Duration
	Statuses map[int]int // unexpected ones; 0 for no answer
	Total    int
	Unsent   int // still waiting for a connection when the step and its time afterwards were over

	Nodes, Database, Generator  float64 // processors busy
	NodesMemory, DatabaseMemory float64 // MiB at the end
	Knee                        string  // what was beyond its bound; "" for nothing
}

func (f *figures) errors() (n int) {
	n = f.Unsent
	for count := range maps.Values(f.Statuses) {
		n += count
	}
	return n
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// arrival is a request that came.
type arrival struct {
	kind kind
	due  time.Time
}

// worker sends requests of the queue over connections of its own, to each node in turn.
type worker struct {
	target  *target
	random  *rand.Rand
	clients []*rig.Client
	tag     []byte
	turn    int
	times   [kinds][]time.Duration
	wrong   map[int]int
	inTime  int
}

// step lets requests come at a rate for a while, however long earlier ones take. Their time counts from when they came, so that
// waiting for a connection is part of it.
func (t *target) step(rate float64, lasting time.Duration, seed uint64) *figures {
	r := rand.New(rand.NewPCG(seed, 11))
	moments := arrivals(rate, lasting, r)
	queue := make(chan arrival, len(moments)) // never full: whoever comes waits
	list := make([]*worker, workers*len(t.nodes))
	nodesBefore, databaseBefore := t.used()
	own := ownTime()
	began := time.Now()
	end, last := began.Add(lasting), began.Add(lasting+afterwards)
	var wait sync.WaitGroup
	for i := range list {
		w := &worker{target: t, random: rand.New(rand.NewPCG(seed, uint64(i))), clients: make([]*rig.Client, len(t.nodes)), turn: i, wrong: map[int]int{}}
		list[i] = w
		wait.Go(func() { w.work(queue, end, last) })
	}
	for _, at := range moments {
		if d := time.Until(began.Add(at)); d > 0 {
			time.Sleep(d)
		}
		queue <- arrival{draw(r), began.Add(at)}
	}
	close(queue)
	time.Sleep(time.Until(end))
	took := time.Since(began).Seconds()
	nodesAfter, databaseAfter := t.used()
	f := &figures{Offered: float64(len(moments)) / lasting.Seconds(), Statuses: map[int]int{}, Total: len(moments)}
	f.Nodes, f.Database = (nodesAfter-nodesBefore).Seconds()/took, (databaseAfter-databaseBefore).Seconds()/took
	f.Generator = (ownTime() - own).Seconds() / took
	f.NodesMemory, f.DatabaseMemory = t.memory()
	wait.Wait()
	inTime, answers := 0, 0
	for _, w := range list {
		inTime += w.inTime
		for k, times := range w.times {
			f.Times[k] = append(f.Times[k], times...)
			f.All = append(f.All, times...)
		}
		for status, n := range w.wrong {
			f.Statuses[status] += n
			answers += n
		}
	}
	for k := range f.Times {
		slices.Sort(f.Times[k])
	}
	slices.Sort(f.All)
	f.Unsent = len(moments) - len(f.All) - answers
	f.Achieved = float64(inTime) / lasting.Seconds()
	f.Knee = f.knee()
	return f
}

// ownTime is the processor time of this programme, which shares the machine with what it measures.
func ownTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (f *figures) knee() string {
	switch {
	case float64(f.errors()) > kneeErrors*float64(f.Total):
		return "errors above 1 %"
	case f.Achieved < kneeAchieved*f.Offered:
		return "fewer than 90 % answered in time"
	case quantile(f.All, 0.99) > kneeP99:
		return "p99 above 1 s"
	}
	return ""
}

func (w *worker) work(queue <-chan arrival, end, last time.Time) {
	defer func() {
		for _, c := range w.clients {
			if c != nil {
				c.Close()
			}
		}
	}()
	for a := range queue {
		if time.Now().After(last) {
			continue // counted as unsent
		}
		status := w.send(a.kind)
		now := time.Now()
		if !answered(a.kind, status) {
			w.wrong[status]++
			continue
		}
		w.times[a.kind] = append(w.times[a.kind], now.Sub(a.due))
		if !now.After(end) {
			w.inTime++
		}
	}
}

// send sends a request and tells the status of its answer, 0 when there is none.
func (w *worker) send(k kind) int {
	w.turn++
	i := w.turn % len(w.clients)
	if w.clients[i] == nil {
		c, err := rig.Dial(w.target.nodes[i].Address)
		if err != nil {
			return 0
		}
		w.clients[i] = c
	}
	c := w.clients[i]
	_ = c.SetDeadline(time.Now().Add(patience))
	status, _, err := c.Skip(w.target.traffic.request(k, w.random, w.tag))
	if err != nil {
		c.Close()
		w.clients[i] = nil
		return 0
	}
	if k == revalidate && len(c.Tag) > 0 {
		w.tag = remember(w.tag, c.Tag)
	}
	return status
}

// warmUp is how long a target is used before it is measured, for it to have read what it keeps in memory.
const warmUp = 5 * time.Second

// rise offers more and more until the knee, or the highest rate.
func (p *programme) rise(t *target) error {
	t.step(min(200, p.most), warmUp, 1)
	c := &curve{Name: t.name}
	p.report.Curves = append(p.report.Curves, c)
	rate := p.rates[0]
	for i := 0; rate <= p.most && p.Ctx.Err() == nil; i++ {
		f := t.step(rate, p.step, uint64(i+2))
		c.Steps = append(c.Steps, f)
		p.Progress("%s: offered %.0f/s, answered %.0f/s, p50 %.1f ms, p99 %.1f ms, errors %d %v, unsent %d, processors %.2f + %.2f (generator %.2f), %.0f + %.0f MiB %s",
			t.name, f.Offered, f.Achieved, rig.MS(quantile(f.All, 0.5)), rig.MS(quantile(f.All, 0.99)), f.errors(), f.Statuses, f.Unsent, f.Nodes, f.Database, f.Generator, f.NodesMemory, f.DatabaseMemory, f.Knee)
		if f.Knee != "" {
			break
		}
		if i+1 < len(p.rates) {
			rate = p.rates[i+1]
		} else {
			rate *= 2
		}
	}
	return p.Ctx.Err()
}
