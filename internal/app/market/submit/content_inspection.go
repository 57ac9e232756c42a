package submit

import (
	"context"
	"io"
	"strings"

	"stoa/internal/market/archive"
	"stoa/internal/market/catalog"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/leakcheck"
	"stoa/internal/market/pack"
	"stoa/internal/market/packing"
	"stoa/internal/market/redact"
	"stoa/internal/market/redact/detect"
	"stoa/internal/market/scan"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// contentInspection is one pass over texts that somebody submits: the search for secrets, the report of what leaves the
// member's machine and the scanner all read the same bytes once, each in a goroutine of its own.
// Every inspection that was started must be closed.
type contentInspection struct {
	app      *Service
	scanners *parallelScanners
	ended    bool
	options  scan.Options
	scan     *scan.Scanner // nil when that is left for later
	report   *disclosure.Collector
	secrets  []*detect.TextScan
	files    []*leakcheck.File
	names    []string
	budget   *detect.Budget // of the search for secrets in all of them
	open     io.Closer      // the file being read, in the report
}

// The queues of an inspection.
const (
	queueSecrets = iota
	queueReport
	queueScan
	queueCount
)

func (a *Service) inspectContent(options scan.Options) *contentInspection {
	return &contentInspection{
		app: a, scanners: newParallelScanners(queueCount), options: options, scan: scan.NewScan(options), report: disclosure.NewCollector(strictjson.Canonical), budget: detect.NewBudget(),
	}
}

// file gives a writer for the bytes of a file; the file before it is finished.
func (l *contentInspection) file(name string) io.Writer {
	l.closeFile()
	secrets := l.app.Secrets.NewTextWithin(l.budget, name)
	l.secrets = append(l.secrets, secrets)
	reported, scanned := &late{}, &late{}
	l.scanners.call(queueReport, func() {
		file := l.report.File(name)
		reported.Writer, reported.Closer = file, file
	})
	l.open = reported
	positions := leakcheck.NewFile(name)
	l.files, l.names = append(l.files, positions), append(l.names, name)
	search := io.MultiWriter(secrets, positions)
	if l.scan == nil {
		return l.scanners.writer(search, reported)
	}
	l.scanners.call(queueScan, func() { scanned.Writer = l.scan.File(name, scan.RoleOf(name)) })
	return l.scanners.writer(search, reported, scanned)
}

// late is a writer that is opened in the goroutine that writes to it.
type late struct {
	io.Writer
	io.Closer
}

func (l *contentInspection) closeFile() {
	if open := l.open; open != nil {
		l.scanners.call(queueReport, func() { _ = open.Close() }) // never fails
		l.open = nil
	}
}

// text reads one field of a document.
func (l *contentInspection) text(file, path, text string) {
	l.closeFile()
	name := file + " " + path
	secrets := l.app.Secrets.NewTextWithin(l.budget, name)
	l.secrets = append(l.secrets, secrets)
	l.scanners.call(queueSecrets, func() { _, _ = io.WriteString(secrets, text) }) // never fails
	l.scanners.call(queueReport, func() {
		reported := l.report.File(name)
		_, _ = io.WriteString(reported, text)
		_ = reported.Close()
	})
	l.scanners.call(queueScan, func() { l.scan.Field(file, path, text, roleOfField(path)) })
}

// about says what the item is beside its texts.
func (l *contentInspection) about(item scan.About) {
	l.options.About = item
	if l.scan != nil {
		l.scanners.call(queueScan, func() { l.scan.About(item) })
	}
}

// checkMetadata looks for secrets in what a submission says beside its texts; it is shown to everybody as well.
func (l *contentInspection) checkMetadata(in TemplateInput, d *catalog.Document) {
	for _, field := range []struct{ name, text string }{
		{"template_id", d.ID},
		{"version", d.Version},
		{"package_name", in.PackageName},
		{"title", in.Title},
		{"category", d.Category},
		{"maintainer", d.Maintainer},
		{"change_note", d.ChangeNote},
		{"tags", strings.Join(d.Tags, "\n")},
	} {
		if field.text == "" {
			continue
		}
		secrets := l.app.Secrets.NewTextWithin(l.budget, field.name)
		l.secrets = append(l.secrets, secrets)
		l.scanners.call(queueSecrets, func() { _, _ = io.WriteString(secrets, field.text) }) // never fails
	}
}

// roleOfField says what a field of a document is for: instructions belong in its prompt and nowhere else.
func roleOfField(path string) scan.Role {
	if strings.HasSuffix(path, ".prompt") {
		return scan.RolePrompt
	}
	return scan.RoleDocument
}

// close waits until everything that was written has been read.
func (l *contentInspection) close() {
	if !l.ended {
		l.closeFile()
		l.scanners.end()
		l.ended = true
	}
}

// inspectionResult is what an inspection found.
type inspectionResult struct {
	scan   scan.Summary
	report disclosure.Report
}

// finish ends the look; secrets_detected when there is a secret in what was read.
func (l *contentInspection) finish() (inspectionResult, error) {
	l.close()
	leaks := packing.Names(l.app.Secrets, l.names, nil)
	for _, s := range l.secrets {
		leaks = append(leaks, s.Findings()...)
	}
	for _, f := range l.files {
		leaks = append(leaks, packing.Findings(f.Leaks())...)
	}
	if err := packing.Leaks(leaks); err != nil {
		return inspectionResult{}, err
	}
	summary := unscanned(l.options)
	if l.scan != nil {
		summary = l.scan.Finish()
	}
	return inspectionResult{scan: summary, report: l.report.Report(redact.Result{}, nil)}, nil
}

// readTemplate reads an uploaded template package, each file once, into a look.
func (a *Service) readTemplate(ctx context.Context, file *Upload, l *contentInspection) (pack.Bundle, error) {
	done, err := a.Inspect(ctx, file.caller.UserID)
	if err != nil {
		return pack.Bundle{}, err
	}
	defer done()
	opened, err := archive.Open(file.staged, file.Size(), archive.Default)
	if err != nil {
		return pack.Bundle{}, pack.RefusedArchive(errs.InvalidPackagePayload, err)
	}
	if opened.Unpacked() > scanAtOnce {
		l.scan = nil
	}
	bundle, err := pack.ReadTemplate(ctx, opened, l.file)
	l.scanners.call(queueReport, func() {
		for _, p := range bundle.Pictures {
			l.report.Bytes(p.Name, p.Size, p.SHA256)
		}
	})
	return bundle, err
}
