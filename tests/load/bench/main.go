package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

// bench is one run.
type bench struct {
	rig.Run
	cache   string
	catalog string
	large   bool
	slices  int
	servers int
	history int // sessions of the learner with very many
	only    []string
	report  *report
}

const (
	small = 100_000
	large = 1_000_000
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "bare" {
		exit(bare(os.Args[2]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	b := &bench{Run: rig.NewRun(ctx), report: newReport()}
	asJSON := flag.Bool("json", false, "print JSON instead of a table")
	only := flag.String("only", "", "comma-separated parts: reads, installs, search, login, starts, memory, uploads, downloads, school, governance, feeds")
	flag.StringVar(&b.cache, "cache", ".cache/bench", "where generated stores are kept")
	flag.StringVar(&b.catalog, "catalog", realCatalog(), "the catalog of 505 templates, for memory and cold start")
	flag.StringVar(&b.Binary, "binary", "", "measure this binary instead of building one")
	flag.BoolVar(&b.large, "large", false, "make the store of a million templates when it is not there (takes a quarter of an hour and 12 GB)")
	flag.IntVar(&b.slices, "slices", 5, "slices of a second for each side")
	flag.IntVar(&b.history, "history", 1_000_000, "sessions of the learner, and records of the operator, with very many")
	flag.Parse()
	if *only != "" {
		b.only = strings.Split(*only, ",")
	}
	err := b.run()
	stop()
	if *asJSON {
		_ = b.report.json(os.Stdout)
	} else {
		b.report.markdown(os.Stdout)
	}
	b.Progress("missed: %s", strings.Join(b.report.missed(), "; "))
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (b *bench) run() (err error) {
	err = b.Prepare()
	defer os.RemoveAll(b.Dir)
	if err != nil {
		return err
	}
	asked := len(b.only)
	for _, part := range []struct {
		name string
		run  func() error
	}{{"school", b.school}, {"governance", b.governance}, {"feeds", b.feeds}} { // with stores of their own
		if len(b.only) > 0 && !slices.Contains(b.only, part.name) {
			continue
		}
		asked--
		if err := part.run(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	if len(b.only) > 0 && asked == 0 {
		return nil
	}
	kept, err := stores.Make(b.Ctx, b.cache, small, b.making(small))
	if err != nil {
		return err
	}
	copied, err := b.copyStore(kept, "small")
	if err != nil {
		return err
	}
	b.Progress("store of %d templates is ready", small)
	for _, part := range []struct {
		name string
		run  func(string) error
	}{
		{"reads", b.reads}, {"installs", b.installs}, {"login", b.logins}, {"search", b.search}, {"starts", b.starts}, {"memory", b.idle}, {"uploads", b.uploads}, {"downloads", b.downloads},
	} {
		if len(b.only) > 0 && !slices.Contains(b.only, part.name) {
			continue
		}
		if err := part.run(copied); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

func (b *bench) making(n int) func(int) {
	return func(done int) {
		if done%20_000 == 1 {
			b.Progress("making the store of %d templates: %d", n, done)
		}
	}
}

func (b *bench) reads(data string) error {
	p, err := b.serve(data)
	if err != nil {
		return err
	}
	defer p.Stop()
	if err := b.lists(p); err != nil {
		return err
	}
	if err := b.details(p, small); err != nil {
		return err
	}
	b.report.value("resident memory after the reads over 100,000 templates", p.Memory("VmRSS"), "MiB", 0)
	b.report.value("of that without pages of the database file", p.Memory("RssAnon"), "MiB", 0)
	return nil
}

// realCatalog is the catalog in STOA_DATA_DIR, else in the nearest shared/data upwards from here.
func realCatalog() string {
	data := os.Getenv("STOA_DATA_DIR")
	for dir, _ := os.Getwd(); data == "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "shared", "data")); err == nil {
			data = filepath.Join(dir, "shared", "data")
		}
	}
	return filepath.Join(data, "catalog", "agents.jsonl")
}
