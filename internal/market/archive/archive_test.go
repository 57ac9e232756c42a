package archive_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"stoa/internal/market/archive"
	"stoa/internal/market/archive/hostile"
)

// walk opens and reads everything, nested zips too.
func walk(text []byte, l archive.Limits) (when string, err error) {
	a, err := archive.Open(bytes.NewReader(text), int64(len(text)), l)
	if err != nil {
		return "open", err
	}
	visit := func(_ string, r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	}
	return "read", a.Deep(context.Background(), visit, func(archive.Unread) {})
}

func TestHostileArchivesAreRefusedByName(t *testing.T) {
	names := map[string]bool{}
	for _, c := range hostile.All() {
		if names[c.Name] {
			t.Errorf("two cases are named %q", c.Name)
		}
		names[c.Name] = true
		t.Run(c.Name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			when, err := walk(c.Bytes, archive.Default)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			var no *archive.Refusal
			if !errors.As(err, &no) || no.Reason != c.Reason || when != c.When {
				t.Fatalf("%s: %v, want %s: %s", when, err, c.When, c.Reason)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Errorf("%d MiB were allocated", used>>20)
			}
			t.Logf("%v, %d KiB allocated: %v", took, (after.TotalAlloc-before.TotalAlloc)>>10, no.Message)
			if len(no.Entry) > 240 || strings.ContainsAny(no.Entry, "\x00\n\x1b\u202e") || no.Message == "" || strings.Contains(no.Message, "%") {
				t.Errorf("not fit to show: %q %q", no.Entry, no.Message)
			}
			if again, err := walk(c.Bytes, archive.Default); again != when || err.Error() != no.Error() {
				t.Errorf("the second time: %v", err)
			}
		})
	}
}

