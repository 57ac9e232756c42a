package app

import (
	"context"
	"fmt"
	"io"

	"stoa/internal/market/archive"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/scan"
	"stoa/internal/market/strictjson"
	"stoa/internal/market/submission"
	"stoa/internal/platform/errs"
)

// look is one pass over texts that somebody submits: the scanner, the search for secrets and the report of
// what leaves the member's machine all read the same bytes once.
type look struct {
	app     *App
	scan    *scan.Streaming
	report  *disclosure.Collector
	open    io.Closer // the file being read, in the report
	secrets []*redact.TextScan
}

func (a *App) look(mode string) *look {
	return &look{app: a, scan: scan.NewScan(scanOptions(mode)), report: disclosure.NewCollector(strictjson.Canonical)}
}

func scanOptions(mode string) scan.Options {
	if mode == submission.Strict {
		return scan.Options{Mode: scan.Strict}
	}
	return scan.Options{Mode: scan.Balanced}
}

// file gives a writer for the bytes of a file; the file before it is finished.
func (l *look) file(name string) io.Writer {
	l.closeFile()
	secrets, reported := l.app.secrets.NewText(name), l.report.File(name)
	l.secrets, l.open = append(l.secrets, secrets), reported
	return io.MultiWriter(secrets, l.scan.File(name, scan.RoleOf(name)), reported)
}

func (l *look) closeFile() {
	if l.open != nil {
		_ = l.open.Close() // never fails
		l.open = nil
	}
}

// text reads one field of a document.
func (l *look) text(file, path, text string) {
	l.closeFile()
	secrets, reported := l.app.secrets.NewText(file+" "+path), l.report.File(file+" "+path)
	l.secrets = append(l.secrets, secrets)
	_, _ = io.WriteString(io.MultiWriter(secrets, reported), text) // neither fails
	_ = reported.Close()
	l.scan.Field(file, path, text)
}

// found is what a look found.
type found struct {
	scan   scan.Summary
	report disclosure.Report
}

// finish ends the look; secrets_detected when there is a secret in what was read.
func (l *look) finish() (found, error) {
	l.closeFile()
	var leaks []redact.Finding
	for _, s := range l.secrets {
		leaks = append(leaks, s.Findings()...)
	}
	if len(leaks) > 0 {
		return found{}, leaked(leaks)
	}
	return found{scan: l.scan.Finish(), report: l.report.Report(redact.Result{}, nil)}, nil
}

// maxLeaks is how many places an error names.
const maxLeaks = 50

// leaked is the answer to a submission that still holds secrets. It names places, never values.
func leaked(leaks []redact.Finding) error {
	e := errs.New(errs.SecretsDetected, "There is something in it that looks like a secret. Nothing was kept. Take out what is named here, or put a placeholder such as ${API_KEY} in its place, and submit again.")
	for i, f := range leaks {
		if i == maxLeaks {
			break
		}
		field := pack.Clean(f.File)
		if f.Path != "" {
			field += " " + pack.Clean(f.Path)
		}
		if f.Line > 0 {
			field += fmt.Sprintf(":%d:%d", f.Line, f.Column)
		}
		e.Details = append(e.Details, errs.Detail{Field: field, Problem: f.Why})
	}
	return e.With("findings", len(leaks))
}

// readTemplate reads an uploaded template package, each file once, into a look.
func (a *App) readTemplate(ctx context.Context, file *Upload, l *look) (pack.Bundle, error) {
	if err := a.inspect(ctx); err != nil {
		return pack.Bundle{}, err
	}
	defer a.inspected()
	opened, err := archive.Open(file.staged, file.Size(), archive.Default)
	if err != nil {
		return pack.Bundle{}, pack.RefusedArchive(errs.InvalidPackagePayload, err)
	}
	return pack.ReadTemplate(ctx, opened, l.file)
}

// inspect waits until few enough packages are being read: the rest of the machine is for those who look
// at the catalog meanwhile.
func (a *App) inspect(ctx context.Context) error {
	select {
	case a.inspections <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *App) inspected() { <-a.inspections }
