package packing

import (
	"context"
	"io"

	"stoa/internal/market/archive"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/leakcheck"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/redact/detect"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// Template is a template package that was read and holds no secret.
type Template struct {
	Bundle pack.Bundle
	Leaves disclosure.Report
}

// CheckTemplate reads a template package as the server does, each file once: its format, its secrets, and what leaves
// the machine with it.
func CheckTemplate(ctx context.Context, e *redact.Engine, r io.ReaderAt, size int64) (Template, error) {
	a, err := archive.Open(r, size, archive.Default)
	if err != nil {
		return Template{}, pack.RefusedArchive(errs.InvalidPackagePayload, err)
	}
	report := disclosure.NewCollector(strictjson.Canonical)
	var scans []*detect.TextScan
	var files []*leakcheck.File
	budget := detect.NewBudget()
	var last io.Closer
	bundle, err := pack.ReadTemplate(ctx, a, func(name string) io.Writer {
		if last != nil {
			_ = last.Close() // the collector's files never fail
		}
		file := report.File(name)
		last = file
		scan := e.NewTextWithin(budget, name)
		scans = append(scans, scan)
		positions := leakcheck.NewFile(name)
		files = append(files, positions)
		return io.MultiWriter(scan, file, positions)
	})
	if err != nil {
		return Template{}, err
	}
	if last != nil {
		_ = last.Close()
	}
	for _, p := range bundle.Pictures {
		report.Bytes(p.Name, p.Size, p.SHA256)
	}
	leaks := Names(e, a.Names(), nil)
	for _, s := range scans {
		leaks = append(leaks, s.Findings()...)
	}
	for _, f := range files {
		leaks = append(leaks, Findings(f.Leaks())...)
	}
	return Template{bundle, report.Report(redact.Result{}, nil)}, Leaks(leaks)
}