func TestLocalLimitsKeepTheStructure(t *testing.T) {
	sizes := []archive.Reason{
		archive.PackedTooLarge, archive.FileTooLarge, archive.UnpackedTooLarge, archive.TooManyEntries, archive.DirectoryTooLarge,
		archive.CompressionRatio, archive.PathTooLong, archive.PathTooDeep,
	}
	for _, c := range hostile.Small() {
		if slices.Contains(sizes, c.Reason) {
			continue
		}
		var no *archive.Refusal
		if _, err := walk(c.Bytes, archive.Local); !errors.As(err, &no) || no.Reason != c.Reason {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

func TestGoodArchivesAreTaken(t *testing.T) {
	for name, text := range hostile.Good() {
		t.Run(name, func(t *testing.T) {
			if when, err := walk(text, archive.Default); err != nil {
				t.Fatal(when, err)
			}
			sameAsStandardLibrary(t, text)
		})
	}
}

// sameAsStandardLibrary checks that archive/zip reads the same names and bytes from what was taken.
func sameAsStandardLibrary(t *testing.T, text []byte) {
	t.Helper()
	a, err := archive.Open(bytes.NewReader(text), int64(len(text)), archive.Default)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var total int64
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		names = append(names, f.Name)
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := io.ReadAll(r)
		got, gotErr := a.Read(f.Name, 8<<20)
		total += int64(len(got))
		if gotErr == nil && (wantErr != nil || !bytes.Equal(got, want) || a.Size(f.Name) != int64(len(got))) {
			t.Fatalf("%s: %d bytes, archive/zip reads %d (%v)", f.Name, len(got), len(want), wantErr)
		}
	}
	if !slices.Equal(names, a.Names()) {
		t.Fatalf("%q, archive/zip lists %q", a.Names(), names)
	}
	if total > archive.Default.Unpacked || total > a.Unpacked() {
		t.Fatalf("%d bytes were read", total)
	}
}

func TestStreams(t *testing.T) {
	text := hostile.Good()["deflated and stored"]
	a, err := archive.Open(bytes.NewReader(text), int64(len(text)), archive.Default)
	if err != nil {
		t.Fatal(err)
	}
	var no *archive.Refusal
	if _, err := a.Read("a", 12); !errors.As(err, &no) || no.Reason != archive.FileTooLarge {
		t.Error(err)
	}
	if _, err := a.Open("c"); !errors.As(err, &no) || no.Reason != archive.FileMissing || a.Size("c") != -1 {
		t.Error(err)
	}
	f, err := a.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(f)
	if string(got) != "hello, world\n" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.Read(got); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = a.Each(ctx, func(string, io.Reader) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	stop := errors.New("stop")
	if err := a.Each(context.Background(), func(string, io.Reader) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}

// Whatever names a stranger writes: those that are taken stay below the folder, and no two are one file.
func TestNamesStayInside(t *testing.T) {
	alphabet := []rune("aAéß/./.\\: \u202e\u0301nul1")
	name := rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 10, -1)
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, name := range rapid.SliceOfN(name, 1, 4).Draw(t, "names") {
			_, _ = w.Create(name)
		}
		_ = w.Close()
		a, err := archive.Open(bytes.NewReader(out.Bytes()), int64(out.Len()), archive.Default)
		var no *archive.Refusal
		if errors.As(err, &no) {
			if !utf8.ValidString(no.Entry) || strings.ContainsRune(no.Entry, '\u202e') {
				t.Fatalf("%q", no.Entry)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, name := range a.Names() {
			low := strings.ToLower(norm.NFC.String(name))
			if !filepath.IsLocal(name) || path.Clean(name) != name || strings.ContainsAny(name, "\\:\u202e") || seen[low] {
				t.Fatalf("%q was taken", name)
			}
			seen[low] = true
		}
	})
}

// broken fails after n bytes, as a disk does.
type broken struct {
	r io.ReaderAt
	n int64
}

var errDisk = errors.New("disk")

func (b broken) ReadAt(p []byte, off int64) (int, error) {
	if off > b.n {
		return 0, errDisk
	}
	return b.r.ReadAt(p, off)
}

func TestAFailingDiskIsNoRefusal(t *testing.T) {
	text := hostile.Good()["Go's writer"]
	for n := range int64(len(text)) {
		a, err := archive.Open(broken{bytes.NewReader(text), n}, int64(len(text)), archive.Default)
		if err == nil {
			err = a.Each(context.Background(), func(string, io.Reader) error { return nil })
		}
		var no *archive.Refusal
		if errors.As(err, &no) || err != nil && !errors.Is(err, errDisk) {
			t.Fatal(n, err)
		}
	}
}

func TestNestedArchives(t *testing.T) {
	text := hostile.Quine(4)
	a, err := archive.Open(bytes.NewReader(text), int64(len(text)), archive.Default)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	var labels []string
	err = a.Deep(context.Background(), func(name string, r io.Reader) error {
		paths = append(paths, name)
		return nil
	}, func(u archive.Unread) {
		labels = append(labels, fmt.Sprint(u.Path, " ", u.Format, " ", u.Refusal.Reason, " ", len(u.Names)))
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPaths := []string{"0.zip!/note.txt", "1.zip!/note.txt", "2.zip!/note.txt", "3.zip!/note.txt", "4.zip!/note.txt", "note.txt"}
	if !slices.Equal(paths, wantPaths) || len(labels) != 25 || labels[7] != "1.zip!/2.zip zip nested_not_read 6" {
		t.Fatal(paths, labels)
	}
	one, err := a.Nested("0.zip")
	if err != nil || one.ListedOnly() || one.Depth() != 1 {
		t.Fatal(err)
	}
	two, err := one.Nested("0.zip")
	if err != nil || !two.ListedOnly() || len(two.Names()) != 6 {
		t.Fatal(err)
	}
	var no *archive.Refusal
	if _, err := two.Read("note.txt", 100); !errors.As(err, &no) || no.Reason != archive.NestedUnread {
		t.Error(err)
	}
	if _, err := two.Nested("0.zip"); !errors.As(err, &no) || no.Reason != archive.NestedTooDeep {
		t.Error(err)
	}
	for range 3000 { // opening again costs nothing of the budget
		if _, err := a.Nested("0.zip"); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that only looks like a zip, or is an archive of another kind, is labelled and read as a file.
func TestUnreadableArchivesInsideAreLabelled(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range [][2]string{{"a.docx", "PK\x03\x04 not really"}, {"b.gz", "\x1f\x8b\x08"}, {"c.txt", "c"}, {"d.zip", "plain"}} {
		e, _ := w.Create(f[0])
		_, _ = io.WriteString(e, f[1])
	}
	_ = w.Close()
	a, err := archive.Open(bytes.NewReader(out.Bytes()), int64(out.Len()), archive.Default)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = a.Deep(context.Background(), func(name string, r io.Reader) error {
		text, err := io.ReadAll(r)
		got = append(got, fmt.Sprint(name, " ", len(text)))
		return err
	}, func(u archive.Unread) { got = append(got, u.Path+" "+u.Format) })
	want := []string{"a.docx zip", "a.docx 15", "b.gz gzip", "b.gz 3", "c.txt 1", "d.zip 5"}
	if err != nil || !slices.Equal(got, want) {
		t.Fatal(got, err)
	}
}

func TestGoTestdata(t *testing.T) {
	root, _ := exec.Command("go", "env", "GOROOT").Output()
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src/archive/zip/testdata/*"))
	if len(files) == 0 {
		t.Skip("the Go sources are not installed")
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		when, err := walk(text, archive.Default)
		again, err2 := walk(text, archive.Default)
		if again != when || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Errorf("%s: %v, then %v", name, err, err2)
		}
		t.Logf("%-28s %s: %v", filepath.Base(name), when, err)
	}
}

func FuzzOpen(f *testing.F) {
	for _, c := range hostile.Small() {
		if len(c.Bytes) < 64<<10 {
			f.Add(c.Bytes)
		}
	}
	for _, text := range hostile.Good() {
		if len(text) < 64<<10 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		when, err := walk(text, archive.Default)
		var no *archive.Refusal
		if err != nil && !errors.As(err, &no) {
			t.Fatal(err)
		}
		if err == nil || when == "read" {
			sameAsStandardLibrary(t, text)
		}
	})
}
