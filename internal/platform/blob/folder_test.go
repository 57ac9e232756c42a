package blob

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFolderKeepsBytesByDigest(t *testing.T) {
	f, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	digest, size, err := f.Put(strings.NewReader("hello"))
	if err != nil || size != 5 || digest != "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" {
		t.Fatalf("Put = %s, %d, %v", digest, size, err)
	}
	if again, _, err := f.Put(strings.NewReader("hello")); err != nil || again != digest {
		t.Fatalf("second Put = %s, %v", again, err)
	}
	file, err := f.Open(digest)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got, _ := io.ReadAll(file); !bytes.Equal(got, []byte("hello")) {
		t.Errorf("read %q", got)
	}
	if !f.Has(digest) || f.Has(strings.Repeat("0", 64)) {
		t.Error("Has")
	}
	if err := f.Verify(digest); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(f.path(digest), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(digest); err == nil {
		t.Error("Verify did not see changed bytes")
	}
}

func TestFolderRefusesNamesThatAreNotDigests(t *testing.T) {
	f, _ := OpenFolder(t.TempDir())
	for _, name := range []string{"", "..", "../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("a", 63)} {
		if _, err := f.Open(name); !errors.Is(err, ErrNotFound) {
			t.Errorf("Open(%q) = %v", name, err)
		}
		if f.Has(name) {
			t.Errorf("Has(%q)", name)
		}
	}
}

func TestFolderLeavesNothingOfAFailedPut(t *testing.T) {
	f, _ := OpenFolder(t.TempDir())
	if _, _, err := f.Put(iotest.ErrReader(errors.New("gone"))); err == nil {
		t.Fatal("Put succeeded")
	}
	left, _ := os.ReadDir(f.tmp())
	if len(left) != 0 {
		t.Errorf("left %v", left)
	}
}
