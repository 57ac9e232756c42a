package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"stoa/internal/cli"
	"stoa/internal/market/archive"
	"stoa/internal/market/scan"
)

// ScanCmd is `stoa scan`.
type ScanCmd struct {
	Path   string `arg:"" help:"Folder, zip or text file to read." type:"path"`
	Mode   string `enum:"balanced,strict" default:"balanced" help:"balanced or strict."`
	Sarif  bool   `help:"Print SARIF 2.1.0, for CI."`
	Accept string `help:"Summary (--json) of an earlier scan whose findings were accepted." type:"existingfile"`
	All    bool   `help:"Show also what was found and taken for harmless."`
}

// Exit codes of stoa scan.
const (
	exitFlagged    = 1
	exitIncomplete = 2
)

// exitCode ends the program with a code and no message: all was said.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Run scans what a member is about to publish. The exit code is 0 for nothing found, 1 for findings, 2 when something
// could not be read.
func (c *ScanCmd) Run(ctx context.Context, o cli.Output) error {
	options := scan.Options{Mode: scan.Mode(c.Mode)}
	if c.Accept != "" {
		accepted, err := acceptedIn(c.Accept)
		if err != nil {
			return scanFailed(o, err)
		}
		options.Accepted = accepted
	}
	s := scan.NewScan(options)
	if err := readInto(ctx, s, c.Path); err != nil {
		return scanFailed(o, err)
	}
	summary := s.Finish()
	var err error
	if c.Sarif {
		e := json.NewEncoder(o.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err = e.Encode(summary.SARIF())
	} else {
		err = o.Print(summary, func(w io.Writer) { showScan(w, summary, c.All) })
	}
	switch {
	case err != nil:
		return scanFailed(o, err)
	case summary.Status == scan.Incomplete:
		return exitCode(exitIncomplete)
	case summary.Status == scan.Flagged:
		return exitCode(exitFlagged)
	}
	return nil
}

func scanFailed(o cli.Output, err error) error {
	cli.Report(o, err)
	return exitCode(exitIncomplete)
}

func acceptedIn(name string) ([]scan.Fingerprint, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var earlier scan.Summary
	if err := json.Unmarshal(b, &earlier); err != nil {
		return nil, fmt.Errorf("%s is no summary of a scan: %w", name, err)
	}
	return earlier.Counted(), nil
}

// readInto scans a folder, a zip or one file.
func readInto(ctx context.Context, s *scan.Scanner, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return readFolder(s, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 8)
	n, _ := f.ReadAt(head, 0)
	if archive.Format(head[:n]) == "zip" {
		return readZip(ctx, s, f, info.Size())
	}
	name := filepath.Base(path)
	_, err = io.Copy(s.File(name, scan.RoleOf(name)), f)
	return err
}

func readFolder(s *scan.Scanner, root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(root, path)
		if relErr != nil {
			name = path
		}
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			s.Incomplete(name, "could not be read")
			return nil
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			s.Incomplete(name, "not a regular file")
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			s.Incomplete(name, "could not be read")
			return nil
		}
		defer f.Close()
		if _, err := io.Copy(s.File(name, scan.RoleOf(name)), f); err != nil {
			s.Incomplete(name, "could not be read to its end")
		}
		return nil
	})
}

func readZip(ctx context.Context, s *scan.Scanner, f io.ReaderAt, size int64) error {
	a, err := archive.Open(f, size, archive.Default)
	var refusal *archive.Refusal
	if errors.As(err, &refusal) {
		s.Incomplete("", refusal.Error())
		return nil
	}
	if err != nil {
		return err
	}
	err = a.Deep(ctx, func(path string, r io.Reader) error {
		_, err := io.Copy(s.File(path, scan.RoleOf(path)), r)
		return err
	}, func(u archive.Unread) { s.Incomplete(u.Path, "an archive inside that was not read") })
	if errors.As(err, &refusal) {
		s.Incomplete("", refusal.Error())
		return nil
	}
	return err
}

func showScan(w io.Writer, s scan.Summary, all bool) {
	fmt.Fprintf(w, "%s · risk %s · %s mode · %s\n", s.Status, s.RiskLevel, s.Mode, s.ScannerVersion)
	for _, gap := range s.Gaps {
		fmt.Fprintf(w, "  not read: %s: %s\n", cli.Printable(gap.File), cli.Printable(gap.Why))
	}
	quiet := 0
	for _, f := range s.Findings {
		if f.Severity == "low" && !all {
			quiet++
			continue
		}
		state := ""
		if f.Accepted {
			state = ", accepted"
		}
		fmt.Fprintf(w, "%s:%d:%d %s [%s, %.0f %%%s] %q\n    %s\n", cli.Printable(f.File), f.Line, f.Column, f.Rule, f.Severity, 100*f.Confidence, state, f.Excerpt, f.Advice)
	}
	if quiet > 0 {
		fmt.Fprintf(w, "%d more were taken for harmless where they stand (--all shows them)\n", quiet)
	}
	if s.Omitted > 0 {
		fmt.Fprintf(w, "%d more were left out\n", s.Omitted)
	}
}
