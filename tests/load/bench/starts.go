package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"stoa/tests/load/rig"
)

// Times of starts and memory at rest.
const (
	startRounds = 7
	restAfter   = 3 * time.Second
)

// starts measures the time from starting the process to its first healthy answer.
func (b *bench) starts(data string) error {
	real, err := b.realStore()
	if err != nil {
		return err
	}
	for _, s := range []struct{ name, data string }{{"the real catalog", real}, {"100,000 templates", data}} {
		var healthy, listed []float64
		for range startRounds {
			p, err := b.startBinary(s.data)
			if err != nil {
				return err
			}
			took, err := p.Healthy(time.Minute)
			if err == nil {
				err = p.Loaded()
			}
			list := time.Since(p.Started)
			p.Stop()
			if err != nil {
				return err
			}
			healthy, listed = append(healthy, rig.MS(took)), append(listed, rig.MS(list))
		}
		b.report.value("cold start with "+s.name+": first healthy answer", rig.Median(healthy), "ms", 150)
		b.report.value("cold start with "+s.name+": first list", rig.Median(listed), "ms", 0)
		b.Progress("cold start with %s: healthy %.0f ms, list %.0f ms", s.name, rig.Median(healthy), rig.Median(listed))
	}
	return nil
}

// idle measures resident memory of a server with the real catalog that nobody uses.
func (b *bench) idle(string) error {
	real, err := b.realStore()
	if err != nil {
		return err
	}
	p, err := b.serve(real)
	if err != nil {
		return err
	}
	defer p.Stop()
	time.Sleep(restAfter)
	b.report.value("resident memory at rest, the real catalog", p.Memory("VmRSS"), "MiB", 60)
	if _, err := rig.Load(p.Address, readers, 2*slice, 200, always(rig.Get(page))); err != nil {
		return err
	}
	b.report.value("the same after 2 s of lists on 32 connections", p.Memory("VmRSS"), "MiB", 0)
	return nil
}

// realStore makes a store of the real catalog once, and starts it once, so that it has its first member.
func (b *bench) realStore() (string, error) {
	dir := filepath.Join(b.Dir, "real")
	if exists(dir) {
		return dir, nil
	}
	p, err := b.serve(dir)
	if err != nil {
		return dir, err
	}
	p.Stop()
	if !exists(b.catalog) {
		b.report.skip("%s is not there: memory and cold start are those of the seed content alone", b.catalog)
		return dir, nil
	}
	if out, err := exec.CommandContext(b.Ctx, b.Binary, "import", "--data", dir, b.catalog).CombinedOutput(); err != nil {
		return dir, fmt.Errorf("import: %w: %s", err, out)
	}
	return dir, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
