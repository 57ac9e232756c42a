package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

// row is one line of the report: target against ceiling.
type row struct {
	Item       string  `json:"item"`
	Target     float64 `json:"target_per_second"`
	Ceiling    float64 `json:"ceiling_per_second,omitempty"`
	Ratio      float64 `json:"ratio,omitempty"`
	P50        float64 `json:"p50_ms"`
	P99        float64 `json:"p99_ms"`
	CeilingP99 float64 `json:"ceiling_p99_ms,omitempty"`
	CPU        float64 `json:"target_cpu_us,omitempty"`  // processor time of the server per request
	CeilingCPU float64 `json:"ceiling_cpu_us,omitempty"` // likewise of the bare server
	Bytes      float64 `json:"body_bytes,omitempty"`
	Goal       float64 `json:"goal,omitempty"` // least ratio; 0 for none
	Verdict    string  `json:"verdict,omitempty"`
}

// value is a figure that stands alone.
type value struct {
	Item    string  `json:"item"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Most    float64 `json:"goal_at_most,omitempty"` // 0 for none
	Verdict string  `json:"verdict,omitempty"`
}

// report is everything a run found out.
type report struct {
	When    string   `json:"when"`
	Machine string   `json:"machine"`
	Rows    []row    `json:"rows"`
	Values  []value  `json:"values"`
	Skipped []string `json:"skipped"`
}

func newReport() *report {
	return &report{
		When:    time.Now().UTC().Format(time.RFC3339),
		Machine: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	}
}

const missed = "MISSED"

func verdict(ok bool) string {
	if ok {
		return "ok"
	}
	return missed
}

func (r *report) add(line row) {
	if line.Goal > 0 {
		line.Verdict = verdict(line.Ratio >= line.Goal)
	}
	r.Rows = append(r.Rows, line)
}

func (r *report) value(item string, v float64, unit string, most float64) {
	line := value{Item: item, Value: v, Unit: unit, Most: most}
	if most > 0 {
		line.Verdict = verdict(v <= most)
	}
	r.Values = append(r.Values, line)
}

func (r *report) skip(format string, args ...any) {
	r.Skipped = append(r.Skipped, fmt.Sprintf(format, args...))
}

func (r *report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

func (r *report) markdown(w io.Writer) {
	fmt.Fprintf(w, "Measured %s on %s; request rate bound lifted (--limits.requests-per-second=0).\n\n", r.When, r.Machine)
	fmt.Fprintln(w, "| item | target/s | ceiling/s | ratio | goal | | p50 ms | p99 ms | ceiling p99 ms | server CPU µs | bare CPU µs | bytes |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, l := range r.Rows {
		fmt.Fprintf(w, "| %s | %.0f | %s | %s | %s | %s | %.2f | %.2f | %s | %s | %s | %s |\n", l.Item, l.Target, number("%.0f", l.Ceiling),
			number("**%.3f**", l.Ratio), number("≥ %.2f", l.Goal), l.Verdict, l.P50, l.P99, number("%.2f", l.CeilingP99),
			number("%.0f", l.CPU), number("%.0f", l.CeilingCPU), number("%.0f", l.Bytes))
	}
	fmt.Fprint(w, "\n| item | value | goal | |\n|---|---|---|---|\n")
	for _, v := range r.Values {
		fmt.Fprintf(w, "| %s | %s %s | %s | %s |\n", v.Item, strings.TrimSuffix(fmt.Sprintf("%.2f", v.Value), ".00"), v.Unit, number("≤ %g", v.Most), v.Verdict)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "\nSkipped: %s\n", s)
	}
}

// number leaves out what was not measured.
func number(format string, v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}

// missed lists the items whose goal was missed.
func (r *report) missed() (items []string) {
	for _, l := range r.Rows {
		if l.Verdict == missed {
			items = append(items, l.Item)
		}
	}
	for _, v := range r.Values {
		if v.Verdict == missed {
			items = append(items, v.Item)
		}
	}
	return items
}
