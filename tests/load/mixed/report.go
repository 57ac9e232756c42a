package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"stoa/tests/load/rig"
)

// curve is what a target did at every rate.
type curve struct {
	Name  string
	Steps []*figures
}

// held is the last step before the knee, nil when the first one was beyond it.
func (c *curve) held() (f *figures) {
	for _, s := range c.Steps {
		if s.Knee == "" {
			f = s
		}
	}
	return f
}

// ratio is Stoa against PocketBase.
type ratio struct {
	Item        string
	Stoa, Peer  string
	Ratio, Goal float64 // Goal is the least ratio, 0 for none
}

func (r ratio) verdict() string {
	switch {
	case r.Goal == 0:
		return ""
	case r.Ratio >= r.Goal:
		return "ok"
	}
	return "**missed**"
}

// report is everything that a run found out.
type report struct {
	When, Machine string
	Curves        []*curve
	Ratios        []ratio
	Peer          string // what was measured against
	Skipped       []string
}

func newReport() *report {
	return &report{
		When:    time.Now().UTC().Format(time.DateOnly),
		Machine: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	}
}

func (r *report) skip(format string, args ...any) {
	r.Skipped = append(r.Skipped, fmt.Sprintf(format, args...))
}

func (r *report) markdown(w io.Writer) {
	fmt.Fprintf(w, "Measured %s on %s; generator, servers and databases share the machine.\n", r.When, r.Machine)
	for _, c := range r.Curves {
		c.markdown(w)
	}
	if len(r.Ratios) > 0 {
		fmt.Fprintf(w, "\n### Beside %s\n\n| item | Stoa | PocketBase | ratio | goal | |\n|---|---|---|---|---|---|\n", r.Peer)
		var missed []string
		for _, l := range r.Ratios {
			goal := "–"
			if l.Goal > 0 {
				goal = fmt.Sprintf("≥ %g", l.Goal)
			}
			fmt.Fprintf(w, "| %s | %s | %s | **%.2f** | %s | %s |\n", l.Item, l.Stoa, l.Peer, l.Ratio, goal, l.verdict())
			if l.Goal > 0 && l.Ratio < l.Goal {
				missed = append(missed, l.Item)
			}
		}
		if len(missed) > 0 {
			fmt.Fprintf(w, "\nMissed: %s.\n", strings.Join(missed, "; "))
		} else {
			fmt.Fprint(w, "\nNo goal was missed.\n")
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "\nNot measured: %s.\n", s)
	}
}

func (c *curve) markdown(w io.Writer) {
	fmt.Fprintf(w, "\n### %s\n\n| offered/s | answered/s | p50 / p99 ms |", c.Name)
	for _, n := range names {
		fmt.Fprintf(w, " %s |", n)
	}
	fmt.Fprintf(w, " errors | processors: nodes + database (generator) | MiB: nodes + database |\n|---|---|---|%s---|---|---|\n", strings.Repeat("---|", int(kinds)))
	both := func(times []time.Duration) string {
		if len(times) == 0 {
			return "–"
		}
		return brief(quantile(times, 0.5)) + " / " + brief(quantile(times, 0.99))
	}
	for _, f := range c.Steps {
		fmt.Fprintf(w, "| %.0f | %.0f | %s |", f.Offered, f.Achieved, both(f.All))
		for k := range kinds {
			fmt.Fprintf(w, " %s |", both(f.Times[k]))
		}
		fmt.Fprintf(w, " %s | %.2f + %.2f (%.2f) | %.0f + %.0f |\n", f.wrongs(), f.Nodes, f.Database, f.Generator, f.NodesMemory, f.DatabaseMemory)
	}
	last := c.Steps[len(c.Steps)-1]
	switch held := c.held(); {
	case last.Knee == "":
		fmt.Fprintf(w, "\nNo knee up to %.0f requests per second.\n", last.Offered)
	case held == nil:
		fmt.Fprintf(w, "\nKnee below %.0f requests per second: %s.\n", last.Offered, last.Knee)
	default:
		fmt.Fprintf(w, "\nKnee between %.0f and %.0f requests per second: %s.\n", held.Offered, last.Offered, last.Knee)
	}
}

// wrongs tells the requests that failed by the status of their answer.
func (f *figures) wrongs() string {
	if f.errors() == 0 {
		return "0"
	}
	var list []string
	for _, status := range slices.Sorted(maps.Keys(f.Statuses)) {
		what := fmt.Sprint(status)
		if status == 0 {
			what = "no answer"
		}
		list = append(list, fmt.Sprintf("%s: %d", what, f.Statuses[status]))
	}
	if f.Unsent > 0 {
		list = append(list, fmt.Sprintf("never sent: %d", f.Unsent))
	}
	return strings.Join(list, ", ")
}

// brief writes milliseconds with two digits that matter.
func brief(d time.Duration) string {
	ms := rig.MS(d)
	if ms < 10 {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

// The section of docs/performance-load.md that a run with -write replaces.
const (
	sectionBegin = "<!-- made by make load: begin -->\n"
	sectionEnd   = "<!-- made by make load: end -->\n"
)

// write puts the report into the documentation, in place of the one before.
func (r *report) write(docs string) error {
	path := filepath.Join(docs, "performance-load.md")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var section bytes.Buffer
	section.WriteString(sectionBegin + "## Load\n\n")
	if len(r.Curves) > 0 {
		section.WriteString("![answered requests and p99 by offered rate](load.svg)\n\n")
		if err := os.WriteFile(filepath.Join(docs, "load.svg"), plot(r.Curves), 0o644); err != nil {
			return err
		}
	}
	r.markdown(&section)
	section.WriteString(sectionEnd)
	before, rest, found := strings.Cut(string(text), sectionBegin)
	if _, after, ok := strings.Cut(rest, sectionEnd); found && ok {
		return os.WriteFile(path, []byte(before+section.String()+after), 0o644)
	} else if found {
		return fmt.Errorf("%s has a beginning of the section of make load and no end", path)
	}
	return os.WriteFile(path, []byte(strings.TrimRight(string(text), "\n")+"\n\n"+section.String()), 0o644)
}
