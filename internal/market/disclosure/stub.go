// Package disclosure tells what leaves a member's machine, computed from the bytes. (Being built on branch redact.)
package disclosure

import (
	"io"

	"stoa/internal/market/redact"
)

type Report struct{ X int }

func (Report) CapabilityNames() []string { return nil }

type Collector struct{}

func NewCollector() *Collector                  { return &Collector{} }
func (*Collector) File(string) io.Writer        { return io.Discard }
func (*Collector) Report([]string) Report       { return Report{} }
func OfSections(redact.Result, []string) Report { return Report{} }
