package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

// programme is one run.
type programme struct {
	rig.Run
	cache     string
	peer      string // the binary of PocketBase; built when empty
	templates int
	targets   []string
	step      time.Duration
	rates     []float64
	most      float64
	slices    int
	slice     time.Duration
	soak      time.Duration
	soakRate  float64
	share     float64
	only      string // operations beside PocketBase: those whose name has it
	write     bool
	servers   int
	report    *report
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := &programme{Run: rig.NewRun(ctx), report: newReport()}
	targets := flag.String("targets", "sqlite,postgres,nodes,peer", "what to measure, separated by commas: sqlite, postgres (one node), nodes (three nodes on PostgreSQL), peer (PocketBase beside Stoa)")
	rates := flag.String("rates", "50,100,200,400,800", "requests per second of the first steps; the last one is doubled on and on")
	flag.DurationVar(&p.step, "step", 8*time.Second, "how long each step lasts")
	flag.Float64Var(&p.most, "most", 25_600, "highest rate that is tried")
	flag.IntVar(&p.templates, "templates", 100_000, "templates in every store")
	flag.StringVar(&p.cache, "cache", ".cache/bench", "where stores that take long to make are kept")
	flag.StringVar(&p.Binary, "binary", "", "measure this binary instead of building one")
	flag.StringVar(&p.peer, "peer", "", "measure against this binary of PocketBase instead of building one")
	flag.IntVar(&p.slices, "slices", 5, "turns of each side beside PocketBase")
	flag.DurationVar(&p.slice, "slice", 2*time.Second, "how long one such turn lasts")
	flag.StringVar(&p.only, "only", "", "beside PocketBase only the operations whose name has this, such as list, read, create, search, load (up and down)")
	flag.DurationVar(&p.soak, "soak", 0, "instead of all that, one moderate rate for this long, such as 30m")
	flag.Float64Var(&p.soakRate, "soak-rate", 60, "requests per second of the soak")
	flag.Float64Var(&p.share, "soak-growth", 0.10, "by what share a figure may grow from the second to the last quarter of the soak")
	flag.BoolVar(&p.write, "write", false, "put the figures into docs/performance-load.md and docs/load.svg")
	flag.Parse()
	p.targets = strings.Split(*targets, ",")
	err := p.parse(*rates)
	if err == nil {
		err = p.run()
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func (p *programme) parse(rates string) error {
	for text := range strings.SplitSeq(rates, ",") {
		rate, err := strconv.ParseFloat(text, 64)
		if err != nil || rate <= 0 {
			return fmt.Errorf("%q is not a rate", text)
		}
		p.rates = append(p.rates, rate)
	}
	for _, name := range p.targets {
		if !slices.Contains([]string{"sqlite", "postgres", "nodes", "peer"}, name) {
			return fmt.Errorf("there is no target %q", name)
		}
	}
	if p.slices < 1 || p.step < time.Second || p.templates < 1000 {
		return fmt.Errorf("at least one turn, a step of a second and 1000 templates are needed")
	}
	return nil
}

func (p *programme) run() (err error) {
	err = p.Prepare()
	defer os.RemoveAll(p.Dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.cache, 0o755); err != nil {
		return err
	}
	if p.cache, err = filepath.Abs(p.cache); err != nil {
		return err
	}
	if p.soak > 0 {
		return p.soaked()
	}
	for _, part := range []struct {
		name string
		run  func() error
	}{{"sqlite", p.sqlite}, {"postgres", p.postgres}, {"nodes", p.nodes}, {"peer", p.beside}} {
		if !slices.Contains(p.targets, part.name) {
			p.report.skip("%s was not asked for", part.name)
			continue
		}
		if err := part.run(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	p.report.markdown(os.Stdout)
	if p.write {
		return p.report.write("docs")
	}
	return nil
}

func (p *programme) making(what string) func(int) {
	return func(done int) {
		if done%20_000 == 1 {
			p.Progress("making the store of %d templates on %s: %d", p.templates, what, done)
		}
	}
}

// copied is a copy of a kept folder, so that measuring does not change it.
func (p *programme) copied(from, name string) (string, error) {
	to := filepath.Join(p.Dir, name)
	return to, p.Command("", "cp", "-r", "--reflink=auto", from, to)
}

// sqlite measures one node over a SQLite file.
func (p *programme) sqlite() error {
	t, err := p.onSQLite()
	if err != nil {
		return err
	}
	defer t.stop()
	return p.rise(t)
}

func (p *programme) onSQLite() (*target, error) {
	kept, err := stores.Make(p.Ctx, p.cache, p.templates, p.making("SQLite"))
	if err != nil {
		return nil, err
	}
	data, err := p.copied(kept, "sqlite")
	if err != nil {
		return nil, err
	}
	return p.start("one node, SQLite", data, 1, nil)
}

// postgres measures one node over PostgreSQL.
func (p *programme) postgres() error { return p.onPostgres("one node, PostgreSQL", 1) }

// nodes measures three.
func (p *programme) nodes() error { return p.onPostgres("three nodes, PostgreSQL", 3) }

func (p *programme) onPostgres(name string, nodes int) error {
	c, err := p.cluster()
	if err != nil {
		return err
	}
	defer c.stop()
	data, err := p.copied(c.packages, fmt.Sprintf("data-%d", nodes))
	if err != nil {
		return err
	}
	if c.address, err = c.fresh(p.Ctx, fmt.Sprintf("run_%d", nodes)); err != nil {
		return err
	}
	t, err := p.start(name, data, nodes, c)
	if err != nil {
		return err
	}
	defer t.stop()
	return p.rise(t)
}
