package botimport

import (
	"archive/zip"
	stdbytes "bytes"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/market/archive"
	"stoa/internal/market/pack"
	"stoa/internal/platform/errs"
)

var update = flag.Bool("update", false, "write the golden files again")

// dataDir is STOA_DATA_DIR, else the nearest shared/data upward from here.
func dataDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("STOA_DATA_DIR"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		data := filepath.Join(dir, "shared", "data")
		if _, err := os.Stat(data); err == nil {
			return data
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no shared/data above the package and STOA_DATA_DIR is not set: the sample bots are not part of the repository")
		}
		dir = filepath.Dir(dir)
	}
}

// zipped makes a zip of files, in the order of their names.
func zipped(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var out stdbytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(name string, body []byte) (*Draft, error) {
	return Read(context.Background(), name, "", stdbytes.NewReader(body), int64(len(body)), archive.Default)
}

func draft(t testing.TB, name string, body []byte) *Draft {
	t.Helper()
	d, err := read(name, body)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, d)
	return d
}

func draftZip(t testing.TB, files map[string]string) *Draft {
	t.Helper()
	return draft(t, "upload.zip", zipped(t, files))
}

// sound holds every draft to what a draft must be: it can be written and read back as a pack, its report adds up,
// and every target of the report is there.
func sound(t testing.TB, d *Draft) {
	t.Helper()
	var out stdbytes.Buffer
	m, err := pack.Write(&out, d.Manifest("2026-08-21T00:00:00.000Z", "exclude_secrets"), d.Sections, nil)
	if err != nil {
		t.Fatalf("cannot be written: %v", err)
	}
	a, err := archive.Open(stdbytes.NewReader(out.Bytes()), int64(out.Len()), archive.Local)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pack.ReadProfile(context.Background(), a)
	if err != nil {
		t.Fatalf("cannot be read back: %v", err)
	}
	if diff := cmp.Diff(m, p.Manifest); diff != "" {
		t.Error(diff)
	}
	total := 0
	for _, n := range d.Report.Outcomes {
		total += n
	}
	if total != d.Report.Count || len(d.Report.Fields) > maxFields {
		t.Errorf("%d values, %d counted, %d fields", d.Report.Count, total, len(d.Report.Fields))
	}
	for _, f := range d.Report.Fields {
		if f.Outcome == Mapped && f.TargetPath != "" {
			if _, err := pack.Select(d.Sections, nil, []string{f.TargetPath}); err != nil {
				t.Errorf("%s → %s: nothing is there", f.SourcePath, f.TargetPath)
			}
		}
		if strings.ContainsFunc(f.SourcePath+f.Note, func(r rune) bool { return r < ' ' }) {
			t.Errorf("control characters in %q %q", f.SourcePath, f.Note)
		}
	}
}

func refused(t tester, err error, reason string) {
	t.Helper()
	e, ok := errs.As(err)
	if !ok || e.Code != errs.InvalidProfilePackPayload {
		t.Fatalf("%v is no error for people", err)
	}
	if reason != "" && e.Data["reason"] != reason {
		t.Errorf("%v: %s, want %s", e.Data["reason"], e.Message, reason)
	}
	if len(e.Message) < 20 || len(e.Message) > 1500 || strings.ContainsFunc(e.Message, func(r rune) bool { return r < ' ' }) {
		t.Errorf("message %q", e.Message)
	}
}

// at is the value at a path of a draft's sections.
func at(t testing.TB, d *Draft, path string) any {
	t.Helper()
	p, err := pack.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	var v any = d.Sections
	for _, s := range p {
		if s.Key != nil {
			v = object(v)[*s.Key]
		} else if l := list(v); s.Index < len(l) {
			v = l[s.Index]
		} else {
			return nil
		}
	}
	return v
}

func has(t testing.TB, d *Draft, path, want string) {
	t.Helper()
	got, err := json.Marshal(at(t, d, path))
	if err != nil || string(got) != want {
		t.Errorf("%s is %s, want %s", path, got, want)
	}
}

func field(d *Draft, source string) Field {
	for _, f := range d.Report.Fields {
		if f.SourcePath == source {
			return f
		}
	}
	return Field{}
}

func codes(d *Draft) []string { return pack.Codes(d.Issues) }

// tester is what a test and a property test have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}
